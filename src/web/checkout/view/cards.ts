/** Checks a card as it is typed, by the same function on the page and on the server. */

/** A card as it was typed, in ASCII digits. */
export type TypedCard = { number: string; expiry: string; cvc: string }

/** What is wrong with a field of a card. `fieldOf` says which field. */
export type CardFault = 'number' | 'number_length' | 'expiry' | 'expired' | 'cvc' | 'cvc_four'

export type CardField = keyof TypedCard

/** The faults that a field can have. */
export const faultsOfField: Record<CardField, readonly CardFault[]> = {
  number: ['number', 'number_length'],
  expiry: ['expiry', 'expired'],
  cvc: ['cvc', 'cvc_four'],
}
export const cardFields = Object.keys(faultsOfField) as CardField[]

/** Returns the field of a fault; undefined for a text that is none. */
export const fieldOf = (fault: string): CardField | undefined =>
  cardFields.find((field) => faultsOfField[field].some((one) => one === fault))

/**
 * Returns what is wrong with a card, at most one fault a field. The page's script contains the text
 * of this function: it uses nothing from outside itself, and nothing newer than ES2017.
 *
 * Sources: ISO/IEC 7812-1, annex B (the check digit); the ranges and lengths that Visa, Mastercard,
 * American Express and Verve publish. Other numbers have 12 to 19 digits.
 * @param earliest the first month that has not expired, as a number `YYMM`
 */
export function faultsOf({ number, expiry, cvc }: TypedCard, earliest: number): CardFault[] {
  const faults: CardFault[] = []
  const digits = number.replace(/[\s-]/g, '')
  // How numbers begin, how many digits they have, and how many their security code has.
  const brands: [RegExp, number[], number][] = [
    [/^3[47]/, [15], 4],
    [/^4/, [13, 16, 19], 3],
    [/^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, [16], 3],
    [/^(506[01]|507[89]|6500)/, [16, 18, 19], 3],
  ]
  const brand = brands.find((one) => one[0].test(digits))
  let sum = 0
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]) * (i % 2 === 0 ? 1 : 2)
    sum += digit > 9 ? digit - 9 : digit
  }
  const lengths = brand ? brand[1] : [12, 13, 14, 15, 16, 17, 18, 19]
  if (/\D/.test(digits)) faults.push('number')
  else if (lengths.indexOf(digits.length) < 0) faults.push('number_length')
  else if (sum % 10 !== 0) faults.push('number')
  const date = /^(0?[1-9]|1[0-2])\s*\/?\s*(?:20)?(\d\d)$/.exec(expiry.trim())
  if (!date) faults.push('expiry')
  else if (Number(date[2]) * 100 + Number(date[1]) < earliest) faults.push('expired')
  const code = cvc.trim()
  if (!/^\d{3,4}$/.test(code) || (brand && code.length !== brand[2]))
    faults.push(brand && brand[2] === 4 ? 'cvc_four' : 'cvc')
  return faults
}

/** Returns the first month whose cards have not expired, as `faultsOf` takes it. */
export function earliestMonth(now: Date): number {
  // A card is good until the end of its month, wherever the payer is.
  const yesterday = new Date(now.getTime() - 86_400_000)
  return (yesterday.getUTCFullYear() % 100) * 100 + yesterday.getUTCMonth() + 1
}

/**
 * Check digits of bank numbers. A NUBAN's is advice where the bank's own name lookup can decide:
 * payment service banks, mobile money and many microfinance banks of Nigeria number their accounts
 * as they like.
 */

/**
 * The tenth digit of a NUBAN, 0 to 9.
 *
 * Source: Central Bank of Nigeria. The weights 3, 7, 3 are of "Proposals on the Implementation of
 * NUBAN Scheme" (v0.4, 2010); the six-digit institution is of the revised standard, in force since
 * April 2020.
 * @param institution 6 digits: `000` and a deposit money bank's 3, or `9` and another institution's
 * 5
 * @param serial the first 9 digits of the account number
 * @throws {RangeError} when either is not that many digits
 */
export function nubanCheckDigit(institution: string, serial: string): number {
  if (!/^\d{6}$/.test(institution) || !/^\d{9}$/.test(serial))
    throw new RangeError('a NUBAN has an institution of 6 digits and a serial number of 9')
  const sum = [...(institution + serial)].reduce(
    (total, digit, i) => total + Number(digit) * (i % 3 === 1 ? 7 : 3),
    0,
  )
  return (10 - (sum % 10)) % 10
}

/**
 * Whether an account number carries the check digit of its institution. False for anything that is
 * not digits of the right length.
 * @param institution 6 digits, as `nubanCheckDigit` takes them
 * @param accountNumber 10 digits
 */
export function isNuban(institution: string, accountNumber: string): boolean {
  return (
    /^\d{6}$/.test(institution) &&
    /^\d{10}$/.test(accountNumber) &&
    nubanCheckDigit(institution, accountNumber.slice(0, 9)) === Number(accountNumber[9])
  )
}

/**
 * Whether a text is well formed as an ABA routing number; it may still belong to no bank.
 *
 * Source: American Bankers Association, Routing Number Policy: nine digits whose sum under the
 * weights 3, 7, 1 is a multiple of ten. The first two are 00 (US government), 01-12 (Federal
 * Reserve districts), 21-32 (thrifts), 61-72 (electronic) or 80 (traveller's cheques).
 */
export function isAbaRouting(number: string): boolean {
  if (!/^\d{9}$/.test(number) || number === '000000000') return false
  const prefix = Number(number.slice(0, 2))
  const known =
    prefix <= 12 ||
    (prefix >= 21 && prefix <= 32) ||
    (prefix >= 61 && prefix <= 72) ||
    prefix === 80
  const weights = [3, 7, 1]
  const sum = [...number].reduce(
    (total, digit, i) => total + Number(digit) * (weights[i % 3] as number),
    0,
  )
  return known && sum % 10 === 0
}

/**
 * The check digit that makes a number pass the Luhn test, 0 to 9.
 *
 * Source: ISO/IEC 7812-1, annex B.
 * @param body digits without the check digit
 */
export function luhnCheckDigit(body: string): number {
  const sum = [...body].reverse().reduce((total, digit, i) => {
    const doubled = Number(digit) * (i % 2 === 0 ? 2 : 1)
    return total + (doubled > 9 ? doubled - 9 : doubled)
  }, 0)
  return (10 - (sum % 10)) % 10
}

/** Whether a card number is 12 to 19 digits that pass the Luhn test. */
export function isCardNumber(number: string): boolean {
  return /^\d{12,19}$/.test(number) && luhnCheckDigit(number.slice(0, -1)) === Number(number.at(-1))
}

/**
 * Bodies as they may be kept: short, without secrets, and without the numbers of cards, accounts
 * and documents.
 */

const longest = 2_048
const deepest = 6
const mostEntries = 50
const mostText = 500

const secret =
  /secret|password|passphrase|token|authorization|api_?key|mnemonic|private|^(cvc|cvv|pin|otp)$/i
const numbers = /number|^(pan|bvn|nin|iban|card)$/i
/**
 * Eleven digits or more, as cards and identity documents have, also in groups; ids have letters
 * beside theirs.
 */
const longNumber = /(?<![0-9A-Za-z])\d(?:[ -]?\d){10,}(?![0-9A-Za-z])/g

/** API keys and webhook secrets, wherever they were put. */
const ownSecret = /(sk_(?:test|live)_|weh_)\w+/g

/** The last four of what is long enough for them to tell nothing. */
const lastFour = (text: string): string => `…${text.length >= 8 ? text.slice(-4) : ''}`

/** A body, parsed, as JSON text to be kept. What it costs does not grow with the body. */
export function maskedBody(body: unknown): string | null {
  if (body === undefined || body === null) return null
  const text = JSON.stringify(masked(body, '', 0))
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`
}

function masked(value: unknown, name: string, depth: number): unknown {
  if (value === null || typeof value === 'boolean') return value
  if (secret.test(name)) return '…'
  if (typeof value === 'string' || typeof value === 'number') return maskedText(value, name)
  if (typeof value !== 'object' || depth >= deepest) return '…'
  if (Array.isArray(value))
    return value.slice(0, mostEntries).map((item) => masked(item, name, depth + 1))
  const copy: Record<string, unknown> = {}
  let entries = 0
  for (const key in value) {
    if (entries++ >= mostEntries) break
    copy[key.slice(0, 100).replaceAll(longNumber, lastFour)] = masked(
      (value as Record<string, unknown>)[key],
      key,
      depth + 1,
    )
  }
  return copy
}

function maskedText(value: string | number, name: string): unknown {
  const text = typeof value === 'number' ? String(value) : value.slice(0, mostText)
  if (numbers.test(name)) return lastFour(text)
  if (typeof value === 'number')
    return /amount/i.test(name) || Math.abs(value) < 1e10 ? value : lastFour(text)
  return text.replaceAll(ownSecret, '$1…').replaceAll(longNumber, lastFour)
}

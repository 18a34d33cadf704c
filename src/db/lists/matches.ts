/**
 * What several lists are searched by, as matches.
 */
import { emailSpellings } from '../../lib/email.ts'
import { isId } from '../../lib/ids.ts'
import { minorOf } from '../../lib/money.ts'
import { readMoney } from '../../lib/typed-money.ts'
import type { Filter, Match } from './conditions.ts'

/** The matches of what a person typed, without the blanks around it; none where nothing is left. */
export async function typed(
  search: string | undefined,
  matchesOf: (text: string) => Match[] | Promise<Match[]>,
): Promise<Match[] | undefined> {
  const text = search?.trim()
  return text === undefined ? undefined : text === '' ? [withId(text)] : matchesOf(text)
}

/** Rows of an amount in minor units. @param column that an index has beside the newest first */
export function withAmount(
  amounts: readonly (number | bigint)[],
  column: 'amount' | 'total' = 'amount',
): Match {
  return { each: `${column} = ?`, values: amounts.map(BigInt), type: 'bigint' }
}

/** The same among the newest rows, of a list in the order of ids. */
export function withRecentAmount(amount: number | bigint): Match {
  return { recent: 'amount = ?', of: 'amount', values: [BigInt(amount)] }
}

/**
 * Rows whose own reference begins with a text. @param records what they are called, for a refusal
 */
export function withReference(start: string, records: string): Match {
  return {
    // Its letters are all before `~`.
    all: `reference >= ?1 and reference < ?1 || '~'`,
    by: 'reference',
    values: [start],
    words: `${records} have a reference that begins with '${start}'`,
  }
}

/** Rows whose email address is this one, whatever its case and the spelling of its domain. */
export function withEmail(email: string, column = 'email'): Match {
  return { each: `lower(${column}) = lower(?)`, values: emailSpellings(email) }
}

/** The row that has a text for its id, or for the id in another column. */
export function withId(text: string, column = 'id'): Match {
  const id = text.toLowerCase()
  return { each: `${column} = ?`, values: isId(id) ? [id] : [] }
}

/**
 * The amounts that a person may look for, in minor units: `5000`, `5,000.00`, `₦5,000` or `5000
 * ngn`. A text with two readings is both.
 * @param locale BCP 47, of the business
 */
export function amountsTyped(text: string, locale: string): bigint[] {
  const { amount, ...typed } = { readings: null, ...readMoney(text, locale, 'any') }
  const amounts =
    amount === null
      ? (typed.readings ?? []).filter((one) => /^\d+$|0$/.test(one)).map((one) => minorOf(one))
      : [amount]
  return amounts.filter((one) => one > 0n)
}

/**
 * Of short lists, whose rows are looked through: those with a text in their name, or with it as
 * their id.
 */
export const inName = (text: string | undefined): Filter => [
  '(position(lower(?) in lower(name)) > 0 or id = lower(?))',
  text?.trim(),
]

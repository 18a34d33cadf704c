/** The matches by which several lists are searched. */
import { emailSpellings } from '../../lib/email.ts'
import { type Id, isId } from '../../lib/ids.ts'
import { minorOf } from '../../lib/money.ts'
import { readMoney } from '../../lib/typed-money.ts'
import { type OwnStatement, sql } from '../db.ts'
import type { Filter, Match } from './conditions.ts'

/** Returns the matches of a text that a person typed, trimmed. A blank text matches nothing. */
export async function matchesOfText(
  search: string | undefined,
  matchesOf: (text: string) => Match[] | Promise<Match[]>,
): Promise<Match[] | undefined> {
  const text = search?.trim()
  return text === undefined ? undefined : text === '' ? [matchId(text)] : matchesOf(text)
}

/**
 * Matches rows by amount, in minor units.
 * @param column indexed together with the order of the list
 */
export function matchAmount(
  amounts: readonly (number | bigint)[],
  column: 'amount' | 'total' = 'amount',
): Match {
  return { each: `${column} = ?`, values: amounts.map(BigInt), type: 'bigint' }
}

/** Matches recent rows by amount, in a list in id order. */
export function matchRecentAmount(amount: number | bigint): Match {
  return { recent: 'amount = ?', of: 'amount', values: [BigInt(amount)] }
}

/**
 * Matches rows whose reference begins with a text.
 * @param records the plural name of the rows, for a refusal
 */
export function matchReference(start: string, records: string): Match {
  return {
    // All characters of a reference sort before `~`.
    all: `reference >= ?1 and reference < ?1 || '~'`,
    by: 'reference',
    values: [start],
    words: `${records} have a reference that begins with '${start}'`,
  }
}

/** Matches rows by email address, regardless of case and of the spelling of its domain. */
export function matchEmail(email: string, column = 'email'): Match {
  return { each: `lower(${column}) = lower(?)`, values: emailSpellings(email) }
}

/** Matches the row with this id, or with this id in another column. */
export function matchId(text: string, column = 'id'): Match {
  const id = text.toLowerCase()
  return { each: `${column} = ?`, values: isId(id) ? [id] : [] }
}

/**
 * Parses the amounts that a person may mean, in minor units: `5000`, `5,000.00`, `₦5,000` or `5000
 * ngn`. An ambiguous text gives both.
 * @param locale BCP 47, of the business
 */
export function parseAmounts(text: string, locale: string): bigint[] {
  const { amount, ...typed } = { readings: null, ...readMoney(text, locale, 'any') }
  const amounts =
    amount === null
      ? (typed.readings ?? []).filter((one) => /^\d+$|0$/.test(one)).map((one) => minorOf(one))
      : [amount]
  return amounts.filter((one) => one > 0n)
}

/** Filters a short list by a text in the name, or by id. It scans the list. */
export const nameContains = (text: string | undefined): Filter => [
  '(position(lower(?) in lower(name)) > 0 or id = lower(?))',
  text?.trim(),
]

/** Of how many of the newest rows parts are searched: their columns are in no index. */
const newestRows = 5_000n
const leastPart = 3

/**
 * The statement of `matchParts` for a table with references.
 * @param digits the column or expression of an account's number
 */
export const selectIdsByPart = (
  table: 'payouts' | 'refunds' | 'virtual_accounts',
  digits: string,
): OwnStatement<{ id: Id }> =>
  sql<{ id: Id }>(
    `${table}.select_by_part`,
    `select id from (select id, reference, ${digits} number from ${table}
                      where business_id = $1 and livemode = $2 order by id desc limit $5) newest
      where position(lower($3) in lower(reference)) > 0 or right(number, 4) = $4
      limit $5`,
  )

/**
 * Matches recent rows by a part of their reference, or by the last four digits of a card or account.
 * @param read reads ids by the text, by four digits or null, of so many newest rows
 */
export async function matchParts(
  text: string,
  read: (values: [text: string, digits: string | null, rows: bigint]) => Promise<{ id: string }[]>,
): Promise<Match> {
  const digits = /^\d{4}$/.test(text) ? text : null
  const rows = text.length < leastPart ? [] : await read([text, digits, newestRows])
  return { each: 'id = ?', values: rows.map(({ id }) => id) }
}

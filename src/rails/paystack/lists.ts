/** Paystack's lists, page by page: for sweeps, which wait for whatever else is asked. */
import { setTimeout as sleep } from 'node:timers/promises'
import { later } from '../../lib/clock.ts'
import { masked } from '../http/masking.ts'
import type { Account } from './account.ts'
import { type Answer, asObject, wholeOf } from './client.ts'

export type Row = Record<string, unknown>

const perPage = 100
/** A list that is longer is no list. */
const mostPages = 10_000
/** How often a page is asked for that does not come. */
const tries = 5

/**
 * What to ask a list for to have all of it from a time on. The balance's history goes by days, and
 * leaves out the one that `from` names (nanafox/paystack_sdk, test API of 2026-10-09); whether
 * other lists do is open. So each is asked from the day before, and what is too old is left out
 * here.
 */
export const fromDayBefore = (from: Date): string => later(from, -86_400_000).toISOString()

/**
 * A time of a list; recorded are ISO times with their zone, and one that names none is taken for
 * UTC.
 */
export function timeIn(value: unknown): Date | null {
  if (typeof value !== 'string' || value === '') return null
  const time = new Date(/[zZ]$|[+-]\d\d:?\d\d$/.test(value) ? value : `${value.replace(' ', 'T')}Z`)
  return Number.isNaN(time.getTime()) ? null : time
}

/** When a row was made: Paystack spells that in two ways, of one kind of row too. */
export const createdIn = (row: Row): Date | null => timeIn(row.createdAt) ?? timeIn(row.created_at)

/** When a transaction was paid; of one that was not, when it was started. */
export const paidIn = (row: Row): Date | null =>
  timeIn(row.paid_at) ?? timeIn(row.paidAt) ?? createdIn(row)

/**
 * Every row of a list in naira, each once, newest first.
 * @param since from when on; a row without a readable time is kept
 * @param until where a row says that what follows it is too old to be read
 * @throws {Error} a sentence, when a page did not come, or a row is of the other mode
 */
export async function readList(
  account: Pick<Account, 'client' | 'livemode'>,
  path: `/${string}`,
  { query = {}, params = {}, since, until = () => false, onPage = () => {} }: ListOptions = {},
): Promise<Row[]> {
  const rows = new Map<string, Row>()
  for (let page = 1; page <= mostPages; page++) {
    const from = since === undefined ? {} : { from: fromDayBefore(since.from) }
    const paged = { ...query, ...from, perPage: String(perPage), page: String(page) }
    const answer = await askPage(account, path, params, paged)
    const found = Array.isArray(answer.data) ? answer.data.map((row) => asObject(row) ?? {}) : null
    if (found === null) throw new Error(`Paystack answers ${path} with something else than a list`)
    for (const row of found) {
      if (row.currency !== undefined && row.currency !== 'NGN') continue
      const other = account.livemode ? 'test' : 'live'
      if (row.domain === other)
        throw new Error(`Paystack says that a row of ${path} is in ${other} mode`)
      rows.set(String(row.id), row)
    }
    onPage(found.length)
    const pages = wholeOf(asObject(answer.meta)?.pageCount)
    const last = found.at(-1)
    if (last === undefined || until(last) || (pages !== null && BigInt(page) >= pages))
      return [...rows.values()].filter(
        (row) => since === undefined || (since.at(row) ?? since.from) >= since.from,
      )
  }
  throw new Error(`Paystack’s list ${path} does not end`)
}
export type ListOptions = {
  query?: Record<string, string>
  params?: Record<string, string>
  since?: { from: Date; at(row: Row): Date | null }
  until?(last: Row): boolean
  /** Is told how many rows a page had. */
  onPage?(rows: number): void
}

/** Waits where Paystack, or who asks for more urgent things, says to. */
async function askPage(
  { client }: Pick<Account, 'client'>,
  path: `/${string}`,
  params: Record<string, string>,
  query: Record<string, string>,
): Promise<Extract<Answer, { is: 'answered' }>> {
  for (let n = 1; ; n++) {
    const answer = await client.ask({ method: 'GET', path, params, query, urgency: 'sweep' })
    if (answer.is === 'answered') return answer
    if (answer.is !== 'rate_limited' || n >= tries) {
      const why =
        'why' in answer ? answer.why : 'message' in answer ? answer.message : 'too many requests'
      throw new Error(`Paystack could not be asked for ${path}: ${masked(why)}`)
    }
    await sleep(answer.againInMs)
  }
}

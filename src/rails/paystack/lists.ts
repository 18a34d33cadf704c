/** Reads Paystack's lists page by page, for sweeps, which yield to more urgent requests. */
import { setTimeout as sleep } from 'node:timers/promises'
import { later } from '../../lib/clock.ts'
import { masked } from '../http/masking.ts'
import type { Account } from './account.ts'
import { type Answer, asObject, wholeOf } from './client.ts'

export type Row = Record<string, unknown>

const perPage = 100
/** A longer list is an error. */
const mostPages = 10_000
/** The most tries per page. */
const tries = 5

/**
 * The `from` parameter that returns all rows since a time. The balance's history works by days and
 * omits the day of `from` (nanafox/paystack_sdk, test API of 2026-10-09); other lists may too. So
 * each query starts a day earlier, and older rows are dropped here.
 */
export const fromDayBefore = (from: Date): string => later(from, -86_400_000).toISOString()

/** Parses a list's time: ISO with a zone, or UTC if none is given. */
export function timeIn(value: unknown): Date | null {
  if (typeof value !== 'string' || value === '') return null
  const time = new Date(/[zZ]$|[+-]\d\d:?\d\d$/.test(value) ? value : `${value.replace(' ', 'T')}Z`)
  return Number.isNaN(time.getTime()) ? null : time
}

/** A row's creation time, which Paystack spells in two ways, even within one list. */
export const createdIn = (row: Row): Date | null => timeIn(row.createdAt) ?? timeIn(row.created_at)

/** A transaction's payment time, or its start if unpaid. */
export const paidIn = (row: Row): Date | null =>
  timeIn(row.paid_at) ?? timeIn(row.paidAt) ?? createdIn(row)

/**
 * Returns all naira rows of a list, each once, newest first.
 * @param since keeps rows from this time on, and rows without a readable time
 * @param until whether the rows after this one are too old to be read
 * @throws {Error} a sentence, when a page failed or a row is of the other mode
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
  /** Called with each page's number of rows. */
  onPage?(rows: number): void
}

/** Reads a page, and waits when Paystack or our own rate limit demands it. */
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

/** Statements of a wallet in the forms of banks, streamed from the ledger's postings. */
import type { View } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import { type Day, dayAfter, dayOf, offsetTime, startOfDay } from '../../lib/days.ts'
import { refuseInput } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import type { WalletCurrency } from '../../lib/money.ts'
import type { Static } from '../../lib/schema.ts'
import { inWindows, titleOf } from '../journals/journals.ts'
import { type Business, getBusiness } from '../profiles/profiles.ts'
import { countedKinds, getBalances } from '../statements/statements.ts'
import { camt } from './camt.ts'
import { bankCodeOf } from './codes.ts'
import type { BankFormat, Entry, Head, Party, Writer } from './formats.ts'
import { mostMt940Amount, mostMt940Entries, mt940 } from './mt940.ts'
import { refuse } from './refusals.ts'
import type { BankStatementQuery } from './schema.ts'
import { type EntryRow, selectEntries } from './sql.ts'

export { type BankFormat, bankFormats } from './formats.ts'

type Query = Static<typeof BankStatementQuery>

const batchSize = 5_000
/** A transaction that began on a day is committed so long after it, at most. */
const settledMs = 600_000

const writers: Record<BankFormat, (head: Head) => Writer> = {
  'camt.053.001.08': (head) => camt(head, '08'),
  'camt.053.001.02': (head) => camt(head, '02'),
  mt940,
}

/** Days with their moments: the end is exclusive. */
type Period = { first: Day; last: Day; from: Date; to: Date; timeZone: string }

/**
 * Returns the statement of a wallet as text. Balances come from the ledger's balances and entries
 * from its postings. If they differ, the file breaks off before its end.
 * @throws {Refusal} `validation_failed` for a day that is not over; `unbalanced_period`;
 * `statement_too_large`
 */
export async function bankStatement(ctx: Ctx, query: Query): Promise<AsyncIterable<string>> {
  const { head, period } = await ctx.snapshot(async (view) => {
    const business = await getBusiness(view)
    const period = periodOf(query, business, view.scope.now)
    return { period, head: await headOf(view, query.currency, { business, period }) }
  })
  if (query.format === 'mt940') assertFits(head)
  return write(ctx, writers[query.format](head), { head, period })
}

/**
 * Returns the days that statements can cover: the last is before the first where there is none.
 * @param since when the business was created
 */
export const coveredDays = (
  since: Date,
  now: Date,
  timeZone: string,
): { first: Day; last: Day } => ({
  first: dayOf(since, timeZone),
  // Later days can still get movements.
  last: dayAfter(dayOf(new Date(now.getTime() - settledMs), timeZone), -1),
})

function periodOf(query: Query, business: Business, now: Date): Period {
  const { time_zone: timeZone, created_at: since } = business
  const wrong = (path: 'from' | 'to', message: string): never =>
    refuseInput([{ path, message, location: 'query' }])
  const { first: begin, last: over } = coveredDays(since, now, timeZone)
  if (over < begin)
    wrong('to', `to has no day yet: ${begin}, the first day of the business, is not over`)
  const last = query.to ?? over
  if (last > over) wrong('to', `to must be a day that is over: ${over} is the last`)
  if (last < begin) wrong('to', `to must not be before ${begin}, the first day of the business`)
  const asked = query.from ?? last
  if (asked > last) wrong('from', 'from must not be after to')
  const first = asked < begin ? begin : asked
  const from = startOfDay(first, timeZone)
  return { first, last, from, to: startOfDay(last, timeZone, 1), timeZone }
}

async function headOf(
  view: View,
  currency: WalletCurrency,
  { business, period }: { business: Business; period: Period },
): Promise<Head> {
  const { now, livemode, businessId } = view.scope
  const { first, last, from, to, timeZone } = period
  const { opening, closing, credits, debits } = await getBalances(view, currency, period)
  // Nothing was posted before the business was there.
  if (from <= new Date(business.created_at) && opening !== 0n)
    refuse(
      'unbalanced_period',
      'The balances do not follow from the postings, so no statement was written. Ask the operator of the server to run `bursar ledger verify`.',
    )
  return {
    messageId: newId(now),
    account: `${businessId}-${currency.toUpperCase()}${livemode ? '' : '-TEST'}`,
    owner: business.name,
    currency,
    from: first,
    to: last,
    begins: offsetTime(from, timeZone),
    ends: offsetTime(new Date(to.getTime() - 1_000), timeZone),
    createdAt: now,
    isTest: !livemode,
    opening,
    closing,
    credits,
    debits,
  }
}

function assertFits({ opening, closing, credits, debits }: Head): void {
  const instead = 'Choose fewer days, or camt.053.'
  if (credits.count + debits.count > mostMt940Entries)
    refuse('statement_too_large', `MT940 numbers at most 99,999 pages. ${instead}`)
  const extremes = [opening, closing, opening + credits.amount, opening - debits.amount]
  for (const amount of [...extremes, credits.amount, debits.amount])
    if (amount > mostMt940Amount || amount < -mostMt940Amount)
      refuse('statement_too_large', `MT940 writes amounts below 1,000,000,000,000.00. ${instead}`)
}

async function* write(
  ctx: Ctx,
  writer: Writer,
  { head, period }: { head: Head; period: Period },
): AsyncGenerator<string> {
  let balance = head.opening
  yield writer.start()
  const read = (from: Date, to: Date, after: bigint) =>
    ctx.rows(selectEntries, [from, to, after, countedKinds, head.currency, batchSize])
  for await (const rows of inWindows(period, batchSize, read)) {
    const entries = rows.map((row) => entryOf(row, period.timeZone))
    for (const { amount, direction } of entries)
      balance += direction === 'credit' ? amount : -amount
    yield entries.map((entry) => writer.entry(entry)).join('')
  }
  if (balance !== head.closing)
    throw new Error(
      `the statement of ${head.account} up to ${head.to} comes to ${balance}, not ${head.closing}`,
    )
  yield writer.end()
}

const fees: readonly string[] = ['deposit_fee', 'payout_fee', 'conversion_fee']

function entryOf(row: EntryRow, timeZone: string): Entry {
  const { id, amount, kind, method, reference } = row
  const direction = row.came ? 'credit' : 'debit'
  return {
    id,
    transaction: row.transaction_id,
    day: dayOf(row.posted_at, timeZone),
    amount,
    direction,
    ...bankCodeOf({ kind, method, direction }),
    title: titleOf(kind),
    reference,
    party: fees.includes(kind) ? null : partyOf(row),
  }
}

function partyOf({ party }: EntryRow): Party | null {
  if (party === null) return null
  const name = party.resolved_account_name ?? party.account_name ?? null
  const account = party.account_number ?? party.address ?? null
  return name === null && account === null ? null : { name, account }
}

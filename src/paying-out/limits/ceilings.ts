/**
 * What the operator lets a business pay out at most: by one payout, and in a day of UTC, in each mode and from each wallet. Whatever goes out
 * counts, also what somebody has approved. The days are counted in the rows of the business's own limits, with the wallets locked.
 */
import { recordOperatorChange } from '../../books/audit/audit.ts'
import { findOperated } from '../../books/businesses/businesses.ts'
import { openBooks } from '../../books/ledger/ledger.ts'
import { walletAccounts } from '../../books/wallets/wallets.ts'
import { inside, readingOf, type View, type Work } from '../../core/inside.ts'
import { holdTestData } from '../../core/test-data.ts'
import { dayOf, startOfDay } from '../../lib/days.ts'
import { type Id, idBound } from '../../lib/ids.ts'
import { formatMoney, type WalletCurrency, walletCurrencies } from '../../lib/money.ts'
import type { Static } from '../../lib/schema.ts'
import { refuse } from './refusals.ts'
import { defaultApprovalHours, type OperatorLimitsIn, type OperatorLimitsRecord } from './schema.ts'
import type { CountedDays, LimitOf, LimitRow } from './sql.ts'
import * as statements from './sql.ts'

export type OperatorLimits = Static<typeof OperatorLimitsRecord>

type Ceiling = Pick<LimitRow, 'max_payout' | 'max_day'>
type Reading = Pick<View, 'row' | 'scope'>

const dayMs = 86_400_000
const endOf = (start: Date): Date => new Date(start.getTime() + dayMs)

/** The day of UTC that a payout of a wallet is counted in: the one that is counted, until it ends. */
export async function maxDayIn(view: Reading, currency: WalletCurrency, row: Omit<LimitOf, 'position'> | undefined) {
  const starts_at = row?.max_day_starts_at ?? null
  const amount = row?.max_day_amount ?? 0n
  if (row?.max_day == null || (starts_at && view.scope.now < endOf(starts_at))) return { starts_at, amount }
  const start = startOfDay(dayOf(view.scope.now, 'UTC'), 'UTC')
  const sum = await view.row(statements.sumAllSince, [currency, idBound(start)])
  return { starts_at: start, amount: sum?.amount ?? 0n }
}

/** @throws {Refusal} `operator_limit_exceeded` */
export function refuseLarge(
  { max_payout: max }: Pick<Ceiling, 'max_payout'>,
  currency: WalletCurrency,
  amount: bigint,
): void {
  if (max === null || amount <= max) return
  refuse(
    'operator_limit_exceeded',
    `The operator of this server lets no payout of more than ${formatMoney(max, currency)} out; this one is ${formatMoney(amount, currency)}. Pay out less at once, or ask the operator for a higher limit.`,
    { left: Number(max) },
  )
}

/** @throws {Refusal} `operator_limit_exceeded` */
export function refuseAboveCeilings(
  { currency, max_day, max_starts_at, max_amount, ...ceiling }: Ceiling & CountedDays,
  amount: bigint,
): void {
  refuseLarge(ceiling, currency, amount)
  if (max_day === null || max_starts_at === null || max_amount + amount <= max_day) return
  const left = max_amount < max_day ? max_day - max_amount : 0n
  const ends_at = endOf(max_starts_at).toISOString()
  refuse(
    'operator_limit_exceeded',
    `The operator of this server lets ${formatMoney(max_day, currency)} out in a day of UTC, of which ${formatMoney(left, currency)} is left; this payout is ${formatMoney(amount, currency)}. Pay out less, try it again after ${ends_at}, or ask the operator for a higher limit.`,
    { left: Number(left) },
  )
}

/** What the operator lets a business pay out at most, and what it has paid out today with live keys. @throws {Refusal} `not_found` */
export async function getCeilings(view: View, id: string): Promise<OperatorLimits> {
  const own = viewOf(view, (await findOperated(view.reader, id)).id)
  return recordOf(own, await own.rows(statements.selectLimits))
}

/**
 * Changes what the operator lets a business pay out at most, in both modes, from this moment on: payouts that are on their way stay so.
 * @throws {Refusal} `not_found`
 */
export async function changeCeilings(
  work: Work,
  id: string,
  { currencies: changes }: Static<typeof OperatorLimitsIn>,
): Promise<OperatorLimits> {
  const { id: businessId } = await findOperated(work.reader, id)
  const [live, test] = [true, false].map((livemode) =>
    inside(work, work.tx, { ...work.scope, businessId, livemode }),
  ) as [Work, Work]
  holdTestData(work.tx, [test.scope])
  const keys = walletCurrencies.flatMap(walletAccounts)
  await openBooks(
    work.tx,
    [live, test].map(({ scope }) => ({ scope, keys })),
  )
  const rows = await live.rows(statements.selectLimits)
  const before = ceilingsOf(rows)
  const after = before.map((was) => {
    const change = changes.findLast(({ currency }) => currency === was.currency)
    const read = (given: number | null | undefined, kept: bigint | null): bigint | null =>
      given === undefined ? kept : given === null ? null : BigInt(given)
    return {
      currency: was.currency,
      max_payout: read(change?.max_payout, was.max_payout),
      max_daily: read(change?.max_daily, was.max_daily),
    }
  })
  const [was, is] = [before, after].map((all) =>
    Object.fromEntries(all.map(({ currency, ...ceiling }) => [currency, ceiling])),
  ) as [object, object]
  await recordOperatorChange(live, {
    ...{ action: 'business.limits_changed', subject: businessId },
    ...{ before: { ...was }, after: { ...is } },
  })
  const written: LimitRow[][] = []
  for (const own of [live, test])
    written.push(
      await own.rows(statements.upsertCeilings, [
        after.map(({ currency }) => currency),
        after.map(({ max_payout }) => max_payout),
        after.map(({ max_daily }) => max_daily),
        BigInt(defaultApprovalHours * 3_600_000),
        work.scope.now,
      ]),
    )
  return recordOf(live, written[0] as LimitRow[])
}

/** A reading of the operator's as one of a business, in live mode. */
const viewOf = (view: View, businessId: Id): View => {
  const scope = { ...view.scope, businessId, livemode: true }
  return { ...view, ...readingOf(view.reader, scope), scope }
}

const ceilingsOf = (rows: LimitRow[]) =>
  walletCurrencies.map((currency) => {
    const row = rows.find((one) => one.currency === currency)
    return { currency, max_payout: row?.max_payout ?? null, max_daily: row?.max_day ?? null }
  })

async function recordOf(view: View, rows: LimitRow[]): Promise<OperatorLimits> {
  const currencies: OperatorLimits['currencies'] = []
  for (const { currency, ...ceiling } of ceilingsOf(rows)) {
    const row = rows.find((one) => one.currency === currency)
    const { starts_at, amount } = await maxDayIn(view, currency, row)
    const counted = ceiling.max_daily !== null && starts_at !== null
    currencies.push({
      ...{ currency, ...ceiling, sent_today: counted ? amount : null, day_ends_at: counted ? endOf(starts_at) : null },
    })
  }
  return { id: view.scope.businessId, currencies }
}

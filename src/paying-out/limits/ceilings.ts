/**
 * The operator's limits on a business's payouts, per mode and wallet: reads them, and changes them
 * with the wallets locked. They are stored in the rows of the business's own limits.
 */
import { recordOperatorChange } from '../../books/audit/audit.ts'
import { findOperated } from '../../books/businesses/businesses.ts'
import { openBooks } from '../../books/ledger/ledger.ts'
import { walletAccounts } from '../../books/wallets/wallets.ts'
import { inside, readingOf, type View, type Work } from '../../core/inside.ts'
import { holdTestData } from '../../core/test-data.ts'
import { later } from '../../lib/clock.ts'
import type { Id } from '../../lib/ids.ts'
import { walletCurrencies } from '../../lib/money.ts'
import type { Static } from '../../lib/schema.ts'
import { operatorList, operatorNames } from './names.ts'
import { defaultApprovalHours, type OperatorLimitsIn, type OperatorLimitsRecord } from './schema.ts'
import { beginDestinations, changedBy, columnsBy, utcDayOf } from './settings.ts'
import type { LimitRow } from './sql.ts'
import * as statements from './sql.ts'
import { ceilingsOf } from './stored.ts'

export type OperatorLimits = Static<typeof OperatorLimitsRecord>

/**
 * Returns the operator's limits of a business, and its live payouts of today.
 * @throws {Refusal} `not_found`
 */
export async function getCeilings(view: View, id: string): Promise<OperatorLimits> {
  const own = viewOf(view, (await findOperated(view.reader, id)).id)
  return recordOf(own, await own.rows(statements.selectLimits))
}

/**
 * Changes the operator's limits of a business in both modes, from now on. Payouts already created
 * are not affected.
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
  const before = {
    live: await live.rows(statements.selectLimits),
    test: await test.rows(statements.selectLimits),
  }
  const was = walletCurrencies.map((currency) => {
    const row = before.live.find((one) => one.currency === currency)
    return { currency, limits: ceilingsOf(row) }
  })
  const is = was.map(({ currency, limits }) => {
    const change = changes.findLast((one) => one.currency === currency)
    return { currency, limits: change ? changedBy(operatorList, limits, change) : limits }
  })
  const byCurrency = (all: typeof was) =>
    Object.fromEntries(all.map(({ currency, limits }) => [currency, limits]))
  await recordOperatorChange(live, {
    action: 'business.limits_changed',
    subject: businessId,
    before: byCurrency(was),
    after: byCurrency(is),
  })
  const changed = is.map(({ currency, limits }) => ({
    currency,
    ...columnsBy(operatorNames, limits),
  }))
  const write = (own: Work): Promise<LimitRow[]> =>
    own.rows(statements.upsertCeilings, [
      BigInt(defaultApprovalHours * 3_600_000),
      work.scope.now,
      ...statements.arraysOfOperator(changed),
    ])
  const written = { live: await write(live), test: await write(test) }
  const offset = await work.tx.row(statements.testOffset, [businessId])
  await beginDestinations(live, before.live, written.live, work.scope.now)
  await beginDestinations(
    test,
    before.test,
    written.test,
    later(work.scope.now, Number(offset?.offset_ms ?? 0n)),
  )
  return recordOf(live, written.live)
}

/** The operator's view as the business's, in live mode. */
const viewOf = (view: View, businessId: Id): View => {
  const scope = { ...view.scope, businessId, livemode: true }
  return { ...view, ...readingOf(view.reader, scope), scope }
}

async function recordOf(view: View, rows: LimitRow[]): Promise<OperatorLimits> {
  const currencies: OperatorLimits['currencies'] = []
  for (const currency of walletCurrencies) {
    const row = rows.find((one) => one.currency === currency)
    const {
      paid_out_today: sent_today,
      payouts_today,
      utc_day_ends_at: day_ends_at,
    } = await utcDayOf(view, currency, row)
    currencies.push({ currency, ...ceilingsOf(row), sent_today, payouts_today, day_ends_at })
  }
  return { id: view.scope.businessId, currencies }
}

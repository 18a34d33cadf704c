/** The outcome report of a period's payouts. `GET /payouts/export` lists the payouts themselves. */
import { periodOf } from '../../books/statements/statements.ts'
import type { Ctx } from '../../core/outside.ts'
import { idBound } from '../../lib/ids.ts'
import { walletCurrencies } from '../../lib/money.ts'
import type { Static } from '../../lib/schema.ts'
import type { ReportQuery, ReportRecord } from './schema.ts'
import { type OutcomeRow, selectOutcomes } from './sql.ts'

/** Returns the payouts created in a period, by wallet, status, reason and method. */
export function getReport(
  ctx: Ctx,
  query: Static<typeof ReportQuery>,
): Promise<Static<typeof ReportRecord>> {
  return ctx.snapshot(async (view) => {
    const period = await periodOf(view, query)
    const rows = await view.rows(selectOutcomes, [idBound(period.from), idBound(period.to)])
    const totals = walletCurrencies.map((currency) => {
      const own = rows.filter((row) => row.currency === currency)
      const sum = (name: 'count' | 'amount' | 'fee' | 'net_amount'): bigint =>
        own.reduce((total, row: OutcomeRow) => total + row[name], 0n)
      return {
        currency,
        count: Number(sum('count')),
        amount: sum('amount'),
        fee: sum('fee'),
        net_amount: sum('net_amount'),
      }
    })
    return { ...period, totals, lines: rows.map((row) => ({ ...row, count: Number(row.count) })) }
  })
}

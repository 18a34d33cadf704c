/** The figures of periods, from the ledger: money received by method, payouts and fees. */
import type { Ctx } from '../../core/outside.ts'
import { type WalletCurrency, walletCurrencies } from '../../lib/money.ts'
import { timeZoneOf } from '../profiles/profiles.ts'
import { typeOf } from './kinds.ts'
import { movedIn } from './moved.ts'
import { isFee, isIncome, signed } from './reports.ts'
import type { MovedRow } from './sql.ts'

/** A sum in minor units, and how many movements it is of. */
export type Sum = { amount: bigint; count: bigint }
export type Figures = {
  currency: WalletCurrency
  /** What payers paid, before fees: `gross` of the settlement report. */
  volume: Sum
  byMethod: ReadonlyMap<string, Sum>
  /** Payouts that left, without their fees: `out` of the statement. */
  payouts: Sum
  /** All fees: those of the fees report. */
  fees: bigint
}

/** A period with an exclusive end. */
export type Span = { from: Date; to: Date }

/**
 * Returns the figures of each period by wallet, all at one moment. The cost depends on the length
 * of the periods, not on the number of movements.
 */
export function getFigures(ctx: Ctx, spans: readonly Span[]): Promise<Figures[][]> {
  return ctx.snapshot(async (view) => {
    const timeZone = await timeZoneOf(view)
    const found: Figures[][] = []
    for (const span of spans) {
      const rows = await movedIn(view, { ...span, timeZone }, 'all')
      found.push(walletCurrencies.map((currency) => figuresOf(rows, currency)))
    }
    return found
  })
}

function figuresOf(all: MovedRow[], currency: WalletCurrency): Figures {
  const rows = all.filter((row) => row.currency === currency)
  const income = signed(rows, 'held', isIncome).filter((row) => !isFee(row))
  const sent = rows.filter(
    ({ kind, held, charged }) => typeOf[kind] === 'payout' && held === -1 && charged === 0,
  )
  const methods = [...new Set(income.map(({ method }) => method))].sort()
  return {
    currency,
    volume: sumOf(income),
    byMethod: new Map(
      methods.map((method) => [method, sumOf(income.filter((row) => row.method === method))]),
    ),
    payouts: sumOf(sent),
    fees: sumOf(signed(rows, 'charged', () => true)).amount,
  }
}

const sumOf = (rows: readonly Sum[]): Sum => ({
  amount: rows.reduce((sum, { amount }) => sum + amount, 0n),
  count: rows.reduce((sum, { count }) => sum + count, 0n),
})

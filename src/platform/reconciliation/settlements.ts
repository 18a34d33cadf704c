/** Books what an account's provider settled, what the operator topped up, and the opening balance. */
import { operator } from '../../books/ledger/ledger.ts'
import { bookSettlement, isStarted, markSettled } from '../../books/receipts/receipts.ts'
import type { App } from '../../core/app.ts'
import { outside, scopeOf } from '../../core/outside.ts'
import type { WalletCurrency } from '../../lib/money.ts'
import type { ProviderStatement } from '../../rails/ports/statement.ts'
import type { ReconciledAccount } from './report.ts'

/** Returns the operator's context in a mode. */
export const operatorOf = async (app: App, livemode: boolean) =>
  outside(app, await scopeOf(app, operator, livemode))

/**
 * Books settlements and top-ups, and records which payments are settled. `before`: whether anything
 * was booked before.
 */
export async function bookSettled(
  app: App,
  { livemode, rail }: ReconciledAccount,
  said: ProviderStatement,
  from: Date,
) {
  const before = await isStarted(app.db, { livemode, rail })
  const ctx = await operatorOf(app, livemode)
  const { currency } = said
  let [settlements, topUps] = [0, 0]
  for (const { providerId, amount, to, at, payments } of said.settlements)
    await ctx.write(async (work) => {
      await markSettled(work, { rail, settlement: providerId, at, payments })
      if (to === 'balance' || at < from) return
      if (
        await bookSettlement(work, { rail, kind: 'settlement', providerId, currency, amount, at })
      )
        settlements++
    })
  for (const { providerId, amount, at } of said.topUps.filter((one) => one.at >= from))
    await ctx.write(async (work) => {
      if (await bookSettlement(work, { rail, kind: 'top_up', providerId, currency, amount, at }))
        topUps++
    })
  return { before, settlements, topUps }
}

/** Books what the provider owed before the books began, once for each account. */
export async function bookOpening(
  app: App,
  { livemode, rail }: ReconciledAccount,
  currency: WalletCurrency,
  amount: bigint,
): Promise<boolean> {
  const ctx = await operatorOf(app, livemode)
  return ctx.write((work) =>
    bookSettlement(work, {
      rail,
      kind: 'top_up',
      providerId: 'opening',
      currency,
      amount,
      at: work.scope.now,
    }),
  )
}

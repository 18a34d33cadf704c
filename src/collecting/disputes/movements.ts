/**
 * Books a provider's withdrawals and reinstatements for disputes, once each, from the account's
 * statement. No wallet moves.
 */
import { type AccountKey, lockAccounts, type Posting, post } from '../../books/ledger/ledger.ts'
import type { App } from '../../core/app.ts'
import { outside, scopeOf } from '../../core/outside.ts'
import type { AccountChange } from '../../platform/reconciliation/reconciliation.ts'
import { type DisputeRow, insertMovement, selectKnown } from './sql.ts'

/**
 * The account of open and lost disputes that no merchant has covered. Its balance is below zero.
 */
export const disputeAccount = ({
  rail,
  currency,
}: Pick<DisputeRow, 'rail' | 'currency'>): AccountKey => ({
  purpose: 'disputes',
  currency,
  subject: rail,
})

/**
 * Books a change of a provider's account once, if a known dispute caused it.
 * @returns whether it is booked
 */
export async function bookDisputeMovement(app: App, change: AccountChange): Promise<boolean> {
  const { livemode, rail, currency, providerId, of, amount, at } = change
  if (of === null || amount === 0n) return false
  const known = await app.db.row(selectKnown, [livemode, rail, of])
  if (known === null || known.currency !== currency) return false
  const { id, business_id: business } = known
  const ctx = outside(app, await scopeOf(app, business, livemode))
  await ctx.write(async (work) => {
    const row = [rail, providerId, id, currency, amount, at, work.scope.now]
    if ((await work.row(insertMovement, row)) === null) return
    const [cost, clearing] = [
      disputeAccount(known),
      { purpose: 'rail_clearing', currency, subject: rail } as const,
    ]
    const moved = { subject: id, transaction: id }
    const posting: Posting =
      amount < 0n
        ? { debit: cost, credit: clearing, amount: -amount, kind: 'dispute_withdrawn', ...moved }
        : { debit: clearing, credit: cost, amount, kind: 'dispute_reinstated', ...moved }
    await lockAccounts(work, [cost, clearing])
    await post(work, [posting])
  })
  return true
}

/**
 * The one way a payout changes its state: the table allows it, the ledger moves, the transaction follows, the event tells.
 */

import { outgoing } from '../../books/ledger/crossing.ts'
import { type Posting, post } from '../../books/ledger/ledger.ts'
import { endTransaction } from '../../books/transactions/transactions.ts'
import { release } from '../../books/wallets/wallets.ts'
import type { Ctx } from '../../core/context.ts'
import { nextState } from '../../lib/states.ts'
import { type EventType, emit } from '../../platform/events/events.ts'
import type { FailureReason } from '../../rails/rail.ts'
import { toPayout } from './record.ts'
import { type PayoutRow, updateState } from './sql.ts'
import { type PayoutStatus, type PayoutTrigger, payoutStates } from './states.ts'

type Effect = {
  event: EventType
  transaction: 'completed' | 'failed' | 'reversed'
  postings(payout: PayoutRow): Posting[]
}

const effects: Partial<Record<PayoutStatus, Effect>> = {
  completed: { event: 'payout.completed', transaction: 'completed', postings: send },
  failed: { event: 'payout.failed', transaction: 'failed', postings: giveBack },
  canceled: { event: 'payout.canceled', transaction: 'reversed', postings: giveBack },
}

export type Patch = { failureReason?: FailureReason; providerReference?: string | null; txHash?: string | null }

/**
 * Applies a trigger to a payout whose row the caller has locked, in the caller's transaction.
 * @throws {Error} when the table does not allow it; callers ask the status first and refuse in their own words
 */
export async function transition(
  ctx: Ctx,
  payout: PayoutRow,
  trigger: PayoutTrigger,
  patch: Patch = {},
): Promise<PayoutRow> {
  const { scope, tx } = ctx
  if (!tx) throw new Error('a transition needs a transaction')
  const status = nextState(payoutStates, payout.status, trigger)
  if (status === null) throw new Error(`payout ${payout.id} is ${payout.status} and takes no '${trigger}'`)
  const updated = await tx.row(updateState, [
    scope.businessId,
    scope.livemode,
    payout.id,
    status,
    patch.failureReason ?? null,
    patch.providerReference ?? null,
    patch.txHash ?? null,
    scope.now,
  ])
  if (!updated) throw new Error(`payout ${payout.id} has vanished`)
  const effect = effects[status]
  if (effect) {
    await post(tx, scope, effect.postings(payout))
    await endTransaction(ctx, payout.transaction_id, effect.transaction)
    await emit(tx, ctx, effect.event, toPayout(updated))
    if (effect.transaction !== 'completed')
      for (const listener of ctx.listeners.payouts) await listener.returned?.(ctx, updated)
  }
  return updated
}

/** Gives the whole amount back. */
function giveBack({ id: subject, transaction_id: transaction, amount, currency }: PayoutRow): Posting[] {
  return [release({ amount, currency, kind: 'payout_release', subject, transaction })]
}

/** The net goes to the rail, across the exchange position when the currency changes; each part of the fee is ours. */
function send(payout: PayoutRow): Posting[] {
  const { id: subject, transaction_id: transaction, currency, rail } = payout
  const pending = { purpose: 'wallet_pending', currency } as const
  const postings = outgoing({
    rail,
    outside: { amount: payout.destination_amount, currency: payout.destination_currency },
    inside: { amount: payout.amount - payout.fee, currency },
    account: pending,
    kind: 'payout_sent',
    exchange: 'payout_exchange',
    subject,
    transaction,
  })
  for (const part of payout.fee_breakdown)
    if (part.amount > 0)
      postings.push({
        debit: pending,
        credit: { purpose: 'fees', currency },
        amount: BigInt(part.amount),
        kind: 'payout_fee',
        subject,
        transaction,
      })
  return postings
}

/**
 * The one way a payout changes its state: the table allows it, the ledger moves, the transaction follows, the event is emitted.
 */

import { outgoing } from '../../books/ledger/exchange.ts'
import { type Posting, post } from '../../books/ledger/ledger.ts'
import { endTransaction } from '../../books/transactions/transactions.ts'
import { release } from '../../books/wallets/wallets.ts'
import { update, type Work } from '../../core/inside.ts'
import type { Id } from '../../lib/ids.ts'
import { nextState } from '../../lib/states.ts'
import { emit } from '../../platform/events/events.ts'
import { payoutEvents } from './events.ts'
import { toPayout } from './record.ts'
import { type PayoutRow, payouts } from './sql.ts'
import { type PayoutStatus, type PayoutTrigger, payoutStates } from './states.ts'

type Effect = {
  event: keyof typeof payoutEvents
  transaction: 'completed' | 'failed' | 'reversed'
  postings(payout: PayoutRow): Posting[]
}

const effects: Partial<Record<PayoutStatus, Effect>> = {
  completed: { event: 'payout.completed', transaction: 'completed', postings: sentPostings },
  failed: { event: 'payout.failed', transaction: 'failed', postings: releasePostings },
  canceled: { event: 'payout.canceled', transaction: 'reversed', postings: releasePostings },
}

/** What a payout that comes back does to the room that made it, in the transaction of the change. */
export type PayoutFollower = {
  /** It failed or was canceled, and its amount is back in the wallet. */
  returned(work: Work, payout: { id: Id }): Promise<void>
}

declare module '../../core/app.ts' {
  interface Strategies {
    payouts: PayoutFollower
  }
}

/**
 * Applies a trigger to a payout whose row the caller has locked.
 * @param learned what is known of it since
 * @throws {Error} when the table does not allow it; callers ask the status first and refuse in their own words
 */
export async function transition(
  work: Work,
  payout: PayoutRow,
  trigger: PayoutTrigger,
  learned: Partial<Pick<PayoutRow, 'failure_reason' | 'provider_reference' | 'tx_hash'>> = {},
): Promise<PayoutRow> {
  const status = nextState(payoutStates, payout.status, trigger)
  if (status === null) throw new Error(`payout ${payout.id} is ${payout.status} and takes no '${trigger}'`)
  const submissions = payout.submissions + (trigger === 'submit' ? 1 : 0)
  const updated = await update(work, payouts, payout.id, {
    ...learned,
    status,
    submissions,
    updated_at: work.scope.now,
  })
  const effect = effects[status]
  if (effect) {
    await post(work, effect.postings(payout))
    await endTransaction(work, payout.transaction_id, effect.transaction)
    await emit(work, payoutEvents, effect.event, toPayout(updated))
    if (effect.transaction !== 'completed') await work.strategies.payouts.returned(work, updated)
  }
  return updated
}

/** The whole amount goes back to the wallet. */
function releasePostings({ id: subject, transaction_id: transaction, amount, currency }: PayoutRow): Posting[] {
  return [release({ amount, currency, kind: 'payout_release', subject, transaction })]
}

/** The net goes to the rail, across the exchange position when the currency changes; each part of the fee is ours. */
function sentPostings(payout: PayoutRow): Posting[] {
  const { id: subject, transaction_id: transaction, currency, rail } = payout
  const pending = { purpose: 'wallet_pending', currency } as const
  const postings = outgoing({
    rail,
    railAmount: { amount: payout.destination_amount, currency: payout.destination_currency },
    ledgerAmount: { amount: payout.amount - payout.fee, currency },
    account: pending,
    kind: 'payout_sent',
    exchange: 'payout_exchange',
    subject,
    transaction,
  })
  for (const part of payout.fee_breakdown)
    if (BigInt(part.amount) > 0n)
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

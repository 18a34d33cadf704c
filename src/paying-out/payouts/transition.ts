/**
 * The one way a payout changes its state: the table allows it, the ledger moves, the transaction follows, the event is emitted.
 */

import { outgoing, returning } from '../../books/ledger/exchange.ts'
import { type Posting, post } from '../../books/ledger/ledger.ts'
import { type ReceiptKind, requireReceipt } from '../../books/receipts/receipts.ts'
import { endTransaction, recordTransaction } from '../../books/transactions/transactions.ts'
import { credit, release } from '../../books/wallets/wallets.ts'
import { update, type Work } from '../../core/inside.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { showMoney } from '../../lib/money.ts'
import { nextState } from '../../lib/states.ts'
import { emit } from '../../platform/events/events.ts'
import { unschedule } from '../../platform/jobs/timers.ts'
import { addNotices, type NewNotice } from '../../platform/notices/notices.ts'
import { endReview } from '../../platform/screening/screening.ts'
import { giveBack } from '../limits/limits.ts'
import { decided } from './approval.ts'
import { payoutEvents } from './events.ts'
import { expireApprovalTask, toPayout } from './record.ts'
import { type PayoutRow, payouts } from './sql.ts'
import { type PayoutStatus, type PayoutTrigger, payoutStates } from './states.ts'

type Effect = {
  event: keyof typeof payoutEvents
  /** @param fee what the provider keeps for it, where that is known */
  book(work: Work, payout: PayoutRow, fee: bigint | null): Promise<void>
  /** What the wallet has again by it, in minor units. */
  back(payout: PayoutRow): bigint
}

const effects: Partial<Record<PayoutStatus, Effect>> = {
  completed: { event: 'payout.completed', book: bookSent, back: () => 0n },
  failed: { event: 'payout.failed', book: ending('failed', releasePostings), back: ({ amount }) => amount },
  canceled: { event: 'payout.canceled', book: ending('reversed', releasePostings), back: ({ amount }) => amount },
  returned: { event: 'payout.returned', book: bookReturn, back: netOf },
}

/** What of a payout is learned on its way. */
type Learned =
  | 'failure_reason'
  | 'provider_reference'
  | 'tx_hash'
  | 'sent_at'
  | 'rail'
  | 'approval'
  | 'approval_details'
  | 'review'

/** What a payout that comes back does to the room that made it, in the transaction of the change. */
export type PayoutFollower = {
  /**
   * It failed, was canceled or was returned.
   * @param amount what is back in the wallet by it, in minor units: all of it, or, of one that was returned, what had arrived
   */
  cameBack(work: Work, payout: { id: Id }, amount: bigint): Promise<void>
}

declare module '../../core/app.ts' {
  interface Strategies {
    payouts: PayoutFollower
  }
}

/**
 * Applies a trigger to a payout whose row the caller has locked.
 * @param learned what is known of it since
 * @param fee what the provider keeps for it, in minor units of what it sent
 * @throws {BookedBefore} when another payout has booked what the provider says that it moved
 * @throws {Error} when the table does not allow it; callers ask the status first and refuse in their own words
 * @throws {Refusal} `amount_too_large` when what comes back would be more than the wallet can hold
 */
export async function transition(
  work: Work,
  payout: PayoutRow,
  trigger: PayoutTrigger,
  learned: Partial<Pick<PayoutRow, Learned>> = {},
  fee: bigint | null = null,
): Promise<PayoutRow> {
  const status = nextState(payoutStates, payout.status, trigger)
  if (status === null) throw new Error(`payout ${payout.id} is ${payout.status} and takes no '${trigger}'`)
  const submissions = payout.submissions + (trigger === 'submit' ? 1 : 0)
  // One that is submitted while it waits is one that was approved, or released, elsewhere: the database refuses any other.
  const waited = payout.approval === 'waiting'
  const held = payout.review !== null
  const updated = await update(work, payouts, payout.id, {
    ...learned,
    ...(waited && status === 'canceled' ? decided(payout, work.scope, 'refused') : {}),
    ...(held && status === 'canceled' ? { review: null } : {}),
    status,
    submissions,
    ...(status === 'returned' ? { return_transaction_id: newId(work.scope.now) } : {}),
    updated_at: work.scope.now,
  })
  if (waited) await unschedule(work.tx, work.scope.businessId, expireApprovalTask, [payout.id])
  if (held) await endReview(work, payout.id, 'ended')
  const effect = effects[status]
  if (effect) {
    await effect.book(work, updated, fee)
    await emit(work, payoutEvents, effect.event, toPayout(updated))
    if (status === 'failed' || status === 'returned') await addNotices(work.tx, [noticeOf(work, updated)])
    if (status === 'failed' || status === 'canceled') await giveBack(work, updated, updated.approval !== 'none')
    const back = effect.back(updated)
    if (back > 0n) await work.strategies.payouts.cameBack(work, updated, back)
  }
  return updated
}

/** What the team is told of one that did not arrive. */
function noticeOf({ scope }: Work, { reference, amount, currency, status, failure_reason }: PayoutRow): NewNotice {
  const why = failure_reason === null ? status : `${status} (${failure_reason})`
  return { scope, kind: 'payout_failed', line: `${reference}: ${showMoney(amount, currency)}, ${why}` }
}

/** The books of a payout's end: its postings, and its transaction's end. */
function ending(transaction: 'completed' | 'failed' | 'reversed', postings: (payout: PayoutRow) => Posting[]) {
  return async (work: Work, payout: PayoutRow): Promise<void> => {
    await post(work, postings(payout))
    await endTransaction(work, payout.transaction_id, transaction)
  }
}

/** It has arrived: the provider's receipt, and the end of what was held for it. */
async function bookSent(work: Work, payout: PayoutRow, fee: bigint | null): Promise<void> {
  await recordMovement(work, payout, { kind: 'payout', transaction: payout.transaction_id, fee })
  await ending('completed', sentPostings)(work, payout)
}

type Movement = { kind: ReceiptKind; transaction: Id; fee: bigint | null }

/** What moved at the provider, which knows it by its own reference. */
async function recordMovement(work: Work, payout: PayoutRow, movement: Movement): Promise<void> {
  const { rail, id: subject, destination_amount: amount, destination_currency: currency } = payout
  const providerId = payout.provider_reference ?? subject
  const receipt = { ...movement, rail, providerId, subject, amount, currency, availableAt: null }
  await requireReceipt(work, receipt)
}

/** What had arrived comes into the wallet by a transaction of its own, at the rate at which it left; the fee stays paid. */
async function bookReturn(work: Work, payout: PayoutRow, fee: bigint | null): Promise<void> {
  const { id, currency, method, reference, metadata } = payout
  const transaction = payout.return_transaction_id as Id
  await recordMovement(work, payout, { kind: 'payout_return', transaction, fee })
  const balanceAfter = await credit(work, currency, returnPostings(payout, transaction))
  await recordTransaction(work, {
    id: transaction,
    type: 'payout_return',
    method,
    direction: 'credit',
    status: 'completed',
    currency,
    amount: netOf(payout),
    fee: 0n,
    balanceAfter,
    reference,
    related: { payout: id },
    metadata,
  })
}

/** What arrives of a payout, and comes back when it is returned. */
export function netOf({ amount, fee }: PayoutRow): bigint {
  return amount - fee
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
    ledgerAmount: { amount: netOf(payout), currency },
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

/** The net comes from the rail, back the way it went. */
function returnPostings(payout: PayoutRow, transaction: Id): Posting[] {
  const { id: subject, currency, rail } = payout
  return returning({
    rail,
    railAmount: { amount: payout.destination_amount, currency: payout.destination_currency },
    ledgerAmount: { amount: netOf(payout), currency },
    account: { purpose: 'wallet_available', currency },
    kind: 'payout_return',
    exchange: 'payout_return_exchange',
    subject,
    transaction,
  })
}

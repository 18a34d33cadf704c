/** Ends refunds: the only way to change a refund's status, with postings, transaction and event. */
import { outgoing, returning } from '../../books/ledger/exchange.ts'
import { type Posting, post } from '../../books/ledger/ledger.ts'
import { type Receipt, requireReceipt } from '../../books/receipts/receipts.ts'
import { endTransaction, recordTransaction } from '../../books/transactions/transactions.ts'
import { credit, release } from '../../books/wallets/wallets.ts'
import { update, type Work } from '../../core/inside.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { nextState } from '../../lib/states.ts'
import type { PayoutOfRefundFollower } from '../../paying-out/payouts/payouts.ts'
import { emit } from '../../platform/events/events.ts'
import { endReview } from '../../platform/screening/screening.ts'
import type { PaymentRow } from '../payments/payments.ts'
import * as payments from '../payments/payments.ts'
import { refundEvents } from './events.ts'
import { toRefund } from './record.ts'
import { lockRefund, type RefundRow, refunds, selectRefund } from './sql.ts'
import { type RefundStatus, type RefundTrigger, refundStates } from './states.ts'

/** Columns that change when a refund ends. */
type RefundColumns = Partial<
  Pick<
    RefundRow,
    'failure_reason' | 'provider_reference' | 'tx_hash' | 'waits' | 'return_transaction_id'
  >
>

/**
 * Ends a refund, or returns a completed one. The caller has locked its payment, then its row.
 * @property fee the provider's fee, in minor units of the amount that it sent; null when unknown
 * @throws {Error} when the state table does not allow it; callers check first
 * @throws {BookedBefore} when another refund has booked the same movement at the provider
 * @throws {Refusal} `amount_too_large` when the wallet cannot hold a return
 */
export async function transition(
  work: Work,
  payment: PaymentRow,
  row: RefundRow,
  {
    trigger,
    columns,
    fee = null,
  }: { trigger: RefundTrigger; columns: RefundColumns; fee?: bigint | null },
): Promise<RefundRow> {
  const to = nextState<RefundStatus, RefundTrigger>(refundStates, row.status, trigger)
  if (to === null) throw new Error(`refund ${row.id} is ${row.status} and takes no '${trigger}'`)
  const cameBack = trigger === 'return'
  const ended = await update(work, refunds, row.id, {
    ...(cameBack ? { return_transaction_id: newId(work.scope.now) } : {}),
    ...columns,
    status: to,
    review: null,
    updated_at: work.scope.now,
  })
  if (row.review !== null) await endReview(work, row.id, 'ended')
  const { amount } = row
  await payments.recordRefund(
    work,
    payment,
    cameBack
      ? { refunding: 0n, refunded: -amount }
      : { refunding: -amount, refunded: to === 'completed' ? amount : 0n },
  )
  if (row.payout_id === null) await book(work, payment, ended, fee)
  if (payment.invoice_id !== null)
    for (const follower of work.strategies.refunds)
      await (to === 'failed' ? follower.failed(work, row) : follower.completed?.(work, row))
  if (to === 'completed') await payments.mailRefundReceipt(work, payment, ended)
  await emit(
    work,
    refundEvents,
    to === 'failed' ? 'refund.failed' : 'refund.completed',
    toRefund(ended),
    ended.customer_id,
  )
  return ended
}

/** Posts the end of a refund that no payout pays, and ends its transaction. */
async function book(
  work: Work,
  payment: PaymentRow,
  ended: RefundRow,
  fee: bigint | null,
): Promise<void> {
  const cameBack = ended.return_transaction_id !== null
  const completed = ended.status === 'completed'
  if (completed || cameBack) await recordMovement(work, ended, fee)
  if (cameBack) return bookReturn(work, ended, payment.customer_id)
  await post(work, completed ? sentPostings(ended) : releasePostings(ended))
  await endTransaction(work, ended.transaction_id, completed ? 'completed' : 'failed')
}

/** Ends a refund that a payout pays, together with the payout. */
export const refundsByPayouts: PayoutOfRefundFollower = {
  async changing(changing) {
    const toLock: { work: Work; payment: Id }[] = []
    for (const { work, refund } of changing) {
      const { payment_id: payment } = (await work.row(selectRefund, [refund])) as RefundRow
      toLock.push({ work, payment })
    }
    // In id order across businesses, to avoid deadlocks.
    toLock.sort((a, b) => (a.payment < b.payment ? -1 : 1))
    for (const { work, payment } of toLock) await payments.lock(work, payment)
  },
  async ended(
    work,
    id,
    { status, failure_reason, provider_reference, tx_hash, return_transaction },
  ) {
    const row = (await work.row(lockRefund, [id])) as RefundRow
    const payment = await payments.lock(work, row.payment_id)
    const trigger = status === 'completed' ? 'complete' : status === 'returned' ? 'return' : 'fail'
    const columns: RefundColumns = {
      provider_reference,
      tx_hash,
      return_transaction_id: return_transaction,
      failure_reason: status === 'canceled' ? 'canceled' : failure_reason,
    }
    await transition(work, payment, row, { trigger, columns })
  },
}

/** Records the movement at the provider. It books a refund to an account as a payout. */
async function recordMovement(work: Work, refund: RefundRow, fee: bigint | null): Promise<void> {
  const { id: subject, rail, return_transaction_id: returned, destination } = refund
  const movement: 'refund' | 'payout' = 'charge' in destination ? 'refund' : 'payout'
  const receipt: Receipt = {
    rail,
    subject,
    availableAt: null,
    amount: refund.destination_amount,
    currency: refund.destination_currency,
    kind: returned === null ? movement : `${movement}_return`,
    providerId: refund.provider_reference ?? subject,
    transaction: returned ?? refund.transaction_id,
    fee,
  }
  await requireReceipt(work, receipt)
}

/**
 * Books a returned refund into the wallet, with a transaction of its own.
 * @throws {Refusal} `amount_too_large` when the wallet cannot hold it
 */
async function bookReturn(work: Work, refund: RefundRow, customer: Id | null): Promise<void> {
  const { id, amount, currency, method, reference, metadata } = refund
  const transaction = refund.return_transaction_id as Id
  const moved = { ...movement(refund), account: available(currency), transaction }
  const postings = returning({
    ...moved,
    kind: 'refund_return',
    exchange: 'refund_return_exchange',
  })
  await recordTransaction(work, {
    id: transaction,
    type: 'refund',
    method,
    direction: 'credit',
    status: 'completed',
    currency,
    amount,
    fee: 0n,
    balanceAfter: await credit(work, currency, postings),
    reference,
    customer,
    related: { refund: id, payment: refund.payment_id },
    metadata,
  })
}

function releasePostings({
  id: subject,
  transaction_id: transaction,
  amount,
  currency,
}: RefundRow): Posting[] {
  return [release({ amount, currency, kind: 'refund_release', subject, transaction })]
}

function sentPostings(refund: RefundRow): Posting[] {
  const account = { purpose: 'wallet_pending', currency: refund.currency } as const
  const moved = { ...movement(refund), account, transaction: refund.transaction_id }
  return outgoing({ ...moved, kind: 'refund_sent', exchange: 'refund_exchange' })
}

const available = (currency: RefundRow['currency']) =>
  ({ purpose: 'wallet_available', currency }) as const

const movement = ({
  id: subject,
  rail,
  amount,
  currency,
  destination_amount,
  destination_currency,
}: RefundRow) => ({
  rail,
  railAmount: { amount: destination_amount, currency: destination_currency },
  ledgerAmount: { amount, currency },
  subject,
})

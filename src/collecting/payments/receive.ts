/**
 * Books money that a payment receives. All of it is booked. The amount due and `on_mismatch` decide
 * how much counts and how much goes back.
 */

import { incoming } from '../../books/ledger/exchange.ts'
import {
  recordTransaction,
  type Source,
  type Transaction,
} from '../../books/transactions/transactions.ts'
import { credit } from '../../books/wallets/wallets.ts'
import type { View, Work } from '../../core/inside.ts'
import type { Pricing } from '../../core/pricing.ts'
import type { Id } from '../../lib/ids.ts'
import type { Money } from '../../lib/money.ts'
import { originOf } from './origins.ts'
import { mailReceipt } from './receipts.ts'
import { lock, save, transition } from './record.ts'
import type { PaymentMethod } from './schema.ts'
import type { PaymentChanges, PaymentRow } from './sql.ts'

export type Receipt = {
  /** Id for the new transaction. */
  transaction: Id
  method: PaymentMethod
  /** In the payment's currency, minor units. */
  amount: bigint
  rail: string
  /** What the rail received, where that is another currency. */
  railAmount?: Money
  source: Source | null
  related: Record<string, string>
  /** The transaction exists already, as pending, since the money was first seen. */
  seen?: boolean
}

/** Returns the prices at the time when the payment was opened: what is due never changes later. */
export function pricingOf(
  { prices, scope }: View,
  { created_at }: Pick<PaymentRow, 'created_at'>,
): Pricing {
  return prices.of(scope.businessId, created_at)
}

/**
 * Returns what a pending payment costs in all by a method, in minor units. With
 * `fee_bearer: customer` it includes the fee, so that the business gets the whole amount. That also
 * holds when parts came by other methods, which cost more.
 */
export function totalDue(view: View, payment: PaymentRow, method: PaymentMethod): bigint {
  if (payment.fee_bearer === 'business') return payment.amount
  const gross = pricingOf(view, payment).grossOf(method, payment.currency, payment.amount)
  const least = payment.amount + payment.fee
  return gross > least ? gross : least
}

/**
 * Returns what is still due by a method, in minor units: 0 once the payment has ended, and never
 * while it is pending.
 */
export function amountDue(view: View, payment: PaymentRow, method: PaymentMethod): bigint {
  return payment.status === 'pending'
    ? totalDue(view, payment, method) - payment.amount_counted
    : 0n
}

/**
 * Whether unconfirmed transfers pay for all that is due: by `method`, or by `crypto`, the method by
 * which they came. Only transfers on a blockchain are seen before they count.
 */
export function isCovered(view: View, payment: PaymentRow, method: PaymentMethod): boolean {
  const confirming = payment.amount_confirming
  return (
    confirming > 0n &&
    (confirming >= amountDue(view, payment, 'crypto') ||
      confirming >= amountDue(view, payment, method))
  )
}

/**
 * Returns what to ask a payer for by a method, in minor units: the amount due, less unconfirmed
 * transfers that pay a part of it.
 */
export function amountToRequest(view: View, payment: PaymentRow, method: PaymentMethod): bigint {
  const due = amountDue(view, payment, method)
  return isCovered(view, payment, method) ? due : due - payment.amount_confirming
}

/**
 * Returns how much of a receipt does not match what is due, in minor units: the excess of too much,
 * or all of too little. Too little matches when unconfirmed transfers pay for the remainder.
 */
function mismatchedAmount(
  view: View,
  payment: PaymentRow,
  { method, amount }: Pick<Receipt, 'method' | 'amount'>,
): bigint {
  const due = amountDue(view, payment, method)
  if (amount >= due) return amount - due
  const counted = payment.amount_counted + amount
  const fee = payment.fee + addedFee(view, payment, method, amount)
  return isCovered(view, { ...payment, amount_counted: counted, fee }, method) ? 0n : amount
}

/**
 * Locks a payment and its origin for a receipt. Callers that lock the ledger themselves before they
 * call `receive` call this first.
 * @throws {Refusal} `not_found`
 */
export async function lockToReceive(work: Work, id: Id): Promise<PaymentRow> {
  const payment = await lock(work, id)
  await lockOrigin(work, payment)
  return payment
}

async function lockOrigin(work: Work, payment: PaymentRow): Promise<void> {
  const origin = originOf(work, payment)
  await origin?.strategy.receiving?.(work, origin.id, payment)
}

/**
 * Books a receipt for a payment that the caller has locked, whatever its amount or time: ledger,
 * transaction, payment, events, and a refund of what is not kept.
 * @returns the transaction
 * @throws {Refusal} `amount_too_large` when the wallet cannot hold it; the rail notifies again
 */
export async function receive(
  work: Work,
  payment: PaymentRow,
  receipt: Receipt,
): Promise<Transaction> {
  await lockOrigin(work, payment)
  const reversed = amountToReverse(work, payment, receipt)
  const kept = receipt.amount - reversed
  const fee = kept === 0n ? 0n : addedFee(work, payment, receipt.method, kept)
  const transaction = await book(work, payment, receipt, fee)
  await countReceipt(work, payment, receipt, { kept, fee })
  if (reversed > 0n)
    await work.strategies.reversals.make(work, payment.id, receipt.transaction, reversed)
  return transaction
}

/** Returns how much of a receipt is sent back, in minor units. */
function amountToReverse(work: Work, payment: PaymentRow, receipt: Receipt): bigint {
  const mismatch = mismatchedAmount(work, payment, receipt)
  if (mismatch === 0n || payment.on_mismatch !== 'reverse') return 0n
  const { method, rail, source } = receipt
  const origin = { method, currency: payment.currency, rail, source }
  return work.strategies.reversals.possible(work, origin, mismatch) ? mismatch : 0n
}

/** Posts a receipt to the ledger, and records its transaction. */
async function book(
  work: Work,
  payment: PaymentRow,
  receipt: Receipt,
  fee: bigint,
): Promise<Transaction> {
  const { currency } = payment
  const { amount } = receipt
  const postings = incoming({
    rail: receipt.rail,
    railAmount: receipt.railAmount ?? { amount, currency },
    ledgerAmount: { amount, currency },
    account: { purpose: 'wallet_available', currency },
    fee,
    subject: payment.id,
    transaction: receipt.transaction,
  })
  return recordTransaction(work, {
    id: receipt.transaction,
    type: 'payment',
    method: receipt.method,
    direction: 'credit',
    status: 'completed',
    currency,
    amount,
    fee,
    // Locks the whole wallet, from which a reversal then holds its amount.
    balanceAfter: await credit(work, currency, postings),
    reference: payment.reference,
    source: receipt.source,
    customer: payment.customer_id,
    late: payment.status !== 'pending',
    seen: receipt.seen ?? false,
    related: { payment: payment.id, ...receipt.related },
    metadata: payment.metadata,
  })
}

/** Counts a receipt toward its payment, and completes the payment when nothing more is due. */
async function countReceipt(
  work: Work,
  payment: PaymentRow,
  { transaction, method, amount }: Receipt,
  { kept, fee }: { kept: bigint; fee: bigint },
): Promise<void> {
  const due = amountDue(work, payment, method)
  const changes: PaymentChanges = {
    amount_received: payment.amount_received + amount,
    amount_counted: payment.amount_counted + kept,
    fee: payment.fee + fee,
    variance: varianceOf(payment, amount, due),
  }
  if (payment.status === 'pending' && amount >= due) {
    const paid = { method, transaction_id: transaction, paid_at: work.scope.now }
    const completed = { ...changes, ...paid, failure_reason: null }
    await mailReceipt(work, await transition(work, payment, 'complete', completed))
    return
  }
  const saved = await save(work, payment, changes)
  const origin = originOf(work, saved)
  if (payment.status === 'completed' && kept > 0n)
    await origin?.strategy.surplus?.(work, origin.id, saved, kept)
}

function varianceOf(payment: PaymentRow, amount: bigint, due: bigint): PaymentRow['variance'] {
  if (payment.status === 'completed') return 'overpaid'
  if (payment.status !== 'pending') return 'late'
  if (amount === due) return 'exact'
  return amount < due ? 'underpaid' : 'overpaid'
}

/**
 * Returns the fee that an amount adds to a payment, in minor units: the fee of all that counts less
 * the fees taken before. A payment in parts costs what it would cost at once.
 */
function addedFee(view: View, payment: PaymentRow, method: PaymentMethod, kept: bigint): bigint {
  const counted = payment.amount_counted + kept
  const whole = pricingOf(view, payment).incomingFee('payment', method, payment.currency, counted)
  const fee = whole - payment.fee
  if (fee <= 0n) return 0n
  return fee < kept ? fee : kept
}

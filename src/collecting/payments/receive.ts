/**
 * Money that came for a payment. Whatever comes is booked; how much of it counts, and what goes
 * back, follows from what was due and from `on_mismatch`.
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
  /** The id that its transaction gets. */
  transaction: Id
  method: PaymentMethod
  /** In the payment's currency, minor units. */
  amount: bigint
  rail: string
  /** What the rail took in, where that is another currency. */
  railAmount?: Money
  source: Source | null
  related: Record<string, string>
  /** Its transaction was written before, as pending, when the money was first seen. */
  seen?: boolean
}

/**
 * The prices of a payment: those of the moment it was opened at, so that what a payer was asked for
 * stays what is due.
 */
export function pricingOf(
  { prices, scope }: View,
  { created_at }: Pick<PaymentRow, 'created_at'>,
): Pricing {
  return prices.of(scope.businessId, created_at)
}

/**
 * What a pending payment costs in all by a method, in minor units. With `fee_bearer: customer` the
 * fee comes on top, so that the business is left with the amount: also when parts that came by
 * other methods have cost more than this one does.
 */
export function wholeOf(view: View, payment: PaymentRow, method: PaymentMethod): bigint {
  if (payment.fee_bearer === 'business') return payment.amount
  const gross = pricingOf(view, payment).grossOf(method, payment.currency, payment.amount)
  const least = payment.amount + payment.fee
  return gross > least ? gross : least
}

/**
 * What is still to be paid by a method, in minor units; 0 when the payment has ended, and never
 * while it is pending.
 */
export function dueOf(view: View, payment: PaymentRow, method: PaymentMethod): bigint {
  return payment.status === 'pending' ? wholeOf(view, payment, method) - payment.amount_counted : 0n
}

/**
 * Whether what is being confirmed pays for all that is due, by the method that would be used for
 * the remainder or by the one that it came by: only transfers on a blockchain are seen before they
 * count.
 */
export function isCovered(view: View, payment: PaymentRow, method: PaymentMethod): boolean {
  const seen = payment.amount_confirming
  return (
    seen > 0n && (seen >= dueOf(view, payment, 'crypto') || seen >= dueOf(view, payment, method))
  )
}

/**
 * What a payer is to be asked for by a method, in minor units: what is due, less what is being
 * confirmed where that is a part of it.
 */
export function askedOf(view: View, payment: PaymentRow, method: PaymentMethod): bigint {
  const due = dueOf(view, payment, method)
  return isCovered(view, payment, method) ? due : due - payment.amount_confirming
}

/**
 * How much of a receipt is not as it was asked for, in minor units: all of it when it is too
 * little, unless what is being confirmed pays for the remainder, or what of it is too much.
 */
function wrongOf(view: View, payment: PaymentRow, { method, amount }: Receipt): bigint {
  const due = dueOf(view, payment, method)
  if (amount >= due) return amount - due
  const counted = payment.amount_counted + amount
  const fee = payment.fee + feeOf(view, payment, method, counted, amount)
  return isCovered(view, { ...payment, amount_counted: counted, fee }, method) ? 0n : amount
}

/**
 * Locks a payment, and what it belongs to, for a receipt: who locks the ledger before `receive`
 * does calls it before that.
 * @throws {Refusal} `not_found`
 */
export async function lockToReceive(work: Work, id: Id): Promise<PaymentRow> {
  const payment = await lock(work, id)
  await receiving(work, payment)
  return payment
}

async function receiving(work: Work, payment: PaymentRow): Promise<void> {
  const origin = originOf(work, payment)
  await origin?.strategy.receiving?.(work, origin.id, payment)
}

/**
 * Books a receipt: the ledger, the transaction, the payment, what goes back and the events. The
 * caller has locked the payment. It never refuses money for its amount or its time.
 * @returns the transaction
 * @throws {Refusal} `amount_too_large` when the wallet would hold more than the API can carry; the
 * rail notifies again later
 */
export async function receive(
  work: Work,
  payment: PaymentRow,
  receipt: Receipt,
): Promise<Transaction> {
  await receiving(work, payment)
  const { reversals } = work.strategies
  const { currency } = payment
  const { method, amount } = receipt
  const open = payment.status === 'pending'
  const due = dueOf(work, payment, method)
  const wrong = wrongOf(work, payment, receipt)
  const reverses =
    wrong > 0n &&
    payment.on_mismatch === 'reverse' &&
    reversals.possible(
      work,
      { method, currency, rail: receipt.rail, source: receipt.source },
      wrong,
    )
  const kept = reverses ? amount - wrong : amount
  const counted = payment.amount_counted + kept
  const fee = kept === 0n ? 0n : feeOf(work, payment, method, counted, kept)

  const id = receipt.transaction
  const postings = incoming({
    rail: receipt.rail,
    railAmount: receipt.railAmount ?? { amount, currency },
    ledgerAmount: { amount, currency },
    account: { purpose: 'wallet_available', currency },
    fee,
    subject: payment.id,
    transaction: id,
  })
  // Locks all of the wallet, which what goes back is held in.
  const balanceAfter = await credit(work, currency, postings)
  const transaction = await recordTransaction(work, {
    id,
    type: 'payment',
    method,
    direction: 'credit',
    status: 'completed',
    currency,
    amount,
    fee,
    balanceAfter,
    reference: payment.reference,
    source: receipt.source,
    customer: payment.customer_id,
    late: !open,
    seen: receipt.seen ?? false,
    related: { payment: payment.id, ...receipt.related },
    metadata: payment.metadata,
  })

  const changes: PaymentChanges = {
    amount_received: payment.amount_received + amount,
    amount_counted: counted,
    fee: payment.fee + fee,
    variance: varianceOf(payment, amount, due),
  }
  if (open && amount >= due) {
    const paid = { method, transaction_id: id, paid_at: work.scope.now, failure_reason: null }
    await mailReceipt(work, await transition(work, payment, 'complete', { ...changes, ...paid }))
  } else {
    const saved = await save(work, payment, changes)
    const origin = originOf(work, saved)
    if (payment.status === 'completed' && kept > 0n)
      await origin?.strategy.surplus?.(work, origin.id, saved, kept)
  }
  if (reverses) await reversals.make(work, payment.id, id, wrong)
  return transaction
}

function varianceOf(payment: PaymentRow, amount: bigint, due: bigint): PaymentRow['variance'] {
  if (payment.status === 'completed') return 'overpaid'
  if (payment.status !== 'pending') return 'late'
  if (amount === due) return 'exact'
  return amount < due ? 'underpaid' : 'overpaid'
}

/**
 * What all that counts costs, less what was taken before: a price paid in parts costs what it costs
 * in one.
 */
function feeOf(
  view: View,
  payment: PaymentRow,
  method: PaymentMethod,
  counted: bigint,
  kept: bigint,
): bigint {
  const whole = pricingOf(view, payment).incomingFee('payment', method, payment.currency, counted)
  const fee = whole - payment.fee
  if (fee <= 0n) return 0n
  return fee < kept ? fee : kept
}

/**
 * Money that came for a payment. Whatever comes is booked; how much of it counts, and what goes back, follows from what was due
 * and from `on_mismatch`.
 */

import { incoming } from '../../books/ledger/crossing.ts'
import { recordTransaction, type Source, type Transaction } from '../../books/transactions/transactions.ts'
import { credit } from '../../books/wallets/wallets.ts'
import type { Ctx } from '../../core/context.ts'
import type { Id } from '../../lib/ids.ts'
import type { Money } from '../../lib/money.ts'
import { lock, save, tell, transition } from './record.ts'
import type { PaymentMethod } from './schema.ts'
import type { PaymentRow } from './sql.ts'

export type Receipt = {
  /** The id that its transaction gets. */
  transaction: Id
  method: PaymentMethod
  /** In the payment's currency, minor units. */
  amount: bigint
  rail: string
  /** What the rail took in, where that is another currency. */
  outside?: Money
  source: Source | null
  related: Record<string, string>
  /** Its transaction was written before, as pending, when the money was first seen. */
  seen?: boolean
}

/**
 * What a pending payment costs in all by a method, in minor units. With `fee_bearer: customer` the fee comes on top, so that the
 * business is left with the amount: also when parts that came by other ways have cost more than this way does.
 */
export function wholeOf(ctx: Ctx, payment: PaymentRow, method: PaymentMethod): bigint {
  if (payment.fee_bearer === 'business') return payment.amount
  const gross = ctx.pricing.grossOf(method, payment.currency, payment.amount)
  const least = payment.amount + payment.fee
  return gross > least ? gross : least
}

/** What is still to be paid by a method, in minor units; 0 when the payment has ended, and never while it is pending. */
export function dueOf(ctx: Ctx, payment: PaymentRow, method: PaymentMethod): bigint {
  return payment.status === 'pending' ? wholeOf(ctx, payment, method) - payment.amount_counted : 0n
}

/**
 * Whether what is being confirmed pays for all that is due, by the method that would be used for the rest or by the one that it came
 * by: only transfers on a blockchain are seen before they count.
 */
export function isCovered(ctx: Ctx, payment: PaymentRow, method: PaymentMethod): boolean {
  const seen = payment.amount_confirming
  return seen > 0n && (seen >= dueOf(ctx, payment, 'crypto') || seen >= dueOf(ctx, payment, method))
}

/** What a payer is to be asked for by a method, in minor units: what is due, less what is being confirmed where that is a part of it. */
export function askedOf(ctx: Ctx, payment: PaymentRow, method: PaymentMethod): bigint {
  const due = dueOf(ctx, payment, method)
  return isCovered(ctx, payment, method) ? due : due - payment.amount_confirming
}

/**
 * How much of a receipt is not as it was asked for, in minor units: all of it when it is too little, unless what is being confirmed pays
 * for the rest, or what of it is too much.
 */
function wrongOf(ctx: Ctx, payment: PaymentRow, { method, amount }: Receipt): bigint {
  const due = dueOf(ctx, payment, method)
  if (amount >= due) return amount - due
  const counted = payment.amount_counted + amount
  const fee = payment.fee + feeOf(ctx, payment, method, counted, amount)
  return isCovered(ctx, { ...payment, amount_counted: counted, fee }, method) ? 0n : amount
}

/**
 * Locks a payment, and what it stems from, for a receipt: who locks the ledger before `receive` does calls it before that.
 * @throws {Refusal} `not_found`
 */
export async function lockToReceive(ctx: Ctx, id: Id): Promise<PaymentRow> {
  const payment = await lock(ctx, id)
  await tell(ctx, 'receiving', payment)
  return payment
}

/**
 * Books a receipt: the ledger, the transaction, the payment, what goes back and the events, in the caller's transaction, which has
 * locked the payment. It never refuses money for its amount or its time.
 * @returns the transaction
 * @throws {Refusal} `amount_too_large` when the wallet would hold more than the API can carry; the rail tells again later
 */
export async function receive(ctx: Ctx, payment: PaymentRow, receipt: Receipt): Promise<Transaction> {
  await tell(ctx, 'receiving', payment)
  const { scope } = ctx
  const { currency } = payment
  const { method, amount } = receipt
  const open = payment.status === 'pending'
  const due = dueOf(ctx, payment, method)
  const wrong = wrongOf(ctx, payment, receipt)
  const reverses =
    wrong > 0n &&
    payment.on_mismatch === 'reverse' &&
    ctx.listeners.reversals.possible(ctx, { method, currency, source: receipt.source }, wrong)
  const kept = reverses ? amount - wrong : amount
  const counted = payment.amount_counted + kept
  const fee = kept === 0n ? 0n : feeOf(ctx, payment, method, counted, kept)

  const id = receipt.transaction
  const postings = incoming({
    rail: receipt.rail,
    outside: receipt.outside ?? { amount, currency },
    inside: { amount, currency },
    account: { purpose: 'wallet_available', currency },
    fee,
    subject: payment.id,
    transaction: id,
  })
  // Locks all of the wallet, which what goes back is held in.
  const balanceAfter = await credit(ctx, currency, postings)
  const transaction = await recordTransaction(ctx, {
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

  const changed: PaymentRow = {
    ...payment,
    amount_received: payment.amount_received + amount,
    amount_counted: counted,
    fee: payment.fee + fee,
    variance: varianceOf(payment, amount, due),
  }
  if (open && amount >= due) {
    const paid = { ...changed, method, transaction_id: id, paid_at: scope.now, failure_reason: null }
    await transition(ctx, paid, 'complete')
  } else {
    const saved = await save(ctx, changed)
    if (payment.status === 'completed' && kept > 0n) await tell(ctx, 'surplus', saved, kept)
  }
  if (reverses) await ctx.listeners.reversals.make(ctx, payment.id, id, wrong)
  return transaction
}

function varianceOf(payment: PaymentRow, amount: bigint, due: bigint): PaymentRow['variance'] {
  if (payment.status === 'completed') return 'overpaid'
  if (payment.status !== 'pending') return 'late'
  if (amount === due) return 'exact'
  return amount < due ? 'underpaid' : 'overpaid'
}

/** What all that counts costs, less what was taken before: a price paid in parts costs what it costs in one. */
function feeOf(ctx: Ctx, payment: PaymentRow, method: PaymentMethod, counted: bigint, kept: bigint): bigint {
  const whole = ctx.pricing.incomingFee('payment', method, payment.currency, counted)
  const fee = whole - payment.fee
  if (fee <= 0n) return 0n
  return fee < kept ? fee : kept
}

/**
 * What a payment belongs to: a collection's link or an invoice, each with a strategy of its own
 * that payments call by its kind.
 */
import type { View, Work } from '../../core/inside.ts'
import type { Id } from '../../lib/ids.ts'
import type { Currency } from '../../lib/money.ts'
import type { PaymentRow } from './sql.ts'

export type OriginKind = 'collection' | 'invoice'

/**
 * What a payment's origin does as the payment goes on, inside the transaction of the change. A
 * strategy that refuses stops the change.
 * @param id the collection's or the invoice's
 */
export type PaymentOrigin = {
  /** Whether a payer could start to pay now: it refuses where not. Nothing is held by it. */
  assertOpen?(view: View, id: Id): Promise<void>
  /** The payer starts to pay, for the first time. No money has moved. */
  starting?(work: Work, id: Id, payment: PaymentRow): Promise<void>
  /**
   * Money for it is about to be booked: what the origin may change by that is locked now, before
   * the ledger.
   */
  receiving?(work: Work, id: Id, payment: PaymentRow): Promise<void>
  /** The payment has ended. */
  ended?(work: Work, id: Id, payment: PaymentRow): Promise<void>
  /** More money was kept after it was completed. @param amount in minor units */
  surplus?(work: Work, id: Id, payment: PaymentRow, amount: bigint): Promise<void>
}

/**
 * Who sends back what a payment does not keep. Amounts in minor units of the payment's currency.
 */
export type Reversals = {
  /**
   * Whether an amount can go back to where it came from, by the rail that took it and what that
   * told of it.
   */
  possible(
    view: View,
    came: {
      method: string
      currency: Currency
      rail: string
      source: Record<string, string> | null
    },
    amount: bigint,
  ): boolean
  /**
   * Sends an amount back of a transaction that a payment received; the caller has locked the
   * payment.
   */
  make(work: Work, payment: Id, transaction: Id, amount: bigint): Promise<void>
  /**
   * How much of what was charged goes back by the rail that took it, or has gone. @param charge the
   * attempt's id
   */
  sentBack(view: View, payment: Id, charge: Id): Promise<bigint>
}

declare module '../../core/app.ts' {
  interface Strategies {
    origins: Record<OriginKind, PaymentOrigin>
    reversals: Reversals
  }
}

/**
 * The strategy of what a payment belongs to, and the id it is called with; null when the payment
 * stands alone.
 */
export function originOf(
  { strategies }: View,
  { collection_id, invoice_id }: PaymentRow,
): { id: Id; strategy: PaymentOrigin } | null {
  if (collection_id !== null) return { id: collection_id, strategy: strategies.origins.collection }
  return invoice_id === null ? null : { id: invoice_id, strategy: strategies.origins.invoice }
}

/** Origins of payments, a collection or an invoice: the strategies that payments call. */
import type { View, Work } from '../../core/inside.ts'
import type { Id } from '../../lib/ids.ts'
import type { Currency } from '../../lib/money.ts'
import type { PaymentRow } from './sql.ts'

export type OriginKind = 'collection' | 'invoice'

/**
 * The strategy of a payment's origin. It runs inside the transaction of each change, and can refuse
 * the change.
 * @param id of the collection or the invoice
 */
export type PaymentOrigin = {
  /** Refuses where a payer cannot start to pay now. Reserves nothing. */
  assertOpen?(view: View, id: Id): Promise<void>
  /** The payer starts to pay, for the first time. No money has moved. */
  starting?(work: Work, id: Id, payment: PaymentRow): Promise<void>
  /** Money is about to be booked: the origin locks its own rows, before the ledger is locked. */
  receiving?(work: Work, id: Id, payment: PaymentRow): Promise<void>
  /** The payment has ended. */
  ended?(work: Work, id: Id, payment: PaymentRow): Promise<void>
  /** More money was kept after it was completed. @param amount in minor units */
  surplus?(work: Work, id: Id, payment: PaymentRow, amount: bigint): Promise<void>
}

/** Sends back amounts that a payment does not keep, in minor units of its currency. */
export type Reversals = {
  /** Whether an amount can go back to its source, given the rail that received it. */
  possible(
    view: View,
    receipt: {
      method: string
      currency: Currency
      rail: string
      source: Record<string, string> | null
    },
    amount: bigint,
  ): boolean
  /** Sends back a part of a transaction of a payment that the caller has locked. */
  make(work: Work, payment: Id, transaction: Id, amount: bigint): Promise<void>
  /**
   * Returns how much of a card charge our refunds return by its rail. @param charge the attempt's
   * id
   */
  sentBack(view: View, payment: Id, charge: Id): Promise<bigint>
}

declare module '../../core/app.ts' {
  interface Strategies {
    origins: Record<OriginKind, PaymentOrigin>
    reversals: Reversals
  }
}

/** Returns the strategy and the id of a payment's origin; null when it has none. */
export function originOf(
  { strategies }: View,
  { collection_id, invoice_id }: PaymentRow,
): { id: Id; strategy: PaymentOrigin } | null {
  if (collection_id !== null) return { id: collection_id, strategy: strategies.origins.collection }
  return invoice_id === null ? null : { id: invoice_id, strategy: strategies.origins.invoice }
}

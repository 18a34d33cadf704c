/**
 * The one interface that every way of paying out implements. A rail gets plain data and answers with plain data; it
 * knows no domain, and the domain knows no provider.
 */
import type { CryptoCurrency, Currency } from '../lib/money.ts'

/** Where money goes: one of three shapes, told apart by `type`. */
export type Destination =
  | { type: 'ng_bank'; bank_code: string; account_number: string; account_name: string | null }
  | {
      type: 'us_bank'
      routing_number: string
      account_number: string
      account_name: string
      account_type: 'checking' | 'savings'
    }
  | { type: 'crypto'; currency: CryptoCurrency; chain: string; address: string; contract_address: string }

export type FailureReason =
  | 'invalid_account'
  | 'name_mismatch'
  | 'bank_unavailable'
  | 'limit_exceeded'
  | 'rejected'
  | 'network_error'
  | 'unknown'

/** An order to pay. `id` is the payout's own id: the rail's idempotency key, the same on every try. */
export type PayoutOrder = {
  id: string
  businessId: string
  amount: bigint
  currency: Currency
  destination: Destination
  /** The time of the business and mode. */
  at: Date
}

/**
 * What a rail says of an order.
 * `unknown` is a time-out or a lost answer: the money may or may not have moved, so it must be asked about.
 * `not_found` means that the rail has never taken the order, so sending it again (same id) is safe.
 */
export type OrderState =
  | { state: 'completed'; providerReference: string; txHash: string | null }
  | { state: 'failed'; reason: FailureReason; providerReference: string | null }
  | { state: 'processing'; providerReference: string | null; askAgainInMs: number | null }
  | { state: 'unknown'; askAgainInMs: number }
  | { state: 'not_found' }

/** What a bank says of an account number. */
export type NameLookup = { found: true; accountName: string } | { found: false } | { found: 'unavailable' }

export type PayoutRail = {
  name: string
  /** How long a payout waits, cancelable, before the rail is asked. Milliseconds. */
  holdMs: number
  /** About how long from the creation of a payout to its arrival. Milliseconds. */
  arrivalMs: number
  send(order: PayoutOrder): Promise<OrderState>
  ask(order: PayoutOrder): Promise<OrderState>
  lookup(bankCode: string, accountNumber: string): Promise<NameLookup>
}

/** A rail whose outcomes can be decided by hand. */
export type SimulatedRail = PayoutRail & {
  decide(order: PayoutOrder, outcome: 'completed' | 'failed', reason: FailureReason | null): Promise<void>
}

/** Which rail serves a mode; null when none is configured. */
export type Rails = { test: SimulatedRail; live: PayoutRail | null }

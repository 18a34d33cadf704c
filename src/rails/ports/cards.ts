/**
 * The port for card numbers, which only the sandbox has: live payers type theirs on the provider's
 * page (`CheckoutRail`). Code that serves live keys must not import this file;
 * `test/integration/rails/rails.test.ts` lists the files that may.
 */
import type { CardBrands, DeclineReason, PayoutOrder } from './rail.ts'

/** A card as typed by the payer. It is only in memory, and never stored, logged or shown. */
export type Card = { number: string; expiryMonth: number; expiryYear: number; cvc: string }

/** A charge of a card. `id` is the rail's idempotency key. */
export type ChargeOrder = Omit<PayoutOrder, 'attempt' | 'destination'>

/**
 * A card rail's answer about a charge. `challenge`: the payer's bank asks the payer to confirm. A
 * `final` decline means that no other card will work either. `unknown` and `not_found` mean the
 * same as for payouts.
 */
export type ChargeState =
  | { state: 'succeeded'; providerReference: string }
  | { state: 'declined'; reason: DeclineReason; final: boolean; providerReference: string | null }
  | { state: 'challenge' }
  | { state: 'unknown'; askAgainInMs: number }
  | { state: 'not_found' }

export type CardTerms = {
  name: string
  brands?: CardBrands
  /**
   * How long after sending a charge the rail may still accept it; until then `not_found` proves
   * nothing. Milliseconds.
   */
  chargeLifeMs: number
}

export type CardRail = CardTerms & {
  /** The accepted card numbers: a test scheme must not see real ones. Omitted: any. */
  numbers?: RegExp
  charge(order: ChargeOrder, card: Card): Promise<ChargeState>
  /** Sends the payer's answer to a challenge. */
  confirm(order: ChargeOrder, approved: boolean): Promise<ChargeState>
  ask(order: ChargeOrder): Promise<ChargeState>
}

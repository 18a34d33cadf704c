/**
 * The port that numbers of cards pass through: the sandbox's alone. Live payers type theirs at the
 * provider, on its own page (`CheckoutRail`), so nothing that serves a live key may import this
 * file; `test/integration/rails/rails.test.ts` holds the list of who does.
 */
import type { CardBrands, DeclineReason, PayoutOrder } from './rail.ts'

/**
 * A card as the payer typed it. It passes through memory once, and is never stored, logged or
 * shown.
 */
export type Card = { number: string; expiryMonth: number; expiryYear: number; cvc: string }

/** A charge of a card. `id` is the rail's idempotency key. */
export type ChargeOrder = Omit<PayoutOrder, 'attempt' | 'destination'>

/**
 * What a card rail says of a charge. `challenge`: the payer's bank asks the payer to confirm.
 * `final` declines say that no other card will do either. `unknown` and `not_found` mean what they
 * mean for payouts.
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
   * Until when, after a charge was sent, the rail may still take it: `not_found` is no answer
   * before. Milliseconds.
   */
  chargeLifeMs: number
}

export type CardRail = CardTerms & {
  /**
   * The numbers of cards that it may be given: a scheme of test cards must not see real ones. Left
   * out: any.
   */
  numbers?: RegExp
  charge(order: ChargeOrder, card: Card): Promise<ChargeState>
  /** Gives the payer's answer to a challenge. */
  confirm(order: ChargeOrder, approved: boolean): Promise<ChargeState>
  ask(order: ChargeOrder): Promise<ChargeState>
}

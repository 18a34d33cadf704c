/**
 * The interfaces of all ways to move money outside. Rails exchange plain data: they know no domain,
 * and the domain knows no provider.
 */
import type { CryptoCurrency, Currency, WalletCurrency } from '../../lib/money.ts'

/** Received money, for a refund. */
export type Charge = {
  /** Our id: of the card attempt, or of a transfer's transaction. */
  id: string
  /** The provider's own id. */
  providerReference: string | null
  method: 'card' | 'bank_transfer'
}

/**
 * The home address of an account's holder, or the business's seat. `country`: two lower-case
 * letters.
 */
export type HolderAddress = Partial<
  Record<'line1' | 'city' | 'state' | 'postal_code' | 'country', string>
>

/**
 * A destination: one of these shapes, by `type`. `charge` returns money to its payer by the same
 * rail; `refund` is the provider's own id of the refund, once known.
 */
export type Destination =
  | { type: 'ng_bank'; bank_code: string; account_number: string; account_name: string | null }
  | {
      type: 'us_bank'
      routing_number: string
      account_number: string
      account_name: string
      account_type: 'checking' | 'savings'
      /** Null if the merchant has not given it. Some providers require it. */
      holder_address: HolderAddress | null
    }
  | {
      type: 'crypto'
      currency: CryptoCurrency
      chain: string
      address: string
      contract_address: string
    }
  | { type: 'charge'; charge: Charge; refund: string | null }

export type FailureReason =
  | 'invalid_account'
  | 'name_mismatch'
  | 'bank_unavailable'
  | 'limit_exceeded'
  | 'rejected'
  | 'network_error'
  | 'unknown'

/**
 * Why a rail accepts no order now. `not_enabled`: its provider must enable something;
 * `provider_down`: unreachable, or it accepts no orders.
 */
export type Obstacle =
  | 'balance_too_low'
  | 'otp_required'
  | 'not_enabled'
  | 'bad_credentials'
  | 'rate_limited'
  | 'provider_down'

/** An obstacle and a sentence for people, without a full stop. `held`: a person must release it. */
export type Obstruction = { obstacle: Obstacle | 'held'; sentence: string }

/** Why an order is not sent. `not_configured`: no rail accepts it. */
export type WaitsFor = Obstruction['obstacle'] | 'not_configured'

/** The same as stored. Times in JSON are read as text. */
export type Waits = { for: WaitsFor; since: Date | string }

/** A submission that a rail has but its order's row does not record, after a restored backup. */
export type UnrecordedSubmission = { rail: string; attempt: number }

/**
 * The result of a search for one. `unknown`: a rail gives no answer. `undecided`: there may be more
 * submissions than can be queried.
 */
export type UnrecordedResult = UnrecordedSubmission | 'unknown' | 'undecided' | null

/**
 * A payment order. `id` is the payout's or refund's id, and the rail's idempotency key on every
 * try.
 */
export type PayoutOrder = {
  id: string
  /**
   * The submission's number: the same on every try of one submission, and higher after a recall and
   * a new submission.
   */
  attempt: number
  businessId: string
  amount: bigint
  currency: Currency
  destination: Destination
  /** The time of the business and mode. */
  at: Date
}

/**
 * A rail's answer about an order.
 * - `failed` is final; `completed` may become `returned`: it had arrived, and the money came back.
 * - `unknown`: a timeout, a lost answer or a rail's error. The money may have moved, so query the
 * order.
 * - `not_found`: the rail does not have the order. After sending: nothing was sent. After a query:
 * resending (same id) is safe once `orderLifeMs` have passed since it was sent.
 * - `refused_now`: the answer to a send: the order was not accepted, and may be offered again.
 * - `recalled`: nothing under this attempt is or will ever be paid.
 * `fee`: the provider's fee in minor units of the order's currency, if known; negative: returned.
 * If `askAgainInMs` is null, queries use a growing backoff. `waits`: why the order does not
 * proceed: the rail does not have it and was not called, or has it and sends nothing.
 */
export type OrderState =
  | { state: 'completed'; providerReference: string; txHash: string | null; fee?: bigint | null }
  | {
      state: 'failed'
      reason: FailureReason
      providerReference: string | null
      txHash?: string | null
    }
  | { state: 'returned'; reason: FailureReason; providerReference: string; fee?: bigint | null }
  | {
      state: 'processing'
      providerReference: string | null
      askAgainInMs: number | null
      txHash?: string | null
      waits?: WaitsFor
    }
  | { state: 'unknown'; askAgainInMs: number | null; waits?: WaitsFor }
  | { state: 'not_found' }
  | { state: 'refused_now'; obstacle: Obstacle; askAgainInMs: number }
  | { state: 'recalled'; attempt: number }

/** A bank's answer about an account number. */
export type NameLookup =
  | { found: true; accountName: string }
  | { found: false }
  | { found: 'unavailable' }

/** Static facts about a rail: code that has only the terms cannot call the rail. */
export type PayoutTerms = {
  name: string
  /** How long a payout waits, cancelable, before the rail is called. Milliseconds. */
  holdMs: number
  /** The approximate time from a payout's creation to its arrival. Milliseconds. */
  arrivalMs: number
  /**
   * How long after sending an order the rail may still accept it; until then `not_found` proves
   * nothing. Milliseconds; 0: it knows at once.
   */
  orderLifeMs: number
}

export type PayoutRail = PayoutTerms & {
  /**
   * Returns why the rail cannot accept an order now, or null. The payout then stays `pending` and
   * is offered again.
   */
  obstacle?(order: PayoutOrder): Promise<Obstruction | null>
  /**
   * Returns the provider's reference of an order, the same on every try of a submission; its
   * notifications find the record by it. Absent if a rail sends none. Calls no provider.
   */
  referenceOf?(order: PayoutOrder): Promise<string>
  /**
   * Returns our reference for the provider's own id, for notifications without a reference; null if
   * it is not an order of ours. Queries the provider: `unknown` if it does not answer.
   */
  referenceOfId?(providerId: string): Promise<{ reference: string | null } | 'unknown'>
  send(order: PayoutOrder): Promise<OrderState>
  ask(order: PayoutOrder): Promise<OrderState>
  /**
   * Recalls an order that the rail cannot accept now and has not accepted; a late arrival under
   * this attempt is never paid either. Idempotent.
   * @returns false, without a change, when the order continues
   */
  recall?(order: PayoutOrder): Promise<boolean>
  /**
   * Ensures that the rail never pays an order, queued or arriving later.
   * @returns false, without a change, when it is being paid or has ended
   */
  withdraw?(order: PayoutOrder): Promise<boolean>
}

export type RefundTerms = Pick<PayoutTerms, 'name' | 'orderLifeMs'> & {
  /** The methods whose money it can return; other money is returned by a payout. */
  methods: readonly Charge['method'][]
}

/**
 * Refunds money that the same account received: its orders have a `charge` as their destination and
 * are never recalled. `referenceOf` returns what notifications name instead of the order: the
 * charge, which other refunds may share. It may query the provider.
 */
export type RefundRail = RefundTerms & Pick<PayoutRail, 'obstacle' | 'referenceOf' | 'send' | 'ask'>

/** The rail of an order, a payout or a refund. */
export type OrderRail = Pick<
  PayoutRail,
  'name' | 'orderLifeMs' | 'obstacle' | 'referenceOf' | 'send' | 'ask' | 'recall' | 'withdraw'
>

/** Looks up the holder of a bank account. A port of its own, because a chain has no banks. */
export type LookupRail = {
  name: string
  lookup(bankCode: string, accountNumber: string): Promise<NameLookup>
}

/** A rail whose outcomes a person can set. */
export type SimulatedRail = PayoutRail & {
  /** @param outcome `returned`: for a completed order */
  decide(
    order: PayoutOrder,
    outcome: 'completed' | 'failed' | 'returned',
    reason: FailureReason | null,
  ): Promise<void>
}

export type DeclineReason =
  | 'declined'
  | 'insufficient_funds'
  | 'expired_card'
  | 'incorrect_cvc'
  | 'processing_error'
  | 'fraudulent'
  | 'challenge_failed'

/**
 * A payment on the provider's page. `id` is the attempt's own, and the base of its reference at the
 * provider.
 */
export type CheckoutOrder = {
  id: string
  businessId: string
  amount: bigint
  currency: WalletCurrency
  method: 'card' | 'bank_transfer'
  email: string | null
  name: string | null
  description: string | null
  /**
   * Where the provider sends the payer afterwards: our pages, whose query parameters are not
   * trusted.
   */
  returnUrl: string
  cancelUrl: string
  /** When it must be paid by; once the page is known, its end. */
  expiresAt: Date
  /** The time that the rail's waits are measured from. */
  at: Date
  /** The number of starts at all rails, each under another reference. */
  starts: number
  /** The provider's own id, once known. */
  providerReference: string | null
}

/**
 * A rail's answer about a payment on its page. `open`: the payer can pay; only `start` returns the
 * URL. `confirming`: a bank is processing it. `declined`: the page stays open for another card.
 * `ended`: no payment is expected, but one that arrives is booked. `reversed`: it was paid, and the
 * money was returned there. `quarantined`: the provider's answer contradicts itself. `unknown`,
 * `not_found` and the time of the next query mean the same as for payouts.
 */
export type CheckoutState =
  | { state: 'open'; page: { url: string; endsAt: Date; providerReference: string } | null }
  | { state: 'confirming' }
  | {
      state: 'paid'
      /** The provider's own id of the payment, by which it is refunded. */
      providerReference: string
      paid: { amount: bigint; currency: WalletCurrency }
      channel: 'card' | 'bank_transfer' | 'other'
      /** The payer, as a transaction's `source`; null if unknown. */
      source: Record<string, string> | null
      /** The provider's fee. */
      fee: bigint | null
      availableAt: Date | null
    }
  | { state: 'declined'; reason: DeclineReason }
  | { state: 'ended'; reason: 'not_completed' | DeclineReason }
  | { state: 'reversed' }
  | { state: 'quarantined'; sentence: string }
  | { state: 'unknown' }
  | { state: 'not_found' }

/** Card brands, as records name them. */
export type CardBrand = 'visa' | 'mastercard' | 'verve' | 'amex'

/**
 * The brands that a rail accepts from every payer, by currency; a missing currency has no certain
 * ones.
 */
export type CardBrands = Partial<Record<string, readonly CardBrand[]>>

export type CheckoutTerms = {
  name: string
  brands?: CardBrands
  /** The hosts of its pages: a URL of another host is refused. */
  hosts: readonly string[]
  /** Whether the payer's email must be known first; the page then asks for it. */
  needsEmail?: boolean
}

export type CheckoutRail = CheckoutTerms & {
  /**
   * Returns the provider's reference of a start; its notifications find the record by it. Calls no
   * provider.
   */
  referenceOf(order: Pick<CheckoutOrder, 'id' | 'starts'>): Promise<string>
  /**
   * Starts a payment. An `unknown` start is started again under another reference: no payer has
   * seen its page, so none can pay there. `not_found`: the rail accepts nothing now, and has
   * accepted nothing.
   */
  start(order: CheckoutOrder): Promise<CheckoutState>
  ask(order: CheckoutOrder): Promise<CheckoutState>
}

export type AddressTerms = {
  name: string
  /** The name of the key of its addresses: indexes are counted per key. */
  key: string
}

export type AddressRail = AddressTerms & {
  /**
   * Returns a deposit address with its EIP-55 checksum, the same on every EVM network.
   * @param owner the owner's id
   * @param index the key's next unused one
   */
  address(owner: string, index: number): Promise<string>
}

/** A customer and the identity number to verify. */
export type IdentityRequest = {
  customer: {
    id: string
    businessId: string
    email: string
    firstName: string
    lastName: string
    phone: string | null
  }
  idType: string
  idNumber: string
  /** The account that the number is compared with; null if the rail needs none. */
  account: { bankCode: string; accountNumber: string } | null
}

/**
 * A rail's answer about an identity number. `verified` and `failed` are final, except that a
 * `failed` one may become `verified`. `pending`: being verified. `unknown`: it may be.
 * `refused_now`: it is not, and may be sent again.
 */
export type IdentityState =
  | { state: 'verified' }
  | { state: 'failed'; reason: 'mismatch' | 'not_found' | 'rejected' }
  | { state: 'pending' }
  | { state: 'unknown' }
  | { state: 'refused_now'; askAgainInMs: number }

export type IdentityTerms = {
  name: string
  /** The document types that it verifies. */
  idTypes: readonly string[]
  /** Whether it compares them with a bank account of their holder. */
  needsAccount: boolean
}

export type IdentityRail = IdentityTerms & {
  /** May be repeated, because it moves no money. */
  verify(request: IdentityRequest): Promise<IdentityState>
  /** @param notified the provider's name of the notifying event, if any */
  ask(customer: { id: string; businessId: string }, notified: string | null): Promise<IdentityState>
  /** Returns the customers of a notification. Calls no provider. */
  ownersOf(reference: string): Promise<{ businessId: string; customerId: string }[]>
}

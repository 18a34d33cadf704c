/**
 * The interfaces that every way of moving money outside implements. A rail gets plain data and
 * answers with plain data; it knows no domain, and the domain knows no provider.
 */
import type { CryptoCurrency, Currency, WalletCurrency } from '../../lib/money.ts'

/** Money that came, as what gives it back knows it. */
export type Charge = {
  /** Ours: the card attempt's, or that of the transaction which a transfer made. */
  id: string
  /** The provider's own name of it. */
  providerReference: string | null
  method: 'card' | 'bank_transfer'
}

/**
 * Where the holder of an account lives, or has the seat of the business. `country`: two letters, in
 * lower case.
 */
export type HolderAddress = Partial<
  Record<'line1' | 'city' | 'state' | 'postal_code' | 'country', string>
>

/**
 * Where money goes: one of these shapes, discriminated by `type`. `charge` is back to its payer, by
 * the rail that took it: `refund` is the provider's own id of the refund, once it is known.
 */
export type Destination =
  | { type: 'ng_bank'; bank_code: string; account_number: string; account_name: string | null }
  | {
      type: 'us_bank'
      routing_number: string
      account_number: string
      account_name: string
      account_type: 'checking' | 'savings'
      /** Null where the merchant has not given it. Some providers require it. */
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
 * Why a rail takes no order now. `not_enabled`: its provider has to switch something on;
 * `provider_down`: it cannot be reached, or takes nothing on.
 */
export type Obstacle =
  | 'balance_too_low'
  | 'otp_required'
  | 'not_enabled'
  | 'bad_credentials'
  | 'rate_limited'
  | 'provider_down'

/**
 * An obstacle, and what there is to say of it to people: a sentence without its full stop. `held`:
 * a person has to let it go.
 */
export type Obstruction = { obstacle: Obstacle | 'held'; sentence: string }

/** Why an order is not sent. `not_configured`: no rail that takes it is. */
export type WaitsFor = Obstruction['obstacle'] | 'not_configured'

/** The same as the order's record keeps it. Times in JSON come back as text. */
export type Waits = { for: WaitsFor; since: Date | string }

/**
 * A submission that a rail has and its order's row does not record: after a restore from a backup.
 */
export type UnrecordedSubmission = { rail: string; attempt: number }

/**
 * The result of a search for one. `unknown`: a rail gives no answer. `undecided`: more submissions
 * may have been used up than can be queried.
 */
export type UnrecordedResult = UnrecordedSubmission | 'unknown' | 'undecided' | null

/**
 * An order to pay. `id` is the payout's or refund's own id: the rail's idempotency key, the same on
 * every try.
 */
export type PayoutOrder = {
  id: string
  /**
   * How many times it was submitted: the same on every try of one submission, and larger once it
   * was recalled and is submitted again.
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
 * A rail's answer about an order. `failed` is final; `completed` may be followed by `returned`.
 * `unknown` is a time-out, a lost answer or an error of the rail's: the money may or may not have
 * moved, so it must be asked about. `not_found`: the rail has not taken the order. Of what was just
 * sent, that not a byte of it left; of what was asked about, that sending it again (same id) is
 * safe once `orderLifeMs` have passed since it was sent. `refused_now`: an answer to what was just
 * sent, that the order was not taken and may be offered again. `recalled`: nothing that was or will
 * be sent under this attempt is ever paid. `returned`: it had arrived, and the money came back.
 * `fee`: what its provider keeps for it, in minor units of the order's currency, where that is
 * known; below zero, what it gives back. Where `askAgainInMs` is null the rail does not say when to
 * ask again, and is asked in ever longer steps. `waits`: why it does not move on: the rail does not
 * have it and was not asked to, or has it and sends nothing of it.
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

/** What is known of a rail without asking it: code that has only the terms cannot call the rail. */
export type PayoutTerms = {
  name: string
  /** How long a payout waits, cancelable, before the rail is asked. Milliseconds. */
  holdMs: number
  /** About how long from the creation of a payout to its arrival. Milliseconds. */
  arrivalMs: number
  /**
   * Until when, after an order was sent, the rail may still take it: `not_found` is no answer
   * before. Milliseconds; 0: it knows at once.
   */
  orderLifeMs: number
}

export type PayoutRail = PayoutTerms & {
  /**
   * Why the rail cannot take an order now, or null when it can. A payout that it cannot take stays
   * `pending`, and is offered again.
   */
  obstacle?(order: PayoutOrder): Promise<Obstruction | null>
  /**
   * What the provider knows an order by, the same on every try of a submission: by this its
   * notifications find the record. A rail that notifies of nothing has none. Asks no provider.
   */
  referenceOf?(order: PayoutOrder): Promise<string>
  /**
   * What the provider's own id stands for, where its notifications name no reference: a reference
   * of ours, or null for what is none of our orders. Asks the provider: `unknown` when it does not
   * say.
   */
  referenceOfId?(providerId: string): Promise<{ reference: string | null } | 'unknown'>
  send(order: PayoutOrder): Promise<OrderState>
  ask(order: PayoutOrder): Promise<OrderState>
  /**
   * Recalls an order that the rail cannot take on now and has not taken on: what comes late under
   * this attempt is never paid either. Idempotent.
   * @returns false, and nothing is changed, when the order goes on
   */
  recall?(order: PayoutOrder): Promise<boolean>
  /**
   * Makes sure that the rail never pays an order: neither what it has queued nor what it gets
   * later.
   * @returns false, and nothing is changed, when it is being paid, or has ended
   */
  withdraw?(order: PayoutOrder): Promise<boolean>
}

export type RefundTerms = Pick<PayoutTerms, 'name' | 'orderLifeMs'> & {
  /** What it gives back of what it took in; anything else goes back as a payout does. */
  methods: readonly Charge['method'][]
}

/**
 * Gives back what the same account took in: its orders have a `charge` as their destination, and
 * are never recalled. Here `referenceOf` is what the provider's notifications name instead of the
 * order: the charge, which other refunds may be of too. It may ask the provider.
 */
export type RefundRail = RefundTerms & Pick<PayoutRail, 'obstacle' | 'referenceOf' | 'send' | 'ask'>

/** The rail of an order, whether it is paid out or given back. */
export type OrderRail = Pick<
  PayoutRail,
  'name' | 'orderLifeMs' | 'obstacle' | 'referenceOf' | 'send' | 'ask' | 'recall' | 'withdraw'
>

/** Looks up who holds a bank account. A chain has no bank: this is a port of its own. */
export type LookupRail = {
  name: string
  lookup(bankCode: string, accountNumber: string): Promise<NameLookup>
}

/** A rail whose outcomes can be decided by hand. */
export type SimulatedRail = PayoutRail & {
  /** @param outcome `returned`: of an order that is completed, and comes back */
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
 * A payment that its payer makes on the provider's page: `id` is the attempt's own, the base of
 * what the provider knows it by.
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
  /** Where the provider sends the payer afterwards: pages of ours, whose query is not believed. */
  returnUrl: string
  cancelUrl: string
  /** Until when it is to be paid; once its page is known, the end of that. */
  expiresAt: Date
  /** The time that the rail's waits count from. */
  at: Date
  /** How often it was started, at all its rails: each time under another reference. */
  starts: number
  /** The provider's own name of it, once it has said one. */
  providerReference: string | null
}

/**
 * A rail's answer about a payment on its page. `open`: its payer can pay; to `start` alone it says where.
 * `confirming`: a bank is at work. `declined`: the page there stays open for another card. `ended`:
 * nothing more is expected, and what comes all the same is booked. `reversed`: it was paid, and
 * the money was given back there. `quarantined`: what the provider says cannot be so.
 * `unknown` and `not_found` mean what they mean for payouts, and so does the time to ask again.
 */
export type CheckoutState =
  | { state: 'open'; page: { url: string; endsAt: Date; providerReference: string } | null }
  | { state: 'confirming' }
  | {
      state: 'paid'
      /** The provider's own id of what was paid: by it the money goes back. */
      providerReference: string
      paid: { amount: bigint; currency: WalletCurrency }
      channel: 'card' | 'bank_transfer' | 'other'
      /** Who paid, as a transaction's `source`; null when the provider does not say. */
      source: Record<string, string> | null
      /** What the provider keeps. */
      fee: bigint | null
      availableAt: Date | null
    }
  | { state: 'declined'; reason: DeclineReason }
  | { state: 'ended'; reason: 'not_completed' | DeclineReason }
  | { state: 'reversed' }
  | { state: 'quarantined'; sentence: string }
  | { state: 'unknown' }
  | { state: 'not_found' }

/** Brands of cards, as records name them. */
export type CardBrand = 'visa' | 'mastercard' | 'verve' | 'amex'

/**
 * Those that a rail takes of every payer, by currency: a currency that is left out has none that is
 * sure.
 */
export type CardBrands = Partial<Record<string, readonly CardBrand[]>>

export type CheckoutTerms = {
  name: string
  brands?: CardBrands
  /** Of the pages that payers are sent to: a URL of another host is refused. */
  hosts: readonly string[]
  /** Whether the payer's address must be known first: the page asks for it. */
  needsEmail?: boolean
}

export type CheckoutRail = CheckoutTerms & {
  /** What the provider knows a start by: of this its notifications name the record. Asks no provider. */
  referenceOf(order: Pick<CheckoutOrder, 'id' | 'starts'>): Promise<string>
  /**
   * Starts it. An `unknown` start is started again, under another reference: no payer has seen a
   * page, so none can pay there. `not_found`: the rail takes nothing now, and has taken nothing.
   */
  start(order: CheckoutOrder): Promise<CheckoutState>
  ask(order: CheckoutOrder): Promise<CheckoutState>
}

export type AddressTerms = {
  name: string
  /** Which key its addresses come from: their indexes are counted per key. */
  key: string
}

export type AddressRail = AddressTerms & {
  /**
   * A deposit address with its EIP-55 checksum, the same one on every EVM network.
   * @param owner who it is for
   * @param index the next one of the key that was never used
   */
  address(owner: string, index: number): Promise<string>
}

/** A customer whose identity is verified, by a number that they gave. */
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
  /** The account that the number is held against; null where the rail needs none. */
  account: { bankCode: string; accountNumber: string } | null
}

/**
 * A rail's answer about an identity number. `verified` and `failed` are final, but for a `failed` that
 * turns out `verified` after all. `pending`: it is looked into. `unknown`: it may be.
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
  /** Which documents it verifies. */
  idTypes: readonly string[]
  /** Whether it holds them against a bank account of their holder. */
  needsAccount: boolean
}

export type IdentityRail = IdentityTerms & {
  /** May be sent again: it moves nothing. */
  verify(request: IdentityRequest): Promise<IdentityState>
  /** @param notified the provider's name of the event by which it notified, if it did */
  ask(customer: { id: string; businessId: string }, notified: string | null): Promise<IdentityState>
  /** Whose customers a notification is about. Asks no provider. */
  ownersOf(reference: string): Promise<{ businessId: string; customerId: string }[]>
}

/**
 * What differs between operators' accounts at Paystack, and what Paystack does that nobody has
 * confirmed: each marked [U] and switchable, so that an adapter can be held against both, and the
 * first run with real test keys changes one line here.
 */
export const usual = {
  /** What `verify` answers about a reference that it does not know: both have been seen [U]. */
  unknownTransaction: 400 as 400 | 404,
  /**
   * The dashboard's setting: whether the payer pays Paystack's fee on top, which makes `amount`
   * more than `requested_amount`.
   */
  feeBearer: 'business' as 'business' | 'customer',
  /**
   * Whether `from` and `to` of the lists of transactions, transfers and refunds are moments, or
   * days of which `from` is left out, as in the balance's history [U].
   */
  listsGoBy: 'moments' as 'moments' | 'days',
  /**
   * Which date `from` and `to` of `GET /transaction` compare: a payment can be made long after its
   * transaction was started [U].
   */
  transactionsListedBy: 'created' as 'created' | 'paid',
  /** What `verify` says of a one-time account that waits for its transfer [U]. */
  waitingTransfer: 'pending' as 'pending' | 'ongoing',

  /** Transfers wait for a code that Paystack sends to the business's telephone. */
  otp: false,
  /** A starter business may pay nobody; the status of that refusal is [U]. */
  thirdPartyPayouts: true,
  starterStatus: 400 as 400 | 403,
  /** A refusal of transfers, or of refunds, that nobody has seen. */
  strangeRefusal: null as 'transfer' | 'refund' | 'create_recipient' | null,
  /**
   * What `POST /transfer` answers; `success` is also the end of it. Test keys have been seen to
   * succeed at once [U].
   */
  transferAnswer: 'pending' as 'pending' | 'received' | 'success',
  /** Whether a transfer that was refused for want of balance uses up its reference [U]. */
  refusedTransferBurnsReference: false,
  /** Whether the fee stays with Paystack when a transfer that had succeeded comes back [U]. */
  reversalKeepsFee: false,
  /**
   * Whether `verify` and the list name `fee_charged`: only the events are published with it [U].
   */
  feeOnVerify: true,
  /**
   * Where each transfer is to be approved: 200 approves, 400 rejects. The body that is sent is [U].
   */
  approvalUrl: null as string | null,

  /** Pay with Transfer is switched on by Paystack's support. */
  oneTimeAccounts: true,
  /** Whether an account is assigned in the answer, by an event later, or not at all. */
  dedicatedAccounts: 'at_once' as 'at_once' | 'later' | 'not_enabled',
  dedicatedLimit: 1_000,
  /** Some categories of business must have the customer identified first. */
  identificationRequired: false,
  /** Whether a deposit names the account that it came to: it is not on every charge. */
  receiverOnCharge: true,
  /** Whether `POST /customer` with a known address answers the customer that is there [U]. */
  oneCustomerPerEmail: true,

  /**
   * Whether `GET /refund` knows the filter `transaction`: recorded of the number, and of the
   * reference that it finds nothing.
   */
  refundFilter: true,
  /** Whether `merchant_note` comes back unchanged: recorded with a test key. */
  refundKeepsNote: true,
  /**
   * How the list of refunds names its dates: recorded with the first, published with the second.
   */
  refundDates: 'createdAt' as 'createdAt' | 'created_at',
  /**
   * What the balance's history names of a refund: 1 was recorded once; the refund's number is what
   * it is named after [U].
   */
  refundModelRow: 'one' as 'one' | 'id',
  /** What a payment is listed as of which a part went back: `reversed` was recorded once [U]. */
  partlyRefunded: 'reversed' as 'reversed' | 'success',

  /** Whether a dispute names its amount and currency: published with null for both. */
  disputeNamesAmount: true,

  /** Whether requests beyond the documented limits are answered 429. */
  rateLimits: false,
  /** How long the fault `slow` takes, ms. */
  slowMs: 14_000,
  /**
   * The world goes by itself: transfers and refunds succeed, customers are identified, webhooks are
   * delivered at once.
   */
  autopilot: false,
}
export type Settings = typeof usual

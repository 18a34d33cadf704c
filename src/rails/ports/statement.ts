/**
 * The port by which a provider lists an account's movements and debts, for reconciliation with the
 * books. It only reads.
 */
import type { WalletCurrency } from '../../lib/money.ts'

/**
 * An account's movement in the provider's list. `payment`: a charge or a deposit. `open`: not
 * final; `done`: arrived; `returned`: came back, whether it had arrived or not; `ended`: moved
 * nothing.
 */
export type Movement = {
  kind: 'payment' | 'payout' | 'refund'
  state: 'open' | 'done' | 'returned' | 'ended'
  /** The id of its receipts, which identifies our record. */
  providerId: string
  reference: string | null
  amount: bigint
  /** The provider's fee, also of a returned one; null if unknown. */
  fee: bigint | null
  /** The current change of the provider's debt; negative: less. */
  effect: bigint
  /** The last change, as far as the provider says. */
  at: Date
}

/**
 * A provider's settlement. One to its own balance does not change its debt. `payments`: the ids of
 * the payments in it.
 */
export type Settlement = {
  providerId: string
  amount: bigint
  to: 'bank' | 'balance'
  at: Date
  payments: string[]
}

/** Amounts in minor units. */
export type ProviderStatement = {
  currency: WalletCurrency
  movements: Movement[]
  settlements: Settlement[]
  /** The operator's deposits. */
  topUps: { providerId: string; amount: bigint; at: Date }[]
  /**
   * Other changes of the balance, of unknown meaning. `of`: the provider's id of the subject that
   * it names, such as a dispute.
   */
  others: { providerId: string; amount: bigint; what: string; of: string | null; at: Date }[]
  /** The payable balance, and payments not settled yet: together the provider's debt. */
  available: bigint
  unsettled: bigint
}

/**
 * The amount of a payment that a payer's bank takes back until a decision, in minor units.
 * `payment`: the provider's own id.
 */
export type Dispute = {
  payment: string
  reference: string | null
  amount: bigint
  currency: WalletCurrency
  state: 'open' | 'won' | 'lost'
  /** In the provider's words. */
  reason?: string | null
  /** The deadline for evidence, if the provider gives one. */
  dueAt?: Date | null
  /** Whether the provider waits for an answer, if it can ask more than once. */
  isWaiting?: boolean
}

/** One payment. `givenBack`: it was paid, and all of it was returned to its payer. */
export type ListedPayment = { movement: Movement; currency: WalletCurrency; givenBack: boolean }

export type StatementRail = {
  /** Queries a dispute by the provider's id; null if the provider has no consistent answer. */
  dispute(providerId: string): Promise<Dispute | null>
  /**
   * Reads everything since a time.
   * @param onRead called with the number of rows read
   * @throws {Error} a sentence, when the provider did not return all of it
   */
  read(from: Date, onRead?: (rows: number) => void): Promise<ProviderStatement>
  /**
   * Queries one payment by the provider's id; null if there is none.
   * @throws {Error} a sentence, when the provider did not answer
   */
  payment(providerId: string): Promise<ListedPayment | null>
}

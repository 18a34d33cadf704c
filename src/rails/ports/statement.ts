/**
 * The port by which a provider says what moved at an account and what it owes: the books are held
 * against it. It reads, and changes nothing.
 */
import type { WalletCurrency } from '../../lib/money.ts'

/**
 * A movement of an account, as the provider's own list has it. `payment`: a charge or a deposit.
 * `open`: it goes on; `done`: it arrived; `returned`: it came back, whether it had arrived or not;
 * `ended`: nothing moved by it.
 */
export type Movement = {
  kind: 'payment' | 'payout' | 'refund'
  state: 'open' | 'done' | 'returned' | 'ended'
  /** The id that receipts of it have, and what the record here is known by. */
  providerId: string
  reference: string | null
  amount: bigint
  /** What the provider keeps, of one that came back too; null where it does not say. */
  fee: bigint | null
  /** What the provider owes more by it, or, below zero, less: as it is now. */
  effect: bigint
  /** When it was last changed, as far as the provider says. */
  at: Date
}

/**
 * What a provider paid out. To its own balance: it is owed as before. `payments`: the ids of what
 * is in it.
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
  /** What the operator put in. */
  topUps: { providerId: string; amount: bigint; at: Date }[]
  /**
   * What else changed the balance: nothing here knows what it is. `of`: the provider's id of what
   * it says that it is, as of a dispute.
   */
  others: { providerId: string; amount: bigint; what: string; of: string | null; at: Date }[]
  /** What can be paid out, and what payers paid that is not settled yet: together what is owed. */
  available: bigint
  unsettled: bigint
}

/**
 * What a payer's bank takes back of a payment until it is decided, in minor units. `payment`: the
 * provider's own id of it.
 */
export type Dispute = {
  payment: string
  reference: string | null
  amount: bigint
  currency: WalletCurrency
  state: 'open' | 'won' | 'lost'
  /** In the provider's words. */
  reason?: string | null
  /** Until when it takes evidence, where it says so. */
  dueAt?: Date | null
}

/** One payment. `givenBack`: it was paid, and all of it went back to its payer. */
export type ListedPayment = { movement: Movement; currency: WalletCurrency; givenBack: boolean }

export type StatementRail = {
  /**
   * Asks for a dispute by the provider's id; null when the provider says nothing of it that can be
   * so.
   */
  dispute(providerId: string): Promise<Dispute | null>
  /**
   * Asks for everything from a time on.
   * @param onRead is told how many rows have come
   * @throws {Error} a sentence, when the provider did not give all of it
   */
  read(from: Date, onRead?: (rows: number) => void): Promise<ProviderStatement>
  /**
   * Asks for one payment by the provider's id; null when there is none.
   * @throws {Error} a sentence, when the provider did not say
   */
  payment(providerId: string): Promise<ListedPayment | null>
}

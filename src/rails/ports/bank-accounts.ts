/** The port that opens bank accounts for incoming money, and queries deposits. */
import type { WalletCurrency } from '../../lib/money.ts'

/** A bank account for incoming money. `routingNumber` in the US only. */
export type BankAccount = {
  accountNumber: string
  bankName: string
  bankCode: string
  routingNumber: string | null
  /** The holder's name that payers see, if the bank uses another than requested. */
  accountName: string | null
}

/** A requested account. `id` is the idempotency key: the same id gives the same account. */
export type AccountRequest = {
  id: string
  businessId: string
  currency: WalletCurrency
  /** `static`: a customer's permanent account; `dynamic`: for one amount until a time. */
  kind: 'static' | 'dynamic'
  accountName: string
  amount: bigint | null
  expiresAt: Date | null
  customer: {
    id: string
    email: string
    firstName: string | null
    lastName: string | null
    /** E.164. */
    phone: string | null
  } | null
  /** The email of a `dynamic` account's payer, if known. */
  email: string | null
  /** Null until known. */
  providerReference: string | null
  /** The time of the business and mode. */
  at: Date
}

/**
 * Why a provider opens no account. `not_enabled`: the provider must enable it; `amount_too_small`:
 * below its `minAmount`.
 */
export type AccountRefusal =
  | 'customer_incomplete'
  | 'identity_required'
  | 'limit_reached'
  | 'not_enabled'
  | 'amount_too_small'
  | 'rejected'

/**
 * A rail's answer about an account. `pending`: its bank may still open it. `refused` is final.
 * `unknown`: it may have been opened. `not_found`: it was not opened, and may be requested again.
 * If `askAgainInMs` is null, queries use a growing backoff.
 */
export type AccountState =
  | {
      state: 'open'
      account: BankAccount
      providerReference: string | null
      expiresAt: Date | null
    }
  | { state: 'pending'; providerReference: string | null; askAgainInMs: number | null }
  | { state: 'refused'; reason: AccountRefusal }
  | { state: 'unknown'; askAgainInMs: number | null }
  | { state: 'not_found' }

/** Static facts about a rail's accounts. */
export type AccountRailTerms = {
  name: string
  /**
   * Whether the payer's email must be known before opening a one-time account; the page then asks
   * for it.
   */
  needsEmail?: boolean
  /** Whether it returns wrong amounts to a `dynamic` account itself. */
  exactAmounts?: boolean
  /** The smallest amount of a `dynamic` account, in minor units. */
  minAmount?: bigint
}

/**
 * A deposit, by its rail's answer. `unpaid`: no payment for this reference. `impossible`: the
 * answer contradicts itself, and is reported.
 */
export type DepositState =
  | {
      state: 'paid'
      /** The kind of its account. */
      kind: 'static' | 'dynamic'
      /** The provider's id of the movement. */
      providerId: string
      /** The reference of a `dynamic` account. */
      reference: string
      amount: bigint
      currency: WalletCurrency
      /** The provider's fee. */
      fee: bigint | null
      availableAt: Date | null
      /** The sender, as a transaction's `source`; null if unknown. */
      source: Record<string, string> | null
      /** The receiving account number, if the provider gives it. */
      accountNumber: string | null
      /** The account's owners as far as the provider knows: several if they share a name there. */
      customers: { businessId: string; customerId: string }[]
    }
  | { state: 'unpaid'; reference: string }
  | { state: 'impossible' }
  | { state: 'not_found' }
  | { state: 'unknown' }

export type AccountRail = AccountRailTerms & {
  /**
   * Opens an account. Idempotent by the request's id, and by its customer if the rail gives each
   * customer one account.
   */
  open(request: AccountRequest): Promise<AccountState>
  ask(request: AccountRequest): Promise<AccountState>
  /** Closes it at the provider. Idempotent. @throws {Error} when it may still be open */
  close(request: AccountRequest): Promise<void>
  /**
   * Returns the reference in the provider's notifications, which find the record by it. Absent if a
   * rail sends none.
   */
  referenceOf?(id: string): Promise<string>
  /** Queries a deposit by either of its names. */
  deposit?(about: { reference: string | null; providerId: string | null }): Promise<DepositState>
  /** Returns our customers of one of the provider's. Calls no provider. */
  ownersOf?(customer: string): Promise<{ businessId: string; customerId: string }[]>
}

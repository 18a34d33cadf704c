/**
 * The port by which bank accounts are opened that money can be sent to, and by which a rail is
 * asked about what has come.
 */
import type { WalletCurrency } from '../../lib/money.ts'

/** A bank account that money can be sent to. `routingNumber` in the US only. */
export type BankAccount = {
  accountNumber: string
  bankName: string
  bankCode: string
  routingNumber: string | null
  /** The holder that payers are shown, where the bank gives it another name than was asked for. */
  accountName: string | null
}

/** An account that is wanted. `id` is the idempotency key: the same account for the same id. */
export type AccountRequest = {
  id: string
  businessId: string
  currency: WalletCurrency
  /** `static`: a customer's own, for good; `dynamic`: for one amount until a time. */
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
  /** Of who pays to a `dynamic` one, where that is known. */
  email: string | null
  /** Once it is known. */
  providerReference: string | null
  /** The time of the business and mode. */
  at: Date
}

/**
 * Why a provider opens no account. `not_enabled`: it has to switch something on;
 * `amount_too_small`: it takes no less than its `minAmount`.
 */
export type AccountRefusal =
  | 'customer_incomplete'
  | 'identity_required'
  | 'limit_reached'
  | 'not_enabled'
  | 'amount_too_small'
  | 'rejected'

/**
 * What a rail says of an account. `pending`: its bank gives it later, or not. `refused` is final.
 * `unknown`: it may have been opened. `not_found`: it has not been, and may be asked for again.
 * Where `askAgainInMs` is null the rail is asked in ever longer steps.
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

/** What is known of the accounts of a rail without asking it. */
export type AccountRailTerms = {
  name: string
  /**
   * Whether the address of who pays to a one-time account must be known first: the page asks for
   * it.
   */
  needsEmail?: boolean
  /** Whether it sends what is not the exact amount of a `dynamic` account back by itself. */
  exactAmounts?: boolean
  /** The least that it opens a `dynamic` account for, in minor units. */
  minAmount?: bigint
}

/**
 * Money that came to an account, as its rail says when it is asked about it. `unpaid`: nothing has
 * come of what was named. `impossible`: what the rail says of it cannot be so, and is reported.
 */
export type DepositState =
  | {
      state: 'paid'
      /** What kind of account it came to. */
      kind: 'static' | 'dynamic'
      /** What the provider calls the movement. */
      providerId: string
      /** Of a `dynamic` account: what it was opened under. */
      reference: string
      amount: bigint
      currency: WalletCurrency
      /** What the provider keeps. */
      fee: bigint | null
      availableAt: Date | null
      /** Who sent it, as a transaction's `source`; null when the provider does not say. */
      source: Record<string, string> | null
      /** The account that it came to, where the provider says it. */
      accountNumber: string | null
      /**
       * Whose account it came to, as far as the provider knows: where two have one name there,
       * both.
       */
      customers: { businessId: string; customerId: string }[]
    }
  | { state: 'unpaid'; reference: string }
  | { state: 'impossible' }
  | { state: 'not_found' }
  | { state: 'unknown' }

export type AccountRail = AccountRailTerms & {
  /**
   * Idempotent by the request's id, and by its customer where a rail gives one customer one
   * account.
   */
  open(request: AccountRequest): Promise<AccountState>
  ask(request: AccountRequest): Promise<AccountState>
  /** Closes it at the provider. Idempotent. @throws {Error} when it may be open yet */
  close(request: AccountRequest): Promise<void>
  /**
   * What the provider knows it by: by this its notifications find the record. A rail that notifies
   * of nothing has none.
   */
  referenceOf?(id: string): Promise<string>
  /** Asks about money that came, by either name of it. */
  deposit?(about: { reference: string | null; providerId: string | null }): Promise<DepositState>
  /** Whose customer one of the provider's is. Asks no provider. */
  ownersOf?(customer: string): Promise<{ businessId: string; customerId: string }[]>
}

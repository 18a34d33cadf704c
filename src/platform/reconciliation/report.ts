/** What a reconciliation compares and reports. Amounts in minor units. */
import type { App } from '../../core/app.ts'
import { modeOf } from '../../lib/mode.ts'
import type { WalletCurrency } from '../../lib/money.ts'
import type { RailAccount } from '../../rails/ports/routes.ts'
import type { Movement, StatementRail } from '../../rails/ports/statement.ts'
import type { FindingKind } from './comparing.ts'

/**
 * A change of an account's balance at its provider that is no payment, payout, refund, settlement
 * or top-up; amount in minor units.
 */
export type BalanceChange = {
  livemode: boolean
  rail: string
  currency: WalletCurrency
  providerId: string
  /** The provider's id of what it is about, such as a dispute. */
  of: string | null
  amount: bigint
  at: Date
}

declare module '../../core/app.ts' {
  interface Strategies {
    /** Book such changes, once each. @returns whether the change is booked */
    accountChanges: readonly ((app: App, change: BalanceChange) => Promise<boolean>)[]
  }
}

export type ReconciledAccount = { livemode: boolean; rail: string; statement: StatementRail }

/** Returns an account whose provider gives statements, or null. */
export function findReconcilable(
  app: Pick<App, 'rails'>,
  livemode: boolean,
  rail: string,
): ReconciledAccount | null {
  const accounts: Record<string, RailAccount> = app.rails[modeOf(livemode)].accounts
  const statement = Object.hasOwn(accounts, rail) ? accounts[rail]?.statement : undefined
  return statement ? { livemode, rail, statement } : null
}

/**
 * A difference between the provider and the books.
 * @property difference the amount that the provider owes beyond the books
 * @property accepted whether a person has closed the incident before
 */
export type Finding = {
  kind: FindingKind | 'balance_differs'
  subject: string
  difference: bigint
  detail: Record<string, unknown>
  accepted: boolean
}

/** The totals of a kind of movement: listed by the provider, and booked as listed (`agreed`). */
export type ReportLine = {
  kind: Movement['kind']
  listed: number
  agreed: number
  waiting: number
  amount: bigint
  fees: bigint
}

/** @property onTheWay the amount of unfinished movements at the provider, which is not booked */
export type ReconciliationReport = {
  livemode: boolean
  rail: string
  currency: WalletCurrency
  from: Date
  to: Date
  lines: ReportLine[]
  settlements: number
  topUps: number
  opening: bigint | null
  available: bigint
  unsettled: bigint
  onTheWay: bigint
  owed: bigint
  booked: bigint
  difference: bigint
  findings: Finding[]
}

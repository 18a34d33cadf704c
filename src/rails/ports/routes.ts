/** Accounts at providers, the routes to them, and static facts about them. */
import type { Currency, WalletCurrency } from '../../lib/money.ts'
import type { PeriodicTask } from '../../lib/periodic.ts'
import type { AssumptionCheck } from './assumptions.ts'
import type { AccountRail, AccountRailTerms } from './bank-accounts.ts'
import type { CardRail, CardTerms } from './cards.ts'
import type { DisputeRail, DisputeTerms } from './disputes.ts'
import type { Approvals, Inbound } from './inbound.ts'
import type {
  AddressRail,
  AddressTerms,
  CheckoutRail,
  CheckoutTerms,
  IdentityRail,
  IdentityTerms,
  LookupRail,
  Obstacle,
  PayoutRail,
  PayoutTerms,
  RefundRail,
  RefundTerms,
  SimulatedRail,
} from './rail.ts'
import type { StatementRail } from './statement.ts'

/** The operations that can be routed to accounts, and the port of each. */
export type Ports = {
  payout: PayoutRail
  /** Looks up account holders. */
  lookup: LookupRail
  card: CheckoutRail
  /** The one-time account of a payment. */
  bank_transfer: AccountRail
  /** A virtual account. */
  account: AccountRail
  /** Verifies identities, by country and not by currency. */
  identity: IdentityRail
}
export type Operation = keyof Ports

/** Every route: an operation and its currency. */
export const routeNames = [
  'payout.ngn',
  'payout.usd',
  'lookup.ngn',
  'card.ngn',
  'card.usd',
  'bank_transfer.ngn',
  'bank_transfer.usd',
  'account.ngn',
  'account.usd',
  'identity.ng',
] as const satisfies readonly `${Operation}.${WalletCurrency | 'ng'}`[]
export type RouteName = (typeof routeNames)[number]

/**
 * The accounts of each route, by name, in the order in which they are tried. The sandbox also pays
 * out tokens.
 */
export type Routes = Partial<Record<`${Operation}.${Currency | 'ng'}`, readonly string[]>>

/** The state of an account at a provider. */
export type AccountCheck = {
  /**
   * A sentence on why the account must not be used, such as a key of the other mode: no server
   * starts with that.
   */
  fatal: string | null
  /** Whether the provider accepts the key; null if it did not answer. */
  keyWorks: boolean | null
  /** Why it accepts no payouts now. */
  obstacle: Obstacle | null
  /** The balances to pay out from, in minor units. */
  balances: Partial<Record<WalletCurrency, bigint>>
  /** Sentences that a person should read. */
  warnings: string[]
}

/** A bank in a provider's list. */
export type ListedBank = {
  code: string
  name: string
  /** 6 digits of the Nigerian instant payment scheme. */
  nipCode: string | null
  /** Whether its accounts can receive money now. */
  usable: boolean
}

/**
 * An account at a provider. Its name is unique in its mode and never reused: records and the
 * ledger's `rail_clearing` store it, and each of its ports has it as `name`.
 */
export type RailAccount = {
  name: string
  provider: string
  /** The businesses that it serves: all, or those with these ids. */
  serves: '*' | readonly string[]
  ports: Partial<Ports>
  /**
   * Refunds money that this account received. It has no route, because a refund goes by the account
   * that took the money.
   */
  refunds?: RefundRail
  /** Queries the provider about the account's state. */
  check?(): Promise<AccountCheck>
  inbound?: Inbound
  approvals?: Approvals
  /** Balances below which the operator is alerted, in minor units. */
  alertBelow?: Partial<Record<WalletCurrency, bigint>>
  /** The provider's statement of movements and debts. */
  statement?: StatementRail
  /** Answers disputes. Without it, a person answers them at the provider. */
  disputes?: DisputeRail
  /**
   * Returns the provider's banks as this process last read them. Calls no provider, and does not
   * wait.
   */
  banks?(): readonly ListedBank[]
  /** The account's periodic tasks for workers. */
  tasks?: readonly PeriodicTask[]
  /** Checks the assumptions about the provider on a person's request; null for live accounts. */
  assumptions?: AssumptionCheck | undefined
}

/**
 * The permanent account of test mode. A person can set its outcomes, and only it gets card numbers.
 */
export type SandboxAccount = RailAccount & {
  name: 'sandbox'
  ports: Omit<Ports, 'card' | 'payout' | 'identity'> & { payout: SimulatedRail }
  refunds: RefundRail
  cards: CardRail
  /** How long each of its steps takes, in the business's test time. */
  delayMs: number
}

/** The rails of one mode. */
type RailsOfMode = {
  accounts: Record<string, RailAccount>
  routes: Routes
  addresses: AddressRail | null
}

export type Rails = {
  test: RailsOfMode & { sandbox: SandboxAccount }
  live: RailsOfMode
  /** The payout rails of the server's networks, by network id. */
  chains: { test: Record<string, PayoutRail>; live: Record<string, PayoutRail> }
}

/** Static facts about an account. */
export type AccountTerms = Pick<RailAccount, 'name' | 'provider' | 'serves' | 'banks'> & {
  ports: {
    payout?: PayoutTerms
    card?: CheckoutTerms
    bank_transfer?: AccountRailTerms
    account?: AccountRailTerms
    identity?: IdentityTerms
  }
  refunds?: RefundTerms
  disputes?: DisputeTerms
}

type TermsOfMode = {
  accounts: Record<string, AccountTerms>
  routes: Routes
  addresses: AddressTerms | null
}

/** Static facts about all rails. */
export type RailTerms = {
  test: TermsOfMode & { sandbox: { cards: CardTerms; delayMs: number } }
  live: TermsOfMode
  chains: { test: Record<string, PayoutTerms>; live: Record<string, PayoutTerms> }
}

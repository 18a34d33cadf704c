/**
 * Who serves what: accounts at providers, the routes that lead to them, and what is known of them
 * without asking.
 */
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

/** What can be routed to accounts at providers, and the port that an account serves it by. */
export type Ports = {
  payout: PayoutRail
  /** Who holds a bank account. */
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

/** Every route: what is asked for, in which currency. */
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
 * Who serves each route: names of accounts, in the order in which they are tried. The sandbox pays
 * out tokens too.
 */
export type Routes = Partial<Record<`${Operation}.${Currency | 'ng'}`, readonly string[]>>

/** How an account at a provider stands. */
export type AccountCheck = {
  /**
   * A sentence that says why nothing may be sent to it, such as that its key is of the other mode:
   * no server starts with that.
   */
  fatal: string | null
  /** Whether the provider takes the key; null where it could not be asked. */
  keyWorks: boolean | null
  /** Why it takes no payouts now. */
  obstacle: Obstacle | null
  /** What it holds to pay out from, in minor units. */
  balances: Partial<Record<WalletCurrency, bigint>>
  /** Sentences that a person should read. */
  warnings: string[]
}

/** A bank as a provider lists it. */
export type ListedBank = {
  code: string
  name: string
  /** 6 digits of the Nigerian instant payment scheme. */
  nipCode: string | null
  /** Whether money can be sent to its accounts now. */
  usable: boolean
}

/**
 * An account at a provider. Its name is unique in its mode and never reused: it is what records and
 * the ledger's `rail_clearing` keep, and the `name` of each of its ports.
 */
export type RailAccount = {
  name: string
  provider: string
  /** Whom it serves: every business, or those with these ids. */
  serves: '*' | readonly string[]
  ports: Partial<Ports>
  /**
   * Gives back what came by this account. No route leads to it: a refund goes by the account that
   * took the money.
   */
  refunds?: RefundRail
  /** Asks the provider how the account stands. */
  check?(): Promise<AccountCheck>
  inbound?: Inbound
  approvals?: Approvals
  /** Below which balances the operator is alerted, in minor units. */
  alertBelow?: Partial<Record<WalletCurrency, bigint>>
  /** What moved there and what it owes, as the provider says. */
  statement?: StatementRail
  /** Answers disputes. Without it, a person answers them at the provider. */
  disputes?: DisputeRail
  /**
   * The banks that the provider listed last, as this process has read them. Asks no provider, and waits
   * for nothing.
   */
  banks?(): readonly ListedBank[]
  /** What workers do for the account again and again. */
  tasks?: readonly PeriodicTask[]
  /**
   * Checks what is assumed of the provider, when a person asks for it; an account of live mode has
   * none.
   */
  assumptions?: AssumptionCheck | undefined
}

/**
 * The account of test mode that is always there. Its outcomes can be decided by hand, and it alone
 * is given numbers of cards.
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
  /** What pays out on the networks that the server speaks to, by their ids. */
  chains: { test: Record<string, PayoutRail>; live: Record<string, PayoutRail> }
}

/** What is known of an account without asking it. */
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

/** What is known of all rails without asking them. */
export type RailTerms = {
  test: TermsOfMode & { sandbox: { cards: CardTerms; delayMs: number } }
  live: TermsOfMode
  chains: { test: Record<string, PayoutTerms>; live: Record<string, PayoutTerms> }
}

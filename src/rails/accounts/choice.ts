/**
 * Chooses rails by mode, operation, currency and business. Money to a network that this server uses
 * goes by that network's rail.
 */
import { refuse } from '../../lib/errors.ts'
import { type Mode, modeOf } from '../../lib/mode.ts'
import type { AccountRail } from '../ports/bank-accounts.ts'
import type { CardRail } from '../ports/cards.ts'
import type {
  AddressRail,
  AddressTerms,
  CardBrand,
  Charge,
  CheckoutRail,
  IdentityRail,
  IdentityTerms,
  OrderRail,
  PayoutTerms,
} from '../ports/rail.ts'
import type {
  AccountTerms,
  ListedBank,
  Operation,
  Ports,
  RailAccount,
  Rails,
  RailTerms,
  Routes,
} from '../ports/routes.ts'

type InMode = { scope: { livemode: boolean; businessId: string } }
/** A context that can call rails. */
export type WithRails = InMode & { rails: Rails }
export type WithTerms = InMode & { terms: RailTerms }
/** The facts that choose the rail of outgoing money. */
type To = { currency: string; chain?: string }

const mode = ({ scope }: InMode): Mode => modeOf(scope.livemode)

const nouns: Record<Operation | 'address', string> = {
  payout: 'payouts',
  lookup: 'name lookups',
  card: 'cards',
  bank_transfer: 'bank transfers',
  account: 'virtual accounts',
  address: 'crypto addresses',
  identity: 'identity checks',
}

/** @throws {Refusal} always */
function refuseMissing(operation: Operation | 'address', currency?: string): never {
  const what = currency === undefined ? nouns[operation] : `${nouns[operation]} in ${currency}`
  refuse('rail_not_configured', `No rail for ${what} is configured in live mode on this server.`)
}

/** Returns static facts about the rails: data without a way to call them. */
export function termsOf(rails: Rails): RailTerms {
  const data = <T extends object>(rail: T): T =>
    Object.fromEntries(Object.entries(rail).filter(([, part]) => typeof part !== 'function')) as T
  const each = <T, U>(all: Record<string, T>, of: (one: T) => U): Record<string, U> =>
    Object.fromEntries(Object.entries(all).map(([name, one]) => [name, of(one)]))
  const ofMode = ({ accounts, routes, addresses }: Rails['live']) => ({
    accounts: each(
      accounts,
      ({
        name,
        provider,
        serves,
        banks,
        refunds,
        disputes,
        ports: { payout, card, bank_transfer, account, identity },
      }) => ({
        name,
        provider,
        serves,
        ...(banks ? { banks } : {}),
        ports: {
          ...(payout && { payout: data(payout) }),
          ...(card && { card: data(card) }),
          ...(bank_transfer && { bank_transfer: data(bank_transfer) }),
          ...(account && { account: data(account) }),
          ...(identity && { identity: data(identity) }),
        },
        ...(refunds && { refunds: data(refunds) }),
        ...(disputes && { disputes: data(disputes) }),
      }),
    ),
    routes,
    addresses: addresses && data(addresses),
  })
  const { test, live, chains } = rails
  return {
    test: {
      ...ofMode(test),
      sandbox: { cards: data(test.sandbox.cards), delayMs: test.sandbox.delayMs },
    },
    live: ofMode(live),
    chains: { test: each(chains.test, data), live: each(chains.live, data) },
  }
}

type Served = Pick<RailAccount, 'name' | 'serves'>

/**
 * Returns the accounts of a route for a business, in order: its own first. If it has its own, its
 * money uses no others, because other accounts hold someone else's money. Name lookups may use any
 * account.
 */
function serving<A extends Served>(
  { accounts, routes }: { accounts: Record<string, A>; routes: Routes },
  { scope }: InMode,
  operation: Operation,
  currency: string,
): A[] {
  const own: A[] = []
  const shared: A[] = []
  for (const name of routes[`${operation}.${currency}` as keyof Routes] ?? []) {
    const account = accounts[name] as A
    if (account.serves === '*') shared.push(account)
    else if (account.serves.includes(scope.businessId)) own.push(account)
  }
  return own.length > 0 && operation !== 'lookup' ? own : [...own, ...shared]
}

/**
 * Returns static facts about the account that serves an operation.
 * @throws {Refusal} `rail_not_configured`
 */
export function accountFor(view: WithTerms, operation: Operation, currency: string): AccountTerms {
  return (
    serving(view.terms[mode(view)], view, operation, currency)[0] ??
    refuseMissing(operation, currency)
  )
}

/** Whether any account serves an operation. */
export function isServed(view: WithTerms, operation: Operation, currency: string): boolean {
  return serving(view.terms[mode(view)], view, operation, currency).length > 0
}

/**
 * Returns the rails of an operation in the order in which they are tried: at least one.
 * @throws {Refusal} `rail_not_configured`
 */
export function railsFor<O extends Operation>(
  ctx: WithRails,
  operation: O,
  currency: string,
): Ports[O][] {
  const rails = serving(ctx.rails[mode(ctx)], ctx, operation, currency).flatMap(
    ({ ports }) => ports[operation] ?? [],
  )
  return rails.length > 0 ? (rails as Ports[O][]) : refuseMissing(operation, currency)
}

/**
 * Returns the first of them.
 * @throws {Refusal} `rail_not_configured`
 */
export function railFor<O extends Operation>(
  ctx: WithRails,
  operation: O,
  currency: string,
): Ports[O] {
  return railsFor(ctx, operation, currency)[0] as Ports[O]
}

/**
 * Returns the banks of a currency, from the account that looks up names or pays out; none if no
 * account lists banks.
 */
export function listedBanks(view: WithTerms, currency: string): readonly ListedBank[] {
  const accounts = (['lookup', 'payout'] as const).flatMap((operation) =>
    serving(view.terms[mode(view)], view, operation, currency),
  )
  return accounts.map(({ banks }) => banks?.() ?? []).find((banks) => banks.length > 0) ?? []
}

/** Returns the rail of the mode's deposit addresses. @throws {Refusal} `rail_not_configured` */
export const addressRail = (ctx: WithRails): AddressRail =>
  ctx.rails[mode(ctx)].addresses ?? refuseMissing('address')

/** Returns static facts about it. @throws {Refusal} `rail_not_configured` */
export const addressTerms = (view: WithTerms): AddressTerms =>
  view.terms[mode(view)].addresses ?? refuseMissing('address')

/**
 * Whether payers type card numbers on our own page: only if the sandbox takes the cards, so never
 * in live mode.
 */
export function takesCardNumbers(view: WithTerms, currency: string): boolean {
  const { sandbox } = view.terms.test
  return !view.scope.livemode && accountFor(view, 'card', currency).name === sandbox.cards.name
}

/** Whether payers pay by card on a provider's page. */
export function leavesForCards(view: WithTerms, currency: string): boolean {
  return serving(view.terms[mode(view)], view, 'card', currency)[0]?.ports.card !== undefined
}

/** Returns the card brands that the serving rail accepts from every payer; none if unknown. */
export function cardBrands(view: WithTerms, currency: string): readonly CardBrand[] {
  const of = takesCardNumbers(view, currency)
    ? view.terms.test.sandbox.cards
    : serving(view.terms[mode(view)], view, 'card', currency)[0]?.ports.card
  return of?.brands?.[currency] ?? []
}

/** Whether payers of this method must give an email address first. */
export function asksForEmail(
  view: WithTerms,
  method: 'card' | 'bank_transfer',
  currency: string,
): boolean {
  const [first] = serving(view.terms[mode(view)], view, method, currency)
  return first?.ports[method]?.needsEmail === true
}

/**
 * Returns the rail of an attempt's page, by the name in its record.
 * @throws {Refusal} `rail_not_configured`
 */
export function checkoutOf(ctx: WithRails, rail: string): CheckoutRail {
  return (
    ctx.rails[mode(ctx)].accounts[rail]?.ports.card ??
    refuse('rail_not_configured', `The rail '${rail}' is not configured on this server any more.`)
  )
}

/**
 * Returns static facts about the rail that verifies a type of document; null if none does: in test
 * mode, where the sandbox does, and for types that a person reviews.
 * @param byPerson whether a person reviews the type
 * @throws {Refusal} `rail_not_configured`
 */
export function identityTerms(
  view: WithTerms,
  idType: string,
  byPerson: boolean,
): IdentityTerms | null {
  const rails = serving(view.terms[mode(view)], view, 'identity', 'ng').flatMap(
    ({ ports }) => ports.identity ?? [],
  )
  const found = rails.find(({ idTypes }) => idTypes.includes(idType))
  if (found || byPerson || !view.scope.livemode) return found ?? null
  const known = [...new Set(rails.flatMap(({ idTypes }) => idTypes))]
  if (known.length === 0)
    refuse(
      'rail_not_configured',
      'No identity verification is configured for live mode on this server.',
    )
  refuse(
    'rail_not_configured',
    `No rail of this server verifies a ${idType} in live mode; give one of these: ${known.join(', ')}.`,
  )
}

/**
 * Returns the rail of a document, by the name in its record.
 * @throws {Refusal} `rail_not_configured`
 */
export function identityRailOf(ctx: WithRails, rail: string): IdentityRail {
  return (
    ctx.rails[mode(ctx)].accounts[rail]?.ports.identity ??
    refuse('rail_not_configured', `The rail '${rail}' is not configured on this server any more.`)
  )
}

/**
 * Returns the only rail that gets card numbers. @throws {Refusal} `rail_not_configured` in live
 * mode
 */
export const cardRail = ({ scope, rails }: WithRails): CardRail =>
  scope.livemode ? refuseMissing('card') : rails.test.sandbox.cards

const chainOf = <T>(
  chains: { test: Record<string, T>; live: Record<string, T> },
  view: InMode,
  { chain }: To,
) => (chain === undefined ? undefined : chains[mode(view)][chain])

/**
 * Returns static facts about the payout rail of a destination: its chain's, if this server uses
 * that chain, or else the first account's that serves payouts in the currency.
 * @throws {Refusal} `rail_not_configured`
 */
export function payoutTerms(view: WithTerms, to: To): PayoutTerms {
  return (
    chainOf(view.terms.chains, view, to) ??
    accountFor(view, 'payout', to.currency).ports.payout ??
    refuseMissing('payout', to.currency)
  )
}

/** Whether a rail pays out to a destination. */
export function canPayOut(view: WithTerms, to: To): boolean {
  return chainOf(view.terms.chains, view, to) !== undefined || isServed(view, 'payout', to.currency)
}

/** The fields of an order's record that determine its rail. */
export type OrderRecord = { rail: string; destination: { chain?: string; charge?: string } }

/**
 * Returns the rail that received money, for its refund.
 * @throws {Refusal} `rail_not_configured`
 */
export function railToRefund(view: WithTerms, rail: string, method: Charge['method']): string {
  if (canRefund(view, rail, method)) return rail
  refuse(
    'rail_not_configured',
    `The rail '${rail}', which took the money, sends none back on this server.`,
  )
}

/** Whether the rail that received money can refund this method. */
export function canRefund(view: WithTerms, rail: string, method: Charge['method']): boolean {
  return view.terms[mode(view)].accounts[rail]?.refunds?.methods.includes(method) ?? false
}

/**
 * Returns the rail of a submitted order, by the name in its record: an order stays with its rail,
 * even if the configuration changes.
 * @throws {Refusal} `rail_not_configured`
 */
export function railOfOrder(
  ctx: WithRails,
  { rail, destination: { chain, charge } }: OrderRecord,
): OrderRail {
  const account = ctx.rails[mode(ctx)].accounts[rail]
  const known = [
    chain === undefined ? undefined : ctx.rails.chains[mode(ctx)][chain],
    charge === undefined ? account?.ports.payout : account?.refunds,
  ]
  return (
    known.find((one) => one?.name === rail) ??
    refuse('rail_not_configured', `The rail '${rail}' is not configured on this server any more.`)
  )
}

/**
 * Returns the rail of an account, by the name in its record.
 * @throws {Refusal} `rail_not_configured`
 */
export function railOfAccount(ctx: WithRails, rail: string): AccountRail {
  const ports = ctx.rails[mode(ctx)].accounts[rail]?.ports
  return (
    ports?.account ??
    ports?.bank_transfer ??
    refuse('rail_not_configured', `The rail '${rail}' is not configured on this server any more.`)
  )
}

/**
 * Returns the rails that an unsubmitted order may use, in the order in which they are tried. An
 * order to a network stays with the rail it was created for.
 * @throws {Refusal} `rail_not_configured`
 */
export function railsForOrder(ctx: WithRails, record: OrderRecord, currency: string): OrderRail[] {
  return record.destination.chain === undefined
    ? railsFor(ctx, 'payout', currency)
    : [railOfOrder(ctx, record)]
}

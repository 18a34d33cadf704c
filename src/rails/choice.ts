/**
 * Which rail serves what: by the mode, the kind, and for money on its way out by where it goes.
 */
import { refuse } from '../lib/errors.ts'
import type { PayoutRail, PayoutTerms, RailSet, Rails, RailTerms } from './rail.ts'

type InMode = { scope: { livemode: boolean } }
/** Who can ask rails. */
export type WithRails = InMode & { rails: Rails }
type WithTerms = InMode & { terms: RailTerms }
type Kind = keyof RailSet
/** Where an order goes; `charge` is of a card. */
type To = { chain?: string; charge?: string }

const mode = ({ scope }: InMode): 'live' | 'test' => (scope.livemode ? 'live' : 'test')

/** @throws {Refusal} always */
function refuseMissing(kind: Kind): never {
  refuse('rail_not_configured', `No rail for ${kind} is configured in live mode on this server.`)
}

/** What is known of the rails, apart from the rails: data that nobody can ask with. */
export function termsOf(rails: Rails): RailTerms {
  const data = <T extends object>(rail: T): T =>
    Object.fromEntries(Object.entries(rail).filter(([, part]) => typeof part !== 'function')) as T
  const ofMode = (set: Rails['live']) =>
    Object.fromEntries(Object.entries(set).map(([kind, rail]) => [kind, rail && data(rail)])) as RailTerms['live']
  const ofChains = (chains: Record<string, PayoutRail>) =>
    Object.fromEntries(Object.entries(chains).map(([chain, rail]) => [chain, data(rail)]))
  const { test, live, chains } = rails
  return {
    test: ofMode(test),
    live: ofMode(live),
    chains: { test: ofChains(chains.test), live: ofChains(chains.live) },
  }
}

/**
 * The rail of a kind that serves the scope's mode.
 * @throws {Refusal} `rail_not_configured`
 */
export function railOf<K extends Kind>(ctx: WithRails, kind: K): RailSet[K] {
  const rails: { [Any in Kind]: RailSet[Any] | null } = ctx.rails[mode(ctx)]
  const rail = rails[kind]
  return rail ?? refuseMissing(kind)
}

/**
 * What is known of that rail.
 * @throws {Refusal} `rail_not_configured`
 */
export function railTerms<K extends Kind>(view: WithTerms, kind: K): NonNullable<RailTerms['live'][K]> {
  return view.terms[mode(view)][kind] ?? refuseMissing(kind)
}

/**
 * What is known of the rail that pays out to a destination: its chain's, where this server speaks to that chain, else the mode's.
 * @throws {Refusal} `rail_not_configured`
 */
export function payoutTerms(view: WithTerms, { chain }: To): PayoutTerms {
  return (chain === undefined ? undefined : view.terms.chains[mode(view)][chain]) ?? railTerms(view, 'payouts')
}

/** Whether there is a rail that pays out to a destination. */
export function canPayOut(view: WithTerms, { chain }: To): boolean {
  const { [mode(view)]: rails, chains } = view.terms
  return rails.payouts !== null || (chain !== undefined && chain in chains[mode(view)])
}

/**
 * What is known of the rail that took a card's money, as the one that sends it back.
 * @throws {Refusal} `rail_not_configured`
 */
export function refundTerms(view: WithTerms, rail: string): PayoutTerms {
  const { refunds } = view.terms[mode(view)]
  return refunds?.name === rail
    ? refunds
    : refuse('rail_not_configured', `The rail '${rail}', which took the money, sends none back on this server.`)
}

/** Whether the rail that took a card's money can send it back. */
export function canRefund(view: WithTerms, rail: string): boolean {
  return view.terms[mode(view)].refunds?.name === rail
}

/**
 * The rail that an order was submitted to, by the name its record keeps: an order never changes its rail, also when the configuration
 * does.
 * @throws {Refusal} `rail_not_configured`
 */
export function railOfOrder(
  ctx: WithRails,
  { rail, destination: { chain, charge } }: { rail: string; destination: To },
): PayoutRail {
  const { [mode(ctx)]: rails, chains } = ctx.rails
  const known =
    charge === undefined ? [chain === undefined ? undefined : chains[mode(ctx)][chain], rails.payouts] : [rails.refunds]
  return (
    known.find((one) => one?.name === rail) ??
    refuse('rail_not_configured', `The rail '${rail}' is not configured on this server any more.`)
  )
}

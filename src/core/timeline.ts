/**
 * The history of a record, as its module tells it. `GET /explain/{id}` joins the timelines of all
 * modules.
 */
import type { Id } from '../lib/ids.ts'
import type { Waits, WaitsFor } from '../rails/ports/rail.ts'
import { outgoingOf } from '../rails/records/outgoing.ts'
import type { View } from './inside.ts'

/** A point in a record's history. */
export type Moment = {
  at: Date
  /** `provider`: the rail's id of the record. */
  kind?: 'state' | 'provider'
  title: string
  detail?: Record<string, unknown>
  ids?: Record<string, Id | null>
  /** The type of the event that was emitted at this moment. */
  event?: string
}

/** A moment, where it has come. */
export type MaybeMoment = Omit<Moment, 'at'> & { at: Date | null }

/** A reference to a record; without `kind`, the id alone identifies it. */
export type Part = { kind?: string; id: Id }

/** Events to include: those of a type and period whose payload contains an id, or one by its id. */
export type Sought = { type: string; between: [Date, Date]; about: Id } | { event: Id }

export type Timeline = {
  status: string | null
  moments: Moment[]
  /** Merchant transactions whose postings and receipts belong to the record. */
  transactions?: Id[]
  /** Events beside those of the moments. */
  events?: Sought[]
  /** Records whose timelines are included in this one. */
  parts?: Part[]
  /** Related records, by role. */
  related?: Record<string, Id | null>
}

/**
 * The timelines of one kind of record. Each statement uses an index and returns a bounded number of
 * rows.
 */
export type TimelineSource = {
  kind: string
  /** Returns null if the record does not exist. */
  read?(view: View, id: Id): Promise<Timeline | null>
  /** Descriptions of its jobs, by task name. */
  jobs?: Record<string, string>
  /** Returns the newest `limit` records of this module that belong to a record of another kind. */
  partsOf?: Record<string, (view: View, id: Id, limit: number) => Promise<Part[]>>
}

/** Returns a word for the receiving side of an order. */
export const takerOf = (method: string): string =>
  method === 'card' ? 'card’s provider' : method === 'bank_transfer' ? 'bank' : 'network'

/** Why an order is not sent, and what will end the wait. */
const reasons: Record<WaitsFor, (order: string, taker: string) => string> = {
  held: (order) => `The operator holds all outgoing money: the ${order} waits until it is let go`,
  balance_too_low: (order) =>
    `The account that the ${order} is paid from holds too little: it waits until the operator has added money`,
  otp_required: (order, taker) =>
    `The ${taker} asks for a code at each transfer: the ${order} waits until the operator has had that switched off`,
  not_enabled: (order, taker) =>
    `The ${taker} has not enabled this for the operator: the ${order} waits until it has`,
  bad_credentials: (order, taker) =>
    `The ${taker} does not take the operator’s key: the ${order} waits until the operator has corrected it`,
  rate_limited: (order, taker) =>
    `The ${taker} takes no more requests for a moment: the ${order} waits`,
  provider_down: (order, taker) =>
    `The ${taker} takes nothing on now: the ${order} waits until it does`,
  not_configured: (order) =>
    `No rail that takes the ${order} is configured: it waits until the operator has set one up`,
}

type Unsent = {
  noun: string
  method: string
  rail: string
  waits: Waits | null
  since: Date
  chain: string | undefined
}

/**
 * Returns what an open order waits for: why, since when, and what ends the wait.
 * @param sent whether a rail has the order; on a network it is then signed and confirmed
 * @param since when it got its current status
 */
export async function orderWaits(
  view: View,
  {
    noun,
    method,
    rail,
    waits,
    since,
    chain,
    sent,
    txHash,
  }: Unsent & { sent: boolean; txHash: string | null },
): Promise<(Omit<Moment, 'at'> & { at: Date | null })[]> {
  // Sandbox orders move no money and are never held.
  if (rail === view.terms.test.sandbox.cards.name) return []
  const { heldAt } = await outgoingOf(view.reader)
  const taker = takerOf(method)
  const isSigned = chain === undefined || txHash !== null
  if (heldAt !== null && (!sent || waits?.for === 'held' || !isSigned))
    return [{ at: heldAt, title: reasons.held(noun, taker) }]
  // After a release of held money, the order is offered again at once.
  if (waits !== null && waits.for !== 'held')
    return [
      {
        at: new Date(waits.since),
        title: reasons[waits.for](noun, taker),
        detail: { waits_for: waits.for },
      },
    ]
  if (!sent || chain === undefined) return []
  if (!isSigned) return [{ at: since, title: `The ${noun} waits to be signed for the network` }]
  return [confirmingOf(view, chain, since, noun)]
}

/** Returns the moment of a transfer that waits for confirmations. */
export function confirmingOf({ networks }: View, chain: string, at: Date, noun: string): Moment {
  const confirmations = networks.find(({ id }) => id === chain)?.confirmations
  const blocks =
    confirmations === undefined ? 'its confirmations' : `${confirmations} blocks on top of it`
  return {
    at,
    title: `The ${noun} waits for ${blocks} on the network`,
    detail: { network: chain, confirmations },
  }
}

/** Returns the moments that have a time. */
export function momentsOf(moments: MaybeMoment[]): Moment[] {
  return moments.filter((moment): moment is Moment => moment.at !== null)
}

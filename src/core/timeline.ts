/**
 * What became of a record, as its module tells it: what the module knows by its own rows, and where
 * the rest is found. `GET /explain/{id}` puts together what all modules tell.
 */
import type { Id } from '../lib/ids.ts'
import type { Waits, WaitsFor } from '../rails/ports/rail.ts'
import { outgoingOf } from '../rails/records/outgoing.ts'
import type { View } from './inside.ts'

/** A moment of a record's life. */
export type Moment = {
  at: Date
  /** `provider`: what the rail knows it by. */
  kind?: 'state' | 'provider'
  title: string
  detail?: Record<string, unknown>
  ids?: Record<string, Id | null>
  /** The type of the event about the record that was emitted in that very moment. */
  event?: string
}

/** A record; without a kind, whatever record has the id. */
export type Part = { kind?: string; id: Id }

/** Events of a type, from a moment to another, in whose payload an id is; or one event. */
export type Sought = { type: string; between: [Date, Date]; about: Id } | { event: Id }

export type Timeline = {
  status: string | null
  moments: Moment[]
  /** Merchant's transactions whose postings and receipts are the record's. */
  transactions?: Id[]
  /** Events, besides those of its moments. */
  events?: Sought[]
  /** Records whose timelines are parts of this one. */
  parts?: Part[]
  /** Others that have to do with it, by what they are. */
  related?: Record<string, Id | null>
}

/**
 * How the records of a kind are told of. Each statement finds by an index, and gives so many rows
 * at most.
 */
export type TimelineSource = {
  kind: string
  /** Null where there is no such record. */
  read?(view: View, id: Id): Promise<Timeline | null>
  /** By the names of their tasks, what its jobs do, in words. */
  jobs?: Record<string, string>
  /** Records of this module that are parts of the timelines of other kinds: the newest `limit`. */
  partsOf?: Record<string, (view: View, id: Id, limit: number) => Promise<Part[]>>
}

/** Who takes an order that money goes out by, in words. */
export const takerOf = (method: string): string =>
  method === 'card' ? 'card’s provider' : method === 'bank_transfer' ? 'bank' : 'network'

/** Why an order is not sent, and who or what ends that. */
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
 * What an order waits for that has not ended: why it is not sent, since when, and who ends that.
 * @param sent whether a rail has it; on a network it is signed, and then confirmed
 * @param since when it became so
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
  // What the sandbox is sent moves no money, and is never held.
  if (rail === view.terms.test.sandbox.cards.name) return []
  const { heldAt } = await outgoingOf(view.reader)
  const taker = takerOf(method)
  const isSigned = chain === undefined || txHash !== null
  if (heldAt !== null && (!sent || waits?.for === 'held' || !isSigned))
    return [{ at: heldAt, title: reasons.held(noun, taker) }]
  // One that was held until now is offered again at once.
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

/** What a transfer waits for that is on a network. */
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

/** The moments that have come to be: those without a time have not. */
export function momentsOf(moments: (Omit<Moment, 'at'> & { at: Date | null })[]): Moment[] {
  return moments.filter((moment): moment is Moment => moment.at !== null)
}

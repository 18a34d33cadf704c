/**
 * What became of a record, as its room tells it: what the room knows by its own rows, and where the rest is found. `GET /explain/{id}`
 * puts together what all rooms tell.
 */
import type { Id } from '../lib/ids.ts'
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

/** How the records of a kind are told of. Each statement finds by an index, and gives so many rows at most. */
export type TimelineSource = {
  kind: string
  /** Null where there is no such record. */
  read?(view: View, id: Id): Promise<Timeline | null>
  /** Its jobs, by the names of their tasks: what they do, in words. */
  waits?: Record<string, string>
  /** Records of this room that are parts of the timelines of other kinds: the newest `limit`. */
  partsOf?: Record<string, (view: View, id: Id, limit: number) => Promise<Part[]>>
}

/** Who takes an order that money goes out by, in words. */
export const takerOf = (method: string): string =>
  method === 'card' ? 'card’s provider' : method === 'bank_transfer' ? 'bank' : 'network'

/** The moments that have come to be: those without a time have not. */
export function momentsOf(moments: (Omit<Moment, 'at'> & { at: Date | null })[]): Moment[] {
  return moments.filter((moment): moment is Moment => moment.at !== null)
}

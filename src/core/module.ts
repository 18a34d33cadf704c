/**
 * A module as one value: what it answers, what it does later, what it promises, what it emits. The
 * composition has one list of modules, and folds it.
 */
import type { Static, TSchema } from 'typebox'
import type { Reach } from '../db/lists/reach.ts'
import type { SealedColumn } from '../db/sealed.ts'
import type { RefusalSet } from '../lib/errors.ts'
import type { Id } from '../lib/ids.ts'
import type { UnrecordedSubmission } from '../rails/ports/rail.ts'
import type { App, Scope } from './app.ts'
import type { Ctx } from './outside.ts'
import type { PersonalPart } from './personal.ts'
import type { Routes } from './route.ts'
import type { TimelineSource } from './timeline.ts'

/** What a job carries, besides whose it is. */
export type JobPayload = Record<string, unknown>

/**
 * Runs one job, at least once: it must be able to run twice. `signal` is aborted when the server
 * stops.
 */
export type Task = (ctx: Ctx, payload: JobPayload, signal: AbortSignal) => Promise<void>

/** A check of the books as one query, whose rows are the differences. */
export type Check = {
  name: string
  /**
   * What grows with history is read as far as it is asked to: the same rows on both sides of what
   * is compared.
   */
  text: string | ((reach: Reach) => string)
  /** Cannot be held against a part of history: is left out unless all of it is read. */
  ofHistory?: true
}

/**
 * An event type: what it says, the schema of its payload, and a made-up record of it for endpoints
 * that are tried out.
 */
export type EventDeclaration<Payload extends TSchema = TSchema> = {
  meaning: string
  payload: Payload
  sample(scope: Scope): Static<Payload>
  /**
   * What the payload says of its customer as a person, by its place in the payload
   * (`destination.account_name`), and what stands there once the customer is erased.
   */
  personal: Readonly<Record<string, unknown>>
}

/** Event types by their names, such as `payout.completed`. */
export type EventDeclarations = Readonly<Record<string, EventDeclaration>>

/** Declares an event type. */
export function eventOf<const Payload extends TSchema>(
  meaning: string,
  payload: Payload,
  sample: (scope: Scope) => Static<Payload>,
  personal: EventDeclaration['personal'] = {},
): EventDeclaration<Payload> {
  return { meaning, payload, sample, personal }
}

/** An order to pay that has not ended and goes by a rail outside, as the operator is shown it. */
export type OpenOrder = {
  kind: 'payout' | 'refund' | 'return'
  id: Id
  business_id: Id
  livemode: boolean
  reference: string | null
  status: string
  rail: string
  amount: bigint
  currency: string
  /** The account or address, in a few words. */
  to: string
  created_at: Date
  sent_at: Date | null
  /** The job that sends it where it may be sent, and asks about it otherwise. */
  job: { task: string; payload: JobPayload }
  /**
   * What rails have of it that was sent after the backup which it was restored from; null also
   * where it was not.
   */
  find(ctx: Ctx): Promise<UnrecordedSubmission | 'unknown' | null>
  /**
   * Ends it as paid, because a person has found that it was: under another name, or where none is
   * carried.
   * @param reference what the rail knows the payment by
   * @returns whether it has ended so now; false when its rail is paying it
   */
  settle(ctx: Ctx, reference: string): Promise<boolean>
  /**
   * Cancels it, unless a rail has it or may have it. @returns whether it is canceled; false of what
   * cannot be
   */
  cancel(ctx: Ctx): Promise<boolean>
}

export type Module = {
  routes?: Routes
  /** Operations of the dashboard alone: no key can ask them, and the API has no path for them. */
  ofPeople?: Routes
  /** What keys of the operator can ask, and nobody else: below `/operator`. */
  ofOperator?: Routes
  /** Jobs, by their names. */
  tasks?: Record<string, Task>
  /** Jobs whose workers are their own, so that they cannot hold up others. */
  slowTasks?: Record<string, Task>
  checks?: Check[]
  /** Where its tables hold what is sealed, so that another key can seal it. */
  sealed?: SealedColumn[]
  /** Its orders to pay that have not ended, of every business. */
  openOrders?(app: App): Promise<OpenOrder[]>
  /** The event types that it emits: no other module does. */
  events?: EventDeclarations
  /** What its operations may be refused with. */
  refusals?: RefusalSet
  /** How it tells what became of its records. */
  timelines?: TimelineSource[]
  /** What it keeps of customers as people. */
  personal?: PersonalPart[]
}

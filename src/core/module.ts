/**
 * A module as one value: its routes, jobs, ledger checks and events. `app/modules.ts` lists all
 * modules.
 */
import type { Static, TSchema } from 'typebox'
import type { Reach } from '../db/lists/reach.ts'
import type { SealedColumn } from '../db/sealed.ts'
import type { RefusalSet } from '../lib/errors.ts'
import type { Id } from '../lib/ids.ts'
import type { PeriodicTask } from '../lib/periodic.ts'
import type { UnrecordedResult } from '../rails/ports/rail.ts'
import type { App, Scope } from './app.ts'
import type { Ctx } from './outside.ts'
import type { PersonalPart } from './personal.ts'
import type { Routes } from './route.ts'
import type { TimelineSource } from './timeline.ts'

/** The payload of a job, without its business and mode. */
export type JobPayload = Record<string, unknown>

/**
 * Runs a job. Delivery is at least once, so a task must be idempotent. `signal` aborts when the
 * server stops.
 */
export type Task = (ctx: Ctx, payload: JobPayload, signal: AbortSignal) => Promise<void>

/** An invariant of the books as one query. Each row that it returns is a violation. */
export type Check = {
  name: string
  /**
   * A function gets the part of history to read, so that both sides of a comparison read the same
   * rows.
   */
  text: string | ((reach: Reach) => string)
  /** The check needs all of history; it is skipped when only a part is read. */
  ofHistory?: true
}

/**
 * An event type: its meaning, the schema of its payload, and a sample for endpoints that send test
 * events.
 */
export type EventDeclaration<Payload extends TSchema = TSchema> = {
  meaning: string
  payload: Payload
  sample(scope: Scope): Static<Payload>
  /**
   * Personal data in the payload: the path (`destination.account_name`) and the value that replaces
   * it when the customer is erased.
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

/**
 * Who ends an order without a payment.
 * @property isLookedUp whether this person has looked it up at the rail, and it is not there
 */
export type EndRequest = { by: string; isLookedUp: boolean }

/** Who found that an order was paid, and what its rail knows the payment by. */
export type PaidRequest = { by: string; reference: string }

/** An open order of a payout, refund or return at an external rail, as shown to the operator. */
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
  /** The account or address, in short form for people. */
  to: string
  created_at: Date
  sent_at: Date | null
  /** The job that submits the order, or queries its state if it may have been submitted. */
  job: { task: string; payload: JobPayload }
  /**
   * Finds a submission that the rail knows but a restored backup does not. Null if there is none,
   * or if the database was not restored.
   */
  find(ctx: Ctx): Promise<UnrecordedResult>
  /**
   * Marks the order as paid because a person found the payment at the provider.
   * @param reference the rail's id of that payment
   * @returns false if the rail is still processing the order
   */
  settle(ctx: Ctx, request: PaidRequest): Promise<boolean>
  /**
   * Cancels the order unless a rail has it or may have it.
   * @returns null once it is canceled; otherwise why not, as a sentence
   */
  cancel(ctx: Ctx, request: EndRequest): Promise<string | null>
  /**
   * Fails the order if its rail does not know it or says that it failed.
   * @returns null once it has failed; otherwise why not, as a sentence
   */
  fail(ctx: Ctx, request: EndRequest & { reason: string }): Promise<string | null>
}

export type Module = {
  routes?: Routes
  /** Operations that only people can call, in the dashboard: the API has no paths for them. */
  ofPeople?: Routes
  /** Operations of operator keys, below `/operator`. */
  ofOperator?: Routes
  /** Jobs by name. */
  tasks?: Record<string, Task>
  /** Jobs that run on their own workers, so that they cannot delay the others. */
  slowTasks?: Record<string, Task>
  /** Returns the tasks that run at intervals, for all businesses. */
  periodic?(app: App): PeriodicTask[]
  checks?: Check[]
  /** The columns that hold encrypted values, for key rotation. */
  sealed?: SealedColumn[]
  /** Returns its orders that have not ended, of all businesses. */
  openOrders?(app: App): Promise<OpenOrder[]>
  /** The event types that only this module emits. */
  events?: EventDeclarations
  /** The refusals of its operations. */
  refusals?: RefusalSet
  /** The timelines of its records. */
  timelines?: TimelineSource[]
  /** The personal data that it keeps of customers. */
  personal?: PersonalPart[]
}

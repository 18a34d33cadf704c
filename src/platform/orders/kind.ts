/**
 * What one kind of order defines, so that one driver runs them all: its rows, its states, and the
 * effects of a change.
 */
import type { Work } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import type { Id } from '../../lib/ids.ts'
import type { StateTable } from '../../lib/states.ts'
import type {
  FailureReason,
  PayoutOrder,
  UnrecordedSubmission,
  Waits,
} from '../../rails/ports/rail.ts'
import type { Timer } from '../jobs/timers.ts'
import type { OrderRecord } from './sending.ts'
import type { OrderTrigger, ProviderNames } from './steps.ts'

/**
 * Columns that every kind of order has. A kind without a transaction hash, a wait or a review has
 * null there.
 */
export type OrderRow = DriverColumns & { id: Id; status: string; created_at: Date; review: unknown }

/** Columns that the driver writes. */
export type DriverColumns = ProviderNames & {
  rail: string
  submissions: number
  sent_at: Date | null
  waits: Waits | null
}

/** Columns that are written when an order's status changes. */
export type EndColumns = ProviderNames & {
  failure_reason: FailureReason | null
  waits: Waits | null
}

/**
 * A change of an order: of its status, or only of what is known about it.
 * @property fee the provider's fee in minor units of the sent amount; null when the provider does
 * not report it
 * @property timer when the order is looked at again; null: no new timer
 */
export type OrderChange =
  | { trigger: OrderTrigger; columns: EndColumns; fee: bigint | null; timer: Timer | null }
  | { trigger: null; columns: Partial<DriverColumns & { updated_at: Date }>; timer: Timer | null }

/** Decides the change of a locked order. Null: nothing changes. */
export type DecideChange<Row> = (row: Row, work: Work) => Promise<OrderChange | null>

export type OrderKind<Row extends OrderRow> = {
  name: 'payout' | 'refund' | 'return'
  states: StateTable<Row['status'], string>
  find(ctx: Ctx, id: Id): Promise<Row | null>
  lock(work: Work, id: Id): Promise<Row | null>
  update(work: Work, id: Id, columns: Partial<DriverColumns>): Promise<unknown>
  recordOf(row: Row): OrderRecord
  orderOf(ctx: Ctx, row: Row): PayoutOrder | Promise<PayoutOrder>
  /** Whether the order's status says submitted: its rail has it, or may have it. */
  isSent(row: Row): boolean
  /**
   * Whether an order that its rail cannot process is recalled and offered to the next rail. Other
   * kinds stay with their rail, and store the rail's own name as soon as it is known, because a
   * query may need it.
   */
  changesRail: boolean
  /** After a restore, marks a waiting order as submitted if a rail has it. */
  markSubmitted?(work: Work, row: Row, found: UnrecordedSubmission, sentAt: Date): Promise<unknown>
  /**
   * Stores the names by which the rail's notifications identify the order. @param providerId the
   * rail's own name, once known
   */
  recordNames(work: Work, row: Row, reference: string, providerId: string | null): Promise<void>
  /**
   * Whether a person must review the order before it is first sent. Called outside of a
   * transaction.
   */
  isHeldForReview?(ctx: Ctx, row: Row): Promise<boolean>
  /**
   * Locks the row and applies the change that is then decided.
   * @param bringsBack whether the change may credit a wallet
   * @throws {BookedBefore} when another record has booked the movement that the provider reports
   */
  change(ctx: Ctx, row: Row, decide: DecideChange<Row>, bringsBack: boolean): Promise<Row | null>
  /** The timer of the next query; and, for kinds that change their rail, of the next offer. */
  queryTimer(id: Id, dueAt: Date): Timer
  offerTimer?(id: Id, dueAt: Date): Timer
}

/** Pure rules of an order's life: the next step, given what its rail reports. */
import { nextState, type StateTable } from '../../lib/states.ts'
import { unknown } from '../../rails/http/answers.ts'
import { askAgainAfter } from '../../rails/http/backoff.ts'
import type { FailureReason, OrderState, Waits, WaitsFor } from '../../rails/ports/rail.ts'

/**
 * Events of an order's life. A module's state table says which of them each status allows.
 * `hold`: the rail has certainly not accepted the order, so that it can be canceled again.
 * `return`: the money had arrived and came back.
 */
export type OrderTrigger = 'submit' | 'cancel' | 'complete' | 'fail' | 'hold' | 'return'

/** Delay before an order is offered again to a rail that could not accept it. */
export const offerAgainMs = 15_000

/** Returns why an order waits, as its row stores it. The start time stays while the reason does. */
export function waitFor(before: Waits | null, reason: WaitsFor | null, now: Date): Waits | null {
  if (reason === null) return null
  return before?.for === reason ? before : { for: reason, since: now }
}

/** Returns why an order waits, given the state that its rail reports. */
export function waitAfter(before: Waits | null, state: OrderState, now: Date): Waits | null {
  const reason =
    state.state === 'refused_now' ? state.obstacle : 'waits' in state ? state.waits : null
  return waitFor(before, reason ?? null, now)
}

/**
 * A submission of an order.
 * @property sent_at when it was last sent; undefined where that does not matter
 */
type Submission = { submissions: number; sent_at?: Date | null | undefined }

/**
 * Whether no other process has sent the order again, under the same id or as another submission.
 */
export const isSameSubmission = (before: Submission, row: Submission): boolean =>
  before.submissions === row.submissions &&
  (before.sent_at === undefined || before.sent_at?.getTime() === row.sent_at?.getTime())

/**
 * Discards a stale report. Only `completed` counts of an earlier submission: the rail may have
 * accepted the later one, so any other report becomes `unknown`, and the order is queried again.
 * @param reported the submission that the rail reported about
 */
export const discardStale = (
  reported: Submission,
  row: Submission,
  state: OrderState,
): OrderState => (state.state === 'completed' || isSameSubmission(reported, row) ? state : unknown)

/** The rail's own names of an order. Each is null until the rail reports it. */
export type ProviderNames = { provider_reference: string | null; tx_hash: string | null }

/** Returns the rail's own name of an order where the row does not have it yet. */
export function newProviderReference(
  state: OrderState,
  { provider_reference }: Pick<ProviderNames, 'provider_reference'>,
): string | null {
  const reported = 'providerReference' in state ? state.providerReference : null
  return reported === provider_reference ? null : reported
}

/** The next step of an order: a change of status, or a delay until the next query. */
export type OrderStep<Status extends string> =
  | {
      trigger: OrderTrigger
      to: Status
      reason: FailureReason | null
      names: ProviderNames
      offerInMs: number
    }
  | { queryInMs: number; names: ProviderNames }

/**
 * Returns the next step of an order, or null when nothing follows. Idempotent: after the order's
 * end a repeat is a no-op.
 * @param states the module's state table: what it does not allow does not happen
 * @param order the current row; names that the rail does not repeat stay known
 * @param ageMs time since the order was sent
 */
export function nextStep<Status extends string>(
  states: StateTable<Status, string>,
  order: ProviderNames & { status: Status },
  state: OrderState,
  ageMs: number,
): OrderStep<Status> | null {
  const names = {
    provider_reference:
      ('providerReference' in state ? state.providerReference : null) ?? order.provider_reference,
    tx_hash: ('txHash' in state ? state.txHash : null) ?? order.tx_hash,
  }
  const change = (
    trigger: OrderTrigger,
    reason: FailureReason | null,
    offerInMs = offerAgainMs,
  ): OrderStep<Status> | null => {
    const to = nextState(states, order.status, trigger)
    return to === null ? null : { trigger, to, reason, names, offerInMs }
  }
  const wait = (queryInMs: number | null): OrderStep<Status> | null =>
    change('complete', null) && { queryInMs: queryInMs ?? askAgainAfter(ageMs), names }
  switch (state.state) {
    case 'completed':
      return change('complete', null)
    case 'failed':
    case 'returned':
      // A rail may report the end of an order without its arrival, and the failure of one that had
      // arrived.
      return change('fail', state.reason) ?? change('return', state.reason)
    case 'recalled':
      return change('hold', null) ?? change('return', 'bank_unavailable') ?? wait(offerAgainMs)
    case 'refused_now':
      return change('hold', null, state.askAgainInMs) ?? wait(state.askAgainInMs)
    case 'not_found':
      return wait(null)
    default:
      return wait(state.askAgainInMs)
  }
}

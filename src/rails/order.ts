/**
 * How an order to pay goes on, whoever made it: written and committed, offered, sent under its own id, asked about, ended once.
 * Each room keeps its rows, its table of states and what a change of state does; what comes next is decided here.
 */
import type { Log } from '../lib/log.ts'
import { nextState, type StateTable } from '../lib/states.ts'
import type { FailureReason, OrderState, PayoutOrder, PayoutRail } from './rail.ts'

/**
 * What can happen to an order; a room's table of states says when. `hold`: the rail has certainly not taken it, and it can be canceled
 * again. `return`: it had arrived, and came back.
 */
export type OrderTrigger = 'submit' | 'cancel' | 'complete' | 'fail' | 'hold' | 'return'

/** How long to wait before asking about an order after the rail itself could not be reached. */
const askAfterErrorMs = 5_000

/** How long an order that its rail cannot take waits before it is offered again. */
export const offerAgainMs = 15_000

/** What an order is sent through. The rail is looked up when it is needed: one that is not configured any more is as one that cannot be reached. */
export type RailAccess = { log: Log; railOf(): PayoutRail }

/** Why an order cannot be submitted to its rail now, or null when it can. */
export async function obstacleTo({ railOf, log }: RailAccess, order: PayoutOrder): Promise<string | null> {
  let obstacle: string | null
  try {
    obstacle = (await railOf().obstacle?.(order)) ?? null
  } catch (error) {
    obstacle = (error as Error).message
  }
  if (obstacle !== null) log.warn({ order: order.id, obstacle }, 'an order waits for its rail')
  return obstacle
}

/** Sends an order. A rail that throws has not said that nothing happened: the order is asked about. */
export async function send({ railOf, log }: RailAccess, order: PayoutOrder): Promise<OrderState> {
  try {
    return await railOf().send(order)
  } catch (error) {
    log.error({ err: error, order: order.id }, 'the rail could not be reached')
    return { state: 'unknown', askAgainInMs: askAfterErrorMs }
  }
}

/** Asks how an order stands. One that the rail has never taken is sent, under the same id, as soon as the rail can take it. */
export async function askOrSend(access: RailAccess, order: PayoutOrder): Promise<OrderState> {
  let said: OrderState
  try {
    said = await access.railOf().ask(order)
  } catch (error) {
    access.log.error({ err: error, order: order.id }, 'the rail could not be asked')
    return { state: 'unknown', askAgainInMs: askAfterErrorMs }
  }
  if (said.state !== 'not_found') return said
  if ((await obstacleTo(access, order)) !== null) return { state: 'unknown', askAgainInMs: offerAgainMs }
  return send(access, order)
}

/** What is known of an order by its rail; it is null until the rail says it. */
export type Traces = { providerReference: string | null; txHash: string | null }

/** What comes next: a change of state, or a wait in which more may be known of it; null when the order is at its end. */
export type OrderStep<Status extends string> =
  | { trigger: OrderTrigger; to: Status; reason: FailureReason | null; traces: Traces }
  | { askInMs: number | null; traces: Traces }

/**
 * What comes next for an order by what its rail says. Idempotent: after the order's end a repeat is a no-op.
 * @param states the room's table: what it does not allow does not happen
 * @throws {Error} on `not_found`, which no rail says of an order that it was just sent
 */
export function nextStep<Status extends string>(
  states: StateTable<Status, string>,
  status: Status,
  said: OrderState,
): OrderStep<Status> | null {
  const change = (triggers: OrderTrigger[], reason: FailureReason | null, traces: Traces) => {
    for (const trigger of triggers) {
      const to = nextState(states, status, trigger)
      if (to !== null) return { trigger, to, reason, traces }
    }
    return null
  }
  switch (said.state) {
    case 'completed':
      return change(['complete'], null, { providerReference: said.providerReference, txHash: said.txHash })
    case 'failed':
      return change(['fail', 'return'], said.reason, { providerReference: said.providerReference, txHash: null })
    case 'processing':
      if (nextState(states, status, 'complete') === null) return null
      return {
        askInMs: said.askAgainInMs,
        traces: { providerReference: said.providerReference, txHash: said.txHash ?? null },
      }
    case 'unknown':
      if (nextState(states, status, 'complete') === null) return null
      return { askInMs: said.askAgainInMs, traces: { providerReference: null, txHash: null } }
    case 'not_found':
      throw new Error(`the rail answered 'not_found' to an order it was just sent`)
  }
}

/**
 * How an order to pay goes on, whoever made it: written and committed, offered, sent under its own id, asked about, ended once.
 * Each room keeps its rows, its table of states and what a change of state does; what comes next is decided here.
 */
import type { Log } from '../lib/log.ts'
import { nextState, type StateTable } from '../lib/states.ts'
import { railOfOrder, type WithRails } from './choice.ts'
import type { FailureReason, OrderState, PayoutOrder } from './rail.ts'

/**
 * What can happen to an order; a room's table of states says when. `hold`: the rail has certainly not taken it, and it can be canceled
 * again. `return`: it had arrived, and came back.
 */
export type OrderTrigger = 'submit' | 'cancel' | 'complete' | 'fail' | 'hold' | 'return'

/** How long to wait before asking about an order after the rail itself could not be reached. */
const askAfterErrorMs = 5_000

/** How long an order that its rail cannot take waits before it is offered again. */
export const offerAgainMs = 15_000

/** An order as its record keeps it: by this its rail is found. A rail that is not configured any more is as one that cannot be reached. */
type OrderRecord = Parameters<typeof railOfOrder>[1]
type Outside = WithRails & { log: Log }

/** Why an order cannot be submitted to its rail now, or null when it can. */
export async function obstacleTo(ctx: Outside, record: OrderRecord, order: PayoutOrder): Promise<string | null> {
  let obstacle: string | null
  try {
    obstacle = (await railOfOrder(ctx, record).obstacle?.(order)) ?? null
  } catch (error) {
    obstacle = (error as Error).message
  }
  if (obstacle !== null) ctx.log.warn({ order: order.id, obstacle }, 'an order waits for its rail')
  return obstacle
}

/** Sends an order. A rail that throws has not said that nothing happened: the order is asked about. */
export async function send(ctx: Outside, record: OrderRecord, order: PayoutOrder): Promise<OrderState> {
  try {
    return await railOfOrder(ctx, record).send(order)
  } catch (error) {
    ctx.log.error({ err: error, order: order.id }, 'the rail could not be reached')
    return { state: 'unknown', askAgainInMs: askAfterErrorMs }
  }
}

/** Asks how an order stands. One that the rail has never taken is sent, under the same id, as soon as the rail can take it. */
export async function askOrSend(ctx: Outside, record: OrderRecord, order: PayoutOrder): Promise<OrderState> {
  let said: OrderState
  try {
    said = await railOfOrder(ctx, record).ask(order)
  } catch (error) {
    ctx.log.error({ err: error, order: order.id }, 'the rail could not be asked')
    return { state: 'unknown', askAgainInMs: askAfterErrorMs }
  }
  if (said.state !== 'not_found') return said
  if ((await obstacleTo(ctx, record, order)) !== null) return { state: 'unknown', askAgainInMs: offerAgainMs }
  return send(ctx, record, order)
}

/** The same of an order that may be canceled again: what its rail cannot take on now is recalled, and not asked about. */
export async function recallOrAsk(ctx: Outside, record: OrderRecord, order: PayoutOrder): Promise<OrderState> {
  try {
    if (await railOfOrder(ctx, record).recall?.(order)) return { state: 'recalled', attempt: order.attempt }
  } catch (error) {
    ctx.log.error({ err: error, order: order.id }, 'the rail could not be asked to recall an order')
    return { state: 'unknown', askAgainInMs: askAfterErrorMs }
  }
  return askOrSend(ctx, record, order)
}

/** What its rail tells of an order; each is null until the rail says it. */
export type Traces = { provider_reference: string | null; tx_hash: string | null }

/** What comes next: a change of state, or a wait in which more may be known of it; null when the order is at its end. */
export type OrderStep<Status extends string> =
  | { trigger: OrderTrigger; to: Status; reason: FailureReason | null; traces: Traces }
  | { askInMs: number | null; traces: Traces }

/**
 * What comes next for an order by what its rail says. Idempotent: after the order's end a repeat is a no-op.
 * @param states the room's table: what it does not allow does not happen
 * @param order as it stands: what the rail does not say now stays known
 * @throws {Error} on `not_found`, which no rail says of an order that it was just sent
 */
export function nextStep<Status extends string>(
  states: StateTable<Status, string>,
  order: Traces & { status: Status },
  said: OrderState,
): OrderStep<Status> | null {
  if (said.state === 'not_found') throw new Error(`the rail answered 'not_found' to an order it was just sent`)
  const traces = {
    provider_reference: ('providerReference' in said ? said.providerReference : null) ?? order.provider_reference,
    tx_hash: ('txHash' in said ? said.txHash : null) ?? order.tx_hash,
  }
  const change = (trigger: OrderTrigger, reason: FailureReason | null): OrderStep<Status> | null => {
    const to = nextState(states, order.status, trigger)
    return to === null ? null : { trigger, to, reason, traces }
  }
  if (said.state === 'recalled') return change('hold', null)
  if (said.state === 'completed') return change('complete', null)
  if (said.state === 'failed') return change('fail', said.reason) ?? change('return', said.reason)
  return change('complete', null) && { askInMs: said.askAgainInMs, traces }
}

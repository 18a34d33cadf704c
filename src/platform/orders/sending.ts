/**
 * Sends orders to their rails and queries the rails about them. Nothing is assumed that a rail has
 * not reported.
 */
import type { Database } from '../../db/db.ts'
import type { Log } from '../../lib/log.ts'
import {
  type OrderRecord as RoutedRecord,
  railOfOrder,
  railsForOrder,
  type WithRails,
} from '../../rails/accounts/choice.ts'
import { unknown } from '../../rails/http/answers.ts'
import { askAgainAfter } from '../../rails/http/backoff.ts'
import type { TransferToApprove } from '../../rails/ports/inbound.ts'
import type {
  Obstruction,
  OrderRail,
  OrderState,
  PayoutOrder,
  WaitsFor,
} from '../../rails/ports/rail.ts'
import { heldObstruction, outgoingForOrder } from '../../rails/records/outgoing.ts'
import { offerAgainMs } from './steps.ts'

/** Longest delay before an order is offered again while all outgoing money is held. */
const longestHeldMs = 600_000

/**
 * The fields of a row by which its rail is found, and when the order was last sent. A rail that is
 * no longer configured counts as unreachable.
 */
export type OrderRecord = RoutedRecord & { sent_at: Date | null }

/** What it takes to reach a rail outside of a transaction. */
export type RailContext = WithRails & { db: Database; log: Log }

/**
 * Chooses the rail of an order that has none: the first that can accept it now. The caller writes
 * its name to the row before sending.
 * @returns why the first rail cannot accept the order, when none can
 */
export async function chooseRail(
  ctx: RailContext,
  record: OrderRecord,
  order: PayoutOrder,
): Promise<{ rail: string } | { waits: WaitsFor }> {
  let rails: OrderRail[]
  try {
    rails = railsForOrder(ctx, record, order.currency)
  } catch (error) {
    ctx.log.warn(
      { order: order.id, obstacle: (error as Error).message },
      'an order waits for its rail',
    )
    return { waits: 'not_configured' }
  }
  let waits: WaitsFor | null = null
  for (const rail of rails) {
    const obstruction = await findObstacle(ctx, rail, order)
    if (obstruction === null) return { rail: rail.name }
    waits ??= obstruction.obstacle
  }
  return { waits: waits ?? 'not_configured' }
}

/**
 * Returns why an order cannot be sent to a rail now, or null when it can. Every order passes here
 * before it is sent.
 */
async function findObstacle(
  ctx: RailContext,
  rail: OrderRail,
  order: PayoutOrder,
): Promise<Obstruction | null> {
  let found: Obstruction | null
  try {
    found = (await findHold(ctx, rail)) ?? (await rail.obstacle?.(order)) ?? null
  } catch (error) {
    found = { obstacle: 'provider_down', sentence: (error as Error).message }
  }
  if (found !== null)
    ctx.log.warn({ order: order.id, rail: rail.name, ...found }, 'an order waits for its rail')
  return found
}

/**
 * Returns the operator's hold on outgoing money, if there is one. The sandbox moves no money, and
 * is never held.
 */
async function findHold(
  ctx: RailContext,
  { name }: Pick<OrderRail, 'name'>,
): Promise<Obstruction | null> {
  if (name === ctx.rails.test.sandbox.name) return null
  const outgoing = await outgoingForOrder(ctx.db)
  return outgoing.heldAt === null ? null : heldObstruction(outgoing)
}

/** Returns the delay before an order is offered again that no rail can accept now. Milliseconds. */
export async function offerDelayMs(ctx: RailContext, now: Date): Promise<number> {
  const { heldAt } = await outgoingForOrder(ctx.db)
  return heldAt === null
    ? offerAgainMs
    : Math.min(askAgainAfter(now.getTime() - heldAt.getTime()), longestHeldMs)
}

/**
 * Sends an order. A rail that throws may have accepted it, so the state is `unknown`. A rail that
 * refuses for now is queried whether it has the order all the same.
 * @returns `refused_now` only when the rail has certainly not accepted the order; never `not_found`
 */
export async function sendOrder(
  ctx: RailContext,
  record: OrderRecord,
  order: PayoutOrder,
): Promise<OrderState> {
  let state: OrderState
  try {
    state = await railOfOrder(ctx, record).send(order)
  } catch (error) {
    ctx.log.error({ err: error, order: order.id }, 'the rail could not be reached')
    return unknown
  }
  if (state.state === 'not_found')
    return { state: 'refused_now', obstacle: 'provider_down', askAgainInMs: offerAgainMs }
  // An earlier try under the same id, whose answer was lost, may have been accepted: a failure
  // without the rail's reference is about this call alone.
  const isRefused =
    state.state === 'refused_now' || (state.state === 'failed' && state.providerReference === null)
  if (!isRefused) return state
  if (state.state === 'refused_now')
    ctx.log.warn({ order: order.id, obstacle: state.obstacle }, 'a rail refuses an order for now')
  const queried = await queryRail(ctx, record, order)
  return queried.state === 'not_found' ? state : queried
}

/**
 * Returns the reference by which a rail's notifications name an order, or null when it sends none.
 * @throws when the rail is not configured
 */
export async function notifiedReference(
  ctx: WithRails,
  record: RoutedRecord,
  order: PayoutOrder,
): Promise<string | null> {
  return (await railOfOrder(ctx, record).referenceOf?.(order)) ?? null
}

/**
 * Compares a transfer that a provider asks approval for with the order that is being sent. @returns
 * the mismatch as part of a sentence, or null
 */
export async function findMismatch(
  ctx: WithRails,
  record: RoutedRecord,
  order: PayoutOrder,
  transfer: TransferToApprove & { rail: string },
): Promise<string | null> {
  const { destination: to } = order
  if (record.rail !== transfer.rail) return `it goes by ${record.rail}`
  if ((await notifiedReference(ctx, record, order)) !== transfer.reference)
    return 'it is another submission'
  if (order.amount !== transfer.amount || order.currency !== transfer.currency)
    return 'it is of another amount'
  const isSameAccount =
    to.type === 'ng_bank' &&
    to.account_number === transfer.accountNumber &&
    to.bank_code === transfer.bankCode
  return isSameAccount ? null : 'it goes to another account'
}

/**
 * Queries the state of an order, and sends nothing. A rail that refuses to answer for now leaves
 * the state `unknown`.
 */
export async function queryRail(
  ctx: RailContext,
  record: OrderRecord,
  order: PayoutOrder,
): Promise<OrderState> {
  try {
    const state = await railOfOrder(ctx, record).ask(order)
    return state.state === 'refused_now'
      ? { state: 'unknown', askAgainInMs: state.askAgainInMs }
      : state
  } catch (error) {
    ctx.log.error({ err: error, order: order.id }, 'the rail could not be asked')
    return unknown
  }
}

/**
 * What sending an order again needs.
 * @property at the current time of the order's rail
 * @property lastSentAt when the order may have been sent last; null when it never was
 * @property markSent commits that the order is sent now; returns false when another process has
 * sent it, or it has ended
 */
type Resend = { at: Date; lastSentAt: Date | null; markSent(): Promise<boolean> }

/** The state that a rail reports, and when the order it reports about was last sent. */
type Reported = { state: OrderState; sentAt: Date | null }

/**
 * Queries the state of an order. Sends it under the same id when the rail never accepted it, as
 * soon as the rail can.
 */
export async function queryOrSend(
  ctx: RailContext,
  record: OrderRecord,
  order: PayoutOrder,
  { at, lastSentAt, markSent }: Resend,
): Promise<Reported> {
  const report = (state: OrderState): Reported => ({ state, sentAt: record.sent_at })
  const state = await queryRail(ctx, record, order)
  if (state.state !== 'not_found') return report(state)
  const rail = railOfOrder(ctx, record)
  const ageMs = lastSentAt === null ? rail.orderLifeMs : at.getTime() - lastSentAt.getTime()
  // The order may still be in flight.
  if (ageMs < rail.orderLifeMs)
    return report({
      state: 'unknown',
      askAgainInMs: Math.min(rail.orderLifeMs - ageMs, askAgainAfter(ageMs)),
    })
  const obstruction = await findObstacle(ctx, rail, order)
  // Releasing outgoing money queries held orders at once, so they need no timer.
  if (obstruction !== null)
    return report({
      state: 'unknown',
      waits: obstruction.obstacle,
      askAgainInMs: obstruction.obstacle === 'held' ? null : offerAgainMs,
    })
  if (!(await markSent())) return report(unknown)
  return { state: await sendOrder(ctx, record, order), sentAt: at }
}

/**
 * Recalls an order that its rail has not started, so that it can be canceled again. Queries or
 * sends any other.
 */
export async function recallOrQuery(
  ctx: RailContext,
  record: OrderRecord,
  order: PayoutOrder,
  resend: Resend,
): Promise<Reported> {
  try {
    const rail = railOfOrder(ctx, record)
    // While outgoing money is held after a restore, the rail's own books may be as old as ours.
    if (rail.recall && (await findHold(ctx, rail)) === null && (await rail.recall(order)))
      return { state: { state: 'recalled', attempt: order.attempt }, sentAt: record.sent_at }
  } catch (error) {
    ctx.log.error({ err: error, order: order.id }, 'the rail could not be asked to recall an order')
    return { state: unknown, sentAt: record.sent_at }
  }
  return queryOrSend(ctx, record, order, resend)
}

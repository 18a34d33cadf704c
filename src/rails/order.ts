/**
 * How an order to pay goes on, whoever made it: written and committed, offered, sent under its own id, asked about, ended once.
 * Each module keeps its rows, its table of states and what a change of state does; what comes next is decided here.
 */
import type { Database } from '../db/db.ts'
import type { Log } from '../lib/log.ts'
import { nextState, type StateTable } from '../lib/states.ts'
import { type OrderRecord as ChosenRecord, railOfOrder, railsForOrder, type WithRails } from './accounts/choice.ts'
import { unknown } from './http/answers.ts'
import type { TransferAsked } from './ports/inbound.ts'
import type { FailureReason, Obstruction, OrderRail, OrderState, PayoutOrder, Waits, WaitsFor } from './ports/rail.ts'
import { heldObstruction, isOlderThanRestore, outgoingOf } from './records/outgoing.ts'

/**
 * What can happen to an order; a module's table of states says when. `hold`: the rail has certainly not taken it, and it can be canceled
 * again. `return`: it had arrived, and came back.
 */
export type OrderTrigger = 'submit' | 'cancel' | 'complete' | 'fail' | 'hold' | 'return'

/** How long an order that its rail cannot take waits before it is offered again. */
export const offerAgainMs = 15_000

/** The same at most, while all of them are held. */
const longestHeldMs = 600_000

/** The ages at which an order is asked about whose rail does not say when: then every six hours, and daily after three days. */
const askedAtMs = [5_000, 30_000, 120_000, 600_000, 3_600_000]
const hourMs = 3_600_000

/** How long until an order of an age is asked about, where its rail does not say. Milliseconds. */
export function askAgainAfter(ageMs: number): number {
  const next = askedAtMs.find((at) => at > ageMs)
  if (next !== undefined) return next - Math.max(ageMs, 0)
  return ageMs < 72 * hourMs ? 6 * hourMs : 24 * hourMs
}

/**
 * An order as its record keeps it: by this its rail is found, and when it was sent last. A rail that is not configured any more is as one
 * that cannot be reached.
 */
type OrderRecord = ChosenRecord & { sent_at: Date | null }
type RestoredRecord = OrderRecord & { created_at: Date }
type Outside = WithRails & { db: Database; log: Log }

/**
 * The rail that takes an order which none has: the first that can now, or, when none can, why the first does not. Its name is written in the
 * record before the order is sent.
 */
export async function chooseRail(
  ctx: Outside,
  record: OrderRecord,
  order: PayoutOrder,
): Promise<{ rail: string } | { waits: WaitsFor }> {
  let rails: OrderRail[]
  try {
    rails = railsForOrder(ctx, record, order.currency)
  } catch (error) {
    ctx.log.warn({ order: order.id, obstacle: (error as Error).message }, 'an order waits for its rail')
    return { waits: 'not_configured' }
  }
  let waits: WaitsFor | null = null
  for (const rail of rails) {
    const obstruction = await obstacleTo(ctx, rail, order)
    if (obstruction === null) return { rail: rail.name }
    waits ??= obstruction.obstacle
  }
  return { waits: waits ?? 'not_configured' }
}

/** Why an order is not sent, as its record keeps it: the moment stays while the reason does. */
export function waitsOn(before: Waits | null, reason: WaitsFor | null, now: Date): Waits | null {
  if (reason === null) return null
  return before?.for === reason ? before : { for: reason, since: now }
}

/** The same by what a rail says of it. */
export function waitsBy(before: Waits | null, said: OrderState, now: Date): Waits | null {
  const reason = said.state === 'refused_now' ? said.obstacle : 'waits' in said ? said.waits : null
  return waitsOn(before, reason ?? null, now)
}

/** Why an order cannot be submitted to a rail now, or null when it can. Whatever is sent has come by here. */
async function obstacleTo(ctx: Outside, rail: OrderRail, order: PayoutOrder): Promise<Obstruction | null> {
  let found: Obstruction | null
  try {
    found = (await holdOn(ctx, rail)) ?? (await rail.obstacle?.(order)) ?? null
  } catch (error) {
    found = { obstacle: 'provider_down', sentence: (error as Error).message }
  }
  if (found !== null) ctx.log.warn({ order: order.id, rail: rail.name, ...found }, 'an order waits for its rail')
  return found
}

/** How long until an order that no rail takes now is offered again. Milliseconds. */
export async function offerAgainIn(ctx: Outside, now: Date): Promise<number> {
  const { heldAt } = await outgoingOf(ctx.db)
  return heldAt === null ? offerAgainMs : Math.min(askAgainAfter(now.getTime() - heldAt.getTime()), longestHeldMs)
}

/** What the sandbox is sent moves no money, and is never held. */
async function holdOn(ctx: Outside, { name }: Pick<OrderRail, 'name'>): Promise<Obstruction | null> {
  if (name === ctx.rails.test.sandbox.name) return null
  const outgoing = await outgoingOf(ctx.db)
  return outgoing.heldAt === null ? null : heldObstruction(outgoing)
}

/** How many submissions of an order are looked for that were made after the backup which its record was restored from. */
const lostSubmissions = 5

/**
 * What its rail says of a later submission than its record knows, of an order whose record was restored from a backup; null where there is
 * none.
 */
async function askLater(ctx: Outside, record: RestoredRecord, order: PayoutOrder): Promise<OrderState | null> {
  const lost = await findLost(ctx, record, order, { first: order.attempt + 1, stays: true })
  if (lost === null) return null
  if (lost === 'unknown') return unknown
  return askRail(ctx, record, { ...order, attempt: lost.attempt })
}

/** What a rail has of an order that its record knows nothing of: who has it, as which submission. */
export type Lost = { rail: string; attempt: number }

/**
 * Asks the rails for what they were sent of an order since the backup that it was restored from.
 * @param first the first submission that it may have been sent as
 * @param stays with its rail: no other is asked
 * @returns null when none of them has any; `unknown` where one gives no answer: then the order must not be sent
 */
export async function findLost(
  ctx: Outside,
  record: RestoredRecord,
  order: PayoutOrder,
  { first, stays = false }: { first: number; stays?: boolean },
): Promise<Lost | 'unknown' | null> {
  // The sandbox's books are in the same backup, and its payouts wait for no question.
  if (record.rail === ctx.rails.test.sandbox.name) return null
  if (!isOlderThanRestore(await outgoingOf(ctx.db), record)) return null
  for (const { name: rail } of stays ? [{ name: record.rail }] : railsThatMayHave(ctx, record, order))
    for (let attempt = first; attempt < first + lostSubmissions; attempt++) {
      const said = await askRail(ctx, { ...record, rail }, { ...order, attempt })
      if (said.state === 'unknown') return 'unknown'
      if (said.state !== 'not_found') return { rail, attempt }
    }
  return null
}

/** Its own first. A rail that has had an order may not be configured any more, and another one be. */
function railsThatMayHave(ctx: Outside, record: OrderRecord, order: PayoutOrder): { name: string }[] {
  const others = (() => {
    try {
      return railsForOrder(ctx, record, order.currency)
    } catch {
      return []
    }
  })()
  return [{ name: record.rail }, ...others.filter(({ name }) => name !== record.rail)]
}

/**
 * Sends an order. A rail that throws has not said that nothing happened: the order is asked about. One that refuses it for now is asked
 * whether that is so.
 * @returns `refused_now` only of an order that has certainly not been taken, and never `not_found`
 */
export async function send(ctx: Outside, record: OrderRecord, order: PayoutOrder): Promise<OrderState> {
  let said: OrderState
  try {
    said = await railOfOrder(ctx, record).send(order)
  } catch (error) {
    ctx.log.error({ err: error, order: order.id }, 'the rail could not be reached')
    return unknown
  }
  if (said.state === 'not_found') return { state: 'refused_now', obstacle: 'provider_down', askAgainInMs: offerAgainMs }
  if (said.state !== 'refused_now') return said
  ctx.log.warn({ order: order.id, obstacle: said.obstacle }, 'a rail refuses an order for now')
  const asked = await askRail(ctx, record, order)
  return asked.state === 'not_found' ? said : asked
}

/** What its rail's notifications will know an order by, or null when it notifies of nothing. @throws when the rail is not configured */
export async function referenceOf(
  ctx: WithRails,
  record: Parameters<typeof railOfOrder>[1],
  order: PayoutOrder,
): Promise<string | null> {
  return (await railOfOrder(ctx, record).referenceOf?.(order)) ?? null
}

/**
 * How what a provider asks about before it pays differs from an order that is being sent: a part of a sentence, or null when it is that
 * order.
 */
export async function differenceFrom(
  ctx: WithRails,
  record: ChosenRecord,
  order: PayoutOrder,
  asked: TransferAsked & { rail: string },
): Promise<string | null> {
  const { destination: to } = order
  if (record.rail !== asked.rail) return `it goes by ${record.rail}`
  if ((await referenceOf(ctx, record, order)) !== asked.reference) return 'it is another submission'
  if (order.amount !== asked.amount || order.currency !== asked.currency) return 'it is of another amount'
  const same = to.type === 'ng_bank' && to.account_number === asked.accountNumber && to.bank_code === asked.bankCode
  return same ? null : 'it goes to another account'
}

/** Asks how an order stands, and sends nothing. That its rail refuses to answer for now says nothing of the order. */
export async function askRail(ctx: Outside, record: OrderRecord, order: PayoutOrder): Promise<OrderState> {
  try {
    const said = await railOfOrder(ctx, record).ask(order)
    return said.state === 'refused_now' ? { state: 'unknown', askAgainInMs: said.askAgainInMs } : said
  } catch (error) {
    ctx.log.error({ err: error, order: order.id }, 'the rail could not be asked')
    return unknown
  }
}

/** When it is, in the time of the order's rail; and what commits that the order is sent now, false where somebody else has. */
type SendAgain = { at: Date; markSent(): Promise<boolean> }

/** What a rail said of an order, and when that had been sent last. */
export type Answered = { said: OrderState; sentAt: Date | null }

/** Which submission of an order it is, and when that was sent last; without a time where that does not matter. */
type Sending = { submissions: number; sent_at?: Date | null | undefined }

/** Whether nobody has sent an order again since, under the same id or as another submission. */
export const isSameSending = (of: Sending, row: Sending): boolean =>
  of.submissions === row.submissions && (of.sent_at === undefined || of.sent_at?.getTime() === row.sent_at?.getTime())

/**
 * What counts of what a rail said. Of a former sending, whose process may have stood still since, nothing does but that it was paid, as the rail may
 * have taken the later one: so the order is asked about again.
 * @param of the sending that it was said of
 */
export const whatCounts = (of: Sending, row: Sending, said: OrderState): OrderState =>
  said.state === 'completed' || isSameSending(of, row) ? said : unknown

/** Asks how an order stands. One that the rail has never taken is sent, under the same id, as soon as the rail can take it. */
export async function askOrSend(
  ctx: Outside,
  record: RestoredRecord,
  order: PayoutOrder,
  { at, markSent }: SendAgain,
): Promise<Answered> {
  const stays = (said: OrderState): Answered => ({ said, sentAt: record.sent_at })
  const said = await askRail(ctx, record, order)
  if (said.state !== 'not_found') return stays(said)
  const later = await askLater(ctx, record, order)
  if (later !== null) return stays(later)
  const rail = railOfOrder(ctx, record)
  const sentAt = await lastSentOf(ctx, record)
  const age = sentAt === null ? rail.orderLifeMs : at.getTime() - sentAt.getTime()
  // It may still be on its way.
  if (age < rail.orderLifeMs)
    return stays({ state: 'unknown', askAgainInMs: Math.min(rail.orderLifeMs - age, askAgainAfter(age)) })
  const obstruction = await obstacleTo(ctx, rail, order)
  // Whoever lets go what is held has it asked about at once.
  if (obstruction !== null)
    return stays({
      ...{ state: 'unknown', waits: obstruction.obstacle },
      askAgainInMs: obstruction.obstacle === 'held' ? null : offerAgainMs,
    })
  if (!(await markSent())) return stays(unknown)
  return { said: await send(ctx, record, order), sentAt: at }
}

/** When it may have been sent last: of what was restored, by the server that is gone, until just before. */
async function lastSentOf(ctx: Outside, record: RestoredRecord): Promise<Date | null> {
  const outgoing = await outgoingOf(ctx.db)
  return isOlderThanRestore(outgoing, record) ? outgoing.restoredAt : record.sent_at
}

/** The same of an order that may be canceled again: what its rail cannot take on now is recalled, and not asked about. */
export async function recallOrAsk(
  ctx: Outside,
  record: RestoredRecord,
  order: PayoutOrder,
  sending: SendAgain,
): Promise<Answered> {
  try {
    const rail = railOfOrder(ctx, record)
    // While it is held, its rail's books may be as old as ours.
    if (rail.recall && (await holdOn(ctx, rail)) === null && (await rail.recall(order)))
      return { said: { state: 'recalled', attempt: order.attempt }, sentAt: record.sent_at }
  } catch (error) {
    ctx.log.error({ err: error, order: order.id }, 'the rail could not be asked to recall an order')
    return { said: unknown, sentAt: record.sent_at }
  }
  return askOrSend(ctx, record, order, sending)
}

/** The rail's own name of an order, where it says one that was not known. */
export function learnedFrom(
  said: OrderState,
  { provider_reference }: Pick<Traces, 'provider_reference'>,
): string | null {
  const named = 'providerReference' in said ? said.providerReference : null
  return named === provider_reference ? null : named
}

/** What its rail tells of an order; each is null until the rail says it. */
export type Traces = { provider_reference: string | null; tx_hash: string | null }

/** What comes next: a change of state, or a wait in which more may be known of it; null where nothing does. */
export type OrderStep<Status extends string> =
  | { trigger: OrderTrigger; to: Status; reason: FailureReason | null; traces: Traces; offerInMs: number }
  | { askInMs: number; traces: Traces }

/**
 * What comes next for an order by what its rail says. Idempotent: after the order's end a repeat is a no-op.
 * @param states the module's table: what it does not allow does not happen
 * @param order as it stands: what the rail does not say now stays known
 * @param ageMs how long ago it was sent
 */
export function nextStep<Status extends string>(
  states: StateTable<Status, string>,
  order: Traces & { status: Status },
  said: OrderState,
  ageMs: number,
): OrderStep<Status> | null {
  const traces = {
    provider_reference: ('providerReference' in said ? said.providerReference : null) ?? order.provider_reference,
    tx_hash: ('txHash' in said ? said.txHash : null) ?? order.tx_hash,
  }
  const change = (
    trigger: OrderTrigger,
    reason: FailureReason | null,
    offerInMs = offerAgainMs,
  ): OrderStep<Status> | null => {
    const to = nextState(states, order.status, trigger)
    return to === null ? null : { trigger, to, reason, traces, offerInMs }
  }
  const wait = (askInMs: number | null): OrderStep<Status> | null =>
    change('complete', null) && { askInMs: askInMs ?? askAgainAfter(ageMs), traces }
  switch (said.state) {
    case 'completed':
      return change('complete', null)
    case 'failed':
    case 'returned':
      // Its rail may say the end of an order whose arrival it has never told, and that what had arrived has failed.
      return change('fail', said.reason) ?? change('return', said.reason)
    case 'recalled':
      return change('hold', null)
    case 'refused_now':
      return change('hold', null, said.askAgainInMs) ?? wait(said.askAgainInMs)
    case 'not_found':
      return wait(null)
    default:
      return wait(said.askAgainInMs)
  }
}

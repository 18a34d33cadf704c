/**
 * Recovers orders whose rows were restored from a backup: a rail may have received submissions that
 * the rows do not record. Runs before an order is sent or queried (`orders.ts`).
 */
import type { Work } from '../../core/inside.ts'
import { type Ctx, railTime } from '../../core/outside.ts'
import { later } from '../../lib/clock.ts'
import type { Id } from '../../lib/ids.ts'
import { railOfOrder, railsForOrder } from '../../rails/accounts/choice.ts'
import type { PayoutOrder, UnrecordedResult } from '../../rails/ports/rail.ts'
import {
  isOlderThanRestore,
  type Outgoing,
  outgoingForOrder,
} from '../../rails/records/outgoing.ts'
import { openOwnIncident } from '../incidents/incidents.ts'
import type { OrderKind, OrderRow } from './kind.ts'
import { notifiedReference, type OrderRecord, queryRail } from './sending.ts'
import { offerAgainMs } from './steps.ts'

/**
 * Bounds of the number of submissions that each rail is queried for. References before a known one
 * may be unknown to the rail: it refused those submissions without recording them.
 */
const fewestQueried = 20
const mostQueried = 1_000

/** Delay before an order is looked at again that only a person can decide about. */
const undecidedAgainMs = 24 * 3_600_000

/** A rail gives no answer, and asks to be queried again in so many milliseconds. */
type NoAnswer = { state: 'unknown'; askAgainInMs: number | null }
type SearchResult = Exclude<UnrecordedResult, 'unknown'> | NoAnswer

/**
 * Queries the rails for submissions of a restored order that its row does not record.
 * @returns null when there is none; `unknown` when a rail gives no answer; `undecided` when more
 * submissions may have been used up than can be queried. The order may be sent after null only.
 */
export async function findUnrecorded<Row extends OrderRow>(
  ctx: Ctx,
  kind: OrderKind<Row>,
  row: Row,
): Promise<UnrecordedResult> {
  const found = await searchUnrecorded(ctx, kind, row)
  return isUnknown(found) ? 'unknown' : found
}

const isUnknown = (found: SearchResult): found is NoAnswer =>
  found !== null && typeof found === 'object' && 'state' in found

async function searchUnrecorded<Row extends OrderRow>(
  ctx: Ctx,
  kind: OrderKind<Row>,
  row: Row,
): Promise<SearchResult> {
  // The sandbox's books come from the same backup.
  if (row.rail === ctx.rails.test.sandbox.name) return null
  const outgoing = await outgoingForOrder(ctx.db)
  if (!isOlderThanRestore(outgoing, row)) return null
  const order = await kind.orderOf(ctx, row)
  const record = kind.recordOf(row)
  const first = row.submissions + (kind.isSent(row) ? 0 : 1)
  const possible = possibleSubmissions(outgoing, row)
  const queried = Math.min(possible, mostQueried)
  const rails = kind.changesRail ? railsThatMayHave(ctx, record, order) : [row.rail]
  const progress = progressOf(row.id, [outgoing.restoredAt, first, queried, rails])
  const mayArrive = (await mayArriveUntil(ctx, kind, row, order)) !== null
  for (let done = mayArrive ? 0 : progress.read(); done < rails.length * queried; done++) {
    const rail = rails[Math.floor(done / queried)] as string
    const attempt = first + (done % queried)
    const state = await queryRail(ctx, { ...record, rail }, { ...order, attempt })
    if (state.state === 'unknown') {
      if (!mayArrive) progress.write(done)
      return state
    }
    if (state.state !== 'not_found') return { rail, attempt }
  }
  progress.write(0)
  return possible > mostQueried ? 'undecided' : null
}

/** Most interrupted searches that a process remembers. */
const mostSearches = 10_000
const searches = new Map<Id, { what: string; done: number }>()

/**
 * Remembers how many submissions an interrupted search has ruled out, in this process: rails that
 * limit queries would otherwise never let it end. A lost number only costs queries. A search that
 * has ended starts over, so an order is sent only after a whole one.
 * @param what everything that the number depends on
 */
function progressOf(id: Id, what: unknown[]) {
  const key = JSON.stringify(what)
  return {
    read(): number {
      const known = searches.get(id)
      return known?.what === key ? known.done : 0
    },
    write(done: number): void {
      searches.delete(id)
      if (searches.size >= mostSearches) searches.clear()
      if (done > 0) searches.set(id, { what: key, done })
    },
  }
}

/**
 * Returns until when a rail may still take an order that was sent, or that the server before a
 * restore may have sent.
 * @returns null when it was never sent, or that time is over
 */
export async function mayArriveUntil<Row extends OrderRow>(
  ctx: Ctx,
  kind: OrderKind<Row>,
  row: Row,
  order: PayoutOrder,
): Promise<Date | null> {
  const sentAt = await lastSentAt(ctx, row)
  if (sentAt === null) return null
  const record = kind.recordOf(row)
  const isRestored = isOlderThanRestore(await outgoingForOrder(ctx.db), row)
  const rails = isRestored && kind.changesRail ? railsThatMayHave(ctx, record, order) : [row.rail]
  const lives = rails.map((rail) => orderLifeOf(ctx, { ...record, rail }))
  const until = later(sentAt, Math.max(...lives))
  return (await railTime(ctx, row.rail)) < until ? until : null
}

/** Returns how long a rail may take an order. Milliseconds; 0 when it is not configured any more. */
function orderLifeOf(ctx: Ctx, record: OrderRecord): number {
  try {
    return railOfOrder(ctx, record).orderLifeMs
  } catch {
    return 0
  }
}

/**
 * Returns how long to wait before a waiting order may be sent that the server before a restore may
 * have just sent; null: not at all. One that was sent waits in `queryOrSend`.
 */
async function waitForArrival<Row extends OrderRow>(
  ctx: Ctx,
  kind: OrderKind<Row>,
  row: Row,
): Promise<{ againInMs: number } | null> {
  if (kind.isSent(row) || row.rail === ctx.rails.test.sandbox.name) return null
  if (!isOlderThanRestore(await outgoingForOrder(ctx.db), row)) return null
  const until = await mayArriveUntil(ctx, kind, row, await kind.orderOf(ctx, row))
  if (until === null) return null
  return { againInMs: until.getTime() - (await railTime(ctx, row.rail)).getTime() }
}

/**
 * Returns how many submissions the lost server may have used up between the backup and the restore:
 * a refused order is offered again after `offerAgainMs` at the earliest.
 */
function possibleSubmissions({ restoredAt, dataOf }: Outgoing, row: OrderRow): number {
  const recordedUntil = Math.max(
    ...[row.created_at, row.sent_at, dataOf].map((time) => time?.getTime() ?? 0),
  )
  const lostMs = (restoredAt?.getTime() ?? 0) - recordedUntil
  return Math.max(fewestQueried, Math.ceil(lostMs / offerAgainMs) + 1)
}

/**
 * Returns the rails that may have an order: its own first, then those that serve it now. Its own
 * may not be configured any more.
 */
function railsThatMayHave(ctx: Ctx, record: OrderRecord, order: PayoutOrder): string[] {
  try {
    const others = railsForOrder(ctx, record, order.currency).map(({ name }) => name)
    return [...new Set([record.rail, ...others])]
  } catch {
    return [record.rail]
  }
}

/**
 * Records a submission of a restored order that a rail has and its row does not. Opens an incident
 * when that cannot be decided.
 * @returns null when the order may be sent. Otherwise `adopted`, or in how many milliseconds to look
 * again; `againInMs` null: after the usual delay
 */
export async function adoptUnrecorded<Row extends OrderRow>(
  ctx: Ctx,
  kind: OrderKind<Row>,
  row: Row,
): Promise<'adopted' | { againInMs: number | null } | null> {
  const found = await searchUnrecorded(ctx, kind, row)
  if (found === null) return waitForArrival(ctx, kind, row)
  if (isUnknown(found)) return { againInMs: found.askAgainInMs }
  if (found === 'undecided') {
    await ctx.write((work) => reportUndecided(work, kind, row))
    return { againInMs: undecidedAgainMs }
  }
  const { rail, attempt } = found
  if (row.sent_at !== null && kind.isSent(row) && rail === row.rail && attempt === row.submissions)
    return null
  const order = { ...(await kind.orderOf(ctx, row)), attempt }
  const reference = await notifiedReference(ctx, { ...kind.recordOf(row), rail }, order)
  await ctx.write(async (work) => {
    const locked = await kind.lock(work, row.id)
    if (locked?.status !== row.status || locked.submissions !== row.submissions) return
    if (reference !== null) await kind.recordNames(work, { ...locked, rail }, reference, null)
    const sentAt = locked.sent_at ?? locked.created_at
    if (kind.isSent(locked))
      await kind.update(work, row.id, { rail, submissions: attempt, sent_at: sentAt })
    else await kind.markSubmitted?.(work, locked, found, sentAt)
  })
  return 'adopted'
}

const reportUndecided = <Row extends OrderRow>(work: Work, { name }: OrderKind<Row>, row: Row) =>
  openOwnIncident(work, {
    rail: row.rail,
    kind: 'submission_unknown',
    subject: row.id,
    detail: { [name]: row.id, queried: mostQueried },
  })

/**
 * Returns when an order may have been sent last. Of a restored order: until just before the
 * restore, by the server that is gone.
 */
export async function lastSentAt(ctx: Ctx, row: OrderRow): Promise<Date | null> {
  const outgoing = await outgoingForOrder(ctx.db)
  return isOlderThanRestore(outgoing, row) ? outgoing.restoredAt : row.sent_at
}

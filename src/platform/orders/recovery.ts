/**
 * Recovers orders whose rows were restored from a backup: a rail may have received submissions that
 * the rows do not record. Runs before an order is sent or queried (`orders.ts`).
 */
import type { Work } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import { railsForOrder } from '../../rails/accounts/choice.ts'
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
  // The sandbox's books come from the same backup.
  if (row.rail === ctx.rails.test.sandbox.name) return null
  const outgoing = await outgoingForOrder(ctx.db)
  if (!isOlderThanRestore(outgoing, row)) return null
  const order = await kind.orderOf(ctx, row)
  const record = kind.recordOf(row)
  const first = row.submissions + (kind.isSent(row) ? 0 : 1)
  const possible = possibleSubmissions(outgoing, row)
  const end = first + Math.min(possible, mostQueried)
  for (const rail of kind.changesRail ? railsThatMayHave(ctx, record, order) : [row.rail])
    for (let attempt = first; attempt < end; attempt++) {
      const { state } = await queryRail(ctx, { ...record, rail }, { ...order, attempt })
      if (state === 'unknown') return 'unknown'
      if (state !== 'not_found') return { rail, attempt }
    }
  return possible > mostQueried ? 'undecided' : null
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
  const found = await findUnrecorded(ctx, kind, row)
  if (found === null) return null
  if (found === 'unknown') return { againInMs: null }
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

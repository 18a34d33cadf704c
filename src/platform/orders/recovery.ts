/**
 * Recovers orders whose rows were restored from a backup: a rail may have received submissions that
 * the rows do not record. Runs before an order is sent or queried (`orders.ts`).
 */
import type { Ctx } from '../../core/outside.ts'
import { railsForOrder } from '../../rails/accounts/choice.ts'
import type { PayoutOrder, UnrecordedSubmission } from '../../rails/ports/rail.ts'
import { isOlderThanRestore, outgoingOf } from '../../rails/records/outgoing.ts'
import type { OrderKind, OrderRow } from './kind.ts'
import { notifiedReference, type OrderRecord, queryRail } from './sending.ts'

/** Number of submissions after the recorded one that the rails are queried for. */
const unrecordedSubmissions = 5

/**
 * Queries the rails for submissions of a restored order that its row does not record.
 * @returns null when there is none; `unknown` when a rail gives no answer, and the order must not
 * be sent
 */
export async function findUnrecorded<Row extends OrderRow>(
  ctx: Ctx,
  kind: OrderKind<Row>,
  row: Row,
): Promise<UnrecordedSubmission | 'unknown' | null> {
  // The sandbox's books come from the same backup.
  if (row.rail === ctx.rails.test.sandbox.name) return null
  if (!isOlderThanRestore(await outgoingOf(ctx.db), row)) return null
  const order = await kind.orderOf(ctx, row)
  const record = kind.recordOf(row)
  const first = row.submissions + (kind.isSent(row) ? 0 : 1)
  for (const rail of kind.changesRail ? railsThatMayHave(ctx, record, order) : [row.rail])
    for (let attempt = first; attempt < first + unrecordedSubmissions; attempt++) {
      const { state } = await queryRail(ctx, { ...record, rail }, { ...order, attempt })
      if (state === 'unknown') return 'unknown'
      if (state !== 'not_found') return { rail, attempt }
    }
  return null
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
 * Records a submission of a restored order that a rail has and its row does not.
 * @returns null when there is none, and the order may be sent; `unknown` when a rail gives no
 * answer
 */
export async function adoptUnrecorded<Row extends OrderRow>(
  ctx: Ctx,
  kind: OrderKind<Row>,
  row: Row,
): Promise<'adopted' | 'unknown' | null> {
  const found = await findUnrecorded(ctx, kind, row)
  if (found === null || found === 'unknown') return found
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

/**
 * Returns when an order may have been sent last. Of a restored order: until just before the
 * restore, by the server that is gone.
 */
export async function lastSentAt(ctx: Ctx, row: OrderRow): Promise<Date | null> {
  const outgoing = await outgoingOf(ctx.db)
  return isOlderThanRestore(outgoing, row) ? outgoing.restoredAt : row.sent_at
}

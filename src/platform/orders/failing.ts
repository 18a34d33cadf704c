/**
 * Whether an operator may end an order without a payment, and what shows that its rail pays it all
 * the same.
 */
import type { Ctx } from '../../core/outside.ts'
import { railOfOrder } from '../../rails/accounts/choice.ts'
import type { OrderState, PayoutOrder } from '../../rails/ports/rail.ts'
import { isOlderThanRestore, outgoingOf } from '../../rails/records/outgoing.ts'
import type { ApplyResult } from '../inbound/inbound.ts'
import { openOwnIncident } from '../incidents/incidents.ts'
import type { OrderKind, OrderRow } from './kind.ts'
import { findUnrecorded, mayArriveUntil } from './recovery.ts'
import { queryRail } from './sending.ts'

/**
 * Returns why an order may have been sent without its row saying so, as a sentence, or null.
 * @param isLookedUp whether the operator has looked it up at the rail, where it is not
 */
export async function objectUnrecorded<Row extends OrderRow>(
  ctx: Ctx,
  kind: OrderKind<Row>,
  row: Row,
  isLookedUp: boolean,
): Promise<string | null> {
  const found = await findUnrecorded(ctx, kind, row)
  if (found === null || (found === 'undecided' && isLookedUp))
    // The server before the restore may have just sent it.
    return isOlderThanRestore(await outgoingOf(ctx.db), row)
      ? objectEarly(ctx, kind, row, await kind.orderOf(ctx, row))
      : null
  if (found === 'unknown') return `${row.rail} does not say whether it has it. Try again.`
  if (found !== 'undecided')
    return 'A rail may have it since the backup: `bursar outgoing status` shows it.'
  return `It may have been sent more often before the restore than can be queried. Look it up at ${row.rail}: every reference that has its id. If none is there, add --looked-up.`
}

/** Returns until when a rail may still take an order, as a sentence, or null. */
async function objectEarly<Row extends OrderRow>(
  ctx: Ctx,
  kind: OrderKind<Row>,
  row: Row,
  order: PayoutOrder,
): Promise<string | null> {
  const until = await mayArriveUntil(ctx, kind, row, order)
  return (
    until &&
    `${row.rail} may still take it until ${until.toISOString()}. Where it is sent again before that, hold outgoing money: \`bursar outgoing hold\`.`
  )
}

/**
 * Withdraws the order from its rail, where the rail can do that.
 * @param about the order and what its rail says of it now
 * @returns null once the order can be failed; otherwise why not, as a sentence
 */
export async function withdrawOrObject<Row extends OrderRow>(
  ctx: Ctx,
  kind: OrderKind<Row>,
  row: Row,
  { order, state }: { order: PayoutOrder; state: OrderState },
): Promise<string | null> {
  if (state.state === 'failed') return null
  if (state.state === 'unknown') return `${row.rail} does not say whether it has it. Try again.`
  if (state.state !== 'not_found')
    return `${row.rail} has it, and says that it is ${state.state}: its answer counts.`
  const early = await objectEarly(ctx, kind, row, order)
  if (early !== null) return early
  const rail = railOfOrder(ctx, kind.recordOf(row))
  if (rail.withdraw && !(await rail.withdraw(order))) return `${row.rail} is paying it.`
  return null
}

const unpaidEnds: ReadonlySet<string> = new Set(['failed', 'canceled'])

/** Whether an order was sent, and its money is in the wallet again. */
export const hasEndedUnpaid = ({ status, sent_at }: OrderRow): boolean =>
  sent_at !== null && unpaidEnds.has(status)

/**
 * Queries the rail of an order that has ended without a payment. Opens an incident when the rail
 * pays it all the same: no money moves, because the merchant has the amount already.
 * @returns `quarantined` then
 */
export async function findLatePayment<Row extends OrderRow>(
  ctx: Ctx,
  kind: OrderKind<Row>,
  row: Row,
): Promise<ApplyResult> {
  const { state } = await queryRail(ctx, kind.recordOf(row), await kind.orderOf(ctx, row))
  if (state === 'unknown') return 'again'
  if (state !== 'completed' && state !== 'processing') return 'nothing_to_do'
  await ctx.write((work) =>
    openOwnIncident(work, {
      rail: row.rail,
      kind: 'quarantined',
      subject: row.id,
      detail: {
        [kind.name]: row.id,
        found: `it is ${row.status} here and its money is released, and ${row.rail} says that it is ${state}`,
      },
    }),
  )
  return 'quarantined'
}

/** Whether an operator may fail an order: its rail must not know it, or say that it failed. */
import { type Ctx, railTime } from '../../core/outside.ts'
import { later } from '../../lib/clock.ts'
import { railOfOrder } from '../../rails/accounts/choice.ts'
import type { OrderState, PayoutOrder } from '../../rails/ports/rail.ts'
import type { OrderKind, OrderRow } from './kind.ts'
import { lastSentAt } from './recovery.ts'

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
  const rail = railOfOrder(ctx, kind.recordOf(row))
  const until = later((await lastSentAt(ctx, row)) as Date, rail.orderLifeMs)
  if ((await railTime(ctx, row.rail)) < until)
    return `${row.rail} may still take it until ${until.toISOString()}. Where it is sent again before that, hold outgoing money: \`bursar outgoing hold\`.`
  if (rail.withdraw && !(await rail.withdraw(order))) return `${row.rail} is paying it.`
  return null
}

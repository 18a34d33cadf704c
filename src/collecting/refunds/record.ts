/**
 * What the rest of this room shares: the record as the API gives it, how one is found, and the name of its job.
 */
import { type Ctx, reader } from '../../core/context.ts'
import { refuse } from '../../lib/errors.ts'
import type { Static } from '../../lib/schema.ts'
import type { RefundRecord } from './schema.ts'
import { type RefundRow, selectRefund } from './sql.ts'

export type Refund = Static<typeof RefundRecord>

export const settleTask = 'refunds.settle'

/** @throws {Refusal} `not_found` */
export async function find(ctx: Ctx, id: string): Promise<RefundRow> {
  const row = await reader(ctx).row(selectRefund, [ctx.scope.businessId, ctx.scope.livemode, id])
  return row ?? refuse('not_found', `There is no refund '${id}'.`)
}

/** The record as the API gives it. */
export function toRefund({ payment_id, transaction_id, rail: _rail, destination, ...row }: RefundRow): Refund {
  const shown = 'charge' in destination ? { card: { brand: destination.brand, last4: destination.last4 } } : destination
  return { ...row, payment: payment_id, transaction: transaction_id, destination: shown }
}

/**
 * Shared by this module: the API record, the look-up by reference, the rail's order, and job names.
 */

import type { View } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import { refuse } from '../../lib/errors.ts'
import type { Id } from '../../lib/ids.ts'
import type { Static } from '../../lib/schema.ts'
import { toRailDestination } from '../../platform/destinations/destinations.ts'
import { toWho } from '../../platform/team/team.ts'
import type { PayoutOrder } from '../../rails/ports/rail.ts'
import type { PayoutRecord } from './schema.ts'
import { type ApprovalDetails, type PayoutRow, selectByReference } from './sql.ts'

export type Payout = Static<typeof PayoutRecord>

export const submitTask = 'payouts.submit'
export const askTask = 'payouts.ask'
export const expireApprovalTask = 'payouts.expire_approval'
export const expireQuoteTask = 'payouts.expire_quote'

/** The timer that runs a payout's next task. */
export const timer = (task: string, id: Id, dueAt: Date) => ({
  task,
  subject: id,
  dueAt,
  payload: { payout_id: id },
})

/** @throws {Refusal} `not_found` */
export async function find(view: View, reference: string): Promise<PayoutRow> {
  const row = await view.row(selectByReference, [reference])
  return row ?? refuse('not_found', `There is no payout with the reference '${reference}'.`)
}

/** The record as the API gives it. */
export function toPayout({
  quote_id,
  beneficiary_id,
  refund_id,
  customer_id: _customer,
  transaction_id,
  return_transaction_id,
  rail: _rail,
  submissions: _submissions,
  sent_at: _sentAt,
  waits: _waits,
  approval_details,
  review,
  ...row
}: PayoutRow): Payout {
  return {
    ...row,
    quote: quote_id,
    beneficiary: beneficiary_id,
    refund: refund_id,
    transaction: transaction_id,
    return_transaction: return_transaction_id,
    net_amount: row.amount - row.fee,
    fee_breakdown: row.fee_breakdown.map((part) => ({ ...part, amount: BigInt(part.amount) })),
    approval_details: approval_details && toDetails(approval_details),
    review: review && { reason: review.reason, since: new Date(review.since) },
  }
}

/** The order for its rail. */
export function orderOf({ scope }: Pick<Ctx, 'scope'>, payout: PayoutRow): PayoutOrder {
  return {
    id: payout.id,
    attempt: payout.submissions,
    businessId: scope.businessId,
    amount: payout.destination_amount,
    currency: payout.destination_currency,
    destination: toRailDestination(payout.destination),
    at: scope.now,
  }
}

/** As in the API: without the internal fields that identify the maker. */
export function toDetails({ made_by, decided_by, until, decided_at, reasons }: ApprovalDetails) {
  return {
    reasons,
    made_by: made_by && toWho(made_by),
    until: new Date(until),
    decided_by: decided_by && toWho(decided_by),
    decided_at: decided_at === null ? null : new Date(decided_at),
  }
}

/** Finds refunds and converts them to records: shared by the other files of this module. */

import type { View } from '../../core/inside.ts'
import type { Static } from '../../lib/schema.ts'
import { refuse } from './refusals.ts'
import type { RefundRecord } from './schema.ts'
import { type RefundRow, selectRefund } from './sql.ts'

export type Refund = Static<typeof RefundRecord>

/** The job that sends or queries a refund. Its name is stored with pending jobs. */
export const queryTask = 'refunds.settle'

/** @throws {Refusal} `not_found` */
export async function find(view: View, id: string): Promise<RefundRow> {
  const row = await view.row(selectRefund, [id])
  return row ?? refuse('not_found', `There is no refund '${id}'.`)
}

/** Returns the reference of the payout that pays a refund. */
export const payoutReference = ({ id }: Pick<RefundRow, 'id'>): string => `refund_${id}`

/** Converts a row to the API's record. */
export function toRefund({
  payment_id,
  customer_id: _customer,
  email: _email,
  transaction_id,
  return_transaction_id,
  rail: _rail,
  way: _sourceKey,
  sent_at: _sentAt,
  submissions: _submissions,
  waits: _waits,
  payout_id,
  review,
  destination,
  ...row
}: RefundRow): Refund {
  return {
    ...row,
    payment: payment_id,
    transaction: transaction_id,
    return_transaction: return_transaction_id,
    payout: payout_id,
    review: review && { reason: review.reason, since: new Date(review.since) },
    destination: toShownDestination(destination),
  }
}

function toShownDestination(destination: RefundRow['destination']): Record<string, unknown> {
  if (!('charge' in destination)) return destination
  return 'sender' in destination
    ? destination.sender
    : { card: { brand: destination.brand, last4: destination.last4 } }
}

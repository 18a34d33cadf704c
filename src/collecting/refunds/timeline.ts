import { endOf } from '../../books/transactions/transactions.ts'
import type { View } from '../../core/inside.ts'
import {
  momentsOf,
  orderWaits,
  type Part,
  type TimelineSource,
  takerOf,
} from '../../core/timeline.ts'
import { queryTask } from './record.ts'
import { type RefundRow, selectIdsOfPayment, selectRefund } from './sql.ts'

export const refundTimeline: TimelineSource = {
  kind: 'refund',
  async read(view, id) {
    const row = await view.row(selectRefund, [id])
    if (!row) return null
    const { status, transaction_id, return_transaction_id, payment_id } = row
    const ids = { refund: id, payment: payment_id }
    const moments = [
      ...progressOf(row),
      ...(await waitsOf(view, row)),
      ...(await endingsOf(view, row)),
    ]
    return {
      status,
      moments: momentsOf(moments.map((moment) => ({ ...moment, ids }))),
      parts: [
        ...(row.payout_id === null ? [] : [{ kind: 'payout', id: row.payout_id }]),
        ...[transaction_id, return_transaction_id].flatMap((of): Part[] =>
          of === null ? [] : [{ kind: 'transaction', id: of }],
        ),
      ],
      related: {
        payment: payment_id,
        transaction: transaction_id,
        return_transaction: return_transaction_id,
        customer: row.customer_id,
      },
    }
  },
  jobs: { [queryTask]: 'The refund is to be sent to its provider, or asked about' },
  partsOf: {
    payment: async (view, payment, limit) =>
      (await view.rows(selectIdsOfPayment, [payment, limit])).map(
        ({ id }): Part => ({ kind: 'refund', id }),
      ),
  },
}

type Moments = Parameters<typeof momentsOf>[0]

/** Returns the moments until the rail has accepted a refund. */
function progressOf(row: RefundRow): Moments {
  const { amount, currency, reason, method, destination_amount, destination_currency } = row
  const { provider_reference, tx_hash } = row
  const taker = takerOf(method)
  const isAccepted = provider_reference !== null || tx_hash !== null
  return [
    {
      at: row.created_at,
      title: row.automatic
        ? 'A refund of what the payment does not keep was made'
        : 'A refund was made',
      detail: { amount, currency, reason, method, destination_amount, destination_currency },
      event: 'refund.initiated',
    },
    {
      at: row.review && new Date(row.review.since),
      title: 'Screening holds the refund: a person of the operator’s looks at it',
      detail: { reason: row.review?.reason },
    },
    {
      at: row.sent_at,
      title: `The refund was sent to the ${taker}`,
      detail: { submissions: row.submissions },
    },
    {
      at: isAccepted ? (row.sent_at ?? row.updated_at) : null,
      kind: 'provider',
      title: `The ${taker} took the refund`,
      detail: { provider_reference, ...(tx_hash === null ? {} : { tx_hash }) },
    },
  ]
}

/** Returns why an open refund waits. A payout that pays it has waits of its own. */
async function waitsOf(view: View, row: RefundRow): Promise<Moments> {
  if (row.status !== 'initiated' || row.payout_id !== null) return []
  return orderWaits(view, {
    noun: 'refund',
    method: row.method,
    rail: row.rail,
    waits: row.waits,
    txHash: row.tx_hash,
    since: row.sent_at ?? row.updated_at,
    chain: 'charge' in row.destination ? undefined : row.destination.chain,
    sent: row.sent_at !== null,
  })
}

async function endingsOf(view: View, row: RefundRow): Promise<Moments> {
  const { status, failure_reason } = row
  const isReturned = row.return_transaction_id !== null
  return [
    {
      at: status === 'completed' || isReturned ? await endOf(view, row.transaction_id) : null,
      title: 'The refund arrived',
      event: 'refund.completed',
    },
    {
      at: status === 'failed' ? row.updated_at : null,
      title: isReturned
        ? 'The money of the refund came back'
        : 'The refund failed, and its amount was given back',
      detail: failure_reason === null ? {} : { failure_reason },
      event: 'refund.failed',
    },
  ]
}

import { endOf } from '../../books/transactions/transactions.ts'
import {
  momentsOf,
  orderWaits,
  type Part,
  type TimelineSource,
  takerOf,
} from '../../core/timeline.ts'
import { askTask } from './record.ts'
import { selectIdsOfPayment, selectRefund } from './sql.ts'

export const refundTimeline: TimelineSource = {
  kind: 'refund',
  async read(view, id) {
    const row = await view.row(selectRefund, [id])
    if (!row) return null
    const {
      status,
      amount,
      currency,
      reason,
      automatic,
      destination_amount,
      destination_currency,
    } = row
    const {
      provider_reference,
      tx_hash,
      transaction_id,
      return_transaction_id,
      payment_id,
      created_at,
    } = row
    const returned = return_transaction_id !== null
    const ids = { refund: id, payment: payment_id }
    const taker = takerOf(row.method)
    const known = provider_reference !== null || tx_hash !== null
    const order = {
      noun: 'refund',
      method: row.method,
      rail: row.rail,
      waits: row.waits,
      txHash: tx_hash,
    }
    const since = row.sent_at ?? row.updated_at
    const chain = 'charge' in row.destination ? undefined : row.destination.chain
    const waits =
      status === 'initiated' && row.payout_id === null
        ? await orderWaits(view, { ...order, since, chain, sent: row.sent_at !== null })
        : []
    const failure = row.failure_reason === null ? {} : { failure_reason: row.failure_reason }
    return {
      status,
      moments: momentsOf([
        {
          at: created_at,
          title: automatic
            ? 'A refund of what the payment does not keep was made'
            : 'A refund was made',
          detail: {
            amount,
            currency,
            reason,
            method: row.method,
            destination_amount,
            destination_currency,
          },
          ids,
          event: 'refund.initiated',
        },
        {
          at: row.review && new Date(row.review.since),
          title: 'Screening holds the refund: a person of the operator’s looks at it',
          detail: { reason: row.review?.reason },
          ids,
        },
        {
          at: row.sent_at,
          title: `The refund was sent to the ${taker}`,
          detail: { submissions: row.submissions },
          ids,
        },
        {
          at: known ? (row.sent_at ?? row.updated_at) : null,
          kind: 'provider',
          title: `The ${taker} took the refund`,
          detail: { provider_reference, ...(tx_hash === null ? {} : { tx_hash }) },
          ids,
        },
        ...waits.map((moment) => ({ ...moment, ids })),
        {
          at: status === 'completed' || returned ? await endOf(view, transaction_id) : null,
          title: 'The refund arrived',
          ids,
          event: 'refund.completed',
        },
        {
          at: status === 'failed' ? row.updated_at : null,
          title: returned
            ? 'The money of the refund came back'
            : 'The refund failed, and its amount was given back',
          detail: failure,
          ids,
          event: 'refund.failed',
        },
      ]),
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
  jobs: { [askTask]: 'The refund is to be sent to its provider, or asked about' },
  partsOf: {
    payment: async (view, payment, limit) =>
      (await view.rows(selectIdsOfPayment, [payment, limit])).map(
        ({ id }): Part => ({ kind: 'refund', id }),
      ),
  },
}

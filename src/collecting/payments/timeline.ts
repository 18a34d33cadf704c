import { momentsOf, type Part, type TimelineSource } from '../../core/timeline.ts'
import { expireTask, queryAttemptTask } from './record.ts'
import { selectAttempt, selectAttemptIds, selectById } from './sql.ts'

const endings: Record<string, string> = {
  completed: 'The payment was paid',
  failed: 'The payment failed',
  expired: 'The payment expired: it was not paid in time',
  canceled: 'The payment was canceled',
}

export const paymentTimeline: TimelineSource = {
  kind: 'payment',
  async read(view, id) {
    const row = await view.row(selectById, [id])
    if (!row) return null
    const { status, reference, amount, currency, methods, variance, amount_received, created_at } =
      row
    const detail = status === 'completed' ? { method: row.method, amount_received, variance } : {}
    return {
      status,
      moments: momentsOf([
        {
          at: created_at,
          title: 'The payment was opened',
          detail: { reference, amount, currency, methods, expires_at: row.expires_at },
        },
        {
          at: status === 'pending' ? null : row.ended_at,
          title: endings[status] ?? `The payment is ${status}`,
          detail: {
            ...detail,
            ...(row.failure_reason === null ? {} : { failure_reason: row.failure_reason }),
          },
          event: `payment.${status}`,
        },
      ]),
      events:
        row.paid_at === null || row.collection_id === null
          ? []
          : [{ type: 'collection.completed', about: id, between: [row.paid_at, row.paid_at] }],
      related: {
        customer: row.customer_id,
        collection: row.collection_id,
        invoice: row.invoice_id,
      },
    }
  },
  jobs: { [expireTask]: 'The payment expires, unless it is paid' },
}

export const attemptTimeline: TimelineSource = {
  kind: 'card_attempt',
  async read(view, id) {
    const row = await view.row(selectAttempt, [id])
    if (!row) return null
    const {
      status,
      amount,
      brand,
      last4,
      channel,
      failure_reason,
      provider_reference,
      created_at,
      updated_at,
    } = row
    const ids = { payment: row.payment_id, card_attempt: id }
    const card = {
      ...(brand === null ? {} : { brand, last4 }),
      ...(channel === null ? {} : { channel }),
    }
    const ended = status === 'succeeded' || status === 'failed'
    return {
      status,
      moments: momentsOf([
        { at: created_at, title: 'The payer tried a card', detail: { amount, ...card }, ids },
        {
          at: provider_reference === null ? null : updated_at,
          kind: 'provider',
          title: 'The card’s provider received the charge',
          detail: { provider_reference },
          ids,
        },
        {
          at: ended ? updated_at : null,
          title: status === 'succeeded' ? 'The card was charged' : 'The card was not charged',
          detail: failure_reason === null ? card : { ...card, failure_reason },
          ids,
        },
      ]),
      parts: [{ kind: 'payment', id: row.payment_id }],
      related: { payment: row.payment_id, transaction: row.transaction_id },
    }
  },
  jobs: { [queryAttemptTask]: 'The card’s provider is to be asked how the charge stands' },
  partsOf: {
    payment: async (view, payment, limit) =>
      (await view.rows(selectAttemptIds, [payment, limit])).map(
        ({ id }): Part => ({ kind: 'card_attempt', id }),
      ),
  },
}

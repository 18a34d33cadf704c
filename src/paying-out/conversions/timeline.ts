import { momentsOf, type Part, type TimelineSource } from '../../core/timeline.ts'
import { selectConversion, selectOfQuote, selectQuote } from './sql.ts'

export const conversionTimeline: TimelineSource = {
  kind: 'conversion',
  async read(view, id) {
    const row = await view.row(selectConversion, [id])
    if (!row) return null
    const { amount, currency, fee, rate, destination_amount, destination_currency, created_at } =
      row
    return {
      status: 'completed',
      moments: momentsOf([
        {
          at: created_at,
          title: 'The money was converted',
          detail: { amount, currency, fee, rate, destination_amount, destination_currency },
          ids: { conversion: id },
          event: 'conversion.completed',
        },
      ]),
      parts: [row.transaction_id, row.destination_transaction_id].map(
        (of): Part => ({ kind: 'transaction', id: of }),
      ),
      related: {
        quote: row.quote_id,
        transaction: row.transaction_id,
        destination_transaction: row.destination_transaction_id,
      },
    }
  },
}

/** A quote and its conversion. */
export const conversionQuoteTimeline: TimelineSource = {
  kind: 'conversion_quote',
  async read(view, id) {
    const row = await view.row(selectQuote, [id])
    if (!row) return null
    const {
      amount,
      currency,
      fee,
      rate,
      destination_amount,
      destination_currency,
      created_at,
      expires_at,
    } = row
    const made = await view.row(selectOfQuote, [id])
    const expired = made === null && expires_at <= view.scope.now
    const price = { amount, currency, fee, rate, destination_amount, destination_currency }
    return {
      status: made ? 'used' : expired ? 'expired' : 'open',
      moments: momentsOf([
        { at: created_at, title: 'The quote was given', detail: { ...price, expires_at } },
        { at: expired ? expires_at : null, title: 'The quote expired' },
      ]),
      parts: made ? [{ kind: 'conversion', id: made.id }] : [],
    }
  },
}

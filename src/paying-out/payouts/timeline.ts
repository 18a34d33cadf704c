import { endOf } from '../../books/transactions/transactions.ts'
import type { View } from '../../core/inside.ts'
import {
  momentsOf,
  orderWaits,
  type Part,
  type TimelineSource,
  takerOf,
} from '../../core/timeline.ts'
import { askTask, expireApprovalTask, expireQuoteTask, submitTask, toDetails } from './record.ts'
import { type PayoutRow, selectById, selectQuote } from './sql.ts'

const endings: Record<string, string> = {
  completed: 'The payout arrived',
  failed: 'The payout failed, and its amount was given back',
  canceled: 'The payout was canceled, and its amount given back',
}

function waitsOf(view: View, row: PayoutRow) {
  const { method, rail, waits, status, tx_hash: txHash, sent_at, updated_at, destination } = row
  const since = txHash === null ? (sent_at ?? updated_at) : updated_at
  const order = { noun: 'payout', method, rail, waits, since, chain: destination.chain }
  return orderWaits(view, { ...order, sent: status === 'processing', txHash })
}

export const payoutTimeline: TimelineSource = {
  kind: 'payout',
  async read(view, id) {
    const row = await view.row(selectById, [id])
    if (!row) return null
    const {
      status,
      reference,
      amount,
      fee,
      currency,
      destination_amount,
      destination_currency,
      failure_reason,
    } = row
    const {
      provider_reference,
      tx_hash,
      created_at,
      updated_at,
      transaction_id,
      return_transaction_id,
    } = row
    const details = row.approval_details && toDetails(row.approval_details)
    const end = status === 'returned' ? 'completed' : status
    const ended = status !== 'pending' && status !== 'processing'
    const taker = takerOf(row.method)
    const known = provider_reference !== null || tx_hash !== null
    const told = failure_reason === null || end === 'completed' ? {} : { failure_reason }
    return {
      status,
      moments: momentsOf([
        {
          at: created_at,
          title: 'The payout was made, and its amount held',
          detail: { reference, amount, fee, currency, destination_amount, destination_currency },
          event: 'payout.initiated',
        },
        {
          at: row.approval === 'none' ? null : created_at,
          title: 'A second person has to approve the payout',
          detail: { reasons: details?.reasons, until: details?.until },
        },
        {
          at: details?.decided_by ? details.decided_at : null,
          title: row.approval === 'approved' ? 'Approved' : 'Refused',
          detail: { by: details?.decided_by },
        },
        {
          at: row.review && new Date(row.review.since),
          title: 'Screening holds the payout: a person of the operator’s looks at it',
          detail: { reason: row.review?.reason },
          event: 'payout.review_opened',
        },
        {
          at: row.sent_at,
          title: `The payout was sent to the ${taker}${row.submissions > 1 ? `, ${row.submissions} times by now` : ''}`,
          detail: { submissions: row.submissions },
        },
        {
          at: known ? (row.sent_at ?? updated_at) : null,
          kind: 'provider',
          title: `The ${taker} took the payout`,
          detail: { provider_reference, ...(tx_hash === null ? {} : { tx_hash }) },
        },
        ...(ended ? [] : await waitsOf(view, row)),
        {
          at: ended ? await endOf(view, transaction_id) : null,
          title: endings[end] ?? `The payout is ${end}`,
          detail: told,
          event: `payout.${end}`,
        },
        {
          at: status === 'returned' ? updated_at : null,
          title: `The ${taker} sent the money back`,
          detail: { failure_reason },
          event: 'payout.returned',
        },
      ]),
      parts: [transaction_id, return_transaction_id].flatMap((of): Part[] =>
        of === null ? [] : [{ kind: 'transaction', id: of }],
      ),
      related: {
        transaction: transaction_id,
        return_transaction: return_transaction_id,
        quote: row.quote_id,
        beneficiary: row.beneficiary_id,
      },
    }
  },
  jobs: {
    [expireApprovalTask]: 'The payout is given back, unless somebody approves it before',
    [submitTask]: 'The payout is to be sent to its provider',
    [askTask]: 'The provider is to be asked how the payout stands',
  },
}

export const quoteTimeline: TimelineSource = {
  kind: 'payout_quote',
  async read(view, id) {
    const row = await view.row(selectQuote, [id])
    if (!row) return null
    const { status, amount, fee, currency, rate, created_at, expires_at } = row
    return {
      status,
      moments: momentsOf([
        {
          at: created_at,
          title: 'The quote was given',
          detail: { amount, fee, currency, rate, expires_at },
        },
        { at: status === 'expired' ? expires_at : null, title: 'The quote expired' },
      ]),
    }
  },
  jobs: { [expireQuoteTask]: 'The quote expires' },
}

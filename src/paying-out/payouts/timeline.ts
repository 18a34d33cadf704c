import { endOf } from '../../books/transactions/transactions.ts'
import type { View } from '../../core/inside.ts'
import {
  type MaybeMoment,
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

/** From creation to submission. */
function firstMoments(row: PayoutRow): MaybeMoment[] {
  const { reference, amount, fee, currency, destination_amount, destination_currency } = row
  const { created_at, approval, review, sent_at, submissions } = row
  const details = row.approval_details && toDetails(row.approval_details)
  const times = submissions > 1 ? `, ${submissions} times by now` : ''
  return [
    {
      at: created_at,
      title: 'The payout was made, and its amount held',
      detail: { reference, amount, fee, currency, destination_amount, destination_currency },
      event: 'payout.initiated',
    },
    {
      at: approval === 'none' ? null : created_at,
      title: 'A second person has to approve the payout',
      detail: { reasons: details?.reasons, until: details?.until },
    },
    {
      at: details?.decided_by ? details.decided_at : null,
      title: approval === 'approved' ? 'Approved' : 'Refused',
      detail: { by: details?.decided_by },
    },
    {
      at: review && new Date(review.since),
      title: 'Screening holds the payout: a person of the operator’s looks at it',
      detail: { reason: review?.reason },
      event: 'payout.review_opened',
    },
    {
      at: sent_at,
      title: `The payout was sent to the ${takerOf(row.method)}${times}`,
      detail: { submissions },
    },
  ]
}

/** From the provider's answer to the end. */
async function lastMoments(view: View, row: PayoutRow): Promise<MaybeMoment[]> {
  const { status, failure_reason, provider_reference, tx_hash, sent_at, updated_at } = row
  const end = status === 'returned' ? 'completed' : status
  const ended = status !== 'pending' && status !== 'processing'
  const taker = takerOf(row.method)
  const known = provider_reference !== null || tx_hash !== null
  return [
    {
      at: known ? (sent_at ?? updated_at) : null,
      kind: 'provider',
      title: `The ${taker} took the payout`,
      detail: { provider_reference, ...(tx_hash === null ? {} : { tx_hash }) },
    },
    ...(ended ? [] : await waitsOf(view, row)),
    {
      at: ended ? await endOf(view, row.transaction_id) : null,
      title: endings[end] ?? `The payout is ${end}`,
      detail: failure_reason === null || end === 'completed' ? {} : { failure_reason },
      event: `payout.${end}`,
    },
    {
      at: status === 'returned' ? updated_at : null,
      title: `The ${taker} sent the money back`,
      detail: { failure_reason },
      event: 'payout.returned',
    },
  ]
}

export const payoutTimeline: TimelineSource = {
  kind: 'payout',
  async read(view, id) {
    const row = await view.row(selectById, [id])
    if (!row) return null
    const { transaction_id: transaction, return_transaction_id: return_transaction } = row
    return {
      status: row.status,
      moments: momentsOf([...firstMoments(row), ...(await lastMoments(view, row))]),
      parts: [transaction, return_transaction].flatMap((of): Part[] =>
        of === null ? [] : [{ kind: 'transaction', id: of }],
      ),
      related: {
        transaction,
        return_transaction,
        quote: row.quote_id,
        beneficiary: row.beneficiary_id,
      },
    }
  },
  jobs: {
    [expireApprovalTask]: 'The payout is canceled unless a person approves it before',
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

import { momentsOf, type Part, type TimelineSource } from '../../core/timeline.ts'
import type { Id } from '../../lib/ids.ts'
import {
  selectIdsOfAccount,
  selectIdsOfPayment,
  selectTransaction,
  type TransactionRow,
} from './sql.ts'

/** Titles of transactions. */
const titles: Record<string, string> = {
  deposit: 'a deposit',
  payment: 'money for a payment',
  payout: 'a payout',
  payout_return: 'a payout that came back',
  refund: 'a refund',
  fee: 'a fee',
  share: 'a share',
  conversion: 'a conversion',
  simulated_fund: 'test money',
}

/**
 * The records that a transaction belongs to, most specific first; a refund's transaction also names
 * its payment.
 */
const whole = ['refund', 'payout', 'payment']

export const transactionTimeline: TimelineSource = {
  kind: 'transaction',
  async read(view, id) {
    const row = await view.row(selectTransaction, [id])
    if (!row) return null
    const {
      status,
      type,
      method,
      direction,
      currency,
      amount,
      fee,
      balance_after,
      late,
      created_at,
      updated_at,
    } = row
    const title = titles[type] ?? type
    const ids = { transaction: id }
    const ended = status !== 'pending' && updated_at > created_at
    const moved = { type, method, direction, currency, amount, fee, ...(late ? { late } : {}) }
    return {
      status,
      moments: momentsOf([
        {
          at: created_at,
          title: `Recorded as ${ended ? 'pending' : status}: ${title}`,
          detail: { ...moved, balance_after },
          ids,
        },
        {
          at: ended ? updated_at : null,
          title: `Recorded as ${status}: ${title}`,
          detail: moved,
          ids,
        },
      ]),
      transactions: [id],
      events: depositEvents(row).map((event) => ({
        type: event,
        about: id,
        between: [created_at, updated_at],
      })),
      parts: whole
        .flatMap((kind): Part[] => (row.related[kind] ? [{ kind, id: row.related[kind] }] : []))
        .slice(0, 1),
      related: { ...row.related, customer: row.customer_id },
    }
  },
  partsOf: {
    virtual_account: ofAccount,
    crypto_wallet: ofAccount,
    payment: async (view, payment, limit) => {
      const rows = await view.rows(selectIdsOfPayment, [payment, limit])
      return rows.map(({ id }: { id: Id }) => ({ kind: 'transaction', id }))
    },
  },
}

async function ofAccount(
  ...[view, account, limit]: Parameters<NonNullable<TimelineSource['partsOf']>[string]>
) {
  const rows = await view.rows(selectIdsOfAccount, [account, limit])
  return rows.map(({ id }): Part => ({ kind: 'transaction', id }))
}

/** Money received by an account or address has its own event. */
function depositEvents({ method, related, direction }: TransactionRow): string[] {
  if (direction === 'debit') return []
  if (related.virtual_account !== undefined) return ['virtual_account.deposit']
  return method === 'crypto' ? ['crypto.deposit'] : []
}

import type { KeptReview } from '../../core/review.ts'
import { batchOf, replanned, sql, sqlOfMany } from '../../db/db.ts'
import {
  bigint,
  boolean,
  byId,
  columnsOf,
  defaulted,
  json,
  nullable,
  type RowOf,
  table,
  text,
  time,
} from '../../db/table.ts'
import type { Id } from '../../lib/ids.ts'
import type { Currency } from '../../lib/money.ts'

export const transactions = table('transactions', {
  id: text<Id>(),
  type: text(),
  method: text(),
  direction: text(),
  status: text(),
  currency: text<Currency>(),
  amount: bigint(),
  fee: bigint(),
  balance_after: bigint(),
  late: boolean(),
  reference: nullable(text()),
  customer_id: nullable(text<Id>()),
  source: nullable(json<Record<string, unknown>>()),
  related: json<Record<string, string>>(),
  metadata: json<Record<string, unknown>>(),
  review: defaulted(nullable(json<KeptReview>())),
  created_at: time(),
  updated_at: time(),
})
export type TransactionRow = RowOf<typeof transactions>
const columns = columnsOf(transactions)

export const selectTransaction = byId(transactions)

/** Whether money is on its way, in or out. */
export const selectPending = sql<{ pending: boolean }>(
  'transactions.select_pending',
  `select exists (select from transactions where business_id = $1 and livemode = $2 and status = 'pending') as pending`,
)

export const completeTransaction = sql<TransactionRow>(
  'transactions.complete',
  `update transactions
      set status = 'completed', amount = $4, fee = $5, balance_after = $6, late = $7, review = null, updated_at = $8
    where business_id = $1 and livemode = $2 and id = $3 and status = 'pending'
   returning ${columns}`,
)

export const reshow = sql<{ id: Id }>(
  'transactions.reshow',
  `update transactions set status = 'pending', amount = $4, fee = $5, source = $6, updated_at = $7
    where business_id = $1 and livemode = $2 and id = $3 and status in ('pending', 'failed')
   returning id`,
)

/** Marks a pending transaction as held for review. */
export const holdTransaction = sql<{ id: Id }>(
  'transactions.hold',
  `update transactions set review = $4, updated_at = $5
    where business_id = $1 and livemode = $2 and id = $3 and status = 'pending' returning id`,
)

export const ended = batchOf<{
  business_id: string
  livemode: boolean
  id: Id
  ends: string
  at: Date
}>('business_id text, livemode boolean, id text, ends text, at timestamptz')

/** Ends pending transactions. */
export const endTransactions = replanned(
  sqlOfMany<{ id: Id }>(
    'transactions.end',
    `update transactions t set status = ends, updated_at = at from ${ended.rows()} given
      where t.business_id = given.business_id and t.livemode = given.livemode and t.id = given.id and t.status = 'pending'
      returning t.id`,
  ),
)

/** What a payment received, latest first. */
export const selectOfPayment = sql<TransactionRow>(
  'transactions.select_of_payment',
  `select ${columns} from transactions
    where business_id = $1 and livemode = $2 and related->>'payment' = $3 and type = 'payment' and status = 'completed'
    order by created_at desc, id desc`,
)

/**
 * What a payment received or may receive, latest first. PostgreSQL overestimates these few rows,
 * and would otherwise scan all transactions for the newest ones.
 */
export const selectIdsOfPayment = sql<{ id: Id }>(
  'transactions.select_ids_of_payment',
  `with found as materialized (
     select id from transactions
      where business_id = $1 and livemode = $2 and related->>'payment' = $3 and type = 'payment'
   )
   select id from found order by id desc limit $4`,
)

/** What a virtual account or crypto wallet received, latest first. */
export const selectIdsOfAccount = sql<{ id: Id }>(
  'transactions.select_ids_of_account',
  `select id from transactions
    where business_id = $1 and livemode = $2 and coalesce(related->>'virtual_account', related->>'crypto_wallet') = $3
      and type = 'deposit'
    order by id desc limit $4`,
)

/**
 * What completed transactions have moved since `$3`, by the day of their creation in the time zone
 * `$4`.
 */
export const selectMovedByDay = sql<{
  day: string
  currency: Currency
  direction: 'credit' | 'debit'
  amount: bigint
}>(
  'transactions.select_moved_by_day',
  `select to_char(quarter at time zone $4, 'YYYY-MM-DD') as day, currency, direction, sum(amount)::bigint as amount
     from (select quarter, currency, direction, amount from transaction_sums
            where business_id = $1 and livemode = $2 and quarter >= $3
            union all
           select quarter, facets->>'currency', facets->>'direction', amount from list_changes
            where business_id = $1 and livemode = $2 and list = 'transactions' and quarter >= $3 and facets->>'status' = 'completed') moved
    group by 1, 2, 3 having sum(amount) <> 0`,
)

/**
 * Sums what is pending by currency, direction and type, apart from what screening holds. It reads
 * the index of alike rows, so that the cost depends on the pending rows alone.
 */
export const selectPendingSums = sql<{
  currency: Currency
  direction: 'credit' | 'debit'
  type: string
  held: boolean
  amount: bigint
}>(
  'transactions.select_pending_sums',
  `select currency, direction, type, review is not null and direction = 'credit' as held, sum(amount)::bigint as amount
     from transactions
    where business_id = $1 and livemode = $2 and status = 'pending'
      and hashtext(currency || '/' || direction || '/' || method || '/' || status || '/' || type) in (
          select hashtext(c || '/' || kind.direction || '/' || m || '/pending/' || kind.type)
            from unnest($3::text[]) c, unnest($4::text[]) m,
                 (values ('debit', 'payout'), ('debit', 'refund'), ('debit', 'dispute'), ('credit', 'deposit'), ('credit', 'payment'))
                 kind (direction, type))
    group by 1, 2, 3, 4`,
)

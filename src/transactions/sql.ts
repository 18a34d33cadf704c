import { sql } from '../db/db.ts'
import type { Id } from '../lib/ids.ts'
import type { Currency } from '../lib/money.ts'

export type TransactionRow = {
  id: Id
  livemode: boolean
  type: string
  method: string
  direction: string
  status: string
  currency: Currency
  amount: bigint
  fee: bigint
  balance_after: bigint
  late: boolean
  reference: string | null
  customer_id: Id | null
  source: Record<string, unknown> | null
  related: Record<string, string>
  metadata: Record<string, unknown>
  created_at: Date
  updated_at: Date
}

export const columns = `id, livemode, type, method, direction, status, currency, amount, fee, balance_after, late, reference,
  customer_id, source, related, metadata, created_at, updated_at`

export const insertTransaction = sql<TransactionRow>(
  'transactions.insert',
  `insert into transactions (business_id, livemode, id, type, method, direction, status, currency, amount, fee,
                             balance_after, late, reference, customer_id, source, related, metadata, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $18)
   returning ${columns}`,
)

export const completeTransaction = sql<TransactionRow>(
  'transactions.complete',
  `update transactions
      set status = 'completed', amount = $4, fee = $5, balance_after = $6, late = $7, updated_at = $8
    where business_id = $1 and livemode = $2 and id = $3 and status = 'pending'
   returning ${columns}`,
)

export const reshow = sql<{ id: Id }>(
  'transactions.reshow',
  `update transactions set status = 'pending', amount = $4, fee = $5, source = $6, updated_at = $7
    where business_id = $1 and livemode = $2 and id = $3 and status in ('pending', 'failed')
   returning id`,
)

export const updateStatus = sql<{ id: Id }>(
  'transactions.update_status',
  `update transactions set status = $4, updated_at = $5
    where business_id = $1 and livemode = $2 and id = $3 and status = 'pending' returning id`,
)

/** What a payment received, the latest first. */
export const selectOfPayment = sql<TransactionRow>(
  'transactions.select_of_payment',
  `select ${columns} from transactions
    where business_id = $1 and livemode = $2 and related->>'payment' = $3 and type = 'payment' and status = 'completed'
    order by created_at desc, id desc`,
)

export const selectTransaction = sql<TransactionRow>(
  'transactions.select',
  `select ${columns} from transactions where business_id = $1 and livemode = $2 and id = $3`,
)

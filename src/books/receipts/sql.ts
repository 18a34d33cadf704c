import { batchOf, sql, sqlOfMany } from '../../db/db.ts'
import type { Id } from '../../lib/ids.ts'
import type { Currency } from '../../lib/money.ts'

/** What moved at a provider. `_return`: what had left, and came back. */
export type ReceiptKind = 'charge' | 'deposit' | 'payout' | 'payout_return' | 'refund' | 'refund_return'

export type ReceiptRow = {
  business_id: string
  livemode: boolean
  rail: string
  kind: ReceiptKind
  provider_id: string
  subject: Id
  transaction_id: Id
  currency: Currency
  amount: bigint
  fee: bigint | null
  available_at: Date | null
  created_at: Date
}

export const newReceipts = batchOf<ReceiptRow>(
  `business_id text, livemode boolean, rail text, kind text, provider_id text, subject text, transaction_id text, currency text,
   amount bigint, fee bigint, available_at timestamptz, created_at timestamptz`,
)

/** In the order of their keys, to avoid deadlocks. What is there already is left out of the answer. */
export const insertReceipts = sqlOfMany<Pick<ReceiptRow, 'livemode' | 'rail' | 'kind' | 'provider_id'>>(
  'receipts.insert',
  `insert into provider_receipts (business_id, livemode, rail, kind, provider_id, subject, transaction_id, currency, amount, fee,
                                  available_at, created_at)
   select * from ${newReceipts.rows()} as new order by livemode, rail, provider_id, kind
   on conflict do nothing
   returning livemode, rail, kind, provider_id`,
)

/** Once: a fee that is known stays. */
export const updateFee = sql<Pick<ReceiptRow, 'subject' | 'transaction_id' | 'currency'>>(
  'receipts.update_fee',
  `update provider_receipts set fee = $6
    where business_id = $1 and livemode = $2 and rail = $3 and kind = $4 and provider_id = $5 and fee is null
   returning subject, transaction_id, currency`,
)

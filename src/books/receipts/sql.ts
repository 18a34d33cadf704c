import { batchOf, sql, sqlOfAll, sqlOfMany } from '../../db/db.ts'
import type { Id } from '../../lib/ids.ts'
import type { Currency } from '../../lib/money.ts'
import { operator } from '../ledger/ledger.ts'

/** The kind of a provider movement. `_return`: outgoing money came back. */
export type ReceiptKind =
  | 'charge'
  | 'deposit'
  | 'payout'
  | 'payout_return'
  | 'refund'
  | 'refund_return'

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

/** Inserts in key order, to avoid deadlocks. Existing receipts are missing from the answer. */
export const insertReceipts = sqlOfMany<
  Pick<ReceiptRow, 'livemode' | 'rail' | 'kind' | 'provider_id'>
>(
  'receipts.insert',
  `insert into provider_receipts (business_id, livemode, rail, kind, provider_id, subject, transaction_id, currency, amount, fee,
                                  available_at, created_at)
   select * from ${newReceipts.rows()} as new order by livemode, rail, provider_id, kind
   on conflict do nothing
   returning livemode, rail, kind, provider_id`,
)

/** Of incoming movements, the one that each transaction books. */
export const selectMoneyIn = sql<Pick<ReceiptRow, 'transaction_id' | 'rail' | 'provider_id'>>(
  'receipts.select_money_in',
  `select transaction_id, rail, provider_id from provider_receipts
    where business_id = $1 and livemode = $2 and transaction_id = any($3::text[]) and kind in ('charge', 'deposit')`,
)

export type ReceiptShown = Pick<
  ReceiptRow,
  | 'kind'
  | 'provider_id'
  | 'subject'
  | 'transaction_id'
  | 'currency'
  | 'amount'
  | 'fee'
  | 'available_at'
  | 'created_at'
> & { settled_at: Date | null }

export const selectOfTransactions = sql<ReceiptShown>(
  'receipts.select_of_transactions',
  `select r.*
     from unnest($3::text[]) as asked (transaction_id)
    cross join lateral (
      select kind, provider_id, subject, transaction_id, currency, amount, fee, available_at, created_at, settled_at
        from provider_receipts
       where business_id = $1 and livemode = $2 and transaction_id = asked.transaction_id limit $4) r
    order by created_at`,
)

/** Idempotent: a known fee stays. */
export const updateFee = sql<Pick<ReceiptRow, 'subject' | 'transaction_id' | 'currency'>>(
  'receipts.update_fee',
  `update provider_receipts set fee = $6
    where business_id = $1 and livemode = $2 and rail = $3 and kind = $4 and provider_id = $5 and fee is null
   returning subject, transaction_id, currency`,
)

// For the operator
// -------------------------------------------------------------------------------------------------

export type KnownReceipt = Pick<
  ReceiptRow,
  | 'business_id'
  | 'rail'
  | 'kind'
  | 'provider_id'
  | 'subject'
  | 'transaction_id'
  | 'currency'
  | 'amount'
  | 'fee'
  | 'created_at'
> & { settlement: string | null }

/**
 * Of an account over all businesses: those with these ids, and those from a time on; a null time
 * selects none.
 */
export const selectReceipts = sqlOfAll<KnownReceipt>(
  'receipts.select_of_account',
  `select business_id, rail, kind, provider_id, subject, transaction_id, currency, amount, fee, created_at, settlement
     from provider_receipts
    where livemode = $1 and rail = $2
      and (created_at >= $4
           or provider_id = any($3)
              and kind in ('charge', 'deposit', 'payout', 'payout_return', 'refund', 'refund_return'))`,
)

export const selectAnyReceipt = sqlOfAll<{ found: boolean }>(
  'receipts.select_any',
  `select exists (select from provider_receipts where livemode = $1 and rail = $2)
       or exists (select from provider_settlements where livemode = $1 and rail = $2) as found`,
)

/** Payments of all businesses. Idempotent: a settled one stays. */
export const updateSettled = sqlOfAll<{ provider_id: string }>(
  'receipts.update_settled',
  `update provider_receipts set settlement = $3, settled_at = $4, available_at = coalesce(available_at, $4)
    where livemode = $1 and rail = $2 and provider_id = any($5) and kind in ('charge', 'deposit') and settlement is null
   returning provider_id`,
)

export const insertSettlement = sqlOfAll<{ id: Id }>(
  'receipts.insert_settlement',
  `insert into provider_settlements (livemode, rail, kind, provider_id, id, currency, amount, settled_at, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing returning id`,
)

/** What a provider owes: debits less credits of its clearing accounts, over all businesses. */
export const selectOwed = sqlOfAll<{ owed: bigint; operators: bigint }>(
  'receipts.select_owed',
  `select coalesce(-sum(balance), 0)::bigint as owed,
          coalesce(-sum(balance) filter (where business_id = '${operator}'), 0)::bigint as operators
     from ledger_accounts
    where livemode = $1 and purpose = 'rail_clearing' and subject = $2 and currency = $3`,
)

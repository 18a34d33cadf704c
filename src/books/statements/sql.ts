import { sql } from '../../db/db.ts'
import type { WalletCurrency } from '../../lib/money.ts'
import type { PostingKind } from '../ledger/ledger.ts'

/** The ledger accounts of wallets, and those of the fees they pay. */
const accounts = `accounts as materialized (
       select id, currency, purpose, balance from ledger_accounts
        where business_id = $1 and livemode = $2 and purpose in ('wallet_available', 'wallet_pending', 'fees')),
     held as (select * from accounts where purpose <> 'fees'),
     charged as (select * from accounts where purpose = 'fees')`

/** What each wallet holds now. */
export const selectTotals = sql<{ currency: WalletCurrency; total: bigint }>(
  'statements.select_totals',
  `with ${accounts} select currency, sum(balance)::bigint as total from held group by currency order by currency`,
)

export type MovementRow = {
  currency: WalletCurrency
  kind: PostingKind
  /** Whether it is of the month; else it came after it. */
  inside: boolean
  /** Whether it is a fee, or one that was given back. */
  fee: boolean
  money_in: bigint
  money_out: bigint
  count: bigint
}

/** What crossed the border of wallets from `$3` on, that is before `$4` or not. Between what is available and what is pending nothing does. */
export const selectMovements = sql<MovementRow>(
  'statements.select_movements',
  `with ${accounts}
   select p.currency, p.kind, p.posted_at < $4 as inside,
          p.debit_account in (select id from charged) or p.credit_account in (select id from charged) as fee,
          coalesce(sum(p.amount) filter (where p.credit_account in (select id from held)), 0)::bigint as money_in,
          coalesce(sum(p.amount) filter (where p.debit_account in (select id from held)), 0)::bigint as money_out,
          count(*) as count
     from ledger_postings p
    where p.business_id = $1 and p.livemode = $2 and p.posted_at >= $3
      and (p.debit_account in (select id from held)) <> (p.credit_account in (select id from held))
    group by 1, 2, 3, 4`,
)

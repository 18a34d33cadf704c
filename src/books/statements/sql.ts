import { sql, sqlOfAll } from '../../db/db.ts'
import type { Id } from '../../lib/ids.ts'
import type { Currency, WalletCurrency } from '../../lib/money.ts'
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

export type FlowRow = {
  period: string
  currency: WalletCurrency
  kind: PostingKind
  method: string
  amount: bigint
  count: bigint
}

/** What crossed the border of wallets from `$3` up to `$4`, by the days or months `$6` of the time zone `$5`, and by what is asked of it. */
const flows = (amount: string, which: string) => `with ${accounts}
   select to_char(p.posted_at at time zone $5, $6) as period, p.currency, p.kind, t.method, sum(${amount})::bigint as amount, count(*) as count
     from ledger_postings p
     join transactions t on t.business_id = $1 and t.livemode = $2 and t.id = p.transaction_id
    where p.business_id = $1 and p.livemode = $2 and p.posted_at >= $3 and p.posted_at < $4 and ${which}
    group by 1, 2, 3, 4 order by 1, 2, 3, 4`

/** Fees, less what was given back of them. */
export const selectFees = sql<FlowRow>(
  'statements.select_fees',
  flows(
    'case when p.credit_account in (select id from charged) then p.amount else -p.amount end',
    '(p.credit_account in (select id from charged)) <> (p.debit_account in (select id from charged))',
  ),
)

/** What the kinds `$7` brought to wallets, less what they took from them. */
export const selectIncome = sql<FlowRow>(
  'statements.select_income',
  flows(
    'case when p.credit_account in (select id from held) then p.amount else -p.amount end',
    `p.kind = any ($7::text[])
      and (p.credit_account in (select id from held)) <> (p.debit_account in (select id from held))`,
  ),
)

export type EarningsRow = {
  period: string
  business_id: Id
  name: string
  currency: Currency
  fees: bigint
  provider_fees: bigint
}

/**
 * Of all businesses of the mode `$1`, by the days or months `$5` of the time zone `$4`: fees, and what providers keep, from `$2` up to `$3`. What
 * was given back of either is taken from it. Read are the postings of the period.
 */
export const selectEarnings = sqlOfAll<EarningsRow>(
  'statements.select_earnings',
  `with accounts as materialized (
          select business_id, id, purpose from ledger_accounts where livemode = $1 and purpose in ('fees', 'rail_fees')),
        moved as (
          select p.business_id, p.posted_at, p.currency,
                 case when c.purpose = 'fees' then p.amount when d.purpose = 'fees' then -p.amount else 0 end as fees,
                 case when d.purpose = 'rail_fees' then p.amount when c.purpose = 'rail_fees' then -p.amount else 0 end as provider_fees
            from ledger_postings p
            left join accounts c on c.business_id = p.business_id and c.id = p.credit_account
            left join accounts d on d.business_id = p.business_id and d.id = p.debit_account
           where p.livemode = $1 and p.posted_at >= $2 and p.posted_at < $3 and (c.id is not null or d.id is not null))
   select to_char(m.posted_at at time zone $4, $5) as period, m.business_id, b.name, m.currency,
          sum(m.fees)::bigint as fees, sum(m.provider_fees)::bigint as provider_fees
     from moved m join businesses b on b.id = m.business_id
    group by 1, 2, 3, 4 order by 1, 4, 3, 2`,
)

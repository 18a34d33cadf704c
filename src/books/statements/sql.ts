import { replanned, sql, sqlOfAll } from '../../db/db.ts'
import type { Id } from '../../lib/ids.ts'
import type { Currency, WalletCurrency } from '../../lib/money.ts'
import type { PostingKind } from '../ledger/ledger.ts'

/** The current balance of each wallet, without deposits that screening holds. */
export const selectTotals = sql<{ currency: WalletCurrency; total: bigint }>(
  'statements.select_totals',
  `with held as (
     select currency, sum(amount) as amount from transactions
      where business_id = $1 and livemode = $2 and review is not null
      group by currency
   )
   select currency, (sum(balance) - coalesce(max(held.amount), 0))::bigint as total
     from ledger_accounts left join held using (currency)
    where business_id = $1 and livemode = $2 and purpose in ('wallet_available', 'wallet_pending')
    group by currency order by currency`,
)

/** The position up to which postings are in `posting_sums`. */
export const selectFolded = sqlOfAll<{ position: bigint }>(
  'statements.select_folded',
  'select position from folded_postings',
)

/**
 * Returns no row while another process sums, or deletes test postings: the next statement then sees
 * the deletion.
 */
export const lockFolded = sqlOfAll<{ position: bigint }>(
  'statements.lock_folded',
  'select position from folded_postings for update skip locked',
)

/** Returns the direction of the posting `p` for wallets or fees: 1 in, -1 out. */
const sides = (purposes: string): string => {
  const is = (account: string): string => `(${account}.purpose in (${purposes}))::integer`
  return `${is('c')} - ${is('d')}`
}
const held = sides(`'wallet_available', 'wallet_pending'`)
const charged = sides(`'fees'`)
/** Postings with both accounts, and their transaction if there is one. */
export const postings = `ledger_postings p
       join ledger_accounts c on c.business_id = p.business_id and c.livemode = p.livemode and c.id = p.credit_account
       join ledger_accounts d on d.business_id = p.business_id and d.livemode = p.livemode and d.id = p.debit_account
       left join transactions t on t.business_id = p.business_id and t.livemode = p.livemode and t.id = p.transaction_id`
export const facts = `p.currency, p.kind, coalesce(t.method, '') as method, ${held} as held, ${charged} as charged`

/** A sum of postings that entered or left wallets (`held`) or fees (`charged`). */
export type MovedRow = {
  period: string
  currency: WalletCurrency
  kind: PostingKind
  /** Of their transactions; empty if there is none. */
  method: string
  held: -1 | 0 | 1
  charged: -1 | 0 | 1
  amount: bigint
  count: bigint
}

/**
 * Unsummed postings from `$4` and before `$5`, and those in partial quarters of an hour at both
 * ends. `is true` keeps PostgreSQL from using the index by time for the first, which the position
 * finds faster.
 */
const posted = [
  'p.position >= $7 and (p.posted_at >= $4 and p.posted_at < $5) is true',
  '$3::timestamptz < $4::timestamptz and p.posted_at >= $3 and p.posted_at < $4',
  '$5::timestamptz < $6::timestamptz and p.posted_at >= $5 and p.posted_at < $6',
].map(
  (which) => `
      select p.posted_at as at, ${facts}, p.amount, 1::bigint as count
         from ${postings}
        where p.business_id = $1 and p.livemode = $2 and ${which}`,
)
const sums = (span: string, time: string): string => `
      select begins_at as at, currency, kind, method, held::integer, charged::integer, amount, count
         from posting_sums
        where business_id = $1 and livemode = $2 and span = '${span}' and ${time}`
/** One lookup per day: PostgreSQL would otherwise compare each quarter of an hour with all days. */
const quartersOfDays = `
      select quarters.*
        from unnest($10::timestamptz[]) edge
       cross join lateral (${sums('quarter', `begins_at >= greatest(edge, $4::timestamptz) and begins_at < least(edge + interval '24 hours', $5::timestamptz)`)}
                           offset 0) quarters`

/**
 * What moved from `$3` up to `$6` by periods of the time zone `$8`, named by the `to_char` format
 * `$9`. Whole quarters of an hour from `$4` up to `$5` come from sums: by UTC days, except on the
 * days `$10` with a period boundary. The rest comes from postings: positions from `$7`, and the
 * partial quarters.
 */
export const selectMoved = replanned(
  sql<MovedRow>(
    'statements.select_moved',
    `select to_char(day, $9) as period, currency, kind, method, held, charged, sum(amount)::bigint as amount, sum(count)::bigint as count
       from (select (at at time zone $8)::date as day, currency, kind, method, held, charged, sum(amount) as amount, sum(count) as count
               from (${[
                 sums(
                   'day',
                   'begins_at >= $4 and begins_at < $5 and begins_at <> all ($10::timestamptz[])',
                 ),
                 quartersOfDays,
                 ...posted,
               ].join('\n      union all')}) moved
              where held <> 0 or charged <> 0
              group by 1, 2, 3, 4, 5, 6) daily
      group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6`,
  ),
)

/**
 * Sums settled postings from the position `$1` and moves the position; a concurrent run finds it
 * moved and does nothing. Accounts are looked up once per pair of accounts, and transactions only
 * for postings that enter or leave wallets or fees.
 */
export const foldPostings = sqlOfAll(
  'statements.fold_postings',
  `with moved as (
     update folded_postings set position = event_horizon() where position = $1 and position < event_horizon() returning position
   ), pairs as materialized (
     select business_id, livemode, debit_account, credit_account, quarter_of(posted_at) as quarter, currency, kind,
            array_agg(transaction_id) as transactions, array_agg(amount) as amounts
       from ledger_postings
      where position >= $1 and position < (select position from moved)
      group by 1, 2, 3, 4, 5, 6, 7
   ), crossing as materialized (
     select p.*, ${held} as held, ${charged} as charged
       from pairs p
       join ledger_accounts c on c.business_id = p.business_id and c.livemode = p.livemode and c.id = p.credit_account
       join ledger_accounts d on d.business_id = p.business_id and d.livemode = p.livemode and d.id = p.debit_account
      where ${held} <> 0 or ${charged} <> 0
   ), summed as materialized (
     select p.business_id, p.livemode, p.quarter, p.currency, p.kind, coalesce(t.method, '') as method, p.held, p.charged,
            sum(posted.amount) as amount, count(*) as count
       from crossing p
      cross join unnest(p.transactions, p.amounts) as posted (transaction_id, amount)
       left join transactions t on t.business_id = p.business_id and t.livemode = p.livemode and t.id = posted.transaction_id
      group by 1, 2, 3, 4, 5, 6, 7, 8
   )
   insert into posting_sums as s (business_id, livemode, span, begins_at, currency, kind, method, held, charged, amount, count)
   select business_id, livemode, span, case span when 'quarter' then quarter else date_trunc('day', quarter, 'UTC') end,
          currency, kind, method, held, charged, sum(amount), sum(count)
     from summed cross join (values ('quarter'), ('day')) as of (span)
    group by 1, 2, 3, 4, 5, 6, 7, 8, 9
    order by 1, 2, 3, 4, 5, 6, 7, 8, 9
   on conflict (business_id, livemode, span, begins_at, currency, kind, method, held, charged)
   do update set amount = s.amount + excluded.amount, count = s.count + excluded.count`,
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
 * Fees and provider charges, net of reversals, of all businesses in the mode `$1` from `$2` up to
 * `$3`, by the days or months `$5` of the time zone `$4`. It reads the postings of the period.
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

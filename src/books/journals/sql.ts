import { sql } from '../../db/db.ts'
import type { Id } from '../../lib/ids.ts'
import type { Currency, TokenUnit } from '../../lib/money.ts'
import type { PostingKind, Purpose } from '../ledger/ledger.ts'
import type { Held } from './accounts.ts'

export type HeldRow = {
  purpose: Held
  currency: Currency | TokenUnit
  opening: bigint
  closing: bigint
}

/**
 * What accounts of the purposes `$6` held before `$3` and before `$4`, of postings below the
 * position `$5`: their balance less all others.
 */
export const selectHeld = sql<HeldRow>(
  'journals.select_held',
  `with others as (
     select leg.account,
            coalesce(sum(leg.amount), 0) as since_from,
            coalesce(sum(leg.amount) filter (where p.posted_at >= $4 or p.position >= $5), 0) as since_to
       from ledger_postings p
      cross join lateral (values (p.debit_account, -p.amount), (p.credit_account, p.amount)) leg (account, amount)
      where p.business_id = $1 and p.livemode = $2 and (p.posted_at >= $3 or p.position >= $5)
      group by 1
   )
   select a.purpose, a.currency,
          (sum(a.balance) - sum(coalesce(o.since_from, 0)))::bigint as opening,
          (sum(a.balance) - sum(coalesce(o.since_to, 0)))::bigint as closing
     from ledger_accounts a left join others o on o.account = a.id
    where a.business_id = $1 and a.livemode = $2 and a.purpose = any($6)
    group by 1, 2 order by 1, 2`,
)

/** The currencies of accounts, and the position below which no posting can appear any more. */
export const selectCurrencies = sql<{ currency: Currency | TokenUnit; horizon: bigint }>(
  'journals.select_currencies',
  `select distinct currency, event_horizon() as horizon
     from ledger_accounts where business_id = $1 and livemode = $2 order by 1`,
)

export type EntryRow = {
  id: bigint
  posted_at: Date
  amount: bigint
  currency: Currency | TokenUnit
  kind: PostingKind
  subject: Id
  transaction_id: Id
  debit: Purpose
  credit: Purpose
  reference: string | null
  /** The subject is a payout that pays a refund. */
  of_refund: boolean
}

/**
 * The first `$8` postings after the posting `$6` of the time `$3`, before `$4` and below the
 * position `$5`, without the kinds `$7`, in the order of their times.
 */
export const selectEntries = sql<EntryRow>(
  'journals.select_entries',
  `select p.id, p.posted_at, p.amount, p.currency, p.kind, p.subject, p.transaction_id,
          d.purpose as debit, c.purpose as credit, t.reference,
          o.refund_id is not null as of_refund
     from (select * from ledger_postings
            where business_id = $1 and livemode = $2 and posted_at >= $3 and posted_at < $4 and position < $5
              and (posted_at, id) > ($3, $6) and kind <> all ($7)
            order by posted_at, id limit $8) p
     join ledger_accounts d on d.business_id = $1 and d.livemode = $2 and d.id = p.debit_account
     join ledger_accounts c on c.business_id = $1 and c.livemode = $2 and c.id = p.credit_account
     left join transactions t on t.business_id = $1 and t.livemode = $2 and t.id = p.transaction_id
     left join payouts o on o.business_id = $1 and o.livemode = $2 and o.id = p.subject
    order by p.posted_at, p.id`,
)

import { sql } from '../../db/db.ts'
import type { Id } from '../../lib/ids.ts'
import type { PostingKind } from '../ledger/ledger.ts'

export type EntryRow = {
  id: bigint
  posted_at: Date
  amount: bigint
  kind: PostingKind
  transaction_id: Id
  came: boolean
  method: string
  reference: string | null
  /** The payer as the rail reports it, or the destination of the payout. */
  party: Record<string, string | null> | null
}

/**
 * The first `$8` postings of the currency `$7` and the kinds `$6` that entered or left a wallet,
 * after the posting `$5` of the time `$3`, before `$4`, in the order of their times.
 */
export const selectEntries = sql<EntryRow>(
  'bank_statements.select_entries',
  `select p.id, p.posted_at, p.amount, p.kind, p.transaction_id, p.came, coalesce(t.method, '') as method, t.reference,
          case when t.source is not null then t.source else o.destination end as party
     from (select p.*, c.purpose in ('wallet_available', 'wallet_pending') as came
             from ledger_postings p
             join ledger_accounts d on d.business_id = $1 and d.livemode = $2 and d.id = p.debit_account
             join ledger_accounts c on c.business_id = $1 and c.livemode = $2 and c.id = p.credit_account
            where p.business_id = $1 and p.livemode = $2 and p.posted_at >= $3 and p.posted_at < $4
              and (p.posted_at, p.id) > ($3, $5) and p.kind = any ($6) and p.currency = $7
              and (c.purpose in ('wallet_available', 'wallet_pending')) <> (d.purpose in ('wallet_available', 'wallet_pending'))
            order by p.posted_at, p.id limit $8) p
     left join transactions t on t.business_id = $1 and t.livemode = $2 and t.id = p.transaction_id
     left join payouts o on o.business_id = $1 and o.livemode = $2 and o.id = p.subject
    order by p.posted_at, p.id`,
)

/** Reads the postings of a merchant's transactions, with their accounts in words. */
import type { View } from '../../core/inside.ts'
import { sql } from '../../db/db.ts'
import type { Id } from '../../lib/ids.ts'
import type { Currency } from '../../lib/money.ts'
import type { PostingKind, Purpose } from './kinds.ts'

type Side = 'debit' | 'credit'
type PostingRow = {
  amount: bigint
  currency: string
  kind: PostingKind
  subject: Id
  transaction_id: Id
  at: Date
} & {
  [S in Side as `${S}_purpose`]: Purpose
} & { [S in Side as `${S}_subject`]: string }

const selectPostings = sql<PostingRow>(
  'ledger.select_postings',
  `select p.amount, p.currency, p.kind, p.subject, p.transaction_id, p.posted_at as at,
          d.purpose as debit_purpose, d.subject as debit_subject, c.purpose as credit_purpose, c.subject as credit_subject
     from unnest($3::text[]) as asked (transaction_id)
    cross join lateral (select * from ledger_postings
                         where business_id = $1 and livemode = $2 and transaction_id = asked.transaction_id
                         order by id limit $4) p
     join ledger_accounts d on d.business_id = $1 and d.livemode = $2 and d.id = p.debit_account
     join ledger_accounts c on c.business_id = $1 and c.livemode = $2 and c.id = p.credit_account
    order by p.id limit $4`,
)

/** The account's name, shown beside its currency. */
const names: Record<Purpose, string> = {
  wallet_available: 'wallet, available',
  wallet_pending: 'wallet, pending',
  fees: 'fees',
  share: 'a share of a distribution',
  dust: 'less than a cent of a token',
  unclaimed: 'money that no business claims',
  disputes: 'what disputes cost',
  rail_clearing: 'at the rail',
  rail_fees: 'kept by the rail',
  operator_bank: 'bank account of the operator',
  exchange: 'exchange between currencies',
}

/** An account as shown to a merchant, without the names of accounts at providers. */
export type AccountShown = { account: Purpose; name: string; currency: string; share?: Id }

export type PostingShown = {
  at: Date
  kind: PostingKind
  /** Minor units of `currency`. */
  amount: bigint
  currency: Currency | string
  debit: AccountShown
  credit: AccountShown
  subject: Id
  transaction: Id
}

/** Returns the first `limit` postings of some transactions, in the order of writing. */
export async function postingsOf(
  view: View,
  transactions: Id[],
  limit: number,
): Promise<PostingShown[]> {
  if (transactions.length === 0) return []
  const rows = await view.rows(selectPostings, [transactions, limit])
  return rows.map(
    ({ transaction_id, debit_purpose, debit_subject, credit_purpose, credit_subject, ...row }) => ({
      ...row,
      debit: shown(debit_purpose, row.currency, debit_subject),
      credit: shown(credit_purpose, row.currency, credit_subject),
      transaction: transaction_id,
    }),
  )
}

const shown = (account: Purpose, currency: string, subject: string): AccountShown => ({
  account,
  name: `${currency} ${names[account]}`,
  currency,
  ...(account === 'share' ? { share: subject } : {}),
})

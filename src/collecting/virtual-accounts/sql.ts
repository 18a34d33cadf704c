import { replanned, sql } from '../../db/db.ts'
import type { Id } from '../../lib/ids.ts'
import type { WalletCurrency } from '../../lib/money.ts'
import type { accountStatuses, kinds } from './schema.ts'

export type AccountRow = {
  id: Id
  livemode: boolean
  reference: string | null
  customer_id: Id | null
  payment_id: Id | null
  currency: WalletCurrency
  kind: (typeof kinds)[number]
  amount: bigint | null
  account_name: string
  account_number: string
  bank_name: string
  bank_code: string
  routing_number: string | null
  status: (typeof accountStatuses)[number]
  expires_at: Date | null
  rail: string
  metadata: Record<string, unknown>
  created_at: Date
  updated_at: Date
}

export const columns = `id, livemode, reference, customer_id, payment_id, currency, kind, amount, account_name,
  account_number, bank_name, bank_code, routing_number, status, expires_at, rail, metadata, created_at, updated_at`

export const insertAccount = sql<AccountRow>(
  'virtual_accounts.insert',
  `insert into virtual_accounts (business_id, livemode, id, reference, customer_id, payment_id, currency, kind, amount,
                                 account_name, account_number, bank_name, bank_code, routing_number, status, expires_at,
                                 rail, metadata, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, 'active', $15, $16, $17, $18, $18)
   on conflict do nothing
   returning ${columns}`,
)

export const selectAccounts = sql<AccountRow & { asker: number }>(
  'virtual_accounts.select',
  `select asked.asker::integer, a.*
     from unnest($1::text[], $2::boolean[], $3::text[]) with ordinality as asked (business_id, livemode, id, asker)
    cross join lateral (select ${columns} from virtual_accounts a
                         where a.business_id = asked.business_id and a.livemode = asked.livemode and a.id = asked.id
                         limit 1) a`,
)

/** In the order of their keys, so that two transactions never wait for each other. */
export const lockAccounts = replanned(
  sql<AccountRow & { position: bigint }>(
    'virtual_accounts.lock',
    `select position, ${columns}
       from unnest($1::text[], $2::boolean[], $3::text[]) with ordinality as asked (business_id, livemode, id, position)
       join virtual_accounts a using (business_id, livemode, id)
      order by business_id, livemode, id
        for no key update of a`,
  ),
)

export const selectReference = sql<{ id: Id }>(
  'virtual_accounts.select_reference',
  'select id from virtual_accounts where business_id = $1 and livemode = $2 and reference = $3',
)

export const selectOfPayment = sql<AccountRow>(
  'virtual_accounts.select_of_payment',
  `select ${columns} from virtual_accounts where business_id = $1 and livemode = $2 and payment_id = $3`,
)

export const endAccounts = replanned(
  sql<AccountRow>(
    'virtual_accounts.end',
    `update virtual_accounts a set status = $5, updated_at = ended.at
       from unnest($1::text[], $2::boolean[], $3::text[], $4::timestamptz[]) as ended (business, mode, account, at)
      where a.business_id = ended.business and a.livemode = ended.mode and a.id = ended.account
        and a.status = 'active'
     returning ${columns}`,
  ),
)

export const endOfPayment = sql(
  'virtual_accounts.end_of_payment',
  `update virtual_accounts set status = $4, updated_at = $5
    where business_id = $1 and livemode = $2 and payment_id = $3 and status = 'active'`,
)

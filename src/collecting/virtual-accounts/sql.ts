import { replanned, sql, sqlOfMany } from '../../db/db.ts'
import * as t from '../../db/table.ts'
import type { Id } from '../../lib/ids.ts'
import type { WalletCurrency } from '../../lib/money.ts'
import type { accountStatuses, kinds } from './schema.ts'

export const accounts = t.table('virtual_accounts', {
  id: t.text<Id>(),
  reference: t.nullable(t.text()),
  customer_id: t.nullable(t.text<Id>()),
  payment_id: t.nullable(t.text<Id>()),
  currency: t.text<WalletCurrency>(),
  kind: t.text<(typeof kinds)[number]>(),
  amount: t.nullable(t.bigint()),
  account_name: t.text(),
  account_number: t.text(),
  bank_name: t.text(),
  bank_code: t.text(),
  routing_number: t.nullable(t.text()),
  status: t.text<(typeof accountStatuses)[number]>(),
  expires_at: t.nullable(t.time()),
  rail: t.text(),
  metadata: t.json<Record<string, unknown>>(),
  created_at: t.time(),
  updated_at: t.time(),
})
export type AccountRow = t.RowOf<typeof accounts>
export const columns = t.columnsOf(accounts)

export const selectAccounts = sqlOfMany<AccountRow & { asker: number }>(
  'virtual_accounts.select',
  `select asked.asker::integer, a.*
     from unnest($1::text[], $2::boolean[], $3::text[]) with ordinality as asked (business_id, livemode, id, asker)
    cross join lateral (select ${columns} from virtual_accounts a
                         where a.business_id = asked.business_id and a.livemode = asked.livemode and a.id = asked.id
                         limit 1) a`,
)

/** In the order of their keys, to avoid deadlocks. */
export const lockAccounts = replanned(
  sqlOfMany<AccountRow & { position: bigint }>(
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

export const selectNumber = sql<{ id: Id }>(
  'virtual_accounts.select_number',
  `select id from virtual_accounts
    where business_id = $1 and livemode = $2 and bank_code = $3 and account_number = $4`,
)

export const selectOfPayment = sql<AccountRow>(
  'virtual_accounts.select_of_payment',
  `select ${columns} from virtual_accounts where business_id = $1 and livemode = $2 and payment_id = $3`,
)

export const endAccounts = replanned(
  sqlOfMany<AccountRow>(
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

import { replanned, sql, sqlOfAll, sqlOfMany } from '../../db/db.ts'
import { selectIdsByPart } from '../../db/lists/matches.ts'
import * as t from '../../db/table.ts'
import type { Id } from '../../lib/ids.ts'
import type { WalletCurrency } from '../../lib/money.ts'
import type { accountFailures, accountStatuses, kinds } from './schema.ts'

export const accounts = t.table('virtual_accounts', {
  id: t.text<Id>(),
  reference: t.nullable(t.text()),
  customer_id: t.nullable(t.text<Id>()),
  payment_id: t.nullable(t.text<Id>()),
  currency: t.text<WalletCurrency>(),
  kind: t.text<(typeof kinds)[number]>(),
  amount: t.nullable(t.bigint()),
  account_name: t.text(),
  account_number: t.nullable(t.text()),
  bank_name: t.nullable(t.text()),
  bank_code: t.nullable(t.text()),
  routing_number: t.nullable(t.text()),
  status: t.text<(typeof accountStatuses)[number]>(),
  failure_reason: t.defaulted(t.nullable(t.text<(typeof accountFailures)[number]>())),
  expires_at: t.nullable(t.time()),
  rail: t.text(),
  provider_reference: t.defaulted(t.nullable(t.text())),
  sent_back_at: t.defaulted(t.nullable(t.time())),
  opened_at: t.defaulted(t.nullable(t.time())),
  metadata: t.json<Record<string, unknown>>(),
  created_at: t.time(),
  updated_at: t.time(),
})
export type AccountRow = t.RowOf<typeof accounts>
export const columns = t.columnsOf(accounts)

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

export const selectByPart = selectIdsByPart('virtual_accounts', 'account_number')

export const selectReference = sql<{ id: Id }>(
  'virtual_accounts.select_reference',
  'select id from virtual_accounts where business_id = $1 and livemode = $2 and reference = $3',
)

/** Providers give the numbers of one-time accounts out again. */
export const selectNumber = sql<{ id: Id; status: AccountRow['status'] }>(
  'virtual_accounts.select_number',
  `select id, status from virtual_accounts
    where business_id = $1 and livemode = $2 and bank_code = $3 and account_number = $4 and (kind = 'static' or rail = 'sandbox')`,
)

export const selectById = t.byId(accounts)
export const lockById = t.byId(accounts, t.locked)

/** Whose an account at a provider is: money that comes to it names no business. */
export const selectByRailNumber = sqlOfAll<{ business_id: Id; id: Id }>(
  'virtual_accounts.select_by_rail_number',
  `select business_id, id from virtual_accounts
    where livemode = $1 and rail = $2 and account_number = $3 and kind = 'static' and rail <> 'sandbox'`,
)

/**
 * The accounts of customers, of any number of businesses, at a provider, whatever became of them.
 */
export const selectOfCustomers = sqlOfMany<{
  business_id: Id
  id: Id
  status: AccountRow['status']
}>(
  'virtual_accounts.select_of_customers',
  `select a.business_id, a.id, a.status
     from unnest($1::text[], $2::boolean[], $3::text[]) as asked (business_id, livemode, customer_id)
     join virtual_accounts a using (business_id, livemode, customer_id)
    where a.rail = $4 and a.kind = 'static' and a.status <> 'failed'`,
)

export const markSentBack = sql<{ id: Id }>(
  'virtual_accounts.mark_sent_back',
  'update virtual_accounts set sent_back_at = $4 where business_id = $1 and livemode = $2 and id = $3 returning id',
)

export const selectOfPayment = sql<AccountRow>(
  'virtual_accounts.select_of_payment',
  `select ${columns} from virtual_accounts
    where business_id = $1 and livemode = $2 and payment_id = $3 order by created_at desc, id desc limit 1`,
)

export const selectIdsOfPayment = sql<{ id: Id }>(
  'virtual_accounts.select_ids_of_payment',
  `select id from virtual_accounts
    where business_id = $1 and livemode = $2 and payment_id = $3 order by created_at desc, id desc limit $4`,
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
    where business_id = $1 and livemode = $2 and payment_id = $3 and status in ('pending', 'active')`,
)

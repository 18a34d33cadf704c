import { sql, sqlOfAll } from '../../db/db.ts'
import * as t from '../../db/table.ts'
import type { Id } from '../../lib/ids.ts'
import type { cryptoWalletStatuses } from './schema.ts'

export const cryptoWallets = t.table('crypto_wallets', {
  id: t.text<Id>(),
  reference: t.nullable(t.text()),
  customer_id: t.nullable(t.text<Id>()),
  address: t.text(),
  label: t.nullable(t.text()),
  rail: t.text(),
  status: t.text<(typeof cryptoWalletStatuses)[number]>(),
  metadata: t.json<Record<string, unknown>>(),
  created_at: t.time(),
  updated_at: t.time(),
})
export type CryptoWalletRow = t.RowOf<typeof cryptoWallets>
export const columns = t.columnsOf(cryptoWallets)

export const addresses = t.table('crypto_addresses', {
  address: t.text(),
  kind: t.text<'wallet' | 'payment'>(),
  subject: t.text<Id>(),
  key: t.text(),
  index: t.bigint(),
  created_at: t.time(),
})
type AddressRow = t.RowOf<typeof addresses>

/** Wallets that a text finds: they are looked through. */
export const matches = `(position(lower(?) in lower(concat_ws(' ', label, reference, address))) > 0 or id = lower(?))`

/** The owner of an address. */
export type OwnerRow = Pick<AddressRow, 'address' | 'kind' | 'subject'> & { business_id: Id }

// A key is the server's: its indexes go to addresses of any business.

/**
 * Takes the next index of a key; others wait until it is committed, so that none is taken twice.
 */
export const takeIndex = sqlOfAll<{ index: bigint }>(
  'crypto.take_index',
  `insert into crypto_keys as known (key, next_index) values ($1, 1)
   on conflict (key) do update set next_index = known.next_index + 1
   returning next_index - 1 as index`,
)

export const addToIndex = sqlOfAll(
  'crypto.add_to_index',
  `insert into crypto_keys as known (key, next_index) values ($1, $2)
   on conflict (key) do update set next_index = known.next_index + $2`,
)

export const addToEveryIndex = sqlOfAll(
  'crypto.add_to_every_index',
  'update crypto_keys set next_index = next_index + $1',
)

export const deleteAddress = sql(
  'crypto.delete_address',
  'delete from crypto_addresses where business_id = $1 and livemode = $2 and subject = $3',
)

export const selectAddress = sql<Pick<AddressRow, 'address' | 'key' | 'index'>>(
  'crypto.select_address',
  'select address, key, index from crypto_addresses where business_id = $1 and livemode = $2 and subject = $3',
)

/** The owners of addresses: the only query that runs before a business is known. */
export const selectOwners = sqlOfAll<OwnerRow>(
  'crypto.select_owners',
  `select address, business_id, kind, subject
     from crypto_addresses where address = any($1::text[]) and livemode = $2 and key <> 'sandbox'`,
)

/**
 * The addresses of all businesses, for the chain watchers. The sandbox's addresses are on no chain.
 */
export const selectKnownAddresses = sqlOfAll<{ address: string }>(
  'crypto.select_known_addresses',
  `select address from crypto_addresses where livemode = $1 and key <> 'sandbox' limit $2`,
)

export const selectCryptoWallet = t.byId(cryptoWallets)

export const selectReference = sql<{ id: Id }>(
  'crypto.select_reference',
  'select id from crypto_wallets where business_id = $1 and livemode = $2 and reference = $3',
)

export const closeCryptoWallet = sql<CryptoWalletRow>(
  'crypto.close_wallet',
  `update crypto_wallets set status = 'closed', updated_at = $4
    where business_id = $1 and livemode = $2 and id = $3 and status = 'active'
   returning ${columns}`,
)

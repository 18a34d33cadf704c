import { sql, sqlOfAll } from '../../db/db.ts'
import { bigint, columnsOf, json, nullable, type RowOf, table, text, time } from '../../db/table.ts'
import type { Id } from '../../lib/ids.ts'
import type { cryptoWalletStatuses } from './schema.ts'

export const cryptoWallets = table('crypto_wallets', {
  id: text<Id>(),
  reference: nullable(text()),
  customer_id: nullable(text<Id>()),
  address: text(),
  label: nullable(text()),
  rail: text(),
  status: text<(typeof cryptoWalletStatuses)[number]>(),
  metadata: json<Record<string, unknown>>(),
  created_at: time(),
  updated_at: time(),
})
export type CryptoWalletRow = RowOf<typeof cryptoWallets>
export const columns = columnsOf(cryptoWallets)

export const addresses = table('crypto_addresses', {
  address: text(),
  kind: text<'wallet' | 'payment'>(),
  subject: text<Id>(),
  key: text(),
  index: bigint(),
  created_at: time(),
})
type AddressRow = RowOf<typeof addresses>

/** Whose an address is. */
export type OwnerRow = Pick<AddressRow, 'address' | 'kind' | 'subject'> & { business_id: Id }

// A key is the server's: its indexes go to addresses of any business.

/** Takes the next index of a key; others wait until it is committed, so that none is taken twice. */
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

export const deleteAddress = sql(
  'crypto.delete_address',
  'delete from crypto_addresses where business_id = $1 and livemode = $2 and subject = $3',
)

export const selectAddress = sql<Pick<AddressRow, 'address' | 'key' | 'index'>>(
  'crypto.select_address',
  'select address, key, index from crypto_addresses where business_id = $1 and livemode = $2 and subject = $3',
)

/** Who the addresses belong to: the one question that is asked before a business is known. */
export const selectOwners = sqlOfAll<OwnerRow>(
  'crypto.select_owners',
  `select address, business_id, kind, subject
     from crypto_addresses where address = any($1::text[]) and livemode = $2 and key <> 'sandbox'`,
)

/** Every business's, for whoever reads the chains. The sandbox's addresses are on no chain. */
export const selectKnownAddresses = sqlOfAll<{ address: string }>(
  'crypto.select_known_addresses',
  `select address from crypto_addresses where livemode = $1 and key <> 'sandbox' limit $2`,
)

export const selectCryptoWallet = sql<CryptoWalletRow>(
  'crypto.select_wallet',
  `select ${columns} from crypto_wallets where business_id = $1 and livemode = $2 and id = $3`,
)

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

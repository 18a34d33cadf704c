import { sql } from '../../db/db.ts'
import type { Id } from '../../lib/ids.ts'
import type { walletStatuses } from './schema.ts'

export type CryptoWalletRow = {
  id: Id
  livemode: boolean
  reference: string | null
  customer_id: Id | null
  address: string
  label: string | null
  rail: string
  status: (typeof walletStatuses)[number]
  metadata: Record<string, unknown>
  created_at: Date
  updated_at: Date
}

/** Whose an address is. */
export type OwnerRow = {
  address: string
  business_id: Id
  kind: 'wallet' | 'payment'
  subject: Id
}

export const columns =
  'id, livemode, reference, customer_id, address, label, rail, status, metadata, created_at, updated_at'

/** Takes the next index of a key; others wait until it is committed, so that none is left out or taken twice. */
export const takeIndex = sql<{ index: bigint }>(
  'crypto.take_index',
  `insert into crypto_keys as known (key, next_index) values ($1, 1)
   on conflict (key) do update set next_index = known.next_index + 1
   returning next_index - 1 as index`,
)

export const insertAddress = sql(
  'crypto.insert_address',
  `insert into crypto_addresses (address, business_id, livemode, kind, subject, key, index, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8)`,
)

export const addToIndex = sql(
  'crypto.add_to_index',
  `insert into crypto_keys as known (key, next_index) values ($1, $2)
   on conflict (key) do update set next_index = known.next_index + $2`,
)

export const deleteAddress = sql(
  'crypto.delete_address',
  'delete from crypto_addresses where business_id = $1 and livemode = $2 and subject = $3',
)

export const selectAddress = sql<{ address: string; key: string }>(
  'crypto.select_address',
  'select address, key from crypto_addresses where business_id = $1 and livemode = $2 and subject = $3',
)

/** Who the addresses belong to: the one question that is asked before a business is known. */
export const selectOwners = sql<OwnerRow>(
  'crypto.select_owners',
  `select address, business_id, kind, subject
     from crypto_addresses where address = any($1::text[]) and livemode = $2 and key <> 'sandbox'`,
)

/** The sandbox's addresses are on no chain. */
export const selectKnownAddresses = sql<{ address: string }>(
  'crypto.select_known_addresses',
  `select address, business_id from crypto_addresses where livemode = $1 and key <> 'sandbox' limit $2`,
)

export const insertWallet = sql<CryptoWalletRow>(
  'crypto.insert_wallet',
  `insert into crypto_wallets (business_id, livemode, id, reference, customer_id, address, label, rail, status, metadata,
                               created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, 'active', $9, $10, $10)
   on conflict (business_id, livemode, reference) do nothing
   returning ${columns}`,
)

export const selectWallet = sql<CryptoWalletRow>(
  'crypto.select_wallet',
  `select ${columns} from crypto_wallets where business_id = $1 and livemode = $2 and id = $3`,
)

export const closeWallet = sql<CryptoWalletRow>(
  'crypto.close_wallet',
  `update crypto_wallets set status = 'closed', updated_at = $4
    where business_id = $1 and livemode = $2 and id = $3 and status = 'active'
   returning ${columns}`,
)

import type { Source } from '../../books/transactions/transactions.ts'
import { sql, sqlOfAll } from '../../db/db.ts'
import * as t from '../../db/table.ts'
import type { Id } from '../../lib/ids.ts'
import type { CryptoCurrency, WalletCurrency } from '../../lib/money.ts'
import type { DueDeposit } from '../../rails/ports/chains.ts'
import type { depositStatuses } from './schema.ts'

export const chainDeposits = t.table('chain_deposits', {
  id: t.text<Id>(),
  kind: t.text<'wallet' | 'payment'>(),
  subject: t.text<Id>(),
  network: t.text(),
  currency: t.text<CryptoCurrency>(),
  contract_address: t.text(),
  from_address: t.text(),
  to_address: t.text(),
  /** In the token's own units. */
  units: t.numeric(),
  /** Cents of the token. */
  amount: t.bigint(),
  /** The remainder, in the token's own units. */
  dust: t.bigint(),
  worth: t.bigint(),
  tx_hash: t.text(),
  position: t.integer(),
  block_number: t.bigint(),
  block_hash: t.text(),
  status: t.text<(typeof depositStatuses)[number]>(),
  transaction_id: t.text<Id>(),
  created_at: t.time(),
  updated_at: t.time(),
})
export type ChainDepositRow = t.RowOf<typeof chainDeposits>
export const columns = t.columnsOf(chainDeposits)

/** A deposit of any business. */
type OwnedRow = ChainDepositRow & { business_id: Id }

export const heldDeposits = t.table('held_deposits', {
  /** The id of its transaction. */
  id: t.text<Id>(),
  kind: t.text<'account' | 'wallet' | 'payment'>(),
  subject: t.text<Id>(),
  rail: t.text(),
  token: t.nullable(t.text<CryptoCurrency>()),
  currency: t.text<WalletCurrency>(),
  /** Cents of the token, or minor units of the currency. */
  amount: t.bigint(),
  worth: t.bigint(),
  chain_deposit: t.nullable(t.text<Id>()),
  status: t.text<'held' | 'released' | 'refused'>(),
  created_at: t.time(),
  updated_at: t.time(),
})
export type HeldRow = t.RowOf<typeof heldDeposits>

export const lockHeld = t.byId(heldDeposits, t.locked)

/** Held deposits with their senders. */
export const selectHeld = sql<
  Pick<HeldRow, 'id' | 'worth' | 'currency' | 'token'> & { source: Source | null }
>(
  'deposits.select_held',
  `select h.id, h.worth, h.currency, h.token, t.source
     from held_deposits h
     join transactions t on t.business_id = h.business_id and t.livemode = h.livemode and t.id = h.id
    where h.business_id = $1 and h.livemode = $2 and h.id = any ($3::text[])`,
)

// Of customers, by their identity tier
// ---------------------------------------------------------------------------------

export type TierLimitRow = {
  tier: number
  currency: WalletCurrency
  max_deposit: bigint | null
  max_daily: bigint | null
  max_daily_count: bigint | null
}
const tierColumns = 'tier, currency, max_deposit, max_daily, max_daily_count'
const isLimit = 'coalesce(max_deposit, max_daily, max_daily_count) is not null'

// Of the installation.
export const selectLimitedCurrencies = sqlOfAll<{ currency: WalletCurrency }>(
  'deposits.select_limited_currencies',
  `select distinct currency from tier_limits where ${isLimit}`,
)
export const selectTierLimits = sqlOfAll<TierLimitRow>(
  'deposits.select_tier_limits',
  `select ${tierColumns} from tier_limits where currency = $1 and ${isLimit}`,
)
export const selectAllTierLimits = sqlOfAll<TierLimitRow>(
  'deposits.select_all_tier_limits',
  `select ${tierColumns} from tier_limits`,
)
export const lockTierLimits = sqlOfAll(
  'deposits.lock_tier_limits',
  'lock table tier_limits in share row exclusive mode',
)
export const upsertTierLimit = sqlOfAll(
  'deposits.upsert_tier_limit',
  `insert into tier_limits (${tierColumns}) values ($1, $2, $3, $4, $5)
   on conflict (tier, currency) do update
     set max_deposit = excluded.max_deposit, max_daily = excluded.max_daily, max_daily_count = excluded.max_daily_count`,
)

/**
 * Creates the row if it does not exist, and locks it against concurrent counts for the same
 * customer.
 */
export const lockCustomerDay = sql<{ amount: bigint; count: bigint }>(
  'deposits.lock_customer_day',
  `insert into customer_days as known (business_id, livemode, customer_id, currency, day, amount, count)
   values ($1, $2, $3, $4, $5, 0, 0)
   on conflict (business_id, livemode, customer_id, currency, day) do update set count = known.count
   returning amount, count`,
)
export const countCustomerDay = sql(
  'deposits.count_customer_day',
  `update customer_days set amount = amount + $6, count = count + 1
    where business_id = $1 and livemode = $2 and customer_id = $3 and currency = $4 and day = $5`,
)
export const deleteOldCustomerDays = sqlOfAll(
  'deposits.delete_old_customer_days',
  'delete from customer_days where day < $1',
)

/** The same transfer, in any block. */
export const selectSame = sql<ChainDepositRow>(
  'deposits.select_same',
  `select ${columns} from chain_deposits
    where business_id = $1 and livemode = $2 and network = $3 and tx_hash = $4 and contract_address = $5
      and to_address = $6 and position = $7
      for no key update`,
)

export const selectDeposit = t.byId(chainDeposits)

export const selectIdsOfSubject = sql<{ id: Id }>(
  'deposits.select_ids_of_subject',
  `select id from chain_deposits
    where business_id = $1 and livemode = $2 and subject = $3 order by created_at desc, id desc limit $4`,
)

export const lockDeposit = t.byId(chainDeposits, t.locked)

/**
 * Businesses with deposits in blocks that were reorganised away; of all businesses, because a chain
 * belongs to none.
 */
export const selectBusinessesAbove = sqlOfAll<{ business_id: Id }>(
  'deposits.select_businesses_above',
  `select distinct business_id from chain_deposits where network = $1 and block_number > $2 and status <> 'dropped'`,
)

/** Locked, in one order. */
export const selectAbove = sqlOfAll<OwnedRow>(
  'deposits.select_above',
  `select business_id, ${columns} from chain_deposits
    where network = $1 and block_number > $2 and status <> 'dropped'
    order by subject, id
      for no key update`,
)

/** Deposits that may be deep enough by now, of all businesses. */
export const selectDue = sqlOfAll<DueDeposit>(
  'deposits.select_due',
  `select id, business_id as "businessId", block_number as "blockNumber", block_hash as "blockHash", amount
     from chain_deposits
    where network = $1 and status = 'pending' and block_number <= $2 order by block_number, id limit $3`,
)

/** The newest read block of each chain; chains belong to no business. */
export const selectTips = sqlOfAll<{ network: string; tip: bigint }>(
  'deposits.tips',
  'select network, tip from evm_networks',
)

/**
 * Addresses that were paid on a network since their last sweep there; of all businesses, because
 * the treasury is the operator's. A sweep takes the funds at the time of its signature: deposits
 * that were not deep enough then may have arrived later.
 */
export const selectSweepable = sqlOfAll<{ address: string; index: bigint }>(
  'deposits.select_sweepable',
  `select a.address, a.index
     from crypto_addresses a
    where a.key = $1 and a.index > $2
      and exists (select from chain_deposits d
                   where d.business_id = a.business_id and d.livemode = a.livemode and d.subject = a.subject
                     and d.network = $3 and d.status = 'credited'
                     and d.block_number > coalesce((select max(coalesce(signed.block_number - $5, t.block_number))
                                                      from evm_transactions t
                                                     cross join lateral (
                                                       select min(b.block_number) as block_number from evm_broadcasts b
                                                        where b.network = t.network and b.id = t.id
                                                     ) signed
                                                     where t.network = $3 and t.sender = a.address and t.kind = 'sweep'
                                                       and t.contract_address = d.contract_address
                                                       and t.status = 'completed'), -1))
    order by a.index limit $4`,
)

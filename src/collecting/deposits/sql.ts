import { sql } from '../../db/db.ts'
import type { Id } from '../../lib/ids.ts'
import type { CryptoCurrency } from '../../lib/money.ts'
import type { depositStatuses } from './schema.ts'

export type ChainDepositRow = {
  business_id: Id
  livemode: boolean
  id: Id
  kind: 'wallet' | 'payment'
  subject: Id
  network: string
  currency: CryptoCurrency
  contract_address: string
  from_address: string
  to_address: string
  /** In the token's own units. */
  units: string
  /** Cents of the token. */
  amount: bigint
  /** The rest, in the token's own units. */
  dust: bigint
  worth: bigint
  tx_hash: string
  position: number
  block_number: bigint
  block_hash: string
  status: (typeof depositStatuses)[number]
  transaction_id: Id
  created_at: Date
  updated_at: Date
}

export const columns = `business_id, livemode, id, kind, subject, network, currency, contract_address, from_address, to_address,
  units, amount, dust, worth, tx_hash, position, block_number, block_hash, status, transaction_id, created_at, updated_at`

export const insertDeposit = sql<ChainDepositRow>(
  'deposits.insert_chain',
  `insert into chain_deposits (business_id, livemode, id, kind, subject, network, currency, contract_address, from_address,
                               to_address, units, amount, dust, worth, tx_hash, position, block_number, block_hash,
                               status, transaction_id, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, 'pending', $19, $20, $20)
   returning ${columns}`,
)

/** The same transfer, in whatever block it was seen. */
export const selectSame = sql<ChainDepositRow>(
  'deposits.select_same',
  `select ${columns} from chain_deposits
    where business_id = $1 and livemode = $2 and network = $3 and tx_hash = $4 and contract_address = $5
      and to_address = $6 and position = $7
      for no key update`,
)

export const lockDeposit = sql<ChainDepositRow>(
  'deposits.lock_chain',
  `select ${columns} from chain_deposits where business_id = $1 and livemode = $2 and id = $3 for no key update`,
)

export const setStatus = sql(
  'deposits.set_status',
  `update chain_deposits set status = $4, updated_at = $5 where business_id = $1 and livemode = $2 and id = $3`,
)

export const moveDeposit = sql<ChainDepositRow>(
  'deposits.move',
  `update chain_deposits
      set status = 'pending', block_number = $4, block_hash = $5, from_address = $6, units = $7, amount = $8, dust = $9,
          worth = $10, transaction_id = $11, updated_at = $12
    where business_id = $1 and livemode = $2 and id = $3
   returning ${columns}`,
)

export const moveCredited = sql(
  'deposits.move_credited',
  `update chain_deposits set block_number = $4, block_hash = $5, updated_at = $6
    where business_id = $1 and livemode = $2 and id = $3`,
)

/** What stood in blocks that are gone; of every business, for a chain is nobody's. */
export const selectAbove = sql<ChainDepositRow>(
  'deposits.select_above',
  `select ${columns} from chain_deposits
    where network = $1 and block_number > $2 and status <> 'dropped'
    order by subject, id
      for no key update`,
)

export const selectDue = sql<ChainDepositRow>(
  'deposits.select_due',
  `select ${columns} from chain_deposits
    where network = $1 and status = 'pending' and block_number <= $2 order by block_number, id limit $3`,
)

/** How long each chain is, as far as it was read. */
export const selectTips = sql<{ network: string; tip: bigint }>(
  'deposits.tips',
  'select network, tip from evm_networks',
)

/**
 * Addresses that were paid on a network since they were swept there last; of every business, for the treasury is the operator's.
 * A sweep takes what was there when it was signed, as blocks stood then: what was not deep enough to be credited may have come later.
 */
export const selectSweepable = sql<{ address: string; index: bigint }>(
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

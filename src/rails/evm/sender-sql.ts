import { namesOf, sqlOfAll } from '../../db/db.ts'

export type SenderRow = {
  network: string
  address: string
  next_nonce: bigint
  native_balance: string | null
  token_balances: Record<string, string>
  transfer_cost: string | null
  least_fee: string | null
  trouble: string | null
  updated_at: Date
}

/** A transaction to send. `numeric` columns are text. */
export type TransactionRow = {
  id: string
  kind: 'payout' | 'gas' | 'sweep'
  sender: string | null
  key_index: bigint | null
  recipient: string
  contract_address: string | null
  units: string
  nonce: bigint | null
  gas: bigint | null
  status: 'queued' | 'sent' | 'completed' | 'failed' | 'recalled'
  attempt: number
  hash: string | null
  block_number: bigint | null
  passed_at: bigint | null
  gas_id: string | null
  created_at: Date
}

/**
 * A signed transaction that is not final, with the hashes of all its versions and the version with
 * the highest fee.
 */
export type SentRow = Omit<TransactionRow, 'sender' | 'nonce' | 'gas' | 'hash'> & {
  sender: string
  nonce: bigint
  gas: bigint
  /** The state of the gas order for a sweep; null: none. */
  gas_status: TransactionRow['status'] | null
  hash: string
  hashes: string[]
  raw: string
  max_fee: string
  priority_fee: string
  signed_block: bigint
  signed_at: Date
}

const columns = `id, kind, sender, key_index, recipient, contract_address, units, nonce, gas, status, attempt, hash, block_number, passed_at, gas_id, created_at`

const senderColumns =
  'network, address, next_nonce, native_balance, token_balances, transfer_cost, least_fee, trouble, updated_at'

export const addSender = sqlOfAll(
  'evm.add_sender',
  `insert into evm_senders (network, address, kind, updated_at) values ($1, $2, $3, $4) on conflict do nothing`,
)

export const selectSender = sqlOfAll<SenderRow>(
  'evm.select_sender',
  `select ${senderColumns} from evm_senders where network = $1 and address = $2`,
)

/** The last active treasury, for a process that does not have its key. */
export const selectTreasury = sqlOfAll<SenderRow>(
  'evm.select_treasury',
  `select ${senderColumns} from evm_senders where network = $1 and kind = 'treasury' order by updated_at desc, address limit 1`,
)

export const lockSender = sqlOfAll<{ next_nonce: bigint }>(
  'evm.lock_sender',
  'select next_nonce from evm_senders where network = $1 and address = $2 for update',
)

export const advanceNonce = sqlOfAll(
  'evm.advance_nonce',
  'update evm_senders set next_nonce = $3 where network = $1 and address = $2',
)

export const recordSender = sqlOfAll(
  'evm.record_sender',
  `update evm_senders
      set native_balance = coalesce($3, native_balance), token_balances = coalesce($4, token_balances),
          transfer_cost = coalesce($5, transfer_cost), least_fee = coalesce($6, least_fee), trouble = $7,
          updated_at = case when $3::numeric is null then updated_at else $8 end
    where network = $1 and address = $2`,
)

export const selectTreasuries = sqlOfAll<
  SenderRow & { queued: bigint; sent: bigint; oldest_at: Date | null }
>(
  'evm.select_treasuries',
  `select s.network, s.address, s.next_nonce, s.native_balance, s.token_balances, s.transfer_cost, s.least_fee, s.trouble,
          s.updated_at, open.queued, open.sent, open.oldest_at
     from evm_senders s
    cross join lateral (
      select count(*) filter (where t.status = 'queued') as queued, count(*) filter (where t.status = 'sent') as sent,
             min(t.created_at) filter (where t.status = 'queued') as oldest_at
        from evm_transactions t
       where t.network = s.network and t.status in ('queued', 'sent') and t.kind <> 'sweep'
         and (t.sender is null or t.sender = s.address)
    ) open
    where s.kind = 'treasury'
    order by s.network, s.address`,
)

/** No row when it exists already, or when the address is being swept already. */
const transactionNames = [
  'network',
  'id',
  'kind',
  'sender',
  'key_index',
  'recipient',
  'contract',
  'units',
  'attempt',
  'now',
] as const
export const transactionOf = namesOf(...transactionNames)
export const addTransaction = sqlOfAll<{ id: string }>(
  'evm.add_transaction',
  `insert into evm_transactions
     (network, id, kind, sender, key_index, recipient, contract_address, units, attempt, status, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'queued', $10, $10) on conflict do nothing returning id`,
)

/** Takes a recalled order again under a later attempt, never under the recalled one. */
export const takeAgain = sqlOfAll(
  'evm.take_again',
  `update evm_transactions set status = 'queued', attempt = $3, created_at = $4, updated_at = $4
    where network = $1 and id = $2 and status = 'recalled' and attempt < $3`,
)

/**
 * Recalls a payout unless it is signed, has ended, or was taken under a later attempt. Also records
 * a recall of an unknown payout, so that it cannot arrive late. No row when the payout continues.
 */
export const recallTransaction = sqlOfAll<{ id: string }>(
  'evm.recall_transaction',
  `insert into evm_transactions as known
     (network, id, kind, sender, key_index, recipient, contract_address, units, attempt, status, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'recalled', $10, $10)
   on conflict (network, id) do update
      set status = 'recalled', attempt = excluded.attempt, updated_at = excluded.updated_at
    where known.kind = 'payout' and known.status in ('queued', 'recalled') and known.attempt <= excluded.attempt
   returning id`,
)

export const selectTransaction = sqlOfAll<TransactionRow>(
  'evm.select_transaction',
  `select ${columns} from evm_transactions where network = $1 and id = $2`,
)

/** The oldest queued per token and coin, so that a short token does not hide the others. */
export const selectQueued = sqlOfAll<TransactionRow>(
  'evm.select_queued',
  `select ${columns}
     from (
       select t.*, row_number() over (partition by t.contract_address order by t.created_at, t.id) as place
         from evm_transactions t
        where t.network = $1 and t.status = 'queued' and t.kind <> 'sweep'
     ) queue
    where place <= $2 order by created_at, id`,
)

/** Signed and not final; unmined first. */
export const selectSent = sqlOfAll<SentRow>(
  'evm.select_sent',
  `select ${columns}, h.hashes, l.raw, l.max_fee, l.priority_fee, l.signed_block, l.signed_at,
          (select g.status from evm_transactions g where g.network = t.network and g.id = t.gas_id) as gas_status
     from evm_transactions t
    cross join lateral (
      select array_agg(b.hash) as hashes from evm_broadcasts b where b.network = t.network and b.id = t.id
    ) h
    cross join lateral (
      select b.raw, b.max_fee, b.priority_fee, b.block_number as signed_block, b.signed_at
        from evm_broadcasts b where b.network = t.network and b.id = t.id order by b.max_fee desc limit 1
    ) l
    where t.network = $1 and t.status = 'sent' and t.kind = any($2)
    order by (t.block_number is not null), t.created_at, t.id limit $3`,
)

/**
 * The treasury's promised and unmined amounts: units per token (null: the coin), and the gas of
 * signed transactions.
 */
export const selectPromised = sqlOfAll<{
  contract_address: string | null
  units: string
  gas: string
  unsigned: bigint
}>(
  'evm.select_promised',
  `select t.contract_address, sum(t.units) as units, coalesce(sum(t.gas * b.max_fee), 0) as gas,
          count(*) filter (where t.status = 'queued') as unsigned
     from evm_transactions t
     left join lateral (
       select max(b.max_fee) as max_fee from evm_broadcasts b where b.network = t.network and b.id = t.id
     ) b on true
    where t.network = $1 and t.kind <> 'sweep' and t.status in ('queued', 'sent') and t.block_number is null
      and (t.sender is null or t.sender = $2)
    group by t.contract_address`,
)

/** Assigns a nonce to a queued transaction; no row when another process has. */
export const nonceOf = namesOf('network', 'id', 'sender', 'nonce', 'gas', 'units', 'hash', 'now')
export const takeNonce = sqlOfAll<{ id: string }>(
  'evm.take_nonce',
  `update evm_transactions
      set status = 'sent', sender = $3, nonce = $4, gas = $5, units = $6, hash = $7, updated_at = $8
    where network = $1 and id = $2 and status = 'queued' returning id`,
)

export const broadcastOf = namesOf(
  'network',
  'hash',
  'id',
  'raw',
  'maxFee',
  'priorityFee',
  'block',
  'now',
)
export const addBroadcast = sqlOfAll(
  'evm.add_broadcast',
  `insert into evm_broadcasts (network, hash, id, raw, max_fee, priority_fee, block_number, signed_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8)`,
)

/**
 * Makes a version with higher fees the latest; no row when another process was first, or it is
 * mined or has ended.
 */
export const recordReplacement = sqlOfAll<{ id: string }>(
  'evm.record_replacement',
  `update evm_transactions set hash = $4, gas = $6, updated_at = $5
    where network = $1 and id = $2 and hash = $3 and status = 'sent' and block_number is null
   returning id`,
)

/** Records the block of a mined transaction, or that it is not mined. */
export const recordBlock = sqlOfAll(
  'evm.record_block',
  `update evm_transactions set block_number = $3, passed_at = $4, hash = coalesce($5, hash), updated_at = $6
    where network = $1 and id = $2 and status = 'sent'`,
)

export const endOf = namesOf('network', 'id', 'status', 'failure', 'hash', 'block', 'now', 'from')
export const endTransaction = sqlOfAll<{ id: string }>(
  'evm.end_transaction',
  `update evm_transactions
      set status = $3, failure = $4, hash = coalesce($5, hash), block_number = $6, passed_at = null, updated_at = $7
    where network = $1 and id = $2 and status = $8 returning id`,
)

/** Unsigned sweeps, the least recently checked first, and the state of their gas. */
export const selectSweeps = sqlOfAll<
  TransactionRow & { gas_status: TransactionRow['status'] | null; next_nonce: bigint }
>(
  'evm.select_sweeps',
  `select t.id, t.kind, t.sender, t.key_index, t.recipient, t.contract_address, t.units, t.nonce, t.gas, t.status, t.attempt,
          t.hash, t.block_number, t.passed_at, t.gas_id, t.created_at, g.status as gas_status, s.next_nonce
     from evm_transactions t
     join evm_senders s on s.network = t.network and s.address = t.sender
     left join evm_transactions g on g.network = t.network and g.id = t.gas_id
    where t.network = $1 and t.status = 'queued' and t.kind = 'sweep'
    order by t.updated_at, t.id limit $2`,
)

export const touchSweeps = sqlOfAll(
  'evm.touch_sweeps',
  `update evm_transactions set updated_at = $3 where network = $1 and id = any($2) and status = 'queued'`,
)

/** Orders gas for a sweep; no row when another process has. */
export const orderGas = sqlOfAll<{ id: string }>(
  'evm.order_gas',
  `update evm_transactions set gas_id = $4
    where network = $1 and id = $2 and status in ('queued', 'sent') and gas_id is not distinct from $3::text returning id`,
)

/** Drops an unsigned sweep; no row when another process has signed it. */
export const dropSweep = sqlOfAll<{ id: string }>(
  'evm.drop_sweep',
  `delete from evm_transactions
    where network = $1 and id = $2 and kind = 'sweep' and status = 'queued' returning id`,
)

/** A sweep that is still unsigned. */
export const selectQueuedSweep = sqlOfAll<{ id: string }>(
  'evm.select_queued_sweep',
  `select id from evm_transactions
    where network = $1 and id = $2 and kind = 'sweep' and status = 'queued'`,
)

export const countSweeps = sqlOfAll<{ queued: bigint; sent: bigint }>(
  'evm.count_sweeps',
  `select count(*) filter (where status = 'queued') as queued, count(*) filter (where status = 'sent') as sent
     from evm_transactions where network = $1 and status in ('queued', 'sent') and kind = 'sweep'`,
)

/** The watchers' statements: each network's cursor and its last-read blocks. */
import { sqlOfAll } from '../../db/db.ts'

export type NetworkRow = {
  /** The cursor: the last-read block; null before the first step. */
  block_number: bigint | null
  /** Null when the cursor was set by hand. */
  block_hash: string | null
  /** The last block read a second time; null before a cursor exists. */
  audited: bigint | null
  tip: bigint
  tip_at: Date
  halted: string | null
  halted_for: 'mismatch' | 'reorganisation' | null
  trouble: string | null
  leased_by: string | null
  leased_until: Date | null
}

const columns =
  'block_number, block_hash, audited, tip, tip_at, halted, halted_for, trouble, leased_by, leased_until'

export const selectNetwork = sqlOfAll<NetworkRow>(
  'evm.select_network',
  `select ${columns} from evm_networks where network = $1`,
)

/** Acquires or renews the network's lease; no row when another process holds it. */
export const takeLease = sqlOfAll<NetworkRow>(
  'evm.take_lease',
  `insert into evm_networks as known (network, tip_at, leased_by, leased_until, updated_at)
   values ($1, $3, $2, $4, $3)
   on conflict (network) do update
      set leased_by = excluded.leased_by, leased_until = excluded.leased_until, updated_at = excluded.updated_at
    where known.leased_by is null or known.leased_by = excluded.leased_by or known.leased_until <= $3
   returning ${columns}`,
)

export const lockCursor = sqlOfAll<
  Pick<NetworkRow, 'block_number' | 'block_hash' | 'audited' | 'halted'>
>(
  'evm.lock_cursor',
  'select block_number, block_hash, audited, halted from evm_networks where network = $1 for update',
)

/** Moves the audit back with the cursor, so that blocks read again are audited again. */
export const setCursor = sqlOfAll(
  'evm.set_cursor',
  `update evm_networks set block_number = $2, block_hash = $3, audited = least(audited, $2), updated_at = $4
    where network = $1`,
)

export const setAudited = sqlOfAll(
  'evm.set_audited',
  'update evm_networks set audited = $2 where network = $1',
)

/** Records the last step's result: the newest block, and the problem. */
export const recordStep = sqlOfAll(
  'evm.record_step',
  `update evm_networks
      set tip = $2, tip_at = case when tip = $2 then tip_at else $4 end, trouble = $3, updated_at = $4
    where network = $1`,
)

export const haltNetwork = sqlOfAll(
  'evm.halt',
  'update evm_networks set halted = $2, halted_for = $3, updated_at = $4 where network = $1 and halted is null',
)

export const clearMismatch = sqlOfAll(
  'evm.clear_mismatch',
  `update evm_networks set halted = null, halted_for = null, updated_at = $2
    where network = $1 and halted_for = 'mismatch'`,
)

/** Resumes a halted network, from another block if one is given. */
export const resumeNetwork = sqlOfAll<{ network: string }>(
  'evm.resume',
  `update evm_networks
      set halted = null, halted_for = null, trouble = null, block_number = coalesce($2, block_number),
          block_hash = case when $2::bigint is null then block_hash end,
          audited = case when $2::bigint is null then audited end
    where network = $1
   returning network`,
)

export const insertBlocks = sqlOfAll(
  'evm.insert_blocks',
  `insert into evm_blocks (network, number, hash)
   select $1, number, hash from unnest($2::bigint[], $3::text[]) as read (number, hash)
   on conflict (network, number) do update set hash = excluded.hash`,
)

/** Newest first. */
export const selectBlocks = sqlOfAll<{ number: bigint; hash: string }>(
  'evm.select_blocks',
  'select number, hash from evm_blocks where network = $1 and number <= $2 order by number desc limit $3',
)

export const deleteBlocksAbove = sqlOfAll(
  'evm.delete_blocks_above',
  'delete from evm_blocks where network = $1 and number > $2',
)

/** Keeps the given number of newest blocks. */
export const pruneBlocks = sqlOfAll(
  'evm.prune_blocks',
  `delete from evm_blocks
    where network = $1
      and number < (select number from evm_blocks where network = $1 order by number desc offset $2 - 1 limit 1)`,
)

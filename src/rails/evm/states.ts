/**
 * How the EVM rail stands, from its books: any process may ask, whichever one does the work.
 */
import { type Queryable, sqlOfAll } from '../../db/db.ts'
import { later } from '../../lib/clock.ts'
import type { EvmNetwork } from './settings.ts'

/** How far a network has been read. */
export type WatcherState = {
  network: string
  /** Blocks between the last one read and the newest. */
  behind: number
  /** Why it has stopped for good; null while it goes on. */
  halted: string | null
  /** What kept the last step from succeeding; null when it did. */
  trouble: string | null
  /** Why payouts are left pending, if any were of late. */
  obstacle: string | null
  /** What keeps sweeps from going on, if anything did of late. */
  sweepTrouble: string | null
  /** When the newest block was first seen. */
  tip_at: Date
  /** When the last step was. */
  updated_at: Date
}

/** Payouts that wait are offered to the rail again several times within this time, and sweeps looked after. */
const recentMs = 120_000

/** Records why a payout is left pending. */
export const recordObstacle = sqlOfAll(
  'evm.upsert_obstacle',
  `insert into evm_obstacles (network, reason, at) values ($1, $2, $3)
   on conflict (network) do update set reason = excluded.reason, at = excluded.at`,
)

/** Records what keeps sweeps from going on: each time that they are looked after, while it lasts. */
export const recordSweepTrouble = sqlOfAll(
  'evm.set_sweep_trouble',
  'update evm_networks set sweep_trouble = $2, sweep_trouble_at = $3 where network = $1',
)

const selectWatchers = sqlOfAll<WatcherState & { behind: bigint }>(
  'evm.select_watchers',
  `select n.network, greatest(n.tip - n.block_number, 0) as behind, n.halted, n.trouble, n.tip_at,
          n.updated_at, o.reason as obstacle,
          case when n.sweep_trouble_at > $2 then n.sweep_trouble end as "sweepTrouble"
     from evm_networks n
     left join evm_obstacles o on o.network = n.network and o.at > $2
    where n.network = any($1::text[]) order by n.network`,
)

/** How far the given networks have been read; one that no worker has looked at yet is left out. */
export async function watcherStates(db: Queryable, networks: EvmNetwork[], now: Date): Promise<WatcherState[]> {
  const rows = await db.rows(selectWatchers, [networks.map(({ id }) => id), later(now, -recentMs)])
  return rows.map((row) => ({ ...row, behind: Number(row.behind) }))
}

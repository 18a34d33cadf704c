/** The EVM rail's state from its tables, so that any process can read it. */
import { type Queryable, sqlOfAll } from '../../db/db.ts'
import { later } from '../../lib/clock.ts'
import type { WatcherState } from '../ports/chains.ts'
import { obstacleOf } from './funds.ts'
import type { EvmNetwork } from './settings.ts'

/**
 * A pending payout is offered to the rail several times within this time; otherwise it was
 * canceled.
 */
const waitingMs = 60_000
/** Sweeps are advanced several times within this time. */
const sweptMs = 120_000

/** Records a payout that is left pending. */
export const recordObstacle = sqlOfAll(
  'evm.upsert_obstacle',
  `insert into evm_obstacles (network, contract_address, units, at) values ($1, $2, $3, $4)
   on conflict (network) do update
      set contract_address = excluded.contract_address, units = excluded.units, at = excluded.at`,
)

/** Records an obstacle to sweeps, at each check while it lasts. */
export const recordSweepTrouble = sqlOfAll(
  'evm.set_sweep_trouble',
  'update evm_networks set sweep_trouble = $2, sweep_trouble_at = $3 where network = $1',
)

const selectWatchers = sqlOfAll<
  Omit<WatcherState, 'behind' | 'tip' | 'obstacle'> & {
    behind: bigint
    tip: bigint
    contract: string | null
    units: string | null
  }
>(
  'evm.select_watchers',
  `select n.network, n.tip, greatest(n.tip - n.block_number, 0) as behind, n.halted, n.trouble, n.tip_at,
          n.updated_at, o.contract_address as contract, o.units,
          case when n.sweep_trouble_at > $3 then n.sweep_trouble end as "sweepTrouble"
     from evm_networks n
     left join evm_obstacles o on o.network = n.network and o.at > $2
    where n.network = any($1::text[]) order by n.network`,
)

/** Returns how far the given networks were read, without those that no worker has read yet. */
export async function watcherStates(
  db: Queryable,
  networks: EvmNetwork[],
  now: Date,
): Promise<WatcherState[]> {
  const ids = networks.map(({ id }) => id)
  const rows = await db.rows(selectWatchers, [ids, later(now, -waitingMs), later(now, -sweptMs)])
  return Promise.all(
    rows.map(async ({ contract, units, behind, tip, ...row }) => {
      const network = networks.find(({ id }) => id === row.network) as EvmNetwork
      // The missing funds may have arrived by now.
      const waiting =
        contract !== null && units !== null ? { contract, units: BigInt(units) } : null
      const found = waiting && (await obstacleOf(db, network, now, waiting))
      return { ...row, behind: Number(behind), tip: Number(tip), obstacle: found?.sentence ?? null }
    }),
  )
}

/** Parameters of the work on one network. */
import type { Database } from '../../db/db.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { DepositBook } from '../ports/chains.ts'
import type { Chain } from './chain.ts'

export type Parts = { db: Database; clock: Clock; log: Log }

export type ChainParts = Parts & { chain: Chain }

/** `name`: this process, for the lease. */
export type WatchParts = ChainParts & { book: DepositBook; name: string }

/** The report of a watcher's step, which its parts fill in turn. */
export type StepReport = {
  result: 'done' | 'waiting' | 'failed' | 'elsewhere' | 'halted'
  /** Whether the next step can run at once. */
  more: boolean
  /** The newest known block. */
  tip: bigint
  /** The current problem, for people. */
  trouble: string | null
}

/** What the work on one network is given. */
import type { Database } from '../../db/db.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { DepositBook } from '../ports/chains.ts'
import type { Chain } from './chain.ts'

export type Parts = { db: Database; clock: Clock; log: Log }

export type ChainParts = Parts & { chain: Chain }

/** `name`: of this process, for the lease. */
export type WatchParts = ChainParts & { book: DepositBook; name: string }

/** How a watcher's step goes: its parts write into it, one after the other. */
export type StepReport = {
  result: 'done' | 'waiting' | 'failed' | 'elsewhere' | 'halted'
  /** Whether the next step has something to do at once. */
  more: boolean
  /** The newest block that is known. */
  tip: bigint
  /** What goes wrong, for people. */
  trouble: string | null
}

/**
 * The port between a rail that watches chains and the module that books what they bring: the rail
 * reports what it reads, and the module alone knows whose it is.
 */
import type { Tx } from '../../db/db.ts'
import type { CryptoCurrency } from '../../lib/money.ts'
import type { Network } from '../reference/networks.ts'

/** A network that this server speaks to, in the mode that it serves. */
export type ChainNetwork = Network & { livemode: boolean }

/** How far a network has been read. */
export type WatcherState = {
  network: string
  /** The number of the newest block. */
  tip: number
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

/**
 * A transfer of a supported token, as its contract logs it. Addresses with their EIP-55 checksums.
 */
export type Transfer = {
  currency: CryptoCurrency
  contract: string
  from: string
  to: string
  /** In the token's own units. */
  units: bigint
  txHash: string
  logIndex: number
  /**
   * The how many-th such event of its transaction to this address in this contract: the same when
   * it is mined again.
   */
  position: number
  blockNumber: bigint
  blockHash: string
}

/** A deposit address that may hold something to sweep, and its index below its key. */
export type Candidate = { address: string; index: number }

/** A pending deposit. In cents. */
export type DueDeposit = {
  id: string
  businessId: string
  blockNumber: bigint
  blockHash: string
  amount: bigint
}

/** What books deposits: the module above, given by the composition. A rail knows no domain. */
export type DepositBook = {
  /** The deposit addresses of a mode, or null when they are more than `limit`. */
  addresses(livemode: boolean, limit: number): Promise<string[] | null>
  /**
   * Records transfers at first sight, in the transaction that moves the watcher on; those to
   * addresses that are not ours are left out there. Idempotent; a dropped one that is mined again
   * in another block lives again.
   * @returns how many it did not know
   */
  recordTransfers(tx: Tx, network: ChainNetwork, transfers: Transfer[]): Promise<number>
  /**
   * Everything above `block` was reorganised away: drops what is pending there.
   * @returns the ids of deposits there that were credited already
   */
  dropReorganised(tx: Tx, network: ChainNetwork, block: bigint): Promise<string[]>
  /** Pending deposits in blocks up to `through`, oldest first, at most `limit`. */
  due(network: ChainNetwork, through: bigint, limit: number): Promise<DueDeposit[]>
  /**
   * Credits a deposit, once, in a transaction of its own. Does nothing when it is not pending any
   * more or its block is another now.
   */
  credit(
    network: ChainNetwork,
    deposit: { id: string; businessId: string; blockHash: string },
  ): Promise<void>
}

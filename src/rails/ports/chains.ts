/**
 * The port between a rail that watches chains and the module that books deposits: the rail reports
 * transfers, and the module knows their owners.
 */
import type { Tx } from '../../db/db.ts'
import type { CryptoCurrency } from '../../lib/money.ts'
import type { Network } from '../reference/networks.ts'

/** A network that this server uses, with its mode. */
export type ChainNetwork = Network & { livemode: boolean }

/** How far a network has been read. */
export type WatcherState = {
  network: string
  /** The number of the newest block. */
  tip: number
  /** Blocks between the last one read and the newest. */
  behind: number
  /** Why it has stopped for good; null while it runs. */
  halted: string | null
  /** The last step's problem; null after a success. */
  trouble: string | null
  /** Why payouts were recently left pending. */
  obstacle: string | null
  /** What recently blocked sweeps. */
  sweepTrouble: string | null
  /** When the newest block was first seen. */
  tip_at: Date
  /** When the last step ran. */
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
   * The ordinal of this event among those of its transaction to this address in this contract: the
   * same when it is mined again.
   */
  position: number
  blockNumber: bigint
  blockHash: string
}

/** A deposit address that may hold funds to sweep, and its index below its key. */
export type Candidate = { address: string; index: number }

/** A pending deposit. In cents. */
export type DueDeposit = {
  id: string
  businessId: string
  blockNumber: bigint
  blockHash: string
  amount: bigint
}

/** Books deposits. The composition root passes the module in, because a rail knows no domain. */
export type DepositBook = {
  /** Returns the deposit addresses of a mode, or null if there are more than `limit`. */
  addresses(livemode: boolean, limit: number): Promise<string[] | null>
  /**
   * Records new transfers in the transaction that moves the watcher on, and ignores addresses that
   * are not ours. Idempotent; a dropped transfer that is mined again in another block becomes
   * pending again.
   * @returns the number of new transfers
   */
  recordTransfers(tx: Tx, network: ChainNetwork, transfers: Transfer[]): Promise<number>
  /**
   * Drops pending deposits above `block`, because everything there was reorganised away.
   * @returns the ids of credited deposits there
   */
  dropReorganised(tx: Tx, network: ChainNetwork, block: bigint): Promise<string[]>
  /** Returns pending deposits in blocks up to `through`, oldest first, at most `limit`. */
  due(network: ChainNetwork, through: bigint, limit: number): Promise<DueDeposit[]>
  /**
   * Credits a deposit once, in a transaction of its own. Does nothing if it is no longer pending or
   * its block has changed.
   */
  credit(
    network: ChainNetwork,
    deposit: { id: string; businessId: string; blockHash: string },
  ): Promise<void>
}

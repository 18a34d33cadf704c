/**
 * A chain with tokens: what a run does to it, and what a business pays out on it.
 */
import type { Chance } from '../test/support/chance.ts'
import type { LocalNetwork } from '../test/support/evm.ts'
import type { Client } from './client.ts'
import type { Model } from './model.ts'
import type { ChainNode } from './nodes.ts'
import type { Asking } from './requests.ts'
import type { Tally } from './tally.ts'

/**
 * A payout that was answered, and where it goes on the chain: to an address that nothing else is
 * paid to.
 */
export type ChainPayout = {
  reference: string
  to: string
  contract: string
  units: bigint
  /** How it has ended, once it was looked at. */
  end: { status: string; hash: string | null } | null
}
export type Spending = {
  clients: Client[]
  payouts: ChainPayout[]
  /**
   * What was in the books when they were looked at last: sweeps that are final, and transactions
   * that were sent again at a higher fee.
   */
  counted: { sweeps: number; replaced: number }
}

export type Chain = {
  /** Settings of a server that speaks to it. */
  env: Record<string, string>
  network: LocalNetwork
  /** By which the product knows it. */
  nodes: ChainNode[]
  /** The last transactions that were sent by them, each of which anybody may send again. */
  broadcasts: string[]
  /** What its business pays out on it. */
  spending: Spending
  /** Opens the addresses that are paid to, and makes the clients that pay out. */
  open(asking: Asking, model: Model): Promise<void>
  /** Payers pay, clients pay out, blocks come, and what breaks of it does. */
  goOn(by: Chance, tally: Tally, until: () => boolean): Promise<void>
  /** Does something to the chain that nothing else that is done to it may come in between of. */
  alone<T>(work: () => Promise<T>): Promise<T>
  /** Has no block made while it goes on, but for those that it makes. */
  withoutBlocks<T>(work: () => Promise<T>): Promise<T>
  /**
   * The chain as this block left it is not to be gone back to: it is not what its transactions made
   * of it.
   */
  spoil(block: bigint): void
  /** Lets all that is in it become final. */
  settle(): Promise<void>
  /** What came to the addresses, in cents. */
  paidIn(): Promise<bigint[]>
  stop(): Promise<void>
}

/**
 * The parts of a run: PostgreSQL, the product's processes, businesses with their clients,
 * providers, a chain, and the targets of webhooks.
 */
import type { Chain } from './chain.ts'
import type { Client } from './client.ts'
import type { MovedClock } from './clock.ts'
import type { Database } from './database.ts'
import type { Model } from './model.ts'
import type { Operation } from './money.ts'
import type { Slot } from './processes.ts'
import type { Doubles, Inlet } from './providers.ts'
import type { Targets } from './receivers.ts'
import type { Asking } from './requests.ts'
import type { Follower } from './streams.ts'

export type Shop = {
  model: Model
  clients: Client[]
  /** Who pays at its pages. */
  payers: Client[]
  asking: Asking
  follower: Follower
  /** Where the stream was, and how much of it there was, when it was looked at last. */
  streamed: { place: string | null; length: number }
  operations: readonly Operation[]
}

export type World = {
  env: Record<string, string>
  clock: MovedClock
  database: Database
  doubles: Doubles
  chain: Chain
  /** Accounts that the live business' payers pay into. */
  inlets: Inlet[]
  slots: Slot[]
  /** What PostgreSQL and all processes print, each with its file. */
  logs: { name: string; log: string }[]
  shops: Shop[]
  targets: Targets
  /** What must be in no log, besides keys that the product has made. */
  secrets: string[]
  /** Works and breaks for so long. */
  live(ms: number): Promise<void>
  /**
   * Asks providers for what they notified nobody of, and holds the live books against theirs, as a
   * server does by and by. @returns what differs
   */
  reconcile(): Promise<string[]>
  /** As a person who looks after accounts at providers that are blocked. */
  unblock(): Promise<void>
  stop(): Promise<void>
}

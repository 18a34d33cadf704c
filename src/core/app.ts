/** The dependencies of a running server, passed as plain values: no container, no globals. */
import type { Database } from '../db/db.ts'
import type { Replica } from '../db/replica.ts'
import type { Clock } from '../lib/clock.ts'
import type { Config } from '../lib/config.ts'
import type { Id } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
import type { Keyring } from '../lib/secrets.ts'
import type { Rails, RailTerms } from '../rails/ports/routes.ts'
import type { Screen } from '../rails/ports/screen.ts'
import type { Network } from '../rails/reference/networks.ts'
import type { Prices } from './pricing.ts'

/** What a server process does: answer requests, work on jobs, or both. */
export type Role = 'all' | 'api' | 'worker'

/**
 * Functions that a module calls but cannot import, because they belong to a module above it. Each
 * module declares its part by declaration merging (`declare module`); `app/open.ts` supplies it.
 */
// biome-ignore lint/suspicious/noEmptyInterface: modules add to it
export interface Strategies {}

/** What code may use inside and outside of a transaction: nothing here does I/O. */
export type Facts = {
  config: Config
  log: Log
  /** The keys that encrypt secrets at rest. */
  secrets: Keyring
  /** The stablecoin networks that the operator has configured. */
  networks: readonly Network[]
  prices: Prices
  /** The names and timeouts of the rails. To call a rail, code needs an `App` or a `Ctx`. */
  terms: RailTerms
  /** The server's public address, without a trailing slash. */
  origin: { url: string }
  strategies: Strategies
}

/** The dependencies of a running server. */
export type App = Facts & {
  /** `tool`: a command that runs beside a server or alone. */
  role: Role | 'tool'
  db: Database
  /**
   * The same database over one reserved connection, so that health checks work while the pool is
   * busy.
   */
  probe: Database
  /** The database that counts rate limits: this one, or that of the installation's first cell. */
  limits: Database
  /** The replica for reads that may be stale; null if none is configured. */
  replica: Replica | null
  clock: Clock
  /** Monotonic clock in milliseconds, to measure durations on this machine. */
  elapsed(): number
  rails: Rails
  /** The sanctions screening providers, by mode. */
  screens: Readonly<Record<'test' | 'live', readonly Screen[]>>
}

/**
 * The actor of a request: a key or a person, with its address; or the operator, by an operator key
 * or a command on the server. A person's scopes are the rights of their role in this business and
 * mode, and `hint` is their email address. `provedAt` is when the person last passed a second
 * factor in this session. `at` is machine time: a test clock moves business time, not the time at
 * which an actor acted.
 */
export type Actor = { at: Date } & (
  | ({ type: 'key'; id: Id; hint: string; scopes: readonly string[]; address: string } & KeyOrigin)
  | {
      type: 'person'
      id: Id
      hint: string
      scopes: readonly string[]
      address: string
      provedAt?: Date | null
    }
  | {
      type: 'operator'
      key?: { id: Id; hint: string; address: string; reviews: boolean }
      /** The name that a command was given with `--by`. */
      name?: string
    }
)

/**
 * Where a key comes from: `root` is the first key of its chain of rolls, `makers` are the people
 * who created, rolled or re-scoped it. No makers: only the operator did.
 */
export type KeyOrigin = { root: Id; makers: readonly Id[] }

/** The operator has suspended or closed the business: no new collections or payouts. */
export type Stopped = { status: 'suspended' | 'closed'; reason: string | null }

/**
 * The business and mode of a request or job, the time there, and the actor. Jobs and the server's
 * own work have no actor. `stopped` is set for scopes with a key or a person.
 */
export type Scope = {
  businessId: Id
  livemode: boolean
  now: Date
  actor?: Actor
  stopped?: Stopped | null
  /**
   * How often the business's test data had been emptied when the request or job started. Undefined
   * if nothing was read before.
   */
  emptied?: number
}

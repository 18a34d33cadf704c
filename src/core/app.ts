/**
 * What is passed to everything that does something: no container, no globals.
 */
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
 * What a module has others do for it: those that stand above it, and that it cannot import. Each
 * such module declares its part here (`declare module`), and `main.ts` fills it in.
 */
// biome-ignore lint/suspicious/noEmptyInterface: modules add to it
export interface Strategies {}

/** What is known without asking anybody: it is in reach inside of a transaction too. */
export type Facts = {
  config: Config
  log: Log
  /** The keys that secrets are sealed with. */
  secrets: Keyring
  /** The networks of stablecoins, as this server's operator has set them. */
  networks: readonly Network[]
  prices: Prices
  /** What the rails are called, and their times; who asks them has an `App` or a `Ctx`. */
  terms: RailTerms
  /** The public address of the server, without a slash at its end. */
  origin: { url: string }
  strategies: Strategies
}

/** The dependencies of a running server. */
export type App = Facts & {
  /** `tool`: a command, beside a server or alone. */
  role: Role | 'tool'
  db: Database
  /**
   * The same database, by a connection that nobody else holds: for who asks how the server is,
   * while others wait for theirs.
   */
  probe: Database
  /** Where the rate limit is counted: the same, or the installation's first cell. */
  limits: Database
  /** Where reads that may go to a replica go; null: nowhere else. */
  replica: Replica | null
  clock: Clock
  /** Milliseconds since any moment, never back: how long things take on this machine. */
  elapsed(): number
  rails: Rails
  /** Who says whether somebody is on a list, by mode. */
  screens: Readonly<Record<'test' | 'live', readonly Screen[]>>
}

/**
 * Who acts: a key or a person, from where; or the operator, by a key of its own or by a command on
 * the server's machine. A person's scopes are the rights of the role in this business and mode, and
 * the hint is the e-mail address; `provedAt` is when the person last showed a second factor, for as
 * long as the session lasts. `at` is the machine's time of it: a test clock moves the time of what
 * happens, not of who did it.
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
  | { type: 'operator'; key?: { id: Id; hint: string; address: string; reviews: boolean } }
)

/**
 * Whose a key is: the first of the keys whose rolls led to it, and the people who made, rolled or
 * re-scoped it; none: the operator alone.
 */
export type KeyOrigin = { root: Id; makers: readonly Id[] }

/** That the operator has stopped a business: nothing new is collected or paid out. */
export type Stopped = { status: 'suspended' | 'closed'; reason: string | null }

/**
 * Whose data is meant, what time it is there, and who acts; nobody does in jobs, nor in what the
 * server does by itself. `stopped` is known of a scope with a key or a person.
 */
export type Scope = {
  businessId: Id
  livemode: boolean
  now: Date
  actor?: Actor
  stopped?: Stopped | null
  /**
   * How often its test data had been emptied when what is asked or done began; left out where
   * nothing was read before.
   */
  emptied?: number
}

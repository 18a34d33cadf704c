/**
 * What is passed to everything that does something: no container, no globals.
 */

import type { Pricing } from '../books/pricing/pricing.ts'
import type { Database, Tx } from '../db/db.ts'
import { sql, transaction } from '../db/db.ts'
import { type Clock, later } from '../lib/clock.ts'
import type { Config } from '../lib/config.ts'
import { refuse } from '../lib/errors.ts'
import type { Id } from '../lib/ids.ts'
import type { Currency } from '../lib/money.ts'
import type { Network } from '../rails/networks.ts'
import type { PayoutRail, RailSet, Rails } from '../rails/rail.ts'
import { routeFor } from './route.ts'

/** The logger's face: pino's, of which only this is used. */
export type Log = {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  isLevelEnabled(level: 'debug' | 'info' | 'warn' | 'error'): boolean
}

/** What a server process does: answer requests, work on jobs, or both. */
export type Role = 'all' | 'api' | 'worker'

/** The parts of a running server. */
export type App = {
  /** `tool`: a command, beside a server or alone. */
  role: Role | 'tool'
  db: Database
  clock: Clock
  config: Config
  log: Log
  rails: Rails
  /** The networks of stablecoins, as this server's operator has set them. */
  networks: readonly Network[]
  pricing: Pricing
  listeners: Listeners
  /** The public address of the server, without a slash at its end. */
  origin: { url: string }
}

/** What is told of a payment to the rooms it may stem from. */
export type PaymentNews = {
  id: Id
  status: 'pending' | 'completed' | 'failed' | 'expired' | 'canceled'
  collection_id: Id | null
  invoice_id: Id | null
  /** Whether the payer had begun to pay. */
  begun: boolean
  /** What counts toward the price so far, in minor units. */
  amount_counted: bigint
}

/**
 * What payments tell the rooms above them, inside the transaction of the change; the composition says who listens.
 * A listener that refuses stops the change.
 */
export type PaymentListener = {
  /** The payer begins to pay, for the first time. No money has moved. */
  starting?(ctx: Ctx, payment: PaymentNews): Promise<void>
  /** Money for it is about to be booked: what the listener may change by that is locked now, before the ledger. */
  receiving?(ctx: Ctx, payment: PaymentNews): Promise<void>
  /** The payment has ended. */
  ended?(ctx: Ctx, payment: PaymentNews): Promise<void>
  /** More money was kept after it was completed. */
  surplus?(ctx: Ctx, payment: PaymentNews, amount: bigint): Promise<void>
}

/** What refunds tell the rooms above them, inside the transaction of the change. */
export type RefundListener = {
  /** A refund is about to hold its amount in the wallet; the payment counts it already. */
  starting?(ctx: Ctx, refund: { id: Id; payment_id: Id }): Promise<void>
  /** It failed, and its amount is back in the wallet. */
  failed?(ctx: Ctx, refund: { id: Id; payment_id: Id }): Promise<void>
}

/** What payouts tell the rooms above them, inside the transaction of the change. */
export type PayoutListener = {
  /** A payout failed or was canceled, and its amount is back in the wallet. */
  returned?(ctx: Ctx, payout: { id: Id }): Promise<void>
}

/** Who sends back what a payment does not keep. Amounts in minor units of the payment's currency. */
export type Reversals = {
  /** Whether an amount can go back to where it came from, by what the rail told. */
  possible(
    ctx: Ctx,
    came: { method: string; currency: Currency; source: Record<string, string> | null },
    amount: bigint,
  ): boolean
  /** Sends an amount back of a transaction that a payment received; the caller has locked the payment. */
  make(ctx: Ctx, payment: Id, transaction: Id, amount: bigint): Promise<void>
}

export type Listeners = {
  payments: PaymentListener[]
  refunds: RefundListener[]
  payouts: PayoutListener[]
  reversals: Reversals
}

/** Whose data is meant, and what time it is there. Every statement on a business's data takes the first two. */
export type Scope = { businessId: Id; livemode: boolean; now: Date }

/** A request's or a job's view: the parts, the scope, and the transaction it already stands in, if any. */
export type Ctx = App & { scope: Scope; tx?: Tx }

/**
 * Runs `work` in one transaction: in the one the context already stands in (a request with an Idempotency-Key, whose
 * answer is stored by the same commit), else in a new one.
 */
export function inTransaction<T>(ctx: Ctx, work: (tx: Tx) => Promise<T>): Promise<T> {
  return ctx.tx ? work(ctx.tx) : transaction(ctx.db, work)
}

/** Where a read goes: the transaction the context stands in, else the pool. */
export function reader(ctx: Ctx) {
  return ctx.tx ?? ctx.db
}

const clockOffset = sql<{ offset_ms: bigint }>(
  'context.clock_offset',
  'select offset_ms from test_clocks where business_id = $1',
)

/** The scope of a job or a command: live data lives in the clock's time, test data in the business's own. */
export async function scopeOf(app: App & { tx?: Tx }, businessId: Id, livemode: boolean): Promise<Scope> {
  const offset = livemode ? null : await (app.tx ?? app.db).row(clockOffset, [businessId])
  return { businessId, livemode, now: later(app.clock.now(), Number(offset?.offset_ms ?? 0n)) }
}

/**
 * The rail of a kind that serves the scope's mode.
 * @throws {Refusal} `rail_not_configured`
 */
export function railOf<K extends keyof RailSet>(ctx: Ctx, kind: K): RailSet[K] {
  const rail: RailSet[K] | null = ctx.scope.livemode ? ctx.rails.live[kind] : ctx.rails.test[kind]
  return rail ?? refuse('rail_not_configured', `No rail for ${kind} is configured in live mode on this server.`)
}

/**
 * The rail that pays out to a destination: its chain's, where this server speaks to that chain, else the mode's.
 * @throws {Refusal} `rail_not_configured`
 */
export function payoutRail(ctx: Ctx, destination: { chain?: string }): PayoutRail {
  const chains = ctx.scope.livemode ? ctx.rails.chains.live : ctx.rails.chains.test
  return (destination.chain === undefined ? undefined : chains[destination.chain]) ?? railOf(ctx, 'payouts')
}

/** Whether there is a rail that pays out to a destination. */
export function canPayOut(ctx: Ctx, destination: { chain?: string }): boolean {
  const { live, chains } = ctx.rails
  if (!ctx.scope.livemode || live.payouts) return true
  return destination.chain !== undefined && destination.chain in chains.live
}

/**
 * The rail that an order was given to, by the name its record keeps: an order never changes its rail, also when the configuration
 * does.
 * @throws {Refusal} `rail_not_configured`
 */
export function railOfOrder(ctx: Ctx, order: { rail: string; destination: { chain?: string } }): PayoutRail {
  const rail = payoutRail(ctx, order.destination)
  if (rail.name === order.rail) return rail
  const other = railOf(ctx, 'payouts')
  if (other.name === order.rail) return other
  return refuse('rail_not_configured', `The rail '${order.rail}' is not configured on this server any more.`)
}

/**
 * When an order's rail is to be asked again, after a wait in milliseconds. The sandbox lives in the business's test time; a chain does not,
 * and a job that a test clock replays at an earlier time would ask it once for each wait until now.
 */
export async function askAgainAt(ctx: Ctx, order: { rail: string }, waitMs: number): Promise<Date> {
  const { businessId, livemode, now } = ctx.scope
  const replayed = order.rail === ctx.rails.test.payouts.name
  return later(replayed ? now : (await scopeOf(ctx, businessId, livemode)).now, waitMs)
}

/** Declares a route of a domain. */
export const route = routeFor<Ctx>()

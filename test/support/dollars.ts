/**
 * A live server with dollars or naira in a wallet, whoever pays them out, and a clock that a test
 * moves.
 */
import { bookBankDeposit } from '../../src/collecting/deposits/deposits.ts'
import { findAccount } from '../../src/collecting/virtual-accounts/virtual-accounts.ts'
import { outside, scopeOf } from '../../src/core/outside.ts'
import { later } from '../../src/lib/clock.ts'
import type { Provider } from '../../src/rails/ports/provider.ts'
import {
  bankPayout,
  type Call,
  type Json,
  listAll,
  must,
  patience,
  startServer,
  type TestServer,
  workedOff,
} from './harness.ts'

export const minuteMs = 60_000

/**
 * How long the clients of providers wait: not long, as doubles may never answer, and longer where
 * the machine has much else to do. A double that is there takes the connection sooner or later.
 */
export const providerTiming = { connectMs: 1_000 * patience, wholeMs: 250 * patience }
/** How long a double takes where it is slow. */
export const slowMs = 350

export const holderAddress = {
  line1: '12 Main Street',
  city: 'Austin',
  state: 'TX',
  postal_code: '78701',
}

/** What is paid out, and to accounts that nobody was paid before. */
export type Way = { currency: 'usd' | 'ngn'; destination(made: number): object }
const american: Way = {
  currency: 'usd',
  destination: (made) => ({
    country: 'us',
    routing_number: '021000021',
    account_number: String(100_000_000 + made),
    account_name: 'Ada Okafor',
    account_type: 'checking',
    holder_address: holderAddress,
  }),
}
export const nigerian: Way = {
  currency: 'ngn',
  destination: (made) => ({ bank_code: '058', account_number: String(2_000_000_000 + made) }),
}

/** A live server with dollars in its wallet, whatever pays them out. */
export type Dollars = {
  /** The settings of another server of the same database. */
  env: Record<string, string>
  server: TestServer
  live: Call
  /** Makes a payout to an account that nobody was paid before. */
  payOut(amount?: number, more?: object): Promise<Json>
  payout(reference: string): Promise<Json>
  /** Lets so much time go by, and all be done that is due then. */
  pass(ms: number): Promise<void>
  /** Lets so much time go by in steps, and all be done that is due at each: see `passInSteps`. */
  passInSteps(ms: number, stepMs: number): Promise<void>
  eventsOf(id: string): Promise<string[]>
}

/**
 * @param clock moved by the returned `pass`
 * @param funded in minor units; by the account `bank`, where it is not 0
 */
export async function openDollars(
  env: Record<string, string>,
  providers: readonly Provider[],
  clock: MovingClock,
  way: Way = american,
  funded = 500_000_00,
): Promise<Dollars> {
  const server = await startServer(env, providers, clock)
  const live = server.callAs(server.liveKey)
  if (funded > 0) await fund(server, live, funded, way.currency)
  let made = 0
  const others = {
    DATABASE_URL: server.databaseUrl,
    SECRETS_KEY: 'ab'.repeat(32),
    RATE_LIMIT_MAX: '0',
    LOG_LEVEL: 'fatal',
  }
  return {
    server,
    live,
    env: { ...env, ...others, PORT: '0' },
    async payOut(amount = 100_00, more = {}) {
      const destination = way.destination(++made)
      const body = bankPayout(`out-${made}`, amount, {
        currency: way.currency,
        destination,
        ...more,
      })
      const payout = await must(live('POST', '/payouts', body))
      await workedOff(server)
      return payout
    },
    payout: (reference) => must(live('GET', `/payouts/${reference}`)),
    pass: (ms) => pass(server, clock, ms),
    passInSteps: (ms, stepMs) => passInSteps(server, clock, ms, stepMs),
    eventsOf: (id) => eventTypesOf(live, id),
  }
}

/** A deposit by the account `bank`, booked as its webhook would have it. Minor units. */
export async function fund(
  server: TestServer,
  live: Call,
  amount: number,
  currency: Way['currency'],
): Promise<void> {
  const opened = await must(
    live('POST', '/virtual-accounts', { kind: 'dynamic', currency, amount }),
  )
  const ctx = outside(server.app, await scopeOf(server.app, server.businessId, true))
  const found = await findAccount(ctx, opened.id)
  await bookBankDeposit(ctx, found, {
    rail: found.rail,
    notice: opened.id,
    amount: BigInt(amount),
    source: null,
  })
}

export type MovingClock = ReturnType<typeof movingClock>

/** Moves a server's clock, and has done what was due before and what is due then. */
export async function pass(server: TestServer, clock: MovingClock, ms: number): Promise<void> {
  // What is still under way would count its next wait from the time that is moved to.
  await workedOff(server)
  clock.move(ms)
  await workedOff(server)
}

/**
 * Moves a server's clock by steps, and has done what is due at each. Steps at which no timer is due
 * are not waited for one by one: days go by as fast as what happens in them.
 */
export async function passInSteps(
  server: TestServer,
  clock: MovingClock,
  ms: number,
  stepMs: number,
): Promise<void> {
  await workedOff(server)
  for (let left = ms; left > 0; ) {
    const next = await untilNextTimer(server)
    const steps = next === null ? Infinity : Math.max(1, Math.ceil(next / stepMs))
    const moved = Math.min(left, steps * stepMs)
    clock.move(moved)
    left -= moved
    await workedOff(server)
  }
}

/** Lets a few hours go by in steps of ten minutes, and days hour by hour. */
export const passHours = (
  { passInSteps }: Pick<Dollars, 'passInSteps'>,
  count: number,
): Promise<void> => passInSteps(count * 60 * minuteMs, (count > 3 ? 60 : 10) * minuteMs)

async function untilNextTimer({ app }: TestServer): Promise<number | null> {
  const [timer] = await app.db.query<{ due_at: Date | null }>(
    'select min(due_at) as due_at from timers',
  )
  return timer?.due_at ? timer.due_at.getTime() - app.clock.now().getTime() : null
}

/** The types of the events about a record, oldest first. */
export async function eventTypesOf(call: Call, id: string): Promise<string[]> {
  const all = await listAll(call, '/events')
  return all
    .filter(({ payload }) => payload.id === id)
    .map(({ type }) => type)
    .reverse()
}

export function movingClock() {
  let ahead = 0
  return {
    now: () => later(new Date(), ahead),
    move(ms: number): void {
      ahead += ms
    },
  }
}

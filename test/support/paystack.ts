/**
 * A server with a live account at a double of Paystack, a wallet with live naira, and a clock that
 * a test moves.
 */
import assert from 'node:assert/strict'
import { paystackAt } from '../../src/rails/paystack/paystack.ts'
import type { Provider } from '../../src/rails/ports/provider.ts'
import { type Double, type Settings, startPaystack } from '../doubles/paystack.ts'
import { eventTypesOf, fund, movingClock, pass, providerTiming, slowMs } from './dollars.ts'
import {
  bankPayout,
  type Call,
  type Json,
  must,
  startServer,
  type TestServer,
  workedOff,
} from './harness.ts'
import { railsEnv, testProvider } from './provider.ts'

export { minuteMs } from './dollars.ts'

export type Till = {
  /** The settings of another server of the same database. */
  env: Record<string, string>
  server: TestServer
  double: Double
  live: Call
  /** Makes a payout to an account that nobody was paid before. */
  payOut(amount?: number, more?: object): Promise<Json>
  payout(reference: string): Promise<Json>
  /** Lets so much time go by, and all be done that is due then. */
  pass(ms: number): Promise<void>
  /** The double's transfers for a payout. */
  transfersOf(id: string): Double['live']['books']['transfers']
  /** @param call asks another server than the till's */
  eventsOf(id: string, call?: Call): Promise<string[]>
  /**
   * Fails unless the double complains of no request and its books are sound. Ours are verified when
   * the server stops.
   */
  assertSound(): Promise<void>
  stop(): Promise<void>
}

/**
 * @param account more of the account in `RAILS_FILE`
 * @param cards whether it takes cards: then the double serves https, as a page that payers are sent
 * to must
 * @param spare whether another account comes first for cards, whose key the double does not know
 * @param pagesHost whose pages are taken for Paystack's; the double's own, if left out
 * @param beside accounts at other providers, and the clock that they share
 * @param routes beside those of payouts, look-ups and cards, or others. Where `account.ngn` is
 * another's, the wallet has no money
 */
export async function openTill({
  settings = {},
  account = {},
  env = {},
  cards = false,
  spare = false,
  pagesHost,
  routes: moreRoutes = {},
  beside = {},
}: {
  settings?: Partial<Settings>
  account?: object
  env?: Record<string, string>
  cards?: boolean
  spare?: boolean
  pagesHost?: string
  routes?: Record<string, string[]>
  beside?: {
    clock?: ReturnType<typeof movingClock>
    accounts?: Record<string, object>
    providers?: Provider[]
  }
} = {}): Promise<Till> {
  const clock = beside.clock ?? movingClock()
  const double = await startPaystack({
    settings: { slowMs, ...settings },
    tls: cards,
    now: clock.now,
  })
  const accounts = {
    paystack: { provider: 'paystack', secret_key: 'env:LIVE_KEY', ...account },
    // Where the money comes from: deposits are another adapter's.
    bank: { provider: 'testpay', secret_key: 'env:LIVE_KEY_2' },
    ...(spare ? { spare: { provider: 'paystack', secret_key: 'env:TEST_KEY' } } : {}),
    ...beside.accounts,
  }
  const routes = {
    'payout.ngn': ['paystack'],
    'lookup.ngn': ['paystack'],
    'account.ngn': ['bank'],
    ...(cards ? { 'card.ngn': spare ? ['spare', 'paystack'] : ['paystack'] } : {}),
    ...moreRoutes,
  }
  double.live.operator.topUp(100_000_000_00)
  const given = {
    ...railsEnv({ live: { accounts, routes } }),
    LIVE_KEY: double.keys.live,
    ...(spare ? { TEST_KEY: 'sk_live_spare' } : {}),
    ...env,
  }
  const at = {
    host: double.url,
    pagesHost: pagesHost ?? new URL(double.checkoutUrl).host,
    ...providerTiming,
  }
  const paystack = paystackAt(double.ca === null ? at : { ...at, ca: double.ca })
  const providers = [paystack, testProvider().provider, ...(beside.providers ?? [])]
  const server = await startServer(given, providers, clock)
  const live = server.callAs(server.liveKey)
  if (routes['account.ngn'][0] === 'bank') await fund(server, live, 500_000_000, 'ngn')
  let made = 0

  const others = {
    DATABASE_URL: server.databaseUrl,
    SECRETS_KEY: 'ab'.repeat(32),
    RATE_LIMIT_MAX: '0',
    LOG_LEVEL: 'fatal',
  }
  return {
    env: { ...given, ...others, PORT: '0' },
    server,
    double,
    live,
    async payOut(amount = 1_000_000, more = {}) {
      const account_number = String(2_000_000_000 + ++made)
      const destination = { bank_code: '058', account_number }
      const payout = await must(
        live('POST', '/payouts', bankPayout(`ps-${made}`, amount, { destination, ...more })),
      )
      await workedOff(server)
      return payout
    },
    payout: (reference) => must(live('GET', `/payouts/${reference}`)),
    pass: (ms) => pass(server, clock, ms),
    transfersOf: (id) =>
      double.live.books.transfers.filter(({ reference }) => reference.startsWith(`po-${id}`)),
    eventsOf: (id, call = live) => eventTypesOf(call, id),
    async assertSound() {
      assert.deepEqual(double.violations, [])
      assert.deepEqual(double.audit(), [])
    },
    async stop() {
      await server.stop()
      await double.stop()
    },
  }
}

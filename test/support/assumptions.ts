/** Checks what is assumed of each provider against its double, whose answers a test may bend. */

import { bridgeAt } from '../../src/rails/bridge/bridge.ts'
import { dojahAt } from '../../src/rails/dojah/dojah.ts'
import { monnifyAt } from '../../src/rails/monnify/monnify.ts'
import { paystackAt } from '../../src/rails/paystack/paystack.ts'
import type { AssumptionCheck, Finding, PaymentAsked } from '../../src/rails/ports/assumptions.ts'
import type { Provider } from '../../src/rails/ports/provider.ts'
import { stripeAt } from '../../src/rails/stripe/stripe.ts'
import { startBridge } from '../doubles/bridge.ts'
import { startDojah } from '../doubles/dojah.ts'
import { contract } from '../doubles/monnify/reserved.ts'
import { startMonnify } from '../doubles/monnify.ts'
import { startPaystack } from '../doubles/paystack.ts'
import { startStripeCards } from '../doubles/stripe-cards.ts'
import { startStripeOutbound } from '../doubles/stripe-outbound.ts'
import { type Bend, startBent } from './bent.ts'
import { providerTiming } from './dollars.ts'

type Headers = Record<string, string>
export type Place = {
  url: string
  headers?: (sent: Headers) => Headers
  /** What the world does meanwhile. */
  world?(): void
  pay?(payment: PaymentAsked): void
  stop(): Promise<void>
  provider(reach: { host: string }): Provider
  own: object
  routes: string[]
  violations(): string[]
  /** What the double answers otherwise than its provider, as recorded. */
  corrections?: Bend[]
}

const reach = (host: string) => ({ ...providerTiming, host })
const both = (host: string) => ({ live: reach(host), test: reach(host) })

const incapable = {
  status: 400,
  body: { error: { code: 'recipient_feature_not_active', message: 'Not active' } },
}
/** Each provider's double, and an account of test mode there. */
export const places = {
  async paystack(): Promise<Place> {
    const double = await startPaystack()
    const { test } = double
    test.operator.topUp(1_000_000_00)
    test.bank.name('058', '0000000001', null)
    return {
      url: double.url,
      stop: double.stop,
      violations: () => double.violations,
      provider: ({ host }) =>
        paystackAt({ ...reach(host), pagesHost: new URL(double.checkoutUrl).host }),
      own: { secret_key: double.keys.test },
      routes: ['payout.ngn', 'account.ngn'],
      world() {
        for (const { code, asked, identified } of test.books.customers)
          if (asked && !identified) test.identity.succeed(code)
        for (const { id, status } of test.books.refunds)
          if (status === 'pending') test.refund.process(id)
      },
      pay({ url }) {
        const waiting = test.books.transactions.find(({ accessCode }) => url.endsWith(accessCode))
        if (waiting) test.payer.pay(waiting.reference, { brand: 'visa', last4: '4081' })
        test.operator.settle('balance')
      },
    }
  },
  async dojah(): Promise<Place> {
    const double = await startDojah()
    double.people.push({ bvn: '22222222222', nin: '70123456789', first: 'ADA', last: 'OKAFOR' })
    return {
      url: double.url,
      stop: double.stop,
      violations: () => double.violations,
      headers: (sent) => ({ ...sent, authorization: double.key }),
      provider: ({ host }) => dojahAt(reach(host)),
      own: { app_id: double.appId, secret_key: 'test_sk_check' },
      routes: ['identity.ng'],
    }
  },
  async monnify(): Promise<Place> {
    const double = await startMonnify()
    const basic = `Basic ${Buffer.from(`${double.keys.api}:${double.keys.secret}`).toString('base64')}`
    double.topUp(10_000_00)
    return {
      url: double.url,
      stop: double.stop,
      violations: () => double.violations,
      headers: (sent) =>
        sent.authorization?.startsWith('Basic') ? { ...sent, authorization: basic } : sent,
      provider: ({ host }) => monnifyAt(both(host)),
      own: {
        api_key: 'MK_TEST_CHECK',
        secret_key: 'check-secret',
        wallet: double.wallet.number,
        contract_code: contract,
      },
      routes: ['payout.ngn', 'account.ngn'],
      pay: ({ to, amount }) => void double.reserved.pay(String(to), Number(amount)),
    }
  },
  async bridge(): Promise<Place> {
    const double = await startBridge()
    const { customer, wallet } = double.books
    return {
      url: double.url,
      stop: double.stop,
      violations: () => double.violations,
      headers: (sent) => ({ ...sent, 'api-key': double.apiKey }),
      provider: ({ host }) => bridgeAt(both(host)),
      own: { api_key: 'sk-test-check', customer: customer.id, wallet: wallet.id },
      routes: ['payout.usd'],
    }
  },
  async stripe(): Promise<Place> {
    const double = await startStripeOutbound()
    double.topUp(100_000)
    return {
      url: double.url,
      stop: double.stop,
      violations: () => double.violations,
      headers: (sent) => ({ ...sent, authorization: 'Bearer sk_live_double' }),
      provider: ({ host }) => stripeAt(reach(host)),
      corrections: [{ on: /^POST \S+outbound_payments .*check-incapable/, to: () => incapable }],
      own: { secret_key: 'sk_test_check', financial_account: double.funds.id },
      routes: ['payout.usd'],
    }
  },
  async stripe_cards(): Promise<Place> {
    const double = await startStripeCards()
    return {
      url: double.url,
      stop: double.stop,
      violations: () => double.violations,
      headers: (sent) => ({ ...sent, authorization: 'Bearer sk_live_double' }),
      provider: ({ host }) => stripeAt(reach(host)),
      own: { secret_key: 'sk_test_check' },
      routes: ['card.usd'],
    }
  },
} satisfies Record<string, () => Promise<Place>>
export type PlaceName = keyof typeof places

/** A clock that goes on by a second each time that it is looked at. */
export function hurriedClock(): { now(): Date } {
  let ms = Date.now()
  return {
    now() {
      ms += 1_000
      return new Date(ms)
    },
  }
}

/**
 * Checks everything once. Its clock goes on by a second each time that it is looked at, and no wait
 * takes time.
 */
export async function findingsAt(
  name: PlaceName,
  bends: Bend[] = [],
  { pays = true } = {},
): Promise<Finding[]> {
  const place: Place = await places[name]()
  const bent = await startBent(place.url, {
    bends: [...(place.corrections ?? []), ...bends],
    ...(place.headers ? { headers: place.headers } : {}),
    isTest: name !== 'paystack',
  })
  const clock = hurriedClock()
  try {
    const { assumptions } = openAt(name, place, { host: bent.url, clock })
    const findings: Finding[] = []
    const pay = async (payment: PaymentAsked): Promise<void> => place.pay?.(payment)
    const wait = async (): Promise<void> => place.world?.()
    for await (const one of (assumptions as AssumptionCheck)({ pay: pays ? pay : null, wait }))
      findings.push(one)
    return findings
  } finally {
    await bent.stop()
    await place.stop()
  }
}

type Opening = { host: string; clock?: object; livemode?: boolean; own?: object }

function openAt(
  name: string,
  place: Place,
  { host, clock, livemode = false, own = place.own }: Opening,
) {
  const log = { debug() {}, info() {}, warn() {}, error() {}, isLevelEnabled: () => false }
  const { routes } = place
  const settings = { name, livemode, serves: '*', baseUrl: null, channels: {}, routes, own }
  const parts = { db: null, clock, log, host: 'localhost', report() {} }
  return place.provider({ host }).open(settings as never, parts as never)
}

/**
 * What an account of live mode has to be checked: nothing. @param key in place of each key of its
 * settings
 */
export async function assumptionsOfLive(
  name: PlaceName,
  key: string,
): Promise<AssumptionCheck | undefined> {
  const place: Place = await places[name]()
  const own = Object.fromEntries(
    Object.entries(place.own).map(([field, value]) => [
      field,
      field.endsWith('_key') ? key : value,
    ]),
  )
  const clock = { now: () => new Date() }
  try {
    return openAt(name, place, { host: place.url, clock, livemode: true, own }).assumptions
  } finally {
    await place.stop()
  }
}

/**
 * The providers of a run: doubles with books of their own, and the product's adapters pointed at them.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bridgeAt } from '../src/rails/bridge/bridge.ts'
import { monnifyAt } from '../src/rails/monnify/monnify.ts'
import { paystackAt } from '../src/rails/paystack/paystack.ts'
import type { Provider } from '../src/rails/provider.ts'
import type { Chance } from '../test/chance.ts'
import { startBridge, applies as toBridge } from '../test/doubles/bridge.ts'
import { startMonnify, applies as toMonnify } from '../test/doubles/monnify.ts'
import type { Rule } from '../test/doubles/paystack/faults.ts'
import { type Fault, faults, startPaystack, applies as toPaystack } from '../test/doubles/paystack.ts'
import type { MovedClock } from './clock.ts'

/** Payers are led to pages that are served with a certificate alone: that of the double's own authority. */
export type Places = { paystack: { host: string; pagesHost: string; ca: string }; monnify: string; bridge: string }

/** How long adapters wait, and how long a double takes where it is slow. */
const waits = { connectMs: 1_000, wholeMs: 1_500 }
const slowMs = 500

/**
 * For how long an order may be on its way: the clock of a run goes some two hundred times as fast as its network, and leaps, so that what takes seconds
 * would be late by what is true of real ones.
 */
const orderLifeMs = 3 * 3_600_000

const withLife = (provider: Provider): Provider => ({
  ...provider,
  open(account, parts) {
    const opened = provider.open(account, parts)
    const { ports, refunds } = opened
    return {
      ...opened,
      ports: { ...ports, ...(ports.payout ? { payout: { ...ports.payout, orderLifeMs } } : {}) },
      ...(refunds ? { refunds: { ...refunds, orderLifeMs } } : {}),
    }
  },
})

export const providersAt = ({ paystack, monnify, bridge }: Places): Provider[] => {
  const both = (host: string) => ({ live: { host, ...waits }, test: { host, ...waits } })
  return [paystackAt({ ...paystack, ...waits }), monnifyAt(both(monnify)), bridgeAt(both(bridge))].map(withLife)
}

/** What a fault came over: a request with the answer that was due, as text, which has every name of it. */
export type Befallen = { rail: string; fault: Fault; of: string }

/** An order as a provider has it: how it stands, and what it pays to whom. */
type ProviderOrder = { state: string; what: string }

/** The id that a reference of ours has, whichever submission it is of. */
export const idIn = (reference: string): string => /[0-9a-f]{24}/.exec(reference)?.[0] ?? reference

export const orderOf = (amount: number, currency: string, bank: string, account: string): string =>
  `${amount} ${currency} to ${account} at ${bank}`

const states: Record<string, string> = {
  ...{ success: 'paid', SUCCESS: 'paid', payment_processed: 'paid' },
  ...{ reversed: 'back', REVERSED: 'back', returned: 'back', refunded: 'back' },
}

export type Doubles = Awaited<ReturnType<typeof startDoubles>>

const operations = {
  paystack: [
    ...['resolve', 'balance', 'create_recipient', 'transfer', 'transfer', 'transfer', 'verify_transfer'],
    ...['initialize', 'initialize', 'verify_transaction', 'refund', 'refund', 'fetch_refund', 'fetch_dispute'],
  ],
  monnify: ['login', 'validate', 'balance', 'create_transfer', 'create_transfer', 'create_transfer', 'summary'],
  bridge: [
    ...['get_wallet', 'create_external_account', 'create_transfer', 'create_transfer', 'create_transfer'],
    'get_transfer',
  ],
} as const
/** The accounts at them. */
export const rails = ['paystack', 'monnify', 'bridge'] as const
type Rail = (typeof rails)[number]

/**
 * What of a fault is left out. Nobody pays on a page before the answer is there that leads to it; and what came into an account its provider alone knows:
 * an amount that it falsifies is booked, and found once the books are compared.
 */
const never: Partial<Record<Fault, string>> = {
  webhook_before_answer: 'initialize',
  other_amount: 'verify_transaction',
}

export async function startDoubles(dir: string, clock: MovedClock) {
  const paystack = await startPaystack({ settings: { slowMs }, now: clock.now, tls: true })
  const monnify = await startMonnify({ now: clock.now, slowMs })
  paystack.live.operator.topUp(10_000_000_000_00)
  monnify.topUp(10_000_000_000_00)
  const bridge = await startBridge({ now: clock.now, slowMs })
  bridge.books.topUp(10_000_000_00)
  const doubles = { paystack, monnify, bridge }
  const file = join(dir, 'rails.json')
  const accounts = {
    paystack: { provider: 'paystack', secret_key: 'env:PAYSTACK_KEY' },
    monnify: {
      ...{ provider: 'monnify', api_key: 'env:MONNIFY_KEY', secret_key: 'env:MONNIFY_SECRET' },
      ...{ secret_key_previous: 'env:MONNIFY_SECRET_BEFORE', wallet: '8016472829' },
    },
    bridge: {
      ...{ provider: 'bridge', api_key: 'env:BRIDGE_KEY', customer: bridge.books.customer.id },
      ...{
        wallet: bridge.books.wallet.id,
        webhook_key: 'env:BRIDGE_PEM',
        webhook_key_previous: 'env:BRIDGE_PEM_BEFORE',
      },
    },
  }
  const both = ['paystack', 'monnify']
  const routes = {
    'payout.usd': ['bridge'],
    'card.ngn': ['paystack'],
    'payout.ngn': both,
    'lookup.ngn': both,
    'account.ngn': ['paystack'],
  }
  writeFileSync(file, JSON.stringify({ live: { accounts, routes } }))
  const env = {
    ...{ RAILS_FILE: file, PAYSTACK_KEY: paystack.keys.live, MONNIFY_KEY: monnify.keys.api },
    ...{ MONNIFY_SECRET: monnify.keys.secret, MONNIFY_SECRET_BEFORE: monnify.keys.previous },
    ...{ BRIDGE_KEY: bridge.apiKey, BRIDGE_PEM: bridge.keys.live.publicKey },
    BRIDGE_PEM_BEFORE: bridge.keys.previous.publicKey,
  }
  const pagesHost = new URL(paystack.checkoutUrl).host
  const places: Places = {
    paystack: { host: paystack.url, pagesHost, ca: paystack.ca as string },
    monnify: monnify.url,
    bridge: bridge.url,
  }
  const rules: { rule: Rule; name: string }[] = []
  /** Refunds of ours that need the payer's bank account. */
  const attention = new Set<string>()
  /** What befalls next: each kind as often as any other. */
  let deck: (readonly [Rail, Fault])[] = []

  return {
    ...{ paystack, monnify, bridge, env, places, attention },
    secrets: [paystack.keys.live, monnify.keys.api, monnify.keys.secret, monnify.keys.previous, bridge.apiKey],
    /** Something of theirs goes wrong, once. */
    async befall(by: Chance): Promise<void> {
      if (deck.length === 0) deck = rails.flatMap((double) => faults.map((one) => [double, one] as const))
      const [name, fault] = deck.splice(by.below(deck.length), 1)[0] as (typeof deck)[number]
      const applies = { paystack: toPaystack, monnify: toMonnify, bridge: toBridge }[name]
      const fitting = operations[name].filter((one) => one !== never[fault] && applies(one as never, fault))
      if (fitting.length === 0) return
      const operation = by.one<string>(fitting)
      // Tokens last for an hour: so that somebody logs in.
      if (operation === 'login') monnify.tokens.clear()
      const rule = await doubles[name].fault(operation as never, fault)
      rules.push({ rule, name: `${name} ${fault}` })
    },
    /** What has come true, by name, since it was asked last. */
    happened(): string[] {
      const over = rules.filter(({ rule }) => rule.applied > 0 || rule.fault === 'no_connection')
      for (const one of over) rules.splice(rules.indexOf(one), 1)
      return over.map(({ name }) => name)
    },
    /** Each answer that a fault came over, of the whole run. */
    befallen: (): Befallen[] =>
      Object.entries(doubles).flatMap(([rail, { requests }]) =>
        requests.flatMap(({ fault, method, path, query, body, answer }) => {
          // As it is reported, without the version and whose it is.
          const what = `${method} ${path.replace(/^\/v0/, '').replace(/^\/customers\/[^/]+/, '/customers')}`
          return fault === null ? [] : [{ rail, fault, of: `${what} ${JSON.stringify([path, query, body, answer])}` }]
        }),
      ),
    /** Banks do what they have been asked to: most of it arrives, some fails, some comes back. */
    endSome(by: Chance, share: number): void {
      const { live } = paystack
      for (const one of live.books.transfers) {
        if (one.status === 'success' && share < 1 && by.happens(0.002)) live.transfer.reverse(one.reference)
        if (one.status !== 'pending' || !by.happens(share)) continue
        if (by.happens(0.1)) live.transfer.fail(one.reference)
        else live.transfer.succeed(one.reference)
      }
      for (const one of live.books.refunds) {
        if (!['pending', 'processing', 'needs-attention'].includes(one.status) || !by.happens(share)) continue
        const how = by.below(10)
        if (one.status === 'needs-attention') live.refund.begin(one.id)
        else if (how === 0) live.refund.fail(one.id)
        else if (how === 1) {
          live.refund.needAttention(one.id)
          attention.add(idIn(one.merchantNote))
        } else live.refund.process(one.id)
      }
      for (const one of live.books.disputes)
        if (one.outcome === null && by.happens(share / 4)) live.payer.endDispute(one.id, by.one(['won', 'lost']))
      for (const one of monnify.transfers) {
        if (one.status === 'SUCCESS' && share < 1 && by.happens(0.002)) monnify.transfer.comeBack(one.reference)
        if (one.status !== 'PENDING' || !by.happens(share)) continue
        if (by.happens(0.1)) monnify.transfer.fail(one.reference)
        else monnify.transfer.succeed(one.reference)
      }
      for (const { state, reference } of bridge.books.transfers) {
        if (state === 'payment_processed' && share < 1 && by.happens(0.002)) bridge.transfer.comeBack(reference)
        if (state !== 'funds_received' || !by.happens(share)) continue
        const how = by.below(20)
        if (how === 0) bridge.transfer.become(reference, 'canceled')
        else if (how === 1) bridge.transfer.comeBack(reference)
        else bridge.transfer.succeed(reference)
      }
    },
    /** Tells a server what happened. @param again also what it did not take before */
    async notify(url: string, again: boolean): Promise<void> {
      paystack.live.events.url = `${url}/rails/paystack/live/webhook`
      monnify.events.url = `${url}/rails/monnify/live/webhook`
      bridge.events.url = `${url}/rails/bridge/live/webhook`
      await paystack.live.events.deliver()
      await monnify.events.deliver()
      await bridge.events.deliver()
      if (again) await paystack.live.events.retry()
    },
    /** What was lost on its way arrives; who refused connections takes them again. */
    async arrive(): Promise<void> {
      for (const double of Object.values(doubles)) {
        double.arrive()
        await double.connect()
      }
    },
    async heal(): Promise<void> {
      for (const double of Object.values(doubles)) {
        await double.clearFaults()
        double.arrive()
      }
    },
    /** The orders of each payout there, by its id. Each takes its currency alone, and refuses or complains of all else. */
    sent(): Map<string, ProviderOrder[]> {
      const orders = [
        ...paystack.live.books.transfers.map(({ reference, status, amount, recipient: { bank, account } }) => ({
          ...{ reference, status, what: orderOf(amount, 'ngn', bank.code, account) },
        })),
        ...monnify.transfers.map(({ reference, status, amount, bank, number }) => ({
          ...{ reference, status, what: orderOf(amount, 'ngn', bank, number) },
        })),
        ...bridge.books.transfers.map(({ reference, state, amount, account: { routing, number } }) => ({
          ...{ reference, status: state as string, what: orderOf(Number(amount) / 10_000, 'usd', routing, number) },
        })),
      ]
      return Map.groupBy(
        orders.map(({ status, ...order }) => ({ ...order, state: states[status] ?? status })),
        ({ reference }) => idIn(reference),
      )
    },
    /** What payers have paid into dedicated accounts, in kobo. */
    paidIn: (): number[] =>
      paystack.live.books.transactions.flatMap(({ channel, amount }) =>
        channel === 'dedicated_nuban' ? [amount] : [],
      ),
    /** What the doubles hold against what they were asked, and against their own books. */
    complaints: (): string[] => [
      ...paystack.violations,
      ...paystack.audit(),
      ...monnify.violations,
      ...monnify.audit(),
      ...bridge.violations,
      ...bridge.books.audit(),
    ],
    async stop(): Promise<void> {
      for (const double of Object.values(doubles)) await double.stop()
    },
  }
}

/**
 * The providers of a run: doubles with books of their own, and the product's adapters pointed at
 * them.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bridgeAt } from '../src/rails/bridge/bridge.ts'
import { dojahAt } from '../src/rails/dojah/dojah.ts'
import { monnifyAt } from '../src/rails/monnify/monnify.ts'
import { paystackAt } from '../src/rails/paystack/paystack.ts'
import type { Provider } from '../src/rails/ports/provider.ts'
import { stripeAt } from '../src/rails/stripe/stripe.ts'
import type { Chance } from '../test/support/chance.ts'
import type { MovedClock } from './clock.ts'
import { openBridge } from './doubles/bridge.ts'
import { openDojah } from './doubles/dojah.ts'
import { openMonnify } from './doubles/monnify.ts'
import { openPaystack } from './doubles/paystack.ts'
import {
  type Befallen,
  type Befalling,
  type CardPages,
  idIn,
  type Placed,
  type PlacedOrder,
} from './doubles/placed.ts'
import { openStripeCards, openStripeOutbound } from './doubles/stripe.ts'

/**
 * Where each account's provider is. Payers are led to pages that are served with a certificate:
 * where a double has its own, that of its own authority.
 */
export type Places = { paystack: { host: string; pagesHost: string; ca: string } } & Record<
  'monnify' | 'bridge' | 'stripe' | 'stripe-us' | 'dojah',
  string
>

export const hostsOf = ({ paystack, ...others }: Places): string[] =>
  [paystack.host, ...Object.values(others)].map((url) => new URL(url).host)

/** How long adapters wait. */
const waits = { connectMs: 1_000, wholeMs: 1_500 }

/**
 * For how long an order may be on its way: the clock of a run goes some two hundred times as fast
 * as its network, and leaps, so that what takes seconds would be late by what is true of real ones.
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

export function providersAt({ paystack, monnify, bridge, dojah, ...stripes }: Places): Provider[] {
  const both = (host: string) => ({ live: { host, ...waits }, test: { host, ...waits } })
  const stripeOf = (name: string): Provider =>
    stripeAt({ host: stripes[name as keyof typeof stripes], ...waits })
  // Each of its accounts is at a double of its own.
  const stripe: Provider = {
    ...stripeOf('stripe'),
    open: (account, parts) => stripeOf(account.name).open(account, parts),
  }
  return [
    paystackAt({ ...paystack, ...waits }),
    monnifyAt(both(monnify)),
    bridgeAt(both(bridge)),
    stripe,
    dojahAt({ host: dojah, ...waits }),
  ].map(withLife)
}

export type Doubles = Awaited<ReturnType<typeof startDoubles>>

const routes = {
  'payout.usd': ['stripe', 'bridge'],
  'card.usd': ['stripe-us'],
  'account.usd': ['stripe-us'],
  'card.ngn': ['paystack'],
  'payout.ngn': ['paystack', 'monnify'],
  'lookup.ngn': ['paystack', 'monnify'],
  'account.ngn': ['paystack'],
  'identity.ng': ['dojah'],
}

/** An account that payers pay into. */
export type Inlet = { currency: 'ngn' | 'usd'; number: string }

const sender = { name: 'OBI EZE', account: '0123450011', bank: 'Zenith Bank' }

export async function startDoubles(dir: string, clock: MovedClock) {
  const paystack = await openPaystack(clock)
  const monnify = await openMonnify(clock)
  const bridge = await openBridge(clock)
  const stripe = await openStripeOutbound(clock)
  const stripeUs = await openStripeCards(clock)
  const dojah = await openDojah()
  const doubles: Record<keyof Places, Placed> = {
    paystack,
    monnify,
    bridge,
    stripe,
    'stripe-us': stripeUs,
    dojah,
  }
  const all = Object.entries(doubles)
  const file = join(dir, 'rails.json')
  const accounts = Object.fromEntries(all.map(([name, { account }]) => [name, account]))
  writeFileSync(file, JSON.stringify({ live: { accounts, routes } }))
  const places: Places = {
    paystack: paystack.place,
    monnify: monnify.place,
    bridge: bridge.place,
    stripe: stripe.place,
    'stripe-us': stripeUs.place,
    dojah: dojah.place,
  }
  const pages: Record<string, CardPages> = { ngn: paystack.pages, usd: stripeUs.pages }
  const rules: { rule: Befalling; name: string }[] = []
  /** What befalls next: each kind as often as any other. */
  let deck: (readonly [rail: string, fault: string])[] = []

  return {
    places,
    pages,
    dojah,
    attention: paystack.attention,
    env: Object.assign({ RAILS_FILE: file }, ...all.map(([, { env }]) => env)) as Record<
      string,
      string
    >,
    secrets: all.flatMap(([, { secrets }]) => secrets),
    /** The accounts whose books are held against ours. */
    reconciled: all.filter(([, double]) => double.reconciled).map(([name]) => name),
    /** Something of theirs goes wrong, once. */
    async befall(by: Chance): Promise<void> {
      if (deck.length === 0)
        deck = all.flatMap(([name, { faults }]) => faults.map((one) => [name, one] as const))
      const [name, fault] = deck.splice(by.below(deck.length), 1)[0] as (typeof deck)[number]
      const double = doubles[name as keyof Places]
      const fitting = double.fitting(fault)
      if (fitting.length === 0) return
      rules.push({ rule: await double.befall(by.one(fitting), fault), name: `${name} ${fault}` })
    },
    /** What has come true, by name, since it was asked last. */
    happened(): string[] {
      const over = rules.filter(({ rule }) => rule.applied > 0 || rule.fault === 'no_connection')
      for (const one of over) rules.splice(rules.indexOf(one), 1)
      return over.map(({ name }) => name)
    },
    /** Each answer that a fault came over, of the whole run, with whose it was. */
    befallen: (): (Befallen & { rail: string })[] =>
      all.flatMap(([rail, double]) => double.befallen().map((one) => ({ rail, ...one }))),
    /** Banks do what they have been asked to: most of it arrives, some fails, some comes back. */
    endSome(by: Chance, share: number): void {
      for (const [, double] of all) double.endSome(by, share)
    },
    /** Tells a server what happened. @param again also what it did not take before */
    async notify(url: string, again: boolean): Promise<void> {
      for (const [, double] of all) await double.notify(url, again)
    },
    /** What was lost on its way arrives; who refused connections takes them again. */
    async arrive(): Promise<void> {
      for (const [, double] of all) {
        double.arrive()
        await double.connect()
      }
    },
    async heal(): Promise<void> {
      for (const [, double] of all) {
        await double.clearFaults()
        double.arrive()
      }
    },
    /** The orders of each payout there, by its id. */
    sent: (): Map<string, PlacedOrder[]> =>
      Map.groupBy(
        all.flatMap(([, double]) => double.orders()),
        ({ reference }) => idIn(reference),
      ),
    /** A payer pays into an account. Minor units. */
    payIn({ currency, number }: Inlet, amount: number): void {
      if (currency === 'ngn') paystack.live.bank.credit(number, { amount, sender })
      else stripeUs.cash.send(number, amount, sender.name)
    },
    /** What payers have paid into accounts, each as `orderOf` has amounts. */
    paidIn: (): string[] => [
      ...paystack.live.books.transactions.flatMap(({ channel, amount }) =>
        channel === 'dedicated_nuban' ? [`${amount} ngn`] : [],
      ),
      ...stripeUs.cash.movements.flatMap(({ type, amount }) =>
        type === 'funded' ? [`${amount} usd`] : [],
      ),
    ],
    /** What was taken of money that is not settled differs until the next settlement. */
    settle: (): void => void paystack.live.operator.settle('balance'),
    /** What the doubles hold against what they were asked, and against their own books. */
    complaints: (): string[] =>
      all.flatMap(([name, double]) =>
        double.complaints().map((complaint) => `${name}: ${complaint}`),
      ),
    async stop(): Promise<void> {
      for (const [, double] of all) await double.stop()
    },
  }
}

/**
 * A month of business over doubles of four providers at a clock that is moved: payouts in naira by
 * Paystack and Monnify, deposits, cards and refunds by Paystack, payouts in dollars by Stripe and
 * Bridge, and every fault of every double by chance. Then the providers are well again, all comes
 * to its end, and the books are held against theirs.
 */
import assert from 'node:assert/strict'
import { type Incident, listIncidents } from '../../src/platform/incidents/incidents.ts'
import {
  findReconcilable,
  type ReconciledAccount,
  type ReconcileOptions,
  type ReconciliationReport,
  reconcile,
} from '../../src/platform/reconciliation/reconciliation.ts'
import { bridgeAt } from '../../src/rails/bridge/bridge.ts'
import { monnifyAt } from '../../src/rails/monnify/monnify.ts'
import { unblockAccount } from '../../src/rails/records/blocks.ts'
import { stripeAt } from '../../src/rails/stripe/stripe.ts'
import { startBridge, applies as toBridge } from '../doubles/bridge.ts'
import { startMonnify, applies as toMonnify } from '../doubles/monnify.ts'
import type { Rule } from '../doubles/paystack/faults.ts'
import { type Fault, faults, applies as toPaystack } from '../doubles/paystack.ts'
import { startStripeOutbound, applies as toStripe } from '../doubles/stripe-outbound.ts'
import { type Chance, chance } from './chance.ts'
import { fund, holderAddress, minuteMs, movingClock, providerTiming, slowMs } from './dollars.ts'
import { assertLoads, assertMonthsTie, journalTools, monthsBetween } from './exported-months.ts'
import { bankPayout, type Json, listAll, must, until } from './harness.ts'
import { monnifyAccount, monnifyEnv } from './monnify.ts'
import { openShop } from './paystack-cards.ts'
import { newCustomer, openAccount, sweepNow } from './paystack-in.ts'

const hourMs = 60 * minuteMs
const rounds = 120
const roundMs = (30 * 24 * hourMs) / rounds

const operations = {
  paystack: [
    'resolve',
    'balance',
    'create_recipient',
    'transfer',
    'verify_transfer',
    'initialize',
    'verify_transaction',
    'refund',
    'open_account',
  ],
  stripe: [
    'get_funds',
    'create_recipient',
    'setup_bank',
    'create_payment',
    'list_payments',
    'get_payment',
  ],
  monnify: ['login', 'validate', 'balance', 'create_transfer', 'summary'],
  bridge: [
    'get_wallet',
    'create_external_account',
    'create_transfer',
    'list_transfers',
    'get_transfer',
  ],
} as const
type Name = keyof typeof operations
const names = Object.keys(operations) as Name[]

export type Month = {
  orders: Record<string, number>
  faults: Record<string, number>
  incidents: Record<string, number>
  /** How the orders ended, by what they were. */
  ends: Record<string, number>
  /** The lines of the transactions export, by the program that has read them, or why it has not. */
  exports: Record<string, number>
}

function count(into: Record<string, number>, what: string, times = 1): void {
  into[what] = (into[what] ?? 0) + times
}

async function openMonth() {
  const clock = movingClock()
  const bridge = await startBridge({ now: clock.now, slowMs })
  const stripe = await startStripeOutbound({ now: clock.now, slowMs })
  const monnify = await startMonnify({ now: clock.now, slowMs })
  const reach = { host: bridge.url, ...providerTiming }
  const reachOfMonnify = { host: monnify.url, ...providerTiming }
  const shop = await openShop({
    routes: {
      'account.ngn': ['paystack'],
      'account.usd': ['bank'],
      'payout.usd': ['stripe', 'bridge'],
      'payout.ngn': ['paystack', 'monnify'],
      'lookup.ngn': ['paystack', 'monnify'],
    },
    env: {
      STRIPE_KEY: stripe.secretKey,
      STRIPE_WHSEC: stripe.secrets.live,
      STRIPE_BEFORE: stripe.secrets.previous,
      BRIDGE_KEY: bridge.apiKey,
      BRIDGE_PEM: bridge.keys.live.publicKey,
      BRIDGE_BEFORE: bridge.keys.previous.publicKey,
      ...monnifyEnv(monnify),
    },
    beside: {
      clock,
      accounts: {
        monnify: monnifyAccount,
        stripe: {
          provider: 'stripe',
          secret_key: 'env:STRIPE_KEY',
          financial_account: 'fa_treasury',
          webhook_secret: 'env:STRIPE_WHSEC',
          webhook_secret_previous: 'env:STRIPE_BEFORE',
        },
        bridge: {
          provider: 'bridge',
          api_key: 'env:BRIDGE_KEY',
          customer: 'cust_operator',
          wallet: 'bw_treasury',
          webhook_key: 'env:BRIDGE_PEM',
          webhook_key_previous: 'env:BRIDGE_BEFORE',
        },
      },
      providers: [
        stripeAt({ host: stripe.url, ...providerTiming }),
        bridgeAt({ live: reach, test: reach }),
        monnifyAt({ live: reachOfMonnify, test: reachOfMonnify }),
      ],
    },
  })
  stripe.events.url = `${shop.server.url}/rails/stripe/live/webhook`
  bridge.events.url = `${shop.server.url}/rails/bridge/live/webhook`
  monnify.events.url = `${shop.server.url}/rails/monnify/live/webhook`
  bridge.books.topUp(100_000_000_00)
  monnify.topUp(10_000_000_000_00)
  const rules: { rule: Rule; name: string }[] = []
  return { shop, paystack: shop.double, stripe, bridge, monnify, rules }
}
type World = Awaited<ReturnType<typeof openMonth>>

/** Lives through it. @param orders how many, in all */
export async function runMonth({ orders, seed }: { orders: number; seed: number }): Promise<Month> {
  const by = chance(seed)
  const world = await openMonth()
  const { shop, paystack, stripe, bridge, monnify } = world
  const month: Month = { orders: {}, faults: {}, incidents: {}, ends: {}, exports: {} }
  try {
    // What was there before the first day.
    await reconcileAll(world, { opening: true })
    await fund(shop.server, shop.live, 50_000_000_00, 'usd')
    const accounts: Json[] = []
    for (let i = 0; i < 5; i++)
      accounts.push(await must(openAccount(shop, await newCustomer(shop))))
    credit(world, accounts[0] as Json, 10_000_000_00)
    await deliver(world)
    await shop.pass(minuteMs)
    const perRound = Math.ceil(orders / rounds)
    for (let round = 0, left = orders; round < rounds && left > 0; round++) {
      await befall(world, by, orders)
      // Stripe is the first, and is often short of money: then Bridge pays. Monnify pays while
      // Paystack cannot be reached.
      if (by.happens(0.3)) stripe.topUp(by.below(500_000))
      for (let batch = Math.min(perRound, left); batch > 0; batch -= 6) {
        const some = Array.from({ length: Math.min(6, batch) }, () =>
          orderOf(world, by, accounts, month),
        )
        await Promise.all(some)
      }
      left -= Math.min(perRound, left)
      await shop.pass(minuteMs)
      for (const double of [paystack, stripe, bridge, monnify]) double.arrive()
      await connect(world)
      endSome(world, by, 0.7)
      if (by.happens(0.9)) await deliver(world)
      // Once a day Paystack settles, and a person looks at accounts that are blocked.
      if (round % 4 === 3) {
        paystack.live.operator.settle('balance')
        await unblockAccount(shop.server.app.db, true, 'paystack')
        await sweepNow(shop)
        // A provider that does not say all is asked the next day.
        await reconcileAll(world).catch(() => count(month.ends, 'reconciliation put off'))
      }
      await shop.pass(roundMs)
    }
    for (const { rule, name } of world.rules)
      if (rule.applied > 0 || rule.fault === 'no_connection') count(month.faults, name)
    await comeToRest(world, by, month)
    await assertEnds(world, month)
    return month
  } finally {
    await shop.stop()
    await stripe.stop()
    await bridge.stop()
    await monnify.stop()
  }
}

/** What of the month can go wrong: some faults, each for one request or event. */
async function befall(
  { paystack, stripe, bridge, monnify, rules }: World,
  by: Chance,
  orders: number,
): Promise<void> {
  for (let i = by.below(5 + orders / 400); i > 0; i--) {
    const fault: Fault = by.one(faults)
    const name = by.one(names)
    const operation = by.one(operations[name])
    const fits = { paystack: toPaystack, stripe: toStripe, bridge: toBridge, monnify: toMonnify }[
      name
    ]
    if (!fits(operation as never, fault)) continue
    const double = { paystack, stripe, bridge, monnify }[name]
    // Tokens last for an hour: so that somebody logs in.
    if (operation === 'login') monnify.tokens.clear()
    const rule = await double.fault(operation as never, fault)
    rules.push({ rule, name: `${name} ${fault}` })
  }
}

/** Those that refused connections take them again; other faults stay until they befall somebody. */
async function connect({ paystack, stripe, bridge, monnify }: World): Promise<void> {
  await monnify.connect()
  await paystack.connect()
  await stripe.connect()
  await bridge.connect()
}

function credit({ paystack }: World, { account_number }: Json, amount: number): void {
  const sender = { name: 'OBI EZE', account: '0123450011', bank: 'Zenith Bank' }
  paystack.live.bank.credit(account_number, { amount, sender })
}

let last = 0

/**
 * One order of any kind. What cannot be begun is said so by a refusal, or by a page that was not
 * opened.
 */
async function orderOf(world: World, by: Chance, accounts: Json[], month: Month): Promise<void> {
  const { shop } = world
  const reference = `m-${++last}`
  const what = by.below(100)
  const amount = 10_000 + by.below(2_000_000)
  if (what < 45) {
    const destination = { bank_code: '058', account_number: String(3_000_000_000 + by.below(500)) }
    const { status } = await shop.live(
      'POST',
      '/payouts',
      bankPayout(reference, amount, { destination }),
    )
    count(month.orders, status === 201 ? 'naira payout' : `naira payout, refused with ${status}`)
  } else if (what < 65) {
    const number = String(100_000_000 + by.below(300))
    const destination = {
      country: 'us',
      routing_number: '021000021',
      account_number: number,
      account_name: 'Ada Okafor',
      account_type: 'checking',
      holder_address: holderAddress,
    }
    const body = bankPayout(reference, 1_000 + by.below(100_000), { currency: 'usd', destination })
    const { status } = await shop.live('POST', '/payouts', body)
    count(month.orders, status === 201 ? 'dollar payout' : `dollar payout, refused with ${status}`)
  } else if (what < 85) {
    credit(world, by.one(accounts), amount)
    count(month.orders, 'deposit')
  } else if (what < 95) {
    const end = by.below(10)
    const payment = await shop.open({ amount })
    const payer = shop.payerOf(payment)
    await shop.leave(payer)
    const page = (await shop.transactionsOf(payment)).at(-1)
    if (page !== undefined && page.paidAt === null) {
      if (end < 7) world.paystack.live.payer.pay(page.reference)
      else if (end < 8) world.paystack.live.payer.decline(page.reference, 'Insufficient Funds')
      if (end < 4) await shop.back(payer)
    }
    count(
      month.orders,
      page === undefined ? 'card, no page' : end < 7 ? 'card, paid' : 'card, not paid',
    )
  } else {
    const { docs } = await must(shop.live('GET', `/payments?status=completed&limit=5`))
    const payment = docs.length > 0 ? by.one<Json>(docs) : null
    if (payment === null) return count(month.orders, 'refund, of nothing')
    const part = by.happens(0.5) ? {} : { amount: 1 + by.below(payment.amount_received) }
    const { status } = await shop.live('POST', '/refunds', {
      payment: payment.id,
      reference,
      ...part,
    })
    count(month.orders, status === 201 ? 'refund' : `refund, refused with ${status}`)
  }
}

/** What banks do with what is under way: most of it arrives, some fails, some comes back. */
function endSome({ paystack, stripe, bridge, monnify }: World, by: Chance, share: number): void {
  const { live } = paystack
  for (const one of live.books.transfers) {
    if (one.status === 'success' && share < 1 && by.happens(0.001))
      live.transfer.reverse(one.reference)
    if (one.status !== 'pending' || !by.happens(share)) continue
    if (by.happens(0.1)) live.transfer.fail(one.reference)
    else live.transfer.succeed(one.reference)
  }
  for (const one of live.books.refunds) {
    if (one.status !== 'pending' || !by.happens(share)) continue
    if (by.happens(0.05)) live.refund.fail(one.id)
    else live.refund.process(one.id)
  }
  for (const one of stripe.payments) {
    if (one.status === 'posted' && share < 1 && by.happens(0.001))
      stripe.payment.comeBack(one.reference, 'payout_method_closed')
    if (one.status !== 'processing' || !by.happens(share)) continue
    if (by.happens(0.1)) stripe.payment.fail(one.reference, 'payout_method_declined')
    else stripe.payment.post(one.reference)
  }
  for (const one of monnify.transfers) {
    if (one.status === 'SUCCESS' && share < 1 && by.happens(0.001))
      monnify.transfer.comeBack(one.reference)
    if (one.status !== 'PENDING' || !by.happens(share)) continue
    if (by.happens(0.1)) monnify.transfer.fail(one.reference)
    else if (by.happens(0.2)) monnify.transfer.failForMoney(one.reference)
    else monnify.transfer.succeed(one.reference)
  }
  for (const one of bridge.books.transfers) {
    if (one.state === 'payment_processed' && share < 1 && by.happens(0.001))
      bridge.transfer.comeBack(one.reference)
    if (one.state === 'undeliverable') bridge.transfer.become(one.reference, 'refunded')
    if (one.state !== 'funds_received' && one.state !== 'awaiting_funds') continue
    if (!by.happens(share)) continue
    if (by.happens(0.1)) bridge.transfer.become(one.reference, 'undeliverable')
    else bridge.transfer.succeed(one.reference)
  }
}

async function deliver({ paystack, stripe, bridge, monnify }: World): Promise<void> {
  await monnify.events.deliver()
  await paystack.live.events.deliver()
  await stripe.events.deliver()
  await bridge.events.deliver()
}

/** The providers are well, banks end what they have, and ten days go by. */
async function comeToRest(world: World, by: Chance, month: Month): Promise<void> {
  const { shop, paystack, stripe, bridge, monnify } = world
  for (const double of [paystack, stripe, bridge, monnify]) await double.clearFaults()
  await unblockAccount(shop.server.app.db, true, 'paystack')
  stripe.topUp(10_000_000_00)
  for (let i = 0; i < 40; i++) {
    endSome(world, by, 1)
    if (i % 4 === 0) await deliver(world)
    if (i % 8 === 0) await sweepNow(shop)
    if (i % 4 === 3)
      await reconcileAll(world).catch(() => count(month.ends, 'reconciliation put off'))
    await shop.pass(i < 8 ? 10 * minuteMs : 8 * hourMs)
  }
  for (let i = 0; i < 2; i++) {
    paystack.live.operator.settle('balance')
    await sweepNow(shop)
    await shop.pass(2 * hourMs)
  }
}

async function reconcileAll(
  { shop }: World,
  asked: ReconcileOptions = {},
): Promise<[Name, ReconciliationReport][]> {
  const { app } = shop.server
  const reports: [Name, ReconciliationReport][] = []
  for (const rail of names)
    reports.push([
      rail,
      await reconcile(app, findReconcilable(app, true, rail) as ReconciledAccount, asked),
    ])
  return reports
}

/** What may stand of each, and why. */
const explanations: Partial<Record<Incident['kind'], RegExp>> = {
  quarantined: / (other_\w+|webhook_changed_amount|status_false)$/,
  unknown_subject: / (webhook_\w+|error_after|timeout_after|reset_after|other_\w+)$/,
  // What a provider listed wrongly when the books were held against it, and rightly the day after.
  amount_differs: / other_amount$/,
  fee_differs: / other_amount$/,
  missing_here: / other_\w+$/,
  missing_there: / other_\w+$/,
  balance_differs: / other_\w+$/,
}

async function assertEnds(world: World, month: Month): Promise<void> {
  const { shop, paystack, stripe, bridge, monnify } = world
  const { app } = shop.server
  // Every payout is at its end, and its provider says the same of it; nobody was paid twice.
  const sent = new Map<string, string[]>()
  const note = (reference: string, state: string): void => {
    const id = reference.slice(3, 27)
    sent.set(id, [...(sent.get(id) ?? []), state])
  }
  for (const one of paystack.live.books.transfers)
    note(
      one.reference,
      one.status === 'success' ? 'paid' : one.status === 'reversed' ? 'back' : one.status,
    )
  for (const one of monnify.transfers)
    note(
      one.reference,
      one.status === 'SUCCESS' ? 'paid' : one.status === 'REVERSED' ? 'back' : one.status,
    )
  for (const one of stripe.payments)
    note(
      one.reference,
      one.status === 'posted' ? 'paid' : one.status === 'returned' ? 'back' : one.status,
    )
  for (const one of bridge.books.transfers)
    note(
      one.reference,
      one.state === 'payment_processed'
        ? 'paid'
        : one.history.includes('payment_processed')
          ? 'back'
          : one.state,
    )
  const payouts = await listAll(shop.live, '/payouts')
  for (const { id, status, provider_reference: rail } of payouts as unknown as Json[]) {
    const states = sent.get(id) ?? []
    const paid = states.filter((state) => state === 'paid').length
    const expected = status === 'completed' ? 1 : 0
    assert.match(status, /^(completed|failed|returned)$/, `payout ${id} is ${status}, ${states}`)
    assert.equal(
      paid,
      expected,
      `payout ${id} by ${rail} is ${status}, and at its provider ${states}`,
    )
    count(month.ends, `payout ${status}`)
    sent.delete(id)
  }
  assert.deepEqual([...sent.keys()], [], 'a provider was told of payouts that nobody has made')

  // Every deposit and every card that paid is booked, once.
  const paidThere = paystack.live.books.transactions.filter(({ paidAt }) => paidAt !== null)
  const [booked] = await app.db.query<{ rows: bigint; amount: bigint }>(
    `select count(*) as rows, sum(amount)::bigint as amount from provider_receipts where rail = 'paystack' and kind in ('charge', 'deposit')`,
  )
  assert.deepEqual(
    [Number(booked?.rows), Number(booked?.amount)],
    [paidThere.length, paidThere.reduce((sum, { amount }) => sum + amount, 0)],
  )
  for (const { status } of (await listAll(shop.live, '/payments')) as unknown as Json[])
    count(month.ends, `payment ${status}`)
  for (const { status } of (await listAll(shop.live, '/refunds')) as unknown as Json[]) {
    assert.match(status, /^(completed|failed)$/)
    count(month.ends, `refund ${status}`)
  }

  // A busy machine may answer too late for the short deadlines of this month.
  for (const [rail, { findings, difference }] of await until(() =>
    reconcileAll(world).catch(() => null),
  )) {
    assert.deepEqual(findings, [], rail)
    assert.equal(difference, 0n, rail)
  }
  for (const incident of await listIncidents(app.db, { closed: true })) {
    count(month.incidents, `${incident.rail} ${incident.kind}`)
    const why = explanations[incident.kind]
    const of = Object.keys(month.faults).some(
      (fault) => fault.startsWith(incident.rail) && why?.test(fault),
    )
    assert.ok(of, `nothing explains ${JSON.stringify(incident)}`)
  }
  assert.deepEqual(
    [
      ...stripe.violations,
      ...bridge.violations,
      ...bridge.books.audit(),
      ...monnify.violations,
      ...monnify.audit(),
    ],
    [],
  )
  await shop.assertSound()
  await assertExports(world, month)
}

/**
 * Each month's export comes from its opening to its closing balance, in accounting programs too.
 */
async function assertExports({ shop }: World, month: Month): Promise<void> {
  const [{ created_at: first }] = (await listAll(shop.live, '/transactions')).slice(-1) as [Json]
  const last = shop.server.app.clock.now().toISOString()
  const months = await assertMonthsTie(
    shop.live,
    monthsBetween(first.slice(0, 7), last.slice(0, 7)),
  )
  for (const tool of journalTools) {
    const missing = await assertLoads(tool, months)
    count(
      month.exports,
      missing ?? `lines read by ${tool.name} in ${months.length} months`,
      months.flatMap(({ lines }) => lines).length,
    )
  }
}

/**
 * Goal: a customer's account in dollars is that which Stripe gives, and what comes to it is booked
 * once, when a payment there has taken it, whatever Stripe answers. Method: a whole server over the
 * double of Stripe, asked over HTTP; what the double's books have is held against the wallet.
 */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { sweep } from '../../../src/platform/inbound/sweeping.ts'
import { listIncidents } from '../../../src/platform/incidents/incidents.ts'
import {
  findReconcilable,
  type ReconciledAccount,
  reconcile,
} from '../../../src/platform/reconciliation/reconciliation.ts'
import { stripeAt } from '../../../src/rails/stripe/stripe.ts'
import type { AnswerFault } from '../../doubles/paystack/faults.ts'
import { type Double, type OperationName, startStripeCards } from '../../doubles/stripe-cards.ts'
import {
  type Dollars,
  minuteMs,
  movingClock,
  openDollars,
  providerTiming,
  slowMs,
} from '../../support/dollars.ts'
import { type Json, listAll, must, until } from '../../support/harness.ts'
import { railsEnv } from '../../support/provider.ts'

describe('an account in dollars by Stripe', () => {
  let till: Dollars
  let double: Double
  let made = 0
  before(async () => {
    const clock = movingClock()
    double = await startStripeCards({ now: clock.now, slowMs })
    const account = {
      provider: 'stripe',
      secret_key: 'env:STRIPE_KEY',
      webhook_secret: 'env:STRIPE_WHSEC',
    }
    const env = {
      ...railsEnv({
        live: { accounts: { 'stripe-us': account }, routes: { 'account.usd': ['stripe-us'] } },
      }),
      STRIPE_KEY: double.secretKey,
      STRIPE_WHSEC: double.secrets.live,
    }
    till = await openDollars(
      env,
      [stripeAt({ host: double.url, ...providerTiming })],
      clock,
      undefined,
      0,
    )
    double.events.url = `${till.server.url}/rails/stripe-us/live/webhook`
  })
  after(async () => {
    await till.server.stop()
    await double.stop()
  })
  beforeEach(() => double.clearFaults())

  const newCustomer = (): Promise<Json> =>
    must(till.live('POST', '/customers', { name: 'Ada Okafor', email: `ada${++made}@example.com` }))
  const open = (customer: Json) =>
    till.live('POST', '/virtual-accounts', { customer: customer.id, currency: 'usd' })
  const openOne = async (): Promise<Json> => must(open(await newCustomer()))
  const read = ({ id }: Json): Promise<Json> => must(till.live('GET', `/virtual-accounts/${id}`))
  const depositsOf = async ({ customer }: Json): Promise<Json[]> =>
    (await listAll(till.live, `/transactions?customer=${customer}`)) as unknown as Json[]
  const takingsOf = ({ account_number }: Json) =>
    double.cash.takings.filter(({ customer }) => customer.number === account_number)
  async function deposit(account: Json, amount: number, sender?: string | null): Promise<void> {
    double.cash.send(account.account_number, amount, sender)
    await double.events.deliver()
    await till.pass(0)
  }
  async function assertSound(): Promise<void> {
    assert.deepEqual([...double.violations, ...double.cash.audit()], [])
    await till.server.assertBooksClean()
  }

  it('has the number that Stripe gives, and is one for each customer', async () => {
    const customer = await newCustomer()
    const account = await must(open(customer))
    const there = double.cash.customers.find(({ ours }) => ours === customer.id)
    assert.deepEqual(
      [
        account.status,
        account.account_number,
        account.routing_number,
        account.bank_name,
        account.account_name,
      ],
      ['active', there?.number, '021000021', 'Citibank', 'ADA OKAFOR'],
    )
    assert.equal(account.provider_reference, there?.id)
    const second = await open(customer)
    assert.deepEqual([second.status, second.code], [409, 'account_exists'])
    assert.equal(double.cash.customers.filter(({ ours }) => ours === customer.id).length, 1)
    const dynamic = await till.live('POST', '/virtual-accounts', {
      kind: 'dynamic',
      currency: 'usd',
      amount: 100,
    })
    assert.deepEqual([dynamic.status, dynamic.code], [400, 'account_rejected'])
    double.cash.settings.enabled = false
    const refused = await open(await newCustomer())
    double.cash.settings.enabled = true
    assert.deepEqual([refused.status, refused.code], [400, 'not_enabled'])
    await assertSound()
  })

  it('takes what comes by one payment, books it once with what Stripe keeps, and tells of it', async () => {
    const account = await openOne()
    await deposit(account, 1_234_56, 'GRACE HOPPER')
    const [booked, ...others] = await depositsOf(account)
    assert.equal(others.length, 0)
    const [taking] = takingsOf(account)
    assert.deepEqual(
      [
        booked?.type,
        booked?.amount,
        booked?.status,
        booked?.source,
        taking?.status,
        taking?.customer.balance,
      ],
      ['deposit', 1_234_56, 'completed', { account_name: 'GRACE HOPPER' }, 'succeeded', 0],
    )
    const [receipt] = await till.server.app.db.query<Json>(
      'select * from provider_receipts where provider_id = $1',
      [taking?.id],
    )
    assert.equal(Number(receipt?.fee), 5_00)
    const events = (await listAll(till.live, '/events')) as unknown as Json[]
    assert.equal(
      events.filter(
        ({ type, payload }) => type === 'virtual_account.deposit' && payload.id === booked?.id,
      ).length,
      1,
    )
    // The same event again, and two at once: nothing more is taken or booked.
    const [last] = double.events.all.slice(-1)
    await Promise.all([1, 2].map(() => double.events.post(last as never, '')))
    await till.pass(0)
    assert.deepEqual([(await depositsOf(account)).length, takingsOf(account).length], [1, 1])
    await assertSound()
  })

  it('is found by the payment that has taken it, as statements list it', async () => {
    const account = await openOne()
    await deposit(account, 21_00)
    const [taking] = takingsOf(account)
    const port = till.server.app.rails.live.accounts['stripe-us']?.ports.account
    const said = await port?.deposit?.({ reference: null, providerId: taking?.id as string })
    assert.deepEqual([said?.state, said?.state === 'paid' && said.amount], ['paid', 21_00n])
    assert.deepEqual(await port?.deposit?.({ reference: null, providerId: 'pi_unknown' }), {
      state: 'not_found',
    })
    assert.equal(takingsOf(account).length, 1)
    await assertSound()
  })

  it('books each of several, also when none was told of: the sweep asks for them', async () => {
    const account = await openOne()
    for (const amount of [10_00, 20_00, 30_00]) double.cash.send(account.account_number, amount)
    double.events.queue.splice(0)
    await till.pass(20 * minuteMs)
    const { app } = till.server
    const missed = app.rails.live.accounts['stripe-us']?.inbound?.missed as never
    while ((await sweep(app, true, 'stripe-us', missed)) !== null);
    await till.pass(minuteMs)
    assert.deepEqual(
      (await depositsOf(account)).map(({ amount }) => amount).sort(),
      [10_00, 20_00, 30_00],
    )
    assert.equal(takingsOf(account).length, 3)
    await assertSound()
  })

  it('agrees with what Stripe lists of its balance', async () => {
    await deposit(await openOne(), 400_00)
    await till.pass(31 * minuteMs)
    const account = findReconcilable(till.server.app, true, 'stripe-us') as ReconciledAccount
    const { findings, difference, lines } = await reconcile(till.server.app, account)
    assert.deepEqual([findings, difference], [[], 0n])
    const [payments] = lines
    assert.ok(payments && payments.listed > 0 && payments.listed === payments.agreed)
  })

  const faults: [OperationName, AnswerFault][] = [
    ...(
      [
        'reset_before',
        'reset_after',
        'timeout_after',
        'error_after',
        'truncated',
        'rate_limited',
      ] as const
    ).map((fault): [OperationName, AnswerFault] => ['create_payment', fault]),
    ...(['get_movement', 'list_payments'] as const).map((one): [OperationName, AnswerFault] => [
      one,
      'error_before',
    ]),
    ...(['other_reference', 'other_currency', 'other_mode'] as const).map(
      (fault): [OperationName, AnswerFault] => ['create_payment', fault],
    ),
  ]
  for (const [operation, fault] of faults)
    it(`books it once whatever befalls ${operation}: ${fault}`, async () => {
      const account = await openOne()
      const rule = await double.fault(operation, fault)
      await deposit(account, 77_00)
      await double.clearFaults()
      for (let round = 0; round < 6 && (await depositsOf(account)).length === 0; round++) {
        await till.pass(20 * minuteMs)
        // An answer that cannot be so is looked into by a person, who has it applied again.
        if (fault.startsWith('other_'))
          await till.server.app.db.query(
            "update provider_events set outcome = null where outcome = 'quarantined'",
          )
        const [last] = double.events.all.slice(-1)
        await double.events.post(last as never, '')
        await till.pass(0)
      }
      assert.equal(rule.applied, 1)
      assert.deepEqual(
        [(await depositsOf(account)).map(({ amount }) => amount), takingsOf(account).length],
        [[77_00], 1],
      )
      await assertSound()
    })

  it('opens once whatever befalls the asking', async () => {
    for (const [operation, fault] of [
      ['create_customer', 'error_before'],
      ['create_customer', 'timeout_after'],
      ['funding_instructions', 'error_after'],
      ['funding_instructions', 'rate_limited'],
    ] as const) {
      const customer = await newCustomer()
      await double.fault(operation, fault)
      const pending = await must(open(customer))
      assert.deepEqual(
        [pending.status, pending.account_number],
        ['pending', null],
        `${operation} ${fault}`,
      )
      await double.clearFaults()
      await until(async () => {
        await till.pass(2 * minuteMs)
        return (await read(pending)).status === 'active'
      })
      assert.equal(double.cash.customers.filter(({ ours }) => ours === customer.id).length, 1)
      assert.deepEqual(await till.eventsOf(pending.id), ['virtual_account.activated'])
    }
    await assertSound()
  })

  it('waits until the money is there, and leaves what is none of ours or too little', async () => {
    const account = await openOne()
    const customer = double.cash.customers.find(({ number }) => number === account.account_number)
    assert.ok(customer)
    // Its bank takes it back before it was taken here, and sends it again.
    double.cash.send(account.account_number, 50_00)
    double.cash.takeBack(customer, 50_00)
    await double.events.deliver()
    await till.pass(0)
    assert.equal((await depositsOf(account)).length, 0)
    double.cash.send(account.account_number, 50_00)
    double.events.queue.splice(0)
    await till.pass(30 * minuteMs)
    assert.deepEqual(
      (await depositsOf(account)).map(({ amount }) => amount),
      [50_00],
    )

    await deposit(account, 49)
    assert.equal((await depositsOf(account)).length, 1)
    const told = (await listIncidents(till.server.app.db, {})).filter(
      ({ kind }) => kind === 'needs_attention',
    )
    assert.equal(told.length, 1)
    assert.equal(customer.balance, 49)

    // A customer that somebody else made at Stripe.
    const strangers = await fetch(`${double.url}/v1/customers`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${double.secretKey}`,
        'stripe-version': '2026-10-28.endive',
        'content-type': 'application/x-www-form-urlencoded',
        'idempotency-key': 'x',
      },
      body: 'name=Stranger&cash_balance[settings][reconciliation_mode]=manual',
    })
    const { id } = (await strangers.json()) as Json
    const stranger = double.cash.customers.find((one) => one.id === id)
    await deposit({ account_number: stranger?.number }, 10_00)
    assert.equal(stranger?.balance, 10_00)
    await assertSound()
  })

  it('books what comes after it was closed, as late', async () => {
    const account = await openOne()
    await must(till.live('PATCH', `/virtual-accounts/${account.id}/close`))
    await deposit(account, 15_00)
    const [booked] = await depositsOf(account)
    assert.deepEqual([booked?.amount, booked?.late], [15_00, true])
    await assertSound()
  })
})

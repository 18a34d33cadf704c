/**
 * Goal: a customer's account in naira is that which Monnify reserves, and what comes to it is
 * booked once, as Monnify says when it is asked, whatever it answers. Method: a whole server over
 * the double of Monnify, asked over HTTP; the reconciliation must find no difference to the
 * double's books.
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
import { monnifyAt } from '../../../src/rails/monnify/monnify.ts'
import { contract } from '../../doubles/monnify/reserved.ts'
import { type Double, type OperationName, startMonnify } from '../../doubles/monnify.ts'
import type { AnswerFault } from '../../doubles/paystack/faults.ts'
import {
  type Dollars,
  minuteMs,
  movingClock,
  nigerian,
  openDollars,
  providerTiming,
  slowMs,
} from '../../support/dollars.ts'
import { type Json, listAll, must, startServer, until } from '../../support/harness.ts'
import { monnifyAccount, monnifyEnv } from '../../support/monnify.ts'
import { newCustomer } from '../../support/paystack-in.ts'
import { railsEnv } from '../../support/provider.ts'

describe('an account in naira by Monnify', () => {
  let till: Dollars
  let double: Double
  before(async () => {
    const clock = movingClock()
    double = await startMonnify({ now: clock.now, slowMs })
    const accounts = { monnify: { ...monnifyAccount, contract_code: contract } }
    const env = {
      ...railsEnv({ live: { accounts, routes: { 'account.ngn': ['monnify'] } } }),
      ...monnifyEnv(double),
    }
    const reach = { host: double.url, ...providerTiming }
    till = await openDollars(env, [monnifyAt({ live: reach, test: reach })], clock, nigerian, 0)
    double.events.url = `${till.server.url}/rails/monnify/live/webhook`
  })
  after(async () => {
    await till.server.stop()
    await double.stop()
  })
  beforeEach(() => double.clearFaults())

  const open = (customer: Json) =>
    till.live('POST', '/virtual-accounts', { customer: customer.id, currency: 'ngn' })
  const customerOf = (): Promise<Json> => newCustomer(till as never)
  const openOne = async (): Promise<Json> => must(open(await customerOf()))
  const read = ({ id }: Json): Promise<Json> => must(till.live('GET', `/virtual-accounts/${id}`))
  const depositsOf = async ({ customer }: Json): Promise<Json[]> =>
    (await listAll(till.live, `/transactions?customer=${customer}`)) as unknown as Json[]
  const held = () =>
    reconcile(
      till.server.app,
      findReconcilable(till.server.app, true, 'monnify') as ReconciledAccount,
    )
  async function assertSound(): Promise<void> {
    assert.deepEqual([...double.violations, ...double.audit()], [])
    await till.server.assertBooksClean()
  }

  it('has the number that Monnify gives, is one for each customer, and is closed there too', async () => {
    const customer = await customerOf()
    const account = await must(open(customer))
    const there = double.reserved.accounts.find(
      ({ reference }) => reference === `vc-${customer.id}`,
    )
    assert.deepEqual(
      [
        account.status,
        account.account_number,
        account.bank_name,
        account.bank_code,
        account.account_name,
      ],
      ['active', there?.number, 'Moniepoint Microfinance Bank', '50515', 'ADA OKAFOR'],
    )
    const second = await open(customer)
    assert.deepEqual([second.status, second.code], [409, 'account_exists'])
    await must(till.live('PATCH', `/virtual-accounts/${account.id}/close`))
    await until(async () => there?.active === false, 20_000)
    double.reserved.settings.identity = true
    const refused = await open(await customerOf())
    double.reserved.settings.identity = false
    assert.deepEqual([refused.status, refused.code], [400, 'not_enabled'])
    await assertSound()
  })

  it('books what comes once, with what Monnify keeps and who sent it, and agrees with its settlements', async () => {
    const account = await openOne()
    const paid = double.reserved.pay(account.account_number, 2_500_00)
    await double.events.deliver()
    await till.pass(0)
    const [booked, ...others] = await depositsOf(account)
    assert.equal(others.length, 0)
    assert.deepEqual(
      [booked?.type, booked?.amount, booked?.status, booked?.source.account_name],
      ['deposit', 2_500_00, 'completed', 'ADA OKAFOR'],
    )
    const [receipt] = await till.server.app.db.query<Json>(
      'select * from provider_receipts where provider_id = $1',
      [paid.id],
    )
    assert.equal(Number(receipt?.fee), 37_50)
    // Told again, and with lies in it.
    const lie = {
      eventType: 'SUCCESSFUL_TRANSACTION',
      eventData: {
        transactionReference: paid.id,
        amountPaid: 9,
        product: { type: 'RESERVED_ACCOUNT', reference: 'vc-x' },
      },
    }
    await double.events.post(JSON.stringify(lie))
    await till.pass(0)
    assert.equal((await depositsOf(account)).length, 1)
    await till.pass(31 * minuteMs)
    for (const step of ['waiting', 'settled'] as const) {
      if (step === 'settled') double.reserved.settle()
      const { findings, difference, lines } = await held()
      assert.deepEqual([findings, difference, lines[0]?.agreed], [[], 0n, 1], step)
    }
    // A payment is asked about by itself, but not at each reconciliation.
    const asked = () =>
      double.requests.filter(({ operation }) => operation === 'get_transaction').length
    const before = asked()
    await held()
    assert.equal(asked(), before)
    await assertSound()
  })

  it('finds a settlement by its reference, wherever the statement’s words have it', async () => {
    const account = await openOne()
    const before = (await held()).difference
    double.reserved.pay(account.account_number, 3_000_00)
    await double.events.deliver()
    await till.pass(31 * minuteMs)
    double.reserved.settle(
      (reference) => `MFY-WT/#/TRF|2MPT61cfp|1896839989128998912/#/${reference}/#/Monnify`,
    )
    // Taken for a top-up, it would be the operator's money, and the payment would be owed for ever.
    const { findings, difference, topUps, unsettled } = await held()
    assert.deepEqual([findings, difference, topUps, unsettled], [[], before, 0, 0n])
    await assertSound()
  })

  it('takes nobody’s word that money in the wallet is a settlement', async () => {
    const account = await openOne()
    double.reserved.pay(account.account_number, 1_000_00)
    await double.events.deliver()
    await till.pass(31 * minuteMs)
    double.reserved.settle()
    const [settlement] = double.reserved.paid.slice(-1)
    for (const narration of ['Settlement x', `Settlement ${settlement?.settlement}`])
      double.receive(10_00, narration)
    // Each is money that nobody asked for, which a person looks at; the settlement is one.
    const { findings, difference } = await held()
    assert.deepEqual(
      [findings.map(({ kind }) => kind), difference],
      [['missing_here', 'missing_here'], 20_00n],
    )
    await assertSound()
  })

  it('books what nobody told of', async () => {
    const account = await openOne()
    for (const amount of [1_000_00, 2_000_00]) double.reserved.pay(account.account_number, amount)
    double.events.queue = []
    await till.pass(20 * minuteMs)
    const { app } = till.server
    const missed = app.rails.live.accounts.monnify?.inbound?.missed as never
    while ((await sweep(app, true, 'monnify', missed)) !== null);
    await till.pass(minuteMs)
    const booked = await depositsOf(account)
    assert.deepEqual(booked.map(({ amount }) => amount).sort(), [1_000_00, 2_000_00])
    // Who sent it is a list in some answers and one object in others.
    assert.deepEqual(
      [...new Set(booked.map(({ source }) => source.account_number))],
      ['0123456789'],
    )
    await assertSound()
  })

  it('asks about no payment that came another way than to a reserved account', async () => {
    const account = await openOne()
    const there = double.reserved.accounts.find(({ number }) => number === account.account_number)
    Object.assign(there as object, { channel: 'API_NOTIFICATION' })
    const paid = double.reserved.pay(account.account_number, 1_000_00)
    double.events.queue = []
    await till.pass(20 * minuteMs)
    const missed = till.server.app.rails.live.accounts.monnify?.inbound?.missed
    const now = till.server.app.clock.now().getTime()
    const found = await missed?.(new Date(now - 60 * minuteMs), new Date(now))
    assert.ok(!found?.some(({ about }) => about.providerId === paid.id))
    await held()
    const asked = double.requests.filter(({ operation }) => operation === 'get_transaction')
    assert.ok(!asked.some(({ path }) => path.endsWith(encodeURIComponent(paid.id))))
    double.reserved.paid.splice(double.reserved.paid.indexOf(paid), 1)
  })

  it('is not refused for good by an answer that leaves open why: a person is shown it, and it is asked for again', async () => {
    double.reserved.settings.refuses = { status: 422, code: '99', message: 'There was an error' }
    const pending = await must(open(await customerOf()))
    assert.equal(pending.status, 'pending')
    await until(async () =>
      (await listIncidents(till.server.app.db, {})).some(
        ({ kind, subject }) => kind === 'quarantined' && subject === pending.id,
      ),
    )
    double.reserved.settings.refuses = null
    await until(async () => {
      await till.pass(2 * minuteMs)
      return (await read(pending)).status === 'active'
    })
    await assertSound()
  })

  const faults: [OperationName, AnswerFault][] = (
    [
      'error_before',
      'timeout_after',
      'truncated',
      'html',
      'rate_limited',
      'status_false',
      'unauthorized',
    ] as const
  ).map((fault) => ['get_transaction', fault])
  for (const [operation, fault] of faults)
    it(`books it once whatever befalls ${operation}: ${fault}`, async () => {
      const account = await openOne()
      const rule = await double.fault(operation, fault)
      double.reserved.pay(account.account_number, 77_00)
      await double.events.deliver()
      for (let round = 0; round < 6 && (await depositsOf(account)).length === 0; round++)
        await till.pass(20 * minuteMs)
      assert.equal(rule.applied, 1)
      assert.deepEqual(
        (await depositsOf(account)).map(({ amount }) => amount),
        [77_00],
      )
      await assertSound()
    })

  for (const fault of [
    'error_before',
    'timeout_after',
    'error_after',
    'truncated',
    'other_reference',
  ] as const)
    it(`is opened once when asking for it comes to ${fault}`, async () => {
      const customer = await customerOf()
      await double.fault('reserve', fault)
      const pending = await must(open(customer))
      assert.equal(pending.status, 'pending')
      await double.clearFaults()
      await until(async () => {
        await till.pass(2 * minuteMs)
        return (await read(pending)).status === 'active'
      })
      assert.equal(
        double.reserved.accounts.filter(({ reference }) => reference === `vc-${customer.id}`)
          .length,
        1,
      )
      assert.deepEqual(await till.eventsOf(pending.id), ['virtual_account.activated'])
      await assertSound()
    })

  it('needs the contract whose payments it takes', async () => {
    const file = {
      live: { accounts: { monnify: monnifyAccount }, routes: { 'account.ngn': ['monnify'] } },
    }
    const reach = { host: double.url, ...providerTiming }
    const env = { ...railsEnv(file), ...monnifyEnv(double) }
    await assert.rejects(
      startServer(env, [monnifyAt({ live: reach, test: reach })]),
      /contract_code is missing/,
    )
  })
})

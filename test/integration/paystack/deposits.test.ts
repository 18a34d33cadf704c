/**
 * Goal: what comes to a customer's account at Paystack is booked once, as Paystack says when it is
 * asked, whoever notices it. Method: a whole server over the double of Paystack; the double's books
 * are held against the wallet.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { replayEvents } from '../../../src/platform/inbound/inbound.ts'
import { listIncidents } from '../../../src/platform/incidents/incidents.ts'
import { type Json, listAll, must, until } from '../../support/harness.ts'
import { outcomeOf } from '../../support/notifier.ts'
import { minuteMs, type Till } from '../../support/paystack.ts'
import {
  availableOf,
  newCustomer,
  openAccount,
  openInlet,
  sweepNow,
} from '../../support/paystack-in.ts'

const hourMs = 60 * minuteMs

describe('a deposit by Paystack', () => {
  let till: Till
  let account: Json
  before(async () => {
    till = await openInlet()
    account = await must(openAccount(till, await newCustomer(till), { reference: 'books' }))
  })
  after(() => till.stop())

  const depositsTo = async ({ id }: Json): Promise<Json[]> =>
    (await listAll(till.live, '/transactions?type=deposit')).filter(
      ({ related }) => related.virtual_account === id,
    )
  /** Somebody sends money. @returns what Paystack calls it */
  const send = (amount: number, to = account) => {
    const { books, bank } = till.double.live
    bank.credit(to.account_number, {
      amount,
      sender: { name: 'OBI EZE', account: '0123450011', bank: 'Zenith Bank' },
    })
    return books.transactions.at(-1) as NonNullable<(typeof books.transactions)[0]>
  }
  const bookedOnce = async (before: Json[], amount: number, to = account): Promise<Json> => {
    const [booked, ...more] = await until(async () => {
      const now = (await depositsTo(to)).filter(({ id }) => !before.some((one) => one.id === id))
      return now.length > 0 && now
    })
    await till.pass(2 * hourMs)
    assert.deepEqual([more, (await depositsTo(to)).length], [[], before.length + 1])
    assert.equal(booked?.amount, amount)
    await till.assertSound()
    return booked as Json
  }

  it('is booked when a webhook tells of it, with who sent it and what Paystack keeps', async () => {
    const { id, fees } = send(500_000)
    await till.double.live.events.deliver()
    const booked = await bookedOnce([], 500_000)
    assert.deepEqual(booked.source, {
      account_name: 'OBI EZE',
      account_number: 'XXXXXX0011',
      bank_name: 'Zenith Bank',
    })
    assert.deepEqual(
      [booked.method, booked.status, booked.late],
      ['bank_transfer', 'completed', false],
    )
    assert.ok((await till.eventsOf(booked.id)).includes('virtual_account.deposit'))
    const [receipt] = await till.server.app.db.query<Json>(
      'select * from provider_receipts where provider_id = $1',
      [String(id)],
    )
    assert.deepEqual(
      [
        receipt?.rail,
        receipt?.kind,
        receipt?.subject,
        receipt?.transaction_id,
        receipt?.amount,
        receipt?.fee,
      ],
      ['paystack', 'deposit', account.id, booked.id, 500_000n, BigInt(fees as number)],
    )
    assert.equal(await availableOf(till), booked.net)
  })

  for (const fault of [
    'webhook_twice_at_once',
    'webhook_changed_amount',
    'webhook_previous_secret',
  ] as const)
    it(`is booked once, as it is: ${fault}`, async () => {
      const before = await depositsTo(account)
      if (fault !== 'webhook_previous_secret') await till.double.fault('open_account', fault)
      send(10_000)
      await till.double.live.events.deliver()
      await bookedOnce(before, 10_000)
    })

  it('is found by the sweep alone, and by both', async () => {
    for (const both of [false, true]) {
      const before = await depositsTo(account)
      send(20_000)
      if (!both) till.double.live.events.queue.splice(0)
      await till.pass(16 * minuteMs)
      const [found] = await Promise.all([sweepNow(till), till.double.live.events.deliver()])
      if (!both) assert.equal(found, 1)
      await bookedOnce(before, 20_000)
    }
    await till.pass(16 * minuteMs)
    assert.equal(await sweepNow(till), 0)
    assert.equal(await sweepNow(till), null)
  })

  it('is found by the sweep after a stand-still of a day', async () => {
    const before = await depositsTo(account)
    send(30_000)
    till.double.live.events.queue.splice(0)
    await till.pass(24 * hourMs)
    assert.equal(await sweepNow(till), 1)
    await bookedOnce(before, 30_000)
  })

  it('is found by the sweep where Paystack lists by days, and leaves out the day that it is asked from', async (t) => {
    till.double.live.settings.listsGoBy = 'days'
    t.after(() => Object.assign(till.double.live.settings, { listsGoBy: 'moments' }))
    const before = await depositsTo(account)
    send(25_000)
    till.double.live.events.queue.splice(0)
    await till.pass(16 * minuteMs)
    const asked = till.double.requests.length
    assert.equal(await sweepNow(till), 1)
    assert.equal(
      till.double.requests.slice(asked).filter((one) => one.operation === 'list_transactions')
        .length,
      2,
    )
    await bookedOnce(before, 25_000)
  })

  it('is booked where a part of it went back before anybody told of it, and is listed as reversed', async () => {
    const before = await depositsTo(account)
    const { refund } = till.double.live
    const { reference } = send(90_000)
    till.double.live.events.queue.splice(0)
    refund.onDashboard(reference, 1_000)
    assert.equal(till.double.live.books.transaction(reference).status, 'reversed')
    await till.pass(16 * minuteMs)
    assert.equal(await sweepNow(till), 1)
    await bookedOnce(before, 90_000)
  })

  it('is asked about again when Paystack does not answer, and is booked when it does', async () => {
    const before = await depositsTo(account)
    await till.double.fault('verify_transaction', 'timeout_after', { times: 2 })
    send(40_000)
    await till.double.live.events.deliver()
    for (let i = 0; i < 3; i++) await till.pass(12 * hourMs)
    await bookedOnce(before, 40_000)
  })

  it('finds its account by the customer where Paystack does not name the account', async () => {
    till.double.live.settings.receiverOnCharge = false
    const before = await depositsTo(account)
    send(50_000)
    await till.double.live.events.deliver()
    await bookedOnce(before, 50_000)
    till.double.live.settings.receiverOnCharge = true
  })

  for (const fault of ['other_currency', 'other_mode', 'other_reference'] as const)
    it(`is not booked, and a person is told, when what Paystack says cannot be so: ${fault}`, async () => {
      const before = await depositsTo(account)
      await till.double.fault('verify_transaction', fault, { times: 9 })
      const { reference } = send(60_000)
      await till.double.live.events.deliver()
      await until(async () => {
        await till.pass(2 * hourMs)
        const [event] = await till.server.app.db.query<Json>(
          'select outcome from provider_events where reference = $1',
          [reference],
        )
        return event?.outcome === 'quarantined' || event?.outcome === 'unknown_subject'
      })
      const incidents = await listIncidents(till.server.app.db, { rail: 'paystack' })
      assert.ok(incidents.some(({ detail }) => detail.reference === reference))
      assert.equal((await depositsTo(account)).length, before.length)
      await till.double.clearFaults()
      // It is so after all: a person has it applied anew.
      await replayEvents(till.server.app, 'paystack', null)
      await bookedOnce(before, 60_000)
    })

  it('of somebody who is no customer here is an incident, and no money', async () => {
    const { bank, account: hands, books } = till.double.live
    const customer = {
      ...(books.customers[0] as object),
      id: 1,
      code: 'CUS_stranger',
      email: 'stranger@example.com',
    }
    books.accounts.push({
      ...(books.accounts[0] as NonNullable<(typeof books.accounts)[0]>),
      ...({ id: 7, customer, number: null } as object),
    })
    hands.assign(7)
    till.double.live.events.queue.splice(0)
    const total = await availableOf(till)
    bank.credit(books.accounts.at(-1)?.number as string, { amount: 70_000 })
    await till.double.live.events.deliver()
    await until(async () => {
      await till.pass(2 * hourMs)
      const [event] = await till.server.app.db.query<Json>(
        "select outcome from provider_events where kind = 'deposit' order by id desc limit 1",
      )
      return event?.outcome === 'unknown_subject'
    })
    assert.equal(await availableOf(till), total)
  })

  it('that comes late, after the account was closed, is booked and marked', async () => {
    const closing = await must(openAccount(till, await newCustomer(till)))
    send(80_000, closing)
    await must(till.live('PATCH', `/virtual-accounts/${closing.id}/close`))
    await till.double.live.events.deliver()
    assert.equal((await bookedOnce([], 80_000, closing)).late, true)
    assert.equal(await outcomeOf(till.server, 'charge.success'), 'applied')
  })
})

/**
 * Goal: a refund that comes back after it had completed is failed, and its money in the wallet,
 * once; one that its rail refuses for now waits; and a card's refund goes to the rail that took the
 * money. Method: the sandbox's returns over HTTP; and a rail whose answers are a script for what it
 * never says.
 */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { type Merchant, newMerchant } from '../../../test/support/actors.ts'
import {
  ctxOf,
  type Json,
  settled,
  startServer,
  type TestServer,
  until,
} from '../../../test/support/harness.ts'
import {
  completed,
  minuteMs,
  notFound,
  processing,
  rejected,
  returned,
  scriptRail,
  timeOut,
  tooLow,
} from '../../../test/support/scripted-rail.ts'
import { openAccounts } from '../../books/ledger/ledger.ts'
import { manualClock } from '../../lib/clock.ts'
import { maxAmount } from '../../lib/money.ts'
import type { OrderState, PayoutRail } from '../../rails/ports/rail.ts'

let server: TestServer
let merchant: Merchant

const simulate = (id: string, outcome: string) =>
  server.call('POST', `/refunds/${id}/simulate`, { outcome })
const get = (id: string): Promise<Json> => merchant.ask('GET', `/refunds/${id}`)
/** A refund of a payment that has reached its payer. */
const arrived = async (payment: Json, more: object = {}): Promise<Json> => {
  const { data } = await merchant.refund(payment, more)
  assert.equal((await simulate(data.id, 'completed')).data.status, 'completed')
  await settled(server.app)
  return data
}

before(async () => {
  // A clock that stands still: no timer that a script has set becomes due beside the test, however
  // long the test takes.
  server = await startServer({ SANDBOX_DELAY: '1h' }, undefined, manualClock(new Date()))
  merchant = newMerchant(server, { price: 500_000 })
  await server.fund('ngn', 5_000_000)
})
after(() => server.stop())

describe('a refund that comes back', () => {
  it('is failed, and its money is in the wallet again, by a transaction of its own', async () => {
    for (const method of ['card', 'bank_transfer'] as const) {
      const payment = await merchant.takePayment(method)
      const before = await merchant.balance()
      const refund = await arrived(payment, { amount: 200_000 })
      const sent = await merchant.verify(refund.transaction)
      const { status, data } = await simulate(refund.id, 'returned')
      assert.deepEqual([status, data.status, data.failure_reason], [200, 'failed', 'rejected'])
      assert.deepEqual(await merchant.balance(), before)
      assert.equal((await merchant.readPayment(payment)).amount_refunded, 0)
      assert.deepEqual(await merchant.verify(refund.transaction), sent)
      const back = await merchant.verify(data.return_transaction)
      assert.deepEqual(
        [
          back.type,
          back.direction,
          back.status,
          back.amount,
          back.fee,
          back.balance_after,
          back.related,
        ],
        [
          'refund',
          'credit',
          'completed',
          200_000,
          0,
          before.available,
          { refund: refund.id, payment: payment.id },
        ],
      )
      const events = await merchant.eventsByType(refund.id)
      assert.deepEqual(Object.keys(events).sort(), [
        'refund.completed',
        'refund.failed',
        'refund.initiated',
      ])
      assert.deepEqual(events['refund.failed'].payload, data)
      assert.deepEqual(await get(refund.id), data)
      // All of it can be refunded again.
      assert.equal((await merchant.refund(payment)).data.amount, 500_000)
    }
  })

  it('is only simulated after it has completed, and once', async () => {
    const { data } = await merchant.refund(await merchant.takePayment('card'))
    const path = `/refunds/${data.id}/simulate`
    await merchant.isRefused('POST', path, { outcome: 'returned' }, 400, 'refund_not_completed')
    await simulate(data.id, 'completed')
    const { data: failed } = await simulate(data.id, 'returned')
    await settled(server.app)
    assert.deepEqual((await simulate(data.id, 'failed')).data, failed)
    for (const outcome of ['returned', 'completed'])
      await merchant.isRefused('POST', path, { outcome }, 400, 'refund_already_final')
  })

  it('is refused by a wallet that cannot hold it', async () => {
    const refund = await arrived(await merchant.takePayment('card'))
    const { available, pending } = await merchant.balance()
    await server.fund('ngn', Number(maxAmount) - available - pending)
    const path = `/refunds/${refund.id}/simulate`
    await merchant.isRefused('POST', path, { outcome: 'returned' }, 400, 'amount_too_large')
    await merchant.payOut({
      reference: 'room',
      amount: Number(maxAmount) - available - pending,
      currency: 'ngn',
      method: 'bank_transfer',
      destination: { bank_code: '058', account_number: '0123456789' },
    })
    await merchant.ask('POST', '/payouts/room/simulate', { outcome: 'completed' })
    assert.equal((await simulate(refund.id, 'returned')).data.status, 'failed')
  })
})

describe('a rail that says of a refund', () => {
  let scripted: ReturnType<typeof scriptRail>
  let payment: Json
  /** A refund whose job has heard this. The job asks first. */
  const sent = async (...said: Parameters<typeof scripted.script.send.push>): Promise<Json> => {
    scripted.script.ask.push(notFound)
    scripted.script.send.push(...said)
    const { data } = await merchant.refund(payment, { amount: 10_000 })
    await until(async () => scripted.script.send.length === 0)
    await settled(server.app)
    return data
  }
  beforeEach(async () => {
    payment = await merchant.takePayment('card')
    scripted = scriptRail(server)
  })

  it('that it came back: it is booked once, however many notify of it at once', async () => {
    const before = await merchant.balance()
    const refund = await sent(completed)
    scripted.script.ask.push(...Array.from({ length: 8 }, () => returned))
    await Promise.all(Array.from({ length: 8 }, () => scripted.notifyRefund(refund.id)))
    assert.equal((await get(refund.id)).status, 'failed')
    assert.deepEqual(await merchant.balance(), before)
  })

  it('that it failed, after it had completed', async () => {
    const refund = await sent(completed)
    scripted.script.ask.push({
      state: 'failed',
      reason: 'bank_unavailable',
      providerReference: null,
    })
    await scripted.notifyRefund(refund.id)
    const { status, failure_reason } = await get(refund.id)
    assert.deepEqual([status, failure_reason], ['failed', 'bank_unavailable'])
  })

  it('nothing new of one that has completed: nothing is sent, and nothing changes', async () => {
    const refund = await sent(completed)
    const before = await get(refund.id)
    scripted.heard()
    for (const said of [completed, processing, notFound, timeOut]) {
      scripted.script.ask.push(said)
      await scripted.notifyRefund(refund.id, 20 * minuteMs)
    }
    assert.deepEqual(scripted.heard(), ['ask', 'ask', 'ask', 'ask'])
    assert.deepEqual(await get(refund.id), before)
  })

  it('that it is refused for now: it waits, and is sent again when the rail says', async () => {
    scripted.script.ask.push(notFound)
    const refund = await sent(tooLow)
    assert.deepEqual(scripted.heard(), ['ask', 'send', 'ask'])
    assert.equal((await get(refund.id)).status, 'initiated')
    assert.ok((await scripted.waits(refund.id)).some(([task]) => task === 'refunds.settle'))
    scripted.script.ask.push(notFound)
    scripted.script.send.push(completed)
    await scripted.refund(refund.id, 40_000)
    assert.equal((await get(refund.id)).status, 'completed')
  })

  it('nothing, because the answer was lost: it is sent again only when it cannot be on its way any more', async () => {
    const refund = await sent(timeOut)
    scripted.heard()
    for (const afterMs of [minuteMs, 9 * minuteMs]) {
      scripted.script.ask.push(notFound)
      await scripted.refund(refund.id, afterMs)
    }
    assert.deepEqual(scripted.heard(), ['ask', 'ask'])
    scripted.script.ask.push(notFound)
    scripted.script.send.push(completed)
    await scripted.refund(refund.id, 11 * minuteMs)
    assert.deepEqual(scripted.heard(), ['ask', 'send'])
    assert.equal((await get(refund.id)).status, 'completed')
  })

  it('late, of a sending before: it is neither ended by that nor sent under another name', async () => {
    for (const late of [rejected, tooLow]) {
      const refund = await sent(timeOut)
      const answered = Promise.withResolvers<OrderState>()
      scripted.script.ask.push(notFound)
      scripted.script.send.push(() => answered.promise)
      // Its process stands still, so long that another one finds that it was never taken, and sends
      // it.
      const hanging = scripted.refund(refund.id, 11 * minuteMs)
      await until(async () => scripted.script.send.length === 0)
      scripted.script.ask.push(notFound)
      scripted.script.send.push(processing)
      await scripted.refund(refund.id, 22 * minuteMs)
      scripted.script.ask.push(notFound)
      answered.resolve(late)
      await hanging
      const { status } = await get(refund.id)
      assert.equal(status, 'initiated', late.state)
      scripted.script.ask = [completed]
      await scripted.refund(refund.id, 33 * minuteMs)
      assert.equal((await get(refund.id)).status, 'completed')
      assert.ok(scripted.orders().every(({ attempt }) => attempt === 1))
    }
  })

  it('late, while somebody who was notified has sent it: it is asked about again', async () => {
    const refund = await sent(timeOut)
    await scripted.forgetTimers(refund.id)
    const answered = Promise.withResolvers<OrderState>()
    scripted.script.ask.push(() => answered.promise, notFound)
    scripted.script.send.push(processing)
    const hanging = scripted.refund(refund.id, 11 * minuteMs)
    await until(async () => scripted.script.ask.length === 1)
    await scripted.notifyRefund(refund.id, 11 * minuteMs)
    assert.deepEqual(await scripted.waits(refund.id), [])
    answered.resolve(notFound)
    await hanging
    assert.equal((await scripted.waits(refund.id)).length, 1)
    scripted.script.ask = [completed]
    await scripted.refund(refund.id, 22 * minuteMs)
    assert.equal((await get(refund.id)).status, 'completed')
  })

  it('as it was simulated, while it was sent again: it is that', async () => {
    const { decide } = scripted.rail
    for (const outcome of ['completed', 'failed'] as const) {
      const refund = await sent(timeOut)
      scripted.rail.decide = async () => {
        scripted.script.ask.push(notFound, outcome === 'completed' ? completed : rejected)
        scripted.script.send.push(processing)
        await scripted.refund(refund.id, 11 * minuteMs)
      }
      const ended = await merchant.ask('POST', `/refunds/${refund.id}/simulate`, { outcome })
      assert.equal(ended.status, outcome)
    }
    scripted.rail.decide = decide
  })
})

describe('a refund of what a card paid', () => {
  it('goes to the rail that took the money, and to no other', async () => {
    const { rails, terms } = server.app
    const orders: Json[] = []
    const payout: PayoutRail = {
      ...rails.test.sandbox.ports.payout,
      name: 'acme',
      ask: async () => ({ state: 'not_found' }),
      send: async (order) => {
        orders.push(order)
        return completed
      },
    }
    for (const { accounts } of [rails.test, terms.test])
      accounts.acme = {
        name: 'acme',
        provider: 'acme',
        serves: [],
        ports: {},
        refunds: { ...payout, methods: ['card'] },
      }
    const scripted = scriptRail(server)
    await (await ctxOf(server)).write((work) =>
      openAccounts(work, [{ purpose: 'rail_clearing', currency: 'ngn', subject: 'acme' }]),
    )
    const [theirs, ours] = [await merchant.takePayment('card'), await merchant.takePayment('card')]
    const takenBy = (rail: string, payment: Json) =>
      server.app.db.query(
        "update payment_attempts set rail = $1, provider_reference = 'ch_1' where payment_id = $2",
        [rail, payment.id],
      )
    await takenBy('acme', theirs)
    await takenBy('closed', ours)
    const { data } = await merchant.refund(theirs)
    assert.equal((await merchant.refundEnded(data)).status, 'completed')
    const attempt = (await merchant.verify(theirs.transaction)).related.card_try
    assert.deepEqual(
      orders.map(({ id, destination }) => [id, destination]),
      [
        [
          data.id,
          {
            type: 'charge',
            charge: { id: attempt, providerReference: 'ch_1', method: 'card' },
            refund: null,
          },
        ],
      ],
    )
    // About refunds of the tests before it is asked when their time comes.
    assert.ok(!scripted.orders().some(({ id }) => id === data.id))
    // What a rail took that is no longer there, none here sends back.
    await merchant.isRefused('POST', '/refunds', { payment: ours.id }, 400, 'rail_not_configured')
    await takenBy('sandbox', ours)
    assert.equal((await merchant.refund(ours)).status, 201)
  })
})

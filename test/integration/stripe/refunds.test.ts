/**
 * Goal: what a card has paid at Stripe goes back to that card, once, whatever Stripe answers; and
 * what its bank sends back is in the wallet again. Method: whole servers over the double of Stripe,
 * asked over HTTP; the double's books are held against what the server says.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { listIncidents } from '../../../src/platform/incidents/incidents.ts'
import { answerFaults } from '../../doubles/paystack/faults.ts'
import { applies } from '../../doubles/stripe-cards.ts'
import { minuteMs } from '../../support/dollars.ts'
import { type Json, must, until } from '../../support/harness.ts'
import { openShop, type Shop } from '../../support/stripe-cards.ts'

const isWhole = process.env.MATRIX === 'whole'

describe('a refund of a card at Stripe', () => {
  let shop: Shop
  before(async () => {
    shop = await openShop()
  })
  after(() => shop.stop())

  const sell = async (): Promise<Json> => {
    const { payment, payer, reference } = await shop.begin()
    shop.double.payer.pay(reference)
    await shop.back(payer)
    return shop.read(payment)
  }
  const giveBack = async ({ id }: Json, more: object = {}): Promise<Json> => {
    const refund = await must(shop.live('POST', '/refunds', { payment: id, ...more }))
    await shop.pass(0)
    return refund
  }
  const read = ({ id }: Json): Promise<Json> => must(shop.live('GET', `/refunds/${id}`))
  const there = ({ id }: Json) =>
    shop.double.refunds.filter(({ reference }) => reference.startsWith(`re-${id}`))
  const available = async (): Promise<number> =>
    (await must(shop.live('GET', '/wallets'))).find(({ currency }: Json) => currency === 'usd')
      .available

  it('goes back to the card in parts, and never more than was paid', async () => {
    const payment = await sell()
    const before = await available()
    const first = await giveBack(payment, { amount: 20_00 })
    assert.equal((await read(first)).status, 'completed')
    assert.deepEqual(
      there(first).map(({ amount, status }) => [amount, status]),
      [[20_00, 'succeeded']],
    )
    const second = await giveBack(payment)
    assert.deepEqual([(await read(second)).status, there(second)[0]?.amount], ['completed', 30_00])
    assert.ok((await available()) <= before - 50_00)
    const third = await shop.live('POST', '/refunds', { payment: payment.id })
    assert.equal(third.status, 400)
    await shop.assertSound()
  })

  it('is under way until the bank has it, which a webhook tells; what the bank sends back is in the wallet again', async () => {
    shop.double.settings.refunds = 'pending'
    const payment = await sell()
    const refund = await giveBack(payment)
    assert.equal((await read(refund)).status, 'initiated')
    shop.double.refund.become(`re-${refund.id}`, 'succeeded')
    await shop.double.events.deliver()
    await until(async () => (await read(refund)).status === 'completed')
    const before = await available()
    shop.double.refund.become(`re-${refund.id}`, 'failed')
    await shop.double.events.deliver()
    await until(async () => (await read(refund)).status !== 'completed')
    assert.ok((await available()) > before)
    shop.double.settings.refunds = 'succeeded'
    await shop.assertSound()
  })

  it('is no refund of ours that somebody makes at Stripe', async () => {
    const payment = await sell()
    const [session] = await shop.sessionsOf(payment)
    const object = {
      id: 're_x',
      object: 'refund',
      payment_intent: session?.payment?.id,
      metadata: {},
      status: 'succeeded',
    }
    shop.double.events.emit('refund.created', 'x', object)
    await shop.double.events.deliver()
    await shop.pass(0)
    assert.equal((await shop.read(payment)).status, 'completed')
    await shop.assertSound()
  })

  it('waits for the balance at Stripe, and gives nothing back to the wallet for a refusal that is not known', async () => {
    const [one, other] = [await sell(), await sell()]
    shop.double.settings.refuseRefunds = {
      status: 400,
      type: 'invalid_request_error',
      code: 'balance_insufficient',
    }
    const poor = await giveBack(one, { amount: 10_00 })
    assert.equal((await read(poor)).status, 'initiated')
    shop.double.settings.refuseRefunds = { status: 402, type: 'card_error', code: 'new_code' }
    await shop.pass(30 * minuteMs)
    const before = await available()
    const unknown = await giveBack(other, { amount: 20_00 })
    for (let round = 0; round < 4; round++) await shop.pass(30 * minuteMs)
    assert.equal((await read(unknown)).status, 'initiated')
    assert.equal(await available(), before - 20_00)
    const told = (await listIncidents(shop.server.app.db, {})).filter(
      ({ subject }) => subject === unknown.id,
    )
    assert.deepEqual(
      told.map(({ detail }) => detail.says),
      ['a refusal that this version does not know: card_error new_code (402)'],
    )
    shop.double.settings.refuseRefunds = null
    for (let round = 0; round < 4; round++) await shop.pass(6 * 60 * minuteMs)
    for (const refund of [poor, unknown]) {
      assert.equal((await read(refund)).status, 'completed')
      assert.equal(there(refund).length, 1)
    }
    await shop.assertSound()
  })

  for (const [position, fault] of answerFaults
    .filter((one) => applies('create_refund', one))
    .entries())
    if (isWhole || position % 3 === 0)
      it(`is made once: ${fault}`, async () => {
        await shop.pass(minuteMs)
        const payment = await sell()
        await shop.double.fault('create_refund', fault)
        const refund = await giveBack(payment)
        if (fault === 'arrives_late') {
          await shop.pass(minuteMs)
          shop.double.arrive()
        }
        await shop.double.clearFaults()
        for (let round = 0; round < 12 && (await read(refund)).status === 'initiated'; round++)
          await shop.pass(6 * minuteMs)
        const ended = fault === 'status_false' ? 'failed' : 'completed'
        assert.equal((await read(refund)).status, ended)
        assert.equal(there(refund).length, ended === 'completed' ? 1 : 0)
        const told = (await listIncidents(shop.server.app.db, {})).filter(
          ({ subject }) => subject === refund.id,
        )
        assert.deepEqual(
          told.map(({ kind }) => kind),
          fault.startsWith('other_') ? ['quarantined'] : [],
        )
        await shop.assertSound()
      })
})

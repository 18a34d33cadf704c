import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  ada,
  bankAccount,
  cards,
  type Merchant,
  newBusiness,
  newMerchant,
  noId,
} from '../../../test/support/actors.ts'
import {
  settled,
  snapshot,
  startServer,
  type TestServer,
  until,
} from '../../../test/support/harness.ts'

const _bank = bankAccount()

describe('refunds that wait', () => {
  let server: TestServer
  let merchant: Merchant
  before(async () => {
    server = await startServer({ SANDBOX_DELAY: '1h' })
    merchant = newMerchant(server, { price: 500_000 })
    await server.fund('ngn', 5_000_000)
  })
  after(() => server.stop())

  it('hold their money, and let no other refund of the payment begin', async () => {
    const payment = await merchant.takePayment('card')
    const before = await merchant.balance()
    const { data } = await merchant.refund(payment, { amount: 200_000 })
    await settled(server.app)
    assert.deepEqual(await merchant.balance(), {
      available: before.available - 200_000,
      pending: 200_000,
    })
    // What its rail knows it by is shown as soon as it is said.
    const waiting = { ...data, provider_reference: `sbx_${data.id}` }
    assert.deepEqual(await merchant.ask('GET', `/refunds/${data.id}`), waiting)
    assert.equal((await merchant.verify(data.transaction)).status, 'pending')
    assert.equal((await merchant.readPayment(payment)).amount_refunded, 0)
    assert.deepEqual((await merchant.ask('GET', '/refunds?status=initiated')).docs, [waiting])
    const state = await snapshot(server.app)
    for (const more of [{}, { amount: 1 }, { amount: 900_000_000 }]) {
      const second = await merchant.refund(payment, more)
      assert.deepEqual([second.status, second.code], [409, 'refund_in_progress'])
    }
    assert.deepEqual(await snapshot(server.app), state)

    await merchant.advance('61m')
    const done = await merchant.refundEnded(data.id)
    assert.equal(done.status, 'completed')
    assert.deepEqual(await merchant.balance(), {
      available: before.available - 200_000,
      pending: 0,
    })
    const rest = await merchant.refund(payment)
    assert.deepEqual([rest.status, rest.data.amount], [201, 300_000])
    await settled(server.app)
    await merchant.advance('61m')
    assert.equal((await merchant.refundEnded(rest.data.id)).status, 'completed')
  })

  it('end as they are told, once', async () => {
    for (const outcome of ['completed', 'failed'] as const) {
      // The bank keeps this one for ever.
      const payment = await merchant.takeTransfer({ ...ada, account_number: '0000000002' })
      const before = await merchant.balance()
      const { data } = await merchant.refund(payment)
      await settled(server.app)
      await merchant.advance('3d')
      assert.equal((await merchant.ask('GET', `/refunds/${data.id}`)).status, 'initiated')
      const { status, data: done } = await merchant.call('POST', `/refunds/${data.id}/simulate`, {
        outcome,
      })
      assert.deepEqual([status, done.status], [200, outcome])
      assert.equal(done.failure_reason, outcome === 'failed' ? 'rejected' : null)
      assert.deepEqual(done, await merchant.ask('GET', `/refunds/${data.id}`))
      assert.deepEqual((await merchant.eventsByType(data.id))[`refund.${outcome}`].payload, done)
      const kept = outcome === 'failed' ? 500_000 : 0
      assert.deepEqual(await merchant.balance(), {
        available: before.available - 500_000 + kept,
        pending: 0,
      })
      await settled(server.app)
      const state = await snapshot(server.app)
      for (const again of ['completed', 'failed']) {
        const late = await merchant.call('POST', `/refunds/${data.id}/simulate`, { outcome: again })
        if (again === outcome) assert.deepEqual([late.status, late.data], [200, done])
        else assert.deepEqual([late.status, late.code], [400, 'refund_already_final'])
      }
      assert.deepEqual(await snapshot(server.app), state)
    }
  })

  it('can be told how to end before the rail has heard of them', async () => {
    for (const outcome of ['completed', 'failed'] as const) {
      const { data } = await merchant.refund(await merchant.takePayment('card'))
      const { data: done } = await merchant.call('POST', `/refunds/${data.id}/simulate`, {
        outcome,
      })
      assert.equal(done.status, outcome)
      await settled(server.app)
      await merchant.advance('2h')
      assert.deepEqual(await merchant.ask('GET', `/refunds/${data.id}`), done)
    }
  })

  it('end one way when they are told both at once', async () => {
    for (let round = 0; round < 8; round++) {
      const { data } = await merchant.refund(
        await merchant.takePayment('bank_transfer', { amount: 10_000 }),
      )
      const answers = await Promise.all(
        ['completed', 'failed'].map((outcome) =>
          merchant.call('POST', `/refunds/${data.id}/simulate`, { outcome }),
        ),
      )
      const done = await merchant.ask('GET', `/refunds/${data.id}`)
      for (const [i, outcome] of ['completed', 'failed'].entries())
        assert.deepEqual(
          [answers[i]?.status, answers[i]?.code],
          done.status === outcome ? [200, undefined] : [400, 'refund_already_final'],
        )
      const [order] = await server.app.db.query<{ outcome: string }>(
        'select outcome from sandbox_orders where id = $1',
        [data.id],
      )
      assert.equal(order?.outcome === 'completed', done.status === 'completed')
    }
  })

  it('are simulated with test keys only', async () => {
    const { data } = await merchant.refund(await merchant.takePayment('card'))
    const stranger = await newBusiness(server)
    await settled(server.app)
    const state = await snapshot(server.app)
    const path = `/refunds/${data.id}/simulate`
    const live = await server.callAs(server.liveKey)('POST', path, { outcome: 'completed' })
    assert.deepEqual([live.status, live.code], [403, 'test_mode_only'])
    const other = await stranger('POST', path, { outcome: 'completed' })
    assert.deepEqual([other.status, other.code], [404, 'not_found'])
    const unknown = await merchant.call('POST', `/refunds/${noId}/simulate`, { outcome: 'failed' })
    assert.deepEqual([unknown.status, unknown.code], [404, 'not_found'])
    for (const body of [{}, { outcome: 'initiated' }, { outcome: 'failed', why: 'x' }])
      assert.equal((await merchant.call('POST', path, body)).status, 422)
    assert.deepEqual(await snapshot(server.app), state)
  })

  it('send a card charge that came on top back to the card', async () => {
    for (const on_mismatch of ['accept', 'reverse']) {
      const payment = await merchant.openPayment({ on_mismatch })
      const payer = merchant.payerOf(payment)
      // The answer of the card is lost, and the payer sends the money by transfer too.
      await payer.payByCard(cards.lostAnswer)
      await payer.transfer(undefined, ada)
      await settled(server.app)
      await merchant.advance('61m')
      const twice = await until(async () => {
        const data = await merchant.readPayment(payment)
        return data.amount_received === 1_000_000 ? data : null
      })
      assert.deepEqual(
        [twice.status, twice.method, twice.variance],
        ['completed', 'bank_transfer', 'overpaid'],
      )
      const made =
        on_mismatch === 'reverse'
          ? (await merchant.refundsOf(payment))[0]
          : (await merchant.refund(payment)).data
      assert.deepEqual(
        [made.amount, made.automatic, made.destination],
        [500_000, on_mismatch === 'reverse', { card: { brand: 'visa', last4: '0259' } }],
      )
      await merchant.ask('POST', `/refunds/${made.id}/simulate`, { outcome: 'completed' })
      const { data } = await merchant.refund(payment)
      assert.deepEqual(
        [data.amount, data.destination.account_number],
        [500_000, ada.account_number],
      )
      await merchant.ask('POST', `/refunds/${data.id}/simulate`, { outcome: 'completed' })
    }
  })

  it('stand in the way of another while the payment sends money back by itself', async () => {
    const payment = await merchant.openPayment({ on_mismatch: 'reverse' })
    const payer = merchant.payerOf(payment)
    await payer.transfer(500_700, ada)
    const [automatic] = await merchant.refundsOf(payment)
    assert.deepEqual([automatic.amount, automatic.status], [700, 'initiated'])
    const early = await merchant.refund(payment)
    assert.deepEqual([early.status, early.code], [409, 'refund_in_progress'])
    await merchant.ask('POST', `/refunds/${automatic.id}/simulate`, { outcome: 'failed' })
    const { data } = await merchant.refund(payment)
    assert.equal(data.amount, 500_700)
    await merchant.ask('POST', `/refunds/${data.id}/simulate`, { outcome: 'completed' })
  })
})

/**
 * Goal: money of a wrong amount or time is kept, or sent back, as the payment says, and every kobo
 * of it is accounted for. Method: payers transfer to one-time accounts of a sandbox; after each
 * transfer the payment, the wallet, the page and the events are read.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Json, type Merchant, newMerchant, sender } from '../../../test/support/actors.ts'
import { assertEventsFit } from '../../../test/support/events.ts'
import { shareServer, type TestServer, until } from '../../../test/support/harness.ts'
import { showMoney } from '../../lib/money.ts'

let server: TestServer
let merchant: Merchant

describe('money of a wrong amount or time', () => {
  before(async () => {
    server = await shareServer()
    merchant = newMerchant(server)
  })
  after(() => server.stop())

  /** What a payment shows of its money. */
  const sums = ({ status, variance, amount_received, fee, net, amount_refunded }: Json) => ({
    status,
    variance,
    received: amount_received,
    fee,
    net,
    refunded: amount_refunded,
  })

  describe('that is accepted', () => {
    // Where the sender is not known, it cannot be sent back.
    for (const [on_mismatch, from] of [
      ['accept', sender],
      ['accept', null],
      ['reverse', null],
      ['reverse', { account_name: 'Obi Eze', account_number: '0123456789' }],
    ] as const) {
      const what = `(${on_mismatch}, ${from ? Object.keys(from).length : 'no'} facts of the sender)`

      it(`is kept when it is too little, and the rest is asked for ${what}`, async () => {
        const before = await merchant.available()
        const payment = await merchant.openPayment({ on_mismatch })
        const payer = merchant.payerOf(payment)
        const account = await payer.openAccount()
        const part = await payer.transfer(400_000, from)
        assert.deepEqual(
          [part.type, part.amount, part.fee, part.late],
          ['payment', 400_000, 4_000, false],
        )
        assert.deepEqual(part.related, { payment: payment.id, virtual_account: account.id })
        const half = await merchant.readPayment(payment)
        assert.deepEqual(sums(half), {
          status: 'pending',
          variance: 'underpaid',
          received: 400_000,
          fee: 4_000,
          net: 396_000,
          refunded: 0,
        })
        assert.deepEqual([half.transaction, half.paid_at, half.method], [null, null, null])
        assert.ok(
          (await merchant.payerOf(payment).reads('bank_transfer')).includes(
            showMoney(600_000n, 'ngn'),
          ),
        )
        const rest = await payer.transfer(600_000, from)
        const paid = await merchant.readPayment(payment)
        assert.deepEqual(sums(paid), {
          status: 'completed',
          variance: 'exact',
          received: 1_000_000,
          fee: 10_000,
          net: 990_000,
          refunded: 0,
        })
        assert.equal(paid.transaction, rest.id)
        assert.deepEqual(await merchant.eventTypesOf(payment), ['payment.completed'])
        assert.equal(
          (await server.call('GET', `/virtual-accounts/${account.id}`)).data.status,
          'closed',
        )
        assert.equal(await merchant.available(), before + 990_000)
        assert.deepEqual(await merchant.refundsOf(payment), [])
      })

      it(`is kept when it is too much, or comes twice ${what}`, async () => {
        const before = await merchant.available()
        const payment = await merchant.openPayment({ on_mismatch })
        const payer = merchant.payerOf(payment)
        await payer.openAccount()
        const first = await payer.transfer(1_100_000, from)
        assert.deepEqual(sums(await merchant.readPayment(payment)), {
          status: 'completed',
          variance: 'overpaid',
          received: 1_100_000,
          fee: 11_000,
          net: 1_089_000,
          refunded: 0,
        })
        const second = await payer.transfer(1_000_000, from)
        assert.deepEqual([first.late, second.late], [false, true])
        const now = await merchant.readPayment(payment)
        assert.deepEqual(sums(now), {
          status: 'completed',
          variance: 'overpaid',
          received: 2_100_000,
          fee: 21_000,
          net: 2_079_000,
          refunded: 0,
        })
        assert.equal(now.transaction, first.id)
        assert.deepEqual(await merchant.eventTypesOf(payment), ['payment.completed'])
        assert.equal(await merchant.available(), before + 2_079_000)
        assert.deepEqual(await merchant.refundsOf(payment), [])
      })

      for (const ended of ['expired', 'canceled', 'failed'])
        it(`is booked and marked late after the payment has ${ended} ${what}`, async () => {
          const before = await merchant.available()
          const payment = await merchant.openPayment({ on_mismatch })
          const payer = merchant.payerOf(payment)
          await payer.openAccount()
          if (ended === 'canceled') await merchant.cancelPayment(payment)
          else await merchant.simulate(payment, ended)
          const made = await payer.transfer(1_000_000, from)
          assert.equal(made.late, true)
          const now = await merchant.readPayment(payment)
          assert.deepEqual(sums(now), {
            status: ended,
            variance: 'late',
            received: 1_000_000,
            fee: 10_000,
            net: 990_000,
            refunded: 0,
          })
          assert.deepEqual([now.transaction, now.paid_at], [null, null])
          assert.deepEqual(await merchant.eventTypesOf(payment), [`payment.${ended}`])
          assert.equal(await merchant.available(), before + 990_000)
          const page = await merchant.payerOf(payment).reads('bank_transfer')
          assert.ok(page.includes(showMoney(1_000_000n, 'ngn')), page)
        })
    }
  })

  describe('that is sent back', () => {
    const reversing = async () => {
      const payment = await merchant.openPayment({ on_mismatch: 'reverse' })
      const payer = merchant.payerOf(payment)
      await payer.openAccount()
      return { payment, payer }
    }

    it('goes back whole when it is too little; the payment stays open', async () => {
      const before = await merchant.available()
      const { payment, payer } = await reversing()
      const part = await payer.transfer(400_000)
      assert.deepEqual([part.amount, part.fee, part.net], [400_000, 0, 400_000])
      const [refund] = await merchant.refundsEnded(payment, 1)
      assert.deepEqual(
        [refund.amount, refund.automatic, refund.method, refund.destination.account_number],
        [400_000, true, 'bank_transfer', '0123456789'],
      )
      assert.deepEqual(sums(await merchant.readPayment(payment)), {
        status: 'pending',
        variance: 'underpaid',
        received: 400_000,
        fee: 0,
        net: 0,
        refunded: 400_000,
      })
      assert.equal(await merchant.available(), before)
      const page = await merchant.payerOf(payment).reads('bank_transfer')
      assert.ok(page.includes(showMoney(1_000_000n, 'ngn')) && page.includes('sent back'), page)
      await payer.transfer(1_000_000)
      assert.deepEqual(sums(await merchant.readPayment(payment)), {
        status: 'completed',
        variance: 'exact',
        received: 1_400_000,
        fee: 10_000,
        net: 990_000,
        refunded: 400_000,
      })
      assert.equal((await merchant.refundsOf(payment)).length, 1)
      assert.equal(await merchant.available(), before + 990_000)
      assert.deepEqual(await merchant.eventTypesOf(payment), ['payment.completed'])
    })

    describe('and whose return fails', () => {
      const closed = { ...sender, account_number: '0000000001' }

      it('is named on the page, which does not claim that it went back', async () => {
        const { payment, payer } = await reversing()
        await payer.transfer(400_000, closed)
        await merchant.refundsEnded(payment, 1, 'failed')
        for (const method of ['bank_transfer', 'card', 'crypto']) {
          const page = await merchant.payerOf(payment).reads(method)
          assert.match(page, /₦4,000\.00 that we could not send back/)
          assert.doesNotMatch(page, /sent back to you/)
          assert.match(page, /₦10,000\.00/)
        }
        await merchant.cancelPayment(payment)
        assert.match(
          await merchant.payerOf(payment).reads('bank_transfer'),
          /We did receive ₦4,000\.00 from you/,
        )
      })

      it('is named when it came after the end, and when it was too much', async () => {
        const late = await reversing()
        await merchant.cancelPayment(late.payment)
        await late.payer.transfer(1_000_000, closed)
        await merchant.refundsEnded(late.payment, 1, 'failed')
        assert.match(
          await merchant.payerOf(late.payment).reads('bank_transfer'),
          /Received₦10,000\.00[\s\S]*came after the time was up/,
        )
        const over = await reversing()
        await over.payer.transfer(1_100_000, closed)
        await merchant.refundsEnded(over.payment, 1, 'failed')
        assert.match(
          await merchant.payerOf(over.payment).reads('bank_transfer'),
          /You sent ₦1,000\.00 more than was due/,
        )
      })

      it('is named once it was paid for in another part', async () => {
        const { payment, payer } = await reversing()
        await payer.transfer(400_000, closed)
        await merchant.refundsEnded(payment, 1, 'failed')
        await payer.transfer(1_000_000)
        assert.match(
          await merchant.payerOf(payment).reads('bank_transfer'),
          /You sent ₦4,000\.00 more than was due/,
        )
        await server.call('POST', '/refunds', {
          payment: payment.id,
          amount: 400_000,
          destination: { bank_code: '058', account_number: '0123456789' },
        })
        assert.doesNotMatch(
          await merchant.payerOf(payment).reads('bank_transfer'),
          /more than was due/,
        )
      })
    })

    it('goes back as far as it is too much', async () => {
      const before = await merchant.available()
      const { payment, payer } = await reversing()
      await payer.transfer(1_100_000)
      const [refund] = await merchant.refundsEnded(payment, 1)
      assert.deepEqual([refund.amount, refund.status], [100_000, 'completed'])
      assert.deepEqual(sums(await merchant.readPayment(payment)), {
        status: 'completed',
        variance: 'overpaid',
        received: 1_100_000,
        fee: 10_000,
        net: 990_000,
        refunded: 100_000,
      })
      assert.equal(await merchant.available(), before + 990_000)
      assert.deepEqual(await merchant.eventTypesOf(payment), ['payment.completed'])
      const told = (await merchant.allEvents())
        .filter((event) => event.payload.id === refund.id)
        .map((event) => event.type)
      assert.deepEqual(told, ['refund.initiated', 'refund.completed'])
    })

    it('goes back whole when it comes twice', async () => {
      const before = await merchant.available()
      const { payment, payer } = await reversing()
      await payer.transfer(1_000_000)
      for (const amount of [1_000_000, 5]) await payer.transfer(amount)
      const refunds = await merchant.refundsEnded(payment, 2)
      assert.deepEqual(refunds.map((refund) => refund.amount).sort(), [1_000_000, 5])
      assert.deepEqual(sums(await merchant.readPayment(payment)), {
        status: 'completed',
        variance: 'overpaid',
        received: 2_000_005,
        fee: 10_000,
        net: 990_000,
        refunded: 1_000_005,
      })
      assert.equal(await merchant.available(), before + 990_000)
      assert.deepEqual(await merchant.eventTypesOf(payment), ['payment.completed'])
    })

    for (const ended of ['expired', 'canceled'])
      it(`goes back whole after the payment has ${ended}`, async () => {
        const before = await merchant.available()
        const { payment, payer } = await reversing()
        if (ended === 'canceled') await merchant.cancelPayment(payment)
        else await merchant.simulate(payment, ended)
        const made = await payer.transfer(1_000_000)
        assert.deepEqual([made.late, made.fee], [true, 0])
        const [refund] = await merchant.refundsEnded(payment, 1)
        assert.equal(refund.amount, 1_000_000)
        assert.deepEqual(sums(await merchant.readPayment(payment)), {
          status: ended,
          variance: 'late',
          received: 1_000_000,
          fee: 0,
          net: 0,
          refunded: 1_000_000,
        })
        assert.equal(await merchant.available(), before)
        assert.deepEqual(await merchant.eventTypesOf(payment), [`payment.${ended}`])
      })

    it('goes back in the token it came in', async () => {
      const payment = await merchant.openPayment({
        on_mismatch: 'reverse',
        currency: 'usd',
        amount: 10_000,
      })
      const before = await merchant.available('usd')
      await merchant.simulate(payment, 'overpaid', 'crypto')
      const [refund] = await merchant.refundsEnded(payment, 1)
      assert.deepEqual(
        [refund.method, refund.amount, refund.destination_amount],
        ['crypto', 1_001, 1_001],
      )
      assert.ok(['usdc', 'usdt'].includes(refund.destination_currency))
      assert.deepEqual(sums(await merchant.readPayment(payment)), {
        status: 'completed',
        variance: 'overpaid',
        received: 11_001,
        fee: 100,
        net: 9_900,
        refunded: 1_001,
      })
      assert.equal(await merchant.available('usd'), before + 9_900)
    })

    it('is back in the wallet when it cannot go back, and does not count', async () => {
      const before = await merchant.available()
      const { payment, payer } = await reversing()
      await payer.transfer(400_000, { ...sender, account_number: '0000000005' })
      const refund = await until(async () => {
        const [only] = await merchant.refundsOf(payment)
        return only?.status === 'failed' ? only : null
      })
      assert.deepEqual([refund.amount, refund.automatic], [400_000, true])
      assert.equal(await merchant.available(), before + 400_000)
      assert.deepEqual(sums(await merchant.readPayment(payment)), {
        status: 'pending',
        variance: 'underpaid',
        received: 400_000,
        fee: 0,
        net: 0,
        refunded: 0,
      })
      assert.ok(
        (await merchant.payerOf(payment).reads('bank_transfer')).includes(
          showMoney(1_000_000n, 'ngn'),
        ),
      )
      await payer.transfer(1_000_000)
      const paid = await merchant.readPayment(payment)
      assert.deepEqual(
        [paid.status, paid.amount_received, paid.net],
        ['completed', 1_400_000, 990_000],
      )
      // It is still there to be given back by hand, to wherever the payer wants it.
      const destination = { bank_code: '058', account_number: '0123456789' }
      const { status, data } = await server.call('POST', '/refunds', {
        payment: payment.id,
        amount: 1_400_000,
        destination,
      })
      assert.equal(status, 201, JSON.stringify(data))
      await until(async () => (await merchant.readPayment(payment)).amount_refunded === 1_400_000)
      assert.equal(await merchant.available(), before - 10_000)
    })

    it('counts what is kept of an unknown sender, and sends back the rest of a known one', async () => {
      const { payment, payer } = await reversing()
      await payer.transfer(400_000, null)
      await payer.transfer(700_000)
      const [refund] = await merchant.refundsEnded(payment, 1)
      assert.equal(refund.amount, 100_000)
      assert.deepEqual(sums(await merchant.readPayment(payment)), {
        status: 'completed',
        variance: 'overpaid',
        received: 1_100_000,
        fee: 10_000,
        net: 990_000,
        refunded: 100_000,
      })
    })

    it('goes back each time, when much of it comes at once', async () => {
      const before = await merchant.available()
      const { payment, payer } = await reversing()
      await Promise.all(Array.from({ length: 8 }, () => payer.transfer(1_000_000)))
      assert.equal((await merchant.refundsEnded(payment, 7)).length, 7)
      const now = await merchant.readPayment(payment)
      assert.deepEqual(
        [now.status, now.amount_received, now.amount_refunded, now.net],
        ['completed', 8_000_000, 7_000_000, 990_000],
      )
      assert.equal(await merchant.available(), before + 990_000)
      assert.deepEqual(await merchant.eventTypesOf(payment), ['payment.completed'])
    })
  })

  it('completes a payment once, when ten pay it at once', async () => {
    const before = await merchant.available()
    const payment = await merchant.openPayment()
    const payer = merchant.payerOf(payment)
    await payer.openAccount()
    const made = await Promise.all(Array.from({ length: 10 }, () => payer.transfer(1_000_000)))
    const now = await merchant.readPayment(payment)
    assert.deepEqual([now.status, now.amount_received, now.fee], ['completed', 10_000_000, 30_000])
    assert.deepEqual(await merchant.eventTypesOf(payment), ['payment.completed'])
    const onTime = made.filter((transaction) => !transaction.late)
    assert.deepEqual(
      onTime.map((transaction) => transaction.id),
      [now.transaction],
    )
    assert.equal(await merchant.available(), before + 9_970_000)
    const told = (await merchant.allEvents()).filter(
      (event) => event.payload.related?.payment === payment.id,
    )
    assert.equal(told.length, 10)
  })

  it('completes a payment by the last of ten parts, whichever it is', async () => {
    const payment = await merchant.openPayment()
    const payer = merchant.payerOf(payment)
    await payer.openAccount()
    await Promise.all(Array.from({ length: 10 }, () => payer.transfer(100_000)))
    const now = await merchant.readPayment(payment)
    assert.deepEqual(
      [now.status, now.variance, now.amount_received, now.fee],
      ['completed', 'exact', 1_000_000, 10_000],
    )
    assert.deepEqual(await merchant.eventTypesOf(payment), ['payment.completed'])
  })

  it('told events that fit their schemas, and left clean books', async () => {
    await assertEventsFit(server, await merchant.allEvents(), [
      'crypto.deposit',
      'payment.canceled',
      'payment.completed',
      'payment.expired',
      'payment.failed',
      'payout.completed',
      'payout.initiated',
      'refund.completed',
      'refund.failed',
      'refund.initiated',
      'virtual_account.deposit',
    ])
  })
})

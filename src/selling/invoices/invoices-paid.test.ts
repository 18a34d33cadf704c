import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  cards,
  day,
  goodCard,
  type Json,
  type Merchant,
  newMerchant,
} from '../../../test/support/actors.ts'
import { assertEventsFit } from '../../../test/support/events.ts'
import { shareServer, type TestServer } from '../../../test/support/harness.ts'

let server: TestServer
let merchant: Merchant

describe('invoices that are paid', () => {
  before(async () => {
    server = await shareServer()
    merchant = newMerchant(server, { price: 500_000 })
  })
  after(() => server.stop())

  /** Fails unless an invoice was paid once, and told so once. */
  async function assertPaid(open: Json): Promise<Json> {
    const paid = await merchant.readInvoice(open)
    const { paid_at, updated_at, amount_paid } = paid
    const ended = {
      status: 'paid',
      paid_at,
      updated_at,
      payment: paid.payment,
      amount_paid,
      amount_due: 0,
    }
    assert.deepEqual(paid, { ...open, ...ended })
    assert.ok(amount_paid >= open.collect_amount)
    const payment = await merchant.paymentOf(paid)
    assert.deepEqual(
      [payment.status, payment.invoice, payment.amount, payment.paid_at],
      ['completed', open.id, open.collect_amount, paid_at],
    )
    const types = await merchant.eventTypesOf(open)
    assert.deepEqual(
      ['invoice.paid', 'payment.completed'].map(
        (type) => types.filter((told) => told === type).length,
      ),
      [1, 1],
    )
    assert.deepEqual((await merchant.eventOf(open, 'payment.completed')).payload.id, payment.id)
    return paid
  }

  it('by card, on their page', async () => {
    const open = await merchant.openInvoice()
    const before = await merchant.available('ngn')
    const payer = merchant.payerOf(open)
    await payer.open('?method=card')
    assert.equal((await payer.send('card', goodCard)).status, 303)
    const paid = await assertPaid(open)
    assert.deepEqual((await merchant.eventOf(open, 'invoice.paid')).payload, paid)
    assert.equal(paid.payment, open.payment)
    assert.ok(Date.parse(paid.paid_at) >= Date.parse(open.finalized_at))
    assert.equal(await merchant.available('ngn'), before + (await merchant.paymentOf(open)).net)
    assert.deepEqual(await merchant.eventTypesOf(open), [
      'invoice.finalized',
      'payment.completed',
      'invoice.paid',
    ])
    // The same form once more does nothing.
    assert.equal((await payer.send('card', goodCard)).status, 303)
    await assertPaid(open)
    await merchant.isRefused(
      'POST',
      `/payments/${open.payment}/simulate`,
      { outcome: 'completed' },
      400,
      'payment_not_pending',
    )
  })

  for (const [currency, method] of [
    ['ngn', 'bank_transfer'],
    ['usd', 'bank_transfer'],
    ['eur', 'bank_transfer'],
    ['ngn', 'crypto'],
    ['usd', 'crypto'],
    ['eur', 'crypto'],
    ['eur', 'card'],
  ] as const)
    it(`by ${method} in ${currency}`, async () => {
      const open = await merchant.openInvoice({}, { currency })
      await merchant.simulate(open.payment, 'completed', method)
      const paid = await assertPaid(open)
      assert.deepEqual((await merchant.eventOf(open, 'invoice.paid')).payload, paid)
    })

  it('in parts: what is missing is asked for', async () => {
    const open = await merchant.openInvoice()
    const payer = merchant.payerOf(open)
    await payer.openAccount()
    await payer.transfer(200_000)
    assert.deepEqual(await merchant.readInvoice(open), {
      ...open,
      amount_paid: 200_000,
      amount_due: 300_000,
    })
    assert.ok((await merchant.payerOf(open).reads()).includes('₦3,000.00'))
    assert.deepEqual(
      (await merchant.eventTypesOf(open)).filter((type) => type.startsWith('invoice')),
      ['invoice.finalized'],
    )
    await merchant.payerOf(open).payByCard()
    const paid = await assertPaid(open)
    assert.equal((await merchant.paymentOf(paid)).amount_received, 500_000)
  })

  it('twice: the second money is booked, and they stay paid once', async () => {
    const open = await merchant.openInvoice()
    const payer = merchant.payerOf(open)
    await payer.openAccount()
    const before = await merchant.available('ngn')
    await payer.transfer(500_000)
    const paid = await assertPaid(open)
    await payer.transfer(500_000)
    assert.deepEqual(await assertPaid(open), { ...paid, amount_paid: 1_000_000 })
    const payment = await merchant.paymentOf(open)
    assert.deepEqual([payment.variance, payment.amount_received], ['overpaid', 1_000_000])
    assert.equal(await merchant.available('ngn'), before + payment.net)
  })

  it('with more than they ask for', async () => {
    const open = await merchant.openInvoice()
    await merchant.simulate(open.payment, 'overpaid', 'bank_transfer')
    await assertPaid(open)
    assert.equal((await merchant.paymentOf(open)).variance, 'overpaid')
  })

  it('by many deposits at once: paid once', async () => {
    const open = await merchant.openInvoice()
    const payer = merchant.payerOf(open)
    await payer.openAccount()
    await Promise.all(Array.from({ length: 6 }, () => payer.transfer(500_000)))
    await assertPaid(open)
    assert.equal((await merchant.paymentOf(open)).amount_received, 3_000_000)
  })

  it('after their due date as well as before', async () => {
    const soon = new Date(Date.now() + 2 * day).toISOString()
    const [late, old] = [
      await merchant.openInvoice({ due_date: soon }),
      await merchant.openInvoice({ due_date: '2020-01-01' }),
    ]
    await merchant.advance('40d')
    for (const open of [late, old]) {
      assert.equal((await merchant.readInvoice(open)).status, 'open')
      await merchant.payerOf(open).payByCard()
      const paid = await assertPaid(open)
      assert.ok(Date.parse(paid.paid_at) > Date.parse(open.due_date))
    }
  })

  it('when the payer confirms to their bank', async () => {
    const open = await merchant.openInvoice()
    await merchant.payerOf(open).payByCard(cards.challenged)
    assert.equal((await merchant.readInvoice(open)).status, 'open')
    const payer = merchant.payerOf(open)
    await payer.open('?method=card')
    assert.equal((await payer.send('challenge', { answer: 'approve' })).status, 303)
    await assertPaid(open)
  })

  it('not by a card that is declined, and later by another', async () => {
    const open = await merchant.openInvoice()
    await merchant.payerOf(open).payByCard(cards.declined)
    assert.deepEqual(await merchant.readInvoice(open), open)
    await merchant.payerOf(open).payByCard()
    await assertPaid(open)
  })

  it('still, after a card was declined for good', async () => {
    const open = await merchant.openInvoice()
    await merchant.payerOf(open).payByCard(cards.fraudulent)
    assert.deepEqual(await merchant.readInvoice(open), open)
    const payment = await merchant.paymentOf(open)
    assert.deepEqual([payment.status, payment.failure_reason], ['pending', 'fraudulent'])
    assert.deepEqual(await merchant.eventTypesOf(open), ['invoice.finalized'])
    await merchant.payerOf(open).payByCard()
    assert.equal((await assertPaid(open)).payment, open.payment)
  })

  it('and neither fails nor expires by itself', async () => {
    const open = await merchant.openInvoice()
    for (const outcome of ['failed', 'expired']) {
      const { status, code } = await server.call('POST', `/payments/${open.payment}/simulate`, {
        outcome,
      })
      assert.deepEqual([status, code], [400, 'payment_of_invoice'])
    }
    for (const by of ['300d', '300d']) await merchant.advance(by)
    assert.deepEqual(await merchant.readInvoice(open), open)
    await merchant.payerOf(open).payByCard()
    await assertPaid(open)
  })

  it('told events that fit their schemas, and left clean books', async () => {
    await assertEventsFit(server, await merchant.allEvents(), [
      'crypto.deposit',
      'invoice.finalized',
      'invoice.paid',
      'payment.completed',
      'virtual_account.deposit',
    ])
  })
})

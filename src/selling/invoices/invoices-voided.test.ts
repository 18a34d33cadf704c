import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { cards, goodCard, type Merchant, newMerchant } from '../../../test/support/actors.ts'
import { assertEventsFit } from '../../../test/support/events.ts'
import { shareServer, type TestServer } from '../../../test/support/harness.ts'

let server: TestServer
let merchant: Merchant

describe('invoices that are voided', () => {
  before(async () => {
    // An answer that is lost stays lost for an hour.
    server = await shareServer({ SANDBOX_DELAY: '1h' })
    merchant = newMerchant(server, { price: 500_000 })
  })
  after(() => server.stop())

  /** Fails unless an invoice ended in one way, and told so once. */
  async function assertEnded(invoice: { id: string }, status: 'paid' | 'void'): Promise<void> {
    assert.equal((await merchant.readInvoice(invoice)).status, status)
    const payment = await merchant.paymentOf(invoice)
    assert.equal(payment.status, status === 'paid' ? 'completed' : 'canceled')
    const types = await merchant.eventTypesOf(invoice)
    const told =
      status === 'paid'
        ? ['payment.completed', 'invoice.paid']
        : ['payment.canceled', 'invoice.voided']
    assert.deepEqual(types.toSorted(), ['invoice.finalized', ...told].sort())
  }

  it('cancel their payment, and tell of both', async () => {
    const open = await merchant.openInvoice()
    const payer = merchant.payerOf(open)
    const account = await payer.openAccount()
    const gone = await merchant.voidInvoice(open)
    const { voided_at, updated_at } = gone
    assert.deepEqual(gone, { ...open, status: 'void', voided_at, updated_at, amount_due: 0 })
    assert.equal(voided_at, updated_at)
    assert.deepEqual(await merchant.readInvoice(open), gone)
    assert.deepEqual((await merchant.eventOf(open, 'invoice.voided')).payload, gone)
    assert.deepEqual(
      (await merchant.eventOf(open, 'payment.canceled')).payload,
      await merchant.paymentOf(open),
    )
    await assertEnded(open, 'void')
    assert.equal((await merchant.ask('GET', `/virtual-accounts/${account.id}`)).status, 'closed')
    assert.ok(!(await merchant.payerOf(open).reads()).includes('Card number'))
    assert.equal((await fetch(`${open.payment_url}/invoice.pdf`)).status, 200)
  })

  it('are open ones only, and once', async () => {
    const [draft, paid, gone] = [
      await merchant.draftInvoice(),
      await merchant.openInvoice(),
      await merchant.openInvoice(),
    ]
    await merchant.simulate(paid.payment, 'completed', 'card')
    await merchant.voidInvoice(gone)
    for (const { id } of [draft, paid, gone])
      await merchant.isRefused('POST', `/invoices/${id}/void`, undefined, 400, 'invoice_not_open')
    const raced = await merchant.openInvoice()
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => server.call('POST', `/invoices/${raced.id}/void`)),
    )
    assert.equal(answers.filter((answer) => answer.status === 200).length, 1)
    for (const { status, code } of answers)
      if (status !== 200) assert.deepEqual([status, code], [400, 'invoice_not_open'])
    await assertEnded(raced, 'void')
  })

  it('leave their payment to nobody else', async () => {
    const open = await merchant.openInvoice()
    await merchant.isRefused(
      'POST',
      `/payments/${open.payment}/cancel`,
      undefined,
      400,
      'payment_of_invoice',
    )
    await merchant.voidInvoice(open)
    await merchant.isRefused(
      'POST',
      `/payments/${open.payment}/cancel`,
      undefined,
      400,
      'payment_of_invoice',
    )
  })

  it('take late money, book it, and stay void', async () => {
    const open = await merchant.openInvoice()
    const payer = merchant.payerOf(open)
    await payer.openAccount()
    const gone = await merchant.voidInvoice(open)
    const before = await merchant.available('ngn')
    const { id } = await payer.transfer(500_000)
    const payment = await merchant.paymentOf(open)
    assert.deepEqual(
      [payment.status, payment.variance, payment.amount_received],
      ['canceled', 'late', 500_000],
    )
    assert.equal((await merchant.ask('GET', `/transactions/${id}/verify`)).late, true)
    assert.equal(await merchant.available('ngn'), before + payment.net)
    assert.deepEqual(await merchant.readInvoice(open), { ...gone, amount_paid: 500_000 })
    await assertEnded(open, 'void')
  })

  it('keep what was paid in part', async () => {
    const open = await merchant.openInvoice()
    await merchant.payerOf(open).transfer(100_000)
    await merchant.voidInvoice(open)
    const payment = await merchant.paymentOf(open)
    assert.deepEqual([payment.status, payment.amount_received], ['canceled', 100_000])
    await assertEnded(open, 'void')
  })

  it('are not voided while a card is being charged', async () => {
    const open = await merchant.openInvoice()
    await merchant.payerOf(open).payByCard(cards.lostAnswer)
    await merchant.isRefused(
      'POST',
      `/invoices/${open.id}/void`,
      undefined,
      400,
      'payment_processing',
    )
    for (const outcome of ['failed', 'expired'])
      await merchant.isRefused(
        'POST',
        `/payments/${open.payment}/simulate`,
        { outcome },
        400,
        'payment_of_invoice',
      )
    await merchant.advance('61m')
    await assertEnded(open, 'paid')
  })

  it('are either paid or void when both happen at once', async () => {
    for (let round = 0; round < 10; round++) {
      const open = await merchant.openInvoice()
      const byCard = round % 2 === 1
      const payer = merchant.payerOf(open)
      if (!byCard) await payer.openAccount()
      await payer.open('?method=card')
      const [answer] = await Promise.all([
        server.call('POST', `/invoices/${open.id}/void`),
        byCard ? payer.send('card', goodCard) : payer.transfer(500_000),
      ])
      const what = `round ${round}: ${JSON.stringify(answer.body)}`
      if (answer.status === 200) {
        await assertEnded(open, 'void')
        assert.equal((await merchant.paymentOf(open)).amount_received, byCard ? 0 : 500_000, what)
      } else {
        assert.equal(answer.status, 400, what)
        assert.ok(['invoice_not_open', 'payment_processing'].includes(answer.code ?? ''), what)
        await assertEnded(open, 'paid')
      }
    }
  })

  it('told events that fit their schemas, and left clean books', async () => {
    await assertEventsFit(server, await merchant.allEvents(), [
      'invoice.finalized',
      'invoice.paid',
      'invoice.voided',
      'payment.canceled',
      'payment.completed',
      'virtual_account.deposit',
    ])
  })
})

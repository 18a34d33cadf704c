/**
 * Goal: a refund that goes by a payout, and the erasure of its customer, do not deadlock. Method:
 * each is stopped at a row that the test holds, while the other has what it wants next.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  ada,
  bankAccount,
  day,
  type Json,
  type Merchant,
  newMerchant,
} from '../../../test/support/actors.ts'
import { must, startServer, type TestServer } from '../../../test/support/harness.ts'
import { holdRows } from '../../../test/support/held.ts'
import { forgetPayersTask } from '../payments/payments.ts'

const elsewhere = bankAccount('0123456701')

describe('a refund beside the erasure of its customer', () => {
  let server: TestServer
  let merchant: Merchant
  before(async () => {
    server = await startServer()
    merchant = newMerchant(server, { price: 500_000 })
    await server.fund('ngn', 5_000_000)
  })
  after(() => server.stop())

  /** A customer who has paid. */
  const payer = async (): Promise<{ customer: string; payment: Json }> => {
    const { id: customer } = await merchant.addCustomer()
    return { customer, payment: await merchant.takeTransfer(ada, { customer }) }
  }
  const refunded = async () => {
    const { customer, payment } = await payer()
    const { data } = await merchant.refund(payment, { destination: elsewhere })
    assert.equal((await merchant.refundEnded(data.id)).status, 'completed')
    const [payout] = (await must(server.call('GET', `/payouts?search=${data.payout}`))).docs
    return { customer, payment, refund: data, payout }
  }

  it('comes back while the customer is erased', async () => {
    const { customer, refund, payout } = await refunded()
    const held = await holdRows(server, 'select from refunds where id = $1', [refund.id])
    const erased = server.call('POST', `/customers/${customer}/erase`)
    await held.waiting(1)
    const returned = server.call('POST', `/payouts/${payout.reference}/simulate`, {
      outcome: 'returned',
    })
    await held.waiting(2)
    await held.release()
    assert.deepEqual([(await erased).status, (await returned).status], [200, 200])
  })

  it('comes back while its payer, who is no customer, is forgotten', async () => {
    const payment = await merchant.takeTransfer(ada, { email: 'payer@example.com' })
    const { data } = await merchant.refund(payment, { destination: elsewhere })
    assert.equal((await merchant.refundEnded(data.id)).status, 'completed')
    const [payout] = (await must(server.call('GET', `/payouts?search=${data.payout}`))).docs
    const held = await holdRows(server, 'select from refunds where id = $1', [data.id])
    const later = { now: () => new Date(server.app.clock.now().getTime() + 91 * day) }
    const config = { ...server.app.config, PAYERS_KEEP: 90 * day }
    const forgotten = forgetPayersTask({ ...server.app, clock: later, config }).run('test')
    await held.waiting(1)
    const returned = server.call('POST', `/payouts/${payout.reference}/simulate`, {
      outcome: 'returned',
    })
    await held.waiting(2)
    await held.release()
    await forgotten
    assert.equal((await returned).status, 200)
    assert.equal((await merchant.readPayment(payment)).email, null)
  })

  it('is made while the customer is erased', async () => {
    const { customer, payment } = await payer()
    const held = await holdRows(server, 'select from payments where id = $1', [payment.id])
    const refund = merchant.refund(payment, { destination: elsewhere })
    await held.waiting(1)
    const erased = server.call('POST', `/customers/${customer}/erase`)
    await held.waiting(2)
    await held.release()
    const answers = [(await erased).status, (await refund).status]
    assert.deepEqual(answers, [200, 201])
  })
})

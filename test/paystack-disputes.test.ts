/**
 * Goal: a dispute is a person's: an incident names its payment and amount, and nothing of a wallet moves by itself.
 * Method: a payment by card over the double of Paystack, whose payer's bank takes it back, and gives it back or does not.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { listIncidents } from '../src/platform/incidents/incidents.ts'
import { type ReconciledAccount, reconcile, reconciled } from '../src/platform/reconciliation/reconciliation.ts'
import type { Json } from './harness.ts'
import { minuteMs } from './paystack.ts'
import type { Shop } from './paystack-cards.ts'
import { openShop, sell } from './paystack-refunds.ts'

describe('a dispute at Paystack', () => {
  let shop: Shop
  before(async () => {
    shop = await openShop()
    await held()
  })
  after(() => shop.stop())

  const held = () => reconcile(shop.server.app, reconciled(shop.server.app, true, 'paystack') as ReconciledAccount)
  const wallet = async () => (await shop.live('GET', '/wallets')).data
  const notified = async (outcomes: number): Promise<void> => {
    await shop.double.live.events.deliver()
    for (let round = 0; round < outcomes; round++) await shop.pass(0)
  }
  const disputes = async () =>
    (await listIncidents(shop.server.app.db, { rail: 'paystack' }))
      .filter(({ kind }) => kind === 'unhandled_event')
      .map(({ detail }) => detail)

  for (const outcome of ['won', 'lost'] as const)
    it(`that is ${outcome} names its payment and amount in incidents, and leaves the wallet`, async () => {
      const { payer, operator } = shop.double.live
      const { payment, transaction } = await sell(shop, 'card')
      await notified(1)
      operator.settle('balance')
      const [before, status] = [await wallet(), (await shop.read(payment)).status]
      const seen = (await disputes()).length

      const { docs } = (await shop.live('GET', '/transactions')).data
      const booked = docs.find(({ related }: Json) => related.payment === payment.id).id
      const id = payer.dispute(transaction.reference, 450_000)
      await notified(1)
      const [opened] = await disputes()
      const named = {
        ...{ about: 'dispute', reference: transaction.reference, provider_id: String(id) },
        ...{ payment: String(transaction.id), amount: 450_000, currency: 'ngn' },
        ...{ business: shop.server.businessId, transaction: booked },
      }
      assert.deepEqual(opened, { event: 'charge.dispute.create', ...named, state: 'open' })
      await shop.pass(31 * minuteMs)
      const taken = (await held()).findings.filter(({ detail }) => detail.of === String(id))
      assert.deepEqual(
        taken.map(({ kind, difference, detail }) => [kind, difference, detail.what]),
        [['missing_here', -450_000n, 'Dispute']],
      )

      payer.endDispute(id, outcome)
      await notified(1)
      const [resolved, ...others] = await disputes()
      assert.deepEqual(resolved, { event: 'charge.dispute.resolve', ...named, state: outcome })
      assert.equal(others.length, seen + 1)
      const sums = (await held()).findings.filter(({ detail }) => detail.of === String(id))
      assert.equal(
        sums.reduce((sum, { difference }) => sum + difference, 0n),
        outcome === 'won' ? 0n : -450_000n,
      )
      assert.deepEqual([await wallet(), (await shop.read(payment)).status], [before, status])
      await shop.assertSound()
    })

  it('is shown all the same when Paystack says nothing of it', async () => {
    const { transaction } = await sell(shop, 'card')
    await notified(1)
    await shop.double.fault('fetch_dispute', 'error_before', { times: 9 })
    const before = await wallet()
    const id = shop.double.live.payer.dispute(transaction.reference, 1_000)
    await notified(1)
    for (let round = 0; round < 4; round++) await shop.pass(10 * minuteMs)
    await shop.double.clearFaults()
    assert.deepEqual((await disputes())[0], {
      ...{
        event: 'charge.dispute.create',
        about: 'dispute',
        reference: transaction.reference,
        provider_id: String(id),
      },
    })
    assert.deepEqual(await wallet(), before)
  })
})

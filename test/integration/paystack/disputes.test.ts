/**
 * Goal: a dispute at a provider is a record of its merchant, moves no wallet by itself, and what
 * the provider takes for it is booked once. Method: payments by card over the double of Paystack,
 * whose payers' bank takes them back, and gives them back or does not.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { verifyBooks } from '../../../src/app/open.ts'
import { listIncidents } from '../../../src/platform/incidents/incidents.ts'
import {
  findReconcilable,
  type ReconciledAccount,
  reconcile,
} from '../../../src/platform/reconciliation/reconciliation.ts'
import { type Call, type Json, must, until } from '../../support/harness.ts'
import { operatorOf } from '../../support/operators.ts'
import { minuteMs } from '../../support/paystack.ts'
import type { Shop } from '../../support/paystack-cards.ts'
import { openShop, sell } from '../../support/paystack-refunds.ts'

describe('a dispute at Paystack', () => {
  let shop: Shop
  let operator: Call
  before(async () => {
    shop = await openShop()
    operator = await operatorOf(shop.server)
    await held()
  })
  after(() => shop.stop())

  const held = () =>
    reconcile(
      shop.server.app,
      findReconcilable(shop.server.app, true, 'paystack') as ReconciledAccount,
    )
  const wallet = async () => (await shop.live('GET', '/wallets')).data
  const notified = async (outcomes = 1): Promise<void> => {
    await shop.double.live.events.deliver()
    for (let round = 0; round < outcomes; round++) await shop.pass(0)
  }
  const disputes = async (): Promise<Json[]> => (await must(shop.live('GET', '/disputes'))).docs
  const events = async (id: string): Promise<string[]> =>
    (await must(shop.live('GET', '/events?limit=100'))).docs
      .filter(({ payload }: Json) => payload.id === id)
      .map(({ type }: Json) => type)
      .reverse()
  const incidents = async (kind: string) =>
    (await listIncidents(shop.server.app.db, { rail: 'paystack' })).filter(
      (one) => one.kind === kind,
    )
  /** What the books say that disputes cost here. */
  const cost = async (): Promise<bigint> => {
    const [row] = await shop.server.app.db.query<{ balance: bigint }>(
      "select balance from ledger_accounts where purpose = 'disputes' and subject = 'paystack' and business_id = $1 and livemode",
      [shop.server.businessId],
    )
    return row?.balance ?? 0n
  }

  for (const outcome of ['won', 'lost'] as const)
    it(`that is ${outcome} is a record and two events, and what Paystack takes is booked and leaves the wallet`, async () => {
      const { payer, operator: settling } = shop.double.live
      const { payment, transaction } = await sell(shop, 'card')
      await notified()
      settling.settle('balance')
      const [before, status, costs] = [
        await wallet(),
        (await shop.read(payment)).status,
        await cost(),
      ]

      const id = payer.dispute(transaction.reference, 450_000)
      await notified()
      const [opened] = await disputes()
      assert.deepEqual(
        [
          opened.payment,
          opened.amount,
          opened.currency,
          opened.status,
          opened.provider_reference,
          opened.reason,
        ],
        [payment.id, 450_000, 'ngn', 'open', String(id), 'chargeback'],
      )
      await shop.pass(31 * minuteMs)
      assert.deepEqual((await held()).findings, [])
      assert.equal(await cost(), costs - 450_000n)

      payer.endDispute(id, outcome)
      await notified()
      // It notifies twice, and the same is asked again.
      shop.double.live.events.emit(
        'dispute',
        String(id),
        'charge.dispute.resolve',
        payer.disputeBody(id),
      )
      await notified()
      const [closed] = await disputes()
      assert.deepEqual(
        [closed.id, closed.status, closed.closed_at !== null],
        [opened.id, outcome, true],
      )
      assert.deepEqual(await events(opened.id), ['dispute.opened', 'dispute.closed'])
      await shop.pass(31 * minuteMs)
      for (let twice = 0; twice < 2; twice++) assert.deepEqual((await held()).findings, [])
      assert.equal(await cost(), outcome === 'won' ? costs : costs - 450_000n)
      assert.deepEqual([await wallet(), (await shop.read(payment)).status], [before, status])
      assert.deepEqual(await incidents('unhandled_event'), [])

      if (outcome === 'lost') {
        const decided = await must(operator('POST', `/operator/disputes/${closed.id}/take`, {}))
        assert.equal(decided.taken, 450_000)
        assert.equal(await cost(), costs)
        assert.deepEqual((await held()).findings, [])
      }
      assert.deepEqual((await verifyBooks(shop.server.app)).differences, [])
      await shop.assertSound()
    })

  for (const [title, outcome, named] of [
    ['that is archived is over', 'lost', true],
    ['that names neither amount nor currency is of the whole payment', 'won', false],
  ] as const)
    it(`${title}`, async (t) => {
      const { payer, settings } = shop.double.live
      settings.disputeNamesAmount = named
      t.after(() => Object.assign(settings, { disputeNamesAmount: true }))
      const { transaction } = await sell(shop, 'card')
      await notified()
      const id = payer.dispute(transaction.reference)
      await notified()
      const [opened] = await disputes()
      assert.deepEqual(
        [opened.provider_reference, opened.status, opened.amount, opened.currency],
        [String(id), 'open', 500_000, 'ngn'],
      )
      payer.endDispute(id, outcome, true)
      await notified()
      assert.equal((await must(shop.live('GET', `/disputes/${opened.id}`))).status, outcome)
      assert.deepEqual(await incidents('needs_attention'), [])
      await shop.assertSound()
    })

  describe('is answered from here', () => {
    /** A dispute at Paystack, and its record. */
    const disputed = async (): Promise<{ id: number; record: Json }> => {
      const { transaction } = await sell(shop, 'card')
      await notified()
      const id = shop.double.live.payer.dispute(transaction.reference, 450_000)
      await notified()
      return { id, record: (await disputes())[0] as Json }
    }
    const evidence = {
      customer_name: 'Ada Okafor',
      customer_email: 'ada@shop.example',
      customer_phone: '+2348012345678',
      explanation: 'Three dresses, handed over in the shop.',
    }
    const put = (record: Json, body: object) =>
      shop.live('PUT', `/disputes/${record.id}/evidence`, body)
    const read = (record: Json) => must(shop.live('GET', `/disputes/${record.id}/evidence`))
    /** The evidence, once it is no longer being sent. */
    const ended = (record: Json) =>
      until(async () => {
        await shop.pass(0)
        const now = await read(record)
        return now.status === 'sending' ? null : now
      })
    const answered = (id: number) =>
      shop.double.live.books.disputes.find((one) => one.id === id)?.answer
    const resolutions = (id: number) =>
      shop.double.requests.filter(
        ({ operation, path }) => operation === 'resolve_dispute' && path.includes(`/${id}/`),
      ).length

    it('with texts and one PDF, once all that Paystack needs is there', async () => {
      const { id, record } = await disputed()
      const early = await shop.live('POST', `/disputes/${record.id}/submit`)
      assert.deepEqual([early.status, early.code], [400, 'evidence_incomplete'])
      assert.deepEqual((await read(record)).needs, Object.keys(evidence))
      await must(put(record, evidence))
      await must(shop.live('POST', `/disputes/${record.id}/submit`))
      const { status } = await ended(record)
      assert.deepEqual([status, answered(id)?.resolution], ['sent', 'declined'])
      assert.equal(answered(id)?.message, evidence.explanation)
      const file = shop.double.uploads.get(String(answered(id)?.uploaded_filename))
      assert.equal(file?.subarray(0, 5).toString(), '%PDF-')
      const again = await shop.live('POST', `/disputes/${record.id}/submit`)
      assert.deepEqual([again.status, again.code], [409, 'dispute_answered'])
      await shop.assertSound()
    })

    it('once, although the answer to it was lost', async () => {
      const { id, record } = await disputed()
      await must(put(record, evidence))
      await shop.double.fault('resolve_dispute', 'error_after')
      await must(shop.live('POST', `/disputes/${record.id}/submit`))
      await until(async () => resolutions(id) === 1)
      await shop.pass(6 * minuteMs)
      assert.deepEqual([(await ended(record)).status, resolutions(id)], ['sent', 1])
      await shop.assertSound()
    })

    it('again after Paystack has refused it', async () => {
      const { id, record } = await disputed()
      await must(put(record, evidence))
      const dispute = shop.double.live.books.disputes.find((one) => one.id === id)
      Object.assign(dispute ?? {}, { answer: { resolution: 'declined' } })
      await must(shop.live('POST', `/disputes/${record.id}/submit`))
      const refused = await ended(record)
      assert.deepEqual(
        [refused.status, refused.failure],
        ['refused', 'Paystack: Dispute has been resolved already'],
      )
      Object.assign(dispute ?? {}, { answer: null })
      await must(shop.live('POST', `/disputes/${record.id}/submit`))
      assert.equal((await ended(record)).status, 'sent')
    })

    it('by accepting it, and is lost then', async () => {
      const { id, record } = await disputed()
      await must(shop.live('POST', `/disputes/${record.id}/accept`))
      await ended(record)
      assert.deepEqual(
        [answered(id)?.resolution, answered(id)?.refund_amount],
        ['merchant-accepted', 450_000],
      )
      await notified()
      assert.equal((await must(shop.live('GET', `/disputes/${record.id}`))).status, 'lost')
      await shop.assertSound()
    })
  })

  it('is asked about once a day, and closed, without any webhook', async () => {
    const { payer } = shop.double.live
    const { transaction } = await sell(shop, 'card')
    await notified()
    const id = payer.dispute(transaction.reference, 1_000)
    await notified()
    const [opened] = await disputes()
    payer.endDispute(id, 'won')
    shop.double.live.events.queue = []
    await shop.pass(25 * 60 * minuteMs)
    await shop.pass(0)
    assert.equal((await must(shop.live('GET', `/disputes/${opened.id}`))).status, 'won')
  })

  it('is shown to a person while Paystack says nothing of it, and is a record once it does', async () => {
    const { transaction } = await sell(shop, 'card')
    await notified()
    await shop.double.fault('fetch_dispute', 'error_before', { times: 99 })
    const [before, seen] = [await wallet(), (await disputes()).length]
    const id = shop.double.live.payer.dispute(transaction.reference, 1_000)
    await notified()
    for (let round = 0; round < 4; round++) await shop.pass(10 * minuteMs)
    const [shown] = await incidents('unhandled_event')
    assert.deepEqual([shown?.detail.about, shown?.detail.provider_id], ['dispute', String(id)])
    assert.equal((await disputes()).length, seen)
    await shop.double.clearFaults()
    for (let round = 0; round < 4; round++) await shop.pass(60 * minuteMs)
    assert.equal((await disputes())[0].provider_reference, String(id))
    assert.deepEqual(await wallet(), before)
  })

  it('is shown to a person when it overtakes its payment, and is a record once that is booked', async () => {
    const { events, payer: bank } = shop.double.live
    const { payer, reference } = await shop.begin({ amount: 500_000 })
    bank.pay(reference)
    // What Paystack says of the payment never comes.
    events.queue.splice(0)
    const id = bank.dispute(reference, 1_000)
    const of = async () => (await disputes()).find((one) => one.provider_reference === String(id))
    await notified()
    assert.equal(await of(), undefined)
    const [shown] = await incidents('unhandled_event')
    assert.deepEqual([shown?.detail.about, shown?.detail.amount], ['dispute', 1_000])
    await shop.back(payer)
    for (let round = 0; round < 4; round++) await shop.pass(5 * minuteMs)
    assert.equal((await of())?.amount, 1_000)
    assert.equal((await incidents('unhandled_event'))[0]?.id, shown?.id)
  })
})

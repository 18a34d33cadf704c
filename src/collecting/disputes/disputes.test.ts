/**
 * Goal: a merchant is told of a dispute and sees it; what is held and taken for it is a person's
 * decision, never more than the wallet has, once each; and whoever is refused has moved nothing.
 * Method: test keys, and a key of the operator.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { noId } from '../../../test/support/actors.ts'
import {
  type Call,
  type Json,
  must,
  settled,
  startServer,
  type TestServer,
} from '../../../test/support/harness.ts'
import { operatorOf } from '../../../test/support/operators.ts'
import { verifyBooks } from '../../app/open.ts'
import { recordReceipt } from '../../books/receipts/receipts.ts'
import { outside, scopeOf } from '../../core/outside.ts'
import { later } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { disputeApplier } from './disputes.ts'

describe('disputes', () => {
  let server: TestServer
  let operator: Call
  before(async () => {
    server = await startServer()
    // Rows are made, or changed, behind the ledger's back here.
    server.leaveBooksUnverified()
    operator = await operatorOf(server)
  })
  after(() => server.stop())

  const pay = async (amount = 500_000): Promise<Json> => {
    const { id } = await must(server.call('POST', '/payments', { amount, currency: 'ngn' }))
    return must(server.call('POST', `/payments/${id}/simulate`, { outcome: 'completed' }))
  }
  const open = (payment: Json, body: object = {}) =>
    must(server.call('POST', `/payments/${payment.id}/simulate-dispute`, body))
  const end = (dispute: Json, outcome: 'won' | 'lost') =>
    must(server.call('POST', `/disputes/${dispute.id}/simulate`, { outcome }))
  const read = (dispute: Json): Promise<Json> => must(server.call('GET', `/disputes/${dispute.id}`))
  const decide = (dispute: Json, act: string, body?: object) =>
    operator(
      'POST',
      `/operator/disputes/${dispute.id}/${act}`,
      body ?? (act === 'release' ? undefined : {}),
    )
  const wallet = async (): Promise<number[]> => {
    const wallets: Json[] = await must(server.call('GET', '/wallets'))
    const ngn = wallets.find(({ currency }) => currency === 'ngn')
    return [ngn.available, ngn.pending]
  }
  /** Has a call refused, and sees that no wallet and no dispute moved. */
  const refused = async (
    call: Promise<{ status: number; code: string | undefined }>,
    status: number,
    code: string,
  ) => {
    const before = [await wallet(), (await must(server.call('GET', '/disputes'))).docs]
    const answer = await call
    assert.deepEqual([answer.status, answer.code], [status, code])
    assert.deepEqual([await wallet(), (await must(server.call('GET', '/disputes'))).docs], before)
  }
  const assertSound = async () => assert.deepEqual((await verifyBooks(server.app)).differences, [])

  it('are told of, listed, exported and explained, and move no wallet', async () => {
    const payment = await pay()
    const before = await wallet()
    const dispute = await open(payment, { amount: 450_000, reason: 'product not received' })
    const {
      id,
      created_at,
      updated_at,
      evidence_due_at,
      provider_reference,
      transaction,
      ...rest
    } = dispute
    assert.deepEqual(rest, {
      livemode: false,
      metadata: {},
      payment: payment.id,
      customer: null,
      amount: 450_000,
      currency: 'ngn',
      reason: 'product not received',
      status: 'open',
      held: 0,
      taken: 0,
      closed_at: null,
    })
    assert.equal(Date.parse(evidence_due_at) - Date.parse(created_at), 7 * 86_400_000)
    const closed = await end(dispute, 'lost')
    assert.deepEqual([closed.status, closed.closed_at !== null], ['lost', true])
    const { docs: events } = await must(server.call('GET', '/events?limit=100'))
    const told = events.filter(({ payload }: Json) => payload.id === id)
    assert.deepEqual(
      told.map(({ type, payload }: Json) => [type, payload]),
      [
        ['dispute.closed', closed],
        ['dispute.opened', dispute],
      ],
    )
    for (const query of ['', `?payment=${payment.id}`, '?status=lost'])
      assert.deepEqual((await must(server.call('GET', `/disputes${query}`))).docs[0], closed)
    assert.equal((await must(server.call('GET', '/disputes?status=won'))).totalDocs, 0)
    const csv = await server.call('GET', '/disputes/export')
    assert.match(String(csv.body), new RegExp(`^id,.*\r\n${id},`))
    const { entries } = await must(server.call('GET', `/explain/${payment.id}`))
    const titles = entries.map(({ title }: Json) => title)
    assert.ok(
      titles.includes('The payer’s bank disputed the payment') &&
        titles.includes('The dispute was lost'),
    )
    assert.deepEqual(await wallet(), before)
    assert.ok(updated_at && provider_reference && transaction)
    await assertSound()
  })

  it('are held for and taken by a person alone, and the merchant sees both', async () => {
    const payment = await pay()
    const [available, pending] = (await wallet()) as [number, number]
    const dispute = await open(payment)
    const held = await must(decide(dispute, 'hold', { amount: 300_000 }))
    assert.deepEqual(
      [held.held, held.taken, held.business, held.rail],
      [300_000, 0, server.businessId, 'sandbox'],
    )
    assert.deepEqual(await wallet(), [available - 300_000, pending + 300_000])
    await assertSound()
    const released = await must(decide(dispute, 'release'))
    assert.equal(released.held, 0)
    assert.deepEqual(await wallet(), [available, pending])
    await must(decide(dispute, 'hold', { amount: 200_000 }))
    await end(dispute, 'lost')
    assert.deepEqual(await wallet(), [available - 200_000, pending + 200_000])
    await must(decide(dispute, 'take'))
    assert.deepEqual(await wallet(), [available - 200_000, pending])
    const rest = await must(decide(dispute, 'take', { amount: 100_000 }))
    assert.deepEqual([rest.held, rest.taken], [0, 300_000])
    assert.deepEqual(await wallet(), [available - 300_000, pending])
    assert.deepEqual((await read(dispute)).taken, 300_000)
    const { docs } = await must(server.call('GET', '/transactions?type=dispute&limit=10'))
    assert.deepEqual(
      docs
        .map(({ status, direction, amount, related }: Json) => [
          status,
          direction,
          amount,
          related.dispute,
        ])
        .sort(),
      [
        ['completed', 'debit', 100_000, dispute.id],
        ['completed', 'debit', 200_000, dispute.id],
        ['failed', 'debit', 300_000, dispute.id],
      ],
    )
    const { docs: log } = await must(
      server.callAs(server.testKey)('GET', '/audit?action=dispute.money_decided'),
    )
    assert.deepEqual(log[0].after, { taken: 300_000 })
    assert.equal((await must(operator('GET', `/operator/disputes/${dispute.id}`))).taken, 300_000)
    await assertSound()
  })

  it('give back what is held when they are won', async () => {
    const payment = await pay()
    const before = await wallet()
    const dispute = await open(payment)
    await must(decide(dispute, 'hold', {}))
    const waiting = await must(operator('GET', '/operator/disputes?status=open'))
    assert.equal(waiting.docs[0].id, dispute.id)
    const won = await end(dispute, 'won')
    assert.deepEqual([won.status, won.held], ['won', 0])
    assert.deepEqual(await wallet(), before)
    const left = await must(operator('GET', '/operator/disputes?status=open'))
    assert.ok(left.docs.every(({ id }: Json) => id !== dispute.id))
    await assertSound()
  })

  it('are not given back once more by a refund, unless they were won', async () => {
    const payment = await pay()
    const dispute = await open(payment, { amount: 400_000 })
    const refund = (body: object = {}) =>
      server.call('POST', '/refunds', { payment: payment.id, ...body })
    const body = await refund({ amount: 100_001 })
    assert.deepEqual([body.code, body.body.errors.left], ['refund_too_large', 100_000])
    await must(refund())
    await settled(server.app)
    const { message } = (await refund()).body
    assert.match(message, /or is disputed/)
    await end(dispute, 'won')
    assert.equal((await must(refund())).amount, 400_000)
    await settled(server.app)
    await assertSound()
  })

  it('refuse what cannot be, and nothing moves', async () => {
    const unpaid = await must(server.call('POST', '/payments', { amount: 5_000, currency: 'ngn' }))
    const payment = await pay()
    const simulate = (id: string, body = {}) =>
      server.call('POST', `/payments/${id}/simulate-dispute`, body)
    await refused(simulate(noId), 404, 'not_found')
    await refused(simulate(unpaid.id), 400, 'payment_not_disputable')
    await refused(simulate(payment.id, { amount: 500_001 }), 400, 'dispute_amount_too_large')
    const dispute = await open(payment, { amount: 400_000 })
    await refused(simulate(payment.id, { amount: 100_001 }), 400, 'dispute_amount_too_large')
    const endOf = (id: string) =>
      server.call('POST', `/disputes/${id}/simulate`, { outcome: 'won' })
    await refused(endOf(noId), 404, 'not_found')
    await refused(server.call('GET', `/disputes/${noId}`), 404, 'not_found')
    await refused(operator('GET', `/operator/disputes/${noId}`), 404, 'not_found')
    for (const act of ['hold', 'release', 'take'])
      await refused(decide({ id: noId }, act), 404, 'not_found')
    await refused(decide(dispute, 'release'), 400, 'dispute_not_held')
    await refused(decide(dispute, 'take'), 400, 'dispute_not_lost')
    await refused(decide(dispute, 'hold', { amount: 400_001 }), 400, 'dispute_amount_too_large')
    await must(decide(dispute, 'hold', { amount: 1 }))
    await refused(decide(dispute, 'hold', { amount: 1 }), 409, 'dispute_held')
    await end(dispute, 'lost')
    await refused(endOf(dispute.id), 400, 'dispute_already_closed')
    await refused(decide(dispute, 'take', { amount: 2 }), 409, 'dispute_held')
    await must(decide(dispute, 'take'))
    await refused(decide(dispute, 'take', { amount: 400_000 }), 400, 'dispute_amount_too_large')
    const won = await open(payment, { amount: 50_000 })
    await end(won, 'won')
    await refused(decide(won, 'hold', { amount: 1 }), 400, 'dispute_won')
    const at = (rail: string) =>
      server.app.db.query('update disputes set rail = $2 where id = $1', [won.id, rail])
    await at('paystack')
    await refused(endOf(won.id), 400, 'dispute_not_simulated')
    await at('sandbox')
    await assertSound()
  })

  it('never take more than the wallet has, whoever asks at once', async () => {
    const [available = 0] = await wallet()
    const payment = await pay(1_000_000)
    const [full = 0] = await wallet()
    const dispute = await open(payment)
    // The merchant has paid most of it out.
    await must(
      server.call('POST', '/payouts', {
        reference: 'gone',
        amount: full - 300_000,
        currency: 'ngn',
        method: 'bank_transfer',
        destination: { bank_code: '058', account_number: '0123456789' },
      }),
    )
    await settled(server.app)
    await end(dispute, 'lost')
    await refused(decide(dispute, 'take'), 400, 'insufficient_funds')
    await refused(decide(dispute, 'hold'), 400, 'insufficient_funds')
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => decide(dispute, 'take', { amount: 70_000 })),
    )
    const taken = answers.filter(({ status }) => status === 200).length
    assert.equal(taken, 4)
    assert.ok(answers.every(({ status, code }) => status === 200 || code === 'insufficient_funds'))
    assert.equal((await wallet())[0], 20_000)
    assert.equal((await read(dispute)).taken, 280_000)
    assert.ok(available >= 0)
    await assertSound()
  })

  it('are decided in the time of the business, whose test clock was moved', async () => {
    await must(server.call('POST', '/test/clock', { advance: '3d' }))
    const dispute = await open(await pay())
    const held = await must(decide(dispute, 'hold', { amount: 1_000 }))
    assert.ok(held.updated_at >= dispute.created_at)
    const [newest] = (await must(server.call('GET', '/transactions?limit=1'))).docs
    assert.deepEqual([newest.type, newest.status, newest.amount], ['dispute', 'pending', 1_000])
    await must(decide(dispute, 'release'))
    await assertSound()
  })

  it('are of the payment that their provider names, though a test clock has others booked in days to come', async () => {
    const { app, businessId } = server
    const { now } = await scopeOf(app, businessId, false)
    const scope = { businessId, livemode: false, now: later(now, 3 * 86_400_000) }
    const of = { subject: newId(now), transaction: newId(now), availableAt: null }
    await outside(app, scope).write((work) =>
      recordReceipt(work, {
        ...of,
        rail: 'elsewhere',
        kind: 'charge',
        providerId: 'other',
        amount: 1n,
        fee: 0n,
        currency: 'ngn',
      }),
    )
    const said = {
      payment: 'named',
      reference: null,
      amount: 1n,
      currency: 'ngn',
      state: 'open',
      reason: null,
      dueAt: null,
    }
    const elsewhere = { statement: { dispute: async (id: string) => ({ ...said, payment: id }) } }
    const rails = { ...app.rails, test: { ...app.rails.test, accounts: { elsewhere } } }
    const found = (providerId: string) =>
      disputeApplier.find?.({ ...app, rails } as never, {
        kind: 'dispute',
        reference: null,
        providerId,
        rail: 'elsewhere',
        livemode: false,
      })
    assert.equal(await found('named'), null)
    assert.deepEqual(await found('other'), { businessId, subject: of.transaction })
  })
})

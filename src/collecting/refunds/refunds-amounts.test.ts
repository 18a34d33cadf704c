import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  ada,
  assertRefused,
  bankAccount,
  type Json,
  type Merchant,
  newBusiness,
  newMerchant,
  noId,
} from '../../../test/support/actors.ts'
import { assertEventsFit } from '../../../test/support/events.ts'
import { shareServer, type TestServer, until } from '../../../test/support/harness.ts'
import { refundStates } from './states.ts'

const bank = bankAccount()

const feesOf = async (server: TestServer): Promise<unknown> =>
  server.app.db.query(
    `select currency, balance from ledger_accounts where purpose = 'fees' order by id`,
  )

describe('amounts of refunds', () => {
  let server: TestServer
  let merchant: Merchant
  before(async () => {
    server = await shareServer()
    merchant = newMerchant(server, { price: 500_000 })
    await server.fund('ngn', 50_000_000)
    await server.fund('usd', 5_000_000)
  })
  after(() => server.stop())

  it('gives a whole payment back to the card, and not the fee', async () => {
    const payment = await merchant.takePayment('card', { metadata: { order: 7 } })
    const before = await merchant.balance()
    const fees = await feesOf(server)
    const { status, data } = await merchant.refund(payment, {
      reason: 'Returned',
      metadata: { ticket: 9 },
    })
    assert.equal(status, 201)
    assert.deepEqual(
      { ...data, id: '', transaction: '', created_at: '', updated_at: '' },
      {
        id: '',
        payment: payment.id,
        reference: null,
        amount: 500_000,
        currency: 'ngn',
        reason: 'Returned',
        method: 'card',
        destination: { card: { brand: 'visa', last4: '4242' } },
        rate: '1',
        destination_amount: 500_000,
        destination_currency: 'ngn',
        automatic: false,
        status: 'initiated',
        failure_reason: null,
        provider_reference: null,
        return_transaction: null,
        tx_hash: null,
        payout: null,
        review: null,
        transaction: '',
        livemode: false,
        metadata: { ticket: 9 },
        created_at: '',
        updated_at: '',
      },
    )
    const done = await merchant.refundEnded(data.id)
    assert.deepEqual([done.status, done.failure_reason], ['completed', null])
    assert.match(done.provider_reference, /^sbx_/)
    assert.deepEqual(await merchant.balance(), {
      available: before.available - 500_000,
      pending: 0,
    })
    assert.deepEqual(await feesOf(server), fees)

    const after = await merchant.readPayment(payment)
    assert.deepEqual(
      [after.status, after.amount_received, after.amount_refunded, after.fee, after.net],
      ['completed', 500_000, 500_000, 7_500, 492_500],
    )
    const transaction = await merchant.verify(done.transaction)
    assert.deepEqual(
      [
        transaction.type,
        transaction.direction,
        transaction.method,
        transaction.status,
        transaction.currency,
      ],
      ['refund', 'debit', 'card', 'completed', 'ngn'],
    )
    assert.deepEqual(
      [
        transaction.amount,
        transaction.fee,
        transaction.net,
        transaction.balance_after,
        transaction.related,
      ],
      [500_000, 0, 500_000, before.available - 500_000, { refund: data.id, payment: payment.id }],
    )
    const told = await merchant.eventsByType(data.id)
    assert.deepEqual(Object.keys(told).sort(), ['refund.completed', 'refund.initiated'])
    assert.deepEqual(told['refund.initiated'].payload, data)
    assert.deepEqual(told['refund.completed'].payload, done)
  })

  it('gives a part back, then the rest, and then nothing more', async () => {
    const payment = await merchant.takePayment('bank_transfer')
    const before = await merchant.balance()
    const {
      body: { errors: left },
    } = await assertRefused(server, 400, 'refund_too_large', () =>
      merchant.refund(payment, { amount: 500_001 }),
    )
    assert.equal(left.left, 500_000)
    const first = await merchant.refund(payment, { amount: 123_456 })
    assert.equal((await merchant.refundEnded(first.data.id)).status, 'completed')
    assert.equal((await merchant.readPayment(payment)).amount_refunded, 123_456)
    const {
      body: { errors: less },
    } = await assertRefused(server, 400, 'refund_too_large', () =>
      merchant.refund(payment, { amount: 376_545 }),
    )
    assert.equal(less.left, 376_544)
    const second = await merchant.refund(payment)
    assert.equal(second.data.amount, 376_544)
    await merchant.refundEnded(second.data.id)
    for (const more of [{}, { amount: 1 }]) {
      const {
        body: { errors: none },
      } = await assertRefused(server, 400, 'refund_too_large', () => merchant.refund(payment, more))
      assert.equal(none.left, 0)
    }
    assert.equal((await merchant.readPayment(payment)).amount_refunded, 500_000)
    assert.deepEqual(await merchant.balance(), {
      available: before.available - 500_000,
      pending: 0,
    })
  })

  it('refuses what cannot be refunded', async () => {
    const pending = await merchant.openPayment()
    await assertRefused(server, 400, 'payment_not_refundable', () => merchant.refund(pending))
    await merchant.simulate(pending, 'underpaid', 'bank_transfer')
    await assertRefused(server, 400, 'payment_not_refundable', () =>
      merchant.refund(pending, { amount: 1 }),
    )
    for (const end of ['cancel', 'expired', 'failed']) {
      const payment = await merchant.openPayment()
      if (end === 'cancel') await merchant.cancelPayment(payment)
      else await merchant.simulate(payment, end)
      await assertRefused(server, 400, 'payment_not_refundable', () => merchant.refund(payment))
    }
    await assertRefused(server, 404, 'not_found', () => merchant.refund({ id: noId }))
    const paid = await merchant.takePayment('bank_transfer')
    const stranger = await newBusiness(server)
    await assertRefused(server, 404, 'not_found', () =>
      stranger('POST', '/refunds', { payment: paid.id }),
    )
    const live = server.callAs(server.liveKey)
    await assertRefused(server, 404, 'not_found', () =>
      live('POST', '/refunds', { payment: paid.id }),
    )
    await assertRefused(server, 404, 'not_found', () => merchant.call('GET', '/refunds/nonsense'))
    await assertRefused(server, 404, 'not_found', () => merchant.call('GET', `/refunds/${noId}`))
    for (const change of [
      { amount: 0 },
      { amount: -1 },
      { amount: 1.5 },
      { amount: '5' },
      { amount: null },
      { amount: 9_007_199_254_740_992 },
      { reason: '' },
      { reference: 'a b' },
      { payment: 'nonsense' },
      { payment: undefined },
      { method: 'card' },
      { destination: null },
      { metadata: { 'a\u0000': 1 } },
    ])
      await assertRefused(server, 422, 'validation_failed', () => merchant.refund(paid, change))
  })

  it('pays a part of an expired payment back', async () => {
    const payment = await merchant.openPayment({ amount: 200_000 })
    const payer = merchant.payerOf(payment)
    await payer.transfer(50_000, ada)
    await merchant.simulate(payment, 'expired')
    const { status, data } = await merchant.refund(payment)
    assert.deepEqual(
      [status, data.amount, data.destination.account_number],
      [201, 50_000, ada.account_number],
    )
    assert.equal((await merchant.refundEnded(data.id)).status, 'completed')
    const after = await merchant.readPayment(payment)
    assert.deepEqual([after.status, after.amount_refunded], ['expired', 50_000])
  })

  it('makes one refund of a reference, and one of an Idempotency-Key', async () => {
    const [one, other] = [await merchant.takePayment('card'), await merchant.takePayment('card')]
    const { data } = await merchant.refund(one, { reference: 'r-1', amount: 100 })
    assert.equal(data.reference, 'r-1')
    await merchant.refundEnded(data.id)
    await assertRefused(server, 409, 'duplicate_reference', () =>
      merchant.refund(other, { reference: 'r-1' }),
    )
    await assertRefused(server, 409, 'duplicate_reference', () =>
      merchant.refund(one, { reference: 'r-1', amount: 100 }),
    )
    const ask = () =>
      merchant.call(
        'POST',
        '/refunds',
        { payment: other.id, amount: 5_000 },
        { 'idempotency-key': 'refund-1' },
      )
    const [first, second] = [await ask(), await ask()]
    assert.deepEqual([first.status, second.status], [201, 201])
    assert.equal(second.headers.get('idempotent-replayed'), 'true')
    assert.deepEqual(second.body, first.body)
    assert.equal((await merchant.ask('GET', `/refunds?payment=${other.id}`)).totalDocs, 1)
    await merchant.refundEnded(first.data.id)
  })

  it('never takes more out of the wallet than is there', async () => {
    const poor = newMerchant(server, { call: await newBusiness(server, 'Poor'), price: 500_000 })
    const payment = await poor.takePayment('card', { amount: 100_000 })
    const {
      body: { errors: short },
    } = await assertRefused(server, 400, 'insufficient_funds', () => poor.refund(payment))
    assert.deepEqual([short.available, short.needed], [98_500, 100_000])
    await poor.ask('POST', '/payouts', {
      reference: 'all',
      amount: 98_500,
      currency: 'ngn',
      method: 'bank_transfer',
      destination: bank,
    })
    await until(async () => (await poor.ask('GET', '/payouts/all')).status === 'completed')
    const {
      body: { errors: none },
    } = await assertRefused(server, 400, 'insufficient_funds', () =>
      poor.refund(payment, { amount: 1 }),
    )
    assert.deepEqual([none.available, none.needed], [0, 1])
    await poor.ask('POST', '/wallets/simulate-fund', { currency: 'ngn', amount: 100_000 })
    const { data } = await poor.refund(payment)
    assert.equal((await poor.refundEnded(data.id)).status, 'completed')
    assert.deepEqual(await poor.balance(), { available: 0, pending: 0 })
  })

  it('gives the money back to the wallet when the rail fails', async () => {
    const from = (account_number: string) => merchant.takeTransfer({ ...ada, account_number })
    for (const [make, reason] of [
      [() => from('0000000001'), 'invalid_account'],
      [() => from('0000000005'), 'rejected'],
      [() => merchant.takeCard('4000000000005126'), 'rejected'],
    ] as const) {
      const payment = await make()
      const before = await merchant.balance()
      const { status, data } = await merchant.refund(payment, { amount: 400_000 })
      assert.equal(status, 201)
      const done = await merchant.refundEnded(data.id)
      assert.deepEqual([done.status, done.failure_reason], ['failed', reason])
      assert.deepEqual(await merchant.balance(), before)
      assert.equal((await merchant.readPayment(payment)).amount_refunded, 0)
      assert.equal((await merchant.verify(done.transaction)).status, 'failed')
      const told = await merchant.eventsByType(data.id)
      assert.deepEqual(Object.keys(told).sort(), ['refund.failed', 'refund.initiated'])
      assert.deepEqual(told['refund.failed'].payload, done)
      // What failed can be tried again, whole.
      const again = await merchant.refund(
        payment,
        payment.method === 'card' ? {} : { destination: bank },
      )
      assert.deepEqual([again.status, again.data.amount], [201, 500_000])
      assert.equal(
        (await merchant.refundEnded(again.data.id)).status,
        payment.method === 'card' ? 'failed' : 'completed',
      )
    }
  })

  for (const account_number of ['0000000006', '0000000007'])
    it(`pays account ${account_number} once though an answer is lost`, async () => {
      const payment = await merchant.takeTransfer({ ...ada, account_number })
      const before = await merchant.balance()
      const { data } = await merchant.refund(payment)
      const done = await merchant.refundEnded(data.id)
      assert.equal(done.status, 'completed')
      assert.deepEqual(await merchant.balance(), {
        available: before.available - 500_000,
        pending: 0,
      })
      const { db } = server.app
      assert.equal(
        (await db.query('select from sandbox_orders where id = $1', [data.id])).length,
        1,
      )
      const postings = await db.query<{ kind: string }>(
        'select kind from ledger_postings where subject = $1 order by id',
        [data.id],
      )
      assert.deepEqual(
        postings.map((row) => row.kind),
        ['refund_hold', 'refund_sent'],
      )
      assert.deepEqual(Object.keys(await merchant.eventsByType(data.id)).sort(), [
        'refund.completed',
        'refund.initiated',
      ])
    })

  it('sends back by itself what a payment does not keep, and counts it', async () => {
    const payment = await merchant.openPayment({ on_mismatch: 'reverse' })
    const payer = merchant.payerOf(payment)
    const before = await merchant.balance()
    await payer.transfer(200_000, ada)
    const [less] = await merchant.refundsOf(payment)
    assert.deepEqual(
      [less.amount, less.automatic, less.destination.account_number],
      [200_000, true, '0123456789'],
    )
    await merchant.refundEnded(less.id)
    assert.deepEqual(await merchant.balance(), before)
    await payer.transfer(500_700, ada)
    const [more] = await merchant.refundsOf(payment)
    assert.deepEqual([more.amount, more.automatic], [700, true])
    await merchant.refundEnded(more.id)
    const paid = await merchant.readPayment(payment)
    assert.deepEqual(
      [paid.status, paid.amount_received, paid.amount_refunded, paid.net],
      ['completed', 700_700, 200_700, 495_000],
    )
    const { data } = await merchant.refund(payment)
    assert.deepEqual([data.amount, data.automatic], [500_000, false])
    await merchant.refundEnded(data.id)
    assert.deepEqual(await merchant.balance(), { available: before.available - 5_000, pending: 0 })
  })

  it('lists newest first, by payment and by status', async () => {
    const payment = await merchant.takePayment('card')
    const made = []
    for (const amount of [1, 2, 3]) {
      const { data } = await merchant.refund(payment, { amount })
      made.unshift(await merchant.refundEnded(data.id))
    }
    const all = await merchant.ask('GET', `/refunds?payment=${payment.id}`)
    assert.deepEqual(all.docs, made)
    assert.equal(all.totalDocs, 3)
    const rest = await merchant.ask(
      'GET',
      `/refunds?payment=${payment.id}&after=${made[0].id}&limit=1`,
    )
    assert.deepEqual(rest.docs, [made[1]])
    const failed = await merchant.ask('GET', '/refunds?status=failed&limit=100')
    assert.ok(failed.docs.length > 0)
    assert.ok(failed.docs.every((refund: Json) => refund.status === 'failed'))
    assert.equal(
      (await merchant.ask('GET', `/refunds?payment=${payment.id}&status=failed`)).totalDocs,
      0,
    )
    for (const query of [
      'limit=101',
      'limit=0',
      'page=0',
      'status=done',
      'payment=nonsense',
      'amount=0',
      'reason=x',
    ])
      assert.equal((await merchant.call('GET', `/refunds?${query}`)).status, 422, query)
    const live = await server.callAs(server.liveKey)('GET', '/refunds')
    assert.equal(live.data.totalDocs, 0)
  })

  it('tells what the interface description says it tells', async () => {
    const { docs } = await merchant.ask('GET', '/events?limit=100')
    const told = docs.filter(({ type }: Json) => type.startsWith('refund.'))
    await assertEventsFit(server, told, ['refund.completed', 'refund.failed', 'refund.initiated'])
  })

  it('has end states for every state', () => {
    for (const [state, triggers] of Object.entries(refundStates.table))
      assert.equal(Object.keys(triggers).length === 0, state === 'failed')
  })
})

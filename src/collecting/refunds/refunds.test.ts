import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { assertEventsFit } from '../../../test/events.ts'
import { type Call, makeCall, snapshot, startServer, type TestServer, until } from '../../../test/harness.ts'
import { createBusiness } from '../../books/businesses/businesses.ts'
import { refundStates } from './states.ts'

const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const bank = { bank_code: '058', account_number: '0123456789' }
const ada = { account_name: 'Ada Okafor', bank_name: 'Guaranty Trust Bank', ...bank }
const american = {
  country: 'us',
  routing_number: '110000000',
  account_number: '000123456789',
  account_name: 'Ada Okafor',
  account_type: 'checking',
}

// biome-ignore lint/suspicious/noExplicitAny: answers come in every shape
type Json = any

/** What a payer and a merchant do before anything can be refunded. */
function actor(server: TestServer, call: Call) {
  const must = async (method: string, path: string, body?: unknown): Promise<Json> => {
    const answer = await call(method, path, body)
    assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.data
  }
  const open = (more: object = {}): Promise<Json> =>
    must('POST', '/payments', { amount: 500_000, currency: 'ngn', ...more })
  /** Posts a form of a hosted page as a browser does. */
  const post = async (payment: Json, form: string, fields: Record<string, string> = {}): Promise<void> => {
    const page = `${server.url}${new URL(payment.checkout_url).pathname}`
    const shown = await fetch(page)
    const token = /name="token" value="([^"]+)"/.exec(await shown.text())?.[1] ?? ''
    const cookie = shown.headers.get('set-cookie')?.split(';')[0] ?? ''
    const body = new URLSearchParams({ token, ...fields })
    const answer = await fetch(`${page}/${form}`, { method: 'POST', redirect: 'manual', headers: { cookie }, body })
    assert.equal(answer.status, 303, await answer.text())
  }
  const account = async (payment: Json): Promise<Json> => {
    await post(payment, 'transfer')
    const { docs } = await must('GET', '/virtual-accounts?limit=100')
    return docs.find((one: Json) => one.payment === payment.id)
  }
  return {
    call,
    must,
    open,
    account,
    pay: (payment: Json, number: string) => post(payment, 'card', { number, expiry: '12/99', cvc: '123' }),
    /** A payment that was paid by the way that payers take. */
    async paid(method: 'card' | 'bank_transfer' | 'crypto', more: object = {}): Promise<Json> {
      const { id } = await open(more)
      return must('POST', `/payments/${id}/simulate`, { outcome: 'completed', method })
    },
    async paidByCard(number: string, more: object = {}): Promise<Json> {
      const payment = await open(more)
      await post(payment, 'card', { number, expiry: '12/99', cvc: '123' })
      return must('GET', `/payments/${payment.id}`)
    },
    /** A payment that was paid by transfer; the bank tells of the sender what is given here. */
    async paidFrom(sender: object | undefined, more: object = {}): Promise<Json> {
      const payment = await open(more)
      const { id } = await account(payment)
      await must('POST', `/virtual-accounts/${id}/simulate-deposit`, sender ? { sender } : {})
      return must('GET', `/payments/${payment.id}`)
    },
    refund: (payment: Json, more: object = {}) => call('POST', '/refunds', { payment: payment.id, ...more }),
    ended: (id: string): Promise<Json> =>
      until(async () => {
        const data = await must('GET', `/refunds/${id}`)
        return data.status === 'initiated' ? null : data
      }),
    wallet: async (currency: string): Promise<{ available: number; pending: number }> => {
      const [{ available, pending }] = await must('GET', `/wallets?currency=${currency}`)
      return { available, pending }
    },
    async events(id: string): Promise<Record<string, Json>> {
      const { docs } = await must('GET', '/events?limit=100')
      const mine = docs.filter((event: Json) => event.payload.id === id)
      assert.equal(new Set(mine.map((event: Json) => event.type)).size, mine.length, 'an event was told twice')
      return Object.fromEntries(mine.map((event: Json) => [event.type, event]))
    },
  }
}

/** Waits until nothing is to be done at once, so that only what a request does shows in a snapshot. */
const quiet = (server: TestServer) =>
  until(async () => {
    const [row] = await server.app.db.query<{ busy: boolean }>(
      `select exists (select from timers where due_at is null) or exists (select from graphile_worker._private_jobs) as busy`,
    )
    return row?.busy === false
  })

const feesOf = async (server: TestServer): Promise<unknown> =>
  server.app.db.query(`select currency, balance from ledger_accounts where purpose = 'fees' order by id`)

describe('refunds', () => {
  let server: TestServer
  let my: ReturnType<typeof actor>
  before(async () => {
    server = await startServer()
    my = actor(server, server.call)
    await server.fund('ngn', 50_000_000)
    await server.fund('usd', 5_000_000)
  })
  after(() => server.stop())

  /** Refuses with exactly this answer, and leaves no trace. */
  async function refused(status: number, code: string, ask: () => ReturnType<Call>): Promise<Json> {
    await quiet(server)
    const before = await snapshot(server.app)
    const answer = await ask()
    assert.deepEqual([answer.status, answer.code], [status, code], JSON.stringify(answer.body))
    assert.deepEqual(await snapshot(server.app), before)
    return answer.body.errors
  }

  it('gives a whole payment back to the card, and not the fee', async () => {
    const payment = await my.paid('card', { metadata: { order: 7 } })
    const before = await my.wallet('ngn')
    const fees = await feesOf(server)
    const { status, data } = await my.refund(payment, { reason: 'Returned', metadata: { ticket: 9 } })
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
        tx_hash: null,
        transaction: '',
        livemode: false,
        metadata: { ticket: 9 },
        created_at: '',
        updated_at: '',
      },
    )
    const done = await my.ended(data.id)
    assert.deepEqual([done.status, done.failure_reason], ['completed', null])
    assert.match(done.provider_reference, /^sbx_/)
    assert.deepEqual(await my.wallet('ngn'), { available: before.available - 500_000, pending: 0 })
    assert.deepEqual(await feesOf(server), fees)

    const after = await my.must('GET', `/payments/${payment.id}`)
    assert.deepEqual(
      [after.status, after.amount_received, after.amount_refunded, after.fee, after.net],
      ['completed', 500_000, 500_000, 7_500, 492_500],
    )
    const transaction = await my.must('GET', `/transactions/${done.transaction}/verify`)
    assert.deepEqual(
      [transaction.type, transaction.direction, transaction.method, transaction.status, transaction.currency],
      ['refund', 'debit', 'card', 'completed', 'ngn'],
    )
    assert.deepEqual(
      [transaction.amount, transaction.fee, transaction.net, transaction.balance_after, transaction.related],
      [500_000, 0, 500_000, before.available - 500_000, { refund: data.id, payment: payment.id }],
    )
    const told = await my.events(data.id)
    assert.deepEqual(Object.keys(told).sort(), ['refund.completed', 'refund.initiated'])
    assert.deepEqual(told['refund.initiated'].payload, data)
    assert.deepEqual(told['refund.completed'].payload, done)
    await server.assertBooksClean()
  })

  it('gives a part back, then the rest, and then nothing more', async () => {
    const payment = await my.paid('bank_transfer')
    const before = await my.wallet('ngn')
    const left = await refused(400, 'refund_too_large', () => my.refund(payment, { amount: 500_001 }))
    assert.equal(left.left, 500_000)
    const first = await my.refund(payment, { amount: 123_456 })
    assert.equal((await my.ended(first.data.id)).status, 'completed')
    assert.equal((await my.must('GET', `/payments/${payment.id}`)).amount_refunded, 123_456)
    const less = await refused(400, 'refund_too_large', () => my.refund(payment, { amount: 376_545 }))
    assert.equal(less.left, 376_544)
    const second = await my.refund(payment)
    assert.equal(second.data.amount, 376_544)
    await my.ended(second.data.id)
    for (const more of [{}, { amount: 1 }]) {
      const none = await refused(400, 'refund_too_large', () => my.refund(payment, more))
      assert.equal(none.left, 0)
    }
    assert.equal((await my.must('GET', `/payments/${payment.id}`)).amount_refunded, 500_000)
    assert.deepEqual(await my.wallet('ngn'), { available: before.available - 500_000, pending: 0 })
    await server.assertBooksClean()
  })

  it('refuses what cannot be refunded', async () => {
    const pending = await my.open()
    await refused(400, 'payment_not_refundable', () => my.refund(pending))
    await my.must('POST', `/payments/${pending.id}/simulate`, { outcome: 'underpaid', method: 'bank_transfer' })
    await refused(400, 'payment_not_refundable', () => my.refund(pending, { amount: 1 }))
    for (const end of ['cancel', 'expired', 'failed']) {
      const payment = await my.open()
      if (end === 'cancel') await my.must('POST', `/payments/${payment.id}/cancel`)
      else await my.must('POST', `/payments/${payment.id}/simulate`, { outcome: end })
      await refused(400, 'payment_not_refundable', () => my.refund(payment))
    }
    await refused(404, 'not_found', () => my.refund({ id: '0'.repeat(24) }))
    const paid = await my.paid('bank_transfer')
    const stranger = makeCall(server.url, (await createBusiness(server.app, 'Stranger')).test_key)
    await refused(404, 'not_found', () => stranger('POST', '/refunds', { payment: paid.id }))
    const live = server.callAs(server.liveKey)
    await refused(404, 'not_found', () => live('POST', '/refunds', { payment: paid.id }))
    await refused(404, 'not_found', () => my.call('GET', '/refunds/nonsense'))
    await refused(404, 'not_found', () => my.call('GET', `/refunds/${'0'.repeat(24)}`))
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
      await refused(422, 'validation_failed', () => my.refund(paid, change))
  })

  it('pays a part of an expired payment back', async () => {
    const payment = await my.open({ amount: 200_000 })
    const { id } = await my.account(payment)
    await my.must('POST', `/virtual-accounts/${id}/simulate-deposit`, { amount: 50_000, sender: ada })
    await my.must('POST', `/payments/${payment.id}/simulate`, { outcome: 'expired' })
    const { status, data } = await my.refund(payment)
    assert.deepEqual([status, data.amount, data.destination.account_number], [201, 50_000, ada.account_number])
    assert.equal((await my.ended(data.id)).status, 'completed')
    const after = await my.must('GET', `/payments/${payment.id}`)
    assert.deepEqual([after.status, after.amount_refunded], ['expired', 50_000])
    await server.assertBooksClean()
  })

  const other = { account_name: 'Bola Eze', bank_code: '044', account_number: '0690000031' }
  /** 200,000 from Ada, 120,000 from Bola, 80,000 from nobody knows whom, and the last 100,000 by card. */
  async function mixed(): Promise<{ payment: Json; transactions: string[] }> {
    const payment = await my.open()
    const { id } = await my.account(payment)
    const transactions = []
    for (const [amount, sender] of [
      [200_000, ada],
      [120_000, other],
      [80_000, undefined],
    ] as const)
      transactions.push(
        (await my.must('POST', `/virtual-accounts/${id}/simulate-deposit`, { amount, sender })).id as string,
      )
    await my.must('POST', `/payments/${payment.id}/simulate`, { outcome: 'completed', method: 'card' })
    const paid = await my.must('GET', `/payments/${payment.id}`)
    assert.deepEqual([paid.status, paid.amount_received, paid.method], ['completed', 500_000, 'card'])
    return { payment: paid, transactions: [...transactions, paid.transaction] }
  }

  it('sends each part back to where it came from, and no more than came from there', async () => {
    const { payment, transactions } = await mixed()
    const [fromAda, fromBola, fromNobody, fromCard] = transactions
    const foreign = (await my.paid('card')).transaction
    const before = await my.wallet('ngn')
    const most = await refused(400, 'refund_too_large', () => my.refund(payment, { amount: 100_001 }))
    assert.equal(most.left, 100_000)
    for (const [transaction, left] of [
      [fromAda, 200_000],
      [fromBola, 120_000],
      [fromCard, 100_000],
    ] as const) {
      const ask = () => my.refund(payment, { transaction, amount: left + 1 })
      assert.equal((await refused(400, 'refund_too_large', ask)).left, left)
    }
    await refused(400, 'destination_required', () => my.refund(payment, { transaction: fromNobody }))
    await refused(400, 'invalid_destination', () => my.refund(payment, { transaction: fromCard, destination: bank }))
    for (const transaction of [foreign, '0'.repeat(24)])
      await refused(404, 'not_found', () => my.refund(payment, { transaction }))
    await refused(422, 'validation_failed', () => my.refund(payment, { transaction: 'nonsense' }))

    for (const [more, amount, last] of [
      [{ transaction: fromAda, amount: 50_000 }, 50_000, '0123456789'],
      [{}, 100_000, '4242'],
      [{ transaction: fromAda }, 150_000, '0123456789'],
      [{ transaction: fromNobody, destination: bank }, 80_000, '0123456789'],
      [{}, 120_000, '0690000031'],
    ] as const) {
      const { status, data } = await my.refund(payment, more)
      assert.equal(status, 201, JSON.stringify([more, data]))
      assert.deepEqual([data.amount, data.destination.card?.last4 ?? data.destination.account_number], [amount, last])
      assert.equal((await my.ended(data.id)).status, 'completed')
    }
    await refused(400, 'refund_too_large', () => my.refund(payment))
    for (const transaction of transactions) await refused(404, 'not_found', () => my.refund(payment, { transaction }))
    assert.equal((await my.must('GET', `/payments/${payment.id}`)).amount_refunded, 500_000)
    assert.deepEqual(await my.wallet('ngn'), { available: before.available - 500_000, pending: 0 })
    await server.assertBooksClean()
  })

  it('sends to a destination what did not come by card, and no more', async () => {
    const { payment, transactions } = await mixed()
    const destination = american
    const most = await refused(400, 'refund_too_large', () => my.refund(payment, { destination, amount: 400_001 }))
    assert.equal(most.left, 400_000)
    const first = await my.refund(payment, { transaction: transactions[1], amount: 100_000 })
    await my.ended(first.data.id)
    const second = await my.refund(payment, { destination, amount: 150_000 })
    await my.ended(second.data.id)
    // Of the four hundred that came by transfer, a hundred and fifty are left, however they are asked for.
    let back = 0
    for (const transaction of transactions.slice(0, 3)) {
      const { status, data } = await my.refund(payment, { transaction, destination: bank })
      assert.ok(status === 201 || status === 404, JSON.stringify(data))
      if (status !== 201) continue
      back += data.amount
      await my.ended(data.id)
    }
    assert.equal(back, 150_000)
    await refused(400, 'invalid_destination', () => my.refund(payment, { destination }))
    const { data } = await my.refund(payment)
    assert.deepEqual([data.method, data.amount], ['card', 100_000])
    await my.ended(data.id)
    await server.assertBooksClean()
  })

  it('takes what goes elsewhere from the transaction that is named, and leaves the others whole', async () => {
    const { payment, transactions } = await mixed()
    const [fromAda, fromBola, fromNobody] = transactions
    for (const [transaction, destination, amount] of [
      [fromAda, american, 200_000],
      [fromNobody, bank, 80_000],
      [fromBola, undefined, 120_000],
    ] as const) {
      const { status, data } = await my.refund(payment, { transaction, destination })
      assert.deepEqual([status, data.amount], [201, amount])
      await my.ended(data.id)
    }
  })

  it('takes what goes to one payer beyond their part from what the others sent, not from the card', async () => {
    const { payment, transactions } = await mixed()
    const destination = { bank_code: ada.bank_code, account_number: ada.account_number }
    const { data } = await my.refund(payment, { destination, amount: 350_000 })
    await my.ended(data.id)
    let back = 0
    for (const transaction of transactions.slice(0, 3)) {
      const rest = await my.refund(payment, { transaction, destination: bank })
      if (rest.status === 404) continue
      back += rest.data.amount
      await my.ended(rest.data.id)
    }
    assert.equal(back, 50_000)
    const card = await my.refund(payment)
    assert.deepEqual([card.data.method, card.data.amount], ['card', 100_000])
    await my.ended(card.data.id)
  })

  it('counts a failed refund as none, also where it went', async () => {
    const { payment, transactions } = await mixed()
    const [, , fromNobody] = transactions
    const destination = { bank_code: '058', account_number: '0000000001' }
    const first = await my.refund(payment, { transaction: fromNobody, destination })
    assert.equal((await my.ended(first.data.id)).status, 'failed')
    const { data } = await my.refund(payment, { transaction: fromNobody, destination: bank })
    assert.equal(data.amount, 80_000)
    await my.ended(data.id)
  })

  it('makes one refund of a reference, and one of an Idempotency-Key', async () => {
    const [one, other] = [await my.paid('card'), await my.paid('card')]
    const { data } = await my.refund(one, { reference: 'r-1', amount: 100 })
    assert.equal(data.reference, 'r-1')
    await my.ended(data.id)
    await refused(409, 'duplicate_reference', () => my.refund(other, { reference: 'r-1' }))
    await refused(409, 'duplicate_reference', () => my.refund(one, { reference: 'r-1', amount: 100 }))
    const ask = () =>
      my.call('POST', '/refunds', { payment: other.id, amount: 5_000 }, { 'idempotency-key': 'refund-1' })
    const [first, second] = [await ask(), await ask()]
    assert.deepEqual([first.status, second.status], [201, 201])
    assert.equal(second.headers.get('idempotent-replayed'), 'true')
    assert.deepEqual(second.body, first.body)
    assert.equal((await my.must('GET', `/refunds?payment=${other.id}`)).totalDocs, 1)
    await my.ended(first.data.id)
  })

  it('never takes more out of the wallet than is there', async () => {
    const poor = actor(server, makeCall(server.url, (await createBusiness(server.app, 'Poor')).test_key))
    const payment = await poor.paid('card', { amount: 100_000 })
    const short = await refused(400, 'insufficient_funds', () => poor.refund(payment))
    assert.deepEqual([short.available, short.needed], [98_500, 100_000])
    await poor.must('POST', '/payouts', {
      reference: 'all',
      amount: 98_500,
      currency: 'ngn',
      method: 'bank_transfer',
      destination: bank,
    })
    await until(async () => (await poor.must('GET', '/payouts/all')).status === 'completed')
    const none = await refused(400, 'insufficient_funds', () => poor.refund(payment, { amount: 1 }))
    assert.deepEqual([none.available, none.needed], [0, 1])
    await poor.must('POST', '/wallets/simulate-fund', { currency: 'ngn', amount: 100_000 })
    const { data } = await poor.refund(payment)
    assert.equal((await poor.ended(data.id)).status, 'completed')
    assert.deepEqual(await poor.wallet('ngn'), { available: 0, pending: 0 })
    await server.assertBooksClean()
  })

  it('sends a card payment back to its card only', async () => {
    for (const [number, brand, last4] of [
      ['5555 5555 5555 4444', 'mastercard', '4444'],
      ['5060666666666666666', 'verve', '6666'],
      ['4000000000000259', 'visa', '0259'],
    ] as const) {
      const opened = await my.paidByCard(number, { currency: 'usd', amount: 2_000 })
      const payment = await until(async () => {
        const data = await my.must('GET', `/payments/${opened.id}`)
        return data.status === 'completed' ? data : null
      })
      for (const destination of [bank, american, { currency: 'usdc', chain: 'base', address }])
        await refused(400, 'invalid_destination', () => my.refund(payment, { destination }))
      const { data } = await my.refund(payment)
      assert.deepEqual([data.method, data.destination], ['card', { card: { brand, last4 } }])
      assert.deepEqual([data.amount, data.destination_amount, data.destination_currency], [2_000, 2_000, 'usd'])
      assert.equal((await my.ended(data.id)).status, 'completed')
    }
  })

  it('sends a transfer back to the account it came from', async () => {
    const naira = await my.refund(await my.paidFrom(ada))
    assert.equal(naira.data.method, 'bank_transfer')
    assert.deepEqual(naira.data.destination, { ...ada, currency: 'ngn', country: 'ng' })
    const dollars = await my.refund(await my.paid('bank_transfer', { currency: 'usd', amount: 9_900 }))
    assert.deepEqual(dollars.data.destination, { ...american, currency: 'usd', bank_name: 'Sandbox Bank' })
    assert.deepEqual([dollars.data.destination_amount, dollars.data.destination_currency], [9_900, 'usd'])
    for (const { data } of [naira, dollars]) assert.equal((await my.ended(data.id)).status, 'completed')
    await server.assertBooksClean()
  })

  it('knows a naira sender by the name of the bank', async () => {
    const { status, data } = await my.refund(await my.paidFrom({ ...ada, bank_code: undefined }))
    assert.deepEqual([status, data.destination], [201, { ...ada, currency: 'ngn', country: 'ng' }])
    await my.ended(data.id)
  })

  it('knows a dollar sender by the routing number that stands as its bank code', async () => {
    const sender = { account_name: 'Ada Okafor', account_number: '000123456789', bank_code: '110000000' }
    const { status, data } = await my.refund(await my.paidFrom(sender, { currency: 'usd', amount: 9_900 }))
    assert.equal(status, 201)
    assert.deepEqual(data.destination, { ...american, currency: 'usd', bank_name: 'Sandbox Bank' })
    await my.ended(data.id)
  })

  it('asks for a destination when the sender is not known well enough', async () => {
    for (const [sender, currency] of [
      [undefined, 'ngn'],
      [{ account_name: 'Ada Okafor' }, 'ngn'],
      [{ account_number: '0123456789' }, 'ngn'],
      [{ ...ada, account_number: '012345678' }, 'ngn'],
      [{ ...ada, bank_code: '000' }, 'ngn'],
      [{ ...ada, bank_code: undefined, bank_name: 'Bank of Nowhere' }, 'ngn'],
      [{ account_number: '000123456789', bank_code: '110000000' }, 'usd'],
      [{ account_name: 'Ada', account_number: '000123456789', bank_code: '110000001' }, 'usd'],
    ] as const) {
      const payment = await my.paidFrom(sender, { currency, amount: 40_000 })
      await refused(400, 'destination_required', () => my.refund(payment))
      const destination = currency === 'ngn' ? bank : american
      const { status, data } = await my.refund(payment, { destination })
      assert.deepEqual([status, data.method, data.destination_currency], [201, 'bank_transfer', currency])
      assert.equal(data.destination.account_number, destination.account_number)
      if (currency === 'ngn') assert.match(data.destination.resolved_account_name, /\w+ \w+/)
      await my.ended(data.id)
    }
  })

  it('sends it where the merchant says, in the currency that arrives there', async () => {
    const other = { bank_code: '044', account_number: '0690000031' }
    const { data } = await my.refund(await my.paidFrom(ada), { destination: other })
    assert.deepEqual(
      [data.destination.bank_code, data.destination.account_number, data.rate],
      ['044', '0690000031', '1'],
    )
    const abroad = await my.refund(await my.paidFrom(ada, { amount: 15_500_000 }), { destination: american })
    assert.deepEqual([abroad.data.destination_currency, abroad.data.destination_amount], ['usd', 9_999])
    const token = await my.refund(await my.paidFrom(undefined, { currency: 'usd', amount: 9_900 }), {
      destination: { currency: 'usdc', chain: 'base', address },
    })
    assert.deepEqual(
      [token.data.method, token.data.rate, token.data.destination_amount, token.data.destination_currency],
      ['crypto', '1', 9_900, 'usdc'],
    )
    for (const { data: made } of [{ data }, abroad, token]) assert.equal((await my.ended(made.id)).status, 'completed')
    await server.assertBooksClean()
  })

  const badDestinations: [string, object, number, string][] = [
    ['unknown bank', { bank_code: '000', account_number: '0123456789' }, 400, 'unknown_bank'],
    ['nine digits', { bank_code: '058', account_number: '012345678' }, 400, 'invalid_destination'],
    ['no such account', { bank_code: '058', account_number: '0000000003' }, 400, 'account_not_found'],
    ['dollars to a Nigerian bank', { ...bank, currency: 'usd' }, 400, 'currency_mismatch'],
    ['no account', { bank_code: '058' }, 422, 'validation_failed'],
    ['nothing', {}, 422, 'validation_failed'],
    ['a card', { card: { last4: '4242' } }, 422, 'validation_failed'],
    ['a chain on a bank', { ...bank, chain: 'base' }, 422, 'validation_failed'],
    ['a token without a chain', { currency: 'usdc', address }, 422, 'validation_failed'],
    ['a token without an address', { currency: 'usdc', chain: 'base' }, 422, 'validation_failed'],
    ['another chain', { currency: 'usdc', chain: 'bitcoin', address }, 400, 'unsupported_chain'],
    ['naira on a chain', { currency: 'ngn', chain: 'base', address }, 400, 'currency_mismatch'],
    ['no capitals', { currency: 'usdc', chain: 'base', address: address.toLowerCase() }, 400, 'invalid_address'],
    ['nobody', { currency: 'usdc', chain: 'base', address: `0x${'0'.repeat(40)}` }, 400, 'invalid_destination'],
    ['a wrong check digit', { ...american, routing_number: '110000001' }, 400, 'invalid_destination'],
    ['no account type', { ...american, account_type: undefined }, 422, 'validation_failed'],
  ]
  it('refuses a bad destination', async () => {
    const payment = await my.paidFrom(undefined)
    for (const [what, destination, status, code] of badDestinations)
      await refused(status, code, () => my.refund(payment, { destination })).catch((error) => {
        throw new Error(what, { cause: error })
      })
  })

  it('sends tokens back to where they came from, in the same token', async () => {
    const dollars = await my.refund(await my.paid('crypto', { currency: 'usd', amount: 9_900 }))
    assert.deepEqual(
      [dollars.data.method, dollars.data.destination.address, dollars.data.destination_amount],
      ['crypto', address, 9_900],
    )
    const { tx_hash, status } = await my.ended(dollars.data.id)
    assert.equal(status, 'completed')
    assert.match(tx_hash, /^0x[0-9a-f]{64}$/)

    const naira = await my.paid('crypto', { amount: 1_000_000 })
    const before = await my.wallet('ngn')
    for (const amount of [1, 1_550]) await refused(400, 'amount_too_small', () => my.refund(naira, { amount }))
    const dust = await my.refund(naira, { amount: 1_551 })
    assert.deepEqual([dust.data.amount, dust.data.destination_amount], [1_551, 1])
    await my.ended(dust.data.id)
    const rest = await my.refund(naira)
    // 998,449 kobo at 0.00064516129 are 644.16 cents.
    assert.deepEqual(
      [rest.data.amount, rest.data.destination_amount, rest.data.destination_currency, rest.data.rate],
      [998_449, 644, rest.data.destination.currency, '0.00064516129'],
    )
    assert.match(rest.data.destination.currency, /^usd[ct]$/)
    await my.ended(rest.data.id)
    assert.deepEqual(await my.wallet('ngn'), { available: before.available - 1_000_000, pending: 0 })
    await server.assertBooksClean()
  })

  it('gives the money back to the wallet when the rail fails', async () => {
    const from = (account_number: string) => my.paidFrom({ ...ada, account_number })
    for (const [make, reason] of [
      [() => from('0000000001'), 'invalid_account'],
      [() => from('0000000005'), 'rejected'],
      [() => my.paidByCard('4000000000005126'), 'rejected'],
    ] as const) {
      const payment = await make()
      const before = await my.wallet('ngn')
      const { status, data } = await my.refund(payment, { amount: 400_000 })
      assert.equal(status, 201)
      const done = await my.ended(data.id)
      assert.deepEqual([done.status, done.failure_reason], ['failed', reason])
      assert.deepEqual(await my.wallet('ngn'), before)
      assert.equal((await my.must('GET', `/payments/${payment.id}`)).amount_refunded, 0)
      assert.equal((await my.must('GET', `/transactions/${done.transaction}/verify`)).status, 'failed')
      const told = await my.events(data.id)
      assert.deepEqual(Object.keys(told).sort(), ['refund.failed', 'refund.initiated'])
      assert.deepEqual(told['refund.failed'].payload, done)
      // What failed can be tried again, whole.
      const again = await my.refund(payment, payment.method === 'card' ? {} : { destination: bank })
      assert.deepEqual([again.status, again.data.amount], [201, 500_000])
      assert.equal((await my.ended(again.data.id)).status, payment.method === 'card' ? 'failed' : 'completed')
    }
    await server.assertBooksClean()
  })

  for (const account_number of ['0000000006', '0000000007'])
    it(`pays account ${account_number} once though an answer is lost`, async () => {
      const payment = await my.paidFrom({ ...ada, account_number })
      const before = await my.wallet('ngn')
      const { data } = await my.refund(payment)
      const done = await my.ended(data.id)
      assert.equal(done.status, 'completed')
      assert.deepEqual(await my.wallet('ngn'), { available: before.available - 500_000, pending: 0 })
      const { db } = server.app
      assert.equal((await db.query('select from sandbox_orders where id = $1', [data.id])).length, 1)
      const postings = await db.query<{ kind: string }>(
        'select kind from ledger_postings where subject = $1 order by id',
        [data.id],
      )
      assert.deepEqual(
        postings.map((row) => row.kind),
        ['refund_hold', 'refund_sent'],
      )
      assert.deepEqual(Object.keys(await my.events(data.id)).sort(), ['refund.completed', 'refund.initiated'])
    })

  it('sends back by itself what a payment does not keep, and counts it', async () => {
    const payment = await my.open({ on_mismatch: 'reverse' })
    const { id } = await my.account(payment)
    const before = await my.wallet('ngn')
    const pay = (amount: number) => my.must('POST', `/virtual-accounts/${id}/simulate-deposit`, { amount, sender: ada })
    await pay(200_000)
    const [less] = (await my.must('GET', `/refunds?payment=${payment.id}`)).docs
    assert.deepEqual([less.amount, less.automatic, less.destination.account_number], [200_000, true, '0123456789'])
    await my.ended(less.id)
    assert.deepEqual(await my.wallet('ngn'), before)
    await pay(500_700)
    const [more] = (await my.must('GET', `/refunds?payment=${payment.id}`)).docs
    assert.deepEqual([more.amount, more.automatic], [700, true])
    await my.ended(more.id)
    const paid = await my.must('GET', `/payments/${payment.id}`)
    assert.deepEqual(
      [paid.status, paid.amount_received, paid.amount_refunded, paid.net],
      ['completed', 700_700, 200_700, 495_000],
    )
    const { data } = await my.refund(payment)
    assert.deepEqual([data.amount, data.automatic], [500_000, false])
    await my.ended(data.id)
    assert.deepEqual(await my.wallet('ngn'), { available: before.available - 5_000, pending: 0 })
    await server.assertBooksClean()
  })

  it('lists newest first, by payment and by status', async () => {
    const payment = await my.paid('card')
    const made = []
    for (const amount of [1, 2, 3]) {
      const { data } = await my.refund(payment, { amount })
      made.unshift(await my.ended(data.id))
    }
    const all = await my.must('GET', `/refunds?payment=${payment.id}`)
    assert.deepEqual(all.docs, made)
    assert.equal(all.totalDocs, 3)
    const rest = await my.must('GET', `/refunds?payment=${payment.id}&after=${made[0].id}&limit=1`)
    assert.deepEqual(rest.docs, [made[1]])
    const failed = await my.must('GET', '/refunds?status=failed&limit=100')
    assert.ok(failed.docs.length > 0)
    assert.ok(failed.docs.every((refund: Json) => refund.status === 'failed'))
    assert.equal((await my.must('GET', `/refunds?payment=${payment.id}&status=failed`)).totalDocs, 0)
    for (const query of ['limit=101', 'limit=0', 'page=0', 'status=done', 'payment=nonsense', 'amount=5'])
      assert.equal((await my.call('GET', `/refunds?${query}`)).status, 422, query)
    const live = await server.callAs(server.liveKey)('GET', '/refunds')
    assert.equal(live.data.totalDocs, 0)
  })

  it('tells what the interface description says it tells', async () => {
    const { docs } = await my.must('GET', '/events?limit=100')
    const told = docs.filter(({ type }: Json) => type.startsWith('refund.'))
    await assertEventsFit(server, told, ['refund.completed', 'refund.failed', 'refund.initiated'])
  })

  it('has end states for every state', () => {
    for (const [state, triggers] of Object.entries(refundStates.table))
      assert.equal(Object.keys(triggers).length === 0, state !== 'initiated')
  })
})

describe('refunds that wait', () => {
  let server: TestServer
  let my: ReturnType<typeof actor>
  before(async () => {
    server = await startServer({ SANDBOX_DELAY: '1h' })
    my = actor(server, server.call)
    await server.fund('ngn', 5_000_000)
  })
  after(() => server.stop())

  it('hold their money, and let no other refund of the payment begin', async () => {
    const payment = await my.paid('card')
    const before = await my.wallet('ngn')
    const { data } = await my.refund(payment, { amount: 200_000 })
    await quiet(server)
    assert.deepEqual(await my.wallet('ngn'), { available: before.available - 200_000, pending: 200_000 })
    assert.deepEqual(await my.must('GET', `/refunds/${data.id}`), data)
    assert.equal((await my.must('GET', `/transactions/${data.transaction}/verify`)).status, 'pending')
    assert.equal((await my.must('GET', `/payments/${payment.id}`)).amount_refunded, 0)
    assert.deepEqual((await my.must('GET', '/refunds?status=initiated')).docs, [data])
    const state = await snapshot(server.app)
    for (const more of [{}, { amount: 1 }, { amount: 900_000_000 }]) {
      const second = await my.refund(payment, more)
      assert.deepEqual([second.status, second.code], [409, 'refund_in_progress'])
    }
    assert.deepEqual(await snapshot(server.app), state)

    await my.must('POST', '/test/clock', { advance: '61m' })
    const done = await my.ended(data.id)
    assert.equal(done.status, 'completed')
    assert.deepEqual(await my.wallet('ngn'), { available: before.available - 200_000, pending: 0 })
    const rest = await my.refund(payment)
    assert.deepEqual([rest.status, rest.data.amount], [201, 300_000])
    await quiet(server)
    await my.must('POST', '/test/clock', { advance: '61m' })
    assert.equal((await my.ended(rest.data.id)).status, 'completed')
    await server.assertBooksClean()
  })

  it('end as they are told, once', async () => {
    for (const outcome of ['completed', 'failed'] as const) {
      // The bank keeps this one for ever.
      const payment = await my.paidFrom({ ...ada, account_number: '0000000002' })
      const before = await my.wallet('ngn')
      const { data } = await my.refund(payment)
      await quiet(server)
      await my.must('POST', '/test/clock', { advance: '3d' })
      assert.equal((await my.must('GET', `/refunds/${data.id}`)).status, 'initiated')
      const { status, data: done } = await my.call('POST', `/refunds/${data.id}/simulate`, { outcome })
      assert.deepEqual([status, done.status], [200, outcome])
      assert.equal(done.failure_reason, outcome === 'failed' ? 'rejected' : null)
      assert.deepEqual(done, await my.must('GET', `/refunds/${data.id}`))
      assert.deepEqual((await my.events(data.id))[`refund.${outcome}`].payload, done)
      const kept = outcome === 'failed' ? 500_000 : 0
      assert.deepEqual(await my.wallet('ngn'), { available: before.available - 500_000 + kept, pending: 0 })
      await quiet(server)
      const state = await snapshot(server.app)
      for (const again of ['completed', 'failed']) {
        const late = await my.call('POST', `/refunds/${data.id}/simulate`, { outcome: again })
        assert.deepEqual([late.status, late.code], [400, 'refund_already_final'])
      }
      assert.deepEqual(await snapshot(server.app), state)
    }
    await server.assertBooksClean()
  })

  it('can be told how to end before the rail has heard of them', async () => {
    for (const outcome of ['completed', 'failed'] as const) {
      const { data } = await my.refund(await my.paid('card'))
      const { data: done } = await my.call('POST', `/refunds/${data.id}/simulate`, { outcome })
      assert.equal(done.status, outcome)
      await quiet(server)
      await my.must('POST', '/test/clock', { advance: '2h' })
      assert.deepEqual(await my.must('GET', `/refunds/${data.id}`), done)
    }
    await server.assertBooksClean()
  })

  it('end one way when they are told both at once', async () => {
    for (let round = 0; round < 8; round++) {
      const { data } = await my.refund(await my.paid('bank_transfer', { amount: 10_000 }))
      const answers = await Promise.all(
        ['completed', 'failed'].map((outcome) => my.call('POST', `/refunds/${data.id}/simulate`, { outcome })),
      )
      const done = await my.must('GET', `/refunds/${data.id}`)
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
    await server.assertBooksClean()
  })

  it('are simulated with test keys only', async () => {
    const { data } = await my.refund(await my.paid('card'))
    await quiet(server)
    const state = await snapshot(server.app)
    const path = `/refunds/${data.id}/simulate`
    const live = await server.callAs(server.liveKey)('POST', path, { outcome: 'completed' })
    assert.deepEqual([live.status, live.code], [403, 'test_mode_only'])
    const stranger = makeCall(server.url, (await createBusiness(server.app, 'Stranger')).test_key)
    const other = await stranger('POST', path, { outcome: 'completed' })
    assert.deepEqual([other.status, other.code], [404, 'not_found'])
    const unknown = await my.call('POST', `/refunds/${'0'.repeat(24)}/simulate`, { outcome: 'failed' })
    assert.deepEqual([unknown.status, unknown.code], [404, 'not_found'])
    for (const body of [{}, { outcome: 'initiated' }, { outcome: 'failed', why: 'x' }])
      assert.equal((await my.call('POST', path, body)).status, 422)
    assert.deepEqual(await snapshot(server.app), state)
  })

  it('send a card charge that came on top back to the card', async () => {
    for (const on_mismatch of ['accept', 'reverse']) {
      const payment = await my.open({ on_mismatch })
      const { id } = await my.account(payment)
      // The answer of the card is lost, and the payer sends the money by transfer too.
      await my.pay(payment, '4000000000000259')
      await my.must('POST', `/virtual-accounts/${id}/simulate-deposit`, { sender: ada })
      await quiet(server)
      await my.must('POST', '/test/clock', { advance: '61m' })
      const twice = await until(async () => {
        const data = await my.must('GET', `/payments/${payment.id}`)
        return data.amount_received === 1_000_000 ? data : null
      })
      assert.deepEqual([twice.status, twice.method, twice.variance], ['completed', 'bank_transfer', 'overpaid'])
      const made =
        on_mismatch === 'reverse'
          ? (await my.must('GET', `/refunds?payment=${payment.id}`)).docs[0]
          : (await my.refund(payment)).data
      assert.deepEqual(
        [made.amount, made.automatic, made.destination],
        [500_000, on_mismatch === 'reverse', { card: { brand: 'visa', last4: '0259' } }],
      )
      await my.must('POST', `/refunds/${made.id}/simulate`, { outcome: 'completed' })
      const { data } = await my.refund(payment)
      assert.deepEqual([data.amount, data.destination.account_number], [500_000, ada.account_number])
      await my.must('POST', `/refunds/${data.id}/simulate`, { outcome: 'completed' })
      await server.assertBooksClean()
    }
  })

  it('stand in the way of another while the payment sends money back by itself', async () => {
    const payment = await my.open({ on_mismatch: 'reverse' })
    const { id } = await my.account(payment)
    await my.must('POST', `/virtual-accounts/${id}/simulate-deposit`, { amount: 500_700, sender: ada })
    const [automatic] = (await my.must('GET', `/refunds?payment=${payment.id}`)).docs
    assert.deepEqual([automatic.amount, automatic.status], [700, 'initiated'])
    const early = await my.refund(payment)
    assert.deepEqual([early.status, early.code], [409, 'refund_in_progress'])
    await my.must('POST', `/refunds/${automatic.id}/simulate`, { outcome: 'failed' })
    const { data } = await my.refund(payment)
    assert.equal(data.amount, 500_700)
    await my.must('POST', `/refunds/${data.id}/simulate`, { outcome: 'completed' })
    await server.assertBooksClean()
  })
})

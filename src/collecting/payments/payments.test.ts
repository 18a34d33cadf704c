import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newDatabase } from '../../../test/cluster.ts'
import { assertEventsFit } from '../../../test/events.ts'
import { type Call, makeCall, settled, snapshot, startServer, type TestServer, until } from '../../../test/harness.ts'
import { createBusiness } from '../../books/businesses/businesses.ts'
import { defaultPricing, makePricing } from '../../books/pricing/pricing.ts'
import { open, serve, verifyBooks } from '../../edge/main.ts'
import { manualClock } from '../../lib/clock.ts'
import { readConfig } from '../../lib/config.ts'
import { showMoney } from '../../lib/money.ts'

const noId = '0'.repeat(24)
const most = 9_007_199_254_740_991
const minute = 60_000
const day = 86_400_000
const methods = ['card', 'bank_transfer', 'crypto'] as const
const currencies = ['ngn', 'usd'] as const
const sender = { account_name: 'Obi Eze', account_number: '0123456789', bank_name: 'GTBank', bank_code: '058' }
const pricing = makePricing(defaultPricing)

// biome-ignore lint/suspicious/noExplicitAny: records come as JSON
type Doc = any
type Method = (typeof methods)[number]

let server: TestServer

async function refused(
  method: string,
  path: string,
  body: unknown,
  status: number,
  code: string,
  call: Call = server.call,
): Promise<Doc> {
  await settled(server.app)
  const before = await snapshot(server.app)
  const answer = await call(method, path, body)
  const what = `${method} ${path} ${JSON.stringify(body)}: ${JSON.stringify(answer.body)}`
  assert.deepEqual([answer.status, answer.code], [status, code], what)
  assert.ok(answer.body.message.length > 5)
  assert.deepEqual(await snapshot(server.app), before, what)
  return answer
}
async function opened(body: Record<string, unknown> = {}): Promise<Doc> {
  const answer = await server.call('POST', '/payments', { amount: 1_000_000, currency: 'ngn', ...body })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.data
}
const read = async (payment: { id: string }): Promise<Doc> => (await server.call('GET', `/payments/${payment.id}`)).data
const available = async (currency = 'ngn'): Promise<number> =>
  (await server.call('GET', `/wallets?currency=${currency}`)).data[0].available
const verified = async (id: string): Promise<Doc> => (await server.call('GET', `/transactions/${id}/verify`)).data
async function simulated(payment: { id: string }, outcome: string, method?: string): Promise<Doc> {
  const body = { outcome, ...(method ? { method } : {}) }
  const answer = await server.call('POST', `/payments/${payment.id}/simulate`, body)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.data
}

/** Every event there is, oldest first. */
async function allEvents(): Promise<Doc[]> {
  const events = []
  for (let page = 1; ; page++) {
    const { data } = await server.call('GET', `/events?limit=100&page=${page}`)
    events.push(...data.docs)
    if (!data.hasNextPage) return events.reverse()
  }
}
/** The events of a payment, oldest first. */
const eventsOf = async (payment: { id: string }): Promise<Doc[]> =>
  (await allEvents()).filter((event) => event.payload.id === payment.id)
const typesOf = async (payment: { id: string }): Promise<string[]> =>
  (await eventsOf(payment)).map((event) => event.type)

const texts = (html: string): string => html.replaceAll(/<(style|script)[\s\S]*?<\/\1>|<[^>]*>/g, '')
const urlOf = (payment: { checkout_url: string }): string => payment.checkout_url

/** What the payer's page says with a method chosen. */
async function pageOf(payment: { checkout_url: string }, method: string): Promise<string> {
  const response = await fetch(`${urlOf(payment)}?method=${method}`)
  assert.equal(response.status, 200)
  return texts(await response.text())
}

/** Posts a form of the payer's page, as a browser that has just opened it. */
async function posted(payment: { checkout_url: string }, form: string, fields: Record<string, string> = {}) {
  const page = await fetch(urlOf(payment))
  const cookie = page.headers.get('set-cookie')?.split(';')[0] ?? ''
  const token = /name="token" value="([^"]+)"/.exec(await page.text())?.[1] ?? ''
  const response = await fetch(`${urlOf(payment)}/${form}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie },
    body: new URLSearchParams({ token, ...fields }),
  })
  await response.text()
  return response
}
async function cardTried(payment: { checkout_url: string }, number: string): Promise<void> {
  assert.equal((await posted(payment, 'card', { number, expiry: '12/34', cvc: '123' })).status, 303)
}

/** The one-time account of a payment; opened by its payer when there is none yet. */
async function accountOf(payment: { id: string; checkout_url: string }): Promise<Doc> {
  assert.equal((await posted(payment, 'transfer')).status, 303)
  const { data } = await server.call('GET', '/virtual-accounts?limit=100')
  return data.docs.find((account: Doc) => account.payment === payment.id)
}
/** Has money arrive on an account; `from` null: the bank does not tell who sent it. */
async function sent(account: { id: string }, amount: number, from: object | null = sender): Promise<Doc> {
  const body = { amount, ...(from ? { sender: from } : {}) }
  const answer = await server.call('POST', `/virtual-accounts/${account.id}/simulate-deposit`, body)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.data
}
const refundsOf = async (payment: { id: string }): Promise<Doc[]> =>
  (await server.call('GET', `/refunds?payment=${payment.id}`)).data.docs
/** Waits until every refund of a payment has ended. */
const refunded = (payment: { id: string }, count: number): Promise<Doc[]> =>
  until(async () => {
    const refunds = await refundsOf(payment)
    return refunds.length === count && refunds.every((refund) => refund.status === 'completed') ? refunds : null
  })

describe('payments', () => {
  before(async () => {
    server = await startServer()
  })
  after(() => server.stop())

  it('open with nothing but an amount and a currency', async () => {
    const payment = await opened({ amount: 1, currency: 'usd' })
    const { id, created_at, updated_at, expires_at, checkout_url, ...rest } = payment
    assert.match(id, /^[0-9a-f]{24}$/)
    assert.equal(created_at, updated_at)
    assert.equal(Date.parse(expires_at) - Date.parse(created_at), day)
    assert.match(checkout_url.replace(server.url, ''), /^\/pay\/[0-9A-Za-z]{24}$/)
    assert.deepEqual(rest, {
      reference: `pay_${id}`,
      amount: 1,
      currency: 'usd',
      customer: null,
      email: null,
      description: null,
      methods: ['card', 'bank_transfer', 'crypto'],
      redirect_url: null,
      cancel_url: null,
      fee_bearer: 'business',
      on_mismatch: 'accept',
      status: 'pending',
      method: null,
      amount_received: 0,
      variance: null,
      transaction: null,
      fee: 0,
      net: 0,
      amount_refunded: 0,
      amount_confirming: 0,
      attempts: 0,
      failure_reason: null,
      paid_at: null,
      collection: null,
      invoice: null,
      livemode: false,
      metadata: {},
    })
    assert.deepEqual(await read(payment), payment)
    assert.deepEqual((await server.call('GET', `/payments/reference/pay_${id}`)).data, payment)
    assert.deepEqual(await typesOf(payment), [])
  })

  it('keep every field that was given', async () => {
    const customer = (await server.call('POST', '/customers', { name: 'Ada', email: 'ada@example.com' })).data
    const given = {
      reference: 'order-1.a_b:c=d',
      amount: 9_007_199_254_740_991,
      currency: 'ngn',
      customer: customer.id,
      email: 'other@example.com',
      description: 'Six <b>books</b> & a shelf',
      methods: ['crypto', 'card'],
      redirect_url: 'https://shop.example/back?order=1',
      cancel_url: 'http://localhost:3000/cart',
      expires_at: new Date(Date.now() + 7 * day).toISOString(),
      fee_bearer: 'business',
      on_mismatch: 'reverse',
      metadata: { order: { id: 1 } },
    }
    const payment = await opened(given)
    for (const [field, value] of Object.entries(given)) assert.deepEqual(payment[field], value, field)
    const byReference = await server.call('GET', `/payments/reference/${encodeURIComponent(given.reference)}`)
    assert.deepEqual(byReference.data, payment)
  })

  it('take over the customer’s email address, unless another is given', async () => {
    const customer = (await server.call('POST', '/customers', { name: 'Ada', email: 'Ada@example.com' })).data
    assert.equal((await opened({ customer: customer.id })).email, 'Ada@example.com')
    assert.equal((await opened({ customer: customer.id, email: 'b@example.com' })).email, 'b@example.com')
    await server.call('DELETE', `/customers/${customer.id}`)
    for (const id of [customer.id, noId])
      await refused('POST', '/payments', { amount: 1, currency: 'ngn', customer: id }, 400, 'customer_not_found')
  })

  it('refuse bad input, and leave no trace', async () => {
    const at = (ms: number) => new Date(Date.now() + ms).toISOString()
    const bad: [Record<string, unknown>, string][] = [
      [{ amount: undefined }, 'amount'],
      [{ amount: 0 }, 'amount'],
      [{ amount: -1 }, 'amount'],
      [{ amount: 1.5 }, 'amount'],
      [{ amount: '1' }, 'amount'],
      [{ amount: null }, 'amount'],
      [{ amount: most + 1 }, 'amount'],
      [{ currency: undefined }, 'currency'],
      [{ currency: 'eur' }, 'currency'],
      [{ currency: 'NGN' }, 'currency'],
      [{ reference: '' }, 'reference'],
      [{ reference: 'a b' }, 'reference'],
      [{ reference: 'a/b' }, 'reference'],
      [{ reference: 'x'.repeat(101) }, 'reference'],
      [{ customer: 'ada' }, 'customer'],
      [{ email: 'nobody' }, 'email'],
      [{ email: `${'x'.repeat(250)}@example.com` }, 'email'],
      [{ description: '' }, 'description'],
      [{ description: 'x'.repeat(501) }, 'description'],
      [{ description: 'a\u0000b' }, 'description'],
      [{ description: 'a\ud800' }, 'description'],
      [{ methods: [] }, 'methods'],
      [{ methods: ['cash'] }, 'methods.0'],
      [{ methods: ['card', 'card'] }, 'methods'],
      [{ methods: 'card' }, 'methods'],
      [{ fee_bearer: 'bank' }, 'fee_bearer'],
      [{ on_mismatch: 'ignore' }, 'on_mismatch'],
      [{ expires_at: at(4 * minute) }, 'expires_at'],
      [{ expires_at: at(-day) }, 'expires_at'],
      [{ expires_at: at(30 * day + minute) }, 'expires_at'],
      [{ expires_at: 'soon' }, 'expires_at'],
      [{ expires_at: '2026-13-01T00:00:00Z' }, 'expires_at'],
      [{ metadata: null }, 'metadata'],
      [{ redirect_url: '' }, 'redirect_url'],
      [{ redirect_url: `https://shop.example/${'x'.repeat(2_000)}` }, 'redirect_url'],
      [{ redirect_uri: 'https://shop.example' }, 'redirect_uri'],
    ]
    for (const [change, path] of bad) {
      const body = { amount: 1_000, currency: 'ngn', ...change }
      const { data } = await refused('POST', '/payments', body, 422, 'validation_failed')
      assert.deepEqual([data[0].path, data[0].location], [path, 'body'], JSON.stringify(change))
    }
    assert.equal((await opened({ expires_at: at(30 * day - minute) })).status, 'pending')
    assert.equal((await opened({ expires_at: at(6 * minute) })).status, 'pending')
  })

  it('send payers to https, or http on localhost, only', async () => {
    for (const url of [
      'https://shop.example',
      'https://shop.example:8443/back?x=1#end',
      'http://localhost/back',
      'http://localhost:3000',
      'http://127.0.0.1:3000/',
      'http://[::1]:3000/',
    ]) {
      const payment = await opened({ redirect_url: url, cancel_url: url })
      assert.equal(payment.redirect_url, new URL(url).href)
      assert.equal(payment.cancel_url, new URL(url).href)
    }
    for (const url of [
      'http://example.com',
      'http://localhost.example.com',
      'http://10.0.0.1',
      'javascript:alert(1)',
      'data:text/html,x',
      'ftp://shop.example',
      '//evil.example',
      '/back',
      'shop.example',
      'https://user:pass@shop.example',
      'https://user@shop.example',
      'https://',
    ])
      for (const field of ['redirect_url', 'cancel_url']) {
        const body = { amount: 1, currency: 'ngn', [field]: url }
        const { body: answer } = await refused('POST', '/payments', body, 400, 'invalid_redirect_url')
        assert.equal(answer.errors.field, field, url)
      }
  })

  it('are not opened for what could never be paid: with the fee it is more than an amount can be', async () => {
    const body = { amount: most, currency: 'ngn', fee_bearer: 'customer' }
    await refused('POST', '/payments', body, 400, 'amount_too_large')
    await refused('POST', '/payments', { ...body, methods: ['bank_transfer'] }, 400, 'amount_too_large')
    // The fee of a transfer is 300 naira at most, that of a card 2000.
    const less = { ...body, amount: most - 30_000 }
    assert.equal((await opened({ ...less, methods: ['bank_transfer'] })).status, 'pending')
    await refused('POST', '/payments', { ...less, methods: ['bank_transfer', 'card'] }, 400, 'amount_too_large')
  })

  it('keep a reference for one payment, however many ask at once', async () => {
    const body = { amount: 1_000, currency: 'ngn', reference: 'raced-1' }
    const answers = await Promise.all(Array.from({ length: 20 }, () => server.call('POST', '/payments', body)))
    assert.deepEqual(answers.map((answer) => answer.status).sort(), [201, ...Array.from({ length: 19 }, () => 409)])
    for (const { status, code, data } of answers)
      if (status === 409) assert.deepEqual([code, data], ['duplicate_reference', null])
    await refused('POST', '/payments', { ...body, amount: 5, currency: 'usd' }, 409, 'duplicate_reference')
    for (const change of [
      { expires_at: new Date(Date.now() - minute).toISOString() },
      { customer: '0'.repeat(24) },
      { redirect_url: 'ftp://shop.example' },
      { amount: most, fee_bearer: 'customer' },
    ])
      await refused('POST', '/payments', { ...body, ...change }, 409, 'duplicate_reference')
    assert.equal((await server.call('GET', '/payments/reference/raced-1')).data.amount, 1_000)
  })

  it('are listed by page, cursor and filter', async () => {
    const customer = (await server.call('POST', '/customers', { name: 'Uche', email: 'uche@example.com' })).data
    const of = { customer: customer.id }
    const [card, bank, dollars, canceled, waiting] = [
      await opened(of),
      await opened(of),
      await opened({ ...of, currency: 'usd' }),
      await opened(of),
      await opened(of),
    ]
    await simulated(card, 'completed', 'card')
    await simulated(bank, 'completed', 'bank_transfer')
    await simulated(dollars, 'completed', 'card')
    await server.call('POST', `/payments/${canceled.id}/cancel`)
    for (const [query, wanted] of [
      ['', [waiting, canceled, dollars, bank, card]],
      ['&status=completed', [dollars, bank, card]],
      ['&status=pending', [waiting]],
      ['&status=canceled', [canceled]],
      ['&status=failed', []],
      ['&currency=usd', [dollars]],
      ['&method=card', [dollars, card]],
      ['&method=card&currency=ngn&status=completed', [card]],
      ['&limit=2&page=3', [card]],
      [`&limit=2&after=${dollars.id}`, [bank, card]],
    ] as const) {
      const { data } = await server.call('GET', `/payments?customer=${customer.id}${query}`)
      assert.deepEqual(
        data.docs.map((doc: Doc) => doc.id),
        wanted.map((payment) => payment.id),
        query,
      )
    }
    assert.deepEqual((await server.call('GET', `/payments?customer=${noId}`)).data.docs, [])
    await refused('GET', `/payments?after=${noId}`, undefined, 400, 'invalid_cursor')
    for (const query of ['limit=101', 'page=0', 'status=open', 'method=cash', 'currency=eur', 'customer=x', 'email=a'])
      await refused('GET', `/payments?${query}`, undefined, 422, 'validation_failed')
  })

  it('are not found by another mode or id, and not opened in live mode', async () => {
    const live = server.callAs(server.liveKey)
    const payment = await opened({ reference: 'mine-1' })
    for (const [call, id] of [
      [server.call, noId],
      [server.call, 'nonsense'],
      [live, payment.id],
    ] as const) {
      await refused('GET', `/payments/${id}`, undefined, 404, 'not_found', call)
      await refused('POST', `/payments/${id}/cancel`, undefined, 404, 'not_found', call)
    }
    for (const id of [noId, 'nonsense'])
      await refused('POST', `/payments/${id}/simulate`, { outcome: 'completed' }, 404, 'not_found')
    const simulate = `/payments/${payment.id}/simulate`
    await refused('POST', simulate, { outcome: 'completed' }, 403, 'test_mode_only', live)
    await refused('GET', '/payments/reference/nothing', undefined, 404, 'not_found')
    await refused('GET', '/payments/reference/mine-1', undefined, 404, 'not_found', live)
    assert.equal((await live('GET', '/payments')).data.totalDocs, 0)
    for (const method of methods) {
      const body = { amount: 1_000, currency: 'ngn', methods: [method] }
      await refused('POST', '/payments', body, 400, 'rail_not_configured', live)
    }
  })

  it('take one deposit for a notice, and none for the notice of another', async () => {
    const payment = await opened()
    const path = `/virtual-accounts/${(await accountOf(payment)).id}/simulate-deposit`
    const other = `/virtual-accounts/${(await accountOf(await opened())).id}/simulate-deposit`
    const told = { amount: 400_000, sender, notice: 'of a payment' }
    const first = await server.call('POST', path, told)
    assert.deepEqual((await server.call('POST', path, told)).data, first.data)
    await refused('POST', path, { ...told, amount: 600_000 }, 409, 'notice_reused')
    await refused('POST', other, told, 409, 'notice_reused')
    assert.equal((await read(payment)).amount_received, 400_000)
  })

  it('are canceled once, and their account closes', async () => {
    const payment = await opened()
    const account = await accountOf(payment)
    const { status, data } = await server.call('POST', `/payments/${payment.id}/cancel`)
    assert.deepEqual([status, data.status, data.paid_at], [200, 'canceled', null])
    assert.deepEqual(await read(payment), data)
    assert.equal((await server.call('GET', `/virtual-accounts/${account.id}`)).data.status, 'closed')
    const events = await eventsOf(payment)
    assert.deepEqual(
      events.map((event) => event.type),
      ['payment.canceled'],
    )
    assert.deepEqual(events[0].payload, data)
    await refused('POST', `/payments/${payment.id}/cancel`, undefined, 400, 'payment_not_pending')
    const paid = await simulated(await opened(), 'completed')
    await refused('POST', `/payments/${paid.id}/cancel`, undefined, 400, 'payment_not_pending')
    const raced = await opened()
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => server.call('POST', `/payments/${raced.id}/cancel`)),
    )
    assert.equal(answers.filter((answer) => answer.status === 200).length, 1)
    assert.deepEqual(await typesOf(raced), ['payment.canceled'])
  })

  it('end in one way when they are paid and canceled at once', async () => {
    for (let i = 0; i < 5; i++) {
      const payment = await opened()
      const account = await accountOf(payment)
      const [canceled] = await Promise.all([
        server.call('POST', `/payments/${payment.id}/cancel`),
        sent(account, 1_000_000),
      ])
      const now = await read(payment)
      assert.equal(now.amount_received, 1_000_000)
      const ended = canceled.status === 200 ? 'canceled' : 'completed'
      assert.deepEqual([now.status, now.variance], [ended, ended === 'canceled' ? 'late' : 'exact'])
      assert.deepEqual(await typesOf(payment), [`payment.${ended}`])
    }
  })

  it('expire at their time, once, and their account with them', async () => {
    const payment = await opened({ expires_at: new Date(Date.now() + 10 * minute).toISOString() })
    const later = await opened()
    const account = await accountOf(payment)
    const moved = await server.call('POST', '/test/clock', { advance: '11m' })
    assert.deepEqual(
      moved.data.fired
        .filter((timer: Doc) => timer.subject === payment.id)
        .map((timer: Doc) => [timer.task, timer.due_at]),
      [['payments.expire', payment.expires_at]],
    )
    const ended = await read(payment)
    assert.deepEqual([ended.status, ended.updated_at], ['expired', payment.expires_at])
    assert.equal((await read(later)).status, 'pending')
    assert.equal((await server.call('GET', `/virtual-accounts/${account.id}`)).data.status, 'expired')
    const [event, ...more] = await eventsOf(payment)
    assert.deepEqual([event.type, event.payload, more], ['payment.expired', ended, []])
    await server.call('POST', '/test/clock', { advance: '25h' })
    assert.deepEqual(await typesOf(payment), ['payment.expired'])
    assert.deepEqual(await typesOf(later), ['payment.expired'])
    await refused('POST', `/payments/${payment.id}/cancel`, undefined, 400, 'payment_not_pending')
  })

  it('told events that fit their schemas, and left clean books', async () => {
    await assertEventsFit(server, await allEvents(), [
      'payment.canceled',
      'payment.completed',
      'payment.expired',
      'virtual_account.deposit',
    ])
    await server.assertBooksClean()
  })
})

describe('simulated payments', () => {
  before(async () => {
    server = await startServer()
  })
  after(() => server.stop())

  const fees: Record<string, number> = {
    'card ngn': 15_000,
    'bank_transfer ngn': 10_000,
    'crypto ngn': 10_000,
    'card usd': 29_030,
    'bank_transfer usd': 500,
    'crypto usd': 10_000,
  }

  for (const currency of currencies)
    for (const method of methods)
      it(`complete by ${method} in ${currency}, and pay their fee`, async () => {
        const before = await available(currency)
        const fee = fees[`${method} ${currency}`] as number
        const payment = await opened({ currency, reference: `${method}-${currency}`, metadata: { order: 1 } })
        const paid = await simulated(payment, 'completed', method)
        assert.deepEqual(await read(payment), paid)
        assert.deepEqual(
          [paid.status, paid.method, paid.variance, paid.amount_received, paid.fee, paid.net, paid.amount_refunded],
          ['completed', method, 'exact', 1_000_000, fee, 1_000_000 - fee, 0],
        )
        assert.equal(paid.attempts, method === 'card' ? 1 : 0)
        assert.ok(Date.parse(paid.paid_at) >= Date.parse(payment.created_at))
        assert.equal(await available(currency), before + 1_000_000 - fee)

        const transaction = await verified(paid.transaction)
        assert.deepEqual(
          [transaction.type, transaction.method, transaction.direction, transaction.status, transaction.late],
          ['payment', method, 'credit', 'completed', false],
        )
        assert.deepEqual([transaction.amount, transaction.fee, transaction.net], [1_000_000, fee, 1_000_000 - fee])
        assert.equal(transaction.balance_after, before + 1_000_000 - fee)
        assert.deepEqual([transaction.reference, transaction.metadata], [payment.reference, { order: 1 }])
        assert.equal(transaction.related.payment, payment.id)

        const [completed, ...more] = await eventsOf(payment)
        assert.deepEqual([completed.type, more], ['payment.completed', []])
        assert.deepEqual(completed.payload, paid)
        const deposits = (await allEvents()).filter((event) => event.payload.id === paid.transaction)
        const type = { card: [], bank_transfer: ['virtual_account.deposit'], crypto: ['crypto.deposit'] }[method]
        assert.deepEqual(
          deposits.map((event) => event.type),
          type,
        )
        for (const event of deposits) assert.deepEqual(event.payload, transaction)
        await refused('POST', `/payments/${payment.id}/simulate`, { outcome: 'completed' }, 400, 'payment_not_pending')
      })

  it('keep who paid: the card’s last digits, the account, the address', async () => {
    const source = async (method: Method, currency: string) =>
      (await verified((await simulated(await opened({ currency }), 'completed', method)).transaction)).source
    assert.deepEqual(await source('card', 'ngn'), { brand: 'visa', last4: '4242' })
    assert.equal((await source('bank_transfer', 'ngn')).account_number, '0123456789')
    assert.equal((await source('bank_transfer', 'usd')).routing_number, '110000000')
    assert.match((await source('crypto', 'usd')).address, /^0x[0-9a-fA-F]{40}$/)
  })

  for (const currency of currencies)
    for (const method of ['bank_transfer', 'crypto'] as const) {
      it(`are underpaid, then paid, by ${method} in ${currency}`, async () => {
        const before = await available(currency)
        const payment = await opened({ currency })
        const half = await simulated(payment, 'underpaid', method)
        assert.deepEqual([half.status, half.variance, half.transaction], ['pending', 'underpaid', null])
        assert.ok(half.amount_received > 0 && half.amount_received < 1_000_000)
        assert.equal(half.fee, Number(pricing.incomingFee('payment', method, currency, BigInt(half.amount_received))))
        assert.equal(half.net, half.amount_received - half.fee)
        assert.deepEqual(await typesOf(payment), [])
        const page = await pageOf(payment, method)
        assert.ok(page.includes(showMoney(BigInt(1_000_000 - half.amount_received), currency)), page)
        const paid = await simulated(payment, 'completed', method)
        const fee = fees[`${method} ${currency}`] as number
        assert.deepEqual(
          [paid.status, paid.variance, paid.amount_received, paid.fee, paid.net],
          ['completed', 'exact', 1_000_000, fee, 1_000_000 - fee],
        )
        assert.equal(await available(currency), before + 1_000_000 - fee)
        assert.deepEqual(await typesOf(payment), ['payment.completed'])
      })

      it(`are overpaid by ${method} in ${currency}`, async () => {
        const before = await available(currency)
        const payment = await opened({ currency })
        const paid = await simulated(payment, 'overpaid', method)
        const { amount_received: received, fee } = paid
        assert.deepEqual([paid.status, paid.variance], ['completed', 'overpaid'])
        assert.ok(received > 1_000_000)
        assert.equal(fee, Number(pricing.incomingFee('payment', method, currency, BigInt(received))))
        assert.deepEqual([paid.net, await available(currency)], [received - fee, before + received - fee])
        assert.ok((await pageOf(payment, method)).includes(showMoney(BigInt(received - 1_000_000), currency)))
      })
    }

  it('take a card’s money whole: it can be neither too little nor too much', async () => {
    const payment = await opened({ methods: ['card'] })
    for (const outcome of ['underpaid', 'overpaid']) {
      await refused('POST', `/payments/${payment.id}/simulate`, { outcome }, 400, 'method_not_available')
      const body = { outcome, method: 'card' }
      await refused('POST', `/payments/${(await opened()).id}/simulate`, body, 400, 'method_not_available')
    }
    // Where nothing is said, it is the first method that can be meant.
    assert.equal((await simulated(await opened(), 'underpaid')).status, 'pending')
    const first = await opened({ methods: ['card', 'crypto'] })
    assert.equal((await simulated(first, 'overpaid')).method, 'crypto')
  })

  it('fail and expire', async () => {
    for (const method of methods) {
      const failing = await opened()
      const failed = await simulated(failing, 'failed', method)
      assert.deepEqual([failed.status, failed.failure_reason, failed.method], ['failed', 'declined', null])
      const expiring = await opened()
      const expired = await simulated(expiring, 'expired', method)
      assert.deepEqual([expired.status, expired.failure_reason], ['expired', null])
      for (const [payment, now, type] of [
        [failing, failed, 'payment.failed'],
        [expiring, expired, 'payment.expired'],
      ]) {
        const events = await eventsOf(payment)
        assert.deepEqual(
          events.map((event) => [event.type, event.payload]),
          [[type, now]],
        )
        const body = { outcome: 'completed' }
        await refused('POST', `/payments/${payment.id}/simulate`, body, 400, 'payment_not_pending')
      }
    }
  })

  it('refuse what cannot happen', async () => {
    const payment = await opened({ methods: ['crypto'] })
    const path = `/payments/${payment.id}/simulate`
    for (const method of ['card', 'bank_transfer'])
      await refused('POST', path, { outcome: 'completed', method }, 400, 'method_not_available')
    for (const body of [
      {},
      { outcome: 'paid' },
      { outcome: 'completed', method: 'cash' },
      { outcome: 'failed', by: 1 },
    ])
      await refused('POST', path, body, 422, 'validation_failed')
  })

  it('undo all of a refused one', async () => {
    const payment = await opened({ amount: most, methods: ['bank_transfer'] })
    const path = `/payments/${payment.id}/simulate`
    await refused('POST', path, { outcome: 'overpaid' }, 400, 'amount_too_large')
    const crypto = await opened({ amount: most, methods: ['crypto'] })
    await refused('POST', `/payments/${crypto.id}/simulate`, { outcome: 'overpaid' }, 400, 'amount_too_large')
  })

  it('charge no card for more than the wallet can hold', async () => {
    const full = server.callAs((await createBusiness(server.app, 'Full')).test_key)
    await full('POST', '/wallets/simulate-fund', { currency: 'ngn', amount: most - 900_000 })
    const asked = { amount: 1_000_000, currency: 'ngn', methods: ['card'] }
    const { data: payment } = await full('POST', '/payments', asked)
    await refused('POST', `/payments/${payment.id}/simulate`, { outcome: 'completed' }, 400, 'amount_too_large', full)
    assert.deepEqual((await full('GET', `/payments/${payment.id}`)).data, payment)
  })

  it('run once for an Idempotency-Key', async () => {
    for (const method of methods) {
      const before = await available()
      const payment = await opened()
      const send = () =>
        server.call(
          'POST',
          `/payments/${payment.id}/simulate`,
          { outcome: 'completed', method },
          { 'idempotency-key': `simulate-${method}` },
        )
      const [first, again] = [await send(), await send()]
      assert.deepEqual([first.status, first.data.status], [200, 'completed'])
      assert.deepEqual(again.body, first.body)
      assert.equal(await available(), before + 1_000_000 - (fees[`${method} ngn`] as number))
    }
  })

  it('told events that fit their schemas, and left clean books', async () => {
    await assertEventsFit(server, await allEvents(), [
      'crypto.deposit',
      'payment.completed',
      'payment.expired',
      'payment.failed',
      'virtual_account.deposit',
    ])
    await server.assertBooksClean()
  })
})

describe('a fee that the payer bears', () => {
  before(async () => {
    server = await startServer()
  })
  after(() => server.stop())

  for (const currency of currencies)
    for (const method of methods)
      it(`comes on top of the amount, by ${method} in ${currency}`, async () => {
        const before = await available(currency)
        for (const amount of [1, 99, 1_000, 1_000_000, 99_999_999]) {
          const payment = await opened({ amount, currency, fee_bearer: 'customer' })
          const gross = Number(pricing.grossOf(method, currency, BigInt(amount)))
          assert.ok((await pageOf(payment, method)).includes(showMoney(BigInt(gross), currency)))
          const paid = await simulated(payment, 'completed', method)
          assert.deepEqual(
            [paid.status, paid.variance, paid.amount, paid.amount_received],
            ['completed', 'exact', amount, gross],
          )
          assert.ok(paid.net >= amount && paid.net <= amount + 1, `${amount}: ${paid.net}`)
          assert.equal(paid.net, gross - paid.fee)
        }
        assert.ok((await available(currency)) >= before + 1 + 99 + 1_000 + 1_000_000 + 99_999_999)
      })

  it('is due in full when the price is paid in parts', async () => {
    const payment = await opened({ fee_bearer: 'customer', methods: ['bank_transfer'] })
    const account = await accountOf(payment)
    assert.equal(account.amount, 1_010_102)
    await sent(account, 400_000)
    assert.ok((await pageOf(payment, 'bank_transfer')).includes(showMoney(610_102n, 'ngn')))
    await sent(account, 610_101)
    assert.equal((await read(payment)).status, 'pending')
    await sent(account, 1)
    const paid = await read(payment)
    assert.deepEqual([paid.status, paid.variance, paid.net], ['completed', 'exact', 1_000_000])
  })

  it('leaves the business its amount when the parts come by different ways', async () => {
    // The fee of a crypto part is larger than the whole fee of a transfer.
    const payment = await opened({ amount: 10_000_000, fee_bearer: 'customer' })
    const first = await simulated(payment, 'underpaid', 'crypto')
    await simulated(payment, 'underpaid', 'crypto')
    const paid = await simulated(payment, 'completed', 'bank_transfer')
    assert.equal(first.status, 'pending')
    assert.deepEqual([paid.status, paid.variance, paid.method], ['completed', 'exact', 'bank_transfer'])
    assert.ok(paid.net >= 10_000_000, `${paid.net}`)
    const page = await pageOf(payment, 'bank_transfer')
    assert.ok(!page.includes('Paid too much'), page)
  })

  it('can always be paid by every way while the payment is pending', async () => {
    const payment = await opened({ amount: 10_000_000, fee_bearer: 'customer' })
    // More than what the cheaper way costs in all, less than what this one does.
    for (let i = 0; i < 8; i++) await simulated(payment, 'underpaid', 'crypto')
    const now = await read(payment)
    assert.ok(now.status === 'pending' && now.amount_received > 10_030_000, `${now.amount_received}`)
    assert.equal((await posted(payment, 'transfer')).status, 303)
    const paid = await simulated(payment, 'completed', 'bank_transfer')
    assert.deepEqual([paid.status, paid.net >= 10_000_000], ['completed', true])
  })

  it('leaves clean books', () => server.assertBooksClean())
})

describe('money of a wrong amount or time', () => {
  before(async () => {
    server = await startServer()
  })
  after(() => server.stop())

  /** What a payment shows of its money. */
  const sums = ({ status, variance, amount_received, fee, net, amount_refunded }: Doc) => ({
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
        const before = await available()
        const payment = await opened({ on_mismatch })
        const account = await accountOf(payment)
        const part = await sent(account, 400_000, from)
        assert.deepEqual([part.type, part.amount, part.fee, part.late], ['payment', 400_000, 4_000, false])
        assert.deepEqual(part.related, { payment: payment.id, virtual_account: account.id })
        const half = await read(payment)
        assert.deepEqual(sums(half), {
          status: 'pending',
          variance: 'underpaid',
          received: 400_000,
          fee: 4_000,
          net: 396_000,
          refunded: 0,
        })
        assert.deepEqual([half.transaction, half.paid_at, half.method], [null, null, null])
        assert.ok((await pageOf(payment, 'bank_transfer')).includes(showMoney(600_000n, 'ngn')))
        const rest = await sent(account, 600_000, from)
        const paid = await read(payment)
        assert.deepEqual(sums(paid), {
          status: 'completed',
          variance: 'exact',
          received: 1_000_000,
          fee: 10_000,
          net: 990_000,
          refunded: 0,
        })
        assert.equal(paid.transaction, rest.id)
        assert.deepEqual(await typesOf(payment), ['payment.completed'])
        assert.equal((await server.call('GET', `/virtual-accounts/${account.id}`)).data.status, 'closed')
        assert.equal(await available(), before + 990_000)
        assert.deepEqual(await refundsOf(payment), [])
      })

      it(`is kept when it is too much, or comes twice ${what}`, async () => {
        const before = await available()
        const payment = await opened({ on_mismatch })
        const account = await accountOf(payment)
        const first = await sent(account, 1_100_000, from)
        assert.deepEqual(sums(await read(payment)), {
          status: 'completed',
          variance: 'overpaid',
          received: 1_100_000,
          fee: 11_000,
          net: 1_089_000,
          refunded: 0,
        })
        const second = await sent(account, 1_000_000, from)
        assert.deepEqual([first.late, second.late], [false, true])
        const now = await read(payment)
        assert.deepEqual(sums(now), {
          status: 'completed',
          variance: 'overpaid',
          received: 2_100_000,
          fee: 21_000,
          net: 2_079_000,
          refunded: 0,
        })
        assert.equal(now.transaction, first.id)
        assert.deepEqual(await typesOf(payment), ['payment.completed'])
        assert.equal(await available(), before + 2_079_000)
        assert.deepEqual(await refundsOf(payment), [])
      })

      for (const ended of ['expired', 'canceled', 'failed'])
        it(`is booked and marked late after the payment has ${ended} ${what}`, async () => {
          const before = await available()
          const payment = await opened({ on_mismatch })
          const account = await accountOf(payment)
          if (ended === 'canceled') await server.call('POST', `/payments/${payment.id}/cancel`)
          else await simulated(payment, ended)
          const made = await sent(account, 1_000_000, from)
          assert.equal(made.late, true)
          const now = await read(payment)
          assert.deepEqual(sums(now), {
            status: ended,
            variance: 'late',
            received: 1_000_000,
            fee: 10_000,
            net: 990_000,
            refunded: 0,
          })
          assert.deepEqual([now.transaction, now.paid_at], [null, null])
          assert.deepEqual(await typesOf(payment), [`payment.${ended}`])
          assert.equal(await available(), before + 990_000)
          const page = await pageOf(payment, 'bank_transfer')
          assert.ok(page.includes(showMoney(1_000_000n, 'ngn')), page)
        })
    }
  })

  describe('that is sent back', () => {
    const reversing = async () => {
      const payment = await opened({ on_mismatch: 'reverse' })
      return { payment, account: await accountOf(payment) }
    }

    it('goes back whole when it is too little; the payment stays open', async () => {
      const before = await available()
      const { payment, account } = await reversing()
      const part = await sent(account, 400_000)
      assert.deepEqual([part.amount, part.fee, part.net], [400_000, 0, 400_000])
      const [refund] = await refunded(payment, 1)
      assert.deepEqual(
        [refund.amount, refund.automatic, refund.method, refund.destination.account_number],
        [400_000, true, 'bank_transfer', '0123456789'],
      )
      assert.deepEqual(sums(await read(payment)), {
        status: 'pending',
        variance: 'underpaid',
        received: 400_000,
        fee: 0,
        net: 0,
        refunded: 400_000,
      })
      assert.equal(await available(), before)
      const page = await pageOf(payment, 'bank_transfer')
      assert.ok(page.includes(showMoney(1_000_000n, 'ngn')) && page.includes('sent back'), page)
      await sent(account, 1_000_000)
      assert.deepEqual(sums(await read(payment)), {
        status: 'completed',
        variance: 'exact',
        received: 1_400_000,
        fee: 10_000,
        net: 990_000,
        refunded: 400_000,
      })
      assert.equal((await refundsOf(payment)).length, 1)
      assert.equal(await available(), before + 990_000)
      assert.deepEqual(await typesOf(payment), ['payment.completed'])
    })

    describe('and whose return fails', () => {
      const closed = { ...sender, account_number: '0000000001' }
      const failed = (payment: { id: string }, count: number) =>
        until(async () => {
          const refunds = await refundsOf(payment)
          return refunds.length === count && refunds.every((refund) => refund.status === 'failed')
        })

      it('is named on the page, which does not claim that it went back', async () => {
        const { payment, account } = await reversing()
        await sent(account, 400_000, closed)
        await failed(payment, 1)
        for (const method of ['bank_transfer', 'card', 'crypto']) {
          const page = await pageOf(payment, method)
          assert.match(page, /₦4,000\.00 that we could not send back/)
          assert.doesNotMatch(page, /sent back to you/)
          assert.match(page, /₦10,000\.00/)
        }
        await server.call('POST', `/payments/${payment.id}/cancel`)
        assert.match(await pageOf(payment, 'bank_transfer'), /We did receive ₦4,000\.00 from you/)
      })

      it('is named when it came after the end, and when it was too much', async () => {
        const late = await reversing()
        await server.call('POST', `/payments/${late.payment.id}/cancel`)
        await sent(late.account, 1_000_000, closed)
        await failed(late.payment, 1)
        assert.match(
          await pageOf(late.payment, 'bank_transfer'),
          /Received₦10,000\.00[\s\S]*came after the time was up/,
        )
        const over = await reversing()
        await sent(over.account, 1_100_000, closed)
        await failed(over.payment, 1)
        assert.match(await pageOf(over.payment, 'bank_transfer'), /You sent ₦1,000\.00 more than was due/)
      })

      it('is named once it was paid for in another part', async () => {
        const { payment, account } = await reversing()
        await sent(account, 400_000, closed)
        await failed(payment, 1)
        await sent(account, 1_000_000)
        assert.match(await pageOf(payment, 'bank_transfer'), /You sent ₦4,000\.00 more than was due/)
        await server.call('POST', '/refunds', {
          payment: payment.id,
          amount: 400_000,
          destination: { bank_code: '058', account_number: '0123456789' },
        })
        assert.doesNotMatch(await pageOf(payment, 'bank_transfer'), /more than was due/)
      })
    })

    it('goes back as far as it is too much', async () => {
      const before = await available()
      const { payment, account } = await reversing()
      await sent(account, 1_100_000)
      const [refund] = await refunded(payment, 1)
      assert.deepEqual([refund.amount, refund.status], [100_000, 'completed'])
      assert.deepEqual(sums(await read(payment)), {
        status: 'completed',
        variance: 'overpaid',
        received: 1_100_000,
        fee: 10_000,
        net: 990_000,
        refunded: 100_000,
      })
      assert.equal(await available(), before + 990_000)
      assert.deepEqual(await typesOf(payment), ['payment.completed'])
      const told = (await allEvents()).filter((event) => event.payload.id === refund.id).map((event) => event.type)
      assert.deepEqual(told, ['refund.initiated', 'refund.completed'])
    })

    it('goes back whole when it comes twice', async () => {
      const before = await available()
      const { payment, account } = await reversing()
      await sent(account, 1_000_000)
      for (const amount of [1_000_000, 5]) await sent(account, amount)
      const refunds = await refunded(payment, 2)
      assert.deepEqual(refunds.map((refund) => refund.amount).sort(), [1_000_000, 5])
      assert.deepEqual(sums(await read(payment)), {
        status: 'completed',
        variance: 'overpaid',
        received: 2_000_005,
        fee: 10_000,
        net: 990_000,
        refunded: 1_000_005,
      })
      assert.equal(await available(), before + 990_000)
      assert.deepEqual(await typesOf(payment), ['payment.completed'])
    })

    for (const ended of ['expired', 'canceled'])
      it(`goes back whole after the payment has ${ended}`, async () => {
        const before = await available()
        const { payment, account } = await reversing()
        if (ended === 'canceled') await server.call('POST', `/payments/${payment.id}/cancel`)
        else await simulated(payment, ended)
        const made = await sent(account, 1_000_000)
        assert.deepEqual([made.late, made.fee], [true, 0])
        const [refund] = await refunded(payment, 1)
        assert.equal(refund.amount, 1_000_000)
        assert.deepEqual(sums(await read(payment)), {
          status: ended,
          variance: 'late',
          received: 1_000_000,
          fee: 0,
          net: 0,
          refunded: 1_000_000,
        })
        assert.equal(await available(), before)
        assert.deepEqual(await typesOf(payment), [`payment.${ended}`])
      })

    it('goes back in the token it came in', async () => {
      const payment = await opened({ on_mismatch: 'reverse', currency: 'usd', amount: 10_000 })
      const before = await available('usd')
      await simulated(payment, 'overpaid', 'crypto')
      const [refund] = await refunded(payment, 1)
      assert.deepEqual([refund.method, refund.amount, refund.destination_amount], ['crypto', 1_001, 1_001])
      assert.ok(['usdc', 'usdt'].includes(refund.destination_currency))
      assert.deepEqual(sums(await read(payment)), {
        status: 'completed',
        variance: 'overpaid',
        received: 11_001,
        fee: 100,
        net: 9_900,
        refunded: 1_001,
      })
      assert.equal(await available('usd'), before + 9_900)
    })

    it('is back in the wallet when it cannot go back, and does not count', async () => {
      const before = await available()
      const { payment, account } = await reversing()
      await sent(account, 400_000, { ...sender, account_number: '0000000005' })
      const refund = await until(async () => {
        const [only] = await refundsOf(payment)
        return only?.status === 'failed' ? only : null
      })
      assert.deepEqual([refund.amount, refund.automatic], [400_000, true])
      assert.equal(await available(), before + 400_000)
      assert.deepEqual(sums(await read(payment)), {
        status: 'pending',
        variance: 'underpaid',
        received: 400_000,
        fee: 0,
        net: 0,
        refunded: 0,
      })
      assert.ok((await pageOf(payment, 'bank_transfer')).includes(showMoney(1_000_000n, 'ngn')))
      await sent(account, 1_000_000)
      const paid = await read(payment)
      assert.deepEqual([paid.status, paid.amount_received, paid.net], ['completed', 1_400_000, 990_000])
      // It is still there to be given back by hand, to wherever the payer wants it.
      const destination = { bank_code: '058', account_number: '0123456789' }
      const { status, data } = await server.call('POST', '/refunds', {
        payment: payment.id,
        amount: 1_400_000,
        destination,
      })
      assert.equal(status, 201, JSON.stringify(data))
      await until(async () => (await read(payment)).amount_refunded === 1_400_000)
      assert.equal(await available(), before - 10_000)
    })

    it('counts what is kept of an unknown sender, and sends back the rest of a known one', async () => {
      const { payment, account } = await reversing()
      await sent(account, 400_000, null)
      await sent(account, 700_000)
      const [refund] = await refunded(payment, 1)
      assert.equal(refund.amount, 100_000)
      assert.deepEqual(sums(await read(payment)), {
        status: 'completed',
        variance: 'overpaid',
        received: 1_100_000,
        fee: 10_000,
        net: 990_000,
        refunded: 100_000,
      })
    })

    it('goes back each time, when much of it comes at once', async () => {
      const before = await available()
      const { payment, account } = await reversing()
      await Promise.all(Array.from({ length: 8 }, () => sent(account, 1_000_000)))
      assert.equal((await refunded(payment, 7)).length, 7)
      const now = await read(payment)
      assert.deepEqual(
        [now.status, now.amount_received, now.amount_refunded, now.net],
        ['completed', 8_000_000, 7_000_000, 990_000],
      )
      assert.equal(await available(), before + 990_000)
      assert.deepEqual(await typesOf(payment), ['payment.completed'])
    })
  })

  it('completes a payment once, when ten pay it at once', async () => {
    const before = await available()
    const payment = await opened()
    const account = await accountOf(payment)
    const made = await Promise.all(Array.from({ length: 10 }, () => sent(account, 1_000_000)))
    const now = await read(payment)
    assert.deepEqual([now.status, now.amount_received, now.fee], ['completed', 10_000_000, 30_000])
    assert.deepEqual(await typesOf(payment), ['payment.completed'])
    const onTime = made.filter((transaction) => !transaction.late)
    assert.deepEqual(
      onTime.map((transaction) => transaction.id),
      [now.transaction],
    )
    assert.equal(await available(), before + 9_970_000)
    const told = (await allEvents()).filter((event) => event.payload.related?.payment === payment.id)
    assert.equal(told.length, 10)
  })

  it('completes a payment by the last of ten parts, whichever it is', async () => {
    const payment = await opened()
    const account = await accountOf(payment)
    await Promise.all(Array.from({ length: 10 }, () => sent(account, 100_000)))
    const now = await read(payment)
    assert.deepEqual(
      [now.status, now.variance, now.amount_received, now.fee],
      ['completed', 'exact', 1_000_000, 10_000],
    )
    assert.deepEqual(await typesOf(payment), ['payment.completed'])
  })

  it('told events that fit their schemas, and left clean books', async () => {
    await assertEventsFit(server, await allEvents(), [
      'crypto.deposit',
      'payment.canceled',
      'payment.completed',
      'payment.expired',
      'payment.failed',
      'refund.completed',
      'refund.failed',
      'refund.initiated',
      'virtual_account.deposit',
    ])
    await server.assertBooksClean()
  })
})

describe('payments whose card is being charged', () => {
  before(async () => {
    // An answer that is lost stays lost for an hour.
    server = await startServer({ SANDBOX_DELAY: '1h' })
  })
  after(() => server.stop())

  it('are neither canceled nor failed nor expired until the outcome is known', async () => {
    const payment = await opened({ expires_at: new Date(Date.now() + 10 * minute).toISOString() })
    await cardTried(payment, '4000000000000259')
    assert.deepEqual(await read(payment).then((now) => [now.status, now.attempts, now.amount_received]), [
      'pending',
      1,
      0,
    ])
    await refused('POST', `/payments/${payment.id}/cancel`, undefined, 400, 'payment_processing')
    for (const outcome of ['failed', 'expired'])
      await refused('POST', `/payments/${payment.id}/simulate`, { outcome }, 400, 'payment_processing')
    // Its time is over, but the card may have been charged: the expiry waits.
    await server.call('POST', '/test/clock', { advance: '30m' })
    assert.equal((await read(payment)).status, 'pending')
    await server.call('POST', '/test/clock', { advance: '31m' })
    const paid = await until(async () => {
      const now = await read(payment)
      return now.status === 'pending' ? null : now
    })
    assert.deepEqual([paid.status, paid.variance, paid.amount_received], ['completed', 'exact', 1_000_000])
    assert.deepEqual(await typesOf(payment), ['payment.completed'])
    await server.assertBooksClean()
  })

  it('expire once the card turns out not to be charged', async () => {
    const payment = await opened({ expires_at: new Date(Date.now() + 2 * 60 * minute).toISOString() })
    await cardTried(payment, '4000000000000119')
    await server.call('POST', '/test/clock', { advance: '3h' })
    const ended = await until(async () => {
      const now = await read(payment)
      return now.status === 'pending' ? null : now
    })
    assert.deepEqual([ended.status, ended.failure_reason], ['expired', 'processing_error'])
    assert.deepEqual(await typesOf(payment), ['payment.expired'])
    await server.assertBooksClean()
  })
})

describe('payments of a server that stops', () => {
  it('expire after the restart, when their time came while it was down; once', async () => {
    const database = await newDatabase()
    const clock = manualClock(new Date())
    const config = readConfig({
      PORT: '0',
      DATABASE_URL: database.url,
      SECRETS_KEY: 'ab'.repeat(32),
      RATE_LIMIT_MAX: '0',
      LOG_LEVEL: 'fatal',
    })
    const { app, url, close } = await open(config, 'all', clock)
    const made = await createBusiness(app, 'Down')
    let running = await serve({ app, url, evm: null })
    let call = makeCall(running.url, made.test_key)
    const body = { amount: 1_000, currency: 'ngn' }
    const due = (await call('POST', '/payments', body)).data
    const later = (
      await call('POST', '/payments', { ...body, expires_at: new Date(+clock.now() + 5 * day).toISOString() })
    ).data
    const account = (await call('POST', '/virtual-accounts', { ...body, kind: 'dynamic' })).data

    await running.stop()
    clock.advance(2 * day)
    running = await serve({ app, url, evm: null })
    call = makeCall(running.url, made.test_key)
    await until(async () => (await call('GET', `/payments/${due.id}`)).data.status === 'expired')
    await until(async () => (await call('GET', `/virtual-accounts/${account.id}`)).data.status === 'expired')
    assert.equal((await call('GET', `/payments/${later.id}`)).data.status, 'pending')

    // Another restart tells nothing twice.
    await running.stop()
    clock.advance(minute)
    running = await serve({ app, url, evm: null })
    call = makeCall(running.url, made.test_key)
    clock.advance(4 * day)
    await until(async () => (await call('GET', `/payments/${later.id}`)).data.status === 'expired')
    const { data } = await call('GET', '/events')
    assert.deepEqual(
      data.docs.map((event: Doc) => [event.type, event.payload.id]),
      [
        ['payment.expired', later.id],
        ['payment.expired', due.id],
      ],
    )
    assert.deepEqual((await verifyBooks(app)).differences, [])
    await running.stop()
    await close()
    await database.drop()
  })
})

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  day,
  type Json,
  type Merchant,
  minute,
  most,
  newMerchant,
  noId,
  sender,
} from '../../../test/support/actors.ts'
import { assertEventsFit } from '../../../test/support/events.ts'
import { shareServer, type TestServer } from '../../../test/support/harness.ts'

const methods = ['card', 'bank_transfer', 'crypto'] as const

let server: TestServer
let merchant: Merchant

describe('payments', () => {
  before(async () => {
    server = await shareServer()
    merchant = newMerchant(server)
  })
  after(() => server.stop())

  it('open with nothing but an amount and a currency', async () => {
    const payment = await merchant.openPayment({ amount: 1, currency: 'usd' })
    const { id, created_at, updated_at, expires_at, checkout_url, ...rest } = payment
    assert.match(id, /^[0-9a-f]{24}$/)
    assert.equal(created_at, updated_at)
    assert.equal(Date.parse(expires_at) - Date.parse(created_at), day)
    assert.match(checkout_url.replace(server.url, ''), /^\/pay\/a[0-9A-Za-z]{24}$/)
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
      mismatch_by: null,
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
    assert.deepEqual(await merchant.readPayment(payment), payment)
    assert.deepEqual((await server.call('GET', `/payments/reference/pay_${id}`)).data, payment)
    assert.deepEqual(await merchant.eventTypesOf(payment), [])
  })

  it('keep every field that was given', async () => {
    const customer = (
      await server.call('POST', '/customers', { name: 'Ada', email: 'ada@example.com' })
    ).data
    const given = {
      reference: 'order-1.a_b:c=d',
      amount: most,
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
    const payment = await merchant.openPayment(given)
    for (const [field, value] of Object.entries(given))
      assert.deepEqual(payment[field], value, field)
    const byReference = await server.call(
      'GET',
      `/payments/reference/${encodeURIComponent(given.reference)}`,
    )
    assert.deepEqual(byReference.data, payment)
  })

  it('take over the customer’s email address, unless another is given', async () => {
    const customer = (
      await server.call('POST', '/customers', { name: 'Ada', email: 'Ada@example.com' })
    ).data
    assert.equal((await merchant.openPayment({ customer: customer.id })).email, 'Ada@example.com')
    assert.equal(
      (await merchant.openPayment({ customer: customer.id, email: 'b@example.com' })).email,
      'b@example.com',
    )
    await server.call('DELETE', `/customers/${customer.id}`)
    for (const id of [customer.id, noId])
      await merchant.isRefused(
        'POST',
        '/payments',
        { amount: 1, currency: 'ngn', customer: id },
        400,
        'customer_not_found',
      )
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
      [{ currency: 'XYZ' }, 'currency'],
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
      const { data } = await merchant.isRefused('POST', '/payments', body, 422, 'validation_failed')
      assert.deepEqual([data[0].path, data[0].location], [path, 'body'], JSON.stringify(change))
    }
    assert.equal(
      (await merchant.openPayment({ expires_at: at(30 * day - minute) })).status,
      'pending',
    )
    assert.equal((await merchant.openPayment({ expires_at: at(6 * minute) })).status, 'pending')
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
      const payment = await merchant.openPayment({ redirect_url: url, cancel_url: url })
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
        const { body: answer } = await merchant.isRefused(
          'POST',
          '/payments',
          body,
          400,
          'invalid_redirect_url',
        )
        assert.equal(answer.errors.field, field, url)
      }
  })

  it('send real payers to no developer’s machine', async () => {
    // As if there were live rails.
    const { terms } = server.app
    const none = { ...terms.live }
    Object.assign(terms.live, terms.test)
    const live = server.callAs(server.liveKey)
    const local = 'http://localhost:3000/back'
    const payment = { amount: 100_000, currency: 'ngn' }
    for (const field of ['redirect_url', 'cancel_url'])
      await merchant.isRefused(
        'POST',
        '/payments',
        { ...payment, [field]: local },
        400,
        'invalid_redirect_url',
        live,
      )
    const collection = { name: 'Fees', currency: 'ngn', redirect_url: local }
    await merchant.isRefused('POST', '/collections', collection, 400, 'invalid_redirect_url', live)
    assert.equal(
      (await server.call('POST', '/payments', { ...payment, redirect_url: local })).status,
      201,
    )
    Object.assign(terms.live, none)
  })

  it('are not opened for what could never be paid: with the fee it is more than an amount can be', async () => {
    const body = { amount: most, currency: 'ngn', fee_bearer: 'customer' }
    await merchant.isRefused('POST', '/payments', body, 400, 'amount_too_large')
    await merchant.isRefused(
      'POST',
      '/payments',
      { ...body, methods: ['bank_transfer'] },
      400,
      'amount_too_large',
    )
    // The fee of a transfer is 300 naira at most, that of a card 2000.
    const less = { ...body, amount: most - 30_000 }
    assert.equal(
      (await merchant.openPayment({ ...less, methods: ['bank_transfer'] })).status,
      'pending',
    )
    await merchant.isRefused(
      'POST',
      '/payments',
      { ...less, methods: ['bank_transfer', 'card'] },
      400,
      'amount_too_large',
    )
  })

  it('keep a reference for one payment, however many ask at once', async () => {
    const body = { amount: 1_000, currency: 'ngn', reference: 'raced-1' }
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => server.call('POST', '/payments', body)),
    )
    assert.deepEqual(answers.map((answer) => answer.status).sort(), [
      201,
      ...Array.from({ length: 19 }, () => 409),
    ])
    for (const { status, code, data } of answers)
      if (status === 409) assert.deepEqual([code, data], ['duplicate_reference', null])
    await merchant.isRefused(
      'POST',
      '/payments',
      { ...body, amount: 5, currency: 'usd' },
      409,
      'duplicate_reference',
    )
    for (const change of [
      { expires_at: new Date(Date.now() - minute).toISOString() },
      { customer: noId },
      { redirect_url: 'ftp://shop.example' },
      { amount: most, fee_bearer: 'customer' },
    ])
      await merchant.isRefused(
        'POST',
        '/payments',
        { ...body, ...change },
        409,
        'duplicate_reference',
      )
    assert.equal((await server.call('GET', '/payments/reference/raced-1')).data.amount, 1_000)
  })

  it('are listed by page, cursor and filter', async () => {
    const customer = (
      await server.call('POST', '/customers', { name: 'Uche', email: 'uche@example.com' })
    ).data
    const of = { customer: customer.id }
    const [card, bank, dollars, canceled, waiting] = [
      await merchant.openPayment(of),
      await merchant.openPayment(of),
      await merchant.openPayment({ ...of, currency: 'usd' }),
      await merchant.openPayment(of),
      await merchant.openPayment(of),
    ]
    await merchant.simulate(card, 'completed', 'card')
    await merchant.simulate(bank, 'completed', 'bank_transfer')
    await merchant.simulate(dollars, 'completed', 'card')
    await merchant.cancelPayment(canceled)
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
        data.docs.map((doc: Json) => doc.id),
        wanted.map((payment) => payment.id),
        query,
      )
    }
    assert.deepEqual((await server.call('GET', `/payments?customer=${noId}`)).data.docs, [])
    await merchant.isRefused('GET', `/payments?after=${noId}`, undefined, 400, 'invalid_cursor')
    for (const query of [
      'limit=101',
      'page=0',
      'status=open',
      'method=cash',
      'currency=eur',
      'customer=x',
      'mail=a',
    ])
      await merchant.isRefused('GET', `/payments?${query}`, undefined, 422, 'validation_failed')
  })

  it('are not found by another mode or id, and not opened in live mode', async () => {
    const live = server.callAs(server.liveKey)
    const payment = await merchant.openPayment({ reference: 'mine-1' })
    for (const [call, id] of [
      [server.call, noId],
      [server.call, 'nonsense'],
      [live, payment.id],
    ] as const) {
      await merchant.isRefused('GET', `/payments/${id}`, undefined, 404, 'not_found', call)
      await merchant.isRefused('POST', `/payments/${id}/cancel`, undefined, 404, 'not_found', call)
    }
    for (const id of [noId, 'nonsense'])
      await merchant.isRefused(
        'POST',
        `/payments/${id}/simulate`,
        { outcome: 'completed' },
        404,
        'not_found',
      )
    const simulate = `/payments/${payment.id}/simulate`
    await merchant.isRefused(
      'POST',
      simulate,
      { outcome: 'completed' },
      403,
      'test_mode_only',
      live,
    )
    await merchant.isRefused('GET', '/payments/reference/nothing', undefined, 404, 'not_found')
    await merchant.isRefused('GET', '/payments/reference/mine-1', undefined, 404, 'not_found', live)
    assert.equal((await live('GET', '/payments')).data.totalDocs, 0)
    for (const method of methods) {
      const body = { amount: 1_000, currency: 'ngn', methods: [method] }
      await merchant.isRefused('POST', '/payments', body, 400, 'rail_not_configured', live)
    }
  })

  it('take one deposit for a notice, and none for the notice of another', async () => {
    const payment = await merchant.openPayment()
    const path = `/virtual-accounts/${(await merchant.payerOf(payment).openAccount()).id}/simulate-deposit`
    const other = `/virtual-accounts/${(await merchant.payerOf(await merchant.openPayment()).openAccount()).id}/simulate-deposit`
    const told = { amount: 400_000, sender, notice: 'of a payment' }
    const first = await server.call('POST', path, told)
    assert.deepEqual((await server.call('POST', path, told)).data, first.data)
    await merchant.isRefused('POST', path, { ...told, amount: 600_000 }, 409, 'notice_reused')
    await merchant.isRefused('POST', other, told, 409, 'notice_reused')
    assert.equal((await merchant.readPayment(payment)).amount_received, 400_000)
  })

  it('are canceled once, and their account closes', async () => {
    const payment = await merchant.openPayment()
    const payer = merchant.payerOf(payment)
    const account = await payer.openAccount()
    const { status, data } = await server.call('POST', `/payments/${payment.id}/cancel`)
    assert.deepEqual([status, data.status, data.paid_at], [200, 'canceled', null])
    assert.deepEqual(await merchant.readPayment(payment), data)
    assert.equal(
      (await server.call('GET', `/virtual-accounts/${account.id}`)).data.status,
      'closed',
    )
    const events = await merchant.eventsOf(payment)
    assert.deepEqual(
      events.map((event) => event.type),
      ['payment.canceled'],
    )
    assert.deepEqual(events[0].payload, data)
    await merchant.isRefused(
      'POST',
      `/payments/${payment.id}/cancel`,
      undefined,
      400,
      'payment_not_pending',
    )
    const paid = await merchant.simulate(await merchant.openPayment(), 'completed')
    await merchant.isRefused(
      'POST',
      `/payments/${paid.id}/cancel`,
      undefined,
      400,
      'payment_not_pending',
    )
    const raced = await merchant.openPayment()
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => server.call('POST', `/payments/${raced.id}/cancel`)),
    )
    assert.equal(answers.filter((answer) => answer.status === 200).length, 1)
    assert.deepEqual(await merchant.eventTypesOf(raced), ['payment.canceled'])
  })

  it('end in one way when they are paid and canceled at once', async () => {
    for (let i = 0; i < 5; i++) {
      const payment = await merchant.openPayment()
      const payer = merchant.payerOf(payment)
      await payer.openAccount()
      const [canceled] = await Promise.all([
        server.call('POST', `/payments/${payment.id}/cancel`),
        payer.transfer(1_000_000),
      ])
      const now = await merchant.readPayment(payment)
      assert.equal(now.amount_received, 1_000_000)
      const ended = canceled.status === 200 ? 'canceled' : 'completed'
      assert.deepEqual([now.status, now.variance], [ended, ended === 'canceled' ? 'late' : 'exact'])
      assert.deepEqual(await merchant.eventTypesOf(payment), [`payment.${ended}`])
    }
  })

  it('expire at their time, once, and their account with them', async () => {
    const payment = await merchant.openPayment({
      expires_at: new Date(Date.now() + 10 * minute).toISOString(),
    })
    const later = await merchant.openPayment()
    const payer = merchant.payerOf(payment)
    const account = await payer.openAccount()
    const moved = await server.call('POST', '/test/clock', { advance: '11m' })
    assert.deepEqual(
      moved.data.fired
        .filter((timer: Json) => timer.subject === payment.id)
        .map((timer: Json) => [timer.task, timer.due_at]),
      [['payments.expire', payment.expires_at]],
    )
    const ended = await merchant.readPayment(payment)
    assert.deepEqual([ended.status, ended.updated_at], ['expired', payment.expires_at])
    assert.equal((await merchant.readPayment(later)).status, 'pending')
    assert.equal(
      (await server.call('GET', `/virtual-accounts/${account.id}`)).data.status,
      'expired',
    )
    const [event, ...more] = await merchant.eventsOf(payment)
    assert.deepEqual([event.type, event.payload, more], ['payment.expired', ended, []])
    await merchant.advance('25h')
    assert.deepEqual(await merchant.eventTypesOf(payment), ['payment.expired'])
    assert.deepEqual(await merchant.eventTypesOf(later), ['payment.expired'])
    await merchant.isRefused(
      'POST',
      `/payments/${payment.id}/cancel`,
      undefined,
      400,
      'payment_not_pending',
    )
  })

  it('told events that fit their schemas, and left clean books', async () => {
    await assertEventsFit(server, await merchant.allEvents(), [
      'payment.canceled',
      'payment.completed',
      'payment.expired',
      'virtual_account.deposit',
    ])
  })
})

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  chargesOf,
  goodCard,
  type Json,
  type Merchant,
  minute,
  newMerchant,
  newPayer,
  type Page,
  pathOf,
  unchanged,
} from '../../../test/support/actors.ts'
import { shareServer, startServer, type TestServer, until } from '../../../test/support/harness.ts'
import { showMoney } from '../../lib/money.ts'

let server: TestServer
let merchant: Merchant

describe('the forms of a page', () => {
  before(async () => {
    server = await shareServer()
    merchant = newMerchant(server)
  })
  after(() => server.stop())

  const forms: [string, Record<string, string>][] = [
    ['card', goodCard],
    ['challenge', { answer: 'approve' }],
    ['transfer', {}],
    ['crypto', { choice: 'usdc.base' }],
    ['simulate', { outcome: 'completed', method: 'card' }],
  ]

  it('do nothing without their own token and cookie, or from another site', async () => {
    const payment = await merchant.openPayment()
    const payer = newPayer(payment)
    const stranger = newPayer(payment)
    const elsewhere = newPayer(await merchant.openPayment())
    for (const one of [payer, stranger, elsewhere]) await one.open()
    const [attempt, mac] = payer.token.split('.') as [string, string]
    const mended = `${attempt.slice(0, -1)}${attempt.endsWith('0') ? '1' : '0'}.${mac}`
    const cases: [string, Record<string, string>, Record<string, string>][] = [
      ['no token', { token: '' }, {}],
      ['half a token', { token: attempt }, {}],
      ['a token of another try', { token: mended }, {}],
      ['a token that is no token', { token: `${attempt}.${'z'.repeat(64)}` }, {}],
      ['a longer token', { token: `${payer.token}00` }, {}],
      ['a token of another browser', { token: stranger.token }, {}],
      ['a token of another page', { token: elsewhere.token }, { cookie: elsewhere.cookie }],
      ['no cookie', {}, { cookie: '' }],
      ['the cookie of another browser', {}, { cookie: stranger.cookie }],
      ['a cookie of another form', {}, { cookie: 'bursar_payer=x' }],
      ['another site', {}, { 'sec-fetch-site': 'cross-site' }],
      ['another host of the site', {}, { 'sec-fetch-site': 'same-site' }],
      ['an address that was typed', {}, { 'sec-fetch-site': 'none' }],
    ]
    await unchanged(server, async () => {
      for (const [what, fields, headers] of cases)
        for (const [form, own] of forms) {
          const page = await payer.send(form, { ...own, ...fields }, headers)
          assert.equal(page.status, 400, `${form}: ${what}`)
          assert.match(page.text, /out of date/, what)
          assert.equal(page.headers.get('location'), null)
        }
    })
    assert.equal((await merchant.readPayment(payment)).attempts, 0)
    // The very same forms work with all of it in place.
    const { status } = await payer.send('card', goodCard, { 'sec-fetch-site': 'same-origin' })
    assert.deepEqual([status, (await merchant.readPayment(payment)).status], [303, 'completed'])
  })

  it('show the account of a payment, the same one however often they are sent', async () => {
    const payment = await merchant.openPayment()
    const payer = newPayer(payment)
    const { status, location } = await payer.post('transfer')
    assert.deepEqual([status, location], [303, `${pathOf(payment)}?method=bank_transfer`])
    await Promise.all(Array.from({ length: 10 }, () => payer.send('transfer')))
    const { data } = await server.call('GET', '/virtual-accounts?limit=100')
    const [account, ...more] = data.docs.filter((one: Json) => one.payment === payment.id)
    assert.deepEqual(more, [])
    assert.deepEqual(
      [account.kind, account.amount, account.expires_at, account.account_name],
      ['dynamic', 1_000_000, payment.expires_at, 'Test Business'],
    )
    const page = await payer.open('?method=bank_transfer')
    for (const text of [account.account_number, account.bank_name, showMoney(1_000_000n, 'ngn')])
      assert.ok(page.text.includes(text), text)
    assert.ok(page.html.includes(`data-copy="10000.00"`))
    const dollars = await merchant.openPayment({ currency: 'usd' })
    await newPayer(dollars).post('transfer')
    assert.ok((await newPayer(dollars).open('?method=bank_transfer')).text.includes('110000000'))
    const raced = await merchant.openPayment()
    await Promise.all(Array.from({ length: 10 }, () => newPayer(raced).post('transfer')))
    const { data: list } = await server.call('GET', '/virtual-accounts?limit=100')
    assert.equal(list.docs.filter((one: Json) => one.payment === raced.id).length, 1)
  })

  it('show an address and an amount in a token, at a rate that holds', async () => {
    const payment = await merchant.openPayment()
    const payer = newPayer(payment)
    const { status, location } = await payer.post('crypto', { choice: 'usdc.base' })
    assert.deepEqual([status, location], [303, `${pathOf(payment)}?method=crypto`])
    const page = await payer.open('?method=crypto')
    const address = /data-copy="(0x[0-9a-fA-F]{40})"/.exec(page.html)?.[1] ?? ''
    assert.notEqual(address, '')
    // 10,000 naira at 1550 are 6.4516…, and never less than that is asked for.
    assert.ok(
      page.html.includes('data-copy="6.46"') &&
        page.text.includes('USDC') &&
        page.html.includes('<svg'),
    )
    await payer.send('crypto', { choice: 'usdc.base' })
    assert.ok((await payer.open('?method=crypto')).html.includes(`data-copy="${address}"`))
    await payer.send('crypto', { choice: 'usdt.ethereum' })
    const other = await payer.open('?method=crypto')
    assert.ok(other.text.includes('USDT') && other.html.includes(`data-copy="${address}"`))
    for (const choice of [
      'usdt.base',
      'usdc.',
      'usdc',
      '',
      'eur.base',
      'usdc.base.x.y',
      '__proto__',
    ])
      if (choice !== 'usdc.base.x.y')
        await unchanged(server, async () => {
          const answer = await payer.send('crypto', { choice })
          assert.deepEqual([answer.status, answer.location], [303, pathOf(payment)], choice)
        })
    assert.deepEqual(
      await merchant.readPayment(payment).then((now) => [now.status, now.amount_received]),
      ['pending', 0],
    )
  })

  it('lead to the page of a payment that has ended, and do nothing', async () => {
    const soon = await merchant.openPayment({
      expires_at: new Date(Date.now() + 10 * minute).toISOString(),
    })
    const canceled = await merchant.openPayment()
    const completed = await merchant.openPayment()
    const payers = await Promise.all(
      [soon, canceled, completed].map(async (payment) => {
        const payer = newPayer(payment)
        await payer.open()
        return { payment, payer }
      }),
    )
    await merchant.cancelPayment(canceled)
    await merchant.simulate(completed, 'completed')
    await merchant.advance('11m')
    const charges = await chargesOf(server)
    for (const { payment, payer } of payers)
      for (const [form, fields] of forms)
        await unchanged(server, async () => {
          const { status, location } = await payer.send(form, fields)
          assert.equal(status, 303, form)
          assert.ok(location.startsWith(pathOf(payment)))
        })
    assert.equal(await chargesOf(server), charges)
    assert.match((await payers[0]?.payer.open())?.text ?? '', /Time is up/)
    assert.match((await payers[1]?.payer.open())?.text ?? '', /Payment canceled/)
    assert.match((await payers[2]?.payer.open())?.text ?? '', /Payment complete/)
  })

  it('take no card when the time is over, also before the expiry has been booked', async () => {
    const payment = await merchant.openPayment({
      expires_at: new Date(Date.now() + 30 * minute).toISOString(),
    })
    const payer = newPayer(payment)
    await payer.open()
    await server.app.db.query('update payments set expires_at = created_at where id = $1', [
      payment.id,
    ])
    const { status, location } = await unchanged(server, () => payer.send('card', goodCard))
    assert.deepEqual([status, location], [303, pathOf(payment)])
    assert.deepEqual(
      await merchant.readPayment(payment).then((now) => [now.status, now.attempts]),
      ['pending', 0],
    )
  })

  it('simulate what the page offers', async () => {
    for (const [outcome, method, status] of [
      ['completed', 'card', 'completed'],
      ['completed', 'bank_transfer', 'completed'],
      ['overpaid', 'crypto', 'completed'],
      ['underpaid', 'bank_transfer', 'pending'],
      ['failed', 'card', 'failed'],
      ['expired', 'card', 'expired'],
    ] as const) {
      const payment = await merchant.openPayment()
      const answer = await newPayer(payment).post('simulate', { outcome, method })
      assert.deepEqual(
        [answer.status, answer.location],
        [303, `${pathOf(payment)}?method=${method}`],
      )
      assert.equal((await merchant.readPayment(payment)).status, status)
    }
    const payment = await merchant.openPayment()
    assert.equal(
      (await newPayer(payment).post('simulate', { outcome: 'expired' })).location,
      pathOf(payment),
    )
    assert.equal((await merchant.readPayment(payment)).status, 'expired')
  })
})

describe('many who pay at once', () => {
  it('do not take each other’s database connections', async () => {
    server = await startServer({ DATABASE_POOL: '4' })
    merchant = newMerchant(server)
    const payments = await Promise.all(Array.from({ length: 12 }, () => merchant.openPayment()))
    const answers = Promise.all(
      payments.map(({ id }) =>
        server.call(
          'POST',
          `/payments/${id}/simulate`,
          { outcome: 'completed', method: 'card' },
          { 'idempotency-key': id },
        ),
      ),
    )
    let done = false
    answers.then(() => {
      done = true
    })
    await until(async () => done)
    for (const { status, data } of await answers)
      assert.deepEqual([status, data.status], [200, 'completed'])
    await Promise.all(
      (await Promise.all(Array.from({ length: 12 }, () => merchant.openPayment()))).map((one) =>
        newPayer(one).post('card', goodCard),
      ),
    )
    assert.equal((await server.call('GET', '/payments?status=completed')).data.totalDocs, 24)
    await server.stop()
  })
})

describe('the rate limit of a page', () => {
  it('counts cards by address and other forms by page, and never the page itself', async () => {
    server = await startServer({ RATE_LIMIT_MAX: '6' })
    merchant = newMerchant(server)
    const [first, second] = [await merchant.openPayment(), await merchant.openPayment()]
    const payer = newPayer(first)
    const other = newPayer(second)
    await other.open()
    for (let i = 0; i < 10; i++) assert.equal((await payer.open()).status, 200)
    for (let i = 0; i < 10; i++) assert.equal((await payer.open('/status')).status, 200)
    const limited = (page: Page) => {
      assert.equal(page.status, 429)
      assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
      assert.match(page.text, /Too many attempts/)
    }
    for (let i = 0; i < 6; i++) assert.equal((await payer.send('transfer')).status, 303)
    limited(await payer.send('transfer'))
    assert.equal((await other.send('transfer')).status, 303)
    const wrong = { ...goodCard, cvc: '' }
    for (let i = 0; i < 6; i++) assert.equal((await payer.send('card', wrong)).status, 400)
    limited(await payer.send('card', goodCard))
    limited(await other.send('card', goodCard))
    for (const payment of [first, second])
      assert.equal((await merchant.readPayment(payment)).attempts, 0)
    await server.stop()
  })

  it('counts the payments that a collection’s page starts by address and page', async () => {
    server = await startServer({ RATE_LIMIT_MAX: '4', TRUST_PROXY: '1' })
    merchant = newMerchant(server)
    const make = async () => {
      const { data } = await server.call('POST', '/collections', {
        name: 'Fees',
        currency: 'ngn',
        amount: 100_000,
      })
      const payer = newPayer(data)
      await payer.open()
      return (address: string) => payer.send('start', {}, { 'x-forwarded-for': address })
    }
    const [first, second] = [await make(), await make()]
    for (let i = 0; i < 4; i++) assert.equal((await first('203.0.113.1')).status, 303)
    assert.equal((await first('203.0.113.1')).status, 429)
    assert.equal((await second('203.0.113.1')).status, 303)
    assert.equal((await first('203.0.113.2')).status, 303)
    await server.stop()
  })

  it('takes the addresses of one /56 for one', async () => {
    server = await startServer({ RATE_LIMIT_MAX: '100', TRUST_PROXY: '1' })
    merchant = newMerchant(server)
    const { checkout_url: url } = await merchant.openPayment()
    const statuses = await Promise.all(
      Array.from({ length: 101 }, (_, n) =>
        fetch(`${url}/invoice.pdf`, {
          headers: { 'x-forwarded-for': `2001:db8:1:${(0x100 + n).toString(16)}::1` },
        }),
      ),
    )
    assert.deepEqual(
      statuses.map(({ status }) => status).filter((status) => status !== 404),
      [429],
    )
    const elsewhere = await fetch(`${url}/invoice.pdf`, {
      headers: { 'x-forwarded-for': '2001:db8:1:200::1' },
    })
    assert.equal(elsewhere.status, 404)
    await server.stop()
  })
})

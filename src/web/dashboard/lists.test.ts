/**
 * Goal: a person finds what there is of the own business, and nothing else.
 * Method: over HTTP: lists of each resource, filters as the API has them, pages, and files.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Merchant, newBusiness, newMerchant } from '../../../test/support/actors.ts'
import { ownAccount } from '../../../test/support/approvers.ts'
import { shown, signedIn, type Visitor } from '../../../test/support/dashboard.ts'
import { bankPayout, shareServer, type TestServer, until } from '../../../test/support/harness.ts'
import { resources } from './resources.ts'

const endless = 'x'.repeat(200)
const rowsOf = (html: string): number => (html.match(/<tr>/g)?.length ?? 1) - 1
const linkOf = (html: string, rel: string): string =>
  (
    new RegExp(`rel="${rel}" href="([^"]+)"`).exec(html)?.[1] ?? assert.fail(`no ${rel}`)
  ).replaceAll('&amp;', '&')

describe('lists and pages of records', () => {
  let server: TestServer
  let merchant: Merchant
  let person: Visitor
  before(async () => {
    server = await shareServer()
    merchant = newMerchant(server)
    person = await signedIn(server)
    await server.fund('ngn', 10_000_000)
    const { id: customer } = await merchant.addCustomer({
      name: endless,
      email: 'ada@shop.example',
      reference: 'c-1',
    })
    await merchant.openAccount({ customer, currency: 'ngn' })
    await merchant.openCryptoWallet({ customer, label: endless.slice(0, 140) })
    await merchant.create('/collections', { name: endless, description: endless, currency: 'ngn' })
    const { id: product } = await merchant.addProduct({ name: endless })
    await merchant.create('/distributions', {
      name: endless,
      currency: 'ngn',
      shares: [{ name: 'One', flat_amount: 5 }],
    })
    await merchant.create('/invoices', {
      customer,
      lines: [{ product, quantity: 2 }],
      memo: endless,
    })
    for (let i = 1; i <= 30; i++)
      await merchant.openPayment({
        reference: `rent-${i}`,
        amount: i * 100_000,
        description: endless,
        customer,
      })
    await merchant.simulate(
      (await merchant.ask('GET', '/payments?reference=rent-7')).docs[0],
      'completed',
      'card',
    )
    const [paid] = (await merchant.ask('GET', '/payments?status=completed&currency=ngn')).docs
    await merchant.ask('POST', `/payments/${paid.id}/simulate-dispute`, {
      amount: 10_000,
      reason: endless.slice(0, 200),
    })
    await merchant.refund(paid, {
      amount: 10_000,
      reason: endless,
      metadata: { [endless.slice(0, 40)]: endless },
    })
    await merchant.creditedInvoice('usd')
    const swap = { amount: 155_000, currency: 'ngn', destination_currency: 'usd' }
    const { id: quote } = await merchant.ask('POST', '/conversions/quote', swap)
    await merchant.create('/conversions', { quote, reference: 'c'.repeat(100) })
    const { id: endpoint } = await merchant.create('/webhooks', {
      url: `https://8.8.8.8/${endless}`,
      description: endless,
    })
    await merchant.ask('POST', `/webhooks/${endpoint}/test`, { type: 'payment.completed' })
    await until(async () => (await merchant.ask('GET', '/requests')).totalDocs > 0)
    const { method, destination } = bankPayout('', 0)
    const lines = [{ amount: 10_000, destination }, {}]
    await merchant.create('/payouts/batch', {
      reference: 'b'.repeat(90),
      currency: 'ngn',
      dry_run: true,
      lines,
    })
    await merchant.create('/beneficiaries', { label: endless.slice(0, 140), method, destination })
    const { id: beneficiary } = await ownAccount(server)
    await merchant.create('/payout-schedules', {
      currency: 'ngn',
      beneficiary,
      interval: 'daily',
      description: endless,
    })
    await merchant.payOut(bankPayout('p'.repeat(100), 50_000, { description: endless }))
  })
  after(() => server.stop())

  it('shows each resource, and each record of it', async () => {
    for (const { path, title, list } of resources) {
      const html = await shown(person.get(`/${path}`))
      assert.match(html, new RegExp(`<h1>${title}</h1>`))
      assert.match(html, new RegExp(`aria-current="page">${title}</a>`))
      assert.ok(rowsOf(html) > 0, path)
      assert.ok(html.length < 100_000, `${path}: ${html.length}`)
      const link = new RegExp(
        `<td>(?:<span class="picked"><input[^>]*>)?<a href="([^"]+/${path}/[^"]+)"`,
      ).exec(html)?.[1]
      const record = await shown(person.get(link ?? assert.fail(`${list} has no link`)))
      assert.match(record, /<h2>Details<\/h2>/)
      assert.ok(record.length < 100_000)
    }
  })

  it('finds by search and by what the API filters by', async () => {
    for (const [query, count] of [
      ['search=rent-2', 11],
      ['search=%20rent-30%20', 1],
      ['amount=1,000.00', 1],
      ['status=completed&currency=ngn', 1],
      ['status=completed&method=crypto', 0],
      ['reference=rent-1&status=pending&currency=ngn&method=', 11],
      ['email=ADA@shop.example', 25],
      ['from=2020-01-01&to=2020-01-31', 0],
    ] as const)
      assert.equal(rowsOf(await shown(person.get(`/payments?${query}`))), count, query)
    const none = await shown(person.get('/payments?search=nothing-like-this'))
    assert.match(none, /Nothing matches these filters/)
  })

  it('says what is wrong with a filter beside it', async () => {
    for (const [query, sentence] of [
      ['amount=a+lot', /id="f-amount-error">Type an amount such as/],
      ['from=2026-13-45', /id="f-from-error">from must be/],
      ['customer=me', /id="f-customer-error">customer must be an id/],
      ['after=0123456789abcdef01234567', /No record &#39;0123456789abcdef01234567&#39;/],
      ['status=lost', /status must be/],
    ] as const) {
      const { status, html } = await person.get(`/payments?${query}`)
      assert.equal(status, 400, query)
      assert.match(html, sentence)
    }
  })

  it('goes forth behind the last record, and back', async () => {
    const first = await shown(person.get('/payments?currency=ngn'))
    assert.deepEqual([rowsOf(first), /30 payments/.test(first)], [25, true])
    const next = linkOf(first, 'next')
    assert.match(next, /currency=ngn.*page=2&after=[0-9a-f]{24}/)
    const second = await shown(person.get(next))
    assert.deepEqual([rowsOf(second), /Page 2 of 2/.test(second)], [5, true])
    assert.doesNotMatch(second, /rel="next"/)
    assert.equal(await shown(person.get(linkOf(second, 'prev'))), first)
    assert.match(
      await shown(person.get('/payments?currency=ngn&page=99999999999999')),
      /30 payments/,
    )
  })

  it('gives what is listed as a file of its day', async () => {
    const { status, headers, html } = await person.get(
      '/payments/-/export?reference=rent-2&amount=',
    )
    assert.equal(status, 200)
    assert.match(headers.get('content-type') ?? '', /^text\/csv/)
    assert.match(
      headers.get('content-disposition') ?? '',
      /^attachment; filename="payments-\d{4}-\d\d-\d\d\.csv"$/,
    )
    assert.equal(html, (await server.call('GET', '/payments/export?reference=rent-2')).body)
    for (const { path, exports } of resources)
      assert.equal((await person.get(`/${path}/-/export`)).status, exports ? 200 : 404, path)
  })

  it('has nothing of another business or mode', async () => {
    const stranger = newMerchant(server, { call: await newBusiness(server) })
    await stranger.ask('POST', '/wallets/simulate-fund', { currency: 'ngn', amount: 1_000_000 })
    const payment = await stranger.openPayment()
    const customer = await stranger.addCustomer()
    await stranger.payOut(bankPayout('theirs', 50_000))
    for (const path of [
      `/payments/${payment.id}`,
      `/payments/${payment.id}/cancel`,
      `/customers/${customer.id}`,
      '/payouts/theirs',
      '/payouts/theirs/cancel',
      '/payments/nothing',
      '/payments/%00',
    ]) {
      const { status, html } = await person.get(path)
      assert.equal(status, 404, path)
      assert.match(html, /There is nothing here/)
    }
    const forged = await person.post(`/payments/${payment.id}/cancel`, {
      step: 'do',
      key: 'page-00000000000000000000000',
    })
    assert.equal(forged.status, 404)
    assert.equal((await stranger.readPayment(payment)).status, 'pending')
    const live = await signedIn(server, 'owner', 'live')
    assert.equal(rowsOf(await shown(live.get('/payments'))), 0)
    assert.equal((await live.get(`/payouts/${'p'.repeat(100)}`)).status, 404)
  })

  it('says what happened to a record, in order', async () => {
    const { reference } = await merchant.payOut(
      bankPayout('fails', 20_000, {
        destination: { bank_code: '058', account_number: '0000000001' },
      }),
    )
    await merchant.payoutEnded(reference)
    const html = await shown(person.get(`/payouts/${reference}`))
    const timeline = html.slice(html.indexOf('What happened'))
    assert.match(
      timeline,
      /The payout was made[\s\S]*The payout was sent to the bank[\s\S]*The payout failed[^<]*: Invalid account/,
    )
    assert.match(html, /Why it failed[\s\S]*The bank does not know this account/)
  })

  it('escapes whatever people and payers have typed', async () => {
    const evil = `"><script>alert('x')</script>`
    const customer = await merchant.addCustomer({
      name: evil,
      email: 'evil@shop.example',
      metadata: { [evil]: evil },
    })
    const payment = await merchant.openPayment({
      description: evil,
      customer: customer.id,
      metadata: { [evil]: evil },
    })
    for (const path of [
      `/customers/${customer.id}`,
      '/customers',
      '/payments',
      `/payments/${payment.id}`,
      `/payments?search=${encodeURIComponent(evil)}&customer=${encodeURIComponent(evil)}`,
      `/customers/-/new?name=${encodeURIComponent(evil)}`,
    ])
      assert.doesNotMatch((await person.get(path)).html, /<script>/, path)
  })
})

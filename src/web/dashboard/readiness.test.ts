/**
 * Goal: a form that cannot work on this server says so before anything is filled in, and says what
 * the API would say. Method: live mode of servers without rails and without SMTP, with some rails,
 * and test mode beside it; pages over HTTP.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newMerchant } from '../../../test/support/actors.ts'
import { shown, signedIn, type Visitor, visitor } from '../../../test/support/dashboard.ts'
import { type Json, startServer, type TestServer } from '../../../test/support/harness.ts'
import { openShop, type Shop } from '../../../test/support/paystack-cards.ts'
import { routes as ofKeys, ofPeople } from '../../app/modules.ts'
import type { AnyAction } from './resource.ts'
import { resources } from './resources.ts'

const routes = new Map([...ofKeys, ...ofPeople].map((route) => [route.id, route] as const))
const codes = ['rail_not_configured', 'smtp_not_configured', 'rate_unavailable']

/** Actions that change nothing a rail is needed for, or whose rail is that of the record. */
const needless = new Set([
  'createRefund refund',
  'updateBeneficiary rename',
  'updatePayoutSchedule pause',
])

const textOf = (html: string): string => html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
const hasForm = (html: string): boolean => /<button name="step" value="(do|review)"/.test(html)

describe('forms on a server without rails and mail', () => {
  let server: TestServer
  let test: Visitor
  let live: Visitor
  let customer: Json
  before(async () => {
    server = await startServer()
    test = await signedIn(server)
    live = await signedIn(server, 'owner', 'live')
    const { ask } = newMerchant(server, { call: server.callAs(server.liveKey) })
    customer = await ask('POST', '/customers', { name: 'Ada Obi', email: 'ada@example.com' })
  })
  after(() => server.stop())

  it('are asked about wherever the API can refuse for want of a rail, of mail or of a rate', () => {
    const actions: AnyAction[] = resources.flatMap(({ actions, create }) => [
      ...actions,
      ...(create ? [create] : []),
    ])
    const lacking = actions.filter(
      ({ operation, name, needs }) =>
        !needs &&
        !needless.has(`${operation} ${name}`) &&
        codes.some((code) => code in (routes.get(operation)?.refusals ?? {})),
    )
    const asked = actions.filter(({ needs }) => needs)
    assert.ok(asked.length > 10)
    assert.deepEqual(
      lacking.map(({ operation, name }) => `${operation} ${name}`),
      [],
    )
  })

  const rails = '/docs/live#what-needs-a-rail'
  for (const [path, says, docs] of [
    ['/payments/-/new', /No live rail that accepts ngn payments.*accepts usd payments/, rails],
    ['/collections/-/new', /No live rail that accepts ngn payments/, rails],
    ['/virtual-accounts/-/new', /No rail for virtual accounts in ngn .*in usd/, rails],
    ['/crypto-wallets/-/new', /No rail for crypto addresses/, '/docs/stablecoins'],
    ['/payouts/-/new', /No rail for payouts in ngn .*in usd .*in usdc/, rails],
    ['/payout-batches/-/new', /No rail for payouts in ngn/, rails],
    ['/payout-schedules/-/new', /No rail for payouts in ngn/, rails],
    ['/beneficiaries/-/new', /No rail for payouts in ngn/, rails],
  ] as const)
    it(`say so in live mode, and not in test mode: ${path}`, async () => {
      const page = await live.get(path)
      assert.equal(page.status, 200)
      assert.match(textOf(page.html), /This does not work on this server yet\./)
      assert.match(textOf(page.html), says)
      assert.ok(page.html.includes(`href="${docs}"`), page.html)
      assert.ok(!hasForm(page.html) && !/<input id=/.test(page.html.split('<main')[1] ?? ''))
      // What was opened before is answered in the same way.
      const posted = await live.post(path, { step: 'review', amount: '10', currency: 'ngn' })
      assert.match(textOf(posted.html), /This does not work on this server yet\./)
      const same = await shown(test.get(path))
      assert.ok(hasForm(same))
      assert.doesNotMatch(same, /does not work on this server|class="notice warn"/)
    })

  it('say what the API says, which still refuses what is sent past the page', async () => {
    const call = server.callAs(server.liveKey)
    const refused = await call('POST', '/collections', { name: 'Fees', currency: 'ngn' })
    assert.equal(refused.code, 'rail_not_configured')
    const page = textOf(await shown(live.get('/collections/-/new')))
    assert.ok(page.includes(refused.body.message), refused.body.message)
    const key = `page-${'a'.repeat(24)}`
    const sent = await live.post('/collections/-/new', {
      step: 'do',
      key,
      name: 'Fees',
      currency: 'ngn',
    })
    assert.equal(sent.status, 400)
    assert.match(textOf(sent.html), /No live rail that accepts ngn payments/)
    assert.equal((await call('GET', '/collections')).data.totalDocs, 0)
  })

  it('leave out documents that nobody verifies, and take the others', async () => {
    const html = await shown(live.get(`/customers/${customer.id}/verify`))
    assert.match(textOf(html), /No identity verification is configured for live mode/)
    assert.ok(hasForm(html))
    assert.match(html, /<option value="passport"/)
    assert.doesNotMatch(html, /<option value="bvn"/)
  })
})

describe('forms on a server with some rails', () => {
  let shop: Shop
  let live: Visitor
  before(async () => {
    shop = await openShop()
    const { base, cookie, csrf } = await signedIn(shop.server, 'owner', 'live')
    live = visitor(shop.server.url, base, `__Host-${cookie}`, csrf)
  })
  after(() => shop.stop())

  it('have the choices that work, and say why the others are missing', async () => {
    const payment = await shown(live.get('/payments/-/new'))
    assert.ok(hasForm(payment))
    assert.match(payment, /<option value="ngn"/)
    assert.doesNotMatch(payment, /<option value="usd"/)
    assert.match(payment, /name="methods\.card"/)
    assert.doesNotMatch(payment, /name="methods\.crypto"/)
    assert.match(textOf(payment), /No live rail that accepts usd payments.*what to do/)
    assert.doesNotMatch(textOf(payment), /accepts ngn payments|does not work on this server/)
    const payout = await shown(live.get('/payouts/-/new'))
    assert.match(textOf(payout), /Bank account in Nigeria/)
    assert.doesNotMatch(textOf(payout), /Bank account in the US|Blockchain address/)
    assert.match(textOf(payout), /No rail for payouts in usd/)
  })

  it('have no button that mails where nothing is mailed', async () => {
    const { ask } = newMerchant(shop.server, { call: shop.live })
    const customer = await ask('POST', '/customers', { name: 'Ada', email: 'ada@example.com' })
    const product = await ask('POST', '/products', { name: 'Loaf', amount: 500, currency: 'ngn' })
    const dollars = await ask('POST', '/products', { name: 'Loaf', amount: 500, currency: 'usd' })
    const draft = (of: Json) =>
      ask('POST', '/invoices', { customer: customer.id, lines: [{ product: of.id, quantity: 1 }] })
    const invoice = await draft(product)
    assert.ok(hasForm(await shown(live.get(`/invoices/${invoice.id}/finalize`))))
    await ask('POST', `/invoices/${invoice.id}/finalize`)
    const page = await shown(live.get(`/invoices/${invoice.id}/send`))
    assert.match(textOf(page), /This server has no SMTP_URL, so nothing can be mailed in live mode/)
    assert.ok(!hasForm(page) && page.includes('href="/docs/configuration"'))
    const sent = await shop.live('POST', `/invoices/${invoice.id}/send`)
    assert.equal(sent.code, 'smtp_not_configured')
    assert.ok(textOf(page).includes(sent.body.message))
    const other = await shown(live.get(`/invoices/${(await draft(dollars)).id}/finalize`))
    assert.match(textOf(other), /No live rail that accepts usd payments/)
    assert.ok(!hasForm(other))
  })
})

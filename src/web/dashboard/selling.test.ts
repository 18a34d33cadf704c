/**
 * Goal: a person asks for money and sells with taxes and shares, and tries it out, without writing
 * to the API. Method: over HTTP, forms as they are filled in, and what the API then has.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Merchant, newMerchant, textOf } from '../../../test/support/actors.ts'
import {
  hiddenOf,
  type PageText,
  shown,
  signedIn,
  type Visitor,
} from '../../../test/support/dashboard.ts'
import { shareServer, type TestServer } from '../../../test/support/harness.ts'

describe('what is asked for and sold at the dashboard', () => {
  let server: TestServer
  let merchant: Merchant
  let person: Visitor
  before(async () => {
    server = await shareServer()
    merchant = newMerchant(server)
    person = await signedIn(server)
  })
  after(async () => {
    await server.stop()
  })

  const fill = async (path: string, typed: Record<string, string>): Promise<PageText> =>
    person.post(path, { ...hiddenOf(await shown(person.get(path))), ...typed, step: 'do' })
  const besides = (html: string, field: string): string =>
    new RegExp(`id="f-${field}-error">([^<]+)<`).exec(html)?.[1] ??
    assert.fail(`nothing beside ${field}: ${textOf(html)}`)

  it('is a payment, by its link, until the end of a day of the business', async () => {
    await merchant.ask('PUT', '/business', { time_zone: 'Africa/Lagos' })
    const customer = await merchant.addCustomer({
      name: 'Chidi Nwosu',
      email: 'chidi@shop.example',
    })
    const day = new Date((await merchant.now()) + 5 * 86_400_000).toISOString().slice(0, 10)
    const typed = {
      amount: '1,250.50',
      currency: 'ngn',
      description: 'Shoes',
      customer: 'chidi@shop.example',
      'methods.card': 'true',
      fee_bearer: 'true',
      expires_at: day,
      reference: 'by-hand',
    }
    const { location, status } = await fill('/payments/-/new', typed)
    assert.equal(status, 303)
    const [payment] = (await merchant.ask('GET', '/payments?reference=by-hand')).docs
    assert.deepEqual(
      [
        payment.amount,
        payment.currency,
        payment.description,
        payment.customer,
        payment.methods,
        payment.fee_bearer,
      ],
      [125_050, 'ngn', 'Shoes', customer.id, ['card'], 'customer'],
    )
    assert.equal(payment.expires_at, `${day}T23:00:00.000Z`)
    assert.match(
      await shown(person.get(location as string)),
      new RegExp(`data-copy="${payment.checkout_url}"`),
    )
    const plain = await fill('/payments/-/new', { amount: '5', currency: 'usd' })
    const id = /payments\/([0-9a-f]{24})/.exec(plain.location ?? '')?.[1] as string
    const made = await merchant.readPayment(id)
    assert.deepEqual([made.fee_bearer, made.methods.length], ['business', 3])
    for (const [wrong, field, sentence] of [
      [{ amount: 'much' }, 'amount', /Type an amount/],
      [{ customer: 'nobody' }, 'customer', /No customer/],
      [{ reference: 'by-hand' }, 'reference', /./],
      [{ expires_at: '2020-01-01' }, 'expires_at', /./],
      [{ expires_at: '2026-02-31' }, 'expires_at', /Choose a day/],
    ] as const) {
      const refused = await fill('/payments/-/new', { ...typed, reference: 'other', ...wrong })
      assert.ok(refused.status >= 400 && refused.status < 500)
      assert.match(besides(refused.html, field), sentence)
    }
    assert.equal((await merchant.ask('GET', '/payments')).totalDocs, 2)
  })

  it('is a product with its tax, which stands on its invoices and what is credited of them', async () => {
    const { location } = await fill('/products/-/new', {
      name: 'Novel',
      amount: '1000',
      currency: 'ngn',
      tax_rate_bps: '7,5',
      tax_inclusive: 'true',
    })
    const product = await merchant.ask(
      'GET',
      `/products/${/[0-9a-f]{24}(?=\?)/.exec(location ?? '')?.[0]}`,
    )
    assert.deepEqual([product.tax_rate_bps, product.tax_inclusive], [750, true])
    const path = `/products/${product.id}`
    assert.match(textOf(await shown(person.get(path))), /7\.5 %, included in the price/)
    assert.match(await shown(person.get(`${path}/edit`)), /value="7\.50"/)
    for (const wrong of ['7.555', 'some', '1,500', '101'])
      assert.ok(
        besides(
          (await fill(`${path}/edit`, { name: 'Novel', amount: '1000', tax_rate_bps: wrong })).html,
          'tax_rate_bps',
        ),
      )
    assert.equal(
      (await fill(`${path}/edit`, { name: 'Novel', amount: '1000', tax_rate_bps: '' })).status,
      303,
    )
    const changed = await merchant.ask('GET', path)
    assert.deepEqual([changed.tax_rate_bps, changed.tax_inclusive], [null, false])

    const note = await merchant.creditedInvoice()
    const invoice = textOf(await shown(person.get(`/invoices/${note.invoice}`)))
    assert.match(invoice, /Without taxes[\s\S]*Tax of 7\.5 %[\s\S]*Total[\s\S]*Credit note 1/)
    const page = await shown(person.get(`/credit-notes/${note.id}`))
    assert.match(textOf(page), /Credit note 1[\s\S]*Tax of 7\.5 %/)
    assert.match(page, new RegExp(`/refunds/${note.refund}"`))
    const file = await person.get(`/credit-notes/${note.id}/pdf`)
    assert.deepEqual([file.status, file.headers.get('content-type')], [200, 'application/pdf'])
  })

  it('is shared by a distribution, whose destinations stay when it is changed', async () => {
    const { location, html } = await fill('/distributions/-/new', {
      name: 'Authors',
      currency: 'ngn',
      'shares.0.name': 'Ada',
      'shares.0.percentage_bps': '12.5',
      'shares.0.destination.bank_code': '058',
      'shares.0.destination.account_number': '0123456789',
      'shares.1.name': '',
      'shares.2.name': 'Chidi',
      'shares.2.flat_amount': '50',
    })
    const id = /[0-9a-f]{24}(?=\?)/.exec(location ?? assert.fail(textOf(html)))?.[0]
    const path = `/distributions/${id}`
    const made = await merchant.ask('GET', path)
    const sharesOf = ({ shares }: typeof made) =>
      shares.map(({ name, percentage_bps, flat_amount, destination }: typeof made) => [
        name,
        percentage_bps,
        flat_amount,
        destination?.account_number ?? destination?.address ?? null,
      ])
    assert.deepEqual(sharesOf(made), [
      ['Ada', 1_250, null, '0123456789'],
      ['Chidi', null, 5_000, null],
    ])
    const address = '0x52908400098527886E0F7030069857D2E4169EE7'
    const [ada, chidi] = made.shares
    await merchant.ask('PUT', path, {
      shares: [
        {
          id: ada.id,
          name: 'Ada',
          percentage_bps: 1_250,
          destination: { country: 'ng', bank_code: '058', account_number: '0123456789' },
        },
        {
          id: chidi.id,
          name: 'Chidi',
          flat_amount: 5_000,
          destination: { currency: 'usdc', chain: 'base', address },
        },
      ],
    })
    const form = await shown(person.get(`${path}/edit`))
    const start = Object.fromEntries(
      [
        ...form.matchAll(
          /name="(shares[^"]+)"[^>]*?value="([^"]*)"|value="([^"]*)"[^>]*?name="(shares[^"]+)"/g,
        ),
      ].map(([, name, value, before, after]) => [name ?? after, value ?? before]),
    ) as Record<string, string>
    const edited = await person.post(`${path}/edit`, {
      ...hiddenOf(form),
      ...start,
      name: 'Writers',
      'shares.0.destination.bank_code': '058',
      step: 'do',
      'shares.1.flat_amount': '75',
    })
    assert.equal(edited.status, 303, textOf(edited.html))
    const now = await merchant.ask('GET', path)
    assert.deepEqual(
      [now.name, sharesOf(now), now.shares.map(({ id }: typeof now) => id)],
      [
        'Writers',
        [
          ['Ada', 1_250, null, '0123456789'],
          ['Chidi', null, 7_500, address],
        ],
        [ada.id, chidi.id],
      ],
    )
    const both = await person.post(`${path}/edit`, {
      ...hiddenOf(form),
      ...start,
      name: 'Writers',
      step: 'do',
      'shares.1.percentage_bps': '5',
    })
    assert.ok(both.status >= 400 && both.status < 500)
    assert.deepEqual(await merchant.ask('GET', path), now)
  })

  it('keeps what a form names that is off or archived, when something else is changed', async () => {
    const { id: distribution } = await merchant.ask('POST', '/distributions', {
      name: 'Old <deal>',
      currency: 'ngn',
      shares: [{ name: 'Ada', percentage_bps: 500 }],
    })
    const product = await merchant.ask('POST', '/products', {
      name: 'Map',
      amount: 900,
      currency: 'ngn',
      distribution,
    })
    await merchant.ask('PATCH', `/distributions/${distribution}/deactivate`)
    const path = `/products/${product.id}`
    const form = await shown(person.get(`${path}/edit`))
    // As a browser sends a select.
    const [, options = ''] =
      /<select[^>]*name="distribution"[^>]*>(.*?)<\/select>/s.exec(form) ?? []
    const chosen = /value="([^"]*)" selected/.exec(options)?.[1] ?? ''
    assert.equal(
      (await fill(`${path}/edit`, { name: 'Maps', amount: '9', distribution: chosen })).status,
      303,
    )
    const { name, distribution: kept } = await merchant.ask('GET', path)
    assert.deepEqual([name, kept], ['Maps', distribution])
    assert.match(options, /Old &lt;deal&gt;/)

    // So does a line of a draft whose product is not sold any more.
    const { id: customer } = await merchant.addCustomer()
    const draft = await merchant.ask('POST', '/invoices', {
      customer,
      lines: [{ product: product.id, quantity: 2 }],
    })
    await merchant.ask('PATCH', `${path}/archive`)
    const lines = await shown(person.get(`/invoices/${draft.id}/edit`))
    const line = /<select[^>]*name="lines.0.product"[^>]*>(.*?)<\/select>/s.exec(lines)?.[1] ?? ''
    assert.match(line, new RegExp(`value="${product.id}" selected>Maps`))
  })

  it('is tried out with money and time, once for a form, in test mode alone', async () => {
    const page = await shown(person.get('/test-tools'))
    assert.match(await shown(person.get('')), /href="[^"]+\/test-tools">Add test money/)
    const before = await merchant.available()
    const typed = { ...hiddenOf(page), currency: 'ngn', amount: '1,000' }
    for (const { status } of await Promise.all(
      [1, 2].map(() => person.post('/test-tools/money', typed)),
    ))
      assert.equal(status, 303)
    assert.equal(await merchant.available(), before + 100_000)
    const wrong = await person.post('/test-tools/money', { ...typed, amount: 'much' })
    assert.match(besides(wrong.html, 'amount'), /Type an amount/)
    const moveClock = async (typed: Record<string, string>): Promise<PageText> =>
      person.post('/test-tools/clock', {
        ...hiddenOf(await shown(person.get('/test-tools'))),
        ...typed,
      })
    const now = await merchant.now()
    const moved = await shown(moveClock({ advance: '24h' }))
    assert.match(
      textOf(moved),
      /The test clock shows [\s\S]*(Nothing was due|things? (was|were) due)/,
    )
    assert.ok((await merchant.now()) >= now + 86_400_000)
    assert.equal((await moveClock({ advance: 'ever' })).status, 422)

    const live = await signedIn(server, 'owner', 'live')
    assert.equal((await live.get('/test-tools')).status, 404)
    assert.equal((await live.post('/test-tools/money', { ...typed, csrf: live.csrf })).status, 404)
    assert.doesNotMatch(await shown(live.get('')), /test-tools/)
    const viewer = await signedIn(server, 'viewer')
    const seen = textOf(await shown(viewer.get('/test-tools')))
    assert.doesNotMatch(seen, /Add test money|Move clock/)
    assert.equal(
      (await viewer.post('/test-tools/money', { ...typed, csrf: viewer.csrf })).status,
      403,
    )
  })
})

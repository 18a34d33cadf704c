import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { must, shareServer, type TestServer } from '../../../test/support/harness.ts'
import { makePng, pictures } from '../../../test/support/pictures.ts'
import { dayOf } from '../../lib/days.ts'

describe('a business', () => {
  let server: TestServer
  before(async () => {
    server = await shareServer()
  })
  after(() => server.stop())

  const change = (input: object) => server.call('PUT', '/business', input)

  it('is whom the key speaks for', async () => {
    const { created_at, updated_at, ...business } = await must(server.call('GET', '/business'))
    assert.deepEqual(business, {
      id: server.businessId,
      livemode: false,
      name: 'Test Business',
      locale: 'en',
      time_zone: 'UTC',
      logo: null,
      color: null,
      statement_name: null,
      support_email: null,
      support_phone: null,
      address: null,
      tax_id: null,
      registration_number: null,
      terms_url: null,
      receipts: true,
      metadata: {},
    })
    assert.equal(created_at, updated_at)
  })

  it('is changed field by field, and in the mode of the key alone', async () => {
    const changed = await must(change({ name: 'Ada’s Bakery', locale: 'en-ng' }))
    assert.equal(changed.name, 'Ada’s Bakery')
    assert.equal(changed.locale, 'en-NG')
    assert.equal(changed.time_zone, 'UTC')
    const again = await must(change({ time_zone: 'Africa/Lagos', metadata: { branch: 'Yaba' } }))
    assert.deepEqual(
      [again.name, again.time_zone, again.metadata],
      ['Ada’s Bakery', 'Africa/Lagos', { branch: 'Yaba' }],
    )
    assert.deepEqual(await must(server.call('GET', '/business')), again)
    const live = await must(server.callAs(server.liveKey)('GET', '/business'))
    assert.deepEqual([live.name, live.time_zone, live.livemode], ['Test Business', 'UTC', true])
  })

  it('shows its name to payers', async () => {
    await must(change({ name: 'Bello & Sons' }))
    const { checkout_url } = await must(
      server.call('POST', '/payments', { amount: 1000, currency: 'ngn', email: 'a@b.co' }),
    )
    assert.match(await (await fetch(checkout_url)).text(), /Bello &amp; Sons/)
  })

  it('takes what is a language and a time zone, and nothing else', async () => {
    const kept = await must(server.call('GET', '/business'))
    const bad = [
      { locale: 'english please' },
      { time_zone: 'Lagos' },
      { time_zone: '+01:00' },
      { name: '' },
      { name: null },
      { logo: 'x' },
      { logo: '<svg onload=alert(1)>' },
      {
        logo: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>').toString(
          'base64',
        ),
      },
      { logo: makePng({ width: 2_000 }).toString('base64') },
      { logo: 'A'.repeat(400_000) },
      ...['red', '#12345', '#1234567', 'rgb(0,0,0)', '#12345g'].map((color) => ({ color })),
      ...['http://example.com', 'javascript:alert(1)', 'https://', 'https://a:b@example.com/'].map(
        (terms_url) => ({
          terms_url,
        }),
      ),
      { support_email: 'not an address' },
      { support_phone: '0801 234' },
      { address: { street: '1' } },
      { statement_name: 'x'.repeat(23) },
      { statement_name: '₦' },
      { tax_id: '' },
      { livemode: true },
    ]
    for (const input of bad) {
      const { status, code } = await change(input)
      assert.deepEqual([status, code], [422, 'validation_failed'], JSON.stringify(input))
    }
    assert.deepEqual(await must(server.call('GET', '/business')), kept)
    // An empty change.
    assert.equal((await must(change({}))).name, kept.name)
  })

  it('has looks, contacts and numbers, which null takes away', async () => {
    const given = {
      color: '#0A5C36',
      statement_name: 'ADAS BAKERY',
      support_email: 'help@ada.example',
      support_phone: '+2348012345678',
      tax_id: '12345678-0001',
      registration_number: 'RC 1234567',
      address: { line1: '12 Allen Avenue', city: 'Ikeja', country: 'NG' },
      terms_url: 'https://ada.example/terms',
    }
    const changed = await must(change(given))
    const expected = { ...given, color: '#0a5c36', address: { ...given.address, country: 'ng' } }
    assert.partialDeepStrictEqual(changed, expected)
    assert.partialDeepStrictEqual(await must(change({ locale: 'en' })), expected)
    const none = Object.fromEntries(Object.keys(given).map((name) => [name, null]))
    assert.partialDeepStrictEqual(await must(change(none)), none)
    assert.partialDeepStrictEqual(
      await must(server.callAs(server.liveKey)('GET', '/business')),
      none,
    )
  })

  it('has a logo, at an address that nobody can guess, which is a picture and nothing else', async () => {
    for (const [type, picture] of [
      ['image/png', pictures.png],
      ['image/jpeg', pictures.jpeg],
      ['image/webp', pictures.alpha],
    ] as const) {
      const { logo } = await must(change({ logo: picture.toString('base64') }))
      assert.deepEqual([logo.type, logo.width, logo.height], [type, 40, 32])
      assert.match(logo.url, new RegExp(`^${server.url}/logos/[0-9A-Za-z]{25}$`))
      const answer = await fetch(logo.url)
      const content = Buffer.from(await answer.arrayBuffer())
      assert.equal(answer.headers.get('content-type'), type)
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
      assert.equal(answer.headers.get('content-security-policy'), "default-src 'none'; sandbox")
      assert.match(answer.headers.get('cache-control') ?? '', /immutable/)
      assert.equal(createHash('sha256').update(content).digest('hex'), logo.sha256)
      // The same content keeps the same address.
      assert.deepEqual((await must(change({ logo: picture.toString('base64') }))).logo, logo)
      const { checkout_url } = await must(
        server.call('POST', '/payments', { amount: 1000, currency: 'ngn', email: 'a@b.co' }),
      )
      const page = await fetch(checkout_url)
      assert.match(page.headers.get('content-security-policy') ?? '', /; img-src 'self';/)
      const html = await page.text()
      assert.ok(html.includes(`<img class="logo" src="${new URL(logo.url).pathname}"`))
      assert.ok(html.includes(`<meta property="og:image" content="${logo.url}">`))
    }
    const { logo } = await must(server.call('GET', '/business'))
    assert.equal((await must(change({ logo: null }))).logo, null)
    assert.equal((await fetch(logo.url)).status, 404)
    assert.equal((await fetch(`${server.url}/logos/x`)).status, 404)
  })

  it('has a colour on its pages, which their policy lets in by its hash', async () => {
    const { checkout_url } = await must(
      server.call('POST', '/payments', { amount: 1000, currency: 'ngn', email: 'a@b.co' }),
    )
    const stylesOf = async () => {
      const page = await fetch(checkout_url)
      const policy = /style-src ([^;]*)/.exec(
        page.headers.get('content-security-policy') ?? '',
      )?.[1]
      const styles = [...(await page.text()).matchAll(/<style>([\s\S]*?)<\/style>/g)].map(
        ([, text = '']) => text,
      )
      assert.equal(
        policy,
        styles
          .map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`)
          .join(' '),
      )
      return styles
    }
    assert.equal((await stylesOf()).length, 1)
    await must(change({ color: '#ffcc00' }))
    const [, color] = await stylesOf()
    assert.match(color ?? '', /--main:#ffcc00/)
    await must(change({ color: null }))
  })

  it('leaves in the audit log what changed, a logo by its hash', async () => {
    const { logo } = await must(
      change({ logo: pictures.png.toString('base64'), color: '#123456', tax_id: '99' }),
    )
    const entry = async () => (await must(server.call('GET', '/audit?limit=1'))).docs[0]
    const first = await entry()
    assert.deepEqual(
      [first.action, first.before, first.after],
      [
        'business.changed',
        { logo: null, color: null, tax_id: null },
        { logo: logo.sha256, color: '#123456', tax_id: '99' },
      ],
    )
    await must(change({ logo: null }))
    assert.deepEqual(
      [(await entry()).before, (await entry()).after],
      [{ logo: logo.sha256 }, { logo: null }],
    )
  })

  it('calls the accounts of payments by its statement name', async () => {
    await must(change({ statement_name: 'ADAS BAKERY' }))
    const opened = await must(
      server.call('POST', '/virtual-accounts', {
        kind: 'dynamic',
        currency: 'ngn',
        amount: 1_000,
      }),
    )
    assert.equal(opened.account_name, 'ADAS BAKERY')
    await must(change({ statement_name: null }))
  })

  it('has days of its own, by which lists are narrowed', async () => {
    await server.fund('ngn', 1_000)
    const now = new Date()
    // 25 hours apart: never on the same day.
    const [east, west] = ['Pacific/Kiritimati', 'Pacific/Pago_Pago']
    const count = async (from: string, to: string) =>
      (await must(server.call('GET', `/transactions?from=${from}&to=${to}`))).totalDocs
    for (const [zone, other] of [
      [east, west],
      [west, east],
    ] as [string, string][]) {
      await must(change({ time_zone: zone }))
      const [today, elsewhere] = [dayOf(now, zone), dayOf(now, other)]
      assert.equal(await count(today, today), 1, `${today} in ${zone}`)
      assert.equal(await count(elsewhere, elsewhere), 0, `${elsewhere} in ${zone}`)
    }
    assert.equal(await count('0001-01-01', '9999-12-31'), 1)
  })
})

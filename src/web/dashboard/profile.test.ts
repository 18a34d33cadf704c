/**
 * Goal: people change how payers see their business, a logo by its file, and are told beside each
 * field what cannot be. Method: over HTTP, as browsers without scripts send forms with files.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  hiddenOf,
  type PageText,
  shown,
  signedIn,
  type Visitor,
} from '../../../test/support/dashboard.ts'
import { type Json, must, startServer, type TestServer } from '../../../test/support/harness.ts'
import { makePng, pictures } from '../../../test/support/pictures.ts'

let server: TestServer
let owner: Visitor
before(async () => {
  server = await startServer()
  owner = await signedIn(server)
})
after(() => server.stop())

const business = (): Promise<Json> => must(server.call('GET', '/business'))

const filled = {
  name: 'Ada’s Bakery',
  color: '#0A5C36',
  statement_name: 'ADAS BAKERY',
  support_email: 'help@example.com',
  support_phone: '+2348012345678',
  terms_url: 'https://example.com/terms',
  'address.line1': '12 Allen Avenue',
  'address.city': 'Ikeja',
  'address.country': 'NG',
  tax_id: '12345678-0001',
  registration_number: 'RC 1234567',
  locale: 'en-NG',
  time_zone: 'Africa/Lagos',
  receipts: 'true',
}

async function send(fields: Record<string, string>, logo?: Buffer, who = owner): Promise<PageText> {
  const { key = '' } = hiddenOf(await shown(owner.get('/profile')))
  const body = new FormData()
  for (const [name, value] of Object.entries({ csrf: who.csrf, key, ...fields }))
    body.set(name, value)
  // A browser sends an empty file where none was chosen.
  body.set('logo', new Blob([new Uint8Array(logo ?? [])]), logo ? 'logo.png' : '')
  return who.send('/profile', body)
}

describe('the page of the business', () => {
  it('changes every field, with a logo by its file, and shows it as payers see it', async () => {
    assert.match((await send(filled, pictures.png)).location ?? '', /\/profile\?done=saved$/)
    const now = await business()
    assert.deepEqual(
      { ...now, logo: now.logo.type },
      {
        ...now,
        name: 'Ada’s Bakery',
        color: '#0a5c36',
        statement_name: 'ADAS BAKERY',
        support_email: 'help@example.com',
        support_phone: '+2348012345678',
        terms_url: 'https://example.com/terms',
        tax_id: '12345678-0001',
        address: { line1: '12 Allen Avenue', city: 'Ikeja', country: 'ng' },
        registration_number: 'RC 1234567',
        locale: 'en-NG',
        time_zone: 'Africa/Lagos',
        receipts: true,
        logo: 'image/png',
      },
    )
    const page = await shown(owner.get('/profile'))
    const path = new URL(now.logo.url).pathname
    assert.ok(page.includes(`<img src="${path}" height="40" alt="Logo of Ada’s Bakery">`))
    assert.match(page, /fill="#0a5c36"\/><text[^>]+fill="#ffffff">Pay</)
    assert.match(page, />12 Allen Avenue<\/textarea>/)
    assert.equal((await fetch(server.url + path)).status, 200)
    const { status, html } = await owner.get('/audit-log')
    assert.ok(status === 200 && html.includes('Business changed'))
  })

  it('clears what is left empty, keeps the logo, and takes it away when it is said', async () => {
    await send(filled, pictures.png)
    const { receipts: _, ...unticked } = filled
    const bare = Object.fromEntries(Object.keys(unticked).map((name) => [name, '']))
    await send({ ...bare, name: 'Zuma', locale: 'en-GB', time_zone: 'UTC' })
    const { logo, ...now } = await business()
    assert.equal(logo.type, 'image/png')
    const empty = [
      now.color,
      now.statement_name,
      now.support_email,
      now.support_phone,
      now.address,
      now.terms_url,
    ]
    assert.deepEqual(
      [...empty, now.tax_id, now.registration_number, now.receipts],
      [...Array(8).fill(null), false],
    )
    await send({ ...filled, without_logo: 'true' })
    assert.equal((await business()).logo, null)
  })

  it('says beside a field what cannot be, keeps what was typed, and changes nothing', async () => {
    await send(filled)
    const before = await business()
    const bad = {
      name: ' ',
      color: 'green',
      support_phone: '0801',
      'address.country': 'Nigeria',
      terms_url: 'javascript:alert(1)',
    }
    const { status, html } = await send({ ...filled, ...bad })
    assert.equal(status, 422)
    for (const [id, says] of [
      ['color', 'Colour must be # and six hex digits, such as #0a5c36'],
      ['support_phone', 'Support phone must be in E.164, such as +2348012345678'],
      ['address-country', 'Country must be a country’s two letters, such as ng'],
      ['terms_url', 'Terms of business must be an https URL'],
    ])
      assert.ok(html.includes(`id="f-${id}-error">${says}`), `${id}: ${html}`)
    assert.match(html, /id="f-name-error"/)
    assert.match(html, /value="green"/)
    assert.doesNotMatch(html, /href="javascript/)
    assert.match(
      (await send({ ...filled, time_zone: 'Mars/Olympus' })).html,
      /id="f-time_zone-error"/,
    )
    assert.deepEqual(await business(), before)
  })

  it('refuses a logo that is a script, too large or a form that cannot be read', async () => {
    const script = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
    )
    const { status, html } = await send(filled, script)
    assert.equal(status, 422)
    assert.match(html, /id="f-logo-error">[^<]*PNG/)
    assert.match(
      (await send(filled, makePng({ width: 2_000, height: 10 }))).html,
      /id="f-logo-error">[^<]*pixels/,
    )
    assert.match((await send(filled, Buffer.alloc(300_000, 1))).html, /id="f-logo-error">/)
    const photo = await send({ ...filled, name: 'Kept' }, Buffer.alloc(9_000_000, 1))
    assert.match(photo.html, /id="f-logo-error">Logo must be a picture of at most 256 KiB/)
    assert.match(photo.html, /value="Kept"/)
    const torn = await fetch(`${server.url}${owner.base}/profile`, {
      method: 'POST',
      body: '--x\r\nnonsense',
      headers: { cookie: owner.cookie, 'content-type': 'multipart/form-data; boundary=x' },
    })
    assert.equal(torn.status, 400)
    const forged = await send({ ...filled, csrf: 'x' })
    assert.deepEqual([forged.status, /out of date/.test(forged.html)], [400, true])
    assert.equal((await business()).logo, null)
  })

  it('is read by who may not change it, and is of its mode', async () => {
    const viewer = await signedIn(server, 'viewer')
    const page = await shown(viewer.get('/profile'))
    assert.match(page, /<dt>Colour<\/dt>/)
    assert.doesNotMatch(page, /<form[^>]+\/profile/)
    assert.equal((await send({ ...filled, name: 'Mine' }, undefined, viewer)).status, 403)
    const developer = await signedIn(server, 'developer', 'live')
    assert.match(await shown(developer.get('/profile')), /value="Test Business"/)
    assert.equal((await business()).name, filled.name)
  })
})

import assert from 'node:assert/strict'
import { get } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { type Merchant, newMerchant, pathOf } from '../../../test/support/actors.ts'
import { startServer, type TestServer } from '../../../test/support/harness.ts'

const encrypted = /<p class="secure"><svg[\s\S]*?<\/svg>This connection is encrypted/
const open = /<p class="secure open"><svg[\s\S]*?<\/svg>This connection is not encrypted/

/** A page with headers that `fetch` would not send. */
function read(
  url: string,
  headers: Record<string, string>,
): Promise<{ html: string; cookies: string[] }> {
  return new Promise((resolve, reject) => {
    get(url, { headers }, (answer) => {
      let html = ''
      answer.setEncoding('utf8')
      answer.on('data', (text) => {
        html += text
      })
      answer.on('end', () => resolve({ html, cookies: answer.headers['set-cookie'] ?? [] }))
    }).on('error', reject)
  })
}

describe('the lock of the page', () => {
  let server: TestServer
  let merchant: Merchant
  const page = async (headers: Record<string, string>, query = '') =>
    read(`${server.url}${pathOf(await merchant.openPayment())}?method=card${query}`, headers)

  describe('of a server with a public address of https', () => {
    before(async () => {
      server = await startServer({ BASE_URL: 'https://pay.example' })
      merchant = newMerchant(server)
    })
    after(() => server.stop())

    it('is shown to who came by it, and to no other', async () => {
      const away = { host: '203.0.113.7:4000' }
      for (const [headers, locked] of [
        [{ host: 'pay.example' }, true],
        [{ host: 'pay.example', 'x-forwarded-proto': 'https' }, true],
        // A proxy that names another host: browsers send this over TLS alone.
        [{ ...away, 'sec-fetch-site': 'none' }, true],
        [away, false],
        [{ host: 'pay.example', 'x-forwarded-proto': 'http' }, false],
        [{ host: 'pay.example', 'x-forwarded-proto': 'http, https' }, false],
        [{ host: 'localhost:4000', 'sec-fetch-site': 'none' }, false],
      ] as const) {
        const { html } = await page(headers)
        assert.equal(encrypted.test(html), locked, JSON.stringify(headers))
        assert.equal(open.test(html), !locked, JSON.stringify(headers))
      }
    })

    it('has a language that is kept by a cookie of hosted pages over https', async () => {
      const { cookies } = await page({ host: 'pay.example' }, '&lang=fr')
      const kept = cookies.find((cookie) => cookie.includes('bursar_language'))
      assert.equal(
        kept,
        '__Secure-bursar_language=fr; Path=/pay; Secure; HttpOnly; SameSite=Lax; Max-Age=15552000',
      )
      const french = await page({ host: 'pay.example', cookie: '__Secure-bursar_language=fr' })
      assert.match(french.html, /<html lang="fr"/)
      // It is a preference: what forms rest on is read from cookies that no other host can give.
      const planted = await page({
        host: 'pay.example',
        cookie: `__Secure-bursar_payer=${'a'.repeat(24)}`,
      })
      assert.match(planted.cookies.join(), /__Host-bursar_payer=/)
    })
  })

  describe('of a server without', () => {
    before(async () => {
      server = await startServer()
      merchant = newMerchant(server)
    })
    after(() => server.stop())

    it('is not shown, whatever a request says of itself', async () => {
      for (const headers of [{}, { 'x-forwarded-proto': 'https' }, { 'sec-fetch-site': 'none' }]) {
        const { html } = await page(headers)
        assert.match(html, open)
        assert.doesNotMatch(html, encrypted)
      }
    })

    it('stands by the brands that whoever takes the cards takes', async () => {
      const { html } = await page({})
      const named = [
        ...html.matchAll(/<li data-brand="[^"]+"><svg[^>]* role="img"\naria-label="([\w ]+)"/g),
      ]
      assert.deepEqual(
        named.map(([, name]) => name),
        ['Visa', 'Mastercard', 'Verve'],
      )
    })
  })
})

/**
 * Goal: whoever keeps the books reads a month and has it as a file, with the sums that the API gives.
 * Method: over HTTP; money moves in two months, which the test clock brings.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Merchant, newMerchant } from '../../../test/actors.ts'
import { shown, signedIn, type Visitor } from '../../../test/dashboard.ts'
import { startServer, type TestServer } from '../../../test/harness.ts'

const textOf = (html: string): string => html.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')

describe('the page of reports', () => {
  let server: TestServer
  let merchant: Merchant
  let viewer: Visitor
  let first = ''
  let second = ''
  const thisMonth = async () => new Date(await merchant.now()).toISOString().slice(0, 7)
  before(async () => {
    server = await startServer()
    merchant = newMerchant(server)
    viewer = await signedIn(server, 'viewer')
    await server.fund('ngn', 5_000_000)
    first = await thisMonth()
    await merchant.advance('31d')
    second = await thisMonth()
    await merchant.takePayment('card', { amount: 250_000 })
  })
  after(() => server.stop())

  it('shows the month that it is, and any before it', async () => {
    const html = await shown(viewer.get('/reports'))
    assert.match(html, /aria-current="page">Reports<\/a>/)
    assert.match(html, new RegExp(`<option value="${second}" selected>`))
    assert.match(html, new RegExp(`<option value="${first}">`))
    assert.match(html, /This month is not over/)
    const { wallets } = (await server.call('GET', `/statements/${second}`)).data
    const { fees, closing } = wallets.find(({ currency }: { currency: string }) => currency === 'ngn')
    const money = (amount: number): string => `₦${(amount / 100).toLocaleString('en', { minimumFractionDigits: 2 })}`
    const text = textOf(html)
    assert.ok(
      text.includes(
        `When it began ${money(5_000_000)} What moved In Out Fees From payers ₦2,500.00 ₦0.00 ${money(fees)}`,
      ),
      text,
    )
    assert.ok(text.includes(`Total ₦2,500.00 ₦0.00 ${money(fees)} Now ${money(closing)}`), text)
    assert.match(text, /USD When it began \$0\.00 Nothing moved\. Now \$0\.00/)
    const before = textOf(await shown(viewer.get(`/reports?month=${first}`)))
    assert.match(before, /Test money ₦50,000\.00 ₦0\.00 ₦0\.00 Total .*When it ended ₦50,000\.00/)
    assert.doesNotMatch(before, /not over/)
  })

  it('leads to the movements of the month', async () => {
    const html = await shown(viewer.get(`/reports?month=${first}`))
    const [, link = assert.fail(html)] = /href="([^"]+\/transactions\?[^"]+)"/.exec(html) ?? []
    const list = await shown(viewer.get(link.replaceAll('&amp;', '&')))
    assert.match(list, /1 transaction</)
  })

  it('gives what the API gives as CSV and PDF', async () => {
    const csv = await viewer.get(`/reports/${first}/csv`)
    assert.equal(csv.status, 200)
    assert.match(csv.headers.get('content-disposition') ?? '', new RegExp(`filename="statement-${first}.csv"`))
    assert.equal(csv.html, (await server.call('GET', `/statements/${first}/csv`)).body)
    const pdf = await viewer.get(`/reports/${first}/pdf`)
    assert.deepEqual([pdf.status, pdf.headers.get('content-type')], [200, 'application/pdf'])
    assert.match(pdf.html, /^%PDF-/)
  })

  it('says what is no month, and what has not begun', async () => {
    for (const [month, sentence] of [
      ['9998-01', /The month 9998-01 has not begun/],
      ['2026-13', /&#39;2026-13&#39; is no month/],
      ['<script>alert(1)</script>', /is no month/],
    ] as const) {
      const { status, html } = await viewer.get(`/reports?month=${encodeURIComponent(month)}`)
      assert.equal(status, 404, month)
      assert.match(html, sentence)
      assert.match(html, /<select id="f-month"/)
      assert.doesNotMatch(html, /<script>alert/)
      assert.equal((await viewer.get(`/reports/${encodeURIComponent(month)}/csv`)).status, 404)
    }
    assert.match(await shown(viewer.get('/reports?month=2020-02')), /<option value="2020-02" selected>/)
  })

  it('keeps modes apart', async () => {
    const live = await signedIn(server, 'finance', 'live')
    assert.match(textOf(await shown(live.get('/reports'))), /NGN When it began ₦0\.00 Nothing moved/)
  })
})

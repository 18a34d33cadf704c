/**
 * Goal: whoever keeps the books reads a month and has it as a file, with the sums that the API
 * gives. Method: over HTTP; money moves in two months, which the test clock brings.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { bankAccount, type Merchant, newMerchant } from '../../../test/support/actors.ts'
import { shown, signedIn, type Visitor } from '../../../test/support/dashboard.ts'
import { bankPayout, shareServer, type TestServer } from '../../../test/support/harness.ts'
import { thisMonth } from '../../../test/support/months.ts'

const textOf = (html: string): string => html.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')

describe('the page of reports', () => {
  let server: TestServer
  let merchant: Merchant
  let viewer: Visitor
  let first = ''
  let second = ''
  before(async () => {
    server = await shareServer()
    merchant = newMerchant(server)
    viewer = await signedIn(server, 'viewer')
    await server.fund('ngn', 5_000_000)
    first = await thisMonth(merchant)
    await merchant.advance('31d')
    second = await thisMonth(merchant)
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
    const { fees, closing } = wallets.find(
      ({ currency }: { currency: string }) => currency === 'ngn',
    )
    const money = (amount: number): string =>
      `₦${(amount / 100).toLocaleString('en', { minimumFractionDigits: 2 })}`
    const text = textOf(html)
    assert.ok(
      text.includes(
        `Opening balance ${money(5_000_000)} What moved In Out Fees Deposits and payments ₦2,500.00 ₦0.00 ${money(fees)}`,
      ),
      text,
    )
    assert.ok(
      text.includes(`Total ₦2,500.00 ₦0.00 ${money(fees)} Balance now ${money(closing)}`),
      text,
    )
    assert.match(text, /USD Opening balance \$0\.00 Nothing moved\. Balance now \$0\.00/)
    const before = textOf(await shown(viewer.get(`/reports?month=${first}`)))
    assert.match(before, /Test money ₦50,000\.00 ₦0\.00 ₦0\.00 Total .*Closing balance ₦50,000\.00/)
    assert.doesNotMatch(before, /not over/)
  })

  it('gives what the API gives as CSV and PDF', async () => {
    const csv = await viewer.get(`/reports/${first}/csv`)
    assert.equal(csv.status, 200)
    assert.match(
      csv.headers.get('content-disposition') ?? '',
      new RegExp(`filename="statement-${first}.csv"`),
    )
    assert.equal(csv.html, (await server.call('GET', `/statements/${first}/csv`)).body)
    const pdf = await viewer.get(`/reports/${first}/pdf`)
    assert.deepEqual([pdf.status, pdf.headers.get('content-type')], [200, 'application/pdf'])
    assert.match(pdf.html, /^%PDF-/)
  })

  it('gives each wallet as a bank would write it, of the days that are over', async () => {
    const html = await shown(viewer.get(`/reports?month=${first}`))
    for (const currency of ['ngn', 'usd'])
      for (const format of ['camt.053.001.08', 'camt.053.001.02', 'mt940'])
        assert.ok(
          html.includes(`/reports/${first}/bank?currency=${currency}&amp;format=${format}"`),
          `${currency} ${format}`,
        )
    const { created_at: since } = (await server.call('GET', '/business')).data
    const last = new Date(Date.UTC(Number(first.slice(0, 4)), Number(first.slice(5)), 0))
    const days = `from=${since.slice(0, 10)}&to=${last.toISOString().slice(0, 10)}`
    const query = 'currency=ngn&format=mt940'
    const file = await viewer.get(`/reports/${first}/bank?${query}`)
    assert.equal(file.status, 200)
    assert.match(
      file.headers.get('content-disposition') ?? '',
      new RegExp(`filename="statement-ngn-${first}.sta"`),
    )
    assert.equal(file.html, (await server.call('GET', `/exports/statement?${query}&${days}`)).body)
    const xml = await viewer.get(`/reports/${second}/bank?currency=usd&format=camt.053.001.08`)
    assert.equal(xml.headers.get('content-type'), 'text/xml; charset=utf-8')
    assert.match(xml.html, /<Cd>CLBD</)
  })

  it('shows fees, payouts and settlements of a period, with the sums of the API', async () => {
    const month = `from=${second}-01&to=${new Date(await merchant.now()).toISOString().slice(0, 10)}`
    const { totals } = (await server.call('GET', `/reports/settlements?${month}`)).data
    const money = (amount: number): string =>
      `₦${(amount / 100).toLocaleString('en', { minimumFractionDigits: 2 })}`
    const [ngn] = totals
    const settlements = await shown(viewer.get('/reports/settlements'))
    assert.ok(
      textOf(settlements).includes(
        `Total 1 ${money(250_000)} ${money(ngn.fees)} ${money(ngn.net)}`,
      ),
      textOf(settlements),
    )
    assert.match(settlements, /aria-current="page">Settlements<\/a>/)
    const fees = textOf(await shown(viewer.get(`/reports/fees?${month}&by=month`)))
    assert.ok(
      fees.includes(`Deposits and payments Card 1 ${money(ngn.fees)} Total 1 ${money(ngn.fees)}`),
      fees,
    )
    await merchant.payOut(bankPayout('rent-1', 100_000))
    await merchant.payoutEnded('rent-1')
    await merchant.payOut(bankPayout('rent-2', 40_000, { destination: bankAccount('0000000001') }))
    await merchant.payoutEnded('rent-2')
    const payouts = await shown(viewer.get('/reports/payouts'))
    const text = textOf(payouts)
    assert.match(text, /Completed – Bank transfer 1 ₦1,000\.00/)
    assert.match(
      text,
      /Failed Invalid account Bank transfer 1 ₦400\.00 ₦0\.00 ₦0\.00 Total 2 ₦1,400\.00/,
    )
    assert.match(text, /rent-2 .* Failed Invalid account ₦400\.00/)
    for (const [name, path] of [
      ['fees', 'reports/fees'],
      ['settlements', 'reports/settlements'],
    ] as const) {
      const csv = await viewer.get(`/reports/${name}/csv?${month}&by=day`)
      assert.equal(csv.html, (await server.call('GET', `/${path}/csv?${month}`)).body)
      assert.match(
        csv.headers.get('content-disposition') ?? '',
        new RegExp(`filename="${name}-${second}-01-`),
      )
    }
    const [, file = assert.fail(payouts)] = /href="([^"]+export[^"]+)"/.exec(payouts) ?? []
    assert.match((await viewer.get(file.replaceAll('&amp;', '&'))).html, /rent-2,failed/)
    const wrong = await viewer.get('/reports/fees?from=2020-01-01&to=2025-01-01')
    assert.equal(wrong.status, 400)
    assert.match(wrong.html, /at most 13 months/)
    assert.match(wrong.html, /value="2020-01-01"/)
  })

  it('says what is no month, and what has not begun', async () => {
    for (const [month, sentence] of [
      ['9998-01', /The month 9998-01 has not started/],
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
    assert.match(
      await shown(viewer.get('/reports?month=2020-02')),
      /<option value="2020-02" selected>/,
    )
  })

  it('keeps modes apart', async () => {
    const live = await signedIn(server, 'finance', 'live')
    assert.match(
      textOf(await shown(live.get('/reports'))),
      /NGN Opening balance ₦0\.00 Nothing moved/,
    )
  })

  it('leads to the movements of the month', async () => {
    const html = await shown(viewer.get(`/reports?month=${first}`))
    const linkOf = (html: string): string =>
      (
        /href="([^"]+\/transactions\?[^"]+)">All transactions/.exec(html)?.[1] ?? assert.fail(html)
      ).replaceAll('&amp;', '&')
    const link = linkOf(html)
    const list = await shown(viewer.get(link))
    assert.match(list, /1 transaction</)
    assert.ok(list.includes(`value="${first}-01"`), 'the days are in the form')

    // What is not final is not among them: the file of this page comes to the statement.
    const destination = { bank_code: '058', account_number: '0000000002' }
    await merchant.payOut(bankPayout('is-processing', 20_000, { destination }))
    const now = linkOf(await shown(viewer.get(`/reports?month=${second}`)))
    const { html: file } = await viewer.get(
      now.replace('/transactions?', '/transactions/-/export?'),
    )
    const [head = '', ...lines] = file.trimEnd().split('\r\n')
    const at = head.split(',').indexOf('balance_change_minor')
    const sum = lines.reduce((total, line) => total + Number(line.split(',').at(at)), 0)
    const { opening, closing } = (await server.call('GET', `/statements/${second}`)).data.wallets[0]
    assert.equal(opening + sum, closing)
    assert.ok(lines.length > 1 && !file.includes('is-processing'))
  })
})

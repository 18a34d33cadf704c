/**
 * Goal: the figures of Home and Reports are those of the payments, payouts, fees and disputes that
 * there were, beside those of the period before; and many payments do not make them slow. Method:
 * money moves by the API in two weeks of the test clock; the pages are read over HTTP.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { cards, type Merchant, newMerchant } from '../../../test/support/actors.ts'
import { shown, signedIn, type Visitor } from '../../../test/support/dashboard.ts'
import { bankPayout, must, startServer, type TestServer } from '../../../test/support/harness.ts'
import { type PlanNode, readBy } from '../../../test/support/plans.ts'
import { createBusiness } from '../../books/businesses/businesses.ts'
import { mostTried } from '../../collecting/payments/payments.ts'
import { selectTried } from '../../collecting/payments/sql.ts'

const textOf = (html: string): string =>
  html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/[\s\u00a0\u202f]+/g, ' ')

describe('the figures of a period', () => {
  let server: TestServer
  let merchant: Merchant
  let owner: Visitor
  before(async () => {
    server = await startServer()
    // Payments are made without the ledger below.
    server.leaveBooksUnverified()
    merchant = newMerchant(server)
    await server.fund('ngn', 10_000_000)
    for (let i = 0; i < 2; i++) await merchant.takePayment('card', { amount: 100_000 })
    await merchant.payOut(bankPayout('early', 200_000))
    await merchant.payoutEnded('early')
    await merchant.advance('10d')
    for (let i = 0; i < 3; i++) await merchant.takePayment('card', { amount: 100_000 })
    const { id } = await merchant.takePayment('bank_transfer', { amount: 50_000 })
    await merchant.simulate(await merchant.takeCard(cards.declined, { amount: 70_000 }), 'failed')
    // Nobody began to pay the first; the business itself canceled the second.
    await merchant.simulate(await merchant.openPayment({ amount: 60_000 }), 'expired')
    await merchant.cancelPayment(await merchant.openPayment({ amount: 60_000 }))
    await merchant.payOut(bankPayout('late', 100_000))
    await merchant.payoutEnded('late')
    await merchant.ask('POST', `/payments/${id}/simulate-dispute`, { amount: 20_000 })
    owner = await signedIn(server)
  })
  after(() => server.stop())
  const page = async (path: string): Promise<string> => textOf(await shown(owner.get(path)))
  const feesOf = async (from: number, to: number): Promise<number> => {
    const now = await merchant.now()
    const day = (ago: number) => new Date(now - ago * 86_400_000).toISOString().slice(0, 10)
    const { totals } = await must(
      server.call('GET', `/reports/fees?from=${day(from)}&to=${day(to)}`),
    )
    return totals.find(({ currency }: { currency: string }) => currency === 'ngn').fees
  }
  const naira = (minor: number): string => `₦${(minor / 100).toFixed(2)}`

  it('are those of what happened, beside those of the days before, in words too', async () => {
    const text = await page('?days=7')
    const [fees, feesBefore] = [await feesOf(6, 0), await feesOf(13, 7)]
    assert.ok(fees > feesBefore && feesBefore > 0)
    const grown = ((fees - feesBefore) / feesBefore) * 100
    const change = `${Number(grown.toFixed(1))}%`
    for (const said of [
      'Paid by payers ₦3,500.00 ↑ 75% 75% more than in the period before. ₦2,000.00 before',
      'Success rate 80% 4 of 5 ↓ 20 points 20 points less than in the period before. 100% before',
      // A fee of ₦35.00 is taken out of each.
      'Paid out ₦965.00 ↓ 50.9% 50.9% less than in the period before. ₦1,965.00 before',
      `Fees ${naira(fees)} ↑ ${change} ${change} more than in the period before. ${naira(feesBefore)} before`,
      'Disputes ₦200.00 1 dispute No figures before',
      'Bank transfer ₦500.00 No figures before 100% 1 of 1 No figures before',
      'Card ₦3,000.00 ↑ 50% 50% more than in the period before. ₦2,000.00 before 75% 3 of 4 ↓ 25 points',
    ])
      assert.ok(text.includes(said), `${said} is not in ${text}`)
  })

  it('say that there are none before, and are of no other business or mode', async () => {
    const text = await page('')
    assert.match(text, /Paid by payers ₦5,500\.00 Success rate 85\.7% 6 of 7/)
    assert.match(text, /No figures for the period before\./)
    assert.match(await page('?days=91'), /Paid by payers ₦5,500\.00 .*Week from/)
    const live = await page(`/dashboard/${server.businessId}/live`)
    assert.doesNotMatch(live, /Paid by payers/)
    const { business } = await createBusiness(server.app, 'Other')
    const stranger = await signedIn({ ...server, businessId: business.id })
    assert.doesNotMatch(textOf(await shown(stranger.get(''))), /Paid by payers/)
  })

  it('count by the days of the business’s time zone', async () => {
    const now = new Date(await merchant.now())
    // There it is another day than in UTC, whatever the time: +14 or -11.
    const zone = now.getUTCHours() >= 11 ? 'Pacific/Kiritimati' : 'Pacific/Midway'
    const { time_zone } = await must(server.call('GET', '/business'))
    await must(server.call('PUT', '/business', { time_zone: zone }))
    const today = new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(now)
    assert.notEqual(today, now.toISOString().slice(0, 10))
    assert.ok((await shown(owner.get('?days=7'))).includes(`to=${today}`))
    assert.match(await page('?days=7'), /Paid by payers ₦3,500\.00/)
    await must(server.call('PUT', '/business', { time_zone }))
  })

  it('stand on the statement of a month, and in charts with their tables', async () => {
    const month = new Date(await merchant.now()).toISOString().slice(0, 7)
    const statement = await page(`/reports?month=${month}`)
    assert.match(statement, /Paid by payers ₦[\d,.]+ .*Opening balance/)
    assert.match(statement, /Figures are compared with the same part of the month before\./)
    for (const path of ['/payments', '/reports/settlements', '/reports/fees', '?days=30']) {
      const html = await shown(owner.get(path))
      const chart =
        /<svg class="chart"[^>]* role="img" aria-label="[^"]*NGN[^"]+">(.*?)<\/svg>/s.exec(html)
      assert.ok(chart, path)
      assert.match(html, /<div class="axis" aria-hidden="true"><span>₦[\d.]+[KM]?<\/span>/)
      assert.match(
        chart[1] ?? '',
        /<text [^>]*>\d+ [A-Z][a-z]+<\/text>|<text [^>]*>[A-Z][a-z]+ \d+</,
      )
    }
  })

  it('read as many payments at most, however many there are', async () => {
    const { db } = server.app
    await db.query(
      `insert into payments select (jsonb_populate_record(p, jsonb_build_object('id', lpad(n::text, 24, '0'), 'reference', 'many-' || n, 'created_at', '2020-06-01T00:00:00Z'::timestamptz + n * interval '1 s'))).*
         from payments p, generate_series(1, 5000) n where p.id = (select min(id) from payments)`,
    )
    await db.query('analyze payments')
    const year = ['2020-01-01T00:00:00Z', '2021-01-01T00:00:00Z']
    const values = [server.businessId, 'false', ...year, mostTried]
    const text = selectTried.own.text.replaceAll(
      /\$(\d+)/g,
      (_, n: string) => `'${values[Number(n) - 1]}'`,
    )
    const [row] = await db.query<Record<string, [{ Plan: PlanNode }]>>(
      `explain (analyze, format json) ${text}`,
    )
    const plan = row?.['QUERY PLAN']?.[0].Plan as PlanNode
    assert.equal(readBy(plan, ['payments']), mostTried)
    assert.ok(readBy(plan, ['payment_attempts', 'virtual_accounts']) <= mostTried)
  })
})

/**
 * Goal: the operator's earnings equal the ledger's, per mode, and only the operator sees them.
 * Method: test-mode fees from ordinary payouts of two businesses; live-mode fees booked with
 * provider charges; sums recomputed from the ledger.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { shown, signedIn, visitor } from '../../../test/support/dashboard.ts'
import {
  bankPayout,
  type Call,
  type Json,
  must,
  settled,
  startServer,
  type TestServer,
} from '../../../test/support/harness.ts'
import { operatorOf } from '../../../test/support/operators.ts'
import { signIn } from '../../../test/support/people.ts'
import { outside, scopeOf } from '../../core/outside.ts'
import { manualClock } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { type Posting, post } from '../ledger/ledger.ts'
import { feePostings } from '../receipts/receipts.ts'
import { selectEarnings } from './sql.ts'

describe('what the operator earns', () => {
  const clock = manualClock(new Date('2026-10-30T12:00:00Z'))
  let server: TestServer
  let operator: Call
  let other: string
  before(async () => {
    server = await startServer({}, undefined, clock)
    // Makes and changes rows without the ledger.
    server.leaveBooksUnverified()
    operator = await operatorOf(server)
    const made = await must(
      operator('POST', '/operator/businesses', { name: '<b>Ada’s Bakery</b>' }),
    )
    other = made.id
    for (const call of [server.call, server.callAs(made.test_key)]) {
      await must(call('POST', '/wallets/simulate-fund', { currency: 'ngn', amount: 1_000_000 }))
      await must(call('POST', '/payouts', bankPayout('one', 100_000)))
    }
    await settled(server.app)
    await server.app.db.query(`insert into rail_accounts values (true, 'acme', 'testpay', $1)`, [
      new Date(),
    ])
    await bookLive(server.businessId, 500n, 120n)
    clock.advance(3 * 86_400_000)
    await bookLive(server.businessId, 300n, 0n)
    await bookLive(other, 40n, 100n)
    await bookLive(other, 0n, -10n)
  })
  after(() => server.stop())

  /** Charges a fee in live mode, of which a provider keeps a part. */
  async function bookLive(businessId: string, fee: bigint, kept: bigint): Promise<void> {
    const ctx = outside(server.app, await scopeOf(server.app, businessId as never, true))
    const of = { subject: newId(clock.now()), transaction: newId(clock.now()) }
    const clearing = { purpose: 'rail_clearing', currency: 'ngn', subject: 'acme' } as const
    const fees = { purpose: 'fees', currency: 'ngn' } as const
    const charged: Posting[] =
      fee > 0n ? [{ debit: clearing, credit: fees, amount: fee, kind: 'deposit_fee', ...of }] : []
    await ctx.write((work) =>
      post(work, [...charged, ...feePostings({ rail: 'acme', fee: kept, currency: 'ngn', ...of })]),
    )
  }
  const earnings = (query = '', call = operator): Promise<Json> =>
    must(call('GET', `/operator/earnings?${query}`))

  it('is by day and by business what the ledger has, in live mode unless another is asked for', async () => {
    const found = await earnings('from=2026-10-01&to=2026-11-30')
    assert.deepEqual([found.livemode, found.time_zone], [true, 'UTC'])
    const ngn = { currency: 'ngn' }
    assert.deepEqual(found.totals, [{ ...ngn, fees: 840, provider_fees: 210, earned: 630 }])
    assert.deepEqual(found.lines, [
      { period: '2026-10-30', ...ngn, fees: 500, provider_fees: 120, earned: 380 },
      { period: '2026-11-02', ...ngn, fees: 340, provider_fees: 90, earned: 250 },
    ])
    assert.deepEqual(found.businesses, [
      {
        business: server.businessId,
        name: 'Test Business',
        ...ngn,
        fees: 800,
        provider_fees: 120,
        earned: 680,
      },
      {
        business: other,
        name: '<b>Ada’s Bakery</b>',
        ...ngn,
        fees: 40,
        provider_fees: 90,
        earned: -50,
      },
    ])
    const months = await earnings('from=2026-10-01&to=2026-11-30&by=month')
    assert.deepEqual(
      months.lines.map(({ period, earned }: Json) => [period, earned]),
      [
        ['2026-10', 380],
        ['2026-11', 250],
      ],
    )
    const balances = await server.app.db.query<{ fees: string; kept: string }>(
      `select sum(balance) filter (where purpose = 'fees')::text as fees, (-sum(balance) filter (where purpose = 'rail_fees'))::text as kept
         from ledger_accounts where livemode and currency = 'ngn'`,
    )
    assert.deepEqual(balances, [{ fees: '840', kept: '210' }])
  })

  it('is of test mode what payouts were charged there', async () => {
    const { totals, businesses } = await earnings('from=2026-10-01&to=2026-12-30&mode=test')
    const { fee } = await must(server.call('GET', '/payouts/one'))
    assert.deepEqual(totals, [
      { currency: 'ngn', fees: 2 * fee, provider_fees: 0, earned: 2 * fee },
    ])
    assert.equal(businesses.length, 2)
  })

  it('is of this month where nothing is asked for, and of 13 months at most', async () => {
    assert.equal((await earnings()).from, '2026-11-01T00:00:00.000Z')
    for (const query of [
      'from=2025-01-01&to=2026-06-01',
      'from=2026-02-30',
      'mode=other',
      'by=year',
    ])
      assert.equal(
        (await operator('GET', `/operator/earnings?${query}`)).code,
        'validation_failed',
        query,
      )
  })

  it('is had as CSV, a line for each day and business', async () => {
    const csv = (await operator('GET', '/operator/earnings/csv?from=2026-10-01&to=2026-11-30')).body
      .trimEnd()
      .split('\r\n')
    assert.deepEqual(csv, [
      'period,business,name,currency,fees_decimal,provider_fees_decimal,earned_decimal,fees_minor,provider_fees_minor,earned_minor',
      `2026-10-30,${server.businessId},Test Business,ngn,5.00,1.20,3.80,500,120,380`,
      `2026-11-02,${other},<b>Ada’s Bakery</b>,ngn,0.40,0.90,-0.50,40,90,-50`,
      `2026-11-02,${server.businessId},Test Business,ngn,3.00,0.00,3.00,300,0,300`,
    ])
  })

  it('is a page with a picture and its table, for who looks after the installation alone', async () => {
    const stranger = await signedIn(server)
    for (const path of ['', '/csv'])
      assert.equal((await stranger.get(`/dashboard/operator/earnings${path}`)).status, 404)
    const { headers } = await signIn(server, 'owner', { installationOwner: true })
    const owner = visitor(server.url, '/dashboard/operator', headers.cookie)
    const page = await shown(owner.get('/earnings?from=2026-10-01&to=2026-11-30'))
    assert.match(page, /<svg class="chart".*30 Oct 2026: ₦5\.00 in fees, ₦1\.20 kept by providers/s)
    assert.match(page, /6\.30.*Test Business.*&lt;b&gt;Ada’s Bakery/s)
    assert.ok(!page.includes('<b>Ada'))
    const year = await shown(owner.get('/earnings?from=2025-12-01&to=2026-12-30'))
    assert.ok(year.length < 100_000 && /October 2026: .*5\.00 in fees/.test(year))
    assert.match(
      await shown(owner.get('/earnings?from=2027-01-01&to=2027-01-31')),
      /Nothing was earned in this period/,
    )
    assert.equal((await owner.get('/earnings?from=2020-01-01')).status, 400)
    const file = await owner.get('/earnings/csv?from=2026-10-01&to=2026-11-30')
    assert.match(file.html, /^period,business,/)
  })

  it('reads its period by an index among 100,000 postings of other years', async () => {
    await server.asOwner(
      `insert into ledger_postings (business_id, livemode, debit_account, credit_account, amount, currency, kind, subject, transaction_id, posted_at)
       select p.business_id, p.livemode, debit_account, credit_account, 1, p.currency, kind, subject, transaction_id,
              timestamptz '2020-01-01' + n * interval '10 minutes'
         from (select * from ledger_postings where livemode and kind = 'deposit_fee' order by id limit 1) p, generate_series(1, 100000) n`,
    )
    await server.asOwner('analyze ledger_postings')
    const values = ['true', '2020-03-01', '2020-04-01', 'UTC', 'YYYY-MM-DD']
    const text = selectEarnings.text.replaceAll(
      /\$(\d)/g,
      (_, n: string) => `'${values[Number(n) - 1]}'`,
    )
    const rows = await server.app.db.query<{ 'QUERY PLAN': string }>(`explain ${text}`)
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    assert.match(plan, /Bitmap Index Scan on ledger_postings_by_time/, plan)
    // Every ten minutes of a month of 31 days.
    assert.equal(
      (await earnings('from=2020-03-01&to=2020-03-31&by=month')).totals[0].fees,
      31 * 144,
    )
  })
})

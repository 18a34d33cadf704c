/**
 * Goal: reports of a period equal the ledger, and their cost depends on the period only. Method:
 * all kinds of money move in two months of the test clock; sums are recomputed from ledger rows.
 * Then 100,000 transactions of other years are added.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Json, type Merchant, newMerchant } from '../../../test/support/actors.ts'
import { must, startServer, type TestServer, until } from '../../../test/support/harness.ts'
import { tradeMonths } from '../../../test/support/months.ts'
import { type PlanNode, readBy } from '../../../test/support/plans.ts'
import { type Database, newClient } from '../../db/db.ts'
import { idBound } from '../../lib/ids.ts'
import { selectOutcomes } from '../../paying-out/payouts/sql.ts'
import { verify } from '../ledger/verify.ts'
import { foldPostingsOf } from './moved.ts'
import { selectMoved } from './sql.ts'
import { statementChecks } from './verify.ts'

const sumOf = (lines: Json[], name: string, of: (line: Json) => boolean = () => true): number =>
  lines.filter(of).reduce((sum: number, line: Json) => sum + line[name], 0)

const wrong = async (db: Database) =>
  (await verify(db, statementChecks, { whole: true })).differences

describe('the reports of a period', () => {
  let server: TestServer
  let merchant: Merchant
  let months: string[]
  const get = (path: string): Promise<Json> => must(server.call('GET', path))
  /** Returns the days of a month as a query. */
  const range = (month: string): string => {
    const last = new Date(
      Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0),
    ).getUTCDate()
    return `from=${month}-01&to=${month}-${last}`
  }
  const walletOf = async (month: string, currency: string): Promise<Json> =>
    (await get(`/statements/${month}`)).wallets.find((wallet: Json) => wallet.currency === currency)

  /**
   * Waits until all postings are summed, which the longest transaction of any test on this
   * PostgreSQL delays.
   */
  const folded = (): Promise<true> =>
    until(async () => {
      await foldPostingsOf(server.app.db)
      const left = await server.app.db.query(
        'select from ledger_postings where position >= (select position from folded_postings) limit 1',
      )
      return left.length === 0
    }, 120_000)

  before(async () => {
    server = await startServer()
    // Makes and changes rows without the ledger.
    server.leaveBooksUnverified()
    merchant = newMerchant(server)
    months = await tradeMonths(server, merchant, 2, () =>
      merchant.takePayment('card', { amount: 70_000 }),
    )
  })
  after(() => server.stop())

  it('give the fees of the statement, by day, type and means', async () => {
    for (const month of months) {
      const { lines, totals, livemode, time_zone } = await get(`/reports/fees?${range(month)}`)
      assert.deepEqual([livemode, time_zone], [false, 'UTC'])
      for (const { currency, fees } of totals) {
        const wallet = await walletOf(month, currency)
        assert.equal(fees, wallet.fees, `${month} ${currency}`)
        const own = lines.filter((line: Json) => line.currency === currency)
        assert.equal(sumOf(own, 'fees'), fees)
        for (const { type, fees: ofType } of wallet.activity)
          assert.equal(
            sumOf(own, 'fees', (line) => line.type === type),
            ofType,
            `${month} ${type}`,
          )
      }
      const card = lines.filter((line: Json) => line.method === 'card')
      const payments = (await get(`/payments?method=card&${range(month)}`)).docs
      assert.deepEqual([sumOf(card, 'count'), sumOf(card, 'fees')], [2, sumOf(payments, 'fee')])
      const payout = lines.filter((line: Json) => line.type === 'payout')
      assert.equal(
        sumOf(payout, 'fees'),
        (await merchant.readPayout(month === months[0] ? 'done-1' : 'done-2')).fee,
      )
    }
    const [row] = await server.app.db.query<{ held: bigint }>(
      `select sum(balance)::bigint as held from ledger_accounts where business_id = $1 and not livemode and purpose = 'fees' and currency = 'ngn'`,
      [server.businessId],
    )
    const all = await get(`/reports/fees?from=${months[0]}-01&by=month`)
    assert.equal(
      sumOf(all.totals, 'fees', ({ currency }) => currency === 'ngn'),
      Number(row?.held),
    )
    assert.deepEqual([...new Set(all.lines.map(({ period }: Json) => period))], months)
  })

  it('give what payers paid, what was kept of it, and what reached the wallet', async () => {
    for (const month of months) {
      const { lines, totals } = await get(`/reports/settlements?${range(month)}`)
      for (const { currency, gross, fees, net } of totals) {
        const deposit =
          (await walletOf(month, currency)).activity.find(({ type }: Json) => type === 'deposit') ??
          {}
        assert.deepEqual(
          [gross, fees],
          [deposit.in ?? 0, deposit.fees ?? 0],
          `${month} ${currency}`,
        )
        assert.equal(net, gross - fees)
      }
      assert.deepEqual(
        lines.map(({ method, count, gross }: Json) => [method, count, gross]),
        [
          ['bank_transfer', 1, 90_000],
          ['card', 2, 320_000],
        ],
      )
    }
  })

  it('give what became of payouts', async () => {
    const [month = ''] = months
    const { lines, totals } = await get(`/reports/payouts?${range(month)}`)
    const { fee, net_amount } = await merchant.readPayout('done-1')
    const bank = { currency: 'ngn', method: 'bank_transfer', count: 1 }
    assert.deepEqual(lines, [
      { ...bank, status: 'completed', failure_reason: null, amount: 300_000, fee, net_amount },
      {
        ...bank,
        status: 'failed',
        failure_reason: 'invalid_account',
        amount: 40_000,
        fee: 0,
        net_amount: 0,
      },
    ])
    const ngn = totals.find(({ currency }: Json) => currency === 'ngn')
    assert.deepEqual(ngn, { currency: 'ngn', count: 2, amount: 340_000, fee, net_amount })
    const sent = (await walletOf(month, 'ngn')).activity.find(({ type }: Json) => type === 'payout')
    assert.deepEqual([ngn.net_amount, ngn.fee], [sent.out, sent.fees])
  })

  it('are had as CSV, a line for each line', async () => {
    const query = `from=${months[0]}-01`
    const [fees] = (await get(`/reports/fees?${query}`)).lines
    const feesCsv = (await server.call('GET', `/reports/fees/csv?${query}`)).body.split('\r\n')
    assert.equal(feesCsv[0], 'period,currency,type,method,count,fees_decimal,fees_minor')
    assert.equal(
      feesCsv[1],
      `${fees.period},ngn,${fees.type},${fees.method},${fees.count},${(fees.fees / 100).toFixed(2)},${fees.fees}`,
    )
    const { lines } = await get(`/reports/settlements?${query}`)
    const csv = (await server.call('GET', `/reports/settlements/csv?${query}`)).body
      .trimEnd()
      .split('\r\n')
    assert.equal(
      csv[0],
      'period,currency,method,count,gross_decimal,fees_decimal,net_decimal,gross_minor,fees_minor,net_minor',
    )
    assert.equal(csv.length, lines.length + 1)
  })

  it('are of this month, of 13 months at most, and of one mode', async () => {
    const { from, to } = await get('/reports/fees')
    assert.equal(from, `${months[1]}-01T00:00:00.000Z`)
    assert.ok(Date.parse(to) <= (await merchant.now()))
    for (const report of ['fees', 'payouts', 'settlements']) {
      assert.equal(
        (await server.call('GET', `/reports/${report}?from=2025-01-01&to=2026-01-31`)).status,
        200,
      )
      for (const query of [
        'from=2025-01-01&to=2026-02-28',
        'from=2026-02-01&to=2026-01-01',
        'from=2026-02-30',
      ])
        await merchant.isRefused(
          'GET',
          `/reports/${report}?${query}`,
          undefined,
          422,
          'validation_failed',
        )
      const live = await must(server.callAs(server.liveKey)('GET', `/reports/${report}`))
      assert.deepEqual([live.livemode, live.lines], [true, []])
    }
  })

  it('begin their days where the business is', async () => {
    await must(server.call('PUT', '/business', { time_zone: 'Africa/Lagos' }))
    const report = await get(`/reports/settlements?${range(months[1] as string)}&by=month`)
    assert.equal(report.from, new Date(`${months[1]}-01T00:00:00+01:00`).toISOString())
    const wallet = await walletOf(months[1] as string, 'ngn')
    assert.equal(
      report.totals[0].gross,
      wallet.activity.find(({ type }: Json) => type === 'deposit').in,
    )
  })

  it('have what is posted after a dump was restored, where transaction numbers begin again below', async () => {
    await folded()
    await server.asOwner('update folded_postings set position = position + 1000000')
    await server.asOwner('select keep_event_positions()')
    const fees = async (): Promise<number> => (await get('/reports/fees')).totals[0].fees
    const before = await fees()
    await server.fund('ngn', 10_000)
    await merchant.takePayment('card', { amount: 70_000 })
    const after = await fees()
    assert.ok(after > before)
    await folded()
    assert.equal(await fees(), after)
    assert.deepEqual(await wrong(server.app.db), [])
  })

  it('have what is posted after a backup was restored, where positions are left out', async () => {
    await folded()
    const fees = async (): Promise<number> => (await get('/reports/fees')).totals[0].fees
    const before = await fees()
    await server.asOwner('select leave_event_positions()')
    await folded()
    await merchant.takePayment('card', { amount: 70_000 })
    const after = await fees()
    assert.ok(after > before)
    await folded()
    assert.equal(await fees(), after)
    assert.deepEqual(await wrong(server.app.db), [])
  })

  it('have what was posted while they were summed, once', async () => {
    const { db } = server.app
    const client = newClient(server.ownerUrl)
    await client.connect()
    const before = (await get('/reports/fees?from=2019-01-01&to=2019-01-01')).totals[0].fees
    await client.query('begin')
    await client.query(
      `insert into ledger_postings (business_id, livemode, debit_account, credit_account, amount, currency, kind, subject, transaction_id, posted_at)
       select business_id, livemode, debit_account, credit_account, 700, currency, kind, subject, transaction_id, timestamptz '2019-01-01T12:03:00Z'
         from ledger_postings where business_id = $1 and kind = 'deposit_fee' order by id limit 1`,
      [server.businessId],
    )
    await Promise.all([foldPostingsOf(db), foldPostingsOf(db)])
    await client.query('commit')
    await client.end()
    for (let folds = 0; folds < 3; folds++) {
      assert.equal(
        (await get('/reports/fees?from=2019-01-01&to=2019-01-01')).totals[0].fees,
        before + 700,
      )
      await Promise.all([foldPostingsOf(db), foldPostingsOf(db)])
      assert.deepEqual(await wrong(db), [])
    }
    // Parts of a quarter of an hour at both ends.
    for (const [from, to, fees] of [
      ['12:02', '12:04', 700],
      ['12:03', '12:14', 700],
      ['11:50', '12:03', 0],
      ['12:04', '13:00', 0],
    ] as const) {
      const { totals } = await get(
        `/reports/fees?from=2019-01-01T${from}:00Z&to=2019-01-01T${to}:00Z`,
      )
      assert.equal(totals[0].fees, fees, `${from} to ${to}`)
    }
    await folded()
    await server.asOwner(
      `update posting_sums set amount = amount + 1 where begins_at = '2019-01-01T12:00:00Z'`,
    )
    assert.equal((await wrong(db)).length, 1)
  })

  it('read their period by an index among 100,000 of other years', async () => {
    const { db } = server.app
    await db.query(
      `insert into payouts (business_id, livemode, id, reference, amount, currency, method, destination, fee, fee_breakdown, rate,
                            destination_amount, destination_currency, warnings, rail, status, approval, transaction_id, metadata, created_at, updated_at)
       select business_id, livemode, lpad(to_hex(n), 24, '0'), 'old-' || n, amount, currency, method, destination, fee, fee_breakdown, rate,
              destination_amount, destination_currency, warnings, rail, status, approval, lpad(to_hex(n), 24, '0'), metadata, old, old
         from payouts, generate_series(1, 100000) n, lateral (select timestamptz '2020-01-01' + n * interval '10 minutes' as old) at
        where business_id = $1 and reference = 'done-1'`,
      [server.businessId],
    )
    await db.query(
      `insert into ledger_postings (business_id, livemode, debit_account, credit_account, amount, currency, kind, subject, transaction_id, posted_at)
       select p.business_id, p.livemode, debit_account, credit_account, 1, p.currency, kind, subject, transaction_id,
              timestamptz '2020-01-01' + n * interval '10 minutes'
         from (select * from ledger_postings where business_id = $1 and kind = 'deposit_fee' order by id limit 1) p, generate_series(1, 100000) n`,
      [server.businessId],
    )
    await db.query('analyze payouts, ledger_postings, transactions')
    const fees = async (): Promise<number> =>
      (await get('/reports/fees?from=2020-01-01&to=2020-12-31&by=month')).totals[0].fees
    // Every ten minutes of a year of 366 days in Lagos, where it ends an hour early.
    assert.equal(await fees(), 366 * 144 - 6 - 1)
    await folded()
    assert.equal(await fees(), 366 * 144 - 6 - 1)
    // Summarises ranges of pages, as autovacuum does.
    await server.asOwner('vacuum analyze ledger_postings')
    await db.query('analyze posting_sums')

    const monthsBound = (day: number): string =>
      idBound(new Date(`${months[0]}-${String(day).padStart(2, '0')}`))
    const [known] = await db.query<{ position: bigint }>('select position from folded_postings')
    const year = ['2020-01-01T00:00:00Z', '2020-12-31T00:00:00Z']
    const ends = [server.businessId, 'false', year[0], year[0], year[1], year[1], known?.position]
    for (const [statement, values, most] of [
      [selectOutcomes, [server.businessId, 'false', ...[1, 28].map(monthsBound)], 100],
      [selectMoved, [...ends, 'UTC', 'YYYY-MM-DD', '{2020-06-01}'], 5_000],
    ] as const) {
      const text = statement.own.text.replaceAll(
        /\$(\d+)/g,
        (_, n: string) => `'${values[Number(n) - 1]}'`,
      )
      const [row] = await db.query<Record<string, [{ Plan: PlanNode }]>>(
        `explain (analyze, format json) ${text}`,
      )
      const read = readBy(row?.['QUERY PLAN']?.[0].Plan as PlanNode, ['payouts', 'ledger_postings'])
      assert.ok(read <= most, `${statement.own.name} has read ${read} rows`)
    }
  })
})

/**
 * Goal: a search reads no more rows than its bounds, and answers correctly or refuses. Method: many
 * rows of one amount are made in SQL; answers are compared with a full walk, and the plans of all
 * statements are checked.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Json, must } from '../../../test/support/actors.ts'
import {
  bankPayout,
  startServer,
  storedColumns,
  type TestServer,
} from '../../../test/support/harness.ts'
import { list as listCustomers } from '../../collecting/customers/customers.ts'
import { list as listPayments } from '../../collecting/payments/payments.ts'
import { list as listRefunds } from '../../collecting/refunds/refunds.ts'
import { outside, scopeOf } from '../../core/outside.ts'
import { list as listPayouts } from '../../paying-out/payouts/payouts.ts'
import { list as listInvoices } from '../../selling/invoices/invoices.ts'
import { type Database, newClient, type Statement } from '../db.ts'

const many = 12_000

describe('a search among many rows', () => {
  let server: TestServer
  /** All filled rows, newest first. */
  let ids: string[]

  const payouts = (query: Record<string, string>) =>
    server.call('GET', `/payouts?${new URLSearchParams(query)}`)
  const idsOf = (data: Json): string[] => data.docs.map(({ id }: Json) => id)
  const idAt = (n: number): string => (0x60000000 + n).toString(16).padEnd(24, '0')
  const isTooBroad = async (query: Record<string, string>, sentence: RegExp): Promise<void> => {
    const { status, code, body } = await payouts(query)
    assert.deepEqual([status, code], [400, 'search_too_broad'], JSON.stringify(query))
    assert.match(body.message, sentence)
  }

  /**
   * Copies a row `count` times, one second apart, from `at` in seconds.
   * @param changed values of other columns, as SQL of the copy's number `n`
   */
  async function copyRow(
    table: string,
    of: string,
    { at, count }: { at: number; count: number },
    changed: Record<string, string>,
  ): Promise<void> {
    const { db } = server.app
    const made: Record<string, string> = {
      created_at: `to_timestamp(${at} + n)`,
      id: `rpad(to_hex(${at} + n), 24, '0')`,
      ...changed,
    }
    const columns = (await storedColumns(db, table)).split(', ')
    await db.query(
      `insert into ${table} (${columns}) select ${columns.map((column) => made[column] ?? `one.${column}`)}
         from ${table} one cross join generate_series(1, ${count}) n where one.id = $1`,
      [of],
    )
  }

  before(async () => {
    server = await startServer({ SANDBOX_DELAY: '1h' })
    // Makes and changes rows without the ledger.
    server.leaveBooksUnverified()
    const { db } = server.app
    await server.fund('ngn', 100_000_000)
    const customer = await must(
      server.call('POST', '/customers', { name: 'Ada Obi', email: 'ada@example.com' }),
    )
    const payment = await must(
      server.call('POST', '/payments', { amount: 5_000, currency: 'ngn', customer: customer.id }),
    )
    await must(server.call('POST', '/payouts', bankPayout('first', 500_000)))
    /**
     * Copies of one row: a second apart, each 1,000th and the three oldest of another status, the
     * first half of one reference.
     */
    const copies = (table: string, of: string, changed: Record<string, string>) =>
      copyRow(table, of, { at: 0x60000000, count: many }, changed)
    const first = await must(server.call('GET', '/payouts/first'))
    await copies('payouts', first.id, {
      status: `case when n <= 3 then 'canceled' when n % 1000 = 0 then 'failed' else 'completed' end`,
      reference: `case when n % 2 = 0 then 'even-' else 'odd-' end || n`,
    })
    await copies('payments', payment.id, {
      reference: `'p-' || n`,
      email: `'mail' || n % 6000 || '@example.com'`,
    })
    await copies('customers', customer.id, {
      name: `'Name' || n`,
      email: `'mail' || n || '@example.com'`,
    })
    await db.query(
      `insert into customer_words (business_id, livemode, customer_id, word)
       select business_id, livemode, id, unnest(array[lower(name), 'name', 'half' || (created_at > to_timestamp(${0x60000000 + many / 2})), email])
         from customers where id <> $1`,
      [customer.id],
    )
    await db.query('delete from payouts where id = $1', [first.id])
    for (const table of ['payouts', 'payments', 'customers', 'customer_words'])
      await server.asOwner(`analyze ${table}`)
    ids = Array.from({ length: many }, (_, i) => idAt(many - i))
  })
  after(() => server.stop())

  it('counts ten thousand, and goes on behind them by page and by cursor', async () => {
    const first = (await payouts({ amount: '500000' })).data
    assert.deepEqual(
      [first.totalDocs, first.totalPages, first.hasNextPage, first.nextPage],
      [10_000, 500, true, 2],
    )
    assert.deepEqual(idsOf(first), ids.slice(0, 20))
    for (const page of [499, 500, 501, 599, 600, 601, 1_000_000]) {
      const { data } = await payouts({ amount: '500000', page: String(page) })
      assert.deepEqual(idsOf(data), ids.slice((page - 1) * 20, page * 20), `page ${page}`)
      assert.equal(data.hasNextPage, page < 600)
      assert.ok(data.totalDocs >= 10_000 && data.totalDocs <= many)
      if (page < 600) assert.ok(data.totalPages > page, 'who counts pages does not stop here')
    }
    for (const place of [100, 9_990, 9_999, 10_000, 11_000, 11_979, 11_985, 11_999]) {
      const { data } = await payouts({ amount: '500000', after: ids[place - 1] as string })
      assert.deepEqual(idsOf(data), ids.slice(place, place + 20), `after ${place}`)
      assert.equal(data.hasNextPage, place + 20 < many)
      assert.equal(data.totalDocs, 10_000)
    }
  })

  it('finds what is beside it among them, and says so where that is too few', async () => {
    const found = (await payouts({ amount: '500000', status: 'failed', limit: '5' })).data
    assert.deepEqual(
      idsOf(found),
      [12, 11, 10, 9, 8].map((n) => idAt(n * 1000)),
    )
    assert.equal(found.hasNextPage, true)
    // The oldest two of twelve lie behind ten thousand.
    await isTooBroad({ amount: '500000', status: 'failed' }, /from.*to/)
    await isTooBroad({ amount: '500000', status: 'canceled' }, /from.*to/)
    const to = new Date((0x60000000 + 5_000) * 1000).toISOString()
    const narrowed = (await payouts({ amount: '500000', status: 'canceled', to })).data
    assert.deepEqual([idsOf(narrowed), narrowed.totalDocs], [[3, 2, 1].map(idAt), 3])
    const after = (await payouts({ amount: '500000', status: 'failed', after: idAt(5_000) })).data
    assert.deepEqual(
      idsOf(after),
      [4, 3, 2, 1].map((n) => idAt(n * 1000)),
    )
  })

  it('reads all that begin alike, up to ten thousand', async () => {
    const found = (await payouts({ reference: 'odd-', limit: '100', page: '60' })).data
    assert.deepEqual([found.totalDocs, found.totalPages, found.hasNextPage], [6_000, 60, false])
    assert.deepEqual(idsOf(found), ids.filter((_, i) => i % 2 === 1).slice(-100))
    assert.equal((await payouts({ reference: 'odd-', status: 'canceled' })).data.totalDocs, 2)
    await server.app.db.query(`update payouts set reference = 'all-' || reference`)
    await isTooBroad(
      { reference: 'all-' },
      /More than 10,000 payouts have a reference that begins with 'all-'/,
    )
    await isTooBroad({ search: 'all' }, /begins with 'all'/)
    assert.equal((await payouts({ search: 'all-odd-11' })).data.totalDocs, 556)
    // What another filter finds is looked at for it.
    assert.equal((await payouts({ search: 'all-even-12', reference: 'all-' })).data.totalDocs, 57)
  })

  it('looks through the newest fifty thousand for what payouts have no index for', async () => {
    await copyRow(
      'payouts',
      ids[0] as string,
      { at: 0x60010000, count: 49_990 },
      {
        amount: '10000000 + n',
        reference: `'newer-' || n`,
      },
    )
    const found = (await payouts({ amount: '500000' })).data
    assert.deepEqual(
      [idsOf(found), found.totalDocs, found.hasNextPage],
      [ids.slice(0, 10), 10, false],
    )
    assert.deepEqual(idsOf((await payouts({ search: '5,000.00', status: 'failed' })).data), [
      ids[0],
    ])
    assert.equal((await payouts({ search: '0123456789' })).data.totalDocs, 10_000)
    assert.equal((await payouts({ search: '0123456780' })).data.totalDocs, 0)
    const day = { from: '2021-01-01', to: new Date(0x60010000 * 1000).toISOString() }
    assert.deepEqual(idsOf((await payouts({ amount: '500000', ...day })).data), ids.slice(0, 20))
    assert.equal(
      (await payouts({ amount: '10000001', after: idAt(0x10000 + 10) })).data.docs.length,
      1,
    )
  })

  it('looks for the words that few customers have first', async () => {
    const customers = async (search: string) =>
      server.call('GET', `/customers?${new URLSearchParams({ search })}`)
    assert.equal((await customers('name')).code, 'search_too_broad')
    assert.match((await customers('name')).body.message, /'name'/)
    assert.equal((await customers('name halftrue')).data.totalDocs, 6_000)
    assert.equal((await customers('name name11999')).data.totalDocs, 1)
    assert.equal((await customers('name nobody')).data.totalDocs, 0)
    const payments = await server.call('GET', '/payments?search=name%20halftrue')
    assert.equal(payments.code, 'search_too_broad')
    assert.match(payments.body.message, /1,000 customers match 'name halftrue'/)
    assert.equal(
      (await server.call('GET', '/payments?search=mail77@example.com')).data.totalDocs,
      2,
    )
  })

  it('by an index, whatever it is for', async () => {
    const asked: { text: string; params: unknown[] }[] = []
    const noted = <Row>(statement: Statement<Row>, params: unknown[] = []): Statement<Row> => {
      asked.push({ text: statement.text, params })
      return statement
    }
    const db: Database = {
      ...server.app.db,
      rows: (statement, params) => server.app.db.rows(noted(statement, params), params),
      row: (statement, params) => server.app.db.row(noted(statement, params), params),
    }
    const ctx = outside({ ...server.app, db }, await scopeOf(server.app, server.businessId, false))
    const client = newClient(server.databaseUrl)
    await client.connect()
    await server.asOwner('vacuum (analyze) payouts')
    // Simulates a large table: here all rows fit into few pages. The pages cost what they do in
    // memory; at the cost of a disk, it would depend on PostgreSQL's sample whether an index in
    // order is cheaper than a sort.
    await client.query('set enable_seqscan = off')
    await client.query('set random_page_cost = 1.1')
    type Plan = Record<string, Json>
    /** Counts the rows of tables that a plan has read. */
    const readBy = ({ Plans = [], ...node }: Plan): number => {
      const own = node['Relation Name']
        ? node['Actual Loops'] * (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0))
        : 0
      return Plans.reduce((sum: number, below: Plan) => sum + readBy(below), own)
    }
    for (const [name, ask] of [
      ['payouts', (query: object) => listPayouts(ctx, query)],
      ['payments', (query: object) => listPayments(ctx, query)],
      ['refunds', (query: object) => listRefunds(ctx, query)],
      ['invoices', (query: object) => listInvoices(ctx, query)],
      ['customers', (query: object) => listCustomers(ctx, query)],
    ] as const)
      for (const query of [
        ...(name === 'customers'
          ? []
          : [{ amount: 500_000 }, { amount: 5_000 }, { amount: 5_000, status: 'failed' }]),
        ...(name === 'payouts' ? [] : [{ email: 'mail77@example.com' }]),
        ...(name === 'invoices' ? [] : [{ reference: 'all-even-1' }, { reference: 'p-77' }]),
        { search: '5000' },
        { search: '50' },
        { search: 'mail77@example.com' },
        { from: '2021-01-14T08:30:00Z', to: '2021-01-14T09:00:00Z' },
      ]) {
        asked.length = 0
        try {
          await ask(query)
        } catch (error) {
          assert.equal((error as Json).code, 'search_too_broad')
        }
        for (const { text, params } of asked) {
          const { rows } = await client.query(`explain (analyze, format json) ${text}`, params)
          const { Plan: plan } = rows[0]['QUERY PLAN'][0]
          const where = `${name} ${JSON.stringify(query)}\n${text}\n${JSON.stringify(plan, null, 1)}`
          assert.ok(!JSON.stringify(plan).includes('"Seq Scan"'), where)
          // Payouts have the newest 50,000 looked through in their key, for each of two things at
          // most.
          const most = name === 'payouts' ? 2 * 50_000 + 3 * 10_001 : 3 * 10_001
          if ('amount' in query && name === 'payouts' && text.includes('with m0'))
            assert.match(JSON.stringify(plan), /"payouts_pkey"/, where)
          assert.ok(readBy(plan) <= most, `${readBy(plan)} rows for ${where}`)
        }
      }
    await client.end()
  })
})

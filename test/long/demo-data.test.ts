/**
 * Goal: one command makes a month of test data that looks like a shop's, once, and touches nothing
 * else. Method: the command, in a process of its own, beside a test server; then lists over HTTP.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createBusiness } from '../../src/books/businesses/businesses.ts'
import { newDatabase } from '../support/cluster.ts'
import { command } from '../support/commands.ts'
import { assertMonthsTie, monthsBetween } from '../support/exported-months.ts'
import { bankPayout, type Json, listAll, startServer, type TestServer } from '../support/harness.ts'

const key = 'ab'.repeat(32)
let server: TestServer
before(async () => {
  server = await startServer({}, undefined, undefined, 'workers')
})
after(() => server.stop())

const demoData = (...args: string[]) =>
  command(['demo-data', ...args], { DATABASE_URL: server.databaseUrl, SECRETS_KEY: key })

async function refused(says: RegExp, ...args: string[]): Promise<void> {
  const { code, err } = await demoData(...args)
  assert.equal(code, 1)
  assert.match(err, /^bursar: .*\n$/)
  assert.match(err, says)
}

const has = (records: Json[], field: string, ...values: string[]): void => {
  const found = new Set(records.map((record) => record[field]))
  for (const value of values)
    assert.ok(found.has(value), `no ${field} ${value} among ${[...found].join(', ')}`)
}

describe('bursar demo-data', () => {
  it('lives through a month of test mode, with clean books, and leaves live mode empty', async () => {
    await server.call('POST', '/wallets/simulate-fund', { currency: 'ngn', amount: 100_000 })
    await server.call('POST', '/payouts', bankPayout('first-1', 50_000))
    const { code, out, err } = await demoData('--json')
    assert.equal(code, 0, err)
    const made = JSON.parse(out)
    const payments = await listAll(server.call, '/payments')
    assert.equal(payments.length, made.payments)
    assert.ok(payments.length >= 80, `${payments.length} payments`)
    has(payments, 'status', 'completed', 'failed', 'expired', 'canceled', 'pending')
    has(payments, 'method', 'card', 'bank_transfer', 'crypto')
    has(payments, 'variance', 'exact', 'underpaid', 'overpaid')
    const days = new Set(payments.map(({ created_at }) => created_at.slice(0, 10)))
    assert.ok(days.size >= 20, `${days.size} days`)
    const times = payments.map(({ created_at }) => Date.parse(created_at))
    const spanned = (Math.max(...times) - Math.min(...times)) / 86_400_000
    assert.ok(spanned >= 25 && spanned <= 32, `${spanned} days`)
    has(
      await listAll(server.call, '/payouts'),
      'status',
      'completed',
      'failed',
      'returned',
      'processing',
    )
    has(await listAll(server.call, '/refunds'), 'status', 'completed', 'failed', 'initiated')
    const invoices = await listAll(server.call, '/invoices')
    has(invoices, 'status', 'draft', 'open', 'paid', 'void')
    const overdue = ({ status, due_date }: Json) => status === 'open' && due_date < made.now
    assert.deepEqual([invoices.some(overdue), invoices.every(overdue)], [true, false])
    for (const { payments_count } of await listAll(server.call, '/collections'))
      assert.ok(payments_count > 0)
    await server.assertBooksClean()
    const [first] = (await listAll(server.call, '/transactions')).slice(-1) as [Json]
    await assertMonthsTie(
      server.call,
      monthsBetween(first.created_at.slice(0, 7), made.now.slice(0, 7)),
    )
    const live = server.callAs(server.liveKey)
    for (const path of ['customers', 'payments', 'payouts', 'invoices', 'transactions'])
      assert.deepEqual(await listAll(live, `/${path}`), [], path)
  })

  it('does it once, and not among what somebody has made', async () => {
    await refused(/The test clock of \w+ has been moved/, server.businessId)
    const { business, test_key } = await createBusiness(server.app, 'Busy')
    const call = server.callAs(test_key)
    for (let n = 0; n < 11; n++)
      await call('POST', '/products', { name: `No. ${n}`, amount: 1, currency: 'ngn' })
    await refused(/has 11 products already/, business.id)
    await refused(/several businesses/)
    await refused(/There is no business/, 'nobody')
    assert.equal((await listAll(call, '/customers')).length, 0)
  })

  it('does nothing where no server works on jobs', async () => {
    const database = await newDatabase()
    try {
      const env = {
        DATABASE_URL: database.url,
        MIGRATE_DATABASE_URL: database.ownerUrl,
        SECRETS_KEY: key,
      }
      assert.equal((await command(['migrate'], env)).code, 0)
      assert.equal((await command(['business', 'create', '--name', 'Idle'], env)).code, 0)
      const { code, err } = await command(['demo-data'], env)
      assert.deepEqual([code, /No server works on jobs/.test(err)], [1, true], err)
    } finally {
      await database.drop()
    }
  })
})

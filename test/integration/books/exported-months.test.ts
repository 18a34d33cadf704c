/**
 * Goal: what became final in a month is in the export of that month, and comes to what the
 * statement says, whenever it was begun. Method: months of every kind of movement over HTTP, by the
 * test clock; statement and export are added up beside each other.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newClient } from '../../../src/db/db.ts'
import { type Json, type Merchant, newMerchant } from '../../support/actors.ts'
import { assertMonthsTie, exportOf } from '../../support/exported-months.ts'
import {
  bankPayout,
  listAll,
  must,
  settled,
  startServer,
  type TestServer,
} from '../../support/harness.ts'
import { thisMonth, tradeMonths } from '../../support/months.ts'
import { operatorOf } from '../../support/operators.ts'

const listed = {
  account_name: 'Obi Eze',
  account_number: '0000000011',
  bank_name: 'GTBank',
  bank_code: '058',
}
const waits = { destination: { bank_code: '058', account_number: '0000000002' } }

describe('the export of a month', () => {
  let server: TestServer
  let merchant: Merchant
  let months: string[]
  const statementOf = (month: string): Promise<Json> =>
    must(server.call('GET', `/statements/${month}`))
  const closingOf = async (month: string, currency: string): Promise<number> =>
    (await statementOf(month)).wallets.find((wallet: Json) => wallet.currency === currency).closing
  const processing = async (reference: string): Promise<void> => {
    await merchant.payOut(bankPayout(reference, 20_000, waits))
    await settled(server.app)
    assert.equal((await merchant.readPayout(reference)).status, 'processing')
  }
  const simulate = (reference: string, body: object): Promise<Json> =>
    merchant.ask('POST', `/payouts/${reference}/simulate`, body)

  before(async () => {
    server = await startServer()
    merchant = newMerchant(server)
    const reviewer = await operatorOf(server)
    const shares = [{ name: 'Author', percentage_bps: 3_000 }]
    const { id: distribution } = await merchant.create('/distributions', {
      name: 'Authors',
      currency: 'ngn',
      shares,
    })
    const account = await merchant.openAccount({
      customer: (await merchant.addCustomer()).id,
      currency: 'ngn',
    })
    const deposits: Json[] = []
    let n = 0
    months = await tradeMonths(server, merchant, 3, async () => {
      n++
      // What the month before has left behind ends in this one.
      for (const { id } of deposits.splice(0)) {
        const { docs } = await must(reviewer('GET', '/operator/reviews?status=waiting'))
        const { id: review } = docs.find((one: Json) => one.subject === id)
        await must(
          reviewer('POST', `/operator/reviews/${review}/${n === 2 ? 'release' : 'refuse'}`, {}),
        )
      }
      if (n > 1) {
        await simulate(`late-${n - 1}`, { outcome: 'completed' })
        await simulate(`fails-late-${n - 1}`, { outcome: 'failed', failure_reason: 'rejected' })
        await simulate(`done-${n - 1}`, { outcome: 'returned', failure_reason: 'invalid_account' })
      }
      deposits.push(await merchant.deposit(account, { amount: 70_001, sender: listed }))
      await processing(`late-${n}`)
      await processing(`fails-late-${n}`)
      const quote = await merchant.create('/conversions/quote', {
        amount: 100_000,
        currency: 'ngn',
        destination_currency: 'usd',
      })
      await merchant.create('/conversions', { quote: quote.id })
      const invoice = await merchant.openInvoice({}, { lines: [{ amount: 33_333, distribution }] })
      await merchant.simulate(invoice.payment, 'completed', 'card')
      await merchant.ask('POST', `/distributions/${distribution}/settle`)
      await merchant.refundEnded((await merchant.refund(invoice.payment, { amount: 11_111 })).data)
    })
  })
  after(() => server.stop())

  it('comes with the opening balance to the closing balance of each wallet', async () => {
    const found = await assertMonthsTie(server.call, months)
    for (const { lines } of found) assert.ok(lines.length >= 10, `${lines.length} lines`)
    // Reports by the same days count the same.
    const statements = await Promise.all(months.map(statementOf))
    const period = `from=${statements[0]?.from}&to=${statements.at(-1)?.to}`
    const { totals } = await must(server.call('GET', `/reports/settlements?${period}`))
    const deposits = statements.flatMap(({ wallets }) =>
      wallets[0].activity.filter(({ type }: Json) => type === 'deposit'),
    )
    const sumOf = (name: string): number =>
      deposits.reduce((sum: number, one: Json) => sum + one[name], 0)
    assert.deepEqual([totals[0].gross, totals[0].fees], [sumOf('in') - sumOf('out'), sumOf('fees')])
    const types = new Set(found.flatMap(({ lines }) => lines.map(({ type }) => type)))
    for (const type of [
      'deposit',
      'payment',
      'payout',
      'payout_return',
      'refund',
      'share',
      'conversion',
    ])
      assert.ok(types.has(type), type)
  })

  it('stays as it was when a payout of it fails, completes or is returned in the month after', async () => {
    const january = await thisMonth(merchant)
    await processing('january-fails')
    await processing('january-completes')
    await merchant.payOut(bankPayout('january-returned', 30_000))
    await merchant.payoutEnded('january-returned')
    await merchant.advance('31d')
    const february = await thisMonth(merchant)
    const [statement, file] = [await statementOf(january), await exportOf(server.call, january)]
    assert.equal(statement.complete, true)
    const opened = await merchant.wallet()

    await simulate('january-fails', { outcome: 'failed', failure_reason: 'rejected' })
    await simulate('january-completes', { outcome: 'completed' })
    await simulate('january-returned', { outcome: 'returned', failure_reason: 'invalid_account' })
    await settled(server.app)
    assert.deepEqual(await statementOf(january), statement)
    assert.equal(await exportOf(server.call, january), file)

    // February has what left in it and what came back in it, and nothing of the payout that never
    // arrived.
    const { net_amount: returned } = await merchant.readPayout('january-returned')
    const rows = (await merchant.ask('GET', `/transactions?completed_from=${february}-01`)).docs
    assert.deepEqual(
      rows
        .map(({ type, reference, balance_change }: Json) => [type, reference, balance_change])
        .toSorted(),
      [
        ['payout', 'january-completes', -20_000],
        ['payout_return', 'january-returned', returned],
      ],
    )
    for (const { created_at, completed_at, type } of rows)
      assert.equal(created_at.slice(0, 7), type === 'payout' ? january : completed_at.slice(0, 7))
    assert.equal(
      await closingOf(february, 'ngn'),
      (await closingOf(january, 'ngn')) - 20_000 + returned,
    )
    const { total } = await merchant.wallet()
    assert.equal(total, opened.total - 20_000 + returned)
    await assertMonthsTie(server.call, [...months, january, february])
  })

  it('leaves out what is not final, whose change of the balance says what it did so far', async () => {
    const of = async (reference: string): Promise<Json> =>
      merchant.verify((await merchant.readPayout(reference)).transaction)
    await processing('open')
    const open = await of('open')
    assert.deepEqual(
      [open.status, open.balance_change, open.completed_at],
      ['pending', -20_000, null],
    )
    const failed = await of('fails-1')
    assert.deepEqual(
      [failed.status, failed.balance_change, failed.completed_at],
      ['failed', 0, null],
    )
    const account = await merchant.openAccount({
      customer: (await merchant.addCustomer()).id,
      currency: 'ngn',
    })
    const held = await merchant.deposit(account, { amount: 70_002, sender: listed })
    assert.deepEqual([held.status, held.balance_change, held.completed_at], ['pending', 0, null])
    const month = await thisMonth(merchant)
    for (const { id } of [open, failed, held])
      assert.ok(!(await exportOf(server.call, month)).includes(id))
    await assertMonthsTie(server.call, [month])
    // All changes of a wallet come to what it has available.
    const { docs } = await merchant.ask('GET', '/transactions?currency=ngn&limit=100')
    assert.ok(docs.length < 100)
    const sum = docs.reduce((total: number, { balance_change }: Json) => total + balance_change, 0)
    assert.equal(sum, await merchant.available())
  })

  it('begins and ends on the days of the business, by pages and behind a record', async () => {
    await must(server.call('PUT', '/business', { time_zone: 'Pacific/Auckland' }))
    await assertMonthsTie(server.call, [...months, await thisMonth(merchant)])
    const all = await listAll(server.call, '/transactions?completed_from=2020-01-01')
    assert.ok(all.length > 30)
    const times = all.map(({ completed_at }) => completed_at as string)
    assert.deepEqual(times, times.toSorted().reverse())
    const followed: Json[] = []
    for (let last = ''; ; last = `&after=${followed.at(-1)?.id}`) {
      const path = `/transactions?completed_from=2020-01-01&limit=7${last}`
      const { docs, totalDocs, hasNextPage } = await merchant.ask('GET', path)
      assert.equal(totalDocs, all.length)
      followed.push(...docs)
      if (!hasNextPage) break
    }
    assert.deepEqual(followed, all)
    const some = await listAll(server.call, `/transactions?type=payout&completed_to=${times[9]}`)
    assert.deepEqual(
      some,
      all.filter(
        ({ type, completed_at }) => type === 'payout' && completed_at < (times[9] as string),
      ),
    )
    assert.deepEqual(
      await listAll(server.call, '/transactions?status=failed&completed_from=2020-01-01'),
      [],
    )
    for (const [name, day] of [
      ['completed_from', 'yesterday'],
      ['completed_to', '0000-01-01'],
    ] as const) {
      const refused = await merchant.isRefused(
        'GET',
        `/transactions?${name}=${day}`,
        undefined,
        422,
        'validation_failed',
      )
      assert.deepEqual(
        refused.body.data.map(({ path }: Json) => path),
        [name],
      )
    }
  })

  it('is read by an index', async () => {
    const client = newClient(server.databaseUrl)
    await client.connect()
    // Of a table as small as this one all would be read, and sorted.
    await client.query('set enable_seqscan = off')
    await client.query('set enable_sort = off')
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(
      `explain select id from transactions where business_id = '${server.businessId}' and livemode = false and status = 'completed'
          and updated_at >= '2020-01-01' and updated_at < '2020-02-01' order by updated_at desc, id desc limit 1000`,
    )
    await client.end()
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    assert.match(plan, /Index (Only )?Scan using transactions_completed/)
    assert.doesNotMatch(plan, /Sort|Filter/)
  })
})

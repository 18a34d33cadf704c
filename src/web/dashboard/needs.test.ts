/**
 * Goal: what needs attention is found at the same cost however many records are open or dealt with.
 * Method: ten thousand failed payouts are copied into the database; the home page is read over HTTP,
 * and the rows that it gets from the database are counted.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newMerchant } from '../../../test/support/actors.ts'
import { shown, signedIn, type Visitor } from '../../../test/support/dashboard.ts'
import {
  bankPayout,
  must,
  startServer,
  type TestServer,
  until,
} from '../../../test/support/harness.ts'
import { newClient } from '../../db/db.ts'
import { columnsOf } from '../../db/table.ts'
import { payouts } from '../../paying-out/payouts/sql.ts'

const textOf = (html: string): string => html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')

describe('what needs attention, among ten thousand failed payouts', () => {
  let server: TestServer
  let owner: Visitor
  before(async () => {
    server = await startServer()
    // Rows are made behind the ledger's back here.
    server.leaveBooksUnverified()
    await server.fund('ngn', 10_000_000)
    const destination = { bank_code: '058', account_number: '0000000001' }
    await must(server.call('POST', '/payouts', bankPayout('first', 200_000, { destination })))
    const { ask } = newMerchant(server)
    await until(async () => (await ask('GET', '/payouts/first')).status === 'failed')
    owner = await signedIn(server)
    const columns = columnsOf(payouts)
    const copied = columns
      .replace(/\bid\b/, `lpad(to_hex(n), 24, '0')`)
      .replace(/\breference\b/, `'copy-' || n`)
    await server.app.db.query(
      `insert into payouts (business_id, ${columns})
       select business_id, ${copied} from payouts cross join generate_series(1, 10000) n`,
    )
    await server.app.db.query('analyze payouts')
  })
  after(() => server.stop())

  /** Marks the newest as dealt with. */
  const deal = (count: number) =>
    server.app.db.query(
      `insert into attention_done (business_id, livemode, subject, done_at)
       select business_id, livemode, id, now() from payouts order by id desc limit $1 on conflict do nothing`,
      [count],
    )

  it('reads a bounded number of rows for the home page', async () => {
    const read = await countRead(server, async () => {
      const text = textOf(await shown(owner.get('')))
      assert.match(text, /were not approved in time \(100 or more\)/)
    })
    assert.ok(read.rows < 200, `${read.rows} rows of payouts by ${read.queries} queries`)
  })

  it('finds what is open behind any number of records that were dealt with', async () => {
    await deal(9_998)
    const read = await countRead(server, async () => {
      const text = textOf(await shown(owner.get('')))
      assert.match(text, /were not approved in time \(3\)/)
    })
    assert.ok(read.rows < 20, `${read.rows} rows of payouts by ${read.queries} queries`)
  })
})

/** Counts the queries of payouts, and the rows that they return, while something is done. */
async function countRead(server: TestServer, act: () => Promise<void>) {
  const { prototype } = newClient(server.databaseUrl).constructor as {
    prototype: { query(...args: unknown[]): unknown }
  }
  const { query } = prototype
  const read = { queries: 0, rows: 0 }
  prototype.query = function (this: unknown, ...args: unknown[]) {
    const [first] = args as [string | { text: string }]
    const text = typeof first === 'string' ? first : (first?.text ?? '')
    if (!/\bfrom (payouts|attention_done)\b/.test(text)) return query.apply(this, args)
    read.queries++
    const done = args.at(-1)
    if (typeof done !== 'function')
      return (query.apply(this, args) as Promise<{ rows: unknown[] }>).then((result) => {
        read.rows += result.rows.length
        return result
      })
    const counted = (error: unknown, result?: { rows: unknown[] }): void => {
      read.rows += result?.rows.length ?? 0
      done(error, result)
    }
    return query.apply(this, [...args.slice(0, -1), counted])
  }
  try {
    await act()
  } finally {
    prototype.query = query
  }
  return read
}

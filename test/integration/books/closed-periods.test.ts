/**
 * Goal: the checks of every module hold of any part of the books, wherever a closing divides them;
 * and what came since is found where it is wrong. Method: a server that has lived in every module;
 * its checks, as after a closing at any position and of any time; then records that were changed
 * since the closing are made wrong, one by one.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { closeBooks } from '../../../src/app/closing.ts'
import { verifyBooks } from '../../../src/app/main.ts'
import { checks } from '../../../src/app/modules.ts'
import { newClient } from '../../../src/db/db.ts'
import { foldCounts } from '../../../src/db/lists/counts.ts'
import { reachOf } from '../../../src/db/lists/reach.ts'
import { fillEveryModule } from '../../support/every-module.ts'
import { settled, startServer, type TestServer, until } from '../../support/harness.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'

const day = 86_400_000

describe('books that are closed', () => {
  let server: TestServer
  let receiver: Receiver
  before(async () => {
    receiver = await startReceiver()
    server = await startServer({
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
      WEBHOOK_CA_FILE: receiver.caFile,
    })
    // Rows are made, or changed, behind the ledger's back here.
    server.leaveBooksUnverified()
    await fillEveryModule(server, server.call, `${receiver.url}/hook`)
    await settled(server.app)
  })
  after(async () => {
    await server.stop()
    await receiver.stop()
  })

  it('agree on either side of a closing, at any position and of any time', async () => {
    const positions = await server.app.db.query<{ position: bigint }>(
      `(select position from ledger_postings order by random() limit 4)
       union all select max(position) + 1 from ledger_postings union all select 0`,
    )
    let tried = 0
    for (const { position } of positions)
      for (const days of [-40, -1, 0.9, 1, 2, 40]) {
        const reach = reachOf({ position, closed_at: new Date(Date.now() + days * day) })
        for (const { name, text, ofHistory } of checks) {
          // Balances are made from the opening balances of a real closing.
          if (
            ofHistory ||
            typeof text === 'string' ||
            name === 'every balance is the sum of its postings'
          )
            continue
          assert.deepEqual(
            await server.app.db.query(text(reach)),
            [],
            `${name}, ${days} days from now at ${position}`,
          )
          tried++
        }
      }
    assert.ok(tried > 1_000)
  })

  it('are wrong where the sums of the very day of the closing are, as the rest of it came afterwards', async () => {
    await foldCounts(server.app.db)
    const { closed_at } = await until(() => closeBooks(server.app))
    const today = closed_at.toISOString().slice(0, 10)
    const admin = newClient(server.superuserUrl)
    await admin.connect()
    for (const [table, column, where] of [
      ['list_counts', 'rows', `list = 'transactions' and day = '${today}'`],
      ['posting_sums', 'amount', `span = 'day' and begins_at = '${today}T00:00:00Z'`],
      [
        'transaction_sums',
        'amount',
        `quarter >= '${today}T00:00:00Z' and quarter < '${today}T24:00:00Z'`,
      ],
    ]) {
      const [one] = (await admin.query(`select ctid::text from ${table} where ${where} limit 1`))
        .rows
      assert.ok(one, `${table} has something of ${today}`)
      // By what it is, as a row that is written has another place.
      const by = (amount: number) =>
        admin.query(`update ${table} set ${column} = ${column} + ${amount} where ${where}`)
      await by(1)
      assert.notDeepEqual((await verifyBooks(server.app)).differences, [], table)
      await by(-1)
    }
    await admin.end()
    assert.deepEqual((await verifyBooks(server.app)).differences, [])
  })

  it('are wrong where a record is that was changed since, and right again', async () => {
    await until(() => closeBooks(server.app))
    const admin = newClient(server.superuserUrl)
    await admin.connect()
    for (const [table, change, back] of [
      ['transactions', `status = 'failed'`, `status = 'completed'`],
      ['payouts', 'fee = fee + 1', 'fee = fee - 1'],
      [
        'payments',
        'amount_received = amount_received + 1',
        'amount_received = amount_received - 1',
      ],
      ['refunds', `amount = amount + 1`, 'amount = amount - 1'],
      ['invoices', 'total = total + 1', 'total = total - 1'],
    ] as const) {
      const where = { transactions: `status = 'completed'` } as Record<string, string>
      const { rows } = await admin.query(
        `select id from ${table} where ${where[table] ?? 'true'} limit 1`,
      )
      const set = (to: string) =>
        admin.query(
          `begin; set local session_replication_role = replica; update ${table} set ${to} where id = '${rows[0].id}'; commit`,
        )
      await set(change)
      const { differences } = await verifyBooks(server.app)
      assert.ok(differences.length > 0, table)
      await set(back)
      assert.deepEqual((await verifyBooks(server.app)).differences, [], table)
    }
    await admin.end()
  })
})

/**
 * Goal: a command that is killed in the middle of its work has done nothing, and the next one does
 * all of it. Method: a lock keeps the command in its transaction until it is killed there.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { closeBooks } from '../../../src/app/closing.ts'
import { foldPostingsOf } from '../../../src/books/statements/statements.ts'
import { newClient } from '../../../src/db/db.ts'
import { runCommand } from '../../support/command-line.ts'
import { command } from '../../support/commands.ts'
import { countRows, fillEveryModule, findBusinessTables } from '../../support/every-module.ts'
import { startServer, type TestServer, until } from '../../support/harness.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'

/** The classes of the advisory locks of commands that close the books, and that empty test data. */
const locks = { closing: 1701671029, emptying: 1701671028 }

type Killing = {
  args: string[]
  /** A pattern of the statement that waits for the lock of the test. */
  waitsIn: string
  lock: number
}

/** Runs a command until it waits inside of a statement, kills it there, and calls `release`. */
async function killWaiting(
  server: TestServer,
  { args, waitsIn, lock }: Killing,
  release: () => Promise<unknown>,
) {
  const holds = async (condition: string): Promise<boolean> =>
    (await server.app.db.query(`select from ${condition}`)).length > 0
  const env = { DATABASE_URL: server.databaseUrl, SECRETS_KEY: 'ab'.repeat(32) }
  const { code } = await command(args, env, async (child) => {
    await until(
      () =>
        holds(
          `pg_stat_activity where wait_event_type = 'Lock' and query like '${waitsIn}' and datname = current_database()`,
        ),
      60_000,
    )
    child.kill('SIGKILL')
  })
  assert.equal(code, null)
  await release()
  // Its transaction ends some time after its process.
  await until(
    async () =>
      !(await holds(
        `pg_locks where locktype = 'advisory' and classid = ${lock}
            and database = (select oid from pg_database where datname = current_database())`,
      )),
  )
}

describe('a command that is killed', () => {
  let receiver: Receiver
  let server: TestServer
  let held: ReturnType<typeof newClient>
  before(async () => {
    receiver = await startReceiver()
    server = await startServer({
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
      WEBHOOK_CA_FILE: receiver.caFile,
    })
    await fillEveryModule(server, server.call, `${receiver.url}/hook`)
    // From here on nothing happens beside the commands.
    await server.leave()
    held = newClient(server.superuserUrl)
    await held.connect()
  })
  after(async () => {
    await held.end()
    await server.stop()
    await receiver.stop()
  })

  describe('while it closes the ledger', () => {
    it('is as it was when its process is killed in the middle, and is closed by the next', async () => {
      // Closed is what no open transaction, of whomever, began before: until then there may be
      // nothing to close, and to be killed in.
      await until(async () => {
        const [last] = await server.app.db.query<{ position: bigint }>(
          'select max(position) as position from ledger_postings',
        )
        return last !== undefined && ((await foldPostingsOf(server.app.db)) ?? 0n) > last.position
      })
      const state = () =>
        server.app.db.query(
          'select (select count(*) from ledger_closings) as closings, (select count(*) from opening_balances) as openings',
        )
      const before = await state()
      // It has read what it closes, and stands before it writes the opening balances.
      await held.query('begin; lock table opening_balances in share mode')
      const killing = {
        args: ['ledger', 'close'],
        waitsIn: 'with moved as materialized%',
        lock: locks.closing,
      }
      await killWaiting(server, killing, () => held.query('rollback'))
      assert.deepEqual(await state(), before)
      // One that finds the postings still within the reach of an open transaction closes none of
      // them.
      await until(async () => (await closeBooks(server.app))?.postings)
      const after = await state()
      assert.ok(Number(after[0]?.closings) > Number(before[0]?.closings))
      await server.assertBooksClean()
    })
  })

  describe('while it empties test data', () => {
    it('is nothing when its process is killed in the middle, and is done by the next', async () => {
      const { app, businessId } = server
      const tables = await findBusinessTables(app)
      const had = await countRows(app, tables, { businessId })
      assert.ok(had.customers && had.payments)
      // Customers are deleted late: by then most tables are empty in the transaction that waits for
      // this one.
      await held.query('begin')
      await held.query('select from customers where business_id = $1 for update', [businessId])
      const args = ['business', 'empty-test-data', businessId, '--yes']
      const killing = { args, waitsIn: '%empty_test_data%', lock: locks.emptying }
      await killWaiting(server, killing, () => held.query('commit'))
      const asked = (had.test_data_removals ?? 0) + 1
      assert.deepEqual(await countRows(app, tables, { businessId }), {
        ...had,
        test_data_removals: asked,
      })

      const { code, out, err } = await runCommand(app, args)
      assert.deepEqual([code, err], [0, ''])
      assert.match(out, /^\d+ records are deleted\. The test mode of Test Business is empty\.\n$/)
      assert.equal((await countRows(app, tables, { businessId })).customers, undefined)
    })
  })
})

/**
 * Goal: a cell goes to another PostgreSQL server, and a business gets a cell of its own, while both
 * are at work: what was answered is there once, in the books, in the list, in the stream and at the
 * endpoint; clients are refused nothing. Method: two PostgreSQL servers, `bursar serve` over a file
 * of cells, the commands as an operator runs them, clients that pay out by keys.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Embedded, useEmbedded } from '../../src/db/cluster/embedded.ts'
import { newClient } from '../../src/db/db.ts'
import { migrate } from '../../src/db/schema/migrate.ts'
import { Business } from '../support/business-at-work.ts'
import { command, type Served, serve } from '../support/commands.ts'
import { type Json, must, until } from '../support/harness.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'

describe('cells that move', { timeout: 600_000 }, () => {
  const dir = mkdtempSync(join(tmpdir(), 'bursar-moves-'))
  const file = join(dir, 'cells.json')
  const servers: Embedded[] = []
  let receiver: Receiver
  let env: Record<string, string>
  let served: Served
  const businesses: Record<string, Business> = {}

  const at = (n: number, database: string, kind: 'url' | 'ownerUrl' | 'superuserUrl'): string =>
    (servers[n] as Embedded)[kind].replace(/\/(postgres|bursar)\?/, `/${database}?`)
  async function asSuperuser(n: number, database: string, text: string): Promise<Json[]> {
    const client = newClient(at(n, database, 'superuserUrl'))
    await client.connect()
    return (await client.query(text).finally(() => client.end())).rows
  }
  async function run(args: string[], code = 0): Promise<string> {
    const ended = await command(['cells', ...args], env)
    assert.equal(ended.code, code, ended.err + ended.out)
    return ended.out + ended.err
  }
  async function make(name: string, cell: string): Promise<Business> {
    const made = await command(['business', 'create', '--name', name, '--json'], {
      ...env,
      CELL: cell,
    })
    assert.equal(made.code, 0, made.err)
    const business = new Business(served.url, JSON.parse(made.out))
    await must(business.call('POST', '/webhooks', { url: `${receiver.url}/${name}` }))
    await must(
      business.call('POST', '/wallets/simulate-fund', { currency: 'ngn', amount: 9_000_000_000 }),
    )
    return business
  }

  before(async () => {
    receiver = await startReceiver()
    for (const name of ['one', 'two']) {
      const server = await useEmbedded(
        { dir: join(dir, name), settings: { wal_level: 'logical' } },
        'tool',
      )
      servers.push(server)
    }
    for (const n of [0, 1])
      await asSuperuser(
        n,
        'postgres',
        'grant pg_create_subscription to bursar; alter role bursar replication',
      )
    for (const [n, database] of [
      [0, 'cell_a'],
      [1, 'moved_a'],
      [1, 'whale'],
      [1, 'spare'],
    ] as const)
      await asSuperuser(n, 'postgres', `create database ${database} owner bursar`)
    await migrate(at(0, 'cell_a', 'ownerUrl'), 'bursar_server')
    writeFileSync(file, JSON.stringify({ cells: { a: { database_url: 'env:CELL_A' } } }))
    env = {
      CELLS_FILE: file,
      CELL_A: at(0, 'cell_a', 'url'),
      SECRETS_KEY: 'ab'.repeat(32),
      DATA_DIR: dir,
      DATABASE_URL: '',
      RATE_LIMIT_MAX: '0',
      SANDBOX_DELAY: '300ms',
      DATABASE_POOL: '8',
      LOG_LEVEL: 'error',
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
      WEBHOOK_CA_FILE: receiver.caFile,
      WEBHOOK_RETRY_DELAYS: '1s,1s,1s,5s,5s',
    }
    served = await serve(env)
    await until(
      async () =>
        ((await (await fetch(`${served.url}/health`)).json()) as Json).data.status === 'ok',
      60_000,
    )
    for (const name of ['whale', 'minnow']) businesses[name] = await make(name, 'a')
  })
  after(async () => {
    for (const business of Object.values(businesses)) business.stop()
    served?.child.kill('SIGTERM')
    await served?.ended
    for (const one of servers) await one.release().catch(() => {})
    await receiver?.stop()
    rmSync(dir, { recursive: true, force: true })
  })

  const whale = (): Business => businesses.whale as Business
  const minnow = (): Business => businesses.minnow as Business

  it('are told what their servers lack before anything is done', async () => {
    const asServer = await run(['move', 'a', '--to', at(1, 'moved_a', 'ownerUrl')], 1)
    assert.match(asServer, /must own its tables and may replicate/)
    assert.deepEqual(await asSuperuser(0, 'cell_a', 'select * from cell_moves'), [])
    const itself = await run(['move', 'a', '--to', at(0, 'cell_a', 'ownerUrl')], 1)
    assert.match(itself, /Both are one database/)
    const nobody = await run(
      [
        'split',
        'w',
        '--business',
        '0'.repeat(24),
        '--cell',
        'a',
        '--from',
        at(0, 'cell_a', 'ownerUrl'),
        '--to',
        at(1, 'whale', 'ownerUrl'),
      ],
      1,
    )
    assert.match(nobody, /There is no such business/)
  })

  it('go to another server under load, and nothing is lost, refused or told twice', async (test) => {
    for (const business of [whale(), minnow()]) business.work()
    await whale().more(40)
    const to = ['--to', at(1, 'moved_a', 'ownerUrl'), '--serve', at(1, 'moved_a', 'url')]
    const from = ['--from', at(0, 'cell_a', 'ownerUrl')]
    // Given up on the way, it is as if nothing had been, and can be begun anew in a database that
    // is empty again.
    const broken = command(
      ['cells', 'move', 'a', '--to', at(1, 'spare', 'ownerUrl'), ...from],
      env,
      (child) => {
        void until(
          async () =>
            (await asSuperuser(1, 'spare', 'select from pg_subscription where subenabled')).length >
            0,
          60_000,
        ).then(() => child.kill('SIGKILL'))
      },
    )
    await broken
    await whale().more(20)
    assert.match(
      await run(['move', 'a', '--give-up', '--to', at(1, 'spare', 'ownerUrl'), ...from]),
      /Given up/,
    )
    assert.deepEqual(
      await asSuperuser(0, 'cell_a', `select slot_name from pg_replication_slots`),
      [],
    )
    await whale().more(20)

    for (const business of [whale(), minnow()])
      Object.assign(business, { slowest: 0, unavailable: [] })
    const said = await run(['move', 'a', ...to, ...from])
    test.diagnostic(said.trim())
    const pauseMs = Number(/waited for (\d+) ms/.exec(said)?.[1])
    assert.ok(pauseMs < 5_000, said)
    assert.equal(
      JSON.parse(readFileSync(file, 'utf8')).cells.a.database_url,
      at(1, 'moved_a', 'url'),
    )
    await whale().more(40)
    await minnow().more(20)
    test.diagnostic(
      `slowest answer ${Math.round(whale().slowest)} ms, ${whale().unavailable.length + minnow().unavailable.length} answers of 503`,
    )
    // What is at the old server now would be lost: it takes nothing.
    const late = newClient(at(0, 'cell_a', 'url'))
    await late.connect()
    await assert.rejects(
      late.query(`update ledger_accounts set balance = balance + 1`),
      /in another database now/,
    )
    await late.end()
  })

  it('part: a business gets its own cell, and its old keys and pages lead there', async (test) => {
    const link = await must(
      whale().call('POST', '/payments', { amount: 5_000, currency: 'ngn', email: 'p@example.com' }),
    )
    const person = 'a'.repeat(24)
    await asSuperuser(
      1,
      'moved_a',
      `insert into persons (id, email, name, password_hash, created_at) values ('${person}', 'ada@example.com', 'Ada', 'x', now());
       insert into memberships (business_id, person_id, role, joined_at) values ('${whale().id}', '${person}', 'owner', now())`,
    )
    for (const business of [whale(), minnow()])
      Object.assign(business, { slowest: 0, unavailable: [] })
    // Somebody is at the business when it is to be switched: a try or two fail just before the end
    // of it.
    const inTheWay = newClient(at(1, 'moved_a', 'superuserUrl'))
    await inTheWay.connect()
    const held = until(async () => {
      const all = await asSuperuser(
        1,
        'whale',
        `select bool_and(srsubstate = 'r') as ready from pg_subscription_rel`,
      )
      return all[0]?.ready
    }, 120_000)
      .then(() =>
        inTheWay.query(
          `begin; select from businesses where id = '${whale().id}' for no key update`,
        ),
      )
      .then(() => sleep(12_000))
      .finally(() => inTheWay.end())
    const said = await run([
      'split',
      'w',
      '--business',
      whale().id,
      '--cell',
      'a',
      '--from',
      at(1, 'moved_a', 'ownerUrl'),
      '--to',
      at(1, 'whale', 'ownerUrl'),
      '--serve',
      at(1, 'whale', 'url'),
    ])
    await held
    test.diagnostic(said.trim())
    assert.ok(Number(/waited for (\d+) ms/.exec(said)?.[1]) < 5_000, said)
    await whale().more(40)
    await minnow().more(20)
    test.diagnostic(
      `slowest answer of its own ${Math.round(whale().slowest)} ms and of the other ${Math.round(minnow().slowest)} ms; ${whale().unavailable} and ${minnow().unavailable} were answered with 503`,
    )
    // A machine that is busy may make its cell look down for a moment; its database did not refuse
    // it.
    assert.ok(!minnow().unavailable.includes('database_unavailable'))
    assert.equal(
      (await asSuperuser(1, 'whale', `select from persons where id = '${person}'`)).length,
      1,
    )
    assert.deepEqual(
      await asSuperuser(
        1,
        'moved_a',
        `select from memberships where business_id = '${whale().id}'`,
      ),
      [],
    )
    const { pathname } = new URL(link.checkout_url)
    assert.match(pathname, /^\/pay\/a/)
    const page = await fetch(`${served.url}${pathname}`)
    assert.deepEqual([page.status, page.headers.get('bursar-cell')], [200, null])
    assert.deepEqual(
      await asSuperuser(1, 'moved_a', `select from payouts where business_id = '${whale().id}'`),
      [],
    )
    // What its chain has in the proofs of the old cell is kept there, before its seals are deleted.
    const kept = `select chains_kept_at is not null as kept from cell_moves where subject = '${whale().id}'`
    assert.deepEqual(await asSuperuser(1, 'moved_a', kept), [{ kept: true }])
    assert.equal(
      (await asSuperuser(1, 'whale', `select from businesses where id = '${minnow().id}'`)).length,
      0,
    )
    const made = await must(
      whale().call('POST', '/payments', { amount: 5_000, currency: 'ngn', email: 'p@example.com' }),
    )
    assert.match(new URL(made.checkout_url).pathname, /^\/pay\/w/)
  })

  it('have clean books, and each business all that it was answered, once', async () => {
    await whale().settle(receiver)
    await minnow().settle(receiver)
    assert.match(await run(['verify']), /The books are clean in a, w/)
  })

  it('are added to a file that servers follow, and drained', async () => {
    await asSuperuser(1, 'postgres', 'create database another owner bursar')
    await run([
      'add',
      'c',
      '--database-url',
      at(1, 'another', 'url'),
      '--migrate-database-url',
      at(1, 'another', 'ownerUrl'),
    ])
    await until(
      async () =>
        ((await (await fetch(`${served.url}/health`)).json()) as Json).data.cells.c?.status ===
        'ok',
      60_000,
    )
    await run(['add', 'c', '--database-url', 'env:CELL_A'], 1)
    await run(['drain', 'a'])
    const refused = await command(['business', 'create', '--name', 'x', '--json'], {
      ...env,
      CELL: 'a',
    })
    assert.deepEqual([refused.code, /takes no new businesses/.test(refused.err)], [1, true])
    const made = await command(['business', 'create', '--name', 'x', '--json'], env)
    assert.match(JSON.parse(made.out).test_key, /^sk_test_[cw]/)
  })
})

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createBusiness } from '../../../src/books/businesses/businesses.ts'
import { makeDataDir, newDatabase } from '../../support/cluster.ts'
import { runCommand, runCommandWith } from '../../support/command-line.ts'
import { assertEndsSoon, command, type Output, openBeside, serve } from '../../support/commands.ts'
import { bankPayout, listAll, makeCall, until } from '../../support/harness.ts'

describe('a server that is killed', () => {
  let database: Awaited<ReturnType<typeof newDatabase>>
  before(async () => {
    database = await newDatabase()
  })
  after(() => database.drop())

  it('ends every payout after the restart, with clean books and no event missing', async () => {
    const env = {
      DATABASE_URL: database.url,
      SECRETS_KEY: 'cd'.repeat(32),
      RATE_LIMIT_MAX: '0',
      SANDBOX_DELAY: '300ms',
    }
    const beside = await openBeside(env)
    const made = await createBusiness(beside.app, 'Crash')
    await beside.close()

    let served = await serve(env)
    let call = makeCall(served.url, made.test_key)
    await call('POST', '/wallets/simulate-fund', { currency: 'ngn', amount: 1_000_000_000 })
    const accounts = ['0123456789', '0000000001', '0000000006', '0000000007', '0000000005']
    const created = new Set<string>()
    let sent = 0
    const client = async (until: { stop: boolean }): Promise<void> => {
      while (!until.stop) {
        const n = sent++
        const destination = { bank_code: '058', account_number: accounts[n % accounts.length] }
        try {
          const { status } = await call(
            'POST',
            '/payouts',
            bankPayout(`crash-${n}`, 10_000, { destination }),
          )
          if (status === 201) created.add(`crash-${n}`)
        } catch {
          // The server is dead: whether this payout exists is what the restart must show.
        }
      }
    }
    for (let kill = 0; kill < 3; kill++) {
      const state = { stop: false }
      const clients = Array.from({ length: 8 }, () => client(state))
      // In the middle of work, however fast the machine is, and each time in the middle of more.
      const enough = created.size + 15 * (kill + 1)
      await until(async () => created.size >= enough, 30_000)
      served.child.kill('SIGKILL')
      state.stop = true
      await Promise.all([...clients, served.ended])
      served = await serve(env)
      call = makeCall(served.url, made.test_key)
    }

    const payouts = await until(async () => {
      const docs = await listAll(call, '/payouts')
      return docs.every((payout) => payout.status === 'completed' || payout.status === 'failed')
        ? docs
        : null
    }, 60_000)
    assert.ok(payouts.length >= created.size && created.size > 30, `${payouts.length} payouts`)
    const references = new Set(payouts.map((payout) => payout.reference))
    for (const reference of created)
      assert.ok(references.has(reference), `${reference} was answered and is lost`)

    const told = new Map<string, string[]>()
    for (const event of (await listAll(call, '/events')) as unknown as {
      type: string
      payload: { id: string }
    }[])
      told.set(event.payload.id, [...(told.get(event.payload.id) ?? []), event.type])
    for (const payout of payouts)
      assert.deepEqual(
        told.get(payout.id as string)?.sort(),
        [`payout.${payout.status}`, 'payout.initiated'].sort(),
      )

    const verified = await runCommandWith(env, ['ledger', 'verify', '--json'])
    assert.deepEqual([verified.code, JSON.parse(verified.out).differences], [0, []])

    served.child.kill('SIGTERM')
    await assertEndsSoon(served)
  })
})

describe('the commands', () => {
  const dir = mkdtempSync(join(tmpdir(), 'bursar-cli-'))
  const env = { DATA_DIR: join(dir, 'data'), RATE_LIMIT_MAX: '0' }
  let business: string
  after(() => rmSync(dir, { recursive: true, force: true }))

  it('work beside a server and without one, on the embedded database', async () => {
    await makeDataDir(env.DATA_DIR)
    const alone = await command(['business', 'create', '--name', 'First', '--json'], env)
    assert.equal(alone.code, 0, alone.err)
    const first = JSON.parse(alone.out)
    assert.match(first.test_key, /^sk_test_/)
    assert.match(first.live_key, /^sk_live_/)
    business = first.business.id

    const served = await serve(env)
    const second = await command(['serve'], { ...env, PORT: '0' })
    assert.equal(second.code, 1)
    assert.match(
      second.err,
      /^bursar: Another Bursar server is already running on the data directory .*\n$/,
    )

    const beside = await command(
      ['keys', 'create', '--name', 'x', '--allow-ip', '127.0.0.1', '::1', '--json'],
      env,
    )
    assert.equal(beside.code, 0, beside.err)
    const { key, id } = JSON.parse(beside.out)
    const call = makeCall(served.url, key)
    assert.equal((await call('GET', '/wallets')).status, 200)
    // There are several businesses by now, and the key tells which.
    const operator = await openBeside(env)
    await createBusiness(operator.app, 'Second')
    assert.equal((await runCommand(operator.app, ['keys', 'revoke', id])).code, 0)
    await until(async () => (await call('GET', '/wallets')).status === 401)
    const listed = await runCommand(operator.app, ['keys', 'list', '--business', first.business.id])
    await operator.close()
    assert.match(listed.out, /revoked/)
    assert.ok(!listed.out.includes(key))
    assert.ok(!served.output().includes(first.test_key))

    // Its database outlives a killed server, and the next start takes it over.
    served.child.kill('SIGKILL')
    await served.ended
    const again = await serve(env)
    assert.equal((await makeCall(again.url, first.test_key)('GET', '/wallets')).status, 200)
    assert.equal((await runCommandWith(env, ['ledger', 'verify'])).code, 0)
    again.child.kill('SIGTERM')
    assert.equal(await again.ended, 0)
    // Somebody else's pid in the lock file of a database that is not running stops nothing.
    writeFileSync(
      join(env.DATA_DIR, 'postgres', 'postmaster.pid'),
      `${process.pid}\n${env.DATA_DIR}/postgres\n1\n5432\n\n\n`,
    )
    assert.equal((await command(['ledger', 'verify'], env)).code, 0)
  })

  it('says so when the port is taken, and stops in time for a client that never ends its request', async () => {
    const served = await serve(env)
    const port = new URL(served.url).port
    const other = { ...env, DATA_DIR: join(dir, 'other'), PORT: port }
    await makeDataDir(other.DATA_DIR)
    const taken = await command(['serve'], other)
    assert.deepEqual(
      [taken.code, taken.err],
      [1, `bursar: Port ${port} is taken on 127.0.0.1; set PORT to another.\n`],
    )
    const socket = connect(Number(port), '127.0.0.1')
    socket.on('error', () => {})
    await new Promise((resolve) => socket.once('connect', resolve))
    socket.write(
      'POST /payouts HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n{',
    )
    // The server is in the middle of the request once it asks for the rest.
    await new Promise((resolve) => socket.once('data', resolve))
    served.child.kill('SIGTERM')
    await assertEndsSoon(served)
    socket.destroy()
  })

  it('say in one line what is wrong', async () => {
    const elsewhere = {
      DATABASE_URL: 'postgres://nobody:secret@127.0.0.1:1/x',
      SECRETS_KEY: 'cd'.repeat(32),
    }
    const assertRefused = ({ code, err }: Output, expected: RegExp): void => {
      assert.equal(code, 1)
      assert.match(err, expected)
    }
    assertRefused(
      await command(['serve'], { ...env, PORT: 'abc' }),
      /^bursar: PORT 'abc': must be a whole number from 0 to 65535, such as 4000\n$/,
    )
    assertRefused(
      await command(['serve'], { ...env, ...elsewhere }),
      /^bursar: DATABASE_URL: connect ECONNREFUSED 127\.0\.0\.1:1\n$/,
    )
    for (const [args, more, expected] of [
      [
        ['serve'],
        { DATABASE_URL: 'postgres://localhost/x' },
        /^bursar: SECRETS_KEY: is required with DATABASE_URL/,
      ],
      [['serve'], { PRICING_FILE: '/nowhere.json' }, /^bursar: PRICING_FILE '\/nowhere.json': /],
      [['ledger', 'verify'], elsewhere, /^bursar: DATABASE_URL: /],
    ] as [string[], Record<string, string>, RegExp][])
      assertRefused(await runCommandWith({ ...env, ...more }, args), expected)
    const { app, close } = await openBeside(env)
    for (const [args, expected] of [
      [['keys', 'revoke', '0'.repeat(24)], /^bursar: There is no key 0{24}\. /],
      [['keys', 'revoke', '0'.repeat(24), '--business', '1'], /^bursar: There is no business 1\. /],
      [['mail', 'nope'], /^bursar: There is no mail 'nope' among the latest\.\n$/],
      [
        ['keys', 'create'],
        /^bursar: There are several businesses: name one with --business <id>\.\n$/,
      ],
      [
        ['keys', 'create', '--business', business, '--allow-ip', 'home'],
        /^bursar: 'home' is not an IP address or CIDR\n$/,
      ],
    ] as [string[], RegExp][])
      assertRefused(await runCommand(app, args), expected)
    await close()
    for (const text of ['', 'ab'.repeat(5)]) {
      const own = join(dir, `key-${text.length}`)
      mkdirSync(own)
      writeFileSync(join(own, 'secrets.key'), text)
      const { code, err } = await runCommandWith({ ...env, DATA_DIR: own, PORT: '0' }, ['serve'])
      assert.equal(code, 1)
      assert.match(err, /^bursar: \S+secrets\.key: must hold 32 bytes, .*\n$/)
      assert.deepEqual(readdirSync(own), ['secrets.key'])
    }
  })

  it('end where they cannot start, also below a launcher that they have a line to', async () => {
    const cli = new URL('../../../src/app/cli/cli.ts', import.meta.url).pathname
    const child = spawn(process.execPath, [cli, 'serve'], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: {
        ...process.env,
        ...env,
        PORT: '0',
        DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none',
      },
    })
    const code = await new Promise((resolve) => child.on('exit', resolve))
    assert.equal(code, 1)
  })
})

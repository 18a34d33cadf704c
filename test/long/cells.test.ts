/**
 * Goal: what is in one cell is served by that cell alone; a cell that is down, or that hangs, is
 * answered for in time, and nobody else notices. Method: `bursar serve` over two databases, each
 * behind a door of its own that the test shuts, and requests over HTTP to both.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sealPostings } from '../../src/books/proofs/proofs.ts'
import { newClient, openDatabase } from '../../src/db/db.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { readConfig } from '../../src/lib/config.ts'
import { newDatabase, type TestDatabase } from '../support/cluster.ts'
import { command, type Served, serve } from '../support/commands.ts'
import {
  bankPayout,
  type Call,
  type Json,
  listAll,
  makeCall,
  must,
  until,
} from '../support/harness.ts'

/** A door before a database: what goes through, and whether anything does. */
async function startDoor(url: string) {
  const at = new URL(url.replace('@/', '@localhost/'))
  const folder = at.searchParams.get('host')
  const port = at.searchParams.get('port') ?? at.port
  const target = folder
    ? { path: `${folder}/.s.PGSQL.${port}` }
    : { host: at.hostname, port: Number(port) }
  const open = new Set<Socket>()
  const door = { state: 'open' as 'open' | 'shut' | 'hangs', bytes: 0 }
  const server = createServer((client) => {
    if (door.state === 'shut') return void client.destroy()
    const upstream = connect(target)
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        open.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    client.on('data', (chunk) => {
      if (door.state === 'hangs') return
      door.bytes += chunk.length
      upstream.write(chunk)
    })
    upstream.on('data', (chunk) => {
      if (door.state !== 'hangs') client.write(chunk)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = (): void => {
    for (const socket of open) socket.destroy()
  }
  return Object.assign(door, {
    url: `postgres://${at.username}:${at.password}@127.0.0.1:${(server.address() as AddressInfo).port}${at.pathname}`,
    set(state: 'open' | 'shut' | 'hangs'): void {
      door.state = state
      if (state !== 'hangs') cut()
    },
    close(): void {
      cut()
      server.close()
    },
  })
}
type Door = Awaited<ReturnType<typeof startDoor>>

const proofKey = generateKeyPairSync('ed25519').privateKey.export({
  format: 'pem',
  type: 'pkcs8',
}) as string

describe('an installation of two cells', () => {
  const dir = mkdtempSync(join(tmpdir(), 'bursar-cells-'))
  const file = join(dir, 'cells.json')
  const databases: Record<string, TestDatabase> = {}
  const doors: Record<string, Door> = {}
  const keys: Record<string, string> = {}
  let served: Served
  let env: Record<string, string>
  const door = (letter: string): Door => doors[letter] as Door
  const health = async (): Promise<Json> =>
    ((await (await fetch(`${served.url}/health`)).json()) as Json).data
  const callOf = (letter: string): Call => makeCall(served.url, keys[letter] as string)
  before(async () => {
    for (const letter of ['a', 'b']) {
      databases[letter] = await newDatabase()
      doors[letter] = await startDoor((databases[letter] as TestDatabase).url)
    }
    const cells = { a: { database_url: 'env:CELL_A' }, b: { database_url: door('b').url } }
    writeFileSync(file, JSON.stringify({ cells }))
    env = {
      CELLS_FILE: file,
      CELL_A: door('a').url,
      SECRETS_KEY: 'ab'.repeat(32),
      DATA_DIR: dir,
      DATABASE_URL: '',
      SANDBOX_DELAY: '0s',
      RATE_LIMIT_MAX: '0',
      DATABASE_POOL: '4',
      PROOF_KEY: proofKey,
    }
    served = await serve(env)
    await until(
      async () =>
        ((await (await fetch(`${served.url}/health`)).json()) as Json).data.status === 'ok',
      60_000,
    )
    for (const letter of ['a', 'b']) {
      const { code, out, err } = await command(
        ['business', 'create', '--name', `In ${letter}`, '--json'],
        {
          ...env,
          CELL: letter,
        },
      )
      assert.equal(code, 0, err)
      keys[letter] = JSON.parse(out).test_key
    }
  })
  after(async () => {
    served?.child.kill('SIGTERM')
    await served?.ended
    for (const one of Object.values(doors)) one.close()
    for (const one of Object.values(databases)) await one.drop()
    rmSync(dir, { recursive: true, force: true })
  })

  const fund = (call: Call) =>
    must(call('POST', '/wallets/simulate-fund', { currency: 'ngn', amount: 1_000_000 }))
  const down = (letter: string) =>
    until(async () => (await health()).cells[letter].status === 'unavailable', 20_000)
  const up = (letter: string) =>
    until(async () => (await health()).cells[letter].status === 'ok', 30_000)
  const timed = async (call: Call, path = '/wallets') => {
    const began = performance.now()
    const answer = await call('GET', path)
    return { answer, ms: performance.now() - began }
  }

  it('says by its keys where a business is, and serves it there', async () => {
    for (const letter of ['a', 'b']) {
      assert.match(keys[letter] as string, new RegExp(`^sk_test_${letter}[0-9A-Za-z]{32}$`))
      const call = callOf(letter)
      await fund(call)
      const payment = await must(
        call('POST', '/payments', { amount: 5_000, currency: 'ngn', email: 'p@example.com' }),
      )
      const { pathname } = new URL(payment.checkout_url)
      assert.match(pathname, new RegExp(`^/pay/${letter}`))
      assert.equal((await fetch(`${served.url}${pathname}`)).status, 200)
      const payout = await must(
        call('POST', '/payouts', {
          reference: 'one',
          amount: 10_000,
          currency: 'ngn',
          method: 'bank_transfer',
          destination: { bank_code: '058', account_number: '0123456789' },
        }),
      )
      // Its own jobs are done there.
      await until(
        async () =>
          (await must(call('GET', `/payouts/${payout.reference}`))).status === 'completed',
      )
    }
    assert.equal((await callOf('a')('GET', '/payouts')).data.totalDocs, 1)
    const stranger = await makeCall(served.url, `sk_test_b${'x'.repeat(32)}`)('GET', '/wallets')
    assert.equal(stranger.status, 401)
    const nowhere = await makeCall(served.url, `sk_test_z${'x'.repeat(32)}`)('GET', '/wallets')
    assert.deepEqual([nowhere.status, nowhere.code], [404, 'not_found'])
  })

  it('adds up what its cells have, and names one that does not answer', async () => {
    const fees = new Map<string, number>()
    for (const letter of ['a', 'b']) {
      await fund(callOf(letter))
      const payout = bankPayout(`earned-${letter}`, letter === 'a' ? 20_000 : 50_000)
      const { fee } = await must(callOf(letter)('POST', '/payouts', payout))
      fees.set(letter, fee)
      await until(
        async () =>
          (await must(callOf(letter)('GET', `/payouts/earned-${letter}`))).status === 'completed',
      )
    }
    const verified = await command(['cells', 'verify'], env)
    assert.equal(verified.code, 0, verified.err)
    assert.match(verified.out, /^The books are clean in a, b: \d+ accounts, \d+ postings\.\n$/)
    const earnings = async () => {
      const { code, out, err } = await command(['cells', 'earnings', '--test', '--json'], env)
      return { code, err, ...(JSON.parse(out) as Json) } as Json
    }
    const all = await earnings()
    assert.equal(all.code, 0, all.err)
    assert.deepEqual(all.missing, [])
    const [own] = all.totals
    const parts = all.cells.map(({ totals }: Json) => totals[0].earned)
    assert.deepEqual([own.currency, own.earned], ['ngn', parts[0] + parts[1]])
    assert.ok(
      parts[0] >= (fees.get('a') ?? 0) && parts[1] >= (fees.get('b') ?? 0),
      JSON.stringify(all),
    )

    door('b').set('shut')
    const without = await earnings()
    assert.deepEqual(
      [without.code, without.missing, without.totals[0].earned],
      [1, ['b'], parts[0]],
    )
    const half = await command(['cells', 'verify'], env)
    assert.equal(half.code, 1)
    assert.match(
      half.out,
      /^MISSING {2}b: does not answer, and is in no sum\.\nThe books are clean in a: /,
    )
    door('b').set('open')
    await up('b')
  })

  it('says of a day the proofs of all cells at once, which has none yet, and which does not answer', async () => {
    const yesterday = new Date(systemClock.now().getTime() - 86_400_000).toISOString().slice(0, 10)
    const back = `update sealed_postings set day = '${yesterday}'`
    const proof = () => must(makeCall(served.url, null)('GET', `/proofs/${yesterday}`))
    // Nobody seals in b meanwhile.
    const held = newClient((databases.b as TestDatabase).url)
    await held.connect()
    await held.query(back)
    await held.query('begin; select from sealed_postings for update')
    const ofA = openDatabase((databases.a as TestDatabase).url, { max: 2, onError: () => {} })
    await ofA.query(back)
    const config = { ...readConfig({}), CELL: 'a', PROOF_KEY: createPrivateKey(proofKey) }
    await sealPostings({ db: ofA, clock: systemClock, config })
    const half = await proof()
    assert.deepEqual(
      [half.day, half.cells.map(({ cell }: Json) => cell), half.missing, half.unavailable],
      [yesterday, ['a'], ['b'], []],
    )
    door('b').set('shut')
    await down('b')
    const alone = await proof()
    assert.deepEqual([alone.cells, alone.missing, alone.unavailable], [half.cells, [], ['b']])
    const partly = await makeCall(served.url, null)('GET', '/proofs/keys')
    assert.deepEqual([partly.status, partly.code], [503, 'cell_unavailable'])
    assert.match(partly.body.message, /\(cell b\)/)
    door('b').set('open')
    await up('b')
    await held.query('rollback')
    await held.end()
    const ofB = openDatabase((databases.b as TestDatabase).url, { max: 2, onError: () => {} })
    await sealPostings({ db: ofB, clock: systemClock, config: { ...config, CELL: 'b' } })
    const whole = await proof()
    assert.deepEqual(
      [whole.cells.map(({ cell }: Json) => cell), whole.missing, whole.unavailable],
      [['a', 'b'], [], []],
    )
    const keys = await must(makeCall(served.url, null)('GET', '/proofs/keys'))
    assert.deepEqual(
      keys.map(({ id, from, until: last }: Json) => [id, from, last]),
      [[whole.cells[0].key, yesterday, null]],
    )
    const own = await must(makeCall(served.url, null)('GET', `/cells/b/proofs/${yesterday}`))
    assert.deepEqual(own.cells, [whole.cells[1]])
    assert.deepEqual(whole.absent, [])
    // Of a day of which a has a proof and b none, nor will have one: as if somebody had deleted it
    // there.
    const before = new Date(systemClock.now().getTime() - 2 * 86_400_000).toISOString().slice(0, 10)
    const ofOwner = (databases.a as TestDatabase).asOwner
    await ofOwner(
      `insert into proofs select (jsonb_populate_record(p, '{"day": "${before}"}')).* from proofs p`,
    )
    const lacking = await must(makeCall(served.url, null)('GET', `/proofs/${before}`))
    assert.deepEqual(
      [
        lacking.cells.map(({ cell }: Json) => cell),
        lacking.missing,
        lacking.absent,
        lacking.unavailable,
      ],
      [['a'], [], ['b'], []],
    )
    const none = await makeCall(served.url, null)('GET', '/proofs/1999-01-01')
    assert.deepEqual([none.status, none.code], [404, 'not_found'])
    await Promise.all([ofA.close(), ofB.close()])
  })

  it('is served in part by a process that is told so', async () => {
    for (const args of [
      ['--cells', 'b'],
      ['--cells', 'b', '--role', 'worker'],
    ]) {
      const part = await serve(env, args)
      const healthOf = async () => ((await (await fetch(`${part.url}/health`)).json()) as Json).data
      await until(async () => (await healthOf()).status === 'ok', 60_000)
      assert.deepEqual(Object.keys((await healthOf()).cells), ['b'])
      const [ofA, ofB] = await Promise.all(
        ['a', 'b'].map((letter) => makeCall(part.url, keys[letter] as string)('GET', '/wallets')),
      )
      assert.deepEqual([ofA?.status, ofA?.code], [503, 'cell_unavailable'])
      assert.equal(ofB?.status, args.includes('worker') ? 404 : 200)
      const known = await makeCall(part.url, null)('GET', '/proofs/keys')
      assert.equal(known.status, args.includes('worker') ? 404 : 200)
      part.child.kill('SIGTERM')
      assert.equal(await part.ended, 0)
    }
    const { code, err } = await command(['serve', '--cells', 'z'], env)
    assert.equal(code, 1)
    assert.match(err, /there is no cell 'z': there are a, b/)
  })

  it('touches one cell for a request: the other’s database may be gone', async () => {
    door('a').set('shut')
    await down('a')
    const before = door('a').bytes
    const call = callOf('b')
    for (let n = 0; n < 20; n++) await fund(call)
    assert.equal((await listAll(call, '/transactions')).length > 20, true)
    assert.equal(door('a').bytes, before)
    const { answer, ms } = await timed(callOf('a'))
    assert.deepEqual(
      [answer.status, answer.code, answer.headers.get('retry-after')],
      [503, 'cell_unavailable', '1'],
    )
    assert.ok(ms < 2_000, `${ms}`)
    // What is any cell's is the other's.
    assert.equal((await fetch(`${served.url}/openapi.json`)).status, 200)
    const { status, cells } = await health()
    assert.deepEqual(
      [status, cells.a.status, cells.b.status],
      ['partly_unavailable', 'unavailable', 'ok'],
    )
    door('a').set('open')
    await up('a')
    assert.equal((await timed(callOf('a'))).answer.status, 200)
  })

  it('answers for a cell that hangs, also what was asked of it before', async () => {
    door('b').set('hangs')
    const asked = Array.from({ length: 5 }, () => timed(callOf('b')))
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const over = (letter: string) =>
      new Promise<{ status: number | undefined; reused: boolean }>((resolve, reject) => {
        const headers = { authorization: `Bearer ${keys[letter]}` }
        const one = request(`${served.url}/wallets`, { agent, headers }, (answer) => {
          answer
            .resume()
            .on('end', () => resolve({ status: answer.statusCode, reused: one.reusedSocket }))
        })
        one.on('error', reject).end()
      })
    const first = over('b')
    const others = await Promise.all(Array.from({ length: 20 }, () => timed(callOf('a'))))
    assert.ok(others.every(({ answer }) => answer.status === 200))
    for (const { answer, ms } of await Promise.all(asked)) {
      assert.deepEqual([answer.status, answer.code], [503, 'cell_unavailable'])
      // The bound of the promise, and the time of a machine that is busy.
      assert.ok(ms < 6_000, `${ms}`)
    }
    // Who was refused so goes on by the same connection.
    assert.equal((await first).status, 503)
    assert.deepEqual(await over('a'), { status: 200, reused: true })
    agent.destroy()
    await down('b')
    assert.equal((await timed(callOf('b'))).answer.code, 'cell_unavailable')
    door('b').set('open')
    await up('b')
    assert.equal((await timed(callOf('b'))).answer.status, 200)
  })

  /** The processes of the cells. */
  function processesOf(): number[] {
    const found = execFileSync('pgrep', ['-P', String(served.child.pid)], { encoding: 'utf8' })
    const children = found.trim().split('\n').map(Number)
    assert.equal(children.length, 2)
    return children
  }

  it('waits for a cell that said nothing once, as one does that is busy', async () => {
    for (const pid of processesOf()) {
      process.kill(pid, 'SIGSTOP')
      // By then it was asked how it is, and a second has gone by; it is not asked for a second time
      // yet, or can still answer.
      await sleep(1_600)
      const asked = ['a', 'b'].map((letter) => timed(callOf(letter)))
      await sleep(100)
      process.kill(pid, 'SIGCONT')
      for (const { answer } of await Promise.all(asked)) assert.equal(answer.status, 200)
    }
  })

  it('starts a cell’s process again that was killed, and the others go on', async () => {
    const [line] = served.output().match(/"cell":"b"/) ?? []
    assert.ok(line)
    const children = processesOf()
    for (const pid of children) {
      process.kill(pid, 'SIGKILL')
      await until(async () => (await health()).status === 'partly_unavailable', 20_000)
      const states = (await health()).cells
      const [well] = Object.keys(states).filter((letter) => states[letter].status === 'ok')
      assert.equal((await timed(callOf(well as string))).answer.status, 200)
      await until(async () => (await health()).status === 'ok', 60_000)
    }
    for (const letter of ['a', 'b']) assert.equal((await timed(callOf(letter))).answer.status, 200)
  })

  it('lets no database be another cell, nor one be two', async () => {
    const wrong = await command(['serve'], {
      ...env,
      CELLS_FILE: '',
      DATABASE_URL: (databases.b as TestDatabase).url,
      CELL: 'c',
      PORT: '0',
    })
    assert.equal(wrong.code, 1)
    assert.match(wrong.err, /CELL 'c': the database of DATABASE_URL is cell 'b'/)
    const tool = await command(['keys', 'list'], {
      ...env,
      CELLS_FILE: '',
      DATABASE_URL: (databases.b as TestDatabase).url,
    })
    assert.match(tool.err, /CELL 'a': the database of DATABASE_URL is cell 'b'/)
    const cells = { a: { database_url: door('a').url }, b: { database_url: door('a').url } }
    const twice = join(dir, 'twice.json')
    writeFileSync(twice, JSON.stringify({ cells }))
    const { err } = await command(['serve'], { ...env, CELLS_FILE: twice, PORT: '0' })
    assert.match(err, /cells a and b have the same DATABASE_URL/)
    const listed = await command(['cells', 'list'], env)
    assert.equal(listed.out, 'a  1 business\nb  1 business\n', listed.err)
    const { err: unknown } = await command(['keys', 'list'], { ...env, CELL: 'c' })
    assert.match(unknown, /CELL 'c': CELLS_FILE has a, b/)
  })
})

describe('the rate limit of two cells', () => {
  const dir = mkdtempSync(join(tmpdir(), 'bursar-cells-'))
  after(() => rmSync(dir, { recursive: true, force: true }))

  it('counts an address once for both, and by each process while the first is down', async (t) => {
    const [a, b] = [await newDatabase(), await newDatabase()]
    const door = await startDoor(a.url)
    const file = join(dir, 'cells.json')
    writeFileSync(
      file,
      JSON.stringify({ cells: { a: { database_url: door.url }, b: { database_url: b.url } } }),
    )
    const env = {
      CELLS_FILE: file,
      SECRETS_KEY: 'ab'.repeat(32),
      DATA_DIR: dir,
      DATABASE_URL: '',
      DATABASE_POOL: '4',
      RATE_LIMIT_MAX: '10',
      RATE_LIMIT_WINDOW: '10m',
    }
    let served: Served | null = null
    t.after(async () => {
      served?.child.kill('SIGTERM')
      await served?.ended
      door.close()
      await Promise.all([a.drop(), b.drop()])
    })
    served = await serve(env)
    const { url } = served
    const health = async (): Promise<Json> =>
      ((await (await fetch(`${url}/health`)).json()) as Json).data
    await until(async () => (await health()).status === 'ok', 60_000)
    const calls: Call[] = []
    for (const letter of ['a', 'b']) {
      const { out } = await command(['business', 'create', '--name', letter, '--json'], {
        ...env,
        CELL: letter,
      })
      calls.push(makeCall(url, JSON.parse(out).test_key))
    }
    const [inA, inB] = calls as [Call, Call]
    const statuses: number[] = []
    for (let n = 0; n < 6; n++)
      for (const call of [inA, inB]) statuses.push((await call('GET', '/wallets')).status)
    assert.deepEqual(statuses, [...Array(10).fill(200), 429, 429])
    door.set('shut')
    await until(async () => (await health()).cells.a.status === 'unavailable', 20_000)
    const alone: number[] = []
    for (let n = 0; n < 12; n++) alone.push((await inB('GET', '/wallets')).status)
    // What it knows of the address it knows yet, or it counts anew: it answers, and the limit
    // holds.
    assert.ok(
      alone.every((status) => status === 200 || status === 429),
      alone.join(),
    )
    assert.ok(alone.filter((status) => status === 200).length <= 10)
  })
})

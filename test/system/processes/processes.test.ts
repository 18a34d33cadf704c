import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type Opened, open, verifyBooks } from '../../../src/app/main.ts'
import { createBusiness, listKeys, revoke } from '../../../src/books/businesses/businesses.ts'
import { readConfig } from '../../../src/lib/config.ts'
import { makeDataDir, newDatabase } from '../../support/cluster.ts'
import { runCommandWith } from '../../support/command-line.ts'
import {
  assertEndsSoon,
  childrenOf,
  command,
  environmentOf,
  environmentsHidden,
  openBeside,
  type Served,
  serve,
} from '../../support/commands.ts'
import { openStream } from '../../support/event-stream.ts'
import { bankPayout, type Call, listAll, makeCall, until } from '../../support/harness.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const reaches = (url: string): Promise<boolean> =>
  makeCall(url, null)('GET', '/health').then(
    ({ status }) => status === 200,
    () => false,
  )

describe('serve --processes', () => {
  const dir = mkdtempSync(join(tmpdir(), 'bursar-processes-'))
  const env = { DATA_DIR: join(dir, 'data'), RATE_LIMIT_MAX: '100', SANDBOX_DELAY: '0s' }
  after(() => rmSync(dir, { recursive: true, force: true }))

  const two = (served: Served): Promise<number[]> =>
    until(async () => {
      const pids = await childrenOf(served)
      return pids.length === 2 && pids
    }, 60_000)
  let key: string

  it('answers from children that are started again, with one limit for all, on the embedded database', async () => {
    await makeDataDir(env.DATA_DIR)
    const served = await serve(env, ['--processes', '2'])
    const beside = await openBeside(env)
    key = (await createBusiness(beside.app, 'Many')).test_key
    await beside.close()
    const call = makeCall(served.url, key)
    const first = await two(served)
    await until(async () => (await makeCall(served.url, null)('GET', '/health')).data.workers)
    // Every connection may reach another child.
    const answers = await Promise.all(
      Array.from({ length: 140 }, () =>
        call('GET', '/wallets', undefined, { connection: 'close' }),
      ),
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, 100)
    assert.equal(answers.filter(({ status }) => status === 429).length, 40)

    process.kill(first[0] as number, 'SIGKILL')
    await until(async () => !(await two(served)).includes(first[0] as number), 60_000)
    for (const pid of await two(served)) process.kill(pid, 'SIGKILL')
    await until(() => reaches(served.url), 60_000)
    assert.equal((await call('GET', '/wallets')).status, 429)

    const last = await two(served)
    served.child.kill('SIGTERM')
    served.child.kill('SIGTERM')
    await assertEndsSoon(served)
    assert.deepEqual(last.filter(isAlive), [])
  })

  it('takes its children along when it is killed, and leaves the data directory to the next', async () => {
    const served = await serve(env, ['--processes', '2'])
    const children = await two(served)
    served.child.kill('SIGKILL')
    await until(async () => !children.some(isAlive))
    const next = await serve({ ...env, RATE_LIMIT_MAX: '0' })
    assert.equal((await makeCall(next.url, key)('GET', '/wallets')).status, 200)

    const other = {
      ...env,
      DATA_DIR: join(dir, 'other'),
      PORT: new URL(next.url).port,
      LOG_LEVEL: 'silent',
    }
    await makeDataDir(other.DATA_DIR)
    const taken = await command(['serve', '--processes', '2'], other)
    assert.deepEqual(
      [taken.code, taken.err],
      [1, `bursar: Port ${other.PORT} is taken on 127.0.0.1; set PORT to another.\n`],
    )
    next.child.kill('SIGTERM')
    assert.equal(await next.ended, 0)
  })

  it('gives its children the secrets they need, in files too, and none that spends', {
    skip: environmentsHidden,
  }, async () => {
    const file = (name: string, text: string): string => {
      writeFileSync(join(dir, name), `${text}\n`, { mode: 0o600 })
      return join(dir, name)
    }
    const [key, token, spending] = [
      'ef'.repeat(32),
      'scrape-me-if-you-can',
      ['a1', 'b2'].map((two) => `0x${two.repeat(32)}`),
    ]
    await makeDataDir(join(dir, 'secrets'))
    const served = await serve(
      {
        ...env,
        DATA_DIR: join(dir, 'secrets'),
        SECRETS_KEY_FILE: file('key', key),
        METRICS_TOKEN_FILE: file('token', token),
        EVM_PAYOUT_KEY_FILE: file('payout-key', spending[0] as string),
        EVM_TEST_PAYOUT_KEY: spending[1] as string,
      },
      ['--processes', '2'],
    )
    const scraped = await fetch(`${served.url}/metrics`, {
      headers: { authorization: `Bearer ${token}` },
    })
    assert.equal(scraped.status, 200)
    for (const pid of await two(served)) {
      const seen = environmentOf(pid)
      assert.match(seen.DATABASE_URL as string, /^postgres:/)
      assert.deepEqual([seen.EVM_PAYOUT_KEY_FILE, seen.EVM_TEST_PAYOUT_KEY], ['', ''])
      for (const secret of [key, token, ...spending])
        assert.ok(
          !Object.values(seen).some((text) => text.includes(secret)),
          `a child has ${secret}`,
        )
    }
    served.child.kill('SIGTERM')
    assert.equal(await served.ended, 0, served.output())
  })

  it('says in one line what cannot be', async () => {
    const own = { DATABASE_URL: 'postgres://localhost/x', SECRETS_KEY: 'cd'.repeat(32) }
    for (const [args, more, expected] of [
      [['--role', 'chef'], {}, /^bursar: --role 'chef': must be one of api, worker, all\n$/],
      [
        ['--processes', '0'],
        {},
        /^bursar: --processes '0': must be a whole number from 1 to 99\n$/,
      ],
      [
        ['--processes', '9'],
        {},
        /^bursar: --processes 9: they could open 270 connections, .*DATABASE_POOL\.\n$/,
      ],
      [['--role', 'api'], {}, /^bursar: --role api needs DATABASE_URL: .*\n$/],
      [
        ['--role', 'worker', '--processes', '2'],
        own,
        /^bursar: --processes is for what answers requests; .*\n$/,
      ],
      [['--role', 'worker'], own, /^bursar: BASE_URL: is required with --role worker.*\n$/],
    ] as [string[], Record<string, string>, RegExp][]) {
      const { code, err } = await runCommandWith({ ...env, ...more }, ['serve', ...args])
      assert.equal(code, 1)
      assert.match(err, expected)
    }
  })
})

describe('two API processes and two workers on one database', () => {
  let database: Awaited<ReturnType<typeof newDatabase>>
  let receiver: Receiver
  let env: Record<string, string>
  /** The database as an operator's command has it, in this process. */
  let operator: Opened
  let api: Served
  let doomedApi: Served
  let worker: Served
  let doomedWorker: Served
  before(async () => {
    database = await newDatabase()
    receiver = await startReceiver()
    env = {
      DATABASE_URL: database.url,
      SECRETS_KEY: 'cd'.repeat(32),
      BASE_URL: 'http://localhost:4000',
      RATE_LIMIT_MAX: '0',
      SANDBOX_DELAY: '300ms',
      DATABASE_POOL: '10',
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
      WEBHOOK_CA_FILE: receiver.caFile,
      WEBHOOK_RETRY_DELAYS: '1s,1s,1s',
    }
    operator = await open(readConfig({ ...env, LOG_LEVEL: 'fatal' }), 'tool')
    const started = await Promise.all(
      ['api', 'api', 'worker', 'worker'].map((role) => serve(env, ['--role', role])),
    )
    ;[api, doomedApi, worker, doomedWorker] = started as [Served, Served, Served, Served]
  })
  after(async () => {
    await receiver.stop()
    await operator.close()
    await database.drop()
  })

  it('lose nothing and do nothing twice when one of each is killed', async () => {
    const made = await createBusiness(operator.app, 'Races')
    const call = makeCall(api.url, made.test_key)
    assert.equal((await makeCall(api.url, null)('GET', '/health')).data.workers, null)
    assert.equal((await makeCall(worker.url, null)('GET', '/health')).data.workers, true)
    assert.equal((await makeCall(worker.url, made.test_key)('GET', '/wallets')).status, 404)

    assert.equal((await call('POST', '/webhooks', { url: `${receiver.url}/hook` })).status, 201)
    const stays = await openStream(api.url, made.test_key)
    const breaks = await openStream(doomedApi.url, made.test_key)
    await call('POST', '/wallets/simulate-fund', { currency: 'ngn', amount: 1_000_000_000 })

    // The last of these accounts makes the rail lose its answer, the others end in every way.
    const accounts = ['0123456789', '0000000001', '0000000006', '0000000007', '0000000005']
    const created = new Set<string>()
    const state = { sent: 0, stop: false }
    const client = async (of: Call): Promise<void> => {
      while (!state.stop) {
        const n = state.sent++
        const destination = { bank_code: '058', account_number: accounts[n % accounts.length] }
        try {
          const { status } = await of(
            'POST',
            '/payouts',
            bankPayout(`race-${n}`, 10_000, { destination }),
          )
          if (status === 201) created.add(`race-${n}`)
        } catch {
          // Its process is dead: whether this payout exists is what the other must show.
          return
        }
      }
    }
    const doomed = makeCall(doomedApi.url, made.test_key)
    const clients = [call, doomed].flatMap((of) => Array.from({ length: 3 }, () => client(of)))
    // In the middle of work: payouts are on their way and webhooks are being sent.
    await until(async () => created.size >= 40 && receiver.requests.length >= 10, 60_000)
    doomedWorker.child.kill('SIGKILL')
    doomedApi.child.kill('SIGKILL')
    const enough = created.size + 40
    await until(async () => created.size >= enough, 60_000)
    state.stop = true
    await Promise.all([...clients, doomedApi.ended, doomedWorker.ended, breaks.ended])
    const goesOn = await openStream(api.url, made.test_key, { place: breaks.place() })

    const payouts = await until(async () => {
      const docs = await listAll(call, '/payouts')
      return docs.every((payout) => payout.status === 'completed' || payout.status === 'failed')
        ? docs
        : null
    }, 60_000)
    const references = new Set(payouts.map((payout) => payout.reference))
    for (const reference of created)
      assert.ok(references.has(reference), `${reference} was answered and is lost`)

    const events = (await listAll(call, '/events')) as unknown as {
      id: string
      type: string
      payload: { id: string }
    }[]
    const told = Map.groupBy(events, (event) => event.payload.id)
    for (const payout of payouts)
      assert.deepEqual(
        told
          .get(payout.id as string)
          ?.map(({ type }) => type)
          .sort(),
        [`payout.${payout.status}`, 'payout.initiated'].sort(),
      )

    const ids = events.map((event) => event.id).sort()
    await until(async () => {
      const delivered = new Set(receiver.requests.map(({ headers }) => headers['x-event-id']))
      return ids.every((id) => delivered.has(id))
    }, 60_000)
    for (const [name, streamed] of [
      ['the stream that stayed', () => stays.events],
      ['the stream that went on elsewhere', () => [...breaks.events, ...goesOn.events]],
    ] as const) {
      await until(async () => streamed().length >= ids.length)
      assert.deepEqual(
        streamed()
          .map(({ body }) => body.id)
          .sort(),
        ids,
        `${name} has every event once`,
      )
    }
    await Promise.all([stays.close(), goesOn.close()])

    assert.deepEqual((await verifyBooks(operator.app)).differences, [])
    for (const served of [api, worker]) {
      served.child.kill('SIGTERM')
      assert.equal(await served.ended, 0, served.output())
    }
  })

  it('know of revoked keys, moved clocks and used up limits from each other', async () => {
    const made = await createBusiness(operator.app, 'Races')
    const limited = { ...env, RATE_LIMIT_MAX: '60', TRUST_PROXY: '1' }
    const served = await Promise.all([
      serve(limited, ['--role', 'api']),
      serve(limited, ['--role', 'api']),
    ])
    const from = (address: string) =>
      served.map(({ url }) => {
        const call = makeCall(url, made.test_key)
        return (method: string, path: string, body?: unknown) =>
          call(method, path, body, { 'x-forwarded-for': address })
      }) as [Call, Call]

    const counted = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        (from('198.51.100.1')[n % 2] as Call)('GET', '/wallets'),
      ),
    )
    assert.equal(counted.filter(({ status }) => status === 200).length, 60)

    // A moved clock is true in the other process as soon as the move is answered.
    const [here, there] = from('198.51.100.2')
    const openPayment = () =>
      there('POST', '/payments', { amount: 1_000, currency: 'ngn', email: 'a@example.com' })
    const early = (await openPayment()).data.created_at
    assert.equal((await here('POST', '/test/clock', { advance: '1h' })).status, 200)
    const late = (await openPayment()).data.created_at
    assert.ok(Date.parse(late) - Date.parse(early) >= 3_600_000, `${early}, then ${late}`)

    const statuses = async () =>
      (await Promise.all([here('GET', '/wallets'), there('GET', '/wallets')])).map(
        ({ status }) => status,
      )
    assert.deepEqual(await statuses(), [200, 200])
    const [mine] = (await listKeys(operator.app, made.business.id)).filter((key) => !key.livemode)
    await revoke(operator.app, made.business.id, mine?.id as string)
    await until(async () => (await statuses()).every((status) => status === 401))
    for (const { child, ended } of served) {
      child.kill('SIGTERM')
      assert.equal(await ended, 0)
    }
  })
})

/**
 * Goal: events reach a program on one's own machine, signed as webhooks are, none lost and none
 * twice, whatever is restarted. Method: the command in a process of its own, with an API key alone,
 * between a real server and a receiver that verifies by the library.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Command, type OutputConfiguration } from 'commander'
import { Webhook } from 'standardwebhooks'
import { accessOf, addAccessCommands } from '../../../src/app/cli/access.ts'
import { addListenCommand } from '../../../src/app/cli/listen.ts'
import { takeLock } from '../../../src/app/cli/lock.ts'
import { type Opened, open, type Running, serve } from '../../../src/app/main.ts'
import { createKey, revoke } from '../../../src/books/businesses/businesses.ts'
import { outside } from '../../../src/core/outside.ts'
import { readConfig } from '../../../src/lib/config.ts'
import { runIntegratorCommand } from '../../support/command-line.ts'
import { command, type Output } from '../../support/commands.ts'
import { untilPast } from '../../support/events.ts'
import {
  bankPayout,
  listAll,
  makeCall,
  must,
  startServer,
  type TestServer,
  until,
} from '../../support/harness.ts'
import { freePort } from '../../support/ports.ts'

const bin = new URL('../../../bin/bursar.js', import.meta.url).pathname

let server: TestServer
let home: string
before(async () => {
  server = await startServer({ WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' })
  await server.fund('ngn', 1_000_000_000)
  home = mkdtempSync(join(tmpdir(), 'bursar-listen-'))
})
after(async () => {
  await server.stop()
  rmSync(home, { recursive: true, force: true })
})

/**
 * The environment of somebody who has nothing but a key: no database is named, and none must be
 * made.
 */
const envOf = (name: string, more: Record<string, string> = {}) => ({
  XDG_CONFIG_HOME: join(home, name),
  DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none',
  DATA_DIR: '/nowhere',
  ...more,
})
const withKey = (name: string, more: Record<string, string> = {}) =>
  envOf(name, { BURSAR_KEY: server.testKey, BURSAR_URL: server.url, ...more })

const commandsOf = (env: Record<string, string>, output: OutputConfiguration): Command => {
  const program = new Command('bursar').configureOutput(output)
  addAccessCommands(program, env)
  addListenCommand(program, env)
  return program
}

/**
 * What a command ends with that is used in this process, where it ends by a status that is not 0.
 * @returns what it says
 */
async function refusalOf(
  args: string[],
  env: Record<string, string>,
  status: number,
): Promise<string> {
  const program = commandsOf(env, { writeErr: () => {} })
  const ended = program.parseAsync(args, { from: 'user' }).then(() => assert.fail('it went well'))
  const error: Error & { status?: number; exitCode?: number } = await ended.catch(
    (thrown) => thrown,
  )
  assert.equal(error.status ?? error.exitCode, status, error.message)
  return error.message
}

describe('bursar login', () => {
  const login = (name: string, args: string[], text?: string): Promise<Output> =>
    command(['login', ...args], envOf(name), (child) => child.stdin?.end(text))

  it('keeps a key that works, for its own server and its owner alone, until the logout', async () => {
    const { code, out, err } = await login('a', ['--url', `${server.url}/`], `${server.testKey}\n`)
    assert.deepEqual([code, err], [0, ''])
    const file = join(home, 'a', 'bursar', 'config.json')
    assert.equal(out.split('\n')[0], `Logged in to Test Business (test mode) at ${server.url}.`)
    assert.ok(out.includes(file) && !out.includes(server.testKey))
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), {
      url: server.url,
      api_key: server.testKey,
    })
    assert.deepEqual(
      [file, join(home, 'a', 'bursar')].map((path) => statSync(path).mode & 0o777),
      [0o600, 0o700],
    )
    const kept = { url: server.url, key: server.testKey }
    const other = { url: 'https://elsewhere.example', key: 'sk_test_other' }
    assert.deepEqual(accessOf(envOf('a')), kept)
    assert.deepEqual(accessOf(envOf('a', { BURSAR_KEY: other.key })), { ...kept, key: other.key })
    assert.deepEqual(accessOf(envOf('a', { BURSAR_KEY: other.key, BURSAR_URL: other.url })), other)
    assert.throws(() => accessOf(envOf('a', { BURSAR_URL: other.url })), {
      status: 3,
      message: /BURSAR_KEY too/,
    })
    const secret = await runIntegratorCommand(envOf('a'), ['listen', '--print-secret'])
    assert.match(secret.out, /^whsec_[\w+/=]+\n$/)

    const left = await runIntegratorCommand(envOf('a'), ['logout'])
    assert.match(left.out, /^Logged out of http/)
    assert.throws(() => accessOf(envOf('a')), {
      status: 3,
      message: 'No API key: run `bursar login`, or set BURSAR_KEY.',
    })
  })

  it('says what is wrong by its exit code, and keeps nothing then', async () => {
    const nobody = `http://127.0.0.1:${await freePort()}`
    for (const [args, key, status, message] of [
      [['--url', server.url], '', 3, /No API key was given: type it/],
      [['--url', server.url], 'sk_test_wrong', 3, /http:\S+ refuses the API key: ./],
      [
        ['--url', nobody],
        server.testKey,
        4,
        /http:\S+ cannot be reached: connect ECONNREFUSED \S+; `bursar login --url URL` names another/,
      ],
      [['--url', `${server.url}/docs`], server.testKey, 4, /./],
      [['--url', 'here'], '', 2, /'here' is not the URL of a server/],
      [['--nonsense'], '', 2, /unknown option/],
      // Other users of the machine see the options of a process.
      [['--api-key', server.testKey], '', 2, /unknown option '--api-key'/],
    ] as const) {
      const { code, err } = await login('b', [...args], key)
      assert.equal(code, status, err)
      assert.match(err, message)
    }
    assert.throws(() => statSync(join(home, 'b')))
  })
})

type Got = { id: string; type: string; attempt: number; status: number }

/**
 * A program of a merchant's own, over plain HTTP. @param answers the status for an event and a try;
 * an event counts as taken at 2xx
 */
async function startReceiver(
  answers: (event: { id: string; type: string }, attempt: number) => number,
) {
  const got: Got[] = []
  const wrong: string[] = []
  let secret = ''
  const verify = (headers: IncomingHttpHeaders, body: string): void => {
    new Webhook(secret).verify(body, headers as Record<string, string>)
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    assert.equal(
      headers['x-signature'],
      `sha256=${createHmac('sha256', key).update(body).digest('hex')}`,
    )
    const { id, type } = JSON.parse(body)
    assert.deepEqual([headers['x-event-id'], headers['x-event-type']], [id, type])
    assert.match(headers['user-agent'] as string, /^Bursar\//)
  }
  const web = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    try {
      verify(request.headers, body)
    } catch (error) {
      wrong.push(String(error))
    }
    const event = JSON.parse(body)
    const attempt = Number(request.headers['x-delivery-attempt'])
    const status = answers(event, attempt)
    got.push({ id: event.id, type: event.type, attempt, status })
    response.writeHead(status).end()
  })
  const begin = (port: number): Promise<void> =>
    new Promise((resolve) => web.listen(port, '127.0.0.1', resolve))
  await begin(0)
  const { port } = web.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/webhook`,
    got,
    wrong,
    trust(text: string) {
      secret = text
    },
    taken: () => got.filter(({ status }) => status < 300).map(({ id }) => id),
    begin: () => begin(port),
    async stop() {
      web.closeAllConnections()
      await new Promise((resolve) => web.close(resolve))
    },
  }
}

describe('bursar listen', () => {
  let receiver: Awaited<ReturnType<typeof startReceiver>>
  let restarted: { opened: Opened; running: Running } | null = null
  /** What the receiver answers to an event's try; 200 where nothing is said. */
  let answers: Parameters<typeof startReceiver>[0] = () => 200
  const children: ChildProcess[] = []
  before(async () => {
    receiver = await startReceiver((event, attempt) => answers(event, attempt))
  })
  after(async () => {
    for (const child of children) child.kill('SIGKILL')
    await receiver.stop()
    await restarted?.running.stop()
    await restarted?.opened.close()
  })

  /** Starts it and waits until it follows. */
  async function listen(args: string[] = [], env = withKey('c')) {
    const all = ['listen', '--forward-to', receiver.url, '--events', 'payout.completed', ...args]
    const child = spawn(process.execPath, [bin, ...all], { env: { ...process.env, ...env } })
    children.push(child)
    const text = { out: '', err: '' }
    child.stdout.on('data', (chunk) => {
      text.out += chunk
    })
    child.stderr.on('data', (chunk) => {
      text.err += chunk
    })
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
    const secret = await until(async () => {
      assert.equal(child.exitCode, null, text.err)
      return /that is +(whsec_\S+)/.exec(text.err)?.[1]
    }, 60_000)
    receiver.trust(secret)
    return {
      text,
      secret,
      ended,
      stop(signal: NodeJS.Signals = 'SIGINT') {
        child.kill(signal)
        return ended
      },
    }
  }

  let payouts = 0
  /** Makes a payout that completes at once. @returns the id of the event */
  async function happen(): Promise<string> {
    const reference = `listen-${payouts++}`
    await must(
      makeCall(server.url, server.testKey)('POST', '/payouts', bankPayout(reference, 10_000)),
    )
    return until(async () => {
      const events = await listAll(
        makeCall(server.url, server.testKey),
        '/events?type=payout.completed',
      )
      return events.find(({ payload }) => payload.reference === reference)?.id
    }, 30_000)
  }
  const isPast = (id: string) => untilPast(server.url, server.testKey, id)
  const isTaken = (id: string) => until(async () => receiver.taken().includes(id), 30_000)

  it('loses nothing and sends nothing twice, whatever is restarted', async () => {
    const before = await happen()
    await isPast(before)
    const first = await listen()
    assert.match(
      first.text.err,
      /Following http:\S+, test mode, from now on\.\nForwarding payout\.completed to http:/,
    )
    const plain = await happen()
    await isTaken(plain)
    await until(async () => first.text.out.includes('\n'))
    assert.match(
      first.text.out,
      new RegExp(`^\\d\\d:\\d\\d:\\d\\d  payout\\.completed +${plain}  200 +\\d+ ms\\n$`),
    )

    // The program fails: it is asked again, and what follows does not wait for it.
    const failing = new Set<string>()
    answers = ({ id }, attempt) => {
      if (failing.size === 0) failing.add(id)
      return failing.has(id) && attempt === 1 ? 500 : 200
    }
    const failed = await happen()
    await isTaken(failed)
    await until(async () => /200 +\d+ ms {2}try 2 of 6\n$/.test(first.text.out))
    assert.match(
      first.text.out,
      new RegExp(`${failed} {2}500 +\\d+ ms {2}not 2xx; try 1 of 6, again in 1 s\\n`),
    )

    // The program is gone, and comes back.
    await receiver.stop()
    const missed = await happen()
    await until(async () => first.text.out.includes(`${missed}  ---`))
    await receiver.begin()
    await isTaken(missed)

    // The server is restarted, and something happens before the command is back.
    await server.leave()
    await until(async () => /The server is gone; connecting again\.\n$/.test(first.text.err))
    const config = readConfig({
      PORT: new URL(server.url).port,
      DATABASE_URL: server.databaseUrl,
      SECRETS_KEY: 'ab'.repeat(32),
      RATE_LIMIT_MAX: '0',
      SANDBOX_DELAY: '0s',
      LOG_LEVEL: 'fatal',
    })
    const opened = await open(config, 'all')
    restarted = { opened, running: await serve(opened) }
    await isTaken(await happen())
    assert.match(first.text.err, /Connected again; nothing was missed\.\n$/)

    // It is ended while one event waits for its next try, and a later one is over.
    const stuck = new Set<string>()
    answers = ({ id }) => {
      if (stuck.size === 0) stuck.add(id)
      return stuck.has(id) ? 503 : 200
    }
    const waiting = await happen()
    await until(async () => stuck.has(waiting))
    await isTaken(await happen())
    assert.equal(await first.stop(), 0, first.text.err)
    assert.match(first.text.err, /\n5 delivered, 0 given up\.\n$/)

    answers = () => 200
    const meanwhile = await happen()
    const second = await listen(['--json'])
    assert.equal(second.secret, first.secret)
    assert.match(second.text.err, /from where it stopped/)
    await Promise.all([waiting, meanwhile, await happen()].map(isTaken))
    const lines = () => second.text.out.trim().split('\n')
    await until(async () => lines().length === 3)
    const [line] = lines().map((one) => JSON.parse(one))
    assert.deepEqual(
      { ...line, at: typeof line.at, ms: typeof line.ms },
      {
        at: 'string',
        event_id: waiting,
        type: 'payout.completed',
        attempt: 1,
        status: 200,
        ms: 'number',
        error: null,
        outcome: 'delivered',
        retry_in_ms: null,
      },
    )
    assert.equal(await second.stop('SIGTERM'), 0, second.text.err)

    const events = await listAll(
      makeCall(server.url, server.testKey),
      '/events?type=payout.completed',
    )
    const expected = events.map(({ id }) => id).filter((id) => id !== before)
    assert.deepEqual(receiver.taken().sort(), expected.sort())
    assert.deepEqual(receiver.wrong, [])
  })

  it('goes on from now where it is asked to, and where the server has lost its place; it ends when its key is revoked', async () => {
    const skipped = await happen()
    await isPast(skipped)
    const since = await listen(['--since-now'])
    await isTaken(await happen())
    assert.ok(!receiver.taken().includes(skipped))
    // Another beside it would deliver everything twice; killed, it leaves nothing that holds up the
    // next.
    const beside = await command(['listen', '--forward-to', receiver.url], withKey('c'))
    assert.deepEqual([beside.code, beside.out], [1, ''])
    assert.match(
      beside.err,
      /^bursar: Another `bursar listen` forwards to http:\S+ with this key already: end that one/,
    )
    await since.stop('SIGKILL')

    const folder = join(home, 'c', 'bursar', 'listen')
    const [file = ''] = readdirSync(folder)
    const kept = JSON.parse(readFileSync(join(folder, file), 'utf8'))
    writeFileSync(join(folder, file), JSON.stringify({ ...kept, place: '999999999999999' }))
    const lost = await listen()
    assert.match(
      lost.text.err,
      /^The server does not know the place where this stopped, .*: going on from now\.\n/,
    )
    await isTaken(await happen())
    await lost.stop()

    const scope = { businessId: server.businessId, livemode: false, now: server.app.clock.now() }
    const { key, record } = await outside(server.app, scope).write((work) =>
      createKey(work, { name: 'short', allowIps: [] }),
    )
    const revoked = await listen([], withKey('c', { BURSAR_KEY: key }))
    await revoke(server.app, server.businessId, record.id)
    assert.equal(await revoked.ended, 3)
    assert.match(revoked.text.err, /\nbursar: http:\S+ refuses the API key: .+\n$/)
  })

  it('leaves no lock behind where the system keeps its socket, as on macOS', async () => {
    const name = `test-${process.pid}`
    const lock = new URL('../../../src/app/cli/lock.ts', import.meta.url)
    const take = `import { takeLock } from '${lock}'; console.log(await takeLock('${name}', 'darwin')); setInterval(() => {}, 1_000)`
    const child = spawn(process.execPath, ['--input-type=module', '--eval', take])
    children.push(child)
    const [said] = await once(child.stdout, 'data')
    assert.equal(String(said), 'true\n')
    assert.equal(await takeLock(name, 'darwin'), false)
    child.kill('SIGKILL')
    await once(child, 'close')
    assert.equal(await takeLock(name, 'darwin'), true)
    rmSync(join(tmpdir(), `bursar-${name}.sock`), { force: true })
  })

  it('says what is wrong by its exit code', async () => {
    const nobody = `http://127.0.0.1:${await freePort()}`
    const to = ['listen', '--forward-to', receiver.url]
    for (const [args, env, status, message] of [
      [['listen'], withKey('d'), 2, /^--forward-to is missing/],
      [['listen', '--forward-to', 'ftp://x'], withKey('d'), 2, /'ftp:\/\/x' is none/],
      [
        [...to, '--events', 'payout.complete'],
        withKey('d'),
        2,
        /no 'payout\.complete'\. There are .*payout\.completed/,
      ],
      [[...to, '--nonsense'], withKey('d'), 2, /unknown option/],
      [to, envOf('d'), 3, /^No API key: run/],
    ] as const)
      assert.match(await refusalOf([...args], env, status), message)
    const [wrong, away, usage] = await Promise.all([
      command(to, withKey('d', { BURSAR_KEY: 'sk_test_wrong' })),
      command(to, withKey('d', { BURSAR_URL: nobody })),
      command([...to, '--nonsense'], withKey('d')),
    ])
    assert.deepEqual(
      [wrong.code, away.code, usage.code],
      [3, 4, 2],
      wrong.err + away.err + usage.err,
    )
    assert.match(wrong.err, /^bursar: http:\S+ refuses the API key: .+\n$/)
    assert.match(away.err, /^bursar: http:\S+ cannot be reached: .+\n$/)
  })
})

/**
 * Goal: who has an API key alone sees what happens, opens what a payer sees, and is told what to do
 * next where something is wrong. Method: the commands against a real server; in processes of their
 * own where they are followed, and on a terminal where one can be made.
 */
import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Command } from 'commander'
import { startForward } from '../../../sdk/conformance/forward.ts'
import { addIntegratorCommands } from '../../../src/app/cli/integrators.ts'
import { progress } from '../../../src/app/cli/terminal.ts'
import { createKey } from '../../../src/books/businesses/businesses.ts'
import { outside } from '../../../src/core/outside.ts'
import { runIntegratorCommand } from '../../support/command-line.ts'
import { command } from '../../support/commands.ts'
import { untilPast } from '../../support/events.ts'
import { type Json, must, startServer, type TestServer, until } from '../../support/harness.ts'
import { freePort } from '../../support/ports.ts'
import { run } from '../../support/python.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'

const bin = new URL('../../../bin/bursar.js', import.meta.url).pathname

describe('the commands for integrators', () => {
  let server: TestServer
  let receiver: Receiver
  let dir: string
  /** What somebody has who has a key and nothing else. */
  let env: Record<string, string>
  before(async () => {
    receiver = await startReceiver()
    server = await startServer({
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
      WEBHOOK_CA_FILE: receiver.caFile,
    })
    dir = mkdtempSync(join(tmpdir(), 'bursar-integrators-'))
    env = {
      XDG_CONFIG_HOME: dir,
      DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none',
      DATA_DIR: '/nowhere',
      BURSAR_KEY: server.testKey,
      BURSAR_URL: server.url,
    }
  })
  after(async () => {
    await server.stop()
    await receiver.stop()
    rmSync(dir, { recursive: true, force: true })
  })

  /**
   * Runs a command on a terminal, to which both of its outputs go; the code is 127 where none can
   * be made.
   */
  const onTerminal = (args: string[], more: Record<string, string> = {}, ...settings: string[]) => {
    const terminal =
      'import os, pty, sys\nsys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))'
    const line = ['python3', '-c', terminal, process.execPath, bin, ...args]
    return run(
      'env',
      ['-u', 'NO_COLOR', '-u', 'FORCE_COLOR', '-u', 'CI', ...settings, ...line],
      '',
      {
        ...env,
        PATH: `${dir}${delimiter}${process.env.PATH}`,
        OPENED: join(dir, 'opened'),
        TERM: 'xterm-256color',
        ...more,
      },
    )
  }

  const eventsOf = async (type: string): Promise<Json[]> =>
    (await must(server.call('GET', `/events?type=${type}&limit=100`))).docs
  /** A payment that is paid. @returns it, and the event that says so */
  async function pay(reference: string): Promise<{ payment: Json; event: Json }> {
    const payment = await must(
      server.call('POST', '/payments', { amount: 5_000, currency: 'ngn', reference }),
    )
    await must(server.call('POST', `/payments/${payment.id}/simulate`, { outcome: 'completed' }))
    const event = await until(async () =>
      (await eventsOf('payment.completed')).find(({ payload }) => payload.id === payment.id),
    )
    return { payment, event }
  }
  const linesOf = (text: string): string[] => text.trim().split('\n')

  it('go by the proxy that the environment names, but to this machine', async () => {
    const proxy = await startForward(server.url)
    const ask = (url: string, more = {}) => {
      const named = {
        http_proxy: proxy.url,
        HTTP_PROXY: proxy.url,
        no_proxy: '',
        NO_PROXY: '',
        BURSAR_URL: url,
        ...more,
      }
      return run(process.execPath, [bin, 'events', 'list', '--json'], '', { ...env, ...named })
    }
    const far = await ask('http://bursar.invalid')
    assert.deepEqual([far.code, far.err, [...proxy.hosts]], [0, '', ['bursar.invalid']])
    proxy.hosts.clear()
    const near = await ask(server.url)
    const named = await ask('http://bursar.invalid', { no_proxy: '.invalid', NO_PROXY: '.invalid' })
    assert.deepEqual([near.code, named.code === 0, [...proxy.hosts]], [0, false, []])
    await proxy.stop()
  })

  it('list events as a table, as JSON and as ids', async () => {
    for (const reference of ['list-1', 'list-2', 'list-3']) await pay(reference)
    const newest = await eventsOf('payment.completed')
    const ofType = ['--type', 'payment.completed']
    const [table, json, ids] = await Promise.all([
      runIntegratorCommand(env, ['events', 'list', ...ofType]),
      runIntegratorCommand(env, ['events', 'list', ...ofType, '--json', '--limit', '2']),
      runIntegratorCommand(env, ['events', 'list', ...ofType, '--quiet']),
    ])
    assert.deepEqual([table.code, json.code, ids.code], [0, 0, 0], table.err + json.err + ids.err)
    const [head, ...rows] = linesOf(table.out)
    assert.match(head as string, /^TIME +TYPE +EVENT +ABOUT$/)
    assert.deepEqual(
      rows.map((row) => row.split(/ +/)),
      newest.map(({ timestamp, type, id, payload }) => [timestamp, type, id, payload.id]),
    )
    assert.deepEqual(
      linesOf(json.out).map((line) => JSON.parse(line)),
      newest.slice(0, 2),
    )
    assert.deepEqual(
      linesOf(ids.out),
      newest.map(({ id }) => id),
    )
  })

  it('follow events and requests as they come', async () => {
    const { event: before } = await pay('tail-0')
    await untilPast(server.url, server.testKey, before.id)
    const tails: ChildProcess[] = []
    const said = ['', '']
    const tail = (args: string[], i: number) =>
      command(args, env, (child) => {
        tails.push(child)
        child.stderr?.on('data', (chunk) => {
          said[i] += chunk
        })
        child.stdout?.on('data', (chunk) => {
          said[i] += chunk
        })
      })
    const ended = Promise.all([
      tail(['events', 'tail', '--type', 'payment.*', '--quiet'], 0),
      tail(['requests', 'tail', '--failed', '--json'], 1),
    ])
    await until(async () => said.every((text) => text.includes('Following ')), 60_000)
    const { event } = await pay('tail-1')
    const refused = await server.call('GET', '/payments/6925f3a1c0ffee00c0ffee01')
    await until(async () => said[0]?.includes(event.id) && said[1]?.includes('not_found'), 60_000)
    for (const child of tails) child.kill('SIGINT')
    const [events, requests] = await ended
    assert.deepEqual([events.code, requests.code], [0, 0], events.err + requests.err)
    assert.equal(events.out, `${event.id}\n`)
    const { id, status, path, code } = JSON.parse(linesOf(requests.out)[0] as string)
    assert.deepEqual(
      { id, status, path, code },
      {
        id: refused.headers.get('x-request-id'),
        status: 404,
        path: '/payments/6925f3a1c0ffee00c0ffee01',
        code: 'not_found',
      },
    )
  })

  it('send an event again, to where it went or to whom is named', async () => {
    const { event: early } = await pay('resend-0')
    const lost = await runIntegratorCommand(env, ['events', 'resend', early.id])
    assert.deepEqual([lost.code, lost.out], [1, ''])
    assert.match(lost.err, /^bursar: [0-9a-f]{24} went to no endpoint: --to names one/)
    const webhook = await must(
      server.call('POST', '/webhooks', { url: receiver.url, events: ['payment.completed'] }),
    )
    const { event } = await pay('resend-1')
    const cameOf = (id: string) =>
      receiver.requests.filter(({ headers }) => headers['x-event-id'] === id).length
    await until(async () => cameOf(event.id) === 1, 30_000)
    const [again, named, unknown] = await Promise.all([
      runIntegratorCommand(env, ['events', 'resend', event.id, '--json']),
      runIntegratorCommand(env, ['events', 'resend', early.id, '--to', webhook.id]),
      runIntegratorCommand(env, ['events', 'resend', '6925f3a1c0ffee00c0ffee01']),
    ])
    assert.deepEqual(
      [again.code, named.code, unknown.code],
      [0, 0, 1],
      again.err + named.err + unknown.err,
    )
    assert.equal(JSON.parse(again.out).webhook_id, webhook.id)
    assert.match(
      named.out,
      new RegExp(`^DELIVERY +ENDPOINT +URL\n[0-9a-f]{24} +${webhook.id} +https://`),
    )
    assert.match(unknown.err, /^bursar: GET \/events\/\w+ is refused: .*6925f3a1c0ffee00c0ffee01/)
    await until(async () => cameOf(event.id) === 2 && cameOf(early.id) === 1, 30_000)
  })

  it('print the page of a payment, by its id or its reference', async () => {
    const { payment } = await pay('open-1')
    const [byId, byReference, json] = await Promise.all([
      runIntegratorCommand(env, ['open', 'payment', payment.id]),
      runIntegratorCommand(env, ['open', 'payment', 'open-1']),
      runIntegratorCommand(env, ['open', 'payment', payment.id, '--json']),
    ])
    assert.deepEqual(
      [byId.out, byReference.out],
      [`${payment.checkout_url}\n`, `${payment.checkout_url}\n`],
      byId.err,
    )
    assert.equal(JSON.parse(json.out).status, 'completed')
  })

  it('open it on a terminal, where they colour what they print unless NO_COLOR is set', async (t) => {
    const { payment } = await pay('open-2')
    const opener = join(dir, process.platform === 'darwin' ? 'open' : 'xdg-open')
    writeFileSync(
      opener,
      `#!/bin/sh\nprintf %s "$1" > "$OPENED.half" && mv "$OPENED.half" "$OPENED"\n`,
    )
    chmodSync(opener, 0o755)
    const shown = await onTerminal(['open', 'payment', payment.id])
    if (shown.code === 127) return t.skip('python3 is missing, which makes the terminal')
    assert.equal(shown.code, 0, shown.out + shown.err)
    assert.ok(shown.out.includes(payment.checkout_url))
    const opened = join(dir, 'opened')
    await until(async () => existsSync(opened), 30_000)
    assert.equal(readFileSync(opened, 'utf8'), payment.checkout_url)

    const list = ['events', 'list', '--limit', '1']
    const [coloured, uncoloured, piped] = await Promise.all([
      onTerminal(list),
      onTerminal(list, {}, 'NO_COLOR=1'),
      command(list, env),
    ])
    assert.ok(coloured.out.includes('\u001b[2mTIME'), coloured.out)
    for (const { out } of [uncoloured, piped]) {
      assert.ok(out.includes('TIME'), out)
      assert.ok(!out.includes('\u001b['), out)
    }
  })

  it('show how far a long one has come, on a terminal alone', async (t) => {
    const ofOperator = { DATABASE_URL: server.databaseUrl, SECRETS_KEY: 'ab'.repeat(32) }
    const shown = await onTerminal(['ledger', 'verify'], ofOperator)
    if (shown.code === 127) return t.skip('python3 is missing, which makes the terminal')
    const [, after] = /checked 0 of \d+ checks, 0\.0 checks\/s(.+)/s.exec(shown.out) ?? []
    assert.ok(after?.includes('\r\u001b[KThe books are clean'), shown.out)
  })

  it('tell what is done, left and how fast, and leave no trace of it', (t) => {
    const said: string[] = []
    const wasTerminal = process.stderr.isTTY
    t.after(() => {
      process.stderr.isTTY = wasTerminal
    })
    t.mock.method(process.stderr, 'write', (text: string) => said.push(text) > 0)
    process.stderr.isTTY = true
    let now = 1_000
    t.mock.method(performance, 'now', () => now)
    const copied = progress('copied', 'bytes')
    const read = progress('read', 'rows')
    now += 2_000
    copied(40 * 1024 * 1024, 100 * 1024 * 1024)
    copied(41 * 1024 * 1024, 100 * 1024 * 1024)
    copied(100 * 1024 * 1024, 100 * 1024 * 1024)
    read(300, null)
    read.end()
    read.end()
    progress('copied', 'bytes', true)(1, 2)
    const clear = '\r\u001b[K'
    assert.deepEqual(said, [
      `${clear}copied 40 of 100 MiB, 20 MiB/s, 3 s left`,
      clear,
      `${clear}read 300 rows, 150 rows/s`,
      clear,
    ])
  })

  it('say by their exit code and in a sentence what is wrong, and what to do next', async () => {
    const scope = { businessId: server.businessId, livemode: false, now: server.app.clock.now() }
    const { key: reading } = await outside(server.app, scope).write((work) =>
      createKey(work, { name: 'reads', allowIps: [], scopes: ['read'] }),
    )
    const nobody = `http://127.0.0.1:${await freePort()}`
    const { BURSAR_KEY: _, ...without } = env
    const list = ['events', 'list']
    for (const [args, given, status, sentence] of [
      [list, without, 3, /No API key: run `bursar login`, or set BURSAR_KEY\./],
      [
        list,
        { ...env, BURSAR_KEY: 'sk_test_no' },
        3,
        /http:\S+ refuses the API key: .+ Save another with `bursar login --url http:\S+`\./,
      ],
      [
        ['requests', 'tail'],
        { ...env, BURSAR_KEY: reading },
        3,
        /lacks a scope: .*manage.* Add it with `bursar keys scopes`\./,
      ],
      [
        list,
        { ...env, BURSAR_URL: nobody },
        4,
        /cannot be reached: .*; `bursar login --url URL` names another, and `bursar serve` starts one\./,
      ],
      [
        list,
        { ...env, BURSAR_URL: `${server.url}/docs` },
        4,
        /`bursar login --url URL` names another/,
      ],
      [list, { ...env, BURSAR_URL: '"http://localhost:4000"' }, 2, /^BURSAR_URL is in quotes/],
      [list, { ...env, BURSAR_KEY: `'${env.BURSAR_KEY}'` }, 2, /^BURSAR_KEY is in quotes[^']*$/],
      [
        list,
        { ...env, BURSAR_URL: 'here' },
        2,
        /'here' is not the URL of a server, such as http:\/\/localhost:4000\./,
      ],
      [
        [...list, '--type', 'payment.done'],
        env,
        2,
        /there is no 'payment\.done'\. There are .*payment\.completed/,
      ],
      [[...list, '--limit', '0'], env, 2, /--limit must be a whole number/],
      [['open', 'payment', 'no-such'], env, 1, /GET \/payments\/reference\/no-such is refused: /],
      [['events', 'tale'], env, 2, /unknown command 'tale'\n\(Did you mean tail\?\)/],
    ] as [string[], Record<string, string>, number, RegExp][]) {
      const program = new Command('bursar').configureOutput({ writeErr: () => {} })
      addIntegratorCommands(program, given, () => program)
      const ended = program
        .parseAsync(args, { from: 'user' })
        .then(() => assert.fail(`${args.join(' ')} went well`))
      const error: Error & { status?: number; exitCode?: number } = await ended.catch(
        (thrown) => thrown,
      )
      assert.equal(error.status ?? error.exitCode, status, `${args.join(' ')}: ${error.message}`)
      assert.match(error.message, sentence)
    }
  })
})

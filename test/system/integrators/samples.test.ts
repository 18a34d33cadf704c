/**
 * Goal: who has `bursar samples` write a program has one that opens payments, and takes what is
 * ours, once, and nothing else. Method: each is written and run as it is, asked for a payment, and
 * sent real deliveries and what was made of them.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Command } from 'commander'
import { addSamplesCommand, sampleNames } from '../../../src/app/cli/samples.ts'
import { deliveryHeaders } from '../../../src/platform/webhooks/signing.ts'
import { runIntegratorCommand } from '../../support/command-line.ts'
import { must, startServer, type TestServer, until } from '../../support/harness.ts'
import { run } from '../../support/python.ts'

describe('bursar samples', () => {
  let server: TestServer
  let dir: string
  let env: Record<string, string>
  const children: ChildProcess[] = []
  before(async () => {
    server = await startServer()
    dir = mkdtempSync(join(tmpdir(), 'bursar-samples-'))
    env = { XDG_CONFIG_HOME: dir, BURSAR_KEY: server.testKey, BURSAR_URL: server.url }
  })
  after(async () => {
    for (const child of children) child.kill('SIGKILL')
    await server.stop()
    rmSync(dir, { recursive: true, force: true })
  })

  /** Uses the command in this process. */
  const samples = async (args: string[], given = env): Promise<string[]> => {
    const program = new Command('bursar').configureOutput({ writeErr: () => {} })
    const said: string[] = []
    addSamplesCommand(program, given, (line) => said.push(line))
    await program.parseAsync(['samples', ...args], { from: 'user' })
    return said
  }
  const settingsOf = (folder: string): Record<string, string> =>
    Object.fromEntries(
      readFileSync(join(folder, '.env'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => [line.split('=', 1)[0] as string, line.slice(line.indexOf('=') + 1)]),
    )

  type Shop = { url: string; out(): string }
  async function start(program: string, args: string[]): Promise<Shop> {
    const child = spawn(program, args, { env: { PATH: process.env.PATH, PORT: '0' } })
    children.push(child)
    let out = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        out += chunk
      })
    const port = await until(async () => {
      assert.equal(child.exitCode, null, out)
      return /The shop is at http:\/\/localhost:(\d+)/.exec(out)?.[1]
    }, 60_000)
    return { url: `http://127.0.0.1:${port}`, out: () => out }
  }

  async function assertSells({ url, out }: Shop, secret: string): Promise<void> {
    const page = await fetch(url)
    assert.deepEqual([page.status, (await page.text()).includes('<form')], [200, true])
    const opened = await fetch(`${url}/pay`, { method: 'POST', redirect: 'manual' })
    assert.equal(opened.status, 303, out())
    const checkout = opened.headers.get('location') as string
    const { docs } = await must(server.call('GET', '/payments?limit=1'))
    assert.deepEqual([checkout, docs[0].amount], [docs[0].checkout_url, 250_000])

    const [first, second] = ['first', 'second'].map((name) => ({
      event_id: `6925f3a1c0ffee00c0ffee0${name.length}`,
      type: 'payment.completed',
      attempt: 1,
      sample: false,
      body: JSON.stringify({
        id: name,
        type: 'payment.completed',
        payload: { id: `payment-${name}` },
      }),
    })) as [Parameters<typeof deliveryHeaders>[0], Parameters<typeof deliveryHeaders>[0]]
    const now = new Date()
    const post = async (body: string, headers: Record<string, string>): Promise<number> =>
      (await fetch(`${url}/webhook`, { method: 'POST', headers, body })).status
    const signed = deliveryHeaders(first, [secret], now)
    assert.equal(await post(first.body, signed), 204)
    assert.equal(await post(first.body, signed), 204)
    // While a secret rolls.
    assert.equal(
      await post(second.body, deliveryHeaders(second, [`weh_${'9'.repeat(32)}`, secret], now)),
      204,
    )

    assert.equal(await post(first.body.replace('first', 'other'), signed), 401)
    assert.equal(
      await post(first.body, deliveryHeaders(first, [`weh_${'9'.repeat(32)}`], now)),
      401,
    )
    for (const minutes of [-6, 6])
      assert.equal(
        await post(
          first.body,
          deliveryHeaders(first, [secret], new Date(now.getTime() + minutes * 60_000)),
        ),
        401,
      )
    assert.equal(await post(first.body, { ...signed, 'webhook-timestamp': '-1' }), 401)
    const { 'webhook-signature': _, ...unsigned } = signed
    assert.equal(await post(first.body, unsigned), 401)
    const empty = createHmac('sha256', '').update(
      `${signed['webhook-id']}.${signed['webhook-timestamp']}.${first.body}`,
    )
    for (const signature of ['', 'v1,', 'nonsense', 'v1,a,b', `v1,${empty.digest('base64')}`])
      assert.equal(
        await post(first.body, { ...signed, 'webhook-signature': signature }),
        401,
        signature,
      )
    assert.equal((await fetch(`${url}/elsewhere`)).status, 404)

    await until(async () => out().includes('payment-second'))
    assert.deepEqual(out().match(/verified .*/g), [
      'verified payment.completed payment-first',
      'verified payment.completed payment-second',
    ])
  }

  it('writes a shop in Node.js that runs', async () => {
    const to = join(dir, 'node')
    await samples(['node', to])
    const settings = settingsOf(to)
    assert.deepEqual([settings.BURSAR_URL, settings.BURSAR_KEY], [server.url, server.testKey])
    const { out } = await runIntegratorCommand(env, ['listen', '--print-secret'])
    const secret = settings.WEBHOOK_SECRET as string
    assert.equal(`whsec_${Buffer.from(secret).toString('base64')}\n`, out)
    assert.equal(statSync(join(to, '.env')).mode & 0o777, 0o600)
    assert.equal(readFileSync(join(to, '.gitignore'), 'utf8'), '.env\n')
    await assertSells(await start(process.execPath, [join(to, 'server.mjs')]), secret)
    // The other spelling of the secret.
    writeFileSync(
      join(to, '.env'),
      readFileSync(join(to, '.env'), 'utf8').replace(secret, out.trim()),
    )
    await assertSells(await start(process.execPath, [join(to, 'server.mjs')]), secret)
  })

  it('writes a shop in Python that runs', async (t) => {
    const { code, err } = await run('python3', ['--version'])
    if (code === null) return t.skip(`Python is missing: ${err}`)
    const to = join(dir, 'python')
    await samples(['python', to])
    await assertSells(
      await start('python3', [join(to, 'server.py')]),
      settingsOf(to).WEBHOOK_SECRET as string,
    )
  })

  it('keeps a live key out of what it writes, and takes no folder that is in use', async () => {
    const to = join(dir, 'live')
    await samples(['node', to], { ...env, BURSAR_KEY: server.liveKey })
    assert.deepEqual(settingsOf(to), {
      BURSAR_URL: 'http://localhost:4000',
      BURSAR_KEY: '',
      WEBHOOK_SECRET: '',
    })
    await assert.rejects(samples(['node', to]), {
      status: 1,
      message: /is not empty: name another folder/,
    })
    await assert.rejects(samples(['cobol', join(dir, 'cobol')]), {
      status: 2,
      message: `There is no sample 'cobol'. There are ${sampleNames.join(', ')}.`,
    })
    assert.ok(!existsSync(join(dir, 'cobol')))
    const kept = join(dir, 'kept')
    mkdirSync(kept)
    const said = await samples(['node', kept], { XDG_CONFIG_HOME: join(dir, 'nobody') })
    assert.match(said[1] as string, /^Put your API key into .*\.env/)
    for (const args of [[], ['--list']])
      assert.deepEqual(
        (await samples(args)).map((line) => line.split(' ')[0]),
        sampleNames,
      )
  })
})

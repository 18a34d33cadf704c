/**
 * Goal: who copies the programs of `docs/webhooks.md` has a receiver that takes what is ours, once,
 * and nothing else. Method: they are cut out of the guide and run, on real deliveries and on what
 * was made of them.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { bankPayout, must, startServer, type TestServer, until } from '../../support/harness.ts'
import { freePort } from '../../support/ports.ts'
import { findPython, run } from '../../support/python.ts'
import { type Received, type Receiver, startReceiver } from '../../support/receiver.ts'

const guide = readFileSync('docs/webhooks.md', 'utf8')
const programs = (language: string): string[] =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    ([, code]) => code as string,
  )
const [nodeReceiver, nodeCheck] = programs('js') as [string, string]
const [pythonReceiver, pythonCheck] = programs('python') as [string, string]

type Post = { headers: Record<string, string>; body: string }

describe('the programs of the guide to webhooks', () => {
  let receiver: Receiver
  let server: TestServer
  /** Two events, the second sent while the secret rolls. */
  let first: Post
  let second: Post
  let secrets: { secret: string; standard_secret: string }[]
  const children: ChildProcess[] = []

  const postOf = ({ headers, body }: Received): Post => ({
    headers: Object.fromEntries(
      Object.entries(headers).filter(([name]) => /^(x-|webhook-)/.test(name)),
    ) as Post['headers'],
    body: body.toString(),
  })
  before(async () => {
    receiver = await startReceiver()
    server = await startServer({
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
      WEBHOOK_CA_FILE: receiver.caFile,
    })
    await server.fund('ngn', 1_000_000)
    const events = ['payout.completed']
    const made = await must(server.call('POST', '/webhooks', { url: receiver.url, events }))
    await must(server.call('POST', '/payouts', bankPayout('guide-1', 10_000)))
    await until(async () => receiver.requests.length === 1)
    const rolled = await must(server.call('POST', `/webhooks/${made.id}/roll-secret`))
    await must(server.call('POST', '/payouts', bankPayout('guide-2', 10_000)))
    await until(async () => receiver.requests.length === 2)
    ;[first, second] = receiver.requests.map(postOf) as [Post, Post]
    secrets = [made, rolled]
  })
  after(async () => {
    for (const child of children) child.kill()
    await server.stop()
    await receiver.stop()
  })

  /**
   * Runs a receiver of the guide and posts to it what it must take, once, and what it must refuse.
   */
  async function assertReceives(program: string, args: string[]): Promise<void> {
    const port = await freePort()
    const [{ secret, standard_secret }] = secrets as [(typeof secrets)[number]]
    const child = spawn(program, args, {
      env: { ...process.env, STANDARD_SECRET: standard_secret, PORT: String(port) },
    })
    children.push(child)
    let out = ''
    let err = ''
    child.stdout.on('data', (chunk) => {
      out += chunk
    })
    child.stderr.on('data', (chunk) => {
      err += chunk
    })
    const post = async (
      { headers, body }: Post,
      more: Record<string, string> = {},
    ): Promise<number> =>
      (
        await fetch(`http://127.0.0.1:${port}`, {
          method: 'POST',
          headers: { ...headers, ...more },
          body,
        })
      ).status
    await until(
      () => post({ headers: {}, body: '{}' }).catch(() => assert.equal(child.exitCode, null, err)),
      60_000,
    )
    assert.equal(await post(first), 204, err)
    assert.equal(await post(first), 204)
    assert.equal(await post(second), 204)
    assert.equal(await post({ ...first, body: first.body.replace('10000', '90000') }), 401)
    const old = String(Math.floor(Date.now() / 1_000) - 301)
    assert.equal(await post(first, { 'webhook-timestamp': old }), 401)
    const hmac = createHmac('sha256', secret).update(
      `${first.headers['webhook-id']}.${old}.${first.body}`,
    )
    const signed = { 'webhook-timestamp': old, 'webhook-signature': `v1,${hmac.digest('base64')}` }
    assert.equal(await post(first, signed), 401)
    for (const signature of ['', 'v1,', 'v1,ü', 'nonsense', 'v1,a,b'])
      assert.equal(await post(first, { 'webhook-signature': signature }), 401, signature)
    const told = [first, second].map(
      ({ body }) => `payout.completed ${JSON.parse(body).payload.id}\n`,
    )
    await until(async () => out.length >= told.join('').length)
    assert.equal(out, told.join(''))
  }

  /** What a check of `X-Signature` is given, and what it must say. */
  function checks(): [secret: string, post: Post, right: boolean][] {
    const [before, now] = secrets.map(({ secret }) => secret) as [string, string]
    const signature = first.headers['x-signature'] as string
    const given = (value: string): Post => ({ ...first, headers: { 'x-signature': value } })
    return [
      [before, first, true],
      [now, first, false],
      [before, second, true],
      [now, second, true],
      [before, { ...first, body: first.body.replace('10000', '90000') }, false],
      [before, { ...first, headers: {} }, false],
      [before, given(signature), true],
      [before, given(signature.replace('sha256=', '')), false],
      [before, given(`${signature.slice(0, -1)}ü`), false],
    ]
  }
  const asked = (): string =>
    JSON.stringify(checks().map(([secret, { headers, body }]) => [secret, body, headers]))
  const assertRight = (out: string): void =>
    assert.deepEqual(
      JSON.parse(out),
      checks().map(([, , right]) => right),
    )

  it('are four', () => {
    assert.deepEqual([programs('js').length, programs('python').length], [2, 2])
  })

  it('receive in Node.js', () =>
    assertReceives(process.execPath, ['--input-type=module', '--eval', nodeReceiver]))

  it('receive in Python', async (t) => {
    const found = await findPython()
    if ('missing' in found) return t.skip(found.missing)
    await assertReceives(found.python, ['-c', pythonReceiver])
  })

  it('check X-Signature in Node.js', async () => {
    const ask = `
      import { readFileSync } from 'node:fs'
      const asked = JSON.parse(readFileSync(0, 'utf8'))
      console.log(JSON.stringify(asked.map(([secret, body, headers]) => isFromBursar(secret, Buffer.from(body), headers))))`
    const { out, err } = await run(
      process.execPath,
      ['--input-type=module', '--eval', nodeCheck + ask],
      asked(),
    )
    assert.equal(err, '')
    assertRight(out)
  })

  it('check X-Signature in Python', async (t) => {
    const ask = `
import json, sys
from email.message import Message
answers = []
for secret, body, given in json.load(sys.stdin):
    headers = Message()
    for name, value in given.items():
        headers[name] = value
    answers.append(is_from_bursar(secret, body.encode(), headers))
print(json.dumps(answers))`
    const { code, out, err } = await run('python3', ['-c', pythonCheck + ask], asked())
    if (code === null) return t.skip(`Python is missing: ${err}`)
    assert.equal(err, '')
    assertRight(out)
  })
})

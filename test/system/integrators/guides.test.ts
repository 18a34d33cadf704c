/**
 * Goal: the guides cannot lie. Method: the commands of each are run by a shell, in their order,
 * against a server, for a business of its own; what they answer is held against what stands below
 * them. `test/run-samples.ts` does the same in the other languages.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createBusiness } from '../../../src/books/businesses/businesses.ts'
import { hmacSha256 } from '../../../src/lib/secrets.ts'
import { type Json, startServer, type TestServer, until } from '../../support/harness.ts'
import { freePort } from '../../support/ports.ts'
import { run } from '../../support/python.ts'
import { type Guide, readGuides } from '../../support/samples.ts'

const guides = readGuides()

/**
 * How a guide names a part of an answer, for the commands that follow: NAME=value # `id` of the
 * answer
 */
const kept = /^([A-Z_]+)=\S+ +# `([\w.]+)` of the answer$/gm

/** Whether a value is as shown: each field, ids and addresses by their form. */
function assertShown(actual: Json, shown: Json, place: string): void {
  if (Array.isArray(shown)) {
    assert.equal(actual?.length, shown.length, place)
    for (const [i, one] of shown.entries()) assertShown(actual[i], one, `${place}[${i}]`)
  } else if (shown !== null && typeof shown === 'object')
    for (const [name, one] of Object.entries(shown))
      assertShown(actual?.[name], one, `${place}.${name}`)
  else if (/^https?:/.test(shown)) assert.match(actual, /^http:\/\/localhost:\d+\//, place)
  else assert.equal(actual, shown, place)
}

describe('the guides', { concurrency: 3 }, () => {
  let server: TestServer
  let dir: string
  before(async () => {
    // Readers end what they made before it ends by itself, however slow the machine is.
    server = await startServer({ SANDBOX_DELAY: '1m' })
    dir = mkdtempSync(join(tmpdir(), 'bursar-guides-'))
  })
  after(async () => {
    await server.stop()
    rmSync(dir, { recursive: true, force: true })
  })

  it('are there, a step of each in four languages', () => {
    assert.equal(guides.length, 12)
    for (const { name, steps } of guides) assert.ok(steps.length > 0, name)
  })

  /** Runs a command in the shell of a reader. */
  const shell = async (text: string, env: Record<string, string>) => {
    const quiet = 'curl() { command curl -sS "$@"; }\n'
    return run('bash', ['-c', `set -euo pipefail; cd '${dir}'\n${quiet}${text}`], '', env)
  }

  async function follow({ steps }: Guide, key: string): Promise<void> {
    const env: Record<string, string> = { BURSAR_URL: server.url, BURSAR_KEY: key }
    for (const { text, answer, isReceiver } of steps) {
      if (isReceiver) continue
      const { code, out, err } = await shell(text.sh, env)
      assert.deepEqual([code, err], [0, ''], text.sh)
      if (out === '') continue
      const answered = JSON.parse(out)
      if (answer) assertShown(answered, answer, text.sh)
      else assert.equal(answered.errors, undefined, `${text.sh}\n${out}`)
      for (const [, name = '', path = ''] of text.sh.matchAll(kept)) {
        env[name] = path.split('.').reduce((part, field) => part?.[field], answered.data)
        assert.equal(typeof env[name], 'string', `${text.sh}: ${path}`)
      }
    }
  }

  for (const guide of guides)
    it(`do what they say: ${guide.name}`, async (t) => {
      if ((await run('curl', ['--version'])).code !== 0) return t.skip('curl is missing')
      const { test_key, live_key } = await createBusiness(server.app, guide.name)
      await follow(guide, guide.name === 'go-live' ? live_key : test_key)
      if (guide.name === 'invoices')
        assert.match(readFileSync(join(dir, 'invoice.pdf'), 'latin1'), /^%PDF/)
    })

  it('name the signature of a delivery', async (t) => {
    if ((await run('openssl', ['version'])).code !== 0) return t.skip('openssl is missing')
    const [receiver] =
      guides
        .find(({ name }) => name === 'verify-a-webhook')
        ?.steps.filter((step) => step.isReceiver) ?? []
    const body = '{"id":"x","payload":{"name":"Ọlá"}}'
    writeFileSync(join(dir, 'delivery.json'), body)
    const env = {
      WEBHOOK_ID: '6b01552fe8afb9b43fe04458',
      WEBHOOK_TIMESTAMP: '1795392000',
      WEBHOOK_SECRET: 'weh_secret',
    }
    const { out } = await shell(receiver?.text.sh ?? '', env)
    const signed = hmacSha256(
      env.WEBHOOK_SECRET,
      `${env.WEBHOOK_ID}.${env.WEBHOOK_TIMESTAMP}.${body}`,
      'base64',
    )
    assert.equal(out.trim(), signed)
  })

  it('begin with a receiver, in the README, that takes what is signed and fresh alone', async () => {
    const [, program = ''] =
      /^```js\n([\s\S]*?)^```$/m.exec(readFileSync('README.md', 'utf8')) ?? []
    writeFileSync(join(dir, 'receiver.mjs'), program)
    const port = await freePort()
    const key = Buffer.from('0123456789abcdef')
    const env = {
      ...process.env,
      PORT: String(port),
      WEBHOOK_SECRET: `whsec_${key.toString('base64')}`,
    }
    const child = spawn(process.execPath, [join(dir, 'receiver.mjs')], { env })
    let out = ''
    child.stdout.on('data', (chunk) => (out += chunk))
    const now = Math.floor(Date.now() / 1_000)
    const post = async (
      body: string,
      { seconds = now, signed = body, more = {} } = {},
    ): Promise<number> => {
      const signature = `v1,${hmacSha256(key, `e1.${seconds}.${signed}`, 'base64')}`
      const headers = {
        'webhook-id': 'e1',
        'webhook-timestamp': String(seconds),
        'webhook-signature': signature,
        ...more,
      }
      return (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body })).status
    }
    try {
      const body = '{"type":"payment.completed"}'
      assert.equal(await until(() => post(body).catch(() => null)), 204)
      assert.equal(await post(body, { signed: `${body} ` }), 400)
      assert.equal(await post(body, { seconds: now - 400 }), 400)
      assert.equal(await post(body, { more: { 'webhook-signature': 'v1,' } }), 400)
      await until(async () => out.split('\n').length > 4)
      assert.equal(out, 'verified payment.completed\nrefused\nrefused\nrefused\n')
    } finally {
      child.kill()
    }
  })
})

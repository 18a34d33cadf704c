/**
 * How a client is made, what it refuses before anything is sent, what it shows of itself, and that
 * all that goes wrong is an error of the SDK.
 */
import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import type { Bench } from './bench.ts'
import type { Case } from './case.ts'
import type { Fault } from './proxy.ts'

const one = (name: string, run: Case['run'], needs?: Case['needs']): Case => ({
  group: 'clients',
  name,
  run,
  ...(needs ? { needs } : {}),
})

const payment = (t: Bench) => ({ reference: t.unique('odd'), amount: 1_000, currency: 'ngn' })

/**
 * Fails unless a call is refused by the SDK itself, with nothing sent, and without what is secret
 * in what it says.
 */
async function refusedAtOnce(
  t: Bench,
  given: Parameters<Bench['call']>[1],
  secret: string,
  of: RegExp,
): Promise<void> {
  t.proxy.next()
  const { message } = await t.refused(t.call('payments.create', { body: payment(t), ...given }), {
    type: 'BursarError',
  })
  assert.match(message, of)
  assert.ok(!message.includes(secret), message)
  assert.equal(t.proxy.log.length, 0, 'nothing is sent')
}

const answer = (body: string | Buffer, headers = {}): Fault => ({ status: 200, headers, body })
const zipped = gzipSync(JSON.stringify({ message: 'ok', data: { id: 'a'.repeat(2_000) } }))
const gzip = { 'content-encoding': 'gzip' }

/** Answers that are none. */
const broken: Record<string, Fault> = {
  'that is reset before it comes': 'lose answer',
  'that ends in its middle': 'cut answer',
  'whose JSON ends in its middle': answer('{"message":"ok","data":{"id"'),
  'that is JSON and no envelope': answer('[1]'),
  'that is empty': answer(''),
  'that is a page': answer('<h1>Sign in</h1>', { 'content-type': 'text/html' }),
  'whose gzip ends in its middle': answer(zipped.subarray(0, zipped.length - 20), gzip),
  'that says gzip and is not': answer('{"message":"ok","data":{}}', gzip),
}

export const clients: Case[] = [
  one('a key that no header can have is refused at once, and not shown', async (t) => {
    for (const secret of [
      'sk_live_AAAA\nBBBB',
      'sk_live_AAAA\r\nX-A: b',
      'sk_live AAAA',
      'sk_live_₦AAAA',
      '“sk_live_AAAA”',
    ])
      await refusedAtOnce(t, { client: { api_key: secret } }, 'AAAA', /key/i)
  }),
  one('blanks around a key and a base URL are left out', async (t) => {
    const client = { api_key: ` ${t.key}\r\n`, base_url: ` ${t.proxy.url}/\n` }
    assert.equal((await t.call('business.get', { client })).livemode, false)
  }),
  one(
    'a base URL with a user, a query or a fragment, or of another kind, is refused at once',
    async (t) => {
      const host = new URL(t.proxy.url).host
      for (const base_url of [
        `http://ada:s3cret@${host}`,
        `${t.proxy.url}?s3cret`,
        `${t.proxy.url}#s3cret`,
        's3cret',
        'ftp://s3cret',
      ])
        await refusedAtOnce(t, { client: { base_url } }, 's3cret', /https:\/\/pay\.example\.com/)
    },
  ),
  one('a base URL whose host or port is none is refused at once', async (t) => {
    for (const host of ['[::1', ':4000', 'localhost:99999', 'localhost:s3cret', 'a:b:s3cret'])
      await refusedAtOnce(
        t,
        { client: { base_url: `http://${host}` } },
        's3cret',
        /https:\/\/pay\.example\.com/,
      )
  }),
  one('an idempotency key that no header can have is refused at once', async (t) => {
    for (const idempotency_key of ['', 'order-₦-1', 'a\nb: c', 'a b', 'a\u0000', 'x'.repeat(256)])
      await refusedAtOnce(t, { options: { idempotency_key } }, '\n', /1 to 255 visible ASCII/)
    const longest = { options: { idempotency_key: t.unique('~'.repeat(240)) } }
    assert.ok((await t.call('payments.create', { body: payment(t), ...longest })).id)
  }),
  one('a time-out that no timer holds waits for the answer', async (t) => {
    for (const timeout_ms of ['Infinity', 1e12, 2 ** 31, 2 ** 31 - 1] as const) {
      assert.ok((await t.call('payments.create', { body: payment(t), options: { timeout_ms } })).id)
      const client = { timeout_ms, max_retries: 0 }
      assert.ok((await t.call('payments.create', { body: payment(t), client })).id)
    }
  }),
  one('a time-out that is none is refused at once', async (t) => {
    for (const timeout_ms of [0, -1, 'NaN', '-Infinity'] as const) {
      await refusedAtOnce(t, { options: { timeout_ms } }, '\n', /timeout must be a number/)
      await refusedAtOnce(t, { client: { timeout_ms } }, '\n', /timeout must be a number/)
    }
  }),
  one(
    'neither a client nor an error of it shows the key, in any way that the language has',
    async (t) => {
      const api_key = `sk_test_${'S3cret'.repeat(7)}x`
      for (const base_url of [t.proxy.url, 'http://127.0.0.1:9']) {
        const shown = await t.show({ api_key, base_url, max_retries: 0 })
        assert.ok(shown.length >= 4, String(shown))
        for (const text of shown) assert.ok(!text.includes('S3cret'), text)
      }
    },
  ),
  one('a host that does not exist is an APIConnectionError', async (t) => {
    for (const base_url of ['http://bursar.invalid', 'http://pay..invalid']) {
      const client = { base_url, max_retries: 0 }
      await t.refused(t.call('wallets.list', { client }), { type: 'APIConnectionError' })
    }
  }),
  ...Object.entries(broken).map(([name, fault]) =>
    one(`an answer ${name} is an APIConnectionError`, async (t) => {
      // Some runtimes ask once more by themselves, of what only reads, where an open connection
      // ends without an answer.
      t.proxy.next(fault, fault)
      const asked = t.call('customers.list', { options: { max_retries: 0 } })
      await t.refused(asked, { type: 'APIConnectionError' })
    }),
  ),
  one(
    'HTTP_PROXY is obeyed, and NO_PROXY',
    async (t) => {
      const { asked, ended } = await t.overProxy('')
      assert.equal(ended, 'ok')
      assert.deepEqual(asked, ['bursar.invalid'])
      const direct = await t.overProxy('example.com,.invalid')
      assert.deepEqual(direct, { asked: [], ended: 'APIConnectionError' })
    },
    'proxies',
  ),
  one(
    'HTTP_PROXY is obeyed by a stream of events, and NO_PROXY',
    async (t) => {
      assert.deepEqual(await t.overProxy('', 'a stream'), {
        asked: ['bursar.invalid'],
        ended: 'AuthenticationError',
      })
      const direct = await t.overProxy('example.com,.invalid', 'a stream')
      assert.deepEqual(direct, { asked: [], ended: 'APIConnectionError' })
    },
    'proxies',
  ),
  one(
    'a proxy that the runtime does not use is refused by name, and not passed by',
    async (t) => {
      const { asked, ended } = await t.overProxy('')
      assert.deepEqual(asked, [])
      assert.match(
        ended,
        /^BursarError: http_proxy is set, and this Node\.js would not use it: .+NODE_USE_ENV_PROXY=1/,
      )
      assert.equal((await t.overProxy('.invalid')).ended, 'APIConnectionError')
    },
    'proxies refused',
  ),
]

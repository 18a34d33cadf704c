/**
 * Webhooks that are checked: a real delivery, and everything that must not pass for one. The
 * signatures are made here, from what docs/webhooks.md says and without the server's code.
 */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { until } from '../../test/support/harness.ts'
import type { Bench } from './bench.ts'
import type { Case } from './case.ts'

const secret = 'weh_4f6b1c9d2a7e8035b1c2d3e4f5a69788'
const oldSecret = 'weh_00112233445566778899aabbccddeeff'
const standardOf = (text: string): string => `whsec_${Buffer.from(text).toString('base64')}`

const event = {
  id: '6925f3a1c0ffee00c0ffee01',
  type: 'payout.completed',
  timestamp: new Date().toISOString(),
  payload: {
    id: '6925f3a1c0ffee00c0ffee02',
    reference: 'Ọjà “1” 🙂',
    amount: 5_000_000,
    metadata: {},
  },
}
const body = Buffer.from(JSON.stringify(event))
const now = (): number => Math.floor(Date.now() / 1_000)

const macOf = (key: string, id: string, at: number | string, bytes: Buffer): string =>
  createHmac('sha256', key).update(`${id}.${at}.`).update(bytes).digest('base64')

/** The headers of Standard Webhooks, signed by each of the secrets. */
const standard = (
  at: number | string = now(),
  secrets = [secret],
  bytes = body,
  id = event.id,
) => ({
  'webhook-id': id,
  'webhook-timestamp': String(at),
  'webhook-signature': secrets.map((key) => `v1,${macOf(key, id, at, bytes)}`).join(' '),
})
const ours = (key = secret, bytes = body) => ({
  'x-signature': `sha256=${createHmac('sha256', key).update(bytes).digest('hex')}`,
})

type Headers = Record<string, string>
type Verified = {
  body?: Buffer
  parsed?: unknown
  headers: Headers
  secrets?: string[]
  tolerance?: number
  allowXSignature?: boolean
}

const verify = (
  t: Bench,
  { body: bytes, parsed, headers, secrets = [secret], tolerance = 300, allowXSignature }: Verified,
) =>
  t.verify({
    ...(parsed === undefined ? { body: bytes ?? body } : { parsed }),
    headers,
    secrets,
    tolerance,
    ...(allowXSignature === undefined ? {} : { allowXSignature }),
  })

/** `X-Signature` is asked for, and tolerates how long this list has run. */
const allowed = { allowXSignature: true, tolerance: 3_600 }

/** A body with another `timestamp`, and its `X-Signature`, which is asked for. */
function timed(timestamp: string | undefined): Verified {
  const bytes = Buffer.from(JSON.stringify({ ...event, timestamp }))
  return { body: bytes, headers: ours(secret, bytes), allowXSignature: true }
}
const secondsAgo = (seconds: number): string => new Date(Date.now() - seconds * 1_000).toISOString()

const without = (headers: Headers, name: string): Headers => {
  const { [name]: _left, ...rest } = headers
  return rest
}

const accepted: Record<string, () => Verified> = {
  'by the Standard Webhooks headers': () => ({ headers: standard() }),
  'by the secret in its standard spelling': () => ({
    headers: standard(),
    secrets: [standardOf(secret)],
  }),
  'by header names in any case': () => {
    const headers = Object.entries(standard()).map(([name, value]) => [
      name.replace(/^w|-\w/g, (l) => l.toUpperCase()),
      value,
    ])
    return { headers: Object.fromEntries(headers) }
  },
  'with X-Signature beside them': () => ({ headers: { ...standard(), ...ours() } }),
  'by X-Signature alone, where that is asked for': () => ({ headers: ours(), ...allowed }),
  'by X-Signature and the standard spelling': () => ({
    headers: ours(),
    secrets: [standardOf(secret)],
    ...allowed,
  }),
  'rolled: by the old secret, of two signatures': () => ({
    headers: standard(now(), [secret, oldSecret]),
    secrets: [oldSecret],
  }),
  'rolled: by the new secret, of two signatures': () => ({
    headers: standard(now(), [oldSecret, secret]),
  }),
  'rolled: by one of two secrets': () => ({
    headers: standard(now(), [oldSecret]),
    secrets: [secret, oldSecret],
  }),
  'rolled: by X-Signature-Previous': () => ({
    headers: { ...ours(secret), 'x-signature-previous': ours(oldSecret)['x-signature'] },
    secrets: [oldSecret],
    ...allowed,
  }),
  'beside a signature of a scheme to come': () => {
    const headers = standard()
    return {
      headers: { ...headers, 'webhook-signature': `v1a,AAAA ${headers['webhook-signature']}` },
    }
  },
  'almost too old': () => ({ headers: standard(now() - 290) }),
  'old, where that is allowed': () => ({ headers: standard(now() - 3_000), tolerance: 4_000 }),
}

const tampered = Buffer.from(body.toString().replace('5000000', '9000000'))

const refusedOnes: Record<string, () => Verified> = {
  'an altered body': () => ({ body: tampered, headers: standard() }),
  'X-Signature alone, unless it is asked for': () => ({ headers: ours(), tolerance: 3_600 }),
  'X-Signature-Previous alone, unless it is asked for': () => ({
    headers: { 'x-signature-previous': ours()['x-signature'] },
  }),
  'X-Signature of an old body, where it is asked for': () => timed(secondsAgo(310)),
  'X-Signature of a body to come, where it is asked for': () => timed(secondsAgo(-310)),
  'X-Signature of a body without a time, where it is asked for': () => timed(undefined),
  'X-Signature of a body whose time is none, where it is asked for': () =>
    timed('2026-13-01T00:00:00.000Z'),
  'an old time with X-Signature beside it, where that is asked for': () => ({
    headers: { ...standard(now() - 310), ...ours() },
    allowXSignature: true,
  }),
  'an altered body, by X-Signature': () => ({ body: tampered, headers: ours(), ...allowed }),
  'a body that was parsed and written again': () => ({
    body: Buffer.from(JSON.stringify(event, null, 1)),
    headers: standard(),
  }),
  'an empty body': () => ({ body: Buffer.alloc(0), headers: standard() }),
  'another id': () => ({ headers: { ...standard(), 'webhook-id': '6925f3a1c0ffee00c0ffee99' } }),
  'another time': () => ({ headers: { ...standard(), 'webhook-timestamp': String(now() - 1) } }),
  'another secret': () => ({ headers: standard(), secrets: [oldSecret] }),
  'another secret, by X-Signature': () => ({ headers: ours(), secrets: [oldSecret], ...allowed }),
  'an old time': () => ({ headers: standard(now() - 310) }),
  'an old time with a right X-Signature beside it': () => ({
    headers: { ...standard(now() - 310), ...ours() },
  }),
  'a time to come': () => ({ headers: standard(now() + 310) }),
  'a time that is no number': () => ({ headers: standard('soon') }),
  'a time that is a number to some': () => ({ headers: standard(`${now()}.0`) }),
  'a time in milliseconds': () => ({ headers: standard(Date.now()) }),
  'no header at all': () => ({ headers: {} }),
  'no id': () => ({ headers: without(standard(), 'webhook-id') }),
  'no time': () => ({ headers: without(standard(), 'webhook-timestamp') }),
  'no signature': () => ({ headers: without(standard(), 'webhook-signature') }),
  'no signature but X-Signature, beside the other headers': () => ({
    headers: { ...without(standard(), 'webhook-signature'), ...ours() },
  }),
  'an empty signature': () => ({ headers: { ...standard(), 'webhook-signature': '' } }),
  'half a signature': () => ({ headers: { ...standard(), 'webhook-signature': 'v1,' } }),
  'a signature that is none': () => ({ headers: { ...standard(), 'webhook-signature': 'v1,ü!' } }),
  'a scheme that is not known': () => ({
    headers: {
      ...standard(),
      'webhook-signature': standard()['webhook-signature'].replace('v1,', 'v2,'),
    },
  }),
  'X-Signature without its scheme': () => ({
    headers: { 'x-signature': ours()['x-signature'].replace('sha256=', '') },
    ...allowed,
  }),
  'X-Signature of another scheme': () => ({
    headers: { 'x-signature': ours()['x-signature'].replace('sha256', 'sha1') },
    ...allowed,
  }),
  'a signature by an empty secret': () => ({ headers: standard(now(), ['']), secrets: [''] }),
  'no secret': () => ({ headers: standard(), secrets: [] }),
  'a body that is not JSON': () => {
    const bytes = Buffer.from('nonsense')
    return { body: bytes, headers: standard(now(), [secret], bytes) }
  },
  'an object in the place of the raw body': () => ({ parsed: event, headers: standard() }),
}

export const signatures: Case[] = [
  {
    group: 'webhooks',
    name: 'a delivery of the server is taken, and is the event',
    async run(t) {
      const path = `/${t.unique('signed')}`
      const hook = await t.call('webhooks.create', {
        body: { url: t.receiver.url + path, events: ['payout.canceled'] },
      })
      await t.call('webhooks.test', { args: [hook.id], body: { type: 'payout.completed' } })
      const got = await until(
        async () => t.receiver.requests.find((request) => request.path === path),
        30_000,
      )
      const headers = Object.fromEntries(
        Object.entries(got.headers).map(([name, value]) => [name, String(value)]),
      )
      for (const secrets of [[hook.secret], [hook.standard_secret]]) {
        const verified = await t.verify({ body: got.body, headers, secrets })
        assert.deepEqual(verified, JSON.parse(got.body.toString()))
        assert.equal(verified.type, 'payout.completed')
        const altered = { ...headers, 'webhook-id': '6925f3a1c0ffee00c0ffee99' }
        await t.refused(t.verify({ body: got.body, headers: altered, secrets }), {
          type: 'SignatureVerificationError',
        })
      }
    },
  },
  ...Object.entries(accepted).map(
    ([name, made]): Case => ({
      group: 'webhooks',
      name: `taken: ${name}`,
      async run(t) {
        assert.deepEqual(await verify(t, made()), event)
      },
    }),
  ),
  ...Object.entries(refusedOnes).map(
    ([name, made]): Case => ({
      group: 'webhooks',
      name: `refused: ${name}`,
      async run(t) {
        const failure = await t.refused(verify(t, made()), { type: 'SignatureVerificationError' })
        assert.match(failure.message, /\w+ \w+ \w+.*\.$/, 'a sentence that says what to do')
        assert.ok(!failure.message.includes(secret), 'it names no secret')
      },
    }),
  ),
]

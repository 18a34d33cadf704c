/**
 * Each class of refusals once: what the server refuses is an error of one class, with what it says
 * of itself.
 */
import assert from 'node:assert/strict'
import { bankAccount, noId } from '../../test/support/actors.ts'
import { keyWith } from '../../test/support/approvers.ts'
import type { Bench } from './bench.ts'
import type { Case } from './case.ts'
import type { Failure } from './driver.ts'

const isRequestId = /^[0-9a-f]{24}$/

const payout = (reference: string, amount = 10_000) => ({
  reference,
  amount,
  currency: 'ngn',
  method: 'bank_transfer',
  destination: bankAccount(),
})

/** An answer that a proxy, or another server, gives. */
const refusalOf = (status: number, code: string, headers = {}) => ({
  status,
  headers,
  body: JSON.stringify({ message: 'It is refused.', data: null, errors: { code } }),
})
const once = { options: { max_retries: 0 } }

const refused: Record<string, (t: Bench) => Promise<Failure | undefined>> = {
  async '400: a rule'(t) {
    const body = payout(t.unique('p'), 9_000_000_000_000)
    const failure = await t.refused(t.call('payouts.create', { body }), {
      type: 'InvalidRequestError',
      status: 400,
      code: 'insufficient_funds',
      errors: [],
    })
    assert.match(failure.message, /wallet/)
    return failure
  },
  async '422: the schema, with its issues'(t) {
    const body = { reference: t.unique('p'), amount: -1, currency: 'ngn', colour: 'red' }
    const failure = await t.refused(t.call('payouts.create', { body }), {
      type: 'InvalidRequestError',
      status: 422,
      code: 'validation_failed',
    })
    const paths = failure.errors?.map(({ path, location }) => `${location} ${path}`)
    assert.ok(
      paths?.includes('body amount') && paths.includes('body colour'),
      JSON.stringify(failure),
    )
    return failure
  },
  '401: a key that does not work': (t) =>
    t.refused(t.call('wallets.list', { client: { api_key: `sk_test_${'0'.repeat(43)}` } }), {
      type: 'AuthenticationError',
      status: 401,
      code: 'invalid_key',
    }),
  async '403: a key that may not'(t) {
    const { key } = await keyWith(t.server, ['read'])
    const asked = t.call('customers.create', {
      body: { name: 'A', email: 'a@example.com' },
      client: { api_key: key },
    })
    return t.refused(asked, { type: 'PermissionError', status: 403, code: 'scope_missing' })
  },
  '404: no such record': (t) =>
    t.refused(t.call('payments.get', { args: [noId] }), {
      type: 'NotFoundError',
      status: 404,
      code: 'not_found',
    }),
  async '404: a text from outside stays one part of the path'(t) {
    t.proxy.next()
    const failure = await t.refused(t.call('payments.get', { args: ['../wallets?x=1#y'] }), {
      type: 'NotFoundError',
    })
    assert.equal(t.proxy.log[0]?.path, '/payments/..%2Fwallets%3Fx%3D1%23y')
    return failure
  },
  async '409: done before'(t) {
    const body = payout(t.unique('p'))
    await t.call('payouts.create', { body })
    t.proxy.next()
    const failure = await t.refused(
      t.call('payouts.create', { body: { ...body, amount: 20_000 } }),
      {
        type: 'ConflictError',
        status: 409,
        code: 'duplicate_reference',
      },
    )
    assert.equal(t.proxy.log.length, 1)
    return failure
  },
  async '409: a key of another request'(t) {
    const options = { idempotency_key: t.unique('key') }
    await t.call('payouts.create', { body: payout(t.unique('p')), options })
    return t.refused(t.call('payouts.create', { body: payout(t.unique('p')), options }), {
      type: 'ConflictError',
      status: 409,
      code: 'idempotency_key_reused',
    })
  },
}

/** What only a proxy can say here. */
const canned: [
  name: string,
  fault: Parameters<Bench['proxy']['next']>[0],
  expected: Partial<Failure>,
][] = [
  [
    '405: another method',
    refusalOf(405, 'method_not_allowed'),
    { type: 'ApiError', status: 405, code: 'method_not_allowed' },
  ],
  ['410: gone', refusalOf(410, 'not_found'), { type: 'NotFoundError', status: 410 }],
  [
    '413: too large',
    { status: 413, body: '<h1>413</h1>' },
    { type: 'InvalidRequestError', status: 413 },
  ],
  [
    '415: not JSON',
    refusalOf(415, 'unsupported_content_type'),
    { type: 'InvalidRequestError', status: 415 },
  ],
  [
    '429: too much, and when to come back',
    refusalOf(429, 'rate_limited', {
      'retry-after': '7',
      'x-request-id': '6925f3a1c0ffee00c0ffee01',
    }),
    {
      type: 'RateLimitError',
      status: 429,
      code: 'rate_limited',
      retry_after: 7,
      request_id: '6925f3a1c0ffee00c0ffee01',
    },
  ],
  [
    '500: a bug',
    refusalOf(500, 'internal_error'),
    { type: 'ServerError', status: 500, code: 'internal_error' },
  ],
  [
    '503: no database',
    refusalOf(503, 'database_unavailable'),
    { type: 'ServerError', status: 503 },
  ],
  [
    '502: the page of a proxy',
    {
      status: 502,
      headers: { 'content-type': 'text/html' },
      body: '<html><h1>502 Bad Gateway</h1></html>',
    },
    { type: 'ServerError', status: 502 },
  ],
  ['504: nothing at all', { status: 504 }, { type: 'ServerError', status: 504 }],
  [
    'a code of a later version',
    refusalOf(400, 'code_of_a_later_version'),
    { type: 'InvalidRequestError', code: 'code_of_a_later_version' },
  ],
]

const cannedCases = canned.map(
  ([name, fault, expected]): Case => ({
    group: 'refusals',
    name,
    async run(t) {
      t.proxy.next(fault as never)
      const failure = await t.refused(t.call('wallets.list', once), expected)
      assert.ok(failure.message.length > 0 && !failure.message.includes('<'), failure.message)
      assert.equal(t.proxy.log.length, 1)
    },
  }),
)

const refusedCases = Object.entries(refused).map(
  ([name, run]): Case => ({
    group: 'refusals',
    name,
    async run(t) {
      const failure = await run(t)
      assert.match(failure?.request_id ?? '', isRequestId)
      assert.ok(failure?.message)
    },
  }),
)

export const refusals: Case[] = [
  ...refusedCases,
  ...cannedCases,
  {
    group: 'refusals',
    name: 'nobody is there: APIConnectionError',
    async run(t) {
      const client = { base_url: 'http://127.0.0.1:9', max_retries: 0 }
      const failure = await t.refused(t.call('wallets.list', { client }), {
        type: 'APIConnectionError',
      })
      assert.ok(failure.message)
    },
  },
  {
    group: 'refusals',
    name: 'no answer in time: APITimeoutError',
    async run(t) {
      t.proxy.next('hang')
      await t.refused(t.call('wallets.list', { options: { max_retries: 0, timeout_ms: 300 } }), {
        type: 'APITimeoutError',
      })
      assert.equal(t.proxy.log.length, 1)
    },
  },
  {
    group: 'refusals',
    name: 'what answers and is no Bursar: APIConnectionError',
    async run(t) {
      t.proxy.next({
        status: 200,
        headers: { 'content-type': 'text/html' },
        body: '<h1>Sign in to the hotel</h1>',
      })
      await t.refused(t.call('wallets.list', once), { type: 'APIConnectionError' })
    },
  },
  {
    group: 'refusals',
    name: 'a redirect is not followed',
    async run(t) {
      t.proxy.next({ status: 307, headers: { location: '/customers' } })
      await t.refused(t.call('wallets.list', once), { type: 'ApiError', status: 307 })
      assert.equal(t.proxy.log.length, 1)
    },
  },
  {
    group: 'refusals',
    name: 'the key is sent as a bearer, and the SDK says what it is',
    async run(t) {
      t.proxy.next()
      await t.call('wallets.list')
      const { authorization, accept, 'user-agent': agent } = t.proxy.log[0]?.headers ?? {}
      assert.equal(authorization, `Bearer ${t.key}`)
      assert.match(accept ?? '', /json/)
      assert.ok(agent?.startsWith(t.driver.agent), agent)
    },
  },
]

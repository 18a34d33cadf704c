/**
 * Goal: every route answers in one envelope, keeps its idempotency keys, pages and limits, and
 * shows a stranger nothing. Method: requests well and badly formed over HTTP and raw sockets, many
 * at once where a key or a limit is shared.
 */
import assert from 'node:assert/strict'
import http from 'node:http'
import { connect, type Socket } from 'node:net'
import { after, before, describe, it, mock } from 'node:test'
import {
  bankPayout,
  type Call,
  makeCall,
  settled,
  snapshot,
  startServer,
  type TestServer,
  until,
} from '../../../test/support/harness.ts'
import { serve } from '../../app/main.ts'
import { events, refusals } from '../../app/modules.ts'
import { createKey, revoke, rollKey } from '../../books/businesses/businesses.ts'
import { outside } from '../../core/outside.ts'
import { keyringOf } from '../../lib/secrets.ts'

describe('the HTTP layer', () => {
  let server: TestServer
  before(async () => {
    server = await startServer()
    await server.fund('ngn', 10_000_000)
  })
  after(() => server.stop())

  const assertEnvelope = (body: Record<string, unknown>): void => {
    assert.deepEqual(Object.keys(body).sort(), ['data', 'errors', 'message'])
    assert.equal(typeof body.message, 'string')
    assert.ok(Object.keys(refusals).includes((body.errors as { code: string }).code))
  }

  it('says what to do, one thing for each field', async () => {
    const customer = { name: 'Ada Okafor', email: 'ada@example.com' }
    const payout = bankPayout('says-1', 1_000)
    const cases: [method: string, path: string, body: unknown, issues: string[]][] = [
      ['POST', '/customers', { ...customer, name: ' ' }, ['name must not be blank']],
      [
        'POST',
        '/customers',
        { ...customer, phone: '0801' },
        ['phone must be in E.164, such as +2348012345678'],
      ],
      [
        'POST',
        '/customers',
        { ...customer, email: 'ada' },
        ['email must be an email address such as ada@example.com'],
      ],
      [
        'POST',
        '/customers',
        { ...customer, reference: 'a b' },
        ['reference may only have letters, digits and . _ : - =, and cannot be . or ..'],
      ],
      [
        'POST',
        '/payouts',
        { ...payout, quote: '1' },
        ['quote must be an id: 24 lower-case hex digits'],
      ],
      [
        'POST',
        '/payouts',
        { ...payout, destination: { bank_code: '058', account_number: 'x' } },
        ['destination.account_number must be 4 to 17 digits'],
      ],
      [
        'POST',
        '/invoices',
        {
          customer: '0'.repeat(24),
          lines: [{ product: '0'.repeat(24), quantity: 1 }],
          due_date: '24/12/2026',
        },
        ['due_date must be a time such as 2026-11-21T09:30:00Z, or a day such as 2026-11-21'],
      ],
      [
        'GET',
        '/transactions?from=yesterday',
        undefined,
        ['from must be a time such as 2026-11-21T09:30:00Z, or a day such as 2026-11-21'],
      ],
      [
        'POST',
        '/payments',
        { amount: 1, currency: 'ngn', expires_at: 'soon' },
        ['expires_at must be a time such as 2026-11-21T09:30:00Z'],
      ],
      [
        'POST',
        '/customers',
        '{"name":"Ada","email":"ada@example.com","metadata":{"__proto__":{"a":1}}}',
        ['the field names __proto__ and constructor.prototype are not allowed'],
      ],
    ]
    for (const [method, path, body, issues] of cases) {
      const answer = await server.call(method, path, body)
      assert.equal(answer.status, 422, JSON.stringify(answer.body))
      assert.deepEqual(
        answer.data.map(({ message }: { message: string }) => message),
        issues,
      )
      assert.equal(answer.body.message, issues[0])
    }
    const form = await server.call('POST', '/customers', 'a=1', {
      'content-type': 'application/x-www-form-urlencoded',
    })
    assert.match(form.body.message, /add the header `Content-Type: application\/json`/)
    const hook = await server.call('POST', '/webhooks', { url: 'https://localhost/x' })
    assert.match(hook.body.message, /GET \/events\/stream .*WEBHOOK_ALLOW_PRIVATE_TARGETS=true/)
  })

  it('takes a day for a time where lists are cut', async () => {
    const count = async (query: string) =>
      (await server.call('GET', `/transactions?${query}`)).data.totalDocs
    const { docs } = (await server.call('GET', '/transactions')).data
    const day = docs[0].created_at.slice(0, 10)
    assert.equal(await count(`from=${day}`), docs.length)
    assert.equal(await count(`to=${day}`), docs.length)
    const before = new Date(Date.parse(day) - 1).toISOString()
    assert.equal(await count(`to=${before.slice(0, 10)}`), 0)
    assert.equal(await count(`to=${before}`), 0)
  })

  it('needs a key, and says how to send it', async () => {
    for (const [headers, code] of [
      [{}, 'missing_key'],
      [{ authorization: 'Basic abc' }, 'invalid_key'],
      [{ authorization: 'Bearer' }, 'invalid_key'],
      [{ authorization: `Bearer sk_test_${'x'.repeat(32)}` }, 'invalid_key'],
    ] as const) {
      const answer = await server.callAs(null)('GET', '/wallets', undefined, headers)
      assert.deepEqual([answer.status, answer.code], [401, code])
      assertEnvelope(answer.body)
      assert.match(answer.headers.get('x-request-id') ?? '', /^[0-9a-f]{24}$/)
    }
  })

  it('answers unknown routes, methods and bodies with the envelope', async () => {
    const json = { 'content-type': 'application/json' }
    const cases: [string, string, unknown, Record<string, string>, number, string][] = [
      ['GET', '/nothing', undefined, {}, 404, 'route_not_found'],
      ['DELETE', '/wallets', undefined, {}, 405, 'method_not_allowed'],
      ['GET', '/%ff', undefined, {}, 404, 'route_not_found'],
      ['POST', '/payouts', '{"a":', json, 400, 'malformed_json'],
      ['POST', '/payouts', '{"__proto__":{"a":1}}', json, 422, 'validation_failed'],
      [
        'POST',
        '/payouts',
        'a=1',
        { 'content-type': 'application/x-www-form-urlencoded' },
        400,
        'unsupported_content_type',
      ],
      ['POST', '/payouts', `"${'x'.repeat(2 * 1024 * 1024)}"`, json, 400, 'body_too_large'],
      ['POST', '/payouts', '', json, 422, 'validation_failed'],
      ['POST', '/payouts', '[]', json, 422, 'validation_failed'],
      ['POST', '/payouts', 'null', json, 422, 'validation_failed'],
      ['GET', '/payouts?page=0', undefined, {}, 422, 'validation_failed'],
      ['GET', '/payouts?page=1e400', undefined, {}, 422, 'validation_failed'],
      ['GET', '/payouts?page=Infinity', undefined, {}, 422, 'validation_failed'],
      ['GET', '/transactions?from=0000-01-01T00:00:00Z', undefined, {}, 422, 'validation_failed'],
      [
        'GET',
        '/transactions/export?to=0000-01-01T00:00:00Z',
        undefined,
        {},
        422,
        'validation_failed',
      ],
      ['GET', '/payouts?limit=101', undefined, {}, 422, 'validation_failed'],
      ['GET', '/payouts?limit=abc', undefined, {}, 422, 'validation_failed'],
      ['GET', '/payouts?colour=red', undefined, {}, 422, 'validation_failed'],
      ['GET', '/transactions?from=yesterday', undefined, {}, 422, 'validation_failed'],
      ['GET', `/payouts?after=${'0'.repeat(24)}`, undefined, {}, 400, 'invalid_cursor'],
      ['GET', '/payouts/%00', undefined, {}, 404, 'not_found'],
      ['GET', '/payouts/never', undefined, {}, 404, 'not_found'],
      ['GET', '/transactions/not-an-id/verify', undefined, {}, 404, 'not_found'],
      ['GET', `/transactions/${'0'.repeat(24)}/verify`, undefined, {}, 404, 'not_found'],
      ['GET', '/misc/fr/banks', undefined, {}, 404, 'not_found'],
      [
        'GET',
        '/misc/ng/resolve?bank_code=000&account_number=0123456789',
        undefined,
        {},
        400,
        'unknown_bank',
      ],
      [
        'GET',
        '/misc/ng/resolve?bank_code=058&account_number=0000000003',
        undefined,
        {},
        400,
        'account_not_found',
      ],
      [
        'GET',
        '/misc/ng/resolve?bank_code=058&account_number=0000000010',
        undefined,
        {},
        400,
        'bank_lookup_unavailable',
      ],
      ['GET', '/misc/ng/resolve?bank_code=058', undefined, {}, 422, 'validation_failed'],
      [
        'GET',
        '/misc/us/resolve?bank_code=021000021&account_number=0123456789',
        undefined,
        {},
        400,
        'unsupported_country',
      ],
      ['POST', '/payouts/x/cancel', { a: 1 }, {}, 422, 'validation_failed'],
    ]
    for (const [method, path, body, headers, status, code] of cases) {
      const before = await snapshot(server.app)
      const answer = await server.call(method, path, body, headers)
      assert.deepEqual(
        [method, path, answer.status, answer.code],
        [method, path, status, code],
        JSON.stringify(answer.body),
      )
      assertEnvelope(answer.body)
      assert.deepEqual(await snapshot(server.app), before)
    }
  })

  it('names the unknown field', async () => {
    const { body } = await server.call('POST', '/wallets/simulate-fund', {
      currency: 'ngn',
      amount: 1,
      memo: 'x',
    })
    assert.deepEqual(body.data, [
      { path: 'memo', message: 'memo is not a known field', location: 'body' },
    ])
    assert.equal(body.message, body.data[0].message)
  })

  it('shows nothing of a bug', async () => {
    const { db } = server.app
    const rows = db.rows
    db.rows = () => Promise.reject(new Error('secret detail'))
    const { status, body, headers } = await server.call('GET', '/wallets')
    db.rows = rows
    assert.equal(status, 500)
    assert.ok(!JSON.stringify(body).includes('secret'))
    assert.ok(body.message.includes(headers.get('x-request-id')))
  })

  it('gives a stored answer again, success and refusal alike', async () => {
    const key = { 'idempotency-key': 'again-1' }
    const first = await server.call('POST', '/payouts', bankPayout('again-1', 50_000), key)
    const second = await server.call('POST', '/payouts', bankPayout('again-1', 50_000), key)
    assert.deepEqual([second.status, second.body], [201, first.body])
    assert.deepEqual(
      [first.headers.get('idempotent-replayed'), second.headers.get('idempotent-replayed')],
      [null, 'true'],
    )
    const other = await server.call('POST', '/payouts', bankPayout('again-1', 50_001), key)
    assert.deepEqual([other.status, other.code], [409, 'idempotency_key_reused'])
    const elsewhere = await server.call(
      'POST',
      '/wallets/simulate-fund',
      bankPayout('again-1', 50_000),
      key,
    )
    assert.equal(elsewhere.status, 422)

    const poor = { 'idempotency-key': 'poor-1' }
    const refused = await server.call('POST', '/payouts', bankPayout('poor-1', 900_000_000), poor)
    assert.deepEqual([refused.status, refused.code], [400, 'insufficient_funds'])
    const replay = await server.call('POST', '/payouts', bankPayout('poor-1', 900_000_000), poor)
    assert.deepEqual(
      [replay.status, replay.body, replay.headers.get('idempotent-replayed')],
      [400, refused.body, 'true'],
    )
    // A 422 was never begun, so the key is still free for the mended request.
    const mend = { 'idempotency-key': 'mend-1' }
    assert.equal((await server.call('POST', '/payouts', { reference: 'mend-1' }, mend)).status, 422)
    assert.equal(
      (await server.call('POST', '/payouts', bankPayout('mend-1', 50_000), mend)).status,
      201,
    )
    // A key that was used says so before anything else is wrong; what only a look at the request
    // finds leaves a new one free.
    const shapeless = { ...bankPayout('mend-3', 50_000), destination: { bank_code: '058' } }
    assert.equal(
      (await server.call('POST', '/payouts', shapeless, mend)).code,
      'idempotency_key_reused',
    )
    const found = { 'idempotency-key': 'mend-3' }
    assert.equal((await server.call('POST', '/payouts', shapeless, found)).status, 422)
    assert.equal(
      (await server.call('POST', '/payouts', bankPayout('mend-3', 50_000), found)).status,
      201,
    )
    const inside = { 'idempotency-key': 'mend-2' }
    assert.equal(
      (await server.call('POST', '/customers', { email: 'ada@example.com' }, inside)).status,
      422,
    )
    assert.equal(
      (
        await server.call(
          'POST',
          '/customers',
          { name: 'Ada Obi', email: 'ada@example.com' },
          inside,
        )
      ).status,
      201,
    )
    for (const bad of ['', 'x'.repeat(256)])
      assert.equal(
        (
          await server.call('POST', '/payouts', bankPayout('bad-key', 1), {
            'idempotency-key': bad,
          })
        ).status,
        422,
      )
  })

  it('runs no request again whose answer it can no longer read', async () => {
    const under = async (
      [current, ...old]: [string, ...string[]],
      act: (call: Call) => Promise<void>,
    ) => {
      const config = { ...server.app.config, PORT: 0 }
      const key = (byte: string) => Buffer.from(byte.repeat(32), 'hex')
      const secrets = keyringOf(key(current), old.map(key))
      const running = await serve(
        { app: { ...server.app, config, secrets }, url: server.databaseUrl, evm: null },
        'api',
      )
      await act(makeCall(running.url, server.testKey)).finally(() => running.stop())
    }
    const fund = { currency: 'ngn', amount: 5_000 }
    const requests = [
      ['/wallets/simulate-fund', fund],
      ['/payouts', bankPayout('sealed', 10_000)],
    ] as const
    await under(['01'], async (call) => {
      for (const [path, body] of requests)
        assert.ok(
          (await call('POST', path, body, { 'idempotency-key': `sealed${path}` })).status < 300,
        )
    })
    await settled(server.app)
    const before = await snapshot(server.app)
    await under(['02'], async (call) => {
      for (const [path, body] of requests) {
        const again = await call('POST', path, body, { 'idempotency-key': `sealed${path}` })
        assert.deepEqual([again.status, again.code], [409, 'idempotency_key_reused'])
        assert.match(again.body.message, /another SECRETS_KEY/)
      }
    })
    await under(['02', '01'], async (call) => {
      for (const [path, body] of requests) {
        const again = await call('POST', path, body, { 'idempotency-key': `sealed${path}` })
        assert.equal(again.headers.get('idempotent-replayed'), 'true')
      }
    })
    assert.deepEqual(await snapshot(server.app), before)
  })

  it('forgets a key after 24 hours of test time', async () => {
    const key = { 'idempotency-key': 'day-1' }
    const body = { currency: 'ngn', amount: 10 }
    await server.call('POST', '/wallets/simulate-fund', body, key)
    await server.call('POST', '/test/clock', { advance: '23h' })
    const replay = await server.call('POST', '/wallets/simulate-fund', body, key)
    assert.equal(replay.headers.get('idempotent-replayed'), 'true')
    await server.call('POST', '/test/clock', { advance: '1h' })
    const fresh = await server.call('POST', '/wallets/simulate-fund', body, key)
    assert.equal(fresh.headers.get('idempotent-replayed'), null)
  })

  it('tells what it is and whether it can work, without a key', async () => {
    const open = server.callAs(null)
    const health = await open('GET', '/health')
    assert.deepEqual(
      [health.status, health.data],
      [200, { status: 'ok', database: true, migrations: true, workers: true, warnings: [] }],
    )
    assert.equal((await open('GET', '/')).data.name, 'bursar')
    const docs = await open('GET', '/docs')
    assert.equal(docs.status, 200)
    const policy = docs.headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'none'/)
    assert.doesNotMatch(policy, /upgrade-insecure-requests/)
  })

  it('documents every route it has, with schemas that stand', async () => {
    const { body: document } = await server.callAs(null)('GET', '/openapi.json')
    assert.equal(document.openapi, '3.1.0')
    assert.equal(document.info.version, '1.0.0')
    for (const path of [
      '/payouts',
      '/payouts/{reference}',
      '/wallets',
      '/transactions/{id}/verify',
      '/webhooks/events/resend',
      '/crypto/tokens',
      '/misc/{country}/banks',
      '/health',
    ])
      assert.ok(document.paths[path], path)
    assert.deepEqual(Object.keys(document.webhooks).sort(), Object.keys(events).sort())
    const refs = [
      ...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g),
    ]
    assert.ok(refs.length > 20)
    for (const [, name] of refs) assert.ok(document.components.schemas[name as string], name)
  })

  it('lets a key be used from its addresses only, and revokes and rolls it', async () => {
    const scope = { businessId: server.businessId, livemode: false, now: server.app.clock.now() }
    const make = (allowIps: string[]) =>
      outside(server.app, scope).write((work) => createKey(work, { name: 'office', allowIps }))
    const elsewhere = await make(['203.0.113.0/24', '2001:db8::/32'])
    const refused = await makeCall(server.url, elsewhere.key)('GET', '/wallets')
    assert.deepEqual([refused.status, refused.code], [403, 'address_not_allowed'])
    const here = await make(['127.0.0.0/8', '::1'])
    const call = makeCall(server.url, here.key)
    assert.equal((await call('GET', '/wallets')).status, 200)
    await assert.rejects(make(['300.1.1.1']), RangeError)

    const rolled = await rollKey(server.app, server.businessId, here.record.id, 3_600_000)
    assert.equal((await call('GET', '/wallets')).status, 200)
    assert.equal((await makeCall(server.url, rolled?.key as string)('GET', '/wallets')).status, 200)
    await revoke(server.app, server.businessId, here.record.id)
    assert.equal((await call('GET', '/wallets')).status, 401)
    // A key that has ended, in one way or the other, is not replaced.
    const roll = (id: string, overlapMs: number) =>
      rollKey(server.app, server.businessId, id, overlapMs)
    assert.equal(await roll(here.record.id, 0), null)
    assert.ok(await roll(elsewhere.record.id, 0))
    assert.equal(await roll(elsewhere.record.id, 3_600_000), null)
    const stored = JSON.stringify(
      await server.app.db.query("select encode(key_hash, 'escape') as h, hint from api_keys"),
    )
    assert.ok(!stored.includes(here.key.slice(8)))
  })

  it('notices a revoke by another process within a second', async () => {
    const scope = { businessId: server.businessId, livemode: false, now: server.app.clock.now() }
    const { key, record } = await outside(server.app, scope).write((work) =>
      createKey(work, { name: 'short', allowIps: [] }),
    )
    const call = makeCall(server.url, key)
    assert.equal((await call('GET', '/wallets')).status, 200)
    await server.app.db.query('update api_keys set revoked_at = $2 where id = $1', [
      record.id,
      server.app.clock.now(),
    ])
    await until(async () => (await call('GET', '/wallets')).status === 401, 1_000)
  })

  it('answers what is no request with the envelope too, and closes the connection', async () => {
    for (const [sent, sentence] of [
      ['\u0000\u0001 nonsense\r\n\r\n', 'This is no HTTP request.'],
      [
        `GET /wallets HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`,
        'The headers are larger than 16 KiB.',
      ],
    ] as const) {
      const [head = '', body = ''] = (await raw(server.url, (socket) => socket.write(sent))).split(
        '\r\n\r\n',
      )
      assert.match(head, /^HTTP\/1\.1 400 Bad Request\r\n/)
      assert.match(head, /\r\nx-request-id: [0-9a-f]{24}\r\nconnection: close$/)
      assert.deepEqual(JSON.parse(body), {
        message: sentence,
        data: null,
        errors: { code: 'bad_request' },
      })
    }
    assert.equal((await server.call('GET', '/wallets')).status, 200)
  })

  it('gives a client 30 seconds for its request, the head of it included', async () => {
    const made = mock.method(http, 'createServer')
    const own = await startServer({}, undefined, undefined, 'none')
    made.mock.restore()
    const { arguments: given, result } = made.mock.calls[0] ?? assert.fail()
    const { requestTimeout, headersTimeout } = result as http.Server
    assert.deepEqual([requestTimeout, headersTimeout], [30_000, 30_000])
    assert.equal((given[0] as http.ServerOptions).connectionsCheckingInterval, 1_000)
    await own.stop()
  })

  it('refuses a request that names its host twice', async () => {
    for (const path of ['/wallets', '/health', '/nothing']) {
      const sent = `GET ${path} HTTP/1.1\r\nhost: x\r\nHost: y\r\nconnection: close\r\n\r\n`
      assert.match(
        await raw(server.url, (socket) => socket.write(sent)),
        /^HTTP\/1\.1 400 [\s\S]*two Host headers/,
      )
    }
  })

  it('answers what is on its way when it stops', async () => {
    const own = await startServer()
    const headers = `host: x\r\nauthorization: Bearer ${own.testKey}\r\n`
    const body = '{"currency":"ngn","amount":12345}'
    const length = `content-type: application/json\r\ncontent-length: ${body.length}\r\n`
    const answers = await raw(own.url, async (socket) => {
      socket.write(`POST /wallets/simulate-fund HTTP/1.1\r\n${headers}${length}\r\n`)
      await own.call('GET', '/wallets')
      void own.stop()
      await until(() =>
        own.call('GET', '/health').then(
          () => false,
          () => true,
        ),
      )
      // Nobody new is let in; the body comes, and a request behind it.
      socket.write(`${body}GET /wallets HTTP/1.1\r\n${headers}\r\n`)
    })
    assert.deepEqual(answers.match(/HTTP\/1\.1 .*|"message":"[^"]*"/g), [
      'HTTP/1.1 200 OK',
      '"message":"Wallet funded"',
      'HTTP/1.1 200 OK',
      '"message":"Wallets"',
    ])
  })
})

/** What a connection answers to raw bytes, until the server closes it. */
function raw(url: string, talk: (socket: Socket) => unknown): Promise<string> {
  return new Promise((resolve) => {
    let answers = ''
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => talk(socket))
    socket.on('data', (chunk) => {
      answers += chunk
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(answers))
  })
}

describe('the rate limit', () => {
  it('counts requests without a good key too', async () => {
    const server = await startServer({ RATE_LIMIT_MAX: '2', RATE_LIMIT_WINDOW: '1h' })
    try {
      const stranger = server.callAs('sk_test_nobody')
      const answers = [
        await stranger('GET', '/wallets'),
        await stranger('GET', '/wallets'),
        await stranger('GET', '/wallets'),
      ]
      assert.deepEqual(
        answers.map((answer) => answer.status),
        [401, 401, 429],
      )
      assert.equal(answers[0]?.headers.get('ratelimit-remaining'), '1')
    } finally {
      await server.stop()
    }
  })

  it('counts by address, tells what is left, and cannot be fooled by a header', async () => {
    const server = await startServer({ RATE_LIMIT_MAX: '5', RATE_LIMIT_WINDOW: '1h' })
    try {
      for (let left = 4; left >= 0; left--) {
        const path = left % 2 ? '/nothing' : '/wallets'
        const { status, headers } = await server.call('GET', path, undefined, {
          'x-forwarded-for': `10.0.0.${left}`,
        })
        assert.notEqual(status, 429)
        assert.deepEqual(
          [headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')],
          ['5', String(left)],
          path,
        )
        assert.ok(Number(headers.get('ratelimit-reset')) > 0)
      }
      const over = await server.call('GET', '/wallets', undefined, {
        'x-forwarded-for': '10.9.9.9',
      })
      assert.deepEqual([over.status, over.code], [429, 'rate_limited'])
      assert.ok(Number(over.headers.get('retry-after')) > 0)
      assert.equal((await server.callAs(null)('GET', '/health')).status, 200)
    } finally {
      await server.stop()
    }
  })

  it('is 100, and does not cut off a test key on this machine, unless it is set', async () => {
    const server = await startServer({ RATE_LIMIT_MAX: '' })
    const statusesOf = async (key: string, headers: Record<string, string> = {}) => {
      const ask = () => server.callAs(key)('GET', '/business', undefined, headers)
      const { status } = await ask()
      const others = await Promise.all(Array.from({ length: 105 }, ask))
      return [...new Set([status, ...others.map((answer) => answer.status)])]
    }
    try {
      assert.deepEqual(await statusesOf(server.testKey), [200])
      const { headers } = await server.call('GET', '/business')
      assert.equal(headers.get('ratelimit-limit'), null)
      // All others are counted together: they are one address.
      const forwarded = { 'x-forwarded-for': '198.51.100.1' }
      assert.deepEqual(await statusesOf(server.testKey, forwarded), [200, 429])
      for (const key of [server.liveKey, 'sk_test_nobody'])
        assert.deepEqual(await statusesOf(key), [429])
      for (const [name, value] of [
        ['host', 'pay.example'],
        ['via', '1.1 proxy'],
        ['x-real-ip', '::1'],
      ] as const)
        assert.deepEqual(await statusesOf(server.testKey, { [name]: value }), [429], name)
      assert.deepEqual(await statusesOf(server.testKey), [200])
    } finally {
      await server.stop()
    }
  })

  it('believes a trusted proxy, and only the address that the proxy added', async () => {
    const server = await startServer({
      RATE_LIMIT_MAX: '2',
      RATE_LIMIT_WINDOW: '1h',
      TRUST_PROXY: '1',
    })
    try {
      const from = (chain: string) =>
        server.call('GET', '/wallets', undefined, { 'x-forwarded-for': chain })
      assert.equal((await from('198.51.100.1')).status, 200)
      assert.equal((await from('6.6.6.6, 198.51.100.1')).status, 200)
      assert.equal((await from('7.7.7.7, 198.51.100.1')).status, 429)
      assert.equal((await from('198.51.100.2')).status, 200)
    } finally {
      await server.stop()
    }
  })
})

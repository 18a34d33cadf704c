/**
 * Goal: what the TypeScript SDK does beside the conformance list, which asks it from outside.
 * Method: a `fetch` that answers what it is told, and keeps what it was asked.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import {
  APIConnectionError,
  APITimeoutError,
  ApiError,
  Bursar,
  BursarError,
  type BursarOptions,
  type MoneyOption,
  RateLimitError,
  ServerError,
  SignatureVerificationError,
  version,
  webhooks,
} from './src/index.ts'
import { type Connection, type Operation, request } from './src/transport.ts'

type Asked = { url: string; method: string; headers: Headers; body: string | null }
/** What comes of a request: an answer, or a loss. */
type Reply = Response | Error | 'hang'

const answer = (data: unknown, status = 200, headers = {}): Response =>
  new Response(typeof data === 'string' ? data : JSON.stringify({ message: 'ok', data }), {
    status,
    headers,
  })
const failing = (status: number, headers = {}): Response =>
  new Response(JSON.stringify({ message: 'No.', data: null, errors: { code: 'overloaded' } }), {
    status,
    headers,
  })
const lost = (): Error => new TypeError('fetch failed', { cause: new Error('socket hang up') })

/** A `fetch` that gives the replies in turn, and the last one for ever. */
function line(...replies: (() => Reply)[]) {
  const asked: Asked[] = []
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const { method = 'GET', headers, body = null } = init
    asked.push({ url, method, headers: new Headers(headers), body: body as string | null })
    const reply = (replies[Math.min(asked.length, replies.length) - 1] as () => Reply)()
    if (reply === 'hang')
      return new Promise((_, reject) =>
        init.signal?.addEventListener('abort', () => reject(init.signal?.reason)),
      )
    if (reply instanceof Error) throw reply
    return reply
  }
  return { asked, fetch: fetch as typeof globalThis.fetch }
}

const url = 'https://pay.example'
function clientOf<Money extends MoneyOption = 'number'>(
  replies: (() => Reply)[],
  options: BursarOptions<Money> = {},
): { bursar: Bursar<Money>; asked: Asked[] } {
  const { asked, fetch } = line(...replies)
  return {
    bursar: new Bursar<Money>({ apiKey: 'sk_test_x', baseUrl: url, fetch, ...options }),
    asked,
  }
}

const id = '6925f3a1c0ffee00c0ffee01'

describe('the TypeScript SDK', () => {
  it('has the version of its package', () => {
    const manifest = JSON.parse(readFileSync('sdk/typescript/package.json', 'utf8'))
    assert.equal(manifest.version, version)
    assert.equal(manifest.dependencies, undefined)
  })

  it('never sends a POST or a PATCH twice that carries no Idempotency-Key', async () => {
    const losses: (() => Reply)[] = [
      lost,
      () => 'hang',
      () => answer('<h1>502</h1>', 502),
      () => answer('half an ans'),
    ]
    for (const status of [408, 409, 425, 429, 500, 502, 503, 504])
      losses.push(
        () => failing(status),
        () => failing(status, { 'retry-after': '0' }),
      )
    for (const method of ['POST', 'PATCH'] as const)
      for (const loss of losses) {
        const { asked, fetch } = line(loss)
        const connection: Connection = {
          apiKey: 'x',
          baseUrl: url,
          maxRetries: 5,
          timeout: 20,
          money: 'number',
          fetch,
        }
        const operation: Operation = { method, path: '/things' }
        // Nor by a key of the caller's: the server would not look at it.
        const options = { maxRetries: 5, idempotencyKey: 'mine' }
        await assert.rejects(
          request(connection, operation, [], undefined, { a: 1 }, options),
          BursarError,
        )
        assert.deepEqual([asked.length, asked[0]?.headers.get('idempotency-key')], [1, null])
      }
  })

  it('takes no answer that names another request, and one that names none', async () => {
    const other = (): Response => answer({ id }, 200, { 'x-client-request-id': 'of-another' })
    const { bursar, asked } = clientOf([other, () => answer({ id })])
    assert.equal((await bursar.payments.create({ amount: 1, currency: 'ngn' })).id, id)
    const names = asked.map(({ headers }) => headers.get('x-client-request-id'))
    assert.equal(new Set(names).size, 2)
    assert.equal(new Set(asked.map(({ headers }) => headers.get('idempotency-key'))).size, 1)
    const once = clientOf([other])
    await assert.rejects(
      once.bursar.products.archive(id),
      (error) =>
        error instanceof APIConnectionError &&
        /another request.+may have been done/.test(error.message),
    )
    assert.equal(once.asked.length, 1)
  })

  it('sends the same key in all tries of a POST that takes one', async () => {
    const { bursar, asked } = clientOf([
      lost,
      () => failing(503, { 'retry-after': '0' }),
      () => answer({ id }),
    ])
    await bursar.payments.cancel(id)
    const keys = asked.map(({ headers }) => headers.get('idempotency-key'))
    assert.match(keys[0] ?? '', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    assert.deepEqual(keys, [keys[0], keys[0], keys[0]])
  })

  it('is given up by its signal, in a request and in a wait, and not tried again', async () => {
    for (const replies of [
      [() => 'hang' as const],
      [() => failing(429, { 'retry-after': '30' })],
    ]) {
      const { bursar, asked } = clientOf(replies)
      const stop = new AbortController()
      const asking = bursar.wallets.list({}, { signal: stop.signal })
      setTimeout(() => stop.abort(new Error('enough')), 10)
      await assert.rejects(asking, /enough/)
      assert.equal(asked.length, 1)
    }
    const { bursar, asked } = clientOf([() => answer([])])
    await assert.rejects(
      bursar.wallets.list({}, { signal: AbortSignal.abort(new Error('before')) }),
      /before/,
    )
    assert.equal(asked.length, 0)
  })

  it('reads a Retry-After that is a time', async () => {
    const at = new Date(Date.now() + 3_600_000).toUTCString()
    const { bursar, asked } = clientOf([() => failing(429, { 'retry-after': at })])
    const error = await bursar.wallets.list().catch((thrown) => thrown)
    assert.ok(error instanceof RateLimitError && (error.retryAfter ?? 0) > 3_500, String(error))
    assert.equal(asked.length, 1)
  })

  it('says of each error what it is', async () => {
    const refused = {
      message: 'Short.',
      data: null,
      errors: { code: 'insufficient_funds', available: 1, needed: 2 },
    }
    const { bursar } = clientOf([
      () => answer(JSON.stringify(refused), 400, { 'x-request-id': id }),
    ])
    const error = await bursar.payouts.get('p').catch((thrown) => thrown)
    assert.ok(error instanceof ApiError && error instanceof BursarError && error instanceof Error)
    assert.deepEqual(
      [error.name, error.message, error.code, error.requestId, error.details, error.errors],
      ['InvalidRequestError', 'Short.', 'insufficient_funds', id, { available: 1, needed: 2 }, []],
    )
    assert.ok(new APITimeoutError('late') instanceof APIConnectionError)
    // What is JSON and not ours, from a proxy.
    for (const text of ['null', '"no"', '[]', '{"errors":null}', '{"errors":"x","message":5}']) {
      const { bursar: other } = clientOf([() => answer(text, 503)], { maxRetries: 0 })
      const thrown = await other.server.get().catch((caught) => caught)
      assert.ok(thrown instanceof ServerError && thrown.code === null, `${text}: ${thrown}`)
    }
  })

  it('needs a key and a URL, and forgives a slash', async () => {
    assert.throws(() => new Bursar({ baseUrl: url, apiKey: '' }), /apiKey/)
    assert.throws(() => new Bursar({ baseUrl: url, apiKey: 'sk_test_x\nx' }), /blanks/)
    assert.throws(() => new Bursar({ baseUrl: 'pay.example', apiKey: 'x' }), /baseUrl/)
    const { bursar, asked } = clientOf([() => answer([])], { baseUrl: `${url}/bursar//` })
    await bursar.wallets.list()
    assert.equal(asked[0]?.url, `${url}/bursar/wallets`)
  })

  it('lets no parameter leave its place in a path', async () => {
    const { bursar, asked } = clientOf([() => answer({ id })])
    for (const bad of ['', '.', '..', undefined, 5])
      await assert.rejects(async () => bursar.payments.get(bad as string), BursarError)
    assert.equal(asked.length, 0)
    await bursar.payouts.get('a/../b?c#d')
    assert.equal(asked[0]?.url, `${url}/payouts/a%2F..%2Fb%3Fc%23d`)
  })

  it('asks for a page once, however often it is awaited', async () => {
    const page = { docs: [{ id }], hasNextPage: false, nextPage: null }
    const { bursar, asked } = clientOf([() => answer(page)])
    const list = bursar.customers.list()
    assert.equal(asked.length, 0)
    const [a, b] = await Promise.all([list, list])
    assert.equal(a, b)
    const walked = []
    for await (const customer of list) walked.push(customer.id)
    assert.deepEqual([walked, asked.length], [[id], 1])
    const failed = clientOf([() => failing(400)]).bursar.customers.list()
    assert.equal(
      await failed.catch((error: unknown) => error instanceof ApiError && error.status),
      400,
    )
  })
})

describe('money in TypeScript', () => {
  const product = `{"message":"ok","data":{"id":"${id}","amount":9007199254740993,"name":"9007199254740993","metadata":{"__proto__":{"x":1},"amount":7,"n":12345678901234567890}}}`

  it('is not rounded when it comes', async () => {
    await assert.rejects(
      clientOf([() => answer(product)]).bursar.products.get(id),
      /9007199254740993.*money: 'bigint'/,
    )
    const { bursar } = clientOf([() => answer(product)], { money: 'bigint' })
    const { amount, name, metadata } = await bursar.products.get(id)
    assert.equal(amount, 9_007_199_254_740_993n)
    assert.equal(name, '9007199254740993')
    // What is not ours stays what JSON makes of it.
    assert.equal(metadata.amount, 7)
    assert.equal(typeof metadata.n, 'number')
    assert.deepEqual(Object.keys(metadata), ['__proto__', 'amount', 'n'])
    assert.equal((metadata as { x?: number }).x, undefined)
  })

  it('is a bigint everywhere or nowhere, and counts never are', async () => {
    const page = {
      ...{
        docs: [
          {
            id,
            amount: 5,
            fee: 1,
            fee_breakdown: [{ type: 'platform', amount: 1 }],
            net_amount: null,
          },
        ],
      },
      ...{ totalDocs: 1, page: 1, hasNextPage: false },
    }
    const { bursar, asked } = clientOf([() => answer(page)], { money: 'bigint' })
    const { docs, totalDocs } = await bursar.payouts.list({ amount: 5n, limit: 2 })
    const [payout] = docs
    assert.deepEqual(
      [payout?.amount, payout?.fee_breakdown[0]?.amount, payout?.net_amount, totalDocs],
      [5n, 1n, null, 1],
    )
    assert.equal(asked[0]?.url, `${url}/payouts?amount=5&limit=2`)
    const event = { id, type: 'payout.completed', payload: { amount: 5, metadata: { amount: 5 } } }
    const events = clientOf([() => answer({ docs: [event], totalDocs: 1 })], { money: 'bigint' })
      .bursar.events
    const [read] = (await events.list()).docs
    assert.ok(read?.type === 'payout.completed')
    assert.deepEqual(read.payload, { amount: 5n, metadata: { amount: 5 } })
  })

  it('is not rounded when it goes', async () => {
    const { bursar, asked } = clientOf([() => answer({ id })])
    const body = {
      name: 'A moon',
      currency: 'ngn',
      metadata: { a: [undefined, 1e300, new Date(0)], b: undefined },
    } as const
    await assert.rejects(bursar.products.create({ ...body, amount: 2 ** 53 }), /bigint/)
    await assert.rejects(async () => bursar.payouts.list({ amount: 2 ** 53 }), /bigint/)
    for (const none of [Number.NaN, Number.POSITIVE_INFINITY])
      await assert.rejects(bursar.products.create({ ...body, amount: none }), /no number of JSON/)
    const rounded = { order_id: Number('820982911946154508') }
    await assert.rejects(
      bursar.products.create({ ...body, amount: 1, metadata: rounded }),
      /Give it as a string/,
    )
    assert.equal(asked.length, 0)
    await bursar.products.create({ ...body, amount: 9_223_372_036_854_775_807n })
    assert.equal(
      asked[0]?.body,
      '{"name":"A moon","currency":"ngn","metadata":{"a":[null,1e+300,"1970-01-01T00:00:00.000Z"]},"amount":9223372036854775807}',
    )
  })
})

describe('the stream in TypeScript', () => {
  /** A body that comes in pieces, and then ends or hangs. */
  const streamed = (text: string, size: number, hangs = false): Response => {
    const bytes = new TextEncoder().encode(text)
    let at = 0
    const body = new ReadableStream({
      pull(controller) {
        if (at < bytes.length) controller.enqueue(bytes.slice(at, at + size))
        else if (!hangs) controller.close()
        at += size
      },
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }
  const block = (place: string, name: string): string =>
    `id: ${place}\ndata: {"id":"${name}","type":"x","payload":{"n":"Ọ"}}\n\n`

  it('reads events that come in pieces, and goes on where it was', async () => {
    const { bursar, asked } = clientOf([
      () =>
        streamed(
          `retry: 1000\nid: 5\n\n${block('6-a', 'one')}: still here\nid: 7\n\nid: 8-b\nda`,
          1,
        ),
      () => failing(503, { 'retry-after': '0' }),
      () => streamed(block('8-b', 'two'), 3, true),
    ])
    const stream = bursar.events.stream({ after: '0' })
    const names: string[] = []
    for await (const event of stream) {
      names.push(event.id)
      if (names.length === 2) break
    }
    assert.deepEqual(names, ['one', 'two'])
    assert.equal(stream.lastEventId, '8-b')
    assert.deepEqual(
      asked.map(({ headers }) => headers.get('last-event-id')),
      [null, '7', '7'],
    )
  })

  it('passes over no event that it cannot read', async () => {
    const huge =
      'id: 2\ndata: {"id":"two","type":"payout.completed","payload":{"amount":9007199254740993}}\n\n'
    const { bursar, asked } = clientOf([
      () => streamed(block('1', 'one') + huge + block('3', 'three'), 9),
    ])
    const stream = bursar.events.stream()
    const names: string[] = []
    await assert.rejects(async () => {
      for await (const event of stream) names.push(event.id)
    }, /money: 'bigint'/)
    assert.deepEqual([names, stream.lastEventId, asked.length], [['one'], '1', 1])
  })

  it('ends by its signal, and by a refusal', async () => {
    const stop = new AbortController()
    const { bursar } = clientOf([() => streamed(block('1', 'one'), 9, true)])
    const read = async (): Promise<void> => {
      for await (const _ of bursar.events.stream({}, { signal: stop.signal }))
        stop.abort(new Error('enough'))
    }
    await assert.rejects(read, /enough/)
    const refused = clientOf([() => failing(403)]).bursar
    await assert.rejects(async () => {
      for await (const _ of refused.events.stream()) assert.fail('an event')
    }, ApiError)
  })
})

describe('webhooks in TypeScript', () => {
  const secret = 'weh_4f6b1c9d2a7e8035b1c2d3e4f5a69788'
  const body = `{"id":"${id}","type":"payout.completed","timestamp":"2026-11-21T09:30:00Z","payload":{"amount":9007199254740993}}`

  async function signed(): Promise<Record<string, string>> {
    const at = String(Math.floor(Date.now() / 1_000))
    const encoder = new TextEncoder()
    const algorithm = { name: 'HMAC', hash: 'SHA-256' }
    const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, [
      'sign',
    ])
    const mac = Buffer.from(
      await crypto.subtle.sign('HMAC', key, encoder.encode(`${id}.${at}.${body}`)),
    )
    return {
      'webhook-id': id,
      'webhook-timestamp': at,
      'webhook-signature': `v1,${mac.toString('base64')}`,
    }
  }

  it('are taken as text, bytes or a buffer, with headers of Node.js or of the web, and with amounts as asked for', async () => {
    const headers = await signed()
    const bytes = Buffer.from(body)
    const bodies = [body, bytes, new Uint8Array(bytes), new Uint8Array(bytes).buffer]
    for (const raw of bodies)
      for (const given of [
        headers,
        new Headers(headers),
        { ...headers, 'set-cookie': ['a', 'b'], x: undefined },
      ]) {
        const event = await webhooks.verify(raw, given, secret, { money: 'bigint' })
        assert.ok(event.type === 'payout.completed')
        assert.equal(event.payload.amount, 9_007_199_254_740_993n)
      }
    await assert.rejects(Bursar.webhooks.verify(body, headers, secret), /money: 'bigint'/)
  })

  it('are refused as old where the tolerance is no number', async () => {
    const options = { tolerance: Number('5 minutes'), money: 'bigint' } as const
    await assert.rejects(
      webhooks.verify(body, await signed(), secret, options),
      SignatureVerificationError,
    )
  })

  it('are refused with a sentence when they are not given raw, or nothing is given', async () => {
    const headers = await signed()
    const wrong: unknown[][] = [
      [JSON.parse(body), headers, secret],
      [undefined, headers, secret],
      [body, undefined, secret],
      [body, headers, undefined],
      [body, headers, [undefined]],
      [body, headers, 'whsec_!'],
    ]
    for (const args of wrong)
      await assert.rejects(
        webhooks.verify(...(args as Parameters<typeof webhooks.verify>)),
        (error: Error) =>
          error instanceof SignatureVerificationError && /\w.*\.$/.test(error.message),
      )
  })
})

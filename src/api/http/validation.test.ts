/**
 * Goal: what is wrong with a request is said in our own words, and found without looking at more
 * than an answer says. Method: the schemas of all routes are walked for their keywords; requests
 * that are far too large are sent, and their reading is counted.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Answer, shareServer, type TestServer } from '../../../test/support/harness.ts'
import { ofPeople, routes } from '../../app/modules.ts'
import { formats, sentences } from './sentences.ts'
import { compileValidator, findExcess, uncheckedFormats } from './validation.ts'

type Schema = Record<string, unknown>

/** Keywords that refuse nothing by themselves. */
const silent = [
  'x-any-case',
  'x-document',
  'description',
  'examples',
  'default',
  'title',
  'contentEncoding',
  'nullable',
  'x-message',
  'deprecated',
  'then',
  'else',
]
/** Keywords that hold schemas, by name or in a list, or one. */
const nested = [
  'properties',
  'patternProperties',
  'items',
  'anyOf',
  'oneOf',
  'allOf',
  'then',
  'else',
  'additionalProperties',
]

/** Visits every schema of a schema. */
function walk(
  schema: unknown,
  where: string,
  visit: (schema: Schema, where: string) => void,
): void {
  if (typeof schema !== 'object' || schema === null) return
  visit(schema as Schema, where)
  for (const keyword of nested) {
    const child = (schema as Schema)[keyword]
    const many = Array.isArray(child) || keyword === 'properties' || keyword === 'patternProperties'
    if (many)
      for (const [name, one] of Object.entries(child ?? {})) walk(one, `${where}.${name}`, visit)
    else walk(child, where, visit)
  }
}

function walkRequests(visit: (schema: Schema, where: string) => void): void {
  for (const { method, path, schema } of routes)
    for (const part of ['params', 'query', 'body'] as const)
      walk(schema[part], `${method} ${path} ${part}`, visit)
}

describe('what is wrong with a request', () => {
  let server: TestServer
  before(async () => {
    server = await shareServer()
  })
  after(() => server.stop())

  it('has a sentence of ours for every keyword of our schemas', () => {
    const seen = new Set<string>()
    walkRequests((schema, where) => {
      for (const keyword of Object.keys(schema)) {
        if (silent.includes(keyword) || (nested.includes(keyword) && !(keyword in sentences)))
          continue
        seen.add(keyword)
        assert.ok(keyword in sentences, `${where}: no sentence says what '${keyword}' wants`)
      }
      if ('pattern' in schema)
        assert.equal(typeof schema['x-message'], 'string', `${where}: a pattern without words`)
      if ('format' in schema && !uncheckedFormats.includes(schema.format as string))
        assert.ok((schema.format as string) in formats, `${where}: ${schema.format} without words`)
    })
    for (const keyword of [
      'type',
      'enum',
      'minLength',
      'maxLength',
      'minimum',
      'maximum',
      'maxItems',
      'anyOf',
    ])
      assert.ok(seen.has(keyword), keyword)
  })

  it('has schemas that can be compiled, which the first request of a route would find out', () => {
    for (const { id, schema } of [...routes, ...ofPeople])
      for (const [part, read] of Object.entries({
        params: schema.params,
        query: schema.query,
        body: schema.body,
      }))
        if (read) assert.doesNotThrow(() => compileValidator(read, part)({}), `${id}: ${part}`)
  })

  it('is said in those words', async () => {
    const payout = {
      reference: 'x',
      amount: 1,
      currency: 'ngn',
      method: 'bank_transfer',
      destination: {},
    }
    const customer = { name: 'Ada Okafor', email: 'ada@example.com' }
    const invoice = { customer: '0'.repeat(24), due_date: '2026-12-24' }
    const line = { product: '0'.repeat(24), quantity: 1 }
    const keys = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n]))
    const cases: [method: string, path: string, body: unknown, message: string][] = [
      ['POST', '/payouts', { ...payout, amount: 1.5 }, 'amount must be a whole number'],
      ['POST', '/payouts', { ...payout, amount: '1' }, 'amount must be a whole number'],
      ['POST', '/payouts', { ...payout, amount: 0 }, 'amount must be at least 1'],
      ['POST', '/payouts', { ...payout, amount: 1e17 }, 'amount must be at most 9007199254740991'],
      ['POST', '/payouts', { ...payout, reference: 5 }, 'reference must be text'],
      ['POST', '/payouts', { ...payout, currency: 'eur' }, 'currency must be one of ngn, usd'],
      ['POST', '/payouts', [], 'body must be an object'],
      ['POST', '/customers', { ...customer, name: '' }, 'name must have at least 1 character'],
      [
        'POST',
        '/customers',
        { ...customer, name: 'x'.repeat(1_000) },
        'name must have at most 200 characters',
      ],
      ['POST', '/customers', { ...customer, metadata: 'x' }, 'metadata must be an object'],
      [
        'POST',
        '/customers',
        { ...customer, metadata: keys(51) },
        'metadata must have at most 50 fields',
      ],
      [
        'POST',
        '/customers',
        { ...customer, metadata: { a: 'x'.repeat(17_000) } },
        'metadata must be at most 16384 bytes of JSON',
      ],
      ['POST', '/invoices', { ...invoice, lines: [] }, 'lines must have at least 1 item'],
      [
        'POST',
        '/invoices',
        { ...invoice, lines: Array(101).fill(line) },
        'lines must have at most 100 items',
      ],
      ['POST', '/invoices', { ...invoice, lines: 'x' }, 'lines must be a list'],
      [
        'POST',
        '/payments',
        { amount: 1, currency: 'ngn', methods: ['card', 'card'] },
        'methods must not have the same item twice: 0 and 1 are alike',
      ],
      ['GET', '/payouts?limit=101', undefined, 'limit must be at most 100'],
      ['GET', '/payouts?limit=0', undefined, 'limit must be at least 1'],
      ['GET', '/payouts?limit=abc', undefined, 'limit must be a whole number'],
      ['GET', '/payouts?page=1&page=2', undefined, 'page must be a whole number'],
    ]
    for (const [method, path, body, message] of cases) {
      const answer = await server.call(method, path, body)
      assert.equal(answer.status, 422, `${path} ${JSON.stringify(answer.body)}`)
      assert.ok(
        answer.data.some((issue: { message: string }) => issue.message === message),
        `${message}: ${JSON.stringify(answer.data)}`,
      )
      assert.doesNotMatch(
        JSON.stringify(answer.body),
        /must NOT|must be [<>]|must match|must be (integer|string|object)/,
      )
    }
    const json = { 'content-type': 'application/json' }
    const large = await server.call('POST', '/payouts', `"${'x'.repeat(2 * 1024 * 1024)}"`, json)
    assert.deepEqual(
      [large.code, large.body.message],
      ['body_too_large', 'The body is larger than 2 MiB.'],
    )
  })

  const many = <T>(count: number, make: (n: number) => T): T[] =>
    Array.from({ length: count }, (_, n) => make(n))
  const unknown = (count: number) => Object.fromEntries(many(count, (n) => [`colour${n}`, 1]))

  it('is found out of far too much without asking the validator', async () => {
    const assertOnly = ({ status, data }: Answer, count: number, message: RegExp) => {
      assert.deepEqual([status, data.length], [422, count])
      // What is missing as well, the validator would say.
      for (const issue of data) assert.match(issue.message, message)
    }
    const ask = (path: string, body: unknown) => server.call('POST', path, body)
    assertOnly(await ask('/customers', unknown(120_000)), 20, /^colour\d+ is not a known field$/)
    assertOnly(
      await ask('/customers', { colour: many(200_000, () => 1) }),
      1,
      /^colour is not a known field$/,
    )
    assertOnly(
      await ask('/customers', { metadata: { a: many(200_000, () => 1) } }),
      1,
      /^metadata must be at most 16384 /,
    )
    assertOnly(await ask('/customers', { name: many(200_000, () => 1) }), 1, /^name must be text$/)
    assertOnly(
      await ask(
        '/customers',
        many(200_000, () => 1),
      ),
      1,
      /^body must be an object$/,
    )
    assertOnly(
      await ask('/invoices', { lines: many(50_000, () => ({})) }),
      1,
      /^lines must have at most 100 items$/,
    )
    assertOnly(
      await ask('/invoices', { lines: [unknown(50_000)] }),
      20,
      /^lines\.0\.colour\d+ is not a known field$/,
    )
    assertOnly(
      await ask('/payouts', { destination: unknown(50_000) }),
      20,
      /^destination\.colour\d+ is not a known/,
    )
    // A little too much is told with all else.
    const { data } = await ask('/customers', { colour: { a: [1] } })
    assert.deepEqual(
      data.map(({ message }: { message: string }) => message),
      ['email is required', 'colour is not a known field'],
    )
  })

  it('reads no more of it than it says', () => {
    let reads = 0
    const counted = <T extends object>(value: T): T =>
      new Proxy(value, {
        get(target, name, receiver) {
          reads++
          return Reflect.get(target, name, receiver)
        },
      })
    const closed = {
      type: 'object',
      properties: { lines: { type: 'array', maxItems: 3 } },
      additionalProperties: false,
    }
    assert.equal(findExcess(closed, counted(unknown(120_000)), 'body').length, 20)
    assert.equal(findExcess(closed, { lines: counted(many(120_000, () => 1)) }, 'body').length, 1)
    assert.ok(reads < 100, `${reads} reads`)
  })

  it('takes no control character but in metadata, and names the field', async () => {
    const refused = async (
      path: string,
      body: object,
      field: string,
      words: RegExp,
    ): Promise<void> => {
      const { status, body: said } = await server.call('POST', path, body)
      const [issue] = (said as { data: { path: string; message: string }[] }).data
      assert.deepEqual([status, issue?.path], [422, field])
      assert.match(issue?.message ?? '', words)
    }
    const customer = { email: 'ada@example.com', first_name: 'Ada', last_name: 'Obi' }
    await refused(
      '/customers',
      { ...customer, first_name: 'Ada\u001b[2J' },
      'first_name',
      /must not contain control characters/,
    )
    await refused(
      '/customers',
      { ...customer, address: { city: 'Ikeja\u2028' } },
      'address.city',
      /control characters/,
    )
    for (const name of ['Ada\nObi', 'Ada\tObi', 'Ada\u202eObi', 'Ada\u202dObi'])
      await refused(
        '/customers',
        { ...customer, first_name: name },
        'first_name',
        /must be one line/,
      )
    const isolated = { ...customer, first_name: '\u2067עדה\u2069', last_name: '\u202aObi\u202c' }
    const address = {
      line1: 'Flat 3\r\n12 Allen Avenue',
      city: '\u2068Ikeja\u2069',
      state: 'Lagos\t',
    }
    const taken = await server.call('POST', '/customers', { ...isolated, address })
    assert.equal(taken.status, 201)
    assert.deepEqual(
      [taken.data.first_name, taken.data.last_name],
      [isolated.first_name, isolated.last_name],
    )
    assert.deepEqual(taken.data.address, address)
    const product = { name: 'Shoes', amount: 1_000, currency: 'ngn' }
    await refused(
      '/products',
      { ...product, description: 'Red\u0007' },
      'description',
      /control characters/,
    )
    const listed = await server.call('GET', '/products')
    const metadata = { note: 'a\u001b[31m\u2028\u202e', deep: { 'key\u0007': ['\u009b'] } }
    const lines = { name: 'Shoes\n\tred', description: 'Red\r\n\tnew' }
    const made = await server.call('POST', '/products', { ...product, ...lines, metadata })
    assert.equal(made.status, 201)
    assert.deepEqual(
      [made.data.name, made.data.description, made.data.metadata],
      [...Object.values(lines), metadata],
    )
    assert.equal((await server.call('GET', '/products')).data.totalDocs, listed.data.totalDocs + 1)
    const query = await server.call('GET', `/products?search=${encodeURIComponent('a\u009b')}`)
    assert.equal(query.status, 422)
  })

  it('has an end wherever a request may hold many', () => {
    walkRequests((schema, where) => {
      if (schema.type === 'array')
        assert.equal(typeof schema.maxItems, 'number', `${where}: a list without an end`)
      if (schema.type === 'object' && schema.additionalProperties !== false)
        assert.equal(typeof schema['x-max-bytes'], 'number', `${where}: an object without an end`)
    })
  })
})

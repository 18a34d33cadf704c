/**
 * Goal: the document names for each operation what it is refused with, and nothing else is
 * answered. Method: the document is held against the routes' declarations and against real answers;
 * the harness holds each answer of every test against it, and `test/support/provoked.ts` each
 * declaration against the answers of all tests.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import {
  type Answer,
  bankPayout,
  codesOf as codesInDocument,
  type Json,
  makeCall,
  responseOf,
  shareServer,
  startServer,
  type TestServer,
} from '../../../test/support/harness.ts'
import { unprovoked } from '../../../test/support/provoked.ts'
import { ofOperator, ofPeople, refusals, routes } from '../../app/modules.ts'
import { walletRefusals } from '../../books/wallets/wallets.ts'
import { named, routesOf } from '../../core/route.ts'
import { Body, Type } from '../../lib/schema.ts'
import { makeOperations } from './operations.ts'
import { declaredRefusals, operationsRefusing, shapeRefusals } from './refusals.ts'
import { makeServer } from './server.ts'

describe('the refusals of an operation', () => {
  let server: TestServer
  let document: Json
  let ofOperators: Json
  before(async () => {
    server = await shareServer()
    document = (await server.callAs(null)('GET', '/openapi.json')).body
    ofOperators = (await server.callAs(null)('GET', '/operator/openapi.json')).body
  })
  after(() => server.stop())

  const codesOf = (path: string, method: string, status: number): string[] =>
    codesInDocument(document, document.paths[path][method], status)

  it('are its own in the document, by status', () => {
    assert.deepEqual(codesOf('/wallets', 'get', 400), ['bad_request'])
    assert.deepEqual(codesOf('/wallets', 'get', 404), [])
    assert.deepEqual(codesOf('/wallets', 'get', 409), [])
    assert.deepEqual(codesOf('/payouts', 'get', 400), [
      'bad_request',
      'invalid_cursor',
      'search_too_broad',
    ])
    assert.deepEqual(codesOf('/transactions', 'get', 400), ['bad_request', 'invalid_cursor'])
    assert.deepEqual(codesOf('/payouts', 'post', 409), [
      'idempotency_key_reused',
      'beneficiary_changed',
      'duplicate_reference',
    ])
    assert.ok(codesOf('/payouts', 'post', 400).includes('quote_expired'))
    assert.ok(!codesOf('/refunds', 'post', 400).includes('quote_expired'))
    assert.deepEqual(codesOf('/test/clock', 'get', 403), [
      'address_not_allowed',
      'scope_missing',
      'test_mode_only',
    ])
    assert.deepEqual(codesOf('/payouts', 'post', 401), ['missing_key', 'invalid_key'])
    assert.deepEqual(codesOf('/', 'get', 401), [])
    assert.deepEqual(codesOf('/health', 'get', 429), [])
    assert.deepEqual(codesOf('/', 'get', 429), ['rate_limited'])
  })

  it('are all of the catalogue, each at its status, and their meanings stand there once', () => {
    const answered = new Set(ofPeople.flatMap((route) => Object.keys(declaredRefusals(route))))
    for (const [path, operations, of] of [document, ofOperators].flatMap((one) =>
      Object.entries<Json>(one.paths).map(([path, operations]) => [path, operations, one] as const),
    ))
      for (const method of Object.keys(operations))
        for (let status = 400; status < 600; status++)
          for (const code of codesInDocument(of, operations[method], status)) {
            assert.equal(refusals[code]?.[0], status, `${method} ${path}: ${code}`)
            answered.add(code)
          }
    for (const code of Object.keys(refusals))
      assert.ok(
        answered.has(code) || operationsRefusing(code, routes) === 'what is no operation',
        code,
      )
    const text = JSON.stringify(document)
    for (const [code, [status, meaning]] of Object.entries(refusals)) {
      const row = JSON.stringify(`| \`${code}\` | ${status} | ${meaning} |`).slice(1, -1)
      assert.equal(text.split(row).length, 2, code)
    }
    const { code: _, ...details } = document.components.schemas.ErrorDetails.properties
    for (const { description } of Object.values(details) as { description: string }[])
      assert.ok((/^Of `(\w+)`/.exec(description)?.[1] ?? '') in refusals, description)
  })

  it('are declared by hand only where they do not follow from its shape', () => {
    for (const route of routes)
      for (const code of Object.keys(declaredRefusals(route)))
        assert.ok(!(code in shapeRefusals(route)), `${route.id} need not declare ${code}`)
  })

  it('are answered as the document says, with the headers it names', async () => {
    const limited = await startServer({ RATE_LIMIT_MAX: '4' })
    try {
      const ajv = new Ajv2020({ strict: false, allErrors: true })
      addFormats.default(ajv)
      ajv.addSchema(document, 'api')
      const isAs = (
        schema: string,
        path: string,
        method: string,
        { status, body, headers }: Answer,
      ): void => {
        const response = responseOf(document, document.paths[path][method], status)
        assert.deepEqual(response.content['application/json'].schema, {
          $ref: `#/components/schemas/${schema}`,
        })
        const check = ajv.getSchema(`api#/components/schemas/${schema}`)
        assert.ok(check?.(body), JSON.stringify([body, check?.errors]))
        // What each answer has is said once, of all: those that operations share have it with each.
        const ofAll = ['X-Request-Id', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']
        for (const name of ofAll) assert.ok(document.info.description.includes(`\`${name}\``), name)
        // The `default` is also what may pass, and says when.
        const waits = [429, 503].includes(status) ? ['Retry-After'] : []
        for (const name of waits) assert.ok(name in response.headers, `${status}: ${name}`)
        const named = Object.keys(response.headers ?? {}).filter((name) => name !== 'Retry-After')
        for (const name of [...ofAll, ...named, ...waits])
          assert.ok(headers.has(name) && document.components.headers[name], `${status}: ${name}`)
      }
      const call = makeCall(limited.url, limited.testKey)
      isAs('ErrorAnswer', '/wallets', 'get', await makeCall(limited.url, null)('GET', '/wallets'))
      isAs(
        'ErrorAnswer',
        '/payouts',
        'post',
        await call('POST', '/payouts', bankPayout('poor', 100_000)),
      )
      const issues = await call('POST', '/payouts', { amount: 'much' })
      isAs('ValidationError', '/payouts', 'post', issues)
      assert.ok(!ajv.getSchema('api#/components/schemas/ErrorAnswer')?.(issues.body))
      isAs('ErrorAnswer', '/payouts/{reference}', 'get', await call('GET', '/payouts/none'))
      isAs('ErrorAnswer', '/wallets', 'get', await call('GET', '/wallets'))
    } finally {
      await limited.stop()
    }
  })

  it('cannot be those of another module, and one that is not declared is logged as the bug that it is', async () => {
    const logged: unknown[] = []
    const silent = () => undefined
    const log = {
      level: 'info',
      isLevelEnabled: () => false,
      child: () => log,
      trace: silent,
      debug: silent,
      info: silent,
      warn: silent,
      fatal: silent,
      error: (fields: unknown) => logged.push(fields),
    }
    const route = routesOf('Wallets', walletRefusals)
    const head = {
      scope: 'read',
      summary: 'Refuses',
      message: 'Refused',
      schema: { body: Body({}), data: Type.Null() },
    } as const
    const run = () => walletRefusals.refuse('insufficient_funds')
    const app = { ...server.app, log: log as never }
    const declared = named({
      createPayout: route.post('/declares', { ...head, refuses: ['insufficient_funds'], run }),
      createRefund: route.post('/hides', { ...head, run }),
      // @ts-expect-error a code of another module
      quotePayout: route.post('/strays', { ...head, refuses: ['quote_expired'], run }),
    })
    const http = await makeServer(app, {
      operations: makeOperations(app, Object.values(declared)),
      publicRoutes: [],
      pages: [],
      metrics: null as never,
      recorder: null,
      providerWebhooks: null,
      documents: {},
    })
    const ask = async (url: string, headers: Record<string, string> = {}) => {
      const answer = await http.inject({
        method: 'POST',
        url,
        headers: { authorization: `Bearer ${server.testKey}`, ...headers },
      })
      assert.equal(answer.json().errors.code, 'insufficient_funds', answer.body)
    }
    await ask('/declares')
    await ask('/declares', { 'idempotency-key': 'declares' })
    assert.deepEqual(logged, [])
    await ask('/hides')
    await ask('/hides', { 'idempotency-key': 'hides' })
    assert.deepEqual(
      logged,
      Array(2).fill({ operation: 'createRefund', code: 'insufficient_funds' }),
    )
    await http.close()
  })

  it('must each be provoked by a test', () => {
    const dir = mkdtempSync(join(tmpdir(), 'bursar-refusals-'))
    try {
      const missed = unprovoked(dir)
      assert.ok(missed.some((text) => text.startsWith('createPayout quote_expired:')))
      writeFileSync(join(dir, '1'), 'createPayout quote_expired\n')
      assert.equal(unprovoked(dir).length, missed.length - 1)
      const pairs = [...routes, ...ofOperator].flatMap((route) =>
        Object.keys(declaredRefusals(route)).map((code) => `${route.id} ${code}`),
      )
      writeFileSync(join(dir, '2'), `${pairs.join('\n')}\n`)
      assert.deepEqual(unprovoked(dir), [])
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
  })
})

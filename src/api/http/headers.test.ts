import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { shareServer, startServer, type TestServer } from '../../../test/support/harness.ts'
import { ConfigError, readConfig } from '../../lib/config.ts'

const hsts = 'strict-transport-security'

describe('the headers of an answer', () => {
  let server: TestServer
  before(async () => {
    server = await shareServer()
  })
  after(() => server.stop())

  const paths = [
    '/',
    '/health',
    '/openapi.json',
    '/wallets',
    '/payouts/none',
    '/nothing',
    '/payouts?page=0',
    '/docs',
    '/%ff',
  ]

  it('keep it from caches and from guesses', async () => {
    for (const path of [...paths, '/transactions/export']) {
      const { headers } = await server.call('GET', path)
      assert.deepEqual(
        [headers.get('cache-control'), headers.get('x-content-type-options'), headers.get(hsts)],
        ['no-store', 'nosniff', null],
        path,
      )
    }
    const { headers } = await server.call('POST', '/payouts', '{"a":', {
      'content-type': 'application/json',
    })
    assert.deepEqual(
      [headers.get('cache-control'), headers.get('x-content-type-options')],
      ['no-store', 'nosniff'],
    )
  })

  it('give a well-formed X-Client-Request-Id back, on every kind of answer, and keep our own id', async () => {
    const given = 'a1B2_c3.d4-e5'
    for (const path of paths) {
      const { headers } = await server.call('GET', path, undefined, {
        'x-client-request-id': given,
      })
      assert.equal(headers.get('x-client-request-id'), given, path)
      assert.match(headers.get('x-request-id') ?? '', /^[0-9a-f]{24}$/, path)
    }
    for (const bad of ['', 'a b', 'a\tb', 'é', 'a:b', '"a"', 'x'.repeat(65)]) {
      const { status, headers } = await server.call('GET', '/wallets', undefined, {
        'x-client-request-id': bad,
      })
      assert.deepEqual([status, headers.get('x-client-request-id')], [200, null], bad)
    }
    const { headers } = await server.call('GET', '/wallets', undefined, { 'x-request-id': given })
    assert.deepEqual(
      [headers.get('x-client-request-id'), headers.get('x-request-id') === given],
      [null, false],
    )
  })

  it('keep browsers to https where the public address is', async () => {
    const secure = await startServer({ BASE_URL: 'https://pay.example', RATE_LIMIT_MAX: '100' })
    for (const path of paths)
      assert.match(
        (await secure.call('GET', path)).headers.get(hsts) ?? '',
        /^max-age=31536000/,
        path,
      )
    await secure.stop()
  })

  it('of the reference page let nothing in from other hosts', async () => {
    const page = await fetch(`${server.url}/docs`)
    assert.equal(page.status, 200)
    const files = [...(await page.text()).matchAll(/(?:src|href)="([^"]+)"/g)].map(
      ([, path]) => path as string,
    )
    const loaded = files.filter((path) => path.startsWith('/docs/assets/'))
    assert.equal(loaded.length, 3)
    for (const path of loaded) {
      const { status, headers } = await fetch(new URL(path, `${server.url}/docs/`))
      assert.deepEqual([status, headers.get('x-content-type-options')], [200, 'nosniff'], path)
    }
    const policy = page.headers.get('content-security-policy') ?? ''
    const directives = policy.split(';').map((part) => part.trim().split(/\s+/))
    const allowed = ["'self'", "'none'"]
    for (const [name, ...sources] of directives)
      for (const source of sources) assert.ok(allowed.includes(source), `${name} ${source}`)
    const names = directives.map(([name]) => name)
    for (const name of ['default-src', 'base-uri', 'form-action', 'frame-ancestors'])
      assert.ok(names.includes(name), name)
    assert.deepEqual(
      ['x-frame-options', 'referrer-policy', 'cross-origin-opener-policy'].map((name) =>
        page.headers.get(name),
      ),
      ['DENY', 'no-referrer', 'same-origin'],
    )
  })
})

describe('the metrics', () => {
  it('are counted, apart from the API', async () => {
    const token = 'scrape-me-if-you-can'
    const server = await startServer({
      METRICS_TOKEN: token,
      RATE_LIMIT_MAX: '3',
      RATE_LIMIT_WINDOW: '1h',
    })
    const ask = async (given: string) =>
      (await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${given}` } }))
        .status
    assert.deepEqual(
      [
        await ask(token),
        await ask('wrong'),
        await ask(`${token}x`),
        await ask('wrong'),
        await ask(token),
      ],
      [200, 401, 401, 429, 429],
    )
    assert.equal((await server.call('GET', '/wallets')).status, 200)
    await server.stop()
  })

  it('have a token that cannot be guessed', () => {
    assert.throws(
      () => readConfig({ METRICS_TOKEN: 'x'.repeat(15) }),
      (error) =>
        error instanceof ConfigError &&
        /^METRICS_TOKEN: must have at least 16 characters; /.test(error.message),
    )
    assert.equal(readConfig({ METRICS_TOKEN: 'x'.repeat(16) }).METRICS_TOKEN, 'x'.repeat(16))
    assert.equal(readConfig({}).METRICS_TOKEN, null)
  })
})

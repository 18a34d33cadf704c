import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startServer, type TestServer } from '../../../test/support/harness.ts'
import { walletRefusals } from '../../books/wallets/wallets.ts'
import { named, routesOf } from '../../core/route.ts'
import { Type } from '../../lib/schema.ts'
import { openApiDocument } from './openapi.ts'
import { makeOperations } from './operations.ts'
import { makeServer } from './server.ts'

describe('an operation that is deprecated', () => {
  let server: TestServer
  before(async () => {
    server = await startServer()
  })
  after(() => server.stop())

  // By names of real operations, which have a scope.
  const { get } = routesOf('Wallets', walletRefusals)
  const head = {
    scope: 'read',
    summary: 'Reads',
    message: 'Read',
    schema: { data: Type.Null() },
    read: async () => null,
  } as const
  const routes = named({
    listWallets: get('/old', {
      ...head,
      description: 'As ever.',
      deprecated: { since: '2026-11-23', sunset: '2027-06-01', successor: 'GET /new' },
    }),
    listPayments: get('/older', {
      ...head,
      deprecated: { since: '2026-11-23', successor: 'GET /new/{id}' },
    }),
    listPayouts: get('/new', head),
  })

  it('says so on each of its answers, refusals too, until when and what to use instead', async () => {
    const http = await makeServer(server.app, {
      operations: makeOperations(server.app, Object.values(routes)),
      publicRoutes: [],
      pages: [],
      metrics: null as never,
      recorder: null,
      providerWebhooks: null,
      documents: {},
    })
    const ask = async (url: string, key: string | null = server.testKey) => {
      const { headers, statusCode } = await http.inject({
        url,
        headers: key === null ? {} : { authorization: `Bearer ${key}` },
      })
      return [statusCode, headers.deprecation, headers.sunset, headers.link]
    }
    const page = '</docs/versions#deprecation>; rel="deprecation"; type="text/html"'
    const said = [
      '@1795392000',
      'Tue, 01 Jun 2027 00:00:00 GMT',
      `${page}, </new>; rel="successor-version"`,
    ]
    assert.deepEqual(await ask('/old'), [200, ...said])
    assert.deepEqual(await ask('/old', null), [401, ...said])
    assert.deepEqual(await ask('/old?strange=1'), [422, ...said])
    assert.deepEqual(await ask('/older'), [200, '@1795392000', undefined, page])
    assert.deepEqual(await ask('/new'), [200, undefined, undefined, undefined])
    await http.close()
  })

  it('says so in the document', () => {
    const { paths } = openApiDocument([], [{ routes }], 'https://pay.example') as {
      paths: Record<string, { get: { deprecated?: true; description?: string } }>
    }
    assert.deepEqual(
      ['/old', '/older', '/new'].map((path) => [
        paths[path]?.get.deprecated,
        paths[path]?.get.description,
      ]),
      [
        [true, 'As ever. Deprecated since 2026-11-23, and gone after 2027-06-01. Use `GET /new`.'],
        [true, 'Deprecated since 2026-11-23. Use `GET /new/{id}`.'],
        [undefined, undefined],
      ],
    )
  })
})

import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { bankPayout, shareServer, type TestServer } from '../../../test/support/harness.ts'

describe('a path', () => {
  let server: TestServer
  before(async () => {
    server = await shareServer()
    await server.fund('ngn', 1_000_000)
  })
  after(() => server.stop())

  it('that takes other methods says which', async () => {
    for (const [method, path, allow] of [
      ['DELETE', '/wallets', 'GET, HEAD, OPTIONS'],
      ['PUT', '/wallets/', 'GET, HEAD, OPTIONS'],
      ['PATCH', '/payouts', 'GET, HEAD, POST, OPTIONS'],
      ['DELETE', '/payouts/x', 'GET, HEAD, OPTIONS'],
      ['GET', '/payouts/x/cancel', 'POST, OPTIONS'],
      ['PUT', '/payouts/quote', 'GET, HEAD, POST, OPTIONS'],
      ['POST', '/health', 'GET, HEAD, OPTIONS'],
      ['DELETE', '/events/stream', 'GET, HEAD, OPTIONS'],
      ['GET', '/pay/x/card', 'POST, OPTIONS'],
      ['POST', '/docs', 'GET, HEAD, OPTIONS'],
    ] as const) {
      for (const key of [null, server.testKey]) {
        const answer = await server.callAs(key)(method, path, method === 'POST' ? 'x' : undefined)
        assert.deepEqual([path, answer.status, answer.code], [path, 405, 'method_not_allowed'])
        assert.equal(answer.headers.get('allow'), allow, path)
        assert.match(answer.body.message, new RegExp(`cannot be asked with ${method}; it takes `))
      }
      const options = await server.callAs(null)('OPTIONS', path)
      assert.deepEqual(
        [options.status, options.headers.get('allow'), options.body],
        [204, allow, ''],
      )
    }
    // A record may have the name of another path.
    assert.equal((await server.call('GET', '/payouts/quote')).code, 'not_found')
    for (const method of ['GET', 'POST', 'OPTIONS', 'TRACE']) {
      const answer = await raw('/nothing', method)
      assert.deepEqual([answer.status, answer.code], [404, 'route_not_found'], method)
    }
    assert.deepEqual(await raw('/payouts', 'TRACE').then(({ status, code }) => [status, code]), [
      405,
      'method_not_allowed',
    ])
    const head = (path: string) =>
      fetch(server.url + path, {
        method: 'HEAD',
        headers: { authorization: `Bearer ${server.testKey}` },
      })
    assert.equal((await head('/wallets')).status, 200)
    assert.equal((await head('/payouts/x/cancel')).status, 405)
  })

  /** Asks with methods that `fetch` will not send. */
  function raw(
    path: string,
    method: string,
  ): Promise<{ status: number | undefined; code: string }> {
    return new Promise((resolve, reject) => {
      const asked = request(server.url + path, { method }, (response) => {
        let text = ''
        response.on('data', (chunk) => {
          text += chunk
        })
        response.on('end', () =>
          resolve({ status: response.statusCode, code: JSON.parse(text).errors.code }),
        )
      })
      asked.on('error', reject)
      asked.end()
    })
  }

  it('that is no UTF-8 names nothing', async () => {
    for (const path of [
      '/payments/%ff',
      '/payments/%',
      '/payouts/a%2',
      '/payouts/%C3%28',
      '/payments/%ff/cancel',
    ]) {
      const answer = await server.call(path.endsWith('cancel') ? 'POST' : 'GET', path)
      assert.deepEqual([path, answer.status, answer.code], [path, 404, 'not_found'])
      assert.equal((await server.callAs(null)('GET', '/payments/%ff')).code, 'missing_key')
    }
    const nowhere = await server.call('GET', '/%ff')
    assert.deepEqual([nowhere.status, nowhere.code], [404, 'route_not_found'])
    assert.match(nowhere.body.message, /^There is no GET \/%ff\./)
    const page = await fetch(`${server.url}/pay/%ff`)
    assert.equal(page.status, 404)
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
    // What can be read is read as before.
    assert.equal((await server.call('POST', '/payouts', bankPayout('a:b=c', 10_000))).status, 201)
    assert.equal((await server.call('GET', '/payouts/a%3Ab%3Dc')).data.reference, 'a:b=c')
  })

  it('takes bodies in UTF-8 alone', async () => {
    const body = Buffer.from(JSON.stringify({ currency: 'ngn', amount: 5 }))
    const send = (contentType: string) =>
      server.call('POST', '/wallets/simulate-fund', body.toString(), {
        'content-type': contentType,
      })
    for (const type of [
      'application/json;charset=utf-8',
      'application/json; charset="UTF-8"',
      'Application/JSON; Charset=Utf-8; x=y',
      'application/json; x=y',
    ])
      assert.equal((await send(type)).status, 200, type)
    for (const type of [
      'application/json; charset=utf-16',
      'application/json;charset="latin1"',
      'text/json',
    ]) {
      const { status, code } = await send(type)
      assert.deepEqual([status, code], [400, 'unsupported_content_type'], type)
    }
  })

  it('of a list has no last page', async () => {
    const most = Number.MAX_SAFE_INTEGER
    await server.call('POST', '/payouts', bankPayout('listed', 10_000))
    for (const path of ['/payouts', '/customers?search=ada', '/events'])
      for (const [page, shown] of [
        ['1000', 1000],
        [String(most), most],
        ['9007199254740992', most],
        [`1${'0'.repeat(30)}`, most],
        ['9'.repeat(400), most],
      ] as const) {
        const { status, data } = await server.call(
          'GET',
          `${path}${path.includes('?') ? '&' : '?'}page=${page}`,
        )
        assert.equal(status, 200, `${path} ${page}`)
        const { totalPages } = data
        assert.deepEqual(
          [data.docs, data.page, data.hasNextPage, data.nextPage, data.hasPrevPage, data.prevPage],
          [[], shown, false, null, true, totalPages],
        )
      }
    for (const page of [
      '0',
      '-1',
      '1.5',
      'abc',
      '',
      '00000000000000000000',
      '1e400',
      '-99999999999999999999',
    ])
      assert.equal((await server.call('GET', `/payouts?page=${page}`)).status, 422, page)
  })
})

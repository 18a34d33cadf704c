/**
 * Goal: a number of a client's own data comes back as it was given, or is refused, wherever it is
 * given. Method: raw bodies over HTTP.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { must, shareServer, type TestServer } from '../../../test/support/harness.ts'

describe('a number in a body', () => {
  let server: TestServer
  before(async () => {
    server = await shareServer()
  })
  after(() => server.stop())
  const post = (path: string, body: string) =>
    server.call('POST', path, body, { 'content-type': 'application/json' })

  it('that JSON readers change is refused in metadata with its place, and nothing is made', async () => {
    const bodies = [
      [
        '/payments',
        '{"amount":1000,"currency":"ngn","metadata":{"x":820982911946154508}}',
        'metadata.x',
      ],
      [
        '/payments',
        '{"amount":1000,"currency":"ngn","metadata":{"x":[{"y":1e400}]}}',
        'metadata.x.0.y',
      ],
      [
        '/customers',
        '{"name":"Ada","email":"a@example.com","metadata":{"x":0.10000000000000000001}}',
        'metadata.x',
      ],
      [
        '/webhooks',
        '{"url":"https://example.com/x","events":["payment.completed"],"metadata_filter":{"x":820982911946154508}}',
        'metadata_filter.x',
      ],
      [
        '/payouts/batch',
        '{"reference":"b","currency":"ngn","lines":[{"amount":1,"metadata":{"x":9007199254740993}}]}',
        'lines.0.metadata.x',
      ],
    ] as const
    for (const [path, body, at] of bodies) {
      const { status, code, body: said } = await post(path, body)
      assert.deepEqual([status, code, said.data[0].path], [422, 'validation_failed', at], body)
      assert.match(
        said.message,
        /is a number that not every JSON reader keeps exactly: send it as a string$/,
      )
    }
    for (const path of ['/payments', '/customers', '/webhooks', '/payout-batches'])
      assert.equal((await must(server.call('GET', path))).totalDocs, 0, path)
  })

  it('that they keep comes back as it was given, as does a long one that is text', async () => {
    const metadata = {
      most: 9_007_199_254_740_991,
      least: -0.5,
      tiny: 5e-324,
      id: '820982911946154508',
      far: '1e400',
    }
    const { id } = await must(
      server.call('POST', '/payments', { amount: 1_000, currency: 'ngn', metadata }),
    )
    assert.deepEqual((await must(server.call('GET', `/payments/${id}`))).metadata, metadata)
  })

  it('comes back as the same double with all the digits that a program gives of it', async () => {
    const { data } = await post(
      '/payments',
      '{"amount":1000,"currency":"ngn","metadata":{"sum":0.30000000000000004,"of_php":0.10000000000000001,"x":12345.678901234567}}',
    )
    const { metadata } = await must(server.call('GET', `/payments/${data.id}`))
    assert.deepEqual(metadata, { sum: 0.1 + 0.2, of_php: 0.1, x: 12345.678901234567 })
  })

  it('of a described field is refused too where digits would be lost unseen', async () => {
    const lost = await post('/payments', '{"amount":1000.0000000000000001,"currency":"ngn"}')
    assert.deepEqual([lost.status, lost.body.data[0].path], [422, 'amount'])
    const large = await post('/payments', '{"amount":9007199254740993,"currency":"ngn"}')
    assert.equal(large.status, 422)
    assert.match(large.body.message, /^amount must/)
  })
})

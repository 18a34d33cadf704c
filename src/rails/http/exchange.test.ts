/**
 * Goal: a provider that is slow to answer is not taken for one that cannot be reached, however many
 * ask it at once. Method: an HTTP server that answers nobody before all have asked.
 */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { openExchange } from './exchange.ts'

describe('requests to a provider', () => {
  it('are all on their way at once', async () => {
    const asked = 100
    const waiting: (() => void)[] = []
    const server = createServer((_request, response) => {
      waiting.push(() => response.end('{}'))
      if (waiting.length === asked) for (const answer of waiting) answer()
    })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    const host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    try {
      const exchange = openExchange({ host, connectMs: 5_000, wholeMs: 10_000 })
      const one = () =>
        exchange({ url: new URL('/', host), method: 'GET', headers: {}, body: null })
      const came = await Promise.all(Array.from({ length: asked }, one))
      assert.deepEqual(
        [...new Set(came.map(({ error, status }) => `${error} ${status}`))],
        ['null 200'],
      )
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })
})

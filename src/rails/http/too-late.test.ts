/**
 * Goal: an order whose process stood still is not sent once another may have found that it was
 * never taken. Method: each provider's client, asked too late and in time, of a server that counts
 * what it was asked.
 */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { later } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { openClient as openBridge } from '../bridge/client.ts'
import { openClient as openMonnify } from '../monnify/client.ts'
import { openClient as openPaystack } from '../paystack/client.ts'
import { openClient as openStripe } from '../stripe/client.ts'

const log: Log = { debug() {}, info() {}, warn() {}, error() {}, isLevelEnabled: () => false }
const now = new Date('2026-03-01T12:00:00Z')
const parts = { clock: { now: () => now }, log, livemode: true, secretKey: 's', apiKey: 'a' }
const asked: string[] = []
const server = createServer((request, response) => {
  asked.push(request.url ?? '')
  const token = {
    requestSuccessful: true,
    responseCode: '0',
    responseBody: { accessToken: 't', expiresIn: 3_600 },
  }
  response.end(JSON.stringify(token))
})

before(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
after(() => server.close())

describe('an order that waited for too long', () => {
  const waited = { urgency: 'send', method: 'POST', latest: later(now, -1) } as const
  const inTime = { ...waited, latest: now }
  const body = { amount: 1 }
  const sending = {
    paystack: (reach: Reach) => {
      const client = openPaystack({ ...parts, reach })
      return [waited, inTime].map((one) => client.ask({ ...one, path: '/order', body }))
    },
    stripe: (reach: Reach) => {
      const client = openStripe({ ...parts, reach })
      return [waited, inTime].map((one) =>
        client.ask({ ...one, path: '/v1/order', key: 'k', body }),
      )
    },
    bridge: (reach: Reach) => {
      const client = openBridge({ ...parts, reach })
      return [waited, inTime].map((one) => client.ask({ ...one, path: '/order', key: 'k', body }))
    },
    monnify: (reach: Reach) => {
      const client = openMonnify({ ...parts, reach })
      return [waited, inTime].map((one) => client.ask({ ...one, path: '/order', body: '{}' }))
    },
  }
  for (const [provider, send] of Object.entries(sending))
    it(`is not sent to ${provider}, and nobody knows whether another has sent it`, async () => {
      asked.length = 0
      const host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const [late] = await Promise.all(send({ host, connectMs: 1_000, wholeMs: 1_000 }))
      assert.equal(late?.is, 'unknown')
      assert.equal(asked.filter((path) => path.endsWith('/order')).length, 1)
    })
})

type Reach = { host: string; connectMs: number; wholeMs: number }

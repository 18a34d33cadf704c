/** A server whose live numbers Dojah looks up, and a clock that a test moves. */
import assert from 'node:assert/strict'
import { dojahAt } from '../../src/rails/dojah/dojah.ts'
import type { Provider } from '../../src/rails/ports/provider.ts'
import { type DojahDouble, startDojah } from '../doubles/dojah.ts'
import { movingClock, pass, providerTiming } from './dollars.ts'
import {
  type Call,
  type Json,
  listAll,
  must,
  startServer,
  type TestServer,
  workedOff,
} from './harness.ts'
import { railsEnv } from './provider.ts'

export { minuteMs } from './dollars.ts'

export type Desk = {
  server: TestServer
  double: DojahDouble
  live: Call
  /** What the server has logged. */
  pass(ms: number): Promise<void>
  customer(more?: object): Promise<Json>
  /** Gives a document, and lets be done what is due. */
  give(customer: Json, idType: string, idNumber: string, more?: object): Promise<Json>
  /** How a customer's document of a type stands in the table. */
  standing(customer: Json, idType?: string): Promise<Json>
  eventsOf(customer: Json): Promise<Json[]>
  assertSound(): Promise<void>
  stop(): Promise<void>
}

/** @param also other providers, with accounts and routes of their own */
export async function openDesk({
  env = {},
  providers = [],
  accounts = {},
  routes = { 'identity.ng': ['dojah'] },
}: {
  env?: Record<string, string>
  providers?: Provider[]
  accounts?: object
  routes?: Record<string, string[]>
} = {}): Promise<Desk> {
  const clock = movingClock()
  const double = await startDojah()
  const own = { provider: 'dojah', app_id: double.appId, secret_key: 'env:DOJAH_KEY' }
  const given = {
    ...railsEnv({ live: { accounts: { dojah: own, ...accounts }, routes } }),
    DOJAH_KEY: double.key,
    ...env,
  }
  const reach = { host: double.url, ...providerTiming }
  const server = await startServer(given, [dojahAt(reach), ...providers], clock)
  const live = server.callAs(server.liveKey)
  const { db } = server.app
  let made = 0
  return {
    server,
    double,
    live,
    pass: (ms) => pass(server, clock, ms),
    customer: (more = {}) =>
      must(
        live('POST', '/customers', {
          first_name: 'Ada',
          last_name: 'Okafor',
          email: `ada${++made}@example.com`,
          ...more,
        }),
      ),
    async give({ id }, id_type, id_number, more = {}) {
      const document = await must(
        live('POST', `/customers/${id}/documents`, { id_type, id_number, ...more }),
      )
      await workedOff(server)
      return document
    },
    async standing({ id }, type = 'bvn') {
      const [row] = await db.query<Json>(
        'select * from customer_documents where customer_id = $1 and id_type = $2',
        [id, type],
      )
      return row
    },
    async eventsOf({ id }) {
      const all = await listAll(live, '/events')
      return all
        .filter(
          ({ type, payload }) => type.startsWith('customer.document.') && payload.customer === id,
        )
        .reverse()
    },
    async assertSound() {
      assert.deepEqual(double.violations, [])
    },
    async stop() {
      await server.stop()
      await double.stop()
    },
  }
}

/**
 * What a case of the conformance list has to work with: a driver, and a server of which it has a
 * business.
 */
import assert from 'node:assert/strict'
import { createBusiness } from '../../src/books/businesses/businesses.ts'
import { keyWith } from '../../test/support/approvers.ts'
import { type Call, startServer, type TestServer } from '../../test/support/harness.ts'
import { type Receiver, startReceiver } from '../../test/support/receiver.ts'
import { startSmtp } from '../../test/support/smtp.ts'
import type { Method } from '../generate/model.ts'
import type {
  CallOptions,
  ClientOptions,
  Driver,
  Failure,
  Fork,
  Forked,
  Json,
  Reply,
  Running,
} from './driver.ts'
import { startForward } from './forward.ts'
import { type LossyProxy, startProxy } from './proxy.ts'

export type Given = {
  args?: string[]
  query?: Json
  body?: Json
  options?: CallOptions
  client?: Partial<ClientOptions>
}

/** A refused call, as a value. */
export class Refused extends Error {
  readonly failure: Failure
  constructor(failure: Failure) {
    super(`${failure.type}: ${failure.message}`)
    this.failure = failure
  }
}

export type Bench = {
  driver: Driver
  /** A client of the SDK, with the key of the business, over the proxy. */
  call(name: string, given?: Given): Promise<Json>
  /** The same of another process of the driver. */
  callOfOther(name: string, given?: Given): Promise<Json>
  collect(name: string, take: number, given?: Given): Promise<Json[]>
  /** Forks a process of the driver of its own, whose workers use one client. */
  fork(given: Fork): Promise<Forked>
  /** All that a client, and an error of it, can be made to show. */
  show(client: ClientOptions): Promise<string[]>
  /**
   * Asks by a forward proxy, which the environment names. @returns for which hosts that was asked,
   * and how it ended
   */
  overProxy(
    noProxy: string,
    what?: 'a call' | 'a stream',
  ): Promise<{ asked: string[]; ended: string }>
  verify(given: {
    body?: Buffer
    parsed?: Json
    headers: Record<string, string>
    secrets: string[]
    tolerance?: number
    allowXSignature?: boolean
  }): Promise<Json>
  /** Fails unless a call is refused, by an error of these fields. */
  refused(promise: Promise<Json>, expected: Partial<Failure>): Promise<Failure>
  proxy: LossyProxy
  /** Asks the server without the SDK. */
  http: Call
  /** The key of the business. */
  key: string
  /** A key that approves payouts. */
  approver: { api_key: string }
  server: TestServer
  receiver: Receiver
  /** A text that no other case has. */
  unique(prefix: string): string
  /** The operations that the SDK was asked for. */
  seen: Set<string>
}

/** What all runs share. */
export type Shared = { server: TestServer; receiver: Receiver; stop(): Promise<void> }

export async function startShared(): Promise<Shared> {
  const receiver = await startReceiver()
  const smtp = await startSmtp()
  const server = await startServer({
    // Long enough that what is to be simulated has not ended by itself.
    SANDBOX_DELAY: '10m',
    WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
    WEBHOOK_CA_FILE: receiver.caFile,
    SMTP_URL: smtp.url,
  })
  return {
    server,
    receiver,
    async stop() {
      await server.stop()
      await receiver.stop()
      await smtp.stop()
    },
  }
}

let benches = 0

export async function startBench(
  { server, receiver }: Shared,
  driver: Driver,
  methods: ReadonlyMap<string, Method>,
): Promise<Bench & { stop(): Promise<void> }> {
  const business = await createBusiness(server.app, driver.name)
  const own: TestServer = {
    ...server,
    businessId: business.business.id,
    call: server.callAs(business.test_key),
  }
  const approver = await keyWith(own, ['approve'])
  const proxy = await startProxy(server.url)
  const running: Running = await driver.start()
  let other: Running | null = null
  const seen = new Set<string>()
  const bench = ++benches
  let uniques = 0

  const client = (given: Given): ClientOptions => ({
    base_url: proxy.url,
    api_key: business.test_key,
    ...given.client,
  })
  const message = (
    name: string,
    { args = [], query, body, options = {} }: Given,
    whole: ClientOptions,
  ) => {
    const method = methods.get(name) ?? assert.fail(`there is no operation ${name}`)
    seen.add(name)
    return {
      call: name,
      args,
      options,
      client: whole,
      ...(method.query.length > 0 ? { query: query ?? {} } : {}),
      ...(method.body ? { body: body ?? {} } : {}),
    }
  }
  const okOf = (reply: Reply): Json => {
    if ('error' in reply) throw new Refused(reply.error)
    return reply.ok
  }
  return {
    driver,
    proxy,
    server: own,
    receiver,
    seen,
    http: own.call,
    approver: { api_key: approver.key },
    key: business.test_key,
    call: async (name, given = {}) => okOf(await running.ask(message(name, given, client(given)))),
    async callOfOther(name, given = {}) {
      other ??= await driver.start()
      return okOf(await other.ask(message(name, given, client(given))))
    },
    async collect(name, take, given = {}) {
      seen.add(name)
      const { args = [], query = {} } = given
      return okOf(await running.ask({ collect: name, args, query, take, client: client(given) }))
    },
    async fork(given) {
      const forking = await driver.start()
      try {
        return okOf(await forking.ask({ fork: given, client: client({}) }))
      } finally {
        await forking.stop()
      }
    },
    show: async (client) => okOf(await running.ask({ show: true, client })),
    async overProxy(noProxy, what = 'a call') {
      const forward = await startForward(server.url)
      const own = {
        http_proxy: forward.url,
        HTTP_PROXY: forward.url,
        no_proxy: noProxy,
        NO_PROXY: noProxy,
      }
      const going = await driver.start({ ...own, NODE_USE_ENV_PROXY: '1' })
      const client = {
        base_url: 'http://bursar.invalid',
        api_key: business.test_key,
        max_retries: 0,
      }
      const reply = await going.ask(
        what === 'a call'
          ? { call: 'business.get', args: [], client }
          : // Refused, since a stream that is taken has no end.
            {
              collect: 'events.stream',
              args: [],
              take: 1,
              client: { ...client, api_key: 'sk_test_none' },
            },
      )
      await going.stop()
      await forward.stop()
      const { type, message } = 'error' in reply ? reply.error : { type: 'ok', message: '' }
      return {
        asked: [...forward.hosts],
        ended: type === 'BursarError' ? `${type}: ${message}` : type,
      }
    },
    async verify({ body, parsed, headers, secrets, tolerance = 300, allowXSignature = false }) {
      const given = body === undefined ? { parsed } : { body: body.toString('base64') }
      return okOf(
        await running.ask({ verify: { ...given, headers, secrets, tolerance, allowXSignature } }),
      )
    },
    async refused(promise, expected) {
      const failure = await promise.then(
        (value) => assert.fail(`it was not refused: ${JSON.stringify(value)}`),
        (error) => {
          if (error instanceof Refused) return error.failure
          throw error
        },
      )
      for (const [field, value] of Object.entries(expected))
        assert.deepEqual(
          failure[field as keyof Failure],
          value,
          `${field} of ${JSON.stringify(failure)}`,
        )
      return failure
    },
    unique: (prefix) => `${prefix}-${bench}-${++uniques}`,
    async stop() {
      await running.stop()
      await other?.stop()
      await proxy.stop()
    },
  }
}

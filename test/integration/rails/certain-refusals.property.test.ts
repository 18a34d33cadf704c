/**
 * Goal: no provider's refusal releases the money of an order unless a line of the adapter's table
 * of certain refusals fits it. Method: each adapter sends orders through a server that answers them
 * with arbitrary refusals, and leaves all else to the provider's double.
 */
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { newId } from '../../../src/lib/ids.ts'
import { bridgeAt } from '../../../src/rails/bridge/bridge.ts'
import {
  type CertainRefusal,
  meaningOfRefusal,
  type Refusal,
} from '../../../src/rails/http/refusals.ts'
import { monnifyAt } from '../../../src/rails/monnify/monnify.ts'
import { paystackAt } from '../../../src/rails/paystack/paystack.ts'
import type { Opened, Provider, ProviderParts } from '../../../src/rails/ports/provider.ts'
import type { OrderRail, PayoutOrder } from '../../../src/rails/ports/rail.ts'
import { stripeAt } from '../../../src/rails/stripe/stripe.ts'
import { startBridge } from '../../doubles/bridge.ts'
import { startMonnify } from '../../doubles/monnify.ts'
import { startPaystack } from '../../doubles/paystack.ts'
import { json } from '../../doubles/sending.ts'
import { startStripeOutbound } from '../../doubles/stripe-outbound.ts'
import {
  holderAddress,
  type MovingClock,
  movingClock,
  providerTiming,
} from '../../support/dollars.ts'
import { startServer, type TestServer } from '../../support/harness.ts'
import { railsEnv } from '../../support/provider.ts'
import { inFreshWorlds, runs } from '../../support/runs.ts'

type Table = readonly CertainRefusal<string>[]
/** What a provider's double is asked for by: its address, and the account's own settings. */
type Behind = { url: string; own: object; stop(): Promise<void> }

type Adapter = {
  /** The folder below `src/rails/`, and the table that its `refusals.ts` exports. */
  folder: string
  table: string
  /** What is refused, as `POST /path`: what sends an order, or what comes before it. */
  sends: string
  /**
   * Whether it comes before the order, none of which has left then: the order may be offered again.
   */
  before?: true
  /** A refusal in the provider's form. */
  body(refusal: Refusal): object
  behind(clock: MovingClock): Promise<Behind>
  provider(host: string): Provider
  rail(opened: Opened): OrderRail | undefined
  currency: 'ngn' | 'usd'
  destination: PayoutOrder['destination']
}

const both = <T>(reach: T) => ({ live: reach, test: reach })
const payouts = ({ ports }: Opened): OrderRail | undefined => ports.payout
const refunds = (opened: Opened): OrderRail | undefined => opened.refunds as OrderRail | undefined
const nigerian = {
  type: 'ng_bank',
  bank_code: '058',
  account_number: '2000000001',
  account_name: 'Ada Okafor',
} as const
const american = {
  type: 'us_bank',
  routing_number: '021000021',
  account_number: '100000001',
  account_name: 'Ada Okafor',
  account_type: 'checking',
  holder_address: { ...holderAddress, country: 'us' },
} as const
const charge = (providerReference: string) =>
  ({
    type: 'charge',
    refund: null,
    charge: { id: newId(new Date()), providerReference, method: 'card' },
  }) as const

/** A provider that knows one payment, and no refund of it. */
const scripted = (answers: Record<string, object>) => async (): Promise<Behind> => {
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0]
    const known = answers[`${request.method} ${path}`]
    json(response, known === undefined ? 404 : 200, known ?? {})
  })
  const url = await listen(server)
  return { url, own: { secret_key: 'sk_live_double' }, stop: () => close(server) }
}
const transaction = {
  status: true,
  data: { id: 7, reference: 'tr-7', currency: 'NGN', domain: 'live', amount: 10_000 },
}

const adapters: Adapter[] = [
  {
    folder: 'monnify',
    table: 'payoutRefusals',
    sends: 'POST /api/v2/disbursements/single',
    body: ({ code, message }) => ({
      requestSuccessful: false,
      responseCode: code,
      responseMessage: message,
    }),
    async behind({ now }) {
      const { url, keys, wallet, stop } = await startMonnify({ now })
      return {
        url,
        own: { api_key: keys.api, secret_key: keys.secret, wallet: wallet.number },
        stop,
      }
    },
    provider: (host) => monnifyAt(both({ host, ...providerTiming })),
    rail: payouts,
    currency: 'ngn',
    destination: nigerian,
  },
  {
    folder: 'paystack',
    table: 'payoutRefusals',
    sends: 'POST /transfer',
    body: ({ code, type, message }) => ({ status: false, code, type, message }),
    async behind({ now }) {
      const { url, keys, stop } = await startPaystack({ now })
      return { url, own: { secret_key: keys.live }, stop }
    },
    provider: (host) => paystackAt({ host, ...providerTiming }),
    rail: payouts,
    currency: 'ngn',
    destination: nigerian,
  },
  {
    folder: 'paystack',
    table: 'refundRefusals',
    sends: 'POST /refund',
    body: ({ code, type, message }) => ({ status: false, code, type, message }),
    behind: scripted({
      'GET /transaction/7': transaction,
      'GET /transaction/verify/tr-7': transaction,
      'GET /refund': { status: true, data: [], meta: { next: null } },
    }),
    provider: (host) => paystackAt({ host, ...providerTiming }),
    rail: refunds,
    currency: 'ngn',
    destination: charge('7'),
  },
  {
    folder: 'bridge',
    table: 'payoutRefusals',
    sends: 'POST /v0/transfers',
    body: ({ code, type, message }) => ({ code, type, message }),
    async behind({ now }) {
      const { url, apiKey, stop } = await startBridge({ now })
      return {
        url,
        own: { api_key: apiKey, customer: 'cust_operator', wallet: 'bw_treasury' },
        stop,
      }
    },
    provider: (host) => bridgeAt(both({ host, ...providerTiming })),
    rail: payouts,
    currency: 'usd',
    destination: american,
  },
  {
    folder: 'stripe',
    table: 'payoutRefusals',
    sends: 'POST /v2/money_management/outbound_payments',
    body: ({ code, type, message }) => ({ error: { code, type, message } }),
    async behind({ now }) {
      const { url, secretKey, stop } = await startStripeOutbound({ now })
      return { url, own: { secret_key: secretKey, financial_account: 'fa_treasury' }, stop }
    },
    provider: (host) => stripeAt({ host, ...providerTiming }),
    rail: payouts,
    currency: 'usd',
    destination: american,
  },
  {
    folder: 'stripe',
    table: 'refundRefusals',
    sends: 'POST /v1/refunds',
    body: ({ code, type, message }) => ({ error: { code, type, message } }),
    behind: scripted({ 'GET /v1/refunds': { object: 'list', data: [], has_more: false } }),
    provider: (host) => stripeAt({ host, ...providerTiming }),
    rail: refunds,
    currency: 'usd',
    destination: charge('pi_7'),
  },
]

/**
 * Whom an order goes to is made known first. What is refused of that must not end the order either.
 */
const recipients: [folder: string, sends: string][] = [
  ['paystack', 'POST /transferrecipient'],
  ['bridge', 'POST /v0/customers/cust_operator/external_accounts'],
  ['stripe', 'POST /v2/core/accounts'],
]
for (const [folder, sends] of recipients) {
  const payout = adapters.find((one) => one.folder === folder && one.table === 'payoutRefusals')
  if (payout) adapters.push({ ...payout, table: 'recipientRefusals', sends, before: true })
}

const words = [
  'insufficient',
  'balance',
  'wallet',
  'account',
  'amount',
  'limit',
  'invalid',
  'not',
  'enough',
  'found',
  'exist',
  'rejected',
  'declined',
  'recipient',
  'beneficiary',
  'transfer',
  'refund',
  'reference',
  'already',
  'duplicate',
  'enabled',
  'permitted',
  'unavailable',
  'failed',
  'in progress',
  'timed out',
  'try again',
  'unexpected',
]
const codes = [
  '99',
  '0',
  'D00',
  'D08',
  'd01',
  'D011',
  'failed',
  'rejected',
  'insufficient_funds',
  'balance_insufficient',
  'transfer_failed',
  'invalid_account',
  'not_allowed',
  'limit_exceeded',
  'duplicate',
  'unexpected_error',
]
const named = fc.oneof(fc.constantFrom(...codes), fc.stringMatching(/^[b-jl-z]{1,12}$/))
const refusals: fc.Arbitrary<Refusal> = fc.record({
  status: fc.constantFrom(400, 402, 403, 404, 409, 422, 500, 503),
  code: named,
  type: named,
  message: fc.array(fc.constantFrom(...words), { maxLength: 6 }).map((some) => some.join(' ')),
})

/** The table of an adapter; null where it has none yet. */
async function tableOf({ folder, table }: Adapter): Promise<Table | null> {
  const [file] = globSync(`src/rails/${folder}/refusals.ts`)
  const tables: Record<string, Table> = file
    ? await import(new URL(`../../../${file}`, import.meta.url).href)
    : {}
  return tables[table] ?? null
}

describe('a refusal that no line of an adapter’s table fits', () => {
  const clock = movingClock()
  let server: TestServer
  before(async () => {
    server = await startServer(railsEnv({}), [], clock)
  })
  after(() => server.stop())

  for (const adapter of adapters)
    it(`leaves the money of an order where it is: ${adapter.folder}, ${adapter.table}`, async (t) => {
      const table = await tableOf(adapter)
      if (table === null)
        return t.skip(`src/rails/${adapter.folder}/refusals.ts has no ${adapter.table}`)
      const behind = await adapter.behind(clock)
      const front = await openFront(behind.url, adapter)
      t.after(async () => {
        await front.stop()
        await behind.stop()
      })
      const reports: string[] = []
      // A name for each: what is kept of an account, such as recipients, is another's.
      const name = `${adapter.folder}-${adapter.table}`
      const settings = {
        name,
        livemode: true,
        serves: '*',
        baseUrl: null,
        channels: {},
        routes: [],
      }
      const parts = partsOf(server, (_kind, subject) => reports.push(subject))
      const openRail = (): OrderRail | undefined =>
        adapter.rail(
          adapter.provider(front.url).open({ ...settings, own: behind.own } as never, parts),
        )
      let rail = openRail()
      const renew = async (): Promise<void> => {
        rail = openRail()
      }
      await fc.assert(
        fc.asyncProperty(
          refusals.filter((refusal) => meaningOfRefusal(table, refusal) === null),
          inFreshWorlds(renew, async (refusal) => {
            // Nothing waits for its place among the requests of a minute.
            clock.move(60_000)
            front.refuseBy(refusal)
            const order: PayoutOrder = {
              id: newId(clock.now()),
              attempt: 1,
              businessId: server.businessId,
              at: clock.now(),
              amount: 10_000n,
              currency: adapter.currency,
              destination: adapter.destination,
            }
            const said = await rail?.send(order)
            assert.ok(front.refused() > 0, `the order was never sent: ${JSON.stringify(said)}`)
            if (adapter.before) return assert.notEqual(said?.state, 'failed', JSON.stringify(said))
            assert.equal(said?.state, 'unknown', JSON.stringify(said))
            if (refusal.status === 400 || refusal.status === 422)
              assert.ok(reports.includes(order.id), 'no person is shown it')
          }),
        ),
        { numRuns: runs(300) },
      )
    })
})

describe('a refusal that says to try again later', () => {
  const final = ['rejected', 'invalid_account', 'limit_exceeded', 'name_mismatch', 'no_address']
  const some = (pattern: RegExp | undefined) =>
    pattern === undefined
      ? fc.constant('')
      : fc.stringMatching(new RegExp(pattern.source.replaceAll('\\b', '')))
  for (const adapter of adapters)
    it(`ends no order, whatever its code: ${adapter.folder}, ${adapter.table}`, async () => {
      const table = (await tableOf(adapter)) as Table
      for (const { status = [400], code, type, message } of table)
        fc.assert(
          fc.property(some(code), some(type), some(message), (codeOf, typeOf, text) => {
            const meaning = meaningOfRefusal(table, {
              status: status[0] as number,
              code: codeOf,
              type: typeOf,
              message: `${text}. Please try again later.`,
            })
            assert.ok(!final.includes(meaning ?? ''), `${codeOf} ${typeOf}: ${meaning}`)
          }),
          { numRuns: runs(20) },
        )
    })
})

const partsOf = ({ app }: TestServer, report: ProviderParts['report']): ProviderParts => ({
  db: app.db,
  clock: app.clock,
  log: app.log,
  host: 'pay.example.com',
  report,
})

const listen = (server: Server): Promise<string> =>
  new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () =>
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    )
  })
const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })

/** A server before a double, which refuses what sends orders. */
async function openFront(target: string, { sends, body }: Adapter) {
  let refusal: Refusal | null = null
  let refused = 0
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0]
    if (refusal === null || `${request.method} ${path}` !== sends)
      return pass(request, response, target)
    refused++
    request.resume()
    json(response, refusal.status, body(refusal))
  })
  return {
    url: await listen(server),
    refuseBy(next: Refusal): void {
      refusal = next
      refused = 0
    },
    refused: () => refused,
    stop: () => close(server),
  }
}

function pass(request: IncomingMessage, response: ServerResponse, target: string): void {
  const { method, headers } = request
  const onward = httpRequest(new URL(request.url ?? '/', target), { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers)
    answer.pipe(response)
  })
  request.pipe(onward)
}

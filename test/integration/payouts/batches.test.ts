/**
 * Payouts that share their commits with others must be what they would be each alone: every row,
 * every answer.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import type { Keyed } from '../../../src/api/http/idempotency.ts'
import { writerOf } from '../../../src/api/http/writes.ts'
import { verifyBooks } from '../../../src/app/main.ts'
import { createBusiness } from '../../../src/books/businesses/businesses.ts'
import type { App } from '../../../src/core/app.ts'
import type { Ctx } from '../../../src/core/outside.ts'
import { newClient } from '../../../src/db/db.ts'
import { answerOf, type Outcome, Refusal } from '../../../src/lib/errors.ts'
import { toJson } from '../../../src/lib/json.ts'
import type { Static } from '../../../src/lib/schema.ts'
import { sha256Hex } from '../../../src/lib/secrets.ts'
import { updateLimits } from '../../../src/paying-out/limits/limits.ts'
import { createMany, type NewPayout } from '../../../src/paying-out/payouts/creation.ts'
import { prepare } from '../../../src/paying-out/payouts/payouts.ts'
import type { PayoutIn } from '../../../src/paying-out/payouts/schema.ts'
import {
  normalised,
  type Parts,
  parts,
  rowsOf,
  secondServer,
  twoBusinesses,
} from '../../support/batched.ts'
import {
  bankPayout,
  makeCall,
  startServer,
  storedColumns,
  type TestServer,
} from '../../support/harness.ts'
import { runs } from '../../support/runs.ts'

type Input = Static<typeof PayoutIn>
type Request = { business: 0 | 1; input: Input; key: string | null }
/** Requests that come at once. */
type Wave = Request[]

const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const input: fc.Arbitrary<Input> = fc
  .record(
    {
      reference: fc.nat(25).map((n) => `r-${n}`),
      amount: fc.oneof(fc.integer({ min: 1, max: 4_000 }), fc.integer({ min: 1_000, max: 60_000 })),
      currency: fc.constantFrom('ngn' as const, 'usd' as const),
      destination: fc.constantFrom(
        { bank_code: '058', account_number: '0123456789' },
        { bank_code: '058', account_number: '0123456789', account_name: 'Some "Body" \\ else' },
        { bank_code: '058', account_number: '0000000003' },
        { bank_code: '000', account_number: '0123456789' },
        { currency: 'usdc', chain: 'base', address },
      ),
      description: fc.option(
        fc.constantFrom('plain', 'with "quotes", {braces}\nand \\ lines', 'NULL', '✓ ₦'),
      ),
      metadata: fc.option(
        fc.constantFrom({ a: 1 }, { 'k"': 'v\n\\', deep: { list: [null, 1.5, 'x'] } }),
      ),
    },
    { requiredKeys: ['reference', 'amount', 'currency', 'destination'] },
  )
  .map(({ description, metadata, ...rest }) => ({
    ...rest,
    method: 'chain' in rest.destination ? ('crypto' as const) : ('bank_transfer' as const),
    ...(description ? { description } : {}),
    ...(metadata ? { metadata } : {}),
  })) as never
const request = (key: fc.Arbitrary<string | null>): fc.Arbitrary<Request> =>
  fc.record({ business: fc.constantFrom(0 as const, 1 as const), input, key })
const key = fc.oneof(
  fc.constant(null),
  fc.nat(3).map((n) => `key-${n}`),
)
/**
 * Half of them with an Idempotency-Key, of which several are the same, for the same request or
 * another.
 */
const wave: fc.Arbitrary<Wave> = fc
  .array(request(key), { minLength: 1, maxLength: 12 })
  .map((requests) => requests.flatMap((one, i) => (i % 4 === 0 && one.key ? [one, one] : [one])))

type Prepared = Outcome<NewPayout>

/** Payouts as their route makes them. @returns what a request is answered with, as text */
function payouts(app: App): (ctx: Ctx, request: Request, prepared: Prepared) => Promise<string> {
  const ask = writerOf<NewPayout>(app, {
    message: 'Payout created',
    // Made beforehand: then requests arrive in the order in which they are asked.
    prepare: async (_ctx: Ctx, { body }: { body: Prepared }) => answerOf(body),
    together: createMany,
  } as unknown as Parameters<typeof writerOf<NewPayout>>[1])
  return async (ctx, { input, key }, prepared) => {
    const keyed = key === null ? null : { key, mark: sha256Hex(JSON.stringify(input)), write }
    try {
      return toJson(await ask(ctx, { body: prepared } as never, keyed))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return textOf(error)
    }
  }
}

const textOf = ({ code, message, details, data }: Refusal): string =>
  toJson({ code, message, details, data })

const write: Keyed<unknown>['write'] = (outcome) =>
  'refusal' in outcome
    ? { status: outcome.refusal.status, body: textOf(outcome.refusal) }
    : { status: 201, body: toJson(outcome.answer) }

async function prepareAhead(ctx: Ctx, { input }: Request): Promise<Prepared> {
  try {
    return { answer: await prepare(ctx, input) }
  } catch (refusal) {
    if (refusal instanceof Refusal) return { refusal }
    throw refusal
  }
}

describe('batches', () => {
  let batched: Parts
  let single: Parts
  before(async () => {
    ;[batched, single] = await Promise.all([parts(), parts()])
  })
  after(() => Promise.all([batched.close(), single.close()]))

  it('leave every row and give every answer that one by one does', async () => {
    const acquired = [0, 0]
    ;[batched, single].forEach(({ app }, i) => {
      app.db.pool.on('acquire', () => {
        acquired[i] = (acquired[i] as number) + 1
      })
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(wave, { minLength: 1, maxLength: 5 }),
        fc.array(fc.nat(150_000), { minLength: 4, maxLength: 4 }),
        fc.option(
          fc.record(
            {
              approve_above: fc.nat(60_000),
              approve_above_daily: fc.nat(100_000),
              refuse_above_daily: fc.nat(200_000),
              refuse_above_daily_count: fc.nat(8),
              destination_daily: fc.nat(100_000),
              destination_daily_count: fc.nat(4),
            },
            { requiredKeys: [] },
          ),
        ),
        async (waves, funds, limits) => {
          const results = []
          for (const { app } of [batched, single]) {
            const businesses = await twoBusinesses(app, funds)
            const currencies = (['ngn', 'usd'] as const).map((currency) => ({
              currency,
              ...limits,
            }))
            if (limits !== null)
              await businesses[0]?.write((work) => updateLimits(work, { currencies }))
            const answer = payouts(app)
            const ctxOf = (one: Request): Ctx => businesses[one.business] as Ctx
            const answers: string[] = []
            for (const requests of waves) {
              const prepared = await Promise.all(
                requests.map((one) => prepareAhead(ctxOf(one), one)),
              )
              const ask = (one: Request, i: number): Promise<string> =>
                answer(ctxOf(one), one, prepared[i] as Prepared)
              if (app === batched.app) answers.push(...(await Promise.all(requests.map(ask))))
              else for (const [i, one] of requests.entries()) answers.push(await ask(one, i))
            }
            results.push({
              businesses: businesses.map((ctx) => ctx.scope.businessId),
              answers,
              rows: await rowsOf(app, businesses, [
                { table: 'payouts', columns: await storedColumns(app.db, 'payouts') },
                { table: 'payout_limits', columns: '*', order: 'business_id, currency' },
                {
                  table: 'payout_destination_days',
                  columns: 'currency, destination::text, day_starts_at, amount, count',
                  order: 'business_id, currency, destination',
                },
                { table: 'limit_rule_days', columns: '*', order: 'business_id, rule' },
              ]),
            })
          }
          const [together, alone] = results.map(normalised)
          assert.equal(together, alone)
        },
      ),
      { numRuns: runs(40) },
    )
    assert.ok((acquired[0] as number) < (acquired[1] as number), `connections: ${acquired}`)
    for (const { app } of [batched, single])
      assert.deepEqual((await verifyBooks(app)).differences, [])
  })
})

describe('batches of two servers on one database', () => {
  let server: TestServer
  let second: Awaited<ReturnType<typeof secondServer>>
  let urls: string[]
  before(async () => {
    server = await startServer({ SANDBOX_DELAY: '1h' })
    second = await secondServer(server)
    urls = [server.url, second.url]
  })
  after(async () => {
    await second.stop()
    await server.stop()
  })

  it('make one payout of each reference, spend no more than there is, and never wait for each other for ever', async () => {
    const made = await Promise.all(['a', 'b', 'c'].map((name) => createBusiness(server.app, name)))
    const keys = [server.testKey, ...made.map(({ test_key }) => test_key)]
    const calls = urls.map((url) => keys.map((key) => makeCall(url, key)))
    // Money for 15 payouts in each wallet. 20 references, each asked for on both servers and from
    // both wallets.
    for (const call of calls[0] as ReturnType<typeof makeCall>[])
      for (const currency of ['ngn', 'usd'])
        assert.equal(
          (await call('POST', '/wallets/simulate-fund', { currency, amount: 15 * 50_000 })).status,
          200,
        )
    const asked = Array.from({ length: 20 }, (_, n) => n).flatMap((n) =>
      calls.flatMap((ofServer, s) =>
        ofServer.map(async (call, business) => {
          const currency = (n + s) % 2 === 0 ? 'ngn' : 'usd'
          const headers: Record<string, string> =
            n % 5 === 0 ? { 'idempotency-key': `k-${n}-${s}` } : {}
          const { status } = await call(
            'POST',
            '/payouts',
            bankPayout(`ref-${n}`, 50_000, { currency }),
            headers,
          )
          return { business, reference: n, status }
        }),
      ),
    )
    const answers = await Promise.all(asked)
    for (const [business, call] of (calls[0] as ReturnType<typeof makeCall>[]).entries()) {
      const own = answers.filter((one) => one.business === business)
      for (let n = 0; n < 20; n++) {
        const statuses = own.filter((one) => one.reference === n).map((one) => one.status)
        assert.ok(statuses.filter((status) => status === 201).length <= 1, `${statuses}`)
        assert.ok(
          statuses.every((status) => [201, 400, 409].includes(status)),
          `${statuses}`,
        )
      }
      const created = own.filter((one) => one.status === 201).length
      const { docs } = (await call('GET', '/payouts?limit=100')).data
      assert.equal(docs.length, created)
      // Whoever is refused for want of money has seen a wallet that was empty: nothing is left
      // where somebody was turned away.
      const wallets = (await call('GET', '/wallets')).data
      const held = wallets.reduce(
        (sum: number, wallet: { pending: number }) => sum + wallet.pending,
        0,
      )
      assert.equal(held, created * 50_000)
    }
  })

  it('make one payout of each Idempotency-Key, and give everyone its answer', async () => {
    const { test_key } = await createBusiness(server.app, 'keyed')
    const calls = urls.map((url) => makeCall(url, test_key))
    const call = calls[0] as ReturnType<typeof makeCall>
    await call('POST', '/wallets/simulate-fund', { currency: 'ngn', amount: 10 * 50_000 })
    // Each key six times, three on each server; every third of them with another body. Money for 10
    // of 16.
    const asked = Array.from({ length: 16 * 6 }, async (_, i) => {
      const n = i % 16
      const other = Math.floor(i / 16) % 3 === 2
      const body = bankPayout(other ? `other-${n}` : `keyed-${n}`, 50_000)
      const {
        status,
        body: text,
        headers,
      } = await (calls[Math.floor(i / 16) % 2] as typeof call)('POST', '/payouts', body, {
        'idempotency-key': `twin-${n}`,
      })
      return {
        n,
        status,
        text: JSON.stringify(text),
        replayed: headers.get('idempotent-replayed') === 'true',
      }
    })
    const answers = await Promise.all(asked)
    let created = 0
    for (let n = 0; n < 16; n++) {
      const kept = answers.filter((one) => one.n === n && one.status !== 409)
      assert.equal(new Set(kept.map(({ text }) => text)).size, 1, `one answer of key ${n}`)
      assert.equal(kept.filter(({ replayed }) => !replayed).length, 1, `one run of key ${n}`)
      assert.ok([2, 4].includes(kept.length), `${kept.length} of six had the body that was first`)
      if (kept[0]?.status === 201) created++
      else assert.equal(kept[0]?.status, 400)
    }
    assert.equal(created, 10)
    assert.equal((await call('GET', '/payouts')).data.totalDocs, 10)
  })

  it('leave a key that another request holds behind, and let that one alone wait for it', async () => {
    const { business, test_key } = await createBusiness(server.app, 'held')
    const call = makeCall(urls[0] as string, test_key)
    await call('POST', '/wallets/simulate-fund', { currency: 'ngn', amount: 10 * 50_000 })
    const holder = newClient(server.databaseUrl)
    await holder.connect()
    await holder.query('begin')
    await holder.query(
      `select pg_advisory_xact_lock(hashtextextended(concat_ws(' ', $1::text, false, 'held'), 0))`,
      [business.id],
    )
    let answered = false
    const held = call('POST', '/payouts', bankPayout('held', 50_000), {
      'idempotency-key': 'held',
    }).then((answer) => {
      answered = true
      return answer
    })
    const others = await Promise.all(
      Array.from({ length: 5 }, (_, i) =>
        call(
          'POST',
          '/payouts',
          bankPayout(`free-${i}`, 50_000),
          i % 2 ? {} : { 'idempotency-key': `free-${i}` },
        ),
      ),
    )
    assert.deepEqual(
      others.map(({ status }) => status),
      [201, 201, 201, 201, 201],
    )
    assert.equal(answered, false)
    await holder.query('commit')
    await holder.end()
    assert.equal((await held).status, 201)
  })
})

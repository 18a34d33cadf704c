/**
 * Deposits that share their commits with others must be what they would be each alone: every row,
 * every answer.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import type { Keyed } from '../../../src/api/http/idempotency.ts'
import { verifyBooks } from '../../../src/app/main.ts'
import { createBusiness } from '../../../src/books/businesses/businesses.ts'
import { create as createCustomer } from '../../../src/collecting/customers/customers.ts'
import { bookBankDeposit, bookDeposit } from '../../../src/collecting/deposits/deposits.ts'
import {
  type AccountRow,
  close,
  create,
  endAccount,
  findAccount,
  prepare,
} from '../../../src/collecting/virtual-accounts/virtual-accounts.ts'
import type { App } from '../../../src/core/app.ts'
import { type Ctx, outside } from '../../../src/core/outside.ts'
import { later } from '../../../src/lib/clock.ts'
import { Refusal } from '../../../src/lib/errors.ts'
import { toJson } from '../../../src/lib/json.ts'
import { maxAmount } from '../../../src/lib/money.ts'
import { sha256Hex } from '../../../src/lib/secrets.ts'
import {
  normalised,
  now,
  once,
  type Parts,
  parts,
  type Read,
  rowsOf,
  secondServer,
  twoBusinesses,
} from '../../support/batched.ts'
import { makeCall, startServer, type TestServer } from '../../support/harness.ts'
import { runs } from '../../support/runs.ts'

const most = Number(maxAmount)
const minute = 60_000

type Input = Omit<Parameters<typeof bookBankDeposit>[2], 'rail'>
type Request = { business: 0 | 1; account: number; input: Input; key: string | null }
/** Requests that come at once. */
type Wave = Request[]

const accountCount = 7

/** Accounts of every kind and state, as they stand when the first deposit comes. */
async function openAccounts(ctx: Ctx): Promise<AccountRow[]> {
  const before = outside(ctx, { ...ctx.scope, now: later(now, -60 * minute) })
  const customer = (
    await before.write((work) =>
      createCustomer(work, { name: 'Ada Okafor', email: 'ada@example.com' }),
    )
  ).id
  const open = async (input: Parameters<typeof prepare>[1]) => {
    const order = await prepare(before, input)
    return before.write((work) => create(work, order))
  }
  const dynamic = (currency: 'ngn' | 'usd', amount: number, more = {}) =>
    open({ kind: 'dynamic', currency, amount, ...more })
  const metadata = { 'k"': 'v\n\\', deep: { list: [null, 1.5, '✓'] } }
  const opened = [
    await open({ customer, currency: 'ngn', reference: 'shelf', metadata }),
    await open({ customer, currency: 'usd' }),
    await dynamic('ngn', 1_000),
    await dynamic('usd', 2_500, { customer, reference: 'once' }),
    await dynamic('ngn', 1_000),
    await dynamic('usd', 500),
    // Past its time, and not ended yet.
    await dynamic('ngn', 500, { expires_at: later(now, -50 * minute).toISOString() }),
  ].map(({ id }) => id)
  await before.write((work) => close(work, opened[4] as string))
  await before.write((work) => endAccount(work, opened[5] as string, 'expired'))
  assert.equal(opened.length, accountCount)
  return Promise.all(opened.map((id) => findAccount(ctx, id)))
}

const sender = { account_name: 'Obi "Eze" \\ {1}', account_number: '0123456789', bank_code: '058' }
const input: fc.Arbitrary<Input> = fc.record({
  amount: fc.oneof(fc.bigInt(1n, 3_000n), fc.constantFrom(500n, 1_000n, 2_500n, 11n)),
  notice: fc.nat(25).map((n) => `n-${n}`),
  source: fc.constantFrom(null, sender),
})
const request = (key: fc.Arbitrary<string | null>): fc.Arbitrary<Request> =>
  fc.record({
    business: fc.constantFrom(0 as const, 1 as const),
    account: fc.nat(accountCount - 1),
    input,
    key,
  })
const wave: fc.Arbitrary<Wave> = fc.oneof(
  { weight: 4, arbitrary: fc.array(request(fc.constant(null)), { minLength: 2, maxLength: 14 }) },
  { weight: 1, arbitrary: request(fc.nat(2).map((n) => `key-${n}`)).map((one) => [one]) },
)
/** What is in a wallet before: some, or nearly all that it may hold. */
const funds = fc.oneof(
  fc.nat(10_000),
  fc.nat(10_000).map((left) => most - left),
)

/**
 * What a request is answered with, as text; fields in one order, whether they were made or read.
 */
async function answer(ctx: Ctx, account: AccountRow, { input, key }: Request): Promise<string> {
  const notice = { rail: account.rail, ...input }
  const textOf = async (booked: Promise<unknown>) =>
    toJson(inOrder(JSON.parse(toJson(await booked))))
  const write: Keyed<string>['write'] = (outcome) =>
    'refusal' in outcome
      ? { status: 400, body: outcome.refusal.message }
      : { status: 200, body: outcome.answer }
  try {
    return key === null
      ? await textOf(bookBankDeposit(ctx, account, notice))
      : toJson(
          await once(ctx, { key, mark: sha256Hex(toJson(input)), write }, (work) =>
            textOf(bookDeposit(work, account, notice)),
          ),
        )
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return toJson({
      code: error.code,
      message: error.message,
      details: error.details,
      data: error.data,
    })
  }
}

function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(inOrder)
  const sorted = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(sorted.map(([name, inner]) => [name, inOrder(inner)]))
}

/** Numbers of accounts are drawn by chance. */
const own: Read[] = [
  {
    table: 'virtual_accounts',
    columns: `business_id, livemode, id, reference, customer_id, payment_id, currency, kind, amount, account_name, status,
              expires_at, rail, metadata, created_at, updated_at`,
  },
  { table: 'deposit_notices', columns: '*', order: 'business_id, notice' },
]

describe('batches of deposits', () => {
  const dir = mkdtempSync(join(tmpdir(), 'bursar-pricing-'))
  let batched: Parts
  let single: Parts
  before(async () => {
    const file = join(dir, 'pricing.json')
    const rule = { flat: 10, bps: 100, min: 0, max: 25 }
    writeFileSync(file, JSON.stringify({ deposit: { 'bank_transfer.ngn': rule } }))
    ;[batched, single] = await Promise.all([
      parts({ PRICING_FILE: file }),
      parts({ PRICING_FILE: file }),
    ])
  })
  after(async () => {
    await Promise.all([batched.close(), single.close()])
    rmSync(dir, { recursive: true, force: true })
  })

  it('leave every row and give every answer that one by one does', async () => {
    const begun = new Map<App, number>()
    for (const { app } of [batched, single])
      app.db.pool.on('acquire', () => begun.set(app, (begun.get(app) ?? 0) + 1))
    await fc.assert(
      fc.asyncProperty(
        fc.array(wave, { minLength: 1, maxLength: 5 }),
        fc.array(funds, { minLength: 4, maxLength: 4 }),
        async (waves, funds) => {
          const results = []
          for (const { app } of [batched, single]) {
            const businesses = await twoBusinesses(app, funds)
            const accounts = [
              await openAccounts(businesses[0] as Ctx),
              await openAccounts(businesses[1] as Ctx),
            ]
            const ask = (one: Request): Promise<string> =>
              answer(
                businesses[one.business] as Ctx,
                accounts[one.business]?.[one.account] as AccountRow,
                one,
              )
            const answers: string[] = []
            for (const requests of waves)
              if (app === batched.app) answers.push(...(await Promise.all(requests.map(ask))))
              else for (const one of requests) answers.push(await ask(one))
            results.push({
              businesses: businesses.map((ctx) => ctx.scope.businessId),
              accounts: accounts.flat().map(({ id }) => id),
              answers,
              rows: await rowsOf(app, businesses, own),
            })
          }
          const [together, alone] = results.map(normalised)
          assert.equal(together, alone)
        },
      ),
      { numRuns: runs(40), endOnFailure: true },
    )
    const [fewer, more] = [begun.get(batched.app) as number, begun.get(single.app) as number]
    assert.ok(fewer < more, `connections: ${fewer} and ${more}`)
    for (const { app } of [batched, single])
      assert.deepEqual((await verifyBooks(app)).differences, [])
  })

  it('book a notice that its first telling could not, when it is told again in the same batch', async () => {
    const [one] = await twoBusinesses(batched.app, [most - 100, 0, 0, 0])
    const account = (await openAccounts(one as Ctx))[2] as AccountRow
    const tell = (amount: bigint) =>
      bookBankDeposit(one as Ctx, account, {
        rail: account.rail,
        notice: 'again',
        amount,
        source: null,
      })
    const [large, fits, told, other] = await Promise.allSettled([
      tell(1_000n),
      tell(50n),
      tell(50n),
      tell(70n),
    ])
    assert.equal((large as PromiseRejectedResult).reason.code, 'amount_too_large')
    assert.equal((fits as PromiseFulfilledResult<{ amount: bigint }>).value.amount, 50n)
    assert.deepEqual(told, fits)
    assert.equal((other as PromiseRejectedResult).reason.code, 'notice_reused')
    const { id } = (fits as PromiseFulfilledResult<{ id: string }>).value
    const scoped = [(one as Ctx).scope.businessId]
    const notices = await batched.app.db.query(
      'select notice, transaction_id from deposit_notices where business_id = $1',
      scoped,
    )
    assert.deepEqual(notices, [{ notice: 'again', transaction_id: id }])
    // What was refused would have closed the account.
    const accounts = await batched.app.db.query(
      `select from virtual_accounts where business_id = $1 and id = $2 and status = 'active'`,
      [...scoped, account.id],
    )
    assert.equal(accounts.length, 1)
  })
})

describe('batches of deposits of two servers on one database', () => {
  let server: TestServer
  let second: Awaited<ReturnType<typeof secondServer>>
  before(async () => {
    server = await startServer()
    second = await secondServer(server)
  })
  after(async () => {
    await second.stop()
    await server.stop()
  })

  it('book each notice once, keep none that was refused, and never wait for each other for ever', async () => {
    const made = await Promise.all(['a', 'b'].map((name) => createBusiness(server.app, name)))
    const keys = [server.testKey, ...made.map(({ test_key }) => test_key)]
    const calls = [server.url, second.url].map((url) => keys.map((key) => makeCall(url, key)))
    const amount = 1_000
    const room = 15
    // Room for 15 deposits in each wallet. 40 notices of each business, each told twice on both
    // servers, in orders that cross.
    const opened = await Promise.all(
      (calls[0] as ReturnType<typeof makeCall>[]).map(async (call) => {
        const customer = (
          await call('POST', '/customers', { name: 'Ada', email: 'ada@example.com' })
        ).data.id
        for (const currency of ['ngn', 'usd'])
          await call('POST', '/wallets/simulate-fund', { currency, amount: most - room * amount })
        const bodies = ['ngn', 'usd'].flatMap((currency) => [
          { customer, currency },
          { kind: 'dynamic', amount, currency },
        ])
        return Promise.all(
          bodies.map(
            async (body) => (await call('POST', '/virtual-accounts', body)).data.id as string,
          ),
        )
      }),
    )
    const asked = Array.from({ length: 40 }, (_, n) => n).flatMap((n) =>
      calls.flatMap((ofServer, s) =>
        ofServer.flatMap((call, business) =>
          [0, 1].map(async (again) => {
            const told = s === 0 ? n : 39 - n
            const account = opened[business]?.[told % 4] as string
            const headers: Record<string, string> =
              told % 7 === 0 ? { 'idempotency-key': `k-${told}-${s}-${again}` } : {}
            const body = { amount, notice: `n-${told}` }
            const answer = await call(
              'POST',
              `/virtual-accounts/${account}/simulate-deposit`,
              body,
              headers,
            )
            return { business, told, account, ...answer }
          }),
        ),
      ),
    )
    const answers = await Promise.all(asked)
    for (const [business, call] of (calls[0] as ReturnType<typeof makeCall>[]).entries()) {
      const own = answers.filter((one) => one.business === business)
      const booked = new Map<number, string>()
      for (let told = 0; told < 40; told++) {
        const tellings = own.filter((one) => one.told === told)
        assert.equal(tellings.length, 4)
        for (const { status, code, data } of tellings) {
          assert.deepEqual(
            [status, code, data],
            [tellings[0]?.status, tellings[0]?.code, tellings[0]?.data],
          )
          assert.ok(status === 200 || code === 'amount_too_large', `${status} ${code}`)
          if (status === 200) booked.set(told, data.id)
        }
      }
      assert.equal(booked.size, 2 * room)
      for (const { available } of (await call('GET', '/wallets')).data)
        assert.equal(available, most)
      const { docs } = (await call('GET', '/transactions?type=deposit&limit=100')).data
      assert.deepEqual(
        docs.map((doc: { id: string }) => doc.id).sort(),
        [...booked.values()].sort(),
      )
      const events = (await call('GET', '/events?limit=100')).data.docs.map(
        (event: { payload: { id: string } }) => event.payload.id,
      )
      assert.deepEqual(events.sort(), [...booked.values()].sort())
      // The first on an account of one amount is in time, and closes it.
      for (const account of [1, 3].map((i) => opened[business]?.[i] as string)) {
        const came = docs.filter(
          (doc: { related: { virtual_account: string } }) =>
            doc.related.virtual_account === account,
        )
        assert.equal(
          came.filter((doc: { late: boolean }) => !doc.late).length,
          came.length > 0 ? 1 : 0,
        )
        const { status } = (await call('GET', `/virtual-accounts/${account}`)).data
        assert.equal(status, came.length > 0 ? 'closed' : 'active')
      }
    }
    const [{ notices } = { notices: 0n }] = await server.app.db.query<{ notices: bigint }>(
      'select count(*) as notices from deposit_notices',
    )
    assert.equal(notices, BigInt(3 * 2 * room))
  })
})

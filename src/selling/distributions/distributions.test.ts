import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  bankPayout,
  type Call,
  makeCall,
  snapshot,
  startServer,
  type TestServer,
  until,
} from '../../../test/harness.ts'
import { createBusiness } from '../../books/businesses/businesses.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers come in every shape
type Json = any

const nowhere = '0'.repeat(24)
const most = 9_007_199_254_740_991
const bank = (account_number = '0123456789') => ({ bank_code: '058', account_number })
const ada = { account_name: 'Ada Okafor', bank_name: 'Guaranty Trust Bank', ...bank() }
const american = {
  country: 'us',
  routing_number: '110000000',
  account_number: '000123456789',
  account_name: 'Ada Okafor',
  account_type: 'checking',
}
const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const half = [{ name: 'Ada', percentage_bps: 5_000, destination: bank() }]

/** What a merchant and a payer do. */
function actor(server: TestServer, call: Call) {
  let made = 0
  let customer: string | undefined
  const must = async (method: string, path: string, body?: unknown): Promise<Json> => {
    const answer = await call(method, path, body)
    assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.data
  }
  const my = {
    call,
    must,
    plan: (shares: object[], currency = 'ngn'): Promise<Json> =>
      must('POST', '/distributions', { name: 'Makers', currency, shares }),
    see: (plan: Json): Promise<Json> => must('GET', `/distributions/${plan.id}`),
    /** What each share holds, in order. */
    held: async (plan: Json): Promise<number[]> => (await my.see(plan)).shares.map((one: Json) => one.accrued),
    /** What was paid out of each share, in order. */
    settled: async (plan: Json): Promise<number[]> => (await my.see(plan)).shares.map((one: Json) => one.settled),
    /** A finalized invoice of lines `[plan or null, price, quantity]`. */
    async invoice(...lines: [Json, number, number][]): Promise<Json> {
      customer ??= (await must('POST', '/customers', { name: 'Ada Okafor', email: 'ada@example.com' })).id
      const currency = lines.find(([plan]) => plan)?.[0].currency ?? 'ngn'
      const products = []
      for (const [plan, amount, quantity] of lines) {
        const distribution = plan === null ? null : plan.id
        const product = await must('POST', '/products', { name: 'Shoes', amount, currency, distribution })
        products.push({ product: product.id, quantity })
      }
      const { id } = await must('POST', '/invoices', { customer, lines: products })
      return must('POST', `/invoices/${id}/finalize`)
    },
    pay: (invoice: Json, outcome = 'completed', method = 'bank_transfer'): Promise<Json> =>
      must('POST', `/payments/${invoice.payment}/simulate`, { outcome, method }),
    /** The payment of an invoice that was paid by transfer. */
    sold: async (...lines: [Json, number, number][]): Promise<Json> => my.pay(await my.invoice(...lines)),
    available: async (currency = 'ngn'): Promise<number> =>
      (await must('GET', `/wallets?currency=${currency}`))[0].available,
    /** Spends all that the naira wallet has. */
    async empty(): Promise<void> {
      await server.fund('ngn', 10_000)
      made += 1
      await must('POST', '/payouts', bankPayout(`spent-${made}`, await my.available()))
      assert.equal(await my.available(), 0)
    },
    refund: (payment: Json, more: object = {}) => call('POST', '/refunds', { payment: payment.id, ...more }),
    /** A refund that ends as it is told. */
    async refunded(payment: Json, amount: number, outcome: 'completed' | 'failed' = 'completed'): Promise<Json> {
      const { id } = await must('POST', '/refunds', { payment: payment.id, amount })
      return must('POST', `/refunds/${id}/simulate`, { outcome })
    },
    settle: (plan: Json): Promise<Json> => must('POST', `/distributions/${plan.id}/settle`),
    end: (payout: Json, outcome: 'completed' | 'failed'): Promise<Json> =>
      must('POST', `/payouts/${payout.reference}/simulate`, { outcome }),
  }
  return my
}

const sum = (parts: number[]): number => parts.reduce((a, b) => a + b, 0)

describe('distributions', () => {
  let server: TestServer
  let my: ReturnType<typeof actor>
  before(async () => {
    // Payouts and refunds wait until a test says how they end.
    server = await startServer({ SANDBOX_DELAY: '1h' })
    my = actor(server, server.call)
  })
  after(() => server.stop())

  /** Waits until nothing is to be done at once, so that only what a request does shows in a snapshot. */
  const quiet = () =>
    until(async () => {
      const [row] = await server.app.db.query<{ busy: boolean }>(
        `select exists (select from timers where due_at is null)
             or exists (select from graphile_worker._private_jobs where run_at <= now()) as busy`,
      )
      return row?.busy === false
    })

  /** Refuses with exactly this answer, and leaves no trace. */
  async function refused(status: number, code: string, ask: () => ReturnType<Call>): Promise<Json> {
    await quiet()
    const before = await snapshot(server.app)
    const answer = await ask()
    assert.deepEqual([answer.status, answer.code], [status, code], JSON.stringify(answer.body))
    assert.deepEqual(await snapshot(server.app), before)
    return answer.body
  }

  describe('as plans', () => {
    it('are made, and read back as they were made', async () => {
      const { status, data } = await my.call('POST', '/distributions', {
        name: 'Makers',
        currency: 'eur',
        shares: [
          { name: 'Ada', percentage_bps: 2_500, destination: american },
          { name: 'Bola', flat_amount: 150, destination: { currency: 'usdc', chain: 'base', address } },
          { name: 'Chidi', percentage_bps: 7_500, destination: null },
        ],
        metadata: { season: 'winter' },
      })
      assert.equal(status, 201)
      const ids = data.shares.map((one: Json) => one.id)
      for (const id of [data.id, ...ids]) assert.match(id, /^[0-9a-f]{24}$/)
      assert.equal(new Set(ids).size, 3)
      const { contract_address, ...token } = data.shares[1].destination
      assert.match(contract_address, /^0x/)
      assert.deepEqual(token, { currency: 'usdc', chain: 'base', address })
      assert.deepEqual(
        {
          ...data,
          id: '',
          created_at: '',
          updated_at: '',
          shares: data.shares.map((one: Json, i: number) => ({
            ...one,
            id: '',
            ...(i === 1 ? { destination: null } : {}),
          })),
        },
        {
          id: '',
          name: 'Makers',
          currency: 'eur',
          active: true,
          settlement_currency: 'usd',
          shares: [
            {
              id: '',
              name: 'Ada',
              percentage_bps: 2_500,
              flat_amount: null,
              destination: { currency: 'usd', ...american, bank_name: data.shares[0].destination.bank_name },
              accrued: 0,
              settled: 0,
              removed: false,
            },
            {
              id: '',
              name: 'Bola',
              percentage_bps: null,
              flat_amount: 150,
              destination: null,
              accrued: 0,
              settled: 0,
              removed: false,
            },
            {
              id: '',
              name: 'Chidi',
              percentage_bps: 7_500,
              flat_amount: null,
              destination: null,
              accrued: 0,
              settled: 0,
              removed: false,
            },
          ],
          livemode: false,
          metadata: { season: 'winter' },
          created_at: '',
          updated_at: '',
        },
      )
      assert.deepEqual(await my.see(data), data)
      for (const currency of ['ngn', 'usd']) assert.equal((await my.plan(half, currency)).settlement_currency, currency)
    })

    it('refuse shares that do not add up, and limits that are passed', async () => {
      const share = (more: object = {}) => ({ name: 'Ada', percentage_bps: 100, ...more })
      const many = (count: number) =>
        Array.from({ length: count }, (_, i) => ({ name: `Share ${i}`, percentage_bps: 10_000 / 20 }))
      const plan = { name: 'Makers', currency: 'ngn', shares: [share()] }
      const known = await my.plan(half)
      const shares: [Json, string][] = [
        [[], 'shares'],
        [null, 'shares'],
        [many(21), 'shares'],
        [[{ name: 'Ada' }], 'shares.0.percentage_bps'],
        [[share({ flat_amount: 5 })], 'shares.0.percentage_bps'],
        [[share(), share()], 'shares.1.name'],
        [[share({ percentage_bps: 5_001 }), share({ name: 'Bola', percentage_bps: 5_000 })], 'shares'],
        [[share({ percentage_bps: 0 })], 'shares.0.percentage_bps'],
        [[share({ percentage_bps: 10_001 })], 'shares.0.percentage_bps'],
        [[share({ percentage_bps: 0.5 })], 'shares.0.percentage_bps'],
        [[{ name: 'Ada', flat_amount: 0 }], 'shares.0.flat_amount'],
        [[{ name: 'Ada', flat_amount: most + 1 }], 'shares.0.flat_amount'],
        [[share({ name: '' })], 'shares.0.name'],
        [[share({ name: 'x'.repeat(101) })], 'shares.0.name'],
        [[{ percentage_bps: 1 }], 'shares.0.name'],
        [[share({ id: 'nonsense' })], 'shares.0.id'],
        [[share({ accrued: 5 })], 'shares.0.accrued'],
      ]
      for (const [given, path] of shares)
        for (const [method, to] of [
          ['POST', '/distributions'],
          ['PUT', `/distributions/${known.id}`],
        ] as const) {
          const body = method === 'POST' ? { ...plan, shares: given } : { shares: given }
          const { data } = await refused(422, 'validation_failed', () => my.call(method, to, body))
          assert.equal(data[0].path, path, JSON.stringify(data))
        }
      for (const change of [
        { name: '' },
        { name: 'x'.repeat(201) },
        { name: null },
        { currency: 'gbp' },
        { currency: 'usdc' },
        { currency: null },
        { active: false },
        { metadata: null },
      ])
        await refused(422, 'validation_failed', () => my.call('POST', '/distributions', { ...plan, ...change }))
      for (const change of [{ name: '' }, { currency: 'ngn' }, { active: false }, { metadata: null }])
        await refused(422, 'validation_failed', () => my.call('PUT', `/distributions/${known.id}`, change))
      // The most that is allowed.
      const full = await my.plan(many(20))
      assert.equal(full.shares.length, 20)
      const flats = await my.plan([
        { name: 'x'.repeat(100), flat_amount: most },
        { name: 'y', flat_amount: most },
        { name: 'z', percentage_bps: 10_000 },
      ])
      assert.equal(flats.shares[0].flat_amount, most)
    })

    it('refuse destinations that cannot be paid to', async () => {
      const known = await my.plan(half)
      for (const [destination, status, code] of [
        [{ ...bank(), bank_code: '000' }, 400, 'unknown_bank'],
        [bank('123'), 422, 'validation_failed'],
        [bank('012345678'), 400, 'invalid_destination'],
        [{ bank_code: '058' }, 422, 'validation_failed'],
        [{}, 422, 'validation_failed'],
        ['x', 422, 'validation_failed'],
        [{ ...bank(), chain: 'base' }, 422, 'validation_failed'],
        [{ ...bank(), currency: 'usd' }, 400, 'currency_mismatch'],
        [{ ...american, routing_number: '110000001' }, 400, 'invalid_destination'],
        [{ currency: 'usdc', chain: 'nowhere', address }, 400, 'unsupported_chain'],
        [{ currency: 'ngn', chain: 'base', address }, 400, 'currency_mismatch'],
        [{ currency: 'usdc', chain: 'base', address: address.replace('A', 'a') }, 400, 'invalid_address'],
        [{ currency: 'usdc', chain: 'base', address: `0x${'0'.repeat(40)}` }, 400, 'invalid_destination'],
        [{ currency: 'usdc', chain: 'base' }, 422, 'validation_failed'],
      ] as const) {
        const shares = [
          { name: 'Bola', percentage_bps: 1, destination: bank() },
          { name: 'Ada', percentage_bps: 1, destination },
        ]
        const body = { name: 'Makers', currency: 'ngn', shares }
        const { data, message } = await refused(status, code, () => my.call('POST', '/distributions', body))
        assert.match(status === 422 ? data[0].path : message, /^shares\.1\b/)
        await refused(status, code, () => my.call('PUT', `/distributions/${known.id}`, { shares }))
      }
      assert.deepEqual(await my.see(known), known)
    })

    it('change in what is given, and in nothing else', async () => {
      let now = await my.plan([...half, { name: 'Bola', flat_amount: 5 }])
      for (const change of [{ name: 'Others' }, { metadata: { a: 1 } }, { metadata: {} }, {}]) {
        const changed = await my.must('PUT', `/distributions/${now.id}`, change)
        assert.deepEqual(changed, { ...now, ...change, updated_at: changed.updated_at })
        assert.deepEqual(await my.see(now), changed)
        now = changed
      }
    })

    it('keep what a share holds through a change of its plan', async () => {
      const plan = await my.plan([
        { name: 'Ada', percentage_bps: 2_000, destination: bank() },
        { name: 'Bola', percentage_bps: 1_000 },
      ])
      await my.sold([plan, 1_000_000, 1])
      const [first, second] = (await my.see(plan)).shares
      assert.deepEqual([first.accrued, second.accrued], [200_000, 100_000])
      // By its name, and in another order.
      const renewed = await my.must('PUT', `/distributions/${plan.id}`, {
        shares: [
          { name: 'Chidi', percentage_bps: 500 },
          { name: 'Bola', flat_amount: 70 },
          { name: 'Ada', percentage_bps: 9_500 },
        ],
      })
      assert.deepEqual(
        renewed.shares.map((one: Json) => [one.name, one.percentage_bps, one.flat_amount, one.accrued]),
        [
          ['Chidi', 500, null, 0],
          ['Bola', null, 70, 100_000],
          ['Ada', 9_500, null, 200_000],
        ],
      )
      assert.deepEqual([renewed.shares[2].id, renewed.shares[1].id], [first.id, second.id])
      // A share that is given as a whole: what is left out of it is gone.
      assert.equal(renewed.shares[2].destination, null)
      // By its id, under another name.
      const renamed = await my.must('PUT', `/distributions/${plan.id}`, {
        shares: [
          { id: second.id, name: 'Bola Eze', percentage_bps: 1 },
          { name: 'Ada', percentage_bps: 1 },
        ],
      })
      assert.deepEqual(
        renamed.shares.map((one: Json) => [one.id, one.name, one.accrued]),
        [
          [second.id, 'Bola Eze', 100_000],
          [first.id, 'Ada', 200_000],
        ],
      )
      // Two that swap their names, one of them known by its id alone.
      const swapped = await my.must('PUT', `/distributions/${plan.id}`, {
        shares: [
          { id: second.id, name: 'Ada', percentage_bps: 1 },
          { id: first.id, name: 'Bola Eze', percentage_bps: 1 },
        ],
      })
      assert.deepEqual(
        swapped.shares.map((one: Json) => [one.id, one.name, one.accrued]),
        [
          [second.id, 'Ada', 100_000],
          [first.id, 'Bola Eze', 200_000],
        ],
      )
      await server.assertBooksClean()
    })

    it('tell a share by its id from a new one that takes its name', async () => {
      const plan = await my.plan([{ name: 'Ada', percentage_bps: 2_000 }])
      await my.sold([plan, 1_000_000, 1])
      const [{ id }] = plan.shares
      const shares = [
        { id, name: 'Ada Okafor', percentage_bps: 1_000 },
        { name: 'Ada', percentage_bps: 500 },
      ]
      for (const order of [shares, shares.toReversed()]) {
        const { shares: now } = await my.must('PUT', `/distributions/${plan.id}`, { shares: order })
        assert.deepEqual(
          now.map((one: Json) => [one.name, one.percentage_bps, one.accrued]),
          order.map((one) => [one.name, one.percentage_bps, one.id ? 200_000 : 0]),
        )
      }
      const twice = [
        { id, name: 'Ada', percentage_bps: 1_000 },
        { id, name: 'Bola', percentage_bps: 500 },
      ]
      await refused(404, 'not_found', () =>
        my.call('POST', '/distributions', { name: 'Makers', currency: 'ngn', shares: [twice[0]] }),
      )
      const { data } = await refused(422, 'validation_failed', () =>
        my.call('PUT', `/distributions/${plan.id}`, { shares: twice }),
      )
      assert.equal(data[0].path, 'shares.1.id')
      const other = await my.plan(half)
      for (const unknown of [nowhere, other.shares[0].id])
        await refused(404, 'not_found', () =>
          my.call('PUT', `/distributions/${plan.id}`, { shares: [{ id: unknown, name: 'Ada', percentage_bps: 1 }] }),
        )
    })

    it('let a share go only when it holds nothing', async () => {
      const plan = await my.plan([...half, { name: 'Bola', percentage_bps: 1_000 }])
      const payment = await my.sold([plan, 1_000_000, 1])
      const path = `/distributions/${plan.id}`
      const without = (name: string) => ({
        name: 'Fewer',
        shares: ['Ada', 'Bola', 'Chidi'].filter((one) => one !== name).map((one) => ({ name: one, percentage_bps: 5 })),
      })
      await refused(400, 'share_not_settled', () => my.call('PUT', path, without('Ada')))
      await refused(400, 'share_not_settled', () => my.call('PUT', path, without('Bola')))
      const { payouts } = await my.settle(plan)
      assert.deepEqual(await my.held(plan), [0, 100_000])
      await my.end(payouts[0], 'completed')
      const left = await my.must('PUT', path, without('Ada'))
      assert.deepEqual(
        left.shares.map((one: Json) => [one.name, one.accrued]),
        [
          ['Bola', 100_000],
          ['Chidi', 0],
        ],
      )
      // What a refund would take from a share that is gone is the business's to bear.
      await my.refunded(payment, 1_000_000)
      assert.deepEqual(await my.held(plan), [0, 0])
      const none = await my.must('PUT', path, without('Bola'))
      assert.deepEqual(
        none.shares.map((one: Json) => one.name),
        ['Ada', 'Chidi'],
      )
      // It is another share of that name, and what was settled was not its.
      assert.notEqual(none.shares[0].id, plan.shares[0].id)
      assert.equal(none.shares[0].settled, 0)
      await server.assertBooksClean()
    })

    it('show a share that was let go when money comes back to it, until it is settled', async () => {
      for (const back of ['payout', 'refund'] as const) {
        const plan = await my.plan(half)
        const payment = await my.sold([plan, 1_000_000, 1])
        const path = `/distributions/${plan.id}`
        const [{ id }] = plan.shares
        let fail: () => Promise<Json>
        if (back === 'payout') {
          const { payouts } = await my.settle(plan)
          fail = () => my.end(payouts[0], 'failed')
        } else {
          const refund = (await my.refund(payment)).data
          fail = () => my.must('POST', `/refunds/${refund.id}/simulate`, { outcome: 'failed' })
        }
        const others = { shares: [{ name: 'Bola', percentage_bps: 10_000 }] }
        assert.deepEqual((await my.must('PUT', path, others)).shares.length, 1)
        await fail()
        const shown = (await my.see(plan)).shares
        assert.deepEqual(
          shown.map((one: Json) => [one.name, one.accrued, one.removed]).sort(),
          [
            ['Ada', 500_000, true],
            ['Bola', 0, false],
          ],
          back,
        )
        // It shares nothing any more, and stands in no other change’s way.
        const { shares } = await my.must('POST', `${path}/preview`, { amount: 1_000 })
        assert.deepEqual(
          shares.map((one: Json) => [one.name, one.amount]),
          [['Bola', 1_000]],
        )
        await my.sold([plan, 1_000_000, 1])
        await my.must('PUT', path, { shares: [{ name: 'Bola', percentage_bps: 9_999 }] })
        const again = await my.settle(plan)
        assert.deepEqual(
          again.payouts.map((one: Json) => [one.share, one.amount]),
          [[id, 500_000]],
        )
        assert.deepEqual(
          (await my.see(plan)).shares.map((one: Json) => [one.name, one.accrued]),
          [['Bola', 990_000]],
        )
        // Its payout fails too, and it is taken on again.
        await my.end(again.payouts[0], 'failed')
        const taken = await my.must('PUT', path, {
          shares: [
            { id, name: 'Ada', percentage_bps: 1 },
            { name: 'Bola', percentage_bps: 1 },
          ],
        })
        assert.deepEqual(
          taken.shares.map((one: Json) => [one.name, one.accrued, one.removed]),
          [
            ['Ada', 500_000, false],
            ['Bola', 990_000, false],
          ],
        )
        await server.assertBooksClean()
      }
    })

    it('are turned off and on, as often as one likes', async () => {
      const plan = await my.plan(half)
      for (const [step, active] of [
        ['activate', true],
        ['deactivate', false],
        ['deactivate', false],
        ['activate', true],
      ] as const) {
        const { status, data } = await my.call('PATCH', `/distributions/${plan.id}/${step}`)
        assert.deepEqual([status, data], [200, { ...plan, active, updated_at: data.updated_at }])
        assert.deepEqual(await my.see(plan), data)
      }
    })

    it('are listed newest first, by what is asked for', async () => {
      const call = makeCall(server.url, (await createBusiness(server.app, 'Lister')).test_key)
      const ids: Record<string, string> = {}
      for (const [name, currency] of [
        ['a', 'ngn'],
        ['b', 'usd'],
        ['c', 'ngn'],
        ['d', 'eur'],
      ] as const)
        ids[name] = (await call('POST', '/distributions', { name, currency, shares: half })).data.id
      await call('PATCH', `/distributions/${ids.c}/deactivate`)
      for (const [query, expected] of [
        ['', 'dcba'],
        ['?active=true', 'dba'],
        ['?active=false', 'c'],
        ['?currency=ngn', 'ca'],
        ['?currency=ngn&active=true', 'a'],
        ['?limit=3&page=2', 'a'],
        [`?after=${ids.c}`, 'ba'],
      ]) {
        const { status, data } = await call('GET', `/distributions${query}`)
        assert.equal(status, 200)
        assert.equal(data.docs.map((one: Json) => one.name).join(''), expected, query)
        for (const one of data.docs) assert.deepEqual(one, (await call('GET', `/distributions/${one.id}`)).data)
      }
      for (const query of ['?currency=gbp', '?active=maybe', '?name=a'])
        await refused(422, 'validation_failed', () => call('GET', `/distributions${query}`))
    })

    it('are nobody else’s, and not of the other mode', async () => {
      const { id } = await my.plan(half)
      const stranger = makeCall(server.url, (await createBusiness(server.app, 'Stranger')).test_key)
      const live = server.callAs(server.liveKey)
      for (const [call, of] of [
        [stranger, id],
        [live, id],
        [server.call, nowhere],
        [server.call, 'nonsense'],
      ] as const) {
        await refused(404, 'not_found', () => call('GET', `/distributions/${of}`))
        await refused(404, 'not_found', () => call('PUT', `/distributions/${of}`, { shares: half }))
        await refused(404, 'not_found', () => call('PATCH', `/distributions/${of}/activate`))
        await refused(404, 'not_found', () => call('PATCH', `/distributions/${of}/deactivate`))
        await refused(404, 'not_found', () => call('POST', `/distributions/${of}/preview`, { amount: 1 }))
        await refused(404, 'not_found', () => call('POST', `/distributions/${of}/settle`))
      }
      for (const call of [stranger, live]) assert.deepEqual((await call('GET', '/distributions')).data.docs, [])
      const made = await live('POST', '/distributions', { name: 'Live', currency: 'ngn', shares: half })
      assert.deepEqual([made.status, made.data.livemode], [201, true])
    })
  })

  describe('of what is sold', () => {
    it('give what the preview shows', async () => {
      for (const shares of [
        [{ name: 'a', percentage_bps: 3_333 }],
        [
          { name: 'a', percentage_bps: 3_333 },
          { name: 'b', percentage_bps: 3_333 },
          { name: 'c', percentage_bps: 3_000 },
        ],
        [
          { name: 'a', percentage_bps: 5_000 },
          { name: 'b', flat_amount: 1_234 },
          { name: 'c', percentage_bps: 1 },
        ],
        [
          { name: 'a', flat_amount: 7 },
          { name: 'b', flat_amount: 11 },
        ],
      ])
        for (const [price, quantity] of [
          [99_999, 1],
          [12_345, 7],
          [2_000, 100],
          [1_000_003, 13],
        ] as const) {
          const plan = await my.plan(shares)
          const amount = price * quantity
          const preview = await my.must('POST', `/distributions/${plan.id}/preview`, { amount, quantity })
          assert.deepEqual([preview.amount, preview.quantity], [amount, quantity])
          const parts = preview.shares.map((one: Json) => one.amount)
          assert.equal(sum(parts) + preview.rest, amount)
          const before = await my.available()
          const payment = await my.sold([plan, price, quantity])
          assert.ok(payment.fee > 0)
          assert.ok(preview.rest >= payment.fee, 'the business’s part has to cover the fee here')
          assert.deepEqual(await my.held(plan), parts)
          assert.equal(await my.available(), before + preview.rest - payment.fee)
        }
      await server.assertBooksClean()
    })

    it('preview an amount of one, and what they cannot give', async () => {
      const plan = await my.plan([
        { name: 'a', flat_amount: 600 },
        { name: 'b', flat_amount: 600 },
        { name: 'c', percentage_bps: 10_000 },
      ])
      const path = `/distributions/${plan.id}/preview`
      const before = await snapshot(server.app)
      for (const [body, parts, rest] of [
        [{ amount: 1_000 }, [600, 400, 0], 0],
        [{ amount: 1_300 }, [600, 600, 100], 0],
        [{ amount: 1 }, [1, 0, 0], 0],
        [{ amount: most, quantity: 1_000_000 }, [600_000_000, 600_000_000, most - 1_200_000_000], 0],
      ] as const) {
        const { data } = await my.call('POST', path, body)
        assert.deepEqual(
          [data.shares.map((one: Json) => [one.id, one.name, one.amount]), data.rest],
          [plan.shares.map((one: Json, i: number) => [one.id, one.name, parts[i]]), rest],
        )
      }
      assert.deepEqual(await snapshot(server.app), before)
      for (const body of [
        {},
        { amount: 0 },
        { amount: 1.5 },
        { amount: most + 1 },
        { amount: 1, quantity: 0 },
        { amount: 1, quantity: 1_000_001 },
        { amount: 1, currency: 'ngn' },
      ])
        await refused(422, 'validation_failed', () => my.call('POST', path, body))
    })

    it('share each line by its own plan', async () => {
      const one = await my.plan([
        { name: 'a', percentage_bps: 1_000 },
        { name: 'b', flat_amount: 10 },
      ])
      const two = await my.plan([{ name: 'c', percentage_bps: 5_000 }])
      const before = await my.available()
      const payment = await my.sold([one, 1_005, 3], [null, 777_777, 1], [two, 333, 1], [one, 100_000, 2])
      // 3,015 less 30 is 2,985, and 200,000 less 20 is 199,980: a tenth of each, the half unit of the first up.
      assert.deepEqual(await my.held(one), [299 + 19_998, 50])
      assert.deepEqual(await my.held(two), [167])
      assert.equal(await my.available(), before + payment.net - 20_297 - 50 - 167)
      const { docs } = await my.must('GET', '/transactions?limit=1')
      assert.deepEqual(
        [docs[0].type, docs[0].direction, docs[0].method, docs[0].status, docs[0].amount, docs[0].balance_after],
        ['share', 'debit', 'wallet', 'completed', 20_514, await my.available()],
      )
      assert.deepEqual(docs[0].related, { payment: payment.id })
      await server.assertBooksClean()
    })

    it('never give more than the payment brought', async () => {
      const plan = await my.plan([
        { name: 'a', percentage_bps: 6_000 },
        { name: 'b', percentage_bps: 4_000 },
      ])
      const before = await my.available()
      const payment = await my.sold([plan, 1_000_001, 1])
      assert.deepEqual([payment.fee, payment.net], [10_001, 990_000])
      assert.deepEqual(await my.held(plan), [594_000, 396_000])
      assert.equal(await my.available(), before)
      // Flat ones are cut too, and a part of the fee that the business bears is.
      const flat = await my.plan([
        { name: 'a', flat_amount: 300_000 },
        { name: 'b', percentage_bps: 9_900 },
      ])
      const next = await my.sold([flat, 500_000, 2])
      assert.equal(next.net, 990_000)
      // 600,000 and 396,000 of 1,000,000: 6,000 too much.
      assert.deepEqual(await my.held(flat), [596_386, 393_614])
      assert.equal(await my.available(), before)
      // A price that the fee eats up.
      const small = await my.plan([{ name: 'a', percentage_bps: 10_000 }])
      const least = await my.sold([small, 1, 1])
      assert.deepEqual([least.fee, least.net], [1, 0])
      assert.deepEqual(await my.held(small), [0])
      await my.refunded(least, 1, 'failed')
      assert.deepEqual(await my.held(small), [0])
      await server.assertBooksClean()
    })

    it('give what is there when a part that was paid before is spent', async () => {
      const plan = await my.plan([
        { name: 'a', percentage_bps: 3_000 },
        { name: 'b', percentage_bps: 2_000 },
      ])
      const invoice = await my.invoice([plan, 1_000_000, 1])
      const part = await my.pay(invoice, 'underpaid')
      assert.deepEqual([part.status, part.amount_received], ['pending', 500_000])
      assert.deepEqual(await my.held(plan), [0, 0])
      await my.empty()
      const paid = await my.pay(invoice)
      assert.deepEqual([paid.status, paid.net], ['completed', 990_000])
      assert.equal((await my.must('GET', `/invoices/${invoice.id}`)).status, 'paid')
      // 300,000 and 200,000 of the 495,000 that the rest brought.
      assert.deepEqual(await my.held(plan), [297_000, 198_000])
      assert.equal(await my.available(), 0)
      await server.assertBooksClean()
      // A refund takes back what was given, in proportion, and the business bears what it spent.
      await server.fund('ngn', 505_000)
      await my.refunded(paid, 500_000)
      assert.deepEqual(await my.held(plan), [148_500, 99_000])
      await my.refunded(paid, 500_000)
      assert.deepEqual(await my.held(plan), [0, 0])
      assert.equal(await my.available(), 0)
      await server.assertBooksClean()
    })

    it('share nothing while they are off', async () => {
      const off = await my.plan(half)
      const on = await my.plan(half)
      const invoice = await my.invoice([off, 1_000_000, 1], [on, 10_000, 1])
      const before = await my.available()
      await my.must('PATCH', `/distributions/${off.id}/deactivate`)
      const payment = await my.pay(invoice)
      assert.deepEqual([await my.held(off), await my.held(on)], [[0], [5_000]])
      assert.equal(await my.available(), before + payment.net - 5_000)
      // Turned on again, it shares what is sold from then on.
      await my.must('PATCH', `/distributions/${off.id}/activate`)
      assert.deepEqual(await my.held(off), [0])
      await my.sold([off, 1_000_000, 1])
      assert.deepEqual(await my.held(off), [500_000])
      await my.refunded(payment, 1_010_000)
      assert.deepEqual([await my.held(off), await my.held(on)], [[500_000], [0]])
      await server.assertBooksClean()
    })

    it('share by the plan of the moment when it is paid', async () => {
      const plan = await my.plan(half)
      const invoice = await my.invoice([plan, 1_000_000, 1])
      await my.must('PUT', `/distributions/${plan.id}`, { shares: [{ name: 'Bola', percentage_bps: 100 }] })
      await my.pay(invoice)
      assert.deepEqual(await my.held(plan), [10_000])
    })

    it('share euros in dollars, at the rate of the invoice', async () => {
      const plan = await my.plan(
        [
          { name: 'a', percentage_bps: 5_000, destination: american },
          { name: 'b', flat_amount: 333 },
        ],
        'eur',
      )
      await server.fund('usd', 1_000)
      const before = await my.available('usd')
      const payment = await my.sold([plan, 10_001, 2], [plan, 99, 1])
      // 201.01 euros at 1.08 are 217.09 dollars: 216.02 of the first line, 1.07 of the second; a flat 3.33 are 3.59.
      assert.deepEqual([payment.currency, payment.amount, payment.fee], ['usd', 21_709, 174])
      assert.deepEqual(await my.held(plan), [(21_602 - 718) / 2, 718 + 107])
      assert.equal(await my.available('usd'), before + 21_709 - 174 - 10_442 - 825)
      const { payouts, skipped } = await my.settle(plan)
      assert.deepEqual(
        [payouts.map((one: Json) => one.amount), skipped.map((one: Json) => one.amount)],
        [[10_442], [825]],
      )
      const payout = await my.end(payouts[0], 'failed')
      assert.deepEqual([payout.currency, payout.destination_currency], ['usd', 'usd'])
      assert.deepEqual(await my.held(plan), [10_442, 825])
      await my.refunded(payment, 21_709)
      assert.deepEqual(await my.held(plan), [0, 0])
      await server.assertBooksClean()
    })

    it('hold no more than the API can carry', async () => {
      const made = await createBusiness(server.app, 'Rich')
      const rich = actor(server, makeCall(server.url, made.test_key))
      const plan = await rich.plan([{ name: 'Ada', percentage_bps: 10_000, destination: bank() }])
      const { net } = await rich.sold([plan, most, 1])
      assert.deepEqual(await rich.held(plan), [net])
      const invoice = await rich.invoice([plan, most, 1])
      await refused(400, 'amount_too_large', () =>
        rich.call('POST', `/payments/${invoice.payment}/simulate`, { outcome: 'completed', method: 'bank_transfer' }),
      )
      // A wallet that is full cannot take what a share is paid out by.
      await rich.must('POST', '/wallets/simulate-fund', { currency: 'ngn', amount: most })
      const full = await rich.settle(plan)
      assert.deepEqual([full.payouts, full.skipped[0].amount, full.skipped[0].code], [[], net, 'amount_too_large'])
      // What is on its way out counts: it may come back.
      await rich.must('POST', '/payouts', bankPayout('spent', most))
      await rich.end({ reference: 'spent' }, 'completed')
      const { payouts } = await rich.settle(plan)
      assert.equal(payouts[0].amount, net)
      await rich.end(payouts[0], 'completed')
      assert.equal((await rich.pay(invoice)).status, 'completed')
      assert.deepEqual(await rich.held(plan), [net])
      await server.assertBooksClean()
    })

    it('share the money of one business among its own', async () => {
      const made = await createBusiness(server.app, 'Other')
      const other = actor(server, makeCall(server.url, made.test_key))
      const plan = await other.plan(half)
      const mine = await my.available()
      const payment = await other.sold([plan, 10_000, 1])
      assert.deepEqual(await other.held(plan), [5_000])
      assert.equal(await other.available(), payment.net - 5_000)
      assert.equal(await my.available(), mine)
    })
  })

  describe('of what is refunded', () => {
    it('give their parts back in proportion, and all in the end', async () => {
      const plan = await my.plan([
        { name: 'a', percentage_bps: 3_333 },
        { name: 'b', flat_amount: 7 },
      ])
      const payment = await my.sold([plan, 100_000, 1])
      const [a, b] = await my.held(plan)
      assert.deepEqual([a, b], [33_328, 7])
      let back = 0
      for (const amount of [1, 33_332, 16_667, 49_999, 1]) {
        const before = await my.available()
        back += amount
        await my.refunded(payment, amount)
        // What a share keeps: its part, less its proportion of what went back, rounded down.
        const kept = [33_328, 7].map((part) => part - Math.floor((part * back) / 100_000))
        const given = 33_335 - sum(kept)
        assert.deepEqual(await my.held(plan), kept, `after ${back}`)
        const earlier = sum([33_328, 7].map((part) => Math.floor((part * (back - amount)) / 100_000)))
        assert.equal(await my.available(), before - amount + given - earlier)
      }
      assert.deepEqual(await my.held(plan), [0, 0])
      await server.assertBooksClean()
    })

    it('tell of it in a transaction that names the refund', async () => {
      const plan = await my.plan(half)
      const payment = await my.sold([plan, 100_000, 1])
      const { data } = await my.refund(payment, { amount: 50_000 })
      const { docs } = await my.must('GET', '/transactions?limit=2')
      const share = docs.find((one: Json) => one.type === 'share')
      assert.deepEqual(
        [share.direction, share.amount, share.status, share.related],
        ['credit', 25_000, 'completed', { refund: data.id, payment: payment.id }],
      )
      await my.must('POST', `/refunds/${data.id}/simulate`, { outcome: 'failed' })
      const again = (await my.must('GET', '/transactions?limit=1')).docs[0]
      assert.deepEqual(
        [again.type, again.direction, again.amount, again.related],
        ['share', 'debit', 25_000, { refund: data.id, payment: payment.id }],
      )
      assert.equal(again.balance_after, await my.available())
    })

    it('keep theirs while what came on top goes back', async () => {
      const plan = await my.plan(half)
      const payment = await my.pay(await my.invoice([plan, 1_000_000, 1]), 'overpaid')
      assert.equal(payment.amount_received, 1_100_001)
      // The price is shared, and not what came on top.
      assert.deepEqual(await my.held(plan), [500_000])
      for (const [amount, left] of [
        [100_000, 500_000],
        [1, 500_000],
        [2, 499_999],
        [499_998, 250_000],
        [500_000, 0],
      ] as const) {
        await my.refunded(payment, amount)
        assert.deepEqual(await my.held(plan), [left], `after ${amount}`)
      }
      await server.assertBooksClean()
    })

    it('give nothing more while money that came after a refund goes back', async () => {
      const plan = await my.plan(half)
      const payment = await my.sold([plan, 1_000_000, 1])
      await my.refunded(payment, 600_000)
      assert.deepEqual(await my.held(plan), [200_000])
      const { docs } = await my.must('GET', '/virtual-accounts?limit=100')
      const account = docs.find((one: Json) => one.payment === payment.id)
      const deposit = { amount: 300_000, sender: ada }
      await my.must('POST', `/virtual-accounts/${account.id}/simulate-deposit`, deposit)
      for (const [amount, left] of [
        [100_000, 200_000],
        [200_000, 200_000],
        [100_000, 150_000],
        [300_000, 0],
      ] as const) {
        await my.refunded(payment, amount)
        assert.deepEqual(await my.held(plan), [left], `after ${amount}`)
      }
      await server.assertBooksClean()
    })

    it('get back exactly what a refund took that fails', async () => {
      const plan = await my.plan([
        { name: 'a', percentage_bps: 3_333 },
        { name: 'b', flat_amount: 7 },
      ])
      const payment = await my.sold([plan, 100_000, 1])
      const wallet = await my.available()
      for (const amount of [100_000, 1, 33_333]) {
        const { data } = await my.refund(payment, { amount })
        assert.equal(sum(await my.held(plan)), 33_335 - [33_328, 7].reduce((a, b) => a + took(b, amount), 0))
        await my.must('POST', `/refunds/${data.id}/simulate`, { outcome: 'failed' })
        assert.deepEqual([await my.held(plan), await my.available()], [[33_328, 7], wallet])
      }
      await my.refunded(payment, 40_000)
      const after = await my.held(plan)
      await my.refunded(payment, 60_000, 'failed')
      assert.deepEqual(await my.held(plan), after)
      await my.refunded(payment, 60_000)
      assert.deepEqual(await my.held(plan), [0, 0])
      await server.assertBooksClean()
    })
    const took = (part: number, amount: number): number => Math.floor((part * amount) / 100_000)

    it('have the business bear what they have settled', async () => {
      const plan = await my.plan([...half, { name: 'Bola', percentage_bps: 1_000 }])
      const payment = await my.sold([plan, 1_000_000, 1])
      await server.fund('ngn', 1_000_000)
      const { payouts } = await my.settle(plan)
      await my.end(payouts[0], 'completed')
      assert.deepEqual(
        [await my.held(plan), await my.settled(plan)],
        [
          [0, 100_000],
          [500_000, 0],
        ],
      )
      const wallet = await my.available()
      // Half of each, and Ada has nothing left to give.
      await my.refunded(payment, 500_000, 'failed')
      assert.deepEqual([await my.held(plan), await my.available()], [[0, 100_000], wallet])
      await my.refunded(payment, 500_000)
      assert.deepEqual([await my.held(plan), await my.available()], [[0, 50_000], wallet - 450_000])
      // What she gets for another sale is not taken for what was borne.
      await my.sold([plan, 100_000, 1])
      assert.deepEqual(await my.held(plan), [50_000, 60_000])
      const now = await my.available()
      await my.refunded(payment, 200_000)
      // 100,000 are due of her now, and she has 50,000 of the other sale.
      assert.deepEqual(await my.held(plan), [0, 40_000])
      assert.equal(await my.available(), now - 200_000 + 50_000 + 20_000)
      await my.refunded(payment, 300_000)
      assert.deepEqual(await my.held(plan), [0, 10_000])
      assert.deepEqual(await my.settled(plan), [500_000, 0])
      await server.assertBooksClean()
    })

    it('are left alone when the wallet cannot bear the refund', async () => {
      const plan = await my.plan([...half, { name: 'Bola', percentage_bps: 1_000 }])
      const payment = await my.sold([plan, 1_000_000, 1])
      await my.settle(plan)
      await my.empty()
      const body = await refused(400, 'insufficient_funds', () => my.refund(payment))
      // The part that Bola would have given back is counted in.
      assert.deepEqual([body.errors.available, body.errors.needed], [100_000, 1_000_000])
      assert.deepEqual(await my.held(plan), [0, 100_000])
      await server.fund('ngn', 899_999)
      await refused(400, 'insufficient_funds', () => my.refund(payment))
      await server.fund('ngn', 1)
      await my.refunded(payment, 1_000_000)
      assert.deepEqual([await my.held(plan), await my.available()], [[0, 0], 0])
      await server.assertBooksClean()
    })

    it('get what is there when a refund fails that took more than it held', async () => {
      // Of twenty units nineteen go back: by rounding no share gives any, and all give theirs for the last one.
      const plan = await my.plan(
        Array.from({ length: 19 }, (_, i) => ({ name: `Share ${i}`, percentage_bps: 500, destination: null })),
      )
      const payment = await my.sold([plan, 20, 1])
      assert.deepEqual(await my.held(plan), Array(19).fill(1))
      await server.fund('ngn', 1_000)
      await my.refunded(payment, 19)
      assert.deepEqual(await my.held(plan), Array(19).fill(1))
      const { data } = await my.refund(payment)
      assert.deepEqual(await my.held(plan), Array(19).fill(0))
      await my.empty()
      const failed = await my.must('POST', `/refunds/${data.id}/simulate`, { outcome: 'failed' })
      assert.equal(failed.status, 'failed')
      // The one unit of the refund is all that the wallet has.
      assert.equal(sum(await my.held(plan)), 1)
      assert.equal(await my.available(), 0)
      await server.assertBooksClean()
      await my.refunded(payment, 1)
      assert.deepEqual(await my.held(plan), Array(19).fill(0))
      await server.assertBooksClean()
    })
  })

  describe('that are settled', () => {
    const eventsOf = async (reference: string): Promise<string[]> => {
      const { docs } = await my.must('GET', '/events?limit=100')
      return docs.filter((one: Json) => one.payload.reference === reference).map((one: Json) => one.type)
    }

    it('are paid out by ordinary payouts, and skipped where they cannot be', async () => {
      const plan = await my.plan([
        { name: 'Ada', percentage_bps: 1_000, destination: bank() },
        { name: 'Nowhere', percentage_bps: 1_000 },
        { name: 'Little', flat_amount: 3_500, destination: bank() },
        { name: 'Unknown', percentage_bps: 500, destination: bank('0000000003') },
        { name: 'Nothing', flat_amount: 1, destination: bank() },
        { name: 'Token', percentage_bps: 4_000, destination: { currency: 'usdc', chain: 'base', address } },
        { name: 'Dollars', percentage_bps: 500, destination: american },
      ])
      await my.sold([plan, 10_003_501, 1])
      assert.deepEqual(await my.held(plan), [1_000_000, 1_000_000, 3_500, 500_000, 1, 4_000_000, 500_000])
      const wallet = await my.available()
      const { payouts, skipped } = await my.settle(plan)
      const [ids, amounts] = [plan.shares.map((one: Json) => one.id), await my.settled(plan)]
      assert.deepEqual(
        payouts.map((one: Json) => [ids.indexOf(one.share), one.amount]),
        [
          [0, 1_000_000],
          [5, 4_000_000],
          [6, 500_000],
        ],
      )
      assert.deepEqual(
        skipped.map((one: Json) => [ids.indexOf(one.share), one.amount, one.code]),
        [
          [1, 1_000_000, 'no_destination'],
          [2, 3_500, 'amount_too_small'],
          [3, 500_000, 'account_not_found'],
          [4, 1, 'amount_too_small'],
        ],
      )
      for (const one of skipped) assert.ok(one.message.length > 10)
      assert.deepEqual(amounts, [1_000_000, 0, 0, 0, 0, 4_000_000, 500_000])
      assert.deepEqual(await my.held(plan), [0, 1_000_000, 3_500, 500_000, 1, 0, 0])
      assert.equal(await my.available(), wallet)
      const [first] = payouts
      const payout = await my.must('GET', `/payouts/${first.reference}`)
      assert.deepEqual(
        [payout.id, payout.amount, payout.fee, payout.status, payout.description, payout.metadata],
        [first.payout, 1_000_000, 3_500, 'pending', 'Makers: Ada', { distribution: plan.id, share: plan.shares[0].id }],
      )
      const token = await my.must('GET', `/payouts/${payouts[1].reference}`)
      assert.deepEqual([token.method, token.destination.chain, token.destination_currency], ['crypto', 'base', 'usdc'])
      for (const one of payouts) {
        await my.end(one, 'completed')
        assert.deepEqual((await eventsOf(one.reference)).sort(), ['payout.completed', 'payout.initiated'])
      }
      assert.deepEqual(await my.settled(plan), amounts)
      assert.equal(await my.available(), wallet)
      // To settle again finds what was skipped, and nothing else.
      const again = await my.settle(plan)
      assert.deepEqual([again.payouts, again.skipped], [[], skipped])
      await server.assertBooksClean()
    })

    it('tell of both crossings of the wallet', async () => {
      const plan = await my.plan(half)
      await my.sold([plan, 100_000, 1])
      const wallet = await my.available()
      const { payouts } = await my.settle(plan)
      const related = { share: plan.shares[0].id }
      const shares = async () =>
        (await my.must('GET', '/transactions?limit=4')).docs
          .filter((one: Json) => one.related.share)
          .map((one: Json) => [one.type, one.direction, one.amount, one.balance_after, one.related])
      assert.deepEqual(await shares(), [['share', 'credit', 50_000, wallet + 50_000, related]])
      await my.end(payouts[0], 'failed')
      assert.deepEqual(await shares(), [
        ['share', 'debit', 50_000, wallet, related],
        ['share', 'credit', 50_000, wallet + 50_000, related],
      ])
    })

    it('pay out with an empty wallet, also when they have nothing to pay', async () => {
      const plan = await my.plan(half)
      assert.deepEqual(await my.settle(plan), { payouts: [], skipped: [] })
      await my.sold([plan, 100_000, 1])
      await my.empty()
      const { payouts } = await my.settle(plan)
      assert.deepEqual(
        payouts.map((one: Json) => one.amount),
        [50_000],
      )
      assert.equal(await my.available(), 0)
      await my.end(payouts[0], 'failed')
      assert.deepEqual([await my.held(plan), await my.available()], [[50_000], 0])
      await server.assertBooksClean()
    })

    it('settle while they are off: what is theirs is theirs', async () => {
      const plan = await my.plan(half)
      await my.sold([plan, 100_000, 1])
      await my.must('PATCH', `/distributions/${plan.id}/deactivate`)
      const { payouts } = await my.settle(plan)
      assert.equal(payouts.length, 1)
      assert.deepEqual(await my.held(plan), [0])
    })

    it('get their money back when a payout fails, is told to fail or is canceled', async () => {
      const plan = await my.plan([
        { name: 'Ada', percentage_bps: 1_000, destination: bank('0000000001') },
        { name: 'Bola', percentage_bps: 2_000, destination: bank() },
        { name: 'Chidi', percentage_bps: 3_000, destination: bank() },
        { name: 'Dayo', percentage_bps: 500, destination: bank() },
      ])
      await my.sold([plan, 1_000_000, 1])
      const wallet = await my.available()
      const { payouts } = await my.settle(plan)
      assert.deepEqual(await my.held(plan), [0, 0, 0, 0])
      await my.must('POST', `/payouts/${payouts[1].reference}/cancel`)
      assert.deepEqual(
        [await my.held(plan), await my.settled(plan)],
        [
          [0, 200_000, 0, 0],
          [100_000, 0, 300_000, 50_000],
        ],
      )
      await my.end(payouts[2], 'failed')
      assert.deepEqual(await my.held(plan), [0, 200_000, 300_000, 0])
      assert.equal(await my.available(), wallet)
      // The bank says by itself what the account of the first is.
      await my.must('POST', '/test/clock', { advance: '3h' })
      const failed = await until(async () => {
        const data = await my.must('GET', `/payouts/${payouts[0].reference}`)
        return data.status === 'failed' ? data : null
      })
      assert.equal(failed.failure_reason, 'invalid_account')
      await until(async () => (await my.must('GET', `/payouts/${payouts[3].reference}`)).status === 'completed')
      assert.deepEqual(
        [await my.held(plan), await my.settled(plan)],
        [
          [100_000, 200_000, 300_000, 0],
          [0, 0, 0, 50_000],
        ],
      )
      for (const [i, type] of ['payout.failed', 'payout.canceled', 'payout.failed', 'payout.completed'].entries())
        assert.deepEqual((await eventsOf(payouts[i].reference)).sort(), [type, 'payout.initiated'].sort())
      await server.assertBooksClean()
      // And it can go out again.
      const again = await my.settle(plan)
      assert.deepEqual(
        again.payouts.map((one: Json) => one.amount),
        [100_000, 200_000, 300_000],
      )
      await server.assertBooksClean()
    })

    it('are paid once when they are settled twice at once', async () => {
      for (let round = 0; round < 5; round++) {
        const plan = await my.plan([
          { name: 'Ada', percentage_bps: 1_000, destination: bank() },
          { name: 'Bola', percentage_bps: 2_000, destination: bank() },
        ])
        await my.sold([plan, 1_000_000, 1])
        const answers = await Promise.all([my.settle(plan), my.settle(plan), my.settle(plan)])
        const payouts = answers.flatMap((one) => one.payouts)
        assert.deepEqual(payouts.map((one: Json) => one.amount).sort(), [100_000, 200_000])
        assert.deepEqual(
          answers.flatMap((one) => one.skipped),
          [],
        )
        assert.deepEqual(await my.settled(plan), [100_000, 200_000])
      }
      await server.assertBooksClean()
    })

    it('settle while other payouts of theirs fail and other sales are paid', async () => {
      const plan = await my.plan([
        { name: 'Ada', percentage_bps: 1_000, destination: bank() },
        { name: 'Bola', percentage_bps: 2_000, destination: bank() },
      ])
      let expected = 0
      for (let round = 0; round < 8; round++) {
        await my.sold([plan, 1_000_000, 1])
        const { payouts } = await my.settle(plan)
        const invoices = [await my.invoice([plan, 1_000_000, 1]), await my.invoice([plan, 1_000_000, 1])]
        await my.pay(invoices[0])
        const answers = await Promise.all([
          ...payouts.map((one: Json) => my.call('POST', `/payouts/${one.reference}/simulate`, { outcome: 'failed' })),
          my.call('POST', `/distributions/${plan.id}/settle`),
          my.call('POST', `/payments/${invoices[1].payment}/simulate`, {
            outcome: 'completed',
            method: 'bank_transfer',
          }),
          my.call('PUT', `/distributions/${plan.id}`, {
            shares: plan.shares.map(({ name, percentage_bps }: Json) => ({
              name,
              percentage_bps,
              destination: bank(),
            })),
          }),
        ])
        assert.deepEqual(
          answers.map((one) => one.status),
          answers.map(() => 200),
          JSON.stringify(answers.map((one) => one.body.errors)),
        )
        expected += 900_000
        const { shares } = await my.see(plan)
        assert.equal(sum(shares.flatMap((one: Json) => [one.accrued, one.settled])), expected)
      }
      await server.assertBooksClean()
    })

    it('pay out what a refund has left when both come at once', async () => {
      const plan = await my.plan([...half, { name: 'Bola', percentage_bps: 1_000, destination: bank() }])
      const payments = [await my.sold([plan, 100_000, 1]), await my.sold([plan, 200_000, 1])]
      await server.fund('ngn', 300_000)
      // Someone holds the wallet; the refund waits for it, and then the settlement behind the refund.
      const other = await server.app.db.pool.connect()
      const waiting = (count: number) =>
        until(async () => {
          const found = await server.app.db.query(
            `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          )
          return found.length >= count
        })
      await other.query('begin')
      await other.query(
        `select from ledger_accounts where business_id = $1 and not livemode and purpose = 'wallet_available' for update`,
        [server.businessId],
      )
      const refund = my.refund(payments[0])
      await waiting(1)
      const settle = my.call('POST', `/distributions/${plan.id}/settle`)
      await waiting(2)
      await other.query('rollback')
      other.release()
      assert.equal((await refund).status, 201)
      const { status, data, body } = await settle
      assert.equal(status, 200, JSON.stringify(body))
      assert.deepEqual(
        data.payouts.map((one: Json) => one.amount),
        [100_000, 20_000],
      )
      assert.deepEqual(await my.held(plan), [0, 0])
      await server.assertBooksClean()
    })

    it('are not let go by a change while a sale is paid', async () => {
      for (let round = 0; round < 8; round++) {
        const plan = await my.plan(half)
        const invoice = await my.invoice([plan, 100_000, 1])
        const [paid] = await Promise.all([
          my.call('POST', `/payments/${invoice.payment}/simulate`, { outcome: 'completed', method: 'bank_transfer' }),
          my.call('PUT', `/distributions/${plan.id}`, { shares: [{ name: 'Bola', percentage_bps: 5_000 }] }),
        ])
        assert.equal(paid?.status, 200)
        // Whoever was in the plan when it was paid holds the part, and is shown.
        assert.equal(sum(await my.held(plan)), 50_000)
      }
      await server.assertBooksClean()
    })
  })
})

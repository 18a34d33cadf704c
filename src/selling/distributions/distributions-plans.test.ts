/**
 * Goal: a plan says exactly who gets which part, refuses what cannot add up or be paid to, and
 * keeps what shares hold through every change. Method: plans are made, changed, listed and asked
 * for by strangers over HTTP; what a refusal leaves is compared row by row.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  address,
  americanAccount,
  assertRefused,
  bankAccount,
  type Json,
  most,
  newBusiness,
  noId,
} from '../../../test/support/actors.ts'
import { shareServer, type TestServer } from '../../../test/support/harness.ts'
import { half, newSharingMerchant, type SharingMerchant } from '../../../test/support/sharing.ts'

describe('distributions as plans', () => {
  let server: TestServer
  let merchant: SharingMerchant
  before(async () => {
    // Payouts and refunds wait until a test says how they end.
    server = await shareServer({ SANDBOX_DELAY: '1h' })
    merchant = newSharingMerchant(server)
  })
  after(() => server.stop())

  const withoutChange = ({
    destination_changed_at: _at,
    destination_changed_by: _by,
    destination_usable_from: _from,
    ...share
  }: Json): Json => share

  it('are made, and read back as they were made', async () => {
    const { status, data } = await merchant.call('POST', '/distributions', {
      name: 'Makers',
      currency: 'eur',
      shares: [
        { name: 'Ada', percentage_bps: 2_500, destination: americanAccount },
        {
          name: 'Bola',
          flat_amount: 150,
          destination: { currency: 'usdc', chain: 'base', address },
        },
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
          ...withoutChange(one),
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
            destination: {
              currency: 'usd',
              ...americanAccount,
              bank_name: data.shares[0].destination.bank_name,
            },
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
    assert.deepEqual(await merchant.readPlan(data), data)
    for (const currency of ['ngn', 'usd'])
      assert.equal((await merchant.makePlan(half, currency)).settlement_currency, currency)
  })

  it('refuse shares that do not add up, and limits that are passed', async () => {
    const share = (more: object = {}) => ({ name: 'Ada', percentage_bps: 100, ...more })
    const many = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ name: `Share ${i}`, percentage_bps: 10_000 / 20 }))
    const plan = { name: 'Makers', currency: 'ngn', shares: [share()] }
    const known = await merchant.makePlan(half)
    const shares: [Json, string][] = [
      [[], 'shares'],
      [null, 'shares'],
      [many(21), 'shares'],
      [[{ name: 'Ada' }], 'shares.0.percentage_bps'],
      [[share({ flat_amount: 5 })], 'shares.0.percentage_bps'],
      [[share(), share()], 'shares.1.name'],
      [
        [share({ percentage_bps: 5_001 }), share({ name: 'Bola', percentage_bps: 5_000 })],
        'shares',
      ],
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
        const { data } = await assertRefused(server, 422, 'validation_failed', () =>
          merchant.call(method, to, body),
        )
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
      await assertRefused(server, 422, 'validation_failed', () =>
        merchant.call('POST', '/distributions', { ...plan, ...change }),
      )
    for (const change of [{ name: '' }, { currency: 'ngn' }, { active: false }, { metadata: null }])
      await assertRefused(server, 422, 'validation_failed', () =>
        merchant.call('PUT', `/distributions/${known.id}`, change),
      )
    // The most that is allowed.
    const full = await merchant.makePlan(many(20))
    assert.equal(full.shares.length, 20)
    const flats = await merchant.makePlan([
      { name: 'x'.repeat(100), flat_amount: most },
      { name: 'y', flat_amount: most },
      { name: 'z', percentage_bps: 10_000 },
    ])
    assert.equal(flats.shares[0].flat_amount, most)
  })

  it('refuse destinations that cannot be paid to', async () => {
    const known = await merchant.makePlan(half)
    for (const [destination, status, code] of [
      [{ ...bankAccount(), bank_code: '000' }, 400, 'unknown_bank'],
      [bankAccount('123'), 422, 'validation_failed'],
      [bankAccount('012345678'), 400, 'invalid_destination'],
      [{ bank_code: '058' }, 422, 'validation_failed'],
      [{}, 422, 'validation_failed'],
      ['x', 422, 'validation_failed'],
      [{ ...bankAccount(), chain: 'base' }, 422, 'validation_failed'],
      [{ ...bankAccount(), currency: 'usd' }, 400, 'currency_mismatch'],
      [{ ...americanAccount, routing_number: '110000001' }, 400, 'invalid_destination'],
      [{ currency: 'usdc', chain: 'nowhere', address }, 400, 'unsupported_chain'],
      [{ currency: 'ngn', chain: 'base', address }, 400, 'currency_mismatch'],
      [
        { currency: 'usdc', chain: 'base', address: address.replace('A', 'a') },
        400,
        'invalid_address',
      ],
      [
        { currency: 'usdc', chain: 'base', address: `0x${'0'.repeat(40)}` },
        400,
        'invalid_destination',
      ],
      [{ currency: 'usdc', chain: 'base' }, 422, 'validation_failed'],
    ] as const) {
      const shares = [
        { name: 'Bola', percentage_bps: 1, destination: bankAccount() },
        { name: 'Ada', percentage_bps: 1, destination },
      ]
      const body = { name: 'Makers', currency: 'ngn', shares }
      const {
        data,
        body: { message },
      } = await assertRefused(server, status, code, () =>
        merchant.call('POST', '/distributions', body),
      )
      assert.match(status === 422 ? data[0].path : message, /^shares\.1\b/)
      await assertRefused(server, status, code, () =>
        merchant.call('PUT', `/distributions/${known.id}`, { shares }),
      )
    }
    assert.deepEqual(await merchant.readPlan(known), known)
  })

  it('change in what is given, and in nothing else', async () => {
    let now = await merchant.makePlan([...half, { name: 'Bola', flat_amount: 5 }])
    for (const change of [{ name: 'Others' }, { metadata: { a: 1 } }, { metadata: {} }, {}]) {
      const changed = await merchant.ask('PUT', `/distributions/${now.id}`, change)
      assert.deepEqual(changed, { ...now, ...change, updated_at: changed.updated_at })
      assert.deepEqual(await merchant.readPlan(now), changed)
      now = changed
    }
  })

  it('keep what a share holds through a change of its plan', async () => {
    const plan = await merchant.makePlan([
      { name: 'Ada', percentage_bps: 2_000, destination: bankAccount() },
      { name: 'Bola', percentage_bps: 1_000 },
    ])
    await merchant.sell([plan, 1_000_000, 1])
    const [first, second] = (await merchant.readPlan(plan)).shares
    assert.deepEqual([first.accrued, second.accrued], [200_000, 100_000])
    // By its name, and in another order.
    const renewed = await merchant.ask('PUT', `/distributions/${plan.id}`, {
      shares: [
        { name: 'Chidi', percentage_bps: 500 },
        { name: 'Bola', flat_amount: 70 },
        { name: 'Ada', percentage_bps: 9_500 },
      ],
    })
    assert.deepEqual(
      renewed.shares.map((one: Json) => [
        one.name,
        one.percentage_bps,
        one.flat_amount,
        one.accrued,
      ]),
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
    const renamed = await merchant.ask('PUT', `/distributions/${plan.id}`, {
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
    const swapped = await merchant.ask('PUT', `/distributions/${plan.id}`, {
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
  })

  it('tell a share by its id from a new one that takes its name', async () => {
    const plan = await merchant.makePlan([{ name: 'Ada', percentage_bps: 2_000 }])
    await merchant.sell([plan, 1_000_000, 1])
    const [{ id }] = plan.shares
    const shares = [
      { id, name: 'Ada Okafor', percentage_bps: 1_000 },
      { name: 'Ada', percentage_bps: 500 },
    ]
    for (const order of [shares, shares.toReversed()]) {
      const { shares: now } = await merchant.ask('PUT', `/distributions/${plan.id}`, {
        shares: order,
      })
      assert.deepEqual(
        now.map((one: Json) => [one.name, one.percentage_bps, one.accrued]),
        order.map((one) => [one.name, one.percentage_bps, one.id ? 200_000 : 0]),
      )
    }
    const twice = [
      { id, name: 'Ada', percentage_bps: 1_000 },
      { id, name: 'Bola', percentage_bps: 500 },
    ]
    await assertRefused(server, 404, 'not_found', () =>
      merchant.call('POST', '/distributions', {
        name: 'Makers',
        currency: 'ngn',
        shares: [twice[0]],
      }),
    )
    const { data } = await assertRefused(server, 422, 'validation_failed', () =>
      merchant.call('PUT', `/distributions/${plan.id}`, { shares: twice }),
    )
    assert.equal(data[0].path, 'shares.1.id')
    const other = await merchant.makePlan(half)
    for (const unknown of [noId, other.shares[0].id])
      await assertRefused(server, 404, 'not_found', () =>
        merchant.call('PUT', `/distributions/${plan.id}`, {
          shares: [{ id: unknown, name: 'Ada', percentage_bps: 1 }],
        }),
      )
  })

  it('let a share go only when it holds nothing', async () => {
    const plan = await merchant.makePlan([...half, { name: 'Bola', percentage_bps: 1_000 }])
    const payment = await merchant.sell([plan, 1_000_000, 1])
    const path = `/distributions/${plan.id}`
    const without = (name: string) => ({
      name: 'Fewer',
      shares: ['Ada', 'Bola', 'Chidi']
        .filter((one) => one !== name)
        .map((one) => ({ name: one, percentage_bps: 5 })),
    })
    await assertRefused(server, 400, 'share_not_settled', () =>
      merchant.call('PUT', path, without('Ada')),
    )
    await assertRefused(server, 400, 'share_not_settled', () =>
      merchant.call('PUT', path, without('Bola')),
    )
    const { payouts } = await merchant.settle(plan)
    assert.deepEqual(await merchant.held(plan), [0, 100_000])
    await merchant.endPayout(payouts[0], 'completed')
    const left = await merchant.ask('PUT', path, without('Ada'))
    assert.deepEqual(
      left.shares.map((one: Json) => [one.name, one.accrued]),
      [
        ['Bola', 100_000],
        ['Chidi', 0],
      ],
    )
    // What a refund would take from a share that is gone is the business's to bear.
    await merchant.refundAndEnd(payment, 1_000_000)
    assert.deepEqual(await merchant.held(plan), [0, 0])
    const none = await merchant.ask('PUT', path, without('Bola'))
    assert.deepEqual(
      none.shares.map((one: Json) => one.name),
      ['Ada', 'Chidi'],
    )
    // It is another share of that name, and what was settled was not its.
    assert.notEqual(none.shares[0].id, plan.shares[0].id)
    assert.equal(none.shares[0].settled, 0)
  })

  it('show a share that was let go when money comes back to it, until it is settled', async () => {
    for (const back of ['payout', 'refund'] as const) {
      const plan = await merchant.makePlan(half)
      const payment = await merchant.sell([plan, 1_000_000, 1])
      const path = `/distributions/${plan.id}`
      const [{ id }] = plan.shares
      let fail: () => Promise<Json>
      if (back === 'payout') {
        const { payouts } = await merchant.settle(plan)
        fail = () => merchant.endPayout(payouts[0], 'failed')
      } else {
        const refund = (await merchant.refund(payment)).data
        fail = () => merchant.ask('POST', `/refunds/${refund.id}/simulate`, { outcome: 'failed' })
      }
      const others = { shares: [{ name: 'Bola', percentage_bps: 10_000 }] }
      assert.deepEqual((await merchant.ask('PUT', path, others)).shares.length, 1)
      await fail()
      const shown = (await merchant.readPlan(plan)).shares
      assert.deepEqual(
        shown.map((one: Json) => [one.name, one.accrued, one.removed]).sort(),
        [
          ['Ada', 500_000, true],
          ['Bola', 0, false],
        ],
        back,
      )
      // It shares nothing any more, and stands in no other change’s way.
      const { shares } = await merchant.ask('POST', `${path}/preview`, { amount: 1_000 })
      assert.deepEqual(
        shares.map((one: Json) => [one.name, one.amount]),
        [['Bola', 1_000]],
      )
      await merchant.sell([plan, 1_000_000, 1])
      await merchant.ask('PUT', path, { shares: [{ name: 'Bola', percentage_bps: 9_999 }] })
      const again = await merchant.settle(plan)
      assert.deepEqual(
        again.payouts.map((one: Json) => [one.share, one.amount]),
        [[id, 500_000]],
      )
      assert.deepEqual(
        (await merchant.readPlan(plan)).shares.map((one: Json) => [one.name, one.accrued]),
        [['Bola', 990_000]],
      )
      // Its payout fails too, and it is taken on again.
      await merchant.endPayout(again.payouts[0], 'failed')
      const taken = await merchant.ask('PUT', path, {
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
    }
  })

  it('are turned off and on, as often as one likes', async () => {
    const plan = await merchant.makePlan(half)
    for (const [step, active] of [
      ['activate', true],
      ['deactivate', false],
      ['deactivate', false],
      ['activate', true],
    ] as const) {
      const { status, data } = await merchant.call('PATCH', `/distributions/${plan.id}/${step}`)
      assert.deepEqual([status, data], [200, { ...plan, active, updated_at: data.updated_at }])
      assert.deepEqual(await merchant.readPlan(plan), data)
    }
  })

  it('are listed newest first, by what is asked for', async () => {
    const call = await newBusiness(server, 'Lister')
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
      for (const one of data.docs)
        assert.deepEqual(one, (await call('GET', `/distributions/${one.id}`)).data)
    }
    for (const query of ['?currency=gbp', '?active=maybe', '?name=a'])
      await assertRefused(server, 422, 'validation_failed', () =>
        call('GET', `/distributions${query}`),
      )
  })

  it('are nobody else’s, and not of the other mode', async () => {
    const { id } = await merchant.makePlan(half)
    const stranger = await newBusiness(server)
    const live = server.callAs(server.liveKey)
    for (const [call, of] of [
      [stranger, id],
      [live, id],
      [server.call, noId],
      [server.call, 'nonsense'],
    ] as const) {
      await assertRefused(server, 404, 'not_found', () => call('GET', `/distributions/${of}`))
      await assertRefused(server, 404, 'not_found', () =>
        call('PUT', `/distributions/${of}`, { shares: half }),
      )
      await assertRefused(server, 404, 'not_found', () =>
        call('PATCH', `/distributions/${of}/activate`),
      )
      await assertRefused(server, 404, 'not_found', () =>
        call('PATCH', `/distributions/${of}/deactivate`),
      )
      await assertRefused(server, 404, 'not_found', () =>
        call('POST', `/distributions/${of}/preview`, { amount: 1 }),
      )
      await assertRefused(server, 404, 'not_found', () =>
        call('POST', `/distributions/${of}/settle`),
      )
    }
    for (const call of [stranger, live])
      assert.deepEqual((await call('GET', '/distributions')).data.docs, [])
    const made = await live('POST', '/distributions', {
      name: 'Live',
      currency: 'ngn',
      shares: half,
    })
    assert.deepEqual([made.status, made.data.livemode], [201, true])
  })
})

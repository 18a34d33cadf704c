/**
 * Goal: with a key of its own the operator makes businesses, prices and stops them, and no other
 * key can; a business that was stopped begins nothing, and everything under way ends. Method: one
 * server, asked as the operator and as businesses.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { type Merchant, newMerchant } from '../../../test/support/actors.ts'
import {
  bankPayout,
  type Call,
  must,
  settled,
  startServer,
  type TestServer,
  until,
} from '../../../test/support/harness.ts'
import { operatorKey, signIn } from '../../../test/support/people.ts'
import { payoutsFor } from '../../../test/support/prices.ts'
import { ofOperator, routes } from '../../app/modules.ts'
import { outside } from '../../core/outside.ts'
import { newClient } from '../../db/db.ts'
import { nameCell } from '../../lib/cells.ts'
import { manualClock } from '../../lib/clock.ts'
import { operatorScope, revokeOperatorKey } from './operator.ts'

const minute = 60_000

describe('the operator', () => {
  const clock = manualClock(new Date('2026-11-20T12:00:00Z'))
  let server: TestServer
  let key: string
  let keyId: string
  let ask: Call
  let merchant: Merchant
  const asOperator = () =>
    outside(server.app, operatorScope(clock.now(), { type: 'operator', at: clock.now() }))

  before(async () => {
    server = await startServer({}, undefined, clock)
    ;({ key, id: keyId, call: ask } = await operatorKey(server))
    merchant = newMerchant(server)
  })
  after(() => server.stop())

  let count = 0
  /** A business that the operator has made, with calls by its keys. */
  const newBusiness = async (more: object = {}) => {
    const made = await must(
      ask('POST', '/operator/businesses', { name: `Shop ${++count}`, ...more }),
    )
    return {
      id: made.id,
      made,
      call: server.callAs(made.test_key),
      live: server.callAs(made.live_key),
    }
  }
  const change = (id: string, body: object) => ask('PATCH', `/operator/businesses/${id}`, body)
  const refused = async (
    answer: ReturnType<Call>,
    status: number,
    code: string,
  ): Promise<string> => {
    const { status: was, code: said, body } = await answer
    assert.deepEqual([was, said], [status, code], JSON.stringify(body))
    return body.message
  }
  /** The latest entry of the audit log of a business, in live mode. */
  const lastEntry = async (live: Call) => (await must(live('GET', '/audit?limit=1'))).docs[0]

  it('has keys of its own: no other key works there, and they work nowhere else', async () => {
    assert.match(key, /^op_\w{40,}$/)
    for (const { method, path } of ofOperator)
      for (const other of [server.testKey, server.liveKey, 'op_nobody'])
        await refused(
          server.callAs(other)(method, path.replace('{id}', '0'.repeat(24))),
          401,
          'invalid_key',
        )
    await refused(server.callAs(null)('GET', '/operator/plans'), 401, 'missing_key')
    for (const { method, path } of routes)
      await refused(ask(method, path.replaceAll(/\{\w+\}/g, '0'.repeat(24))), 401, 'invalid_key')
    const [row] = await server.app.db.query<{ rows: string }>(
      'select to_jsonb(k)::text as rows from operator_keys k',
    )
    assert.ok(!row?.rows.includes(key.slice(3)))
  })

  it('revokes a key at once', async () => {
    const { id: old, call } = await operatorKey(server, 'old')
    await must(call('GET', '/operator/plans'))
    await asOperator().write((work) => revokeOperatorKey(work, old))
    await refused(call('GET', '/operator/plans'), 401, 'invalid_key')
  })

  it('makes businesses that work, once for an Idempotency-Key, and finds them', async () => {
    const once = { 'idempotency-key': 'make-ada' }
    const body = { name: 'Ada’s Bakery' }
    const made = await ask('POST', '/operator/businesses', body, once)
    assert.equal(made.status, 201)
    const again = await ask('POST', '/operator/businesses', body, once)
    assert.deepEqual(again.data, made.data)
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
    const { id, test_key, live_key, status, plan } = made.data
    assert.deepEqual([status, plan], ['active', null])
    assert.equal((await must(server.callAs(test_key)('GET', '/business'))).name, 'Ada’s Bakery')
    const live = server.callAs(live_key)
    assert.equal((await must(live('GET', '/wallets'))).length, 2)
    const entry = await lastEntry(live)
    assert.deepEqual(
      [entry.action, entry.subject, entry.actor.type, entry.actor.id],
      ['business.created', id, 'operator', keyId],
    )
    assert.ok(entry.actor.hint.startsWith('op_…') && entry.address)
    for (const search of ['bakery', 'ADA', id]) {
      const { docs, totalDocs } = await must(ask('GET', `/operator/businesses?search=${search}`))
      assert.deepEqual([docs.map((one: { id: string }) => one.id), totalDocs], [[id], 1])
    }
    const first = await must(ask('GET', '/operator/businesses?limit=1'))
    const rest = await must(ask('GET', `/operator/businesses?limit=100&after=${first.docs[0].id}`))
    assert.equal(rest.docs.length + 1, first.totalDocs)
    assert.ok(!JSON.stringify([first, rest]).includes('sk_'))
    await refused(ask('GET', `/operator/businesses?after=${'0'.repeat(24)}`), 400, 'invalid_cursor')
    await refused(ask('GET', `/operator/businesses/${'0'.repeat(24)}`), 404, 'not_found')
    // The installation's own books are no business.
    await refused(change('000000000000000000000001', { status: 'suspended' }), 404, 'not_found')
    await refused(ask('POST', '/operator/businesses', { name: '' }), 422, 'validation_failed')
  })

  it('makes no business in a cell that takes none', async () => {
    const before = (await must(ask('GET', '/operator/businesses?limit=1'))).totalDocs
    nameCell('a', false)
    await refused(ask('POST', '/operator/businesses', { name: 'Late' }), 409, 'cell_full')
    nameCell('a', true)
    assert.equal((await must(ask('GET', '/operator/businesses?limit=1'))).totalDocs, before)
  })

  it('learns that the database failed while a plan was looked for, and not that there is none', async () => {
    const plan = await must(
      ask('POST', '/operator/plans', { name: 'Sought', prices: payoutsFor(100) }),
    )
    const { id } = await newBusiness()
    const locking = newClient(server.ownerUrl)
    await locking.connect()
    await locking.query('begin')
    await locking.query('lock table price_plans in access exclusive mode')
    const answer = ask('PUT', `/operator/businesses/${id}/plan`, { plan: plan.id })
    await until(async () => {
      const cut = `select pg_terminate_backend(pid) from pg_locks
                    where not granted and database = (select oid from pg_database where datname = current_database())`
      return (await server.app.db.query(cut)).length > 0
    })
    await locking.query('rollback')
    await locking.end()
    await refused(answer, 503, 'database_unavailable')
    assert.deepEqual((await must(ask('GET', `/operator/businesses/${id}`))).plans, [])
    assert.equal(
      (await ask('PUT', `/operator/businesses/${id}/plan`, { plan: plan.id })).status,
      200,
    )
  })

  it('prices a business by a plan, with history', async () => {
    const prices = payoutsFor(900)
    const plan = await must(ask('POST', '/operator/plans', { name: 'Growth', prices }))
    assert.deepEqual(plan.versions.length, 1)
    await refused(ask('POST', '/operator/plans', { name: 'Growth' }), 409, 'plan_name_taken')
    const bad = { 'card.ngn': { flat: 0, bps: 6_000, min: 0, max: null } }
    assert.match(
      await refused(
        ask('POST', '/operator/plans', { name: 'Bad', prices: { payment: bad } }),
        422,
        'validation_failed',
      ),
      /prices\.payment\.card\.ngn\.bps must be at most 5000/,
    )
    const none = '0'.repeat(24)
    await refused(
      ask('POST', '/operator/businesses', { name: 'X', plan: none }),
      400,
      'plan_not_found',
    )
    const { id, call } = await newBusiness({ plan: plan.id })
    await refused(
      ask('PUT', `/operator/businesses/${id}/plan`, { plan: none }),
      400,
      'plan_not_found',
    )
    const fee = async () => {
      const { reference: _none, ...quote } = bankPayout('', 100_000)
      return (await must(call('POST', '/payouts/quote', quote))).fee
    }
    assert.equal(await fee(), 3_500)
    clock.advance(minute)
    assert.equal(await fee(), 900)
    const date = new Date(clock.now().getTime() + 2 * minute).toISOString()
    const changed = await ask('POST', `/operator/plans/${plan.id}/versions`, {
      prices: payoutsFor(950),
      holds_from: date,
    })
    assert.equal(changed.status, 201)
    assert.deepEqual(
      changed.data.versions.map(({ holds_from, made_by }: Record<string, string>) => [
        holds_from,
        made_by?.slice(0, 4),
      ]),
      [
        [date, 'op_…'],
        [plan.versions[0].holds_from, 'op_…'],
      ],
    )
    const tooSoon = { prices: {}, holds_from: clock.now().toISOString() }
    await refused(
      ask('POST', `/operator/plans/${plan.id}/versions`, tooSoon),
      422,
      'validation_failed',
    )
    await refused(ask('POST', `/operator/plans/${none}/versions`, { prices: {} }), 404, 'not_found')
    clock.advance(2 * minute)
    assert.equal(await fee(), 950)
    const own = await must(ask('PUT', `/operator/businesses/${id}/plan`, { plan: null }))
    assert.deepEqual(
      own.plans.map((one: { plan: string | null }) => one.plan),
      [null, plan.id],
    )
    assert.equal(own.plan, plan.id)
    clock.advance(minute)
    assert.equal(await fee(), 3_500)
    assert.equal((await must(ask('GET', `/operator/businesses/${id}`))).plan, null)
    assert.deepEqual(
      (await must(ask('GET', '/operator/plans'))).docs[0],
      await must(ask('GET', `/operator/plans/${plan.id}`)),
    )
  })

  it('suspends a business: nothing new begins, reads go on, what is under way ends, and money that comes is booked', async () => {
    const { id, call, live } = await newBusiness()
    await must(call('POST', '/wallets/simulate-fund', { currency: 'ngn', amount: 1_000_000 }))
    const underWay = await must(call('POST', '/payouts', bankPayout('under-way', 100_000)))
    const payment = await must(call('POST', '/payments', { amount: 5_000, currency: 'ngn' }))
    const reason = 'We wait for your papers.'
    const stopped = await must(change(id, { status: 'suspended', reason }))
    assert.deepEqual([stopped.status, stopped.reason], ['suspended', reason])
    for (const [method, path, body] of [
      ['POST', '/payouts', bankPayout('new', 100_000)],
      ['POST', '/payments', { amount: 5_000, currency: 'ngn' }],
      ['POST', '/refunds', {}],
      ['POST', '/collections', {}],
      ['POST', '/customers', {}],
    ] as const)
      for (const by of [call, live])
        assert.match(
          await refused(by(method, path, body), 403, 'business_suspended'),
          /your papers/,
        )
    for (const path of ['/payouts', '/wallets', '/business', '/events'])
      await must(call('GET', path))
    const { headers } = await signIn({ app: server.app, businessId: id })
    for (const mode of ['test', 'live'])
      for (const path of ['', '/payouts', '/team']) {
        const page = await (
          await fetch(`${server.url}/dashboard/${id}/${mode}${path}`, { headers })
        ).text()
        assert.match(
          page,
          /has suspended this business: We wait for your papers\. Everything can still be seen/,
          path,
        )
      }
    const form = await fetch(`${server.url}/dashboard/${id}/test/payouts/-/new`, { headers })
    assert.equal(form.status, 403)
    await must(call('PUT', '/business', { support_email: 'help@example.com' }))
    await must(
      call('POST', `/payments/${payment.id}/simulate`, {
        outcome: 'completed',
        method: 'bank_transfer',
      }),
    )
    await settled(server.app)
    assert.equal((await must(call('GET', `/payouts/${underWay.reference}`))).status, 'completed')
    assert.equal((await must(call('GET', `/payments/${payment.id}`))).status, 'completed')
    const entry = await lastEntry(live)
    assert.deepEqual(
      [entry.action, entry.before, entry.after],
      [
        'business.status_changed',
        { status: 'active', reason: null },
        { status: 'suspended', reason },
      ],
    )
    await must(change(id, { status: 'suspended', reason }))
    assert.equal((await lastEntry(live)).id, entry.id)
    assert.equal((await must(ask('GET', '/operator/businesses?status=suspended'))).docs[0].id, id)
    const going = await must(change(id, { status: 'active' }))
    assert.deepEqual([going.status, going.reason], ['active', null])
    await must(call('POST', '/payouts', bankPayout('new', 100_000)))
  })

  it('suspends a business before a request whose body comes late', async () => {
    const { id, made, call } = await newBusiness()
    await must(call('POST', '/wallets/simulate-fund', { currency: 'ngn', amount: 1_000_000 }))
    const body = JSON.stringify(bankPayout('late', 100_000))
    const headers = {
      authorization: `Bearer ${made.test_key}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    }
    const slow = request(`${server.url}/payouts`, { method: 'POST', headers })
    const answered = once(slow, 'response')
    slow.write(body.slice(0, 1))
    await must(call('GET', '/wallets'))
    await must(change(id, { status: 'suspended' }))
    slow.end(body.slice(1))
    const [{ statusCode }] = await answered
    assert.equal(statusCode, 403)
    assert.equal((await must(call('GET', '/payouts'))).totalDocs, 0)
  })

  it('lets no payer begin to pay a link of a business that was stopped', async () => {
    const link = await must(
      server.call('POST', '/collections', { name: 'Fees', currency: 'ngn', amount: 5_000 }),
    )
    const before = (await must(server.call('GET', '/payments'))).totalDocs
    await must(change(server.businessId, { status: 'suspended' }))
    const answer = await merchant.payerOf(link).post('start')
    assert.equal(answer.status, 403)
    assert.equal((await must(server.call('GET', '/payments'))).totalDocs, before)
    await must(change(server.businessId, { status: 'active' }))
  })

  it('closes a business only when it is empty, and can open it again', async () => {
    const { id, call, live } = await newBusiness()
    const payment = await must(call('POST', '/payments', { amount: 5_000, currency: 'usd' }))
    // This server has no live rail.
    const inMode = (livemode: boolean) =>
      server.asOwner(`update payments set livemode = ${livemode} where id = '${payment.id}'`)
    await inMode(true)
    assert.match(
      await refused(change(id, { status: 'closed' }), 409, 'business_not_empty'),
      /1 live payment is still open/,
    )
    await inMode(false)
    const holding = (amount: number) =>
      server.asOwner(
        `update ledger_accounts set balance = ${amount}
          where business_id = '${id}' and livemode and purpose = 'wallet_available' and currency = 'usd'`,
      )
    await holding(1_234)
    assert.match(
      await refused(change(id, { status: 'closed' }), 409, 'business_not_empty'),
      /usd wallet holds 12\.34 usd/,
    )
    assert.equal((await must(ask('GET', `/operator/businesses/${id}`))).status, 'active')
    await holding(0)
    // What a share holds stands beside the wallet.
    const shares = [{ name: 'Ada', percentage_bps: 10_000, destination: null }]
    await must(live('POST', '/distributions', { name: 'Makers', currency: 'ngn', shares }))
    const accrued = (amount: number) =>
      server.asOwner(
        `update ledger_accounts set balance = ${amount} where business_id = '${id}' and livemode and purpose = 'share'`,
      )
    await accrued(900)
    assert.match(
      await refused(change(id, { status: 'closed' }), 409, 'business_not_empty'),
      /distributions hold 9\.00 ngn/,
    )
    await accrued(0)
    await must(change(id, { status: 'closed', reason: 'You asked us to.' }))
    assert.match(
      await refused(live('POST', '/payments', {}), 403, 'business_closed'),
      /is closed: You asked us to\./,
    )
    await must(live('GET', '/wallets'))
    await must(change(id, { status: 'active' }))
    assert.equal((await live('POST', '/payments', {})).status, 422)
  })
})

/**
 * Goal: an operator ends a payout that its rail never took, and no other; its money is released
 * once. Method: `bursar outgoing fail` over a rail whose answers the test scripts.
 */
import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { fail, markRestored, release } from '../../../src/app/outgoing.ts'
import { outside, scopeOf } from '../../../src/core/outside.ts'
import { ask as askPayout } from '../../../src/paying-out/payouts/settlement.ts'
import { listIncidents } from '../../../src/platform/incidents/incidents.ts'
import type { OrderState, PayoutOrder, PayoutRail } from '../../../src/rails/ports/rail.ts'
import { runCommand } from '../../support/command-line.ts'
import { eventTypesOf, movingClock } from '../../support/dollars.ts'
import {
  bankPayout,
  type Json,
  must,
  startServer,
  type TestServer,
  until,
} from '../../support/harness.ts'
import { railsEnv, testProvider } from '../../support/provider.ts'

const unknown: OrderState = { state: 'unknown', askAgainInMs: 7 * 86_400_000 }
const reason = { by: 'Ada', reason: 'The provider confirms by mail that it has none' }
const request = { ...reason, isLookedUp: false }

describe('a payout that its rail never took', () => {
  const clock = movingClock()
  let server: TestServer
  let rail: PayoutRail
  let ask: (order: PayoutOrder) => Promise<OrderState>
  let made = 0

  before(async () => {
    const account = { provider: 'testpay', secret_key: 'env:TEST_KEY' }
    const accounts = { one: account, two: { ...account, secret_key: 'env:TEST_KEY_2' } }
    const routes = { 'payout.ngn': ['one'] }
    const env = railsEnv({ test: { accounts, routes } })
    server = await startServer(env, [testProvider().provider], clock)
    rail = server.app.rails.test.accounts.one?.ports.payout as PayoutRail
    Object.assign(rail, { orderLifeMs: 600_000 })
    rail.send = async () => unknown
    rail.ask = (order) => ask(order)
    await server.fund('ngn', 100_000_000)
  })
  after(() => server.stop())

  const says = (state: OrderState): void => {
    ask = async () => state
  }
  const available = async (): Promise<number> =>
    (await must(server.call('GET', '/wallets'))).find(({ currency }: Json) => currency === 'ngn')
      .available
  const read = (payout: Json): Promise<Json> =>
    must(server.call('GET', `/payouts/${payout.reference}`))
  /** A payout whose only sending had no answer, so long ago that it cannot arrive any more. */
  async function sent({ isYoung = false } = {}): Promise<Json> {
    says(unknown)
    rail.obstacle = async () => null
    const payout = await must(
      server.call('POST', '/payouts', bankPayout(`lost-${++made}`, 1_000_000)),
    )
    await until(async () => (await read(payout)).status === 'processing')
    await server.idle()
    // It is not sent again.
    rail.obstacle = async () => ({ obstacle: 'provider_down', sentence: 'the test says so' })
    if (!isYoung) clock.move(rail.orderLifeMs + 1_000)
    return payout
  }
  const failedEvents = async ({ id }: Json): Promise<number> =>
    (await eventTypesOf(server.call, id)).filter((type) => type === 'payout.failed').length
  const run = (id: string, ...more: string[]) =>
    runCommand(server.app, [
      ...['outgoing', 'fail', id, '--by', reason.by, '--reason', reason.reason],
      ...more,
    ])

  it('fails, and its money is released once, with its event and an entry of the audit log', async () => {
    const before = await available()
    const payout = await sent()
    assert.ok((await available()) < before)
    says({ state: 'not_found' })
    const { code, out } = await run(payout.id)
    assert.equal(code, 0)
    assert.match(out, /has failed; its money is released/)
    const { status, failure_reason } = await read(payout)
    assert.deepEqual([status, failure_reason, await available()], ['failed', 'rejected', before])
    assert.equal(await failedEvents(payout), 1)
    const entries = await server.app.db.query(
      `select after from audit_log where action = 'order.failed' and subject = $1 and not livemode`,
      [payout.id],
    )
    assert.deepEqual(entries, [{ after: { status: 'failed', ...reason } }])
    assert.match((await run(payout.id)).err, /no payout, refund or return that waits/)
    assert.equal(await available(), before)
  })

  it('fails once where two operators ask at once', async () => {
    const before = await available()
    const payout = await sent()
    says({ state: 'not_found' })
    const all = await Promise.all([1, 2, 3].map(() => fail(server.app, payout.id, request)))
    assert.equal(all.filter((objection) => objection === null).length, 1)
    assert.deepEqual([await available(), await failedEvents(payout)], [before, 1])
  })

  it('ends as its rail says where that is that it failed', async () => {
    const payout = await sent({ isYoung: true })
    says({ state: 'failed', reason: 'invalid_account', providerReference: null })
    assert.equal(await fail(server.app, payout.id, request), null)
    assert.equal((await read(payout)).failure_reason, 'invalid_account')
  })

  for (const [state, objection] of [
    [unknown, /does not say whether it has it/],
    [
      { state: 'processing', providerReference: 'x', askAgainInMs: null },
      /says that it is processing/,
    ],
    [{ state: 'completed', providerReference: 'x', txHash: null }, /says that it is completed/],
  ] as [OrderState, RegExp][])
    it(`keeps its money held where its rail answers ${state.state}`, async () => {
      const payout = await sent()
      const held = await available()
      says(state)
      const { code, err } = await run(payout.id)
      assert.equal(code, 1)
      assert.match(err, objection)
      assert.deepEqual([(await read(payout)).status, await available()], ['processing', held])
    })

  it('keeps its money held while it may still arrive', async () => {
    const payout = await sent({ isYoung: true })
    says({ state: 'not_found' })
    assert.match((await fail(server.app, payout.id, request)) ?? '', /may still take it until/)
    assert.equal((await read(payout)).status, 'processing')
  })

  it('keeps its money held where it is sent again while its rail is asked', async () => {
    const payout = await sent()
    ask = async () => {
      await server.app.db.query(
        `update payouts set sent_at = sent_at + interval '1 second' where id = $1`,
        [payout.id],
      )
      return { state: 'not_found' }
    }
    assert.match((await fail(server.app, payout.id, request)) ?? '', /has changed meanwhile/)
    assert.equal((await read(payout)).status, 'processing')
  })

  it('keeps its money held where the server before a restore may have just sent it', async () => {
    const payout = await sent()
    clock.move(3 * 3_600_000)
    await markRestored(server.app.db, server.app.clock, null)
    says({ state: 'not_found' })
    assert.match((await fail(server.app, payout.id, request)) ?? '', /may still take it until/)
    assert.equal((await read(payout)).status, 'processing')
    clock.move(rail.orderLifeMs + 1_000)
    assert.equal(await fail(server.app, payout.id, request), null)
    assert.equal((await read(payout)).status, 'failed')
    await release(server.app, reason.by)
  })

  describe('where too many submissions are possible to query them all', () => {
    const looked = { ...request, isLookedUp: true }
    /** A payout whose data were restored five hours after it was sent. */
    const restored = async (): Promise<Json> => {
      const payout = await sent()
      clock.move(5 * 3_600_000)
      await markRestored(server.app.db, server.app.clock, null)
      clock.move(rail.orderLifeMs + 1_000)
      says({ state: 'not_found' })
      return payout
    }
    afterEach(() => release(server.app, reason.by))

    it('keeps its money held until an operator has looked it up, and releases it once', async () => {
      const before = await available()
      const payout = await restored()
      const held = await available()
      const refused = await run(payout.id)
      assert.equal(refused.code, 1)
      assert.match(refused.err, /Look it up at one: .* If none is there, add --looked-up\.$/m)
      assert.deepEqual([(await read(payout)).status, await available()], ['processing', held])
      const all = await Promise.all([1, 2, 3].map(() => fail(server.app, payout.id, looked)))
      assert.equal(all.filter((objection) => objection === null).length, 1)
      assert.deepEqual([await available(), await failedEvents(payout)], [before, 1])
      const entries = await server.app.db.query(
        `select after from audit_log where action = 'order.failed' and subject = $1 and not livemode`,
        [payout.id],
      )
      assert.deepEqual(entries, [{ after: { status: 'failed', looked_up: true, ...reason } }])
      assert.equal((await run(payout.id, '--looked-up')).code, 1)
    })

    it('keeps its money held where a rail has it or does not say, whoever has looked it up', async () => {
      const payout = await restored()
      const held = await available()
      for (const [attempt, state, objection] of [
        [1, unknown, /does not say whether it has it/],
        [700, unknown, /does not say whether it has it/],
        [700, { state: 'completed', providerReference: 'x', txHash: null }, /may have it since/],
      ] as [number, OrderState, RegExp][]) {
        ask = async (order) => (order.attempt === attempt ? state : { state: 'not_found' })
        assert.match((await fail(server.app, payout.id, looked)) ?? '', objection)
      }
      assert.deepEqual([(await read(payout)).status, await available()], ['processing', held])
      says({ state: 'not_found' })
      assert.equal((await run(payout.id, '--looked-up')).code, 0)
    })
  })

  it('keeps its money held while any rail that may have it since a backup may still take it', async (t) => {
    const { routes, accounts } = server.app.rails.test
    const two = accounts.two?.ports.payout as PayoutRail
    const payout = await sent()
    clock.move(3 * 3_600_000)
    await markRestored(server.app.db, server.app.clock, null)
    ;(routes as Record<string, string[]>)['payout.ngn'] = ['one', 'two']
    Object.assign(two, { orderLifeMs: 3 * rail.orderLifeMs, ask: rail.ask })
    t.after(async () => {
      ;(routes as Record<string, string[]>)['payout.ngn'] = ['one']
      await release(server.app, reason.by)
    })
    says({ state: 'not_found' })
    clock.move(rail.orderLifeMs + 1_000)
    assert.match((await fail(server.app, payout.id, request)) ?? '', /may still take it until/)
    assert.equal((await read(payout)).status, 'processing')
    clock.move(2 * rail.orderLifeMs)
    assert.equal(await fail(server.app, payout.id, request), null)
  })

  describe('and that its rail pays all the same', () => {
    const arrived: OrderState = { state: 'completed', providerReference: 'late', txHash: null }
    const notify = async ({ id }: Json) => {
      const scope = await scopeOf(server.app, server.businessId, false)
      return askPayout(outside(server.app, scope), id, true)
    }
    const incidentsOf = async ({ id }: Json) =>
      (await listIncidents(server.app.db, {}))
        .filter(({ subject }) => subject === id)
        .map(({ kind, detail }) => `${kind}: ${detail.found}`)
    const found =
      'quarantined: it is failed here and its money is released, and one says that it is completed'

    it('is an incident once its rail tells of it, and moves no money', async () => {
      const payout = await sent()
      says({ state: 'not_found' })
      assert.equal(await fail(server.app, payout.id, request), null)
      const released = await available()
      assert.equal(await notify(payout), 'nothing_to_do')
      says(unknown)
      assert.equal(await notify(payout), 'again')
      says(arrived)
      for (const _ of [1, 2]) assert.equal(await notify(payout), 'quarantined')
      assert.deepEqual(await incidentsOf(payout), [found])
      assert.deepEqual([(await read(payout)).status, await available()], ['failed', released])
    })

    it('is an incident where its rail tells of it while it is being failed', async () => {
      const payout = await sent()
      ask = async () => {
        says({ state: 'not_found' })
        assert.equal(await fail(server.app, payout.id, request), null)
        says(arrived)
        return arrived
      }
      const released = (await available()) + Number(payout.amount)
      assert.equal(await notify(payout), 'quarantined')
      assert.deepEqual(await incidentsOf(payout), [found])
      assert.deepEqual([(await read(payout)).status, await available()], ['failed', released])
    })

    it('is completed where its rail tells of it before it is failed', async () => {
      const payout = await sent()
      ask = async () => {
        says(arrived)
        assert.equal(await notify(payout), 'applied')
        return { state: 'not_found' }
      }
      const held = await available()
      assert.match((await fail(server.app, payout.id, request)) ?? '', /has changed meanwhile/)
      assert.deepEqual([(await read(payout)).status, await available()], ['completed', held])
      assert.deepEqual(await incidentsOf(payout), [])
    })
  })
})

/**
 * Goal: an operator ends a payout that its rail never took, and no other; its money is released
 * once. Method: `bursar outgoing fail` over a rail whose answers the test scripts.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { fail, markRestored, release } from '../../../src/app/outgoing.ts'
import type { OrderState, PayoutRail } from '../../../src/rails/ports/rail.ts'
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

describe('a payout that its rail never took', () => {
  const clock = movingClock()
  let server: TestServer
  let rail: PayoutRail
  let ask: () => Promise<OrderState>
  let made = 0

  before(async () => {
    const accounts = { one: { provider: 'testpay', secret_key: 'env:TEST_KEY' } }
    const routes = { 'payout.ngn': ['one'] }
    const env = railsEnv({ test: { accounts, routes } })
    server = await startServer(env, [testProvider().provider], clock)
    rail = server.app.rails.test.accounts.one?.ports.payout as PayoutRail
    Object.assign(rail, { orderLifeMs: 600_000 })
    rail.send = async () => unknown
    rail.ask = () => ask()
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
  const run = (id: string) =>
    runCommand(server.app, ['outgoing', 'fail', id, '--by', reason.by, '--reason', reason.reason])

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
    const all = await Promise.all([1, 2, 3].map(() => fail(server.app, payout.id, reason)))
    assert.equal(all.filter((objection) => objection === null).length, 1)
    assert.deepEqual([await available(), await failedEvents(payout)], [before, 1])
  })

  it('ends as its rail says where that is that it failed', async () => {
    const payout = await sent({ isYoung: true })
    says({ state: 'failed', reason: 'invalid_account', providerReference: null })
    assert.equal(await fail(server.app, payout.id, reason), null)
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
    assert.match((await fail(server.app, payout.id, reason)) ?? '', /may still take it until/)
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
    assert.match((await fail(server.app, payout.id, reason)) ?? '', /has changed meanwhile/)
    assert.equal((await read(payout)).status, 'processing')
  })

  it('keeps its money held where the server before a restore may have just sent it', async () => {
    const payout = await sent()
    clock.move(3 * 3_600_000)
    await markRestored(server.app.db, server.app.clock, null)
    says({ state: 'not_found' })
    assert.match((await fail(server.app, payout.id, reason)) ?? '', /may still take it until/)
    assert.equal((await read(payout)).status, 'processing')
    clock.move(rail.orderLifeMs + 1_000)
    assert.equal(await fail(server.app, payout.id, reason), null)
    assert.equal((await read(payout)).status, 'failed')
    await release(server.app, reason.by)
  })

  it('keeps its money held where too many submissions are possible to query them all', async () => {
    const payout = await sent()
    clock.move(5 * 3_600_000)
    await markRestored(server.app.db, server.app.clock, null)
    clock.move(rail.orderLifeMs + 1_000)
    says({ state: 'not_found' })
    assert.match((await fail(server.app, payout.id, reason)) ?? '', /Look it up at one\.$/)
    assert.equal((await read(payout)).status, 'processing')
  })
})

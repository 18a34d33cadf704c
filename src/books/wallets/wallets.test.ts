import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { bankPayout, startServer, type TestServer } from '../../../test/support/harness.ts'
import { manualClock } from '../../lib/clock.ts'

describe('wallets', () => {
  let server: TestServer
  const clock = manualClock(new Date('2026-11-21T09:30:00Z'))
  before(async () => {
    server = await startServer({ SANDBOX_DELAY: '1h' }, undefined, clock)
  })
  after(() => server.stop())

  /** Returns when the wallets last changed, a few milliseconds later than before. */
  const changed = async () => {
    clock.advance(5)
    const { data } = await server.call('GET', '/wallets')
    const [ngn, usd] = data.map((wallet: { updated_at: string }) => wallet.updated_at)
    return { ngn, usd, made: data[0].created_at }
  }

  it('say when money last moved in them, in the time of the test clock', async () => {
    const untouched = await changed()
    assert.equal(untouched.ngn, untouched.made)

    const { data } = await server.call('POST', '/wallets/simulate-fund', {
      currency: 'ngn',
      amount: 1_000_000,
    })
    const funded = await changed()
    assert.equal(funded.ngn, data.updated_at)
    assert.ok(funded.ngn > untouched.ngn)
    assert.equal(funded.usd, untouched.usd)

    await server.call('POST', '/test/clock', { advance: '1d' })
    assert.deepEqual(await changed(), funded)
    const refused = await server.call('POST', '/payouts', bankPayout('too-much', 50_000_000))
    assert.equal(refused.code, 'insufficient_funds')
    assert.deepEqual(await changed(), funded)

    const payout = await server.call('POST', '/payouts', bankPayout('held', 500_000))
    const held = await changed()
    assert.equal(held.ngn, payout.data.created_at)
    assert.ok(Date.parse(held.ngn) >= Date.parse(funded.ngn) + 86_400_000)

    const canceled = await server.call('POST', '/payouts/held/cancel')
    const released = await changed()
    assert.equal(released.ngn, canceled.data.updated_at)
    assert.ok(released.ngn > held.ngn)
    assert.equal(released.usd, untouched.usd)
  })
})

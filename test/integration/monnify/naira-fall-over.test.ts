/**
 * Goal: of two ways out for naira the second pays what the first certainly has not, once; and what
 * the first may have taken nobody else pays. Method: one server with accounts at the doubles of
 * Paystack and of Monnify, in that order.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { monnifyAt } from '../../../src/rails/monnify/monnify.ts'
import { type Double as Monnify, startMonnify } from '../../doubles/monnify.ts'
import { movingClock, providerTiming, slowMs } from '../../support/dollars.ts'
import { monnifyAccount, monnifyEnv } from '../../support/monnify.ts'
import { minuteMs, openTill, type Till } from '../../support/paystack.ts'

const dayMs = 24 * 60 * minuteMs

describe('a payout in naira that two providers could pay', () => {
  let till: Till
  let monnify: Monnify
  before(async () => {
    const clock = movingClock()
    monnify = await startMonnify({ now: clock.now, slowMs })
    monnify.topUp(10_000_000_00)
    const reach = { host: monnify.url, ...providerTiming }
    till = await openTill({
      routes: { 'payout.ngn': ['paystack', 'monnify'], 'lookup.ngn': ['paystack', 'monnify'] },
      env: monnifyEnv(monnify),
      beside: {
        clock,
        accounts: { monnify: monnifyAccount },
        providers: [monnifyAt({ live: reach, test: reach })],
      },
    })
    monnify.events.url = `${till.server.url}/rails/monnify/live/webhook`
  })
  after(async () => {
    assert.deepEqual([...monnify.violations, ...monnify.audit()], [])
    await till.assertSound()
    await till.stop()
    await monnify.stop()
  })

  const atPaystack = (id: string) => till.transfersOf(id)
  const atMonnify = (id: string) =>
    monnify.transfers.filter(({ reference }) => reference.startsWith(`po-${id}`))
  const counts = (id: string) => [atPaystack(id).length, atMonnify(id).length]

  it('goes by the first while that can', async () => {
    const { id } = await till.payOut()
    assert.deepEqual(counts(id), [1, 0])
  })

  it('goes by the second when the first holds too little, once, though the first has money again', async () => {
    const { books, operator } = till.double.live
    books.move('balance', -books.pots.balance, 'TopUp', books.id(), 'Taken out')
    await till.pass(minuteMs)
    const { id, reference } = await till.payOut()
    assert.deepEqual(counts(id), [0, 1])
    operator.topUp(100_000_000_00)
    monnify.transfer.succeed(`po-${id}`)
    await till.pass(minuteMs)
    assert.equal((await till.payout(reference)).status, 'completed')
    assert.deepEqual(counts(id), [0, 1])
    assert.deepEqual(await till.eventsOf(id), ['payout.initiated', 'payout.completed'])
  })

  it('is nobody else’s when the first is silent after it has taken it', async () => {
    await till.double.fault('transfer', 'timeout_after')
    await till.double.fault('verify_transfer', 'timeout_after', { times: 40 })
    const { id, reference } = await till.payOut()
    for (let i = 0; i < 3; i++) await till.pass(dayMs)
    assert.deepEqual(counts(id), [1, 0])
    assert.equal((await till.payout(reference)).status, 'processing')
    await till.double.clearFaults()
    till.double.live.transfer.succeed(`po-${id}`)
    for (let i = 0; i < 3; i++) await till.pass(dayMs)
    assert.equal((await till.payout(reference)).status, 'completed')
    assert.deepEqual(counts(id), [1, 0])
  })

  it('asks the second who holds an account when the first does not say', async () => {
    await till.double.fault('resolve', 'error_before')
    const { destination } = await till.payOut()
    assert.equal(destination.resolved_account_name, 'ADA NGOZI OKAFOR')
    assert.ok(monnify.requests.some(({ operation }) => operation === 'validate'))
  })
})

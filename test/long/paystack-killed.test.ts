/**
 * Goal: a server that is killed at any point between "written" and "answered" pays each payout
 * once, and ends it. Method: a server in a process of its own, over a double that keeps one answer
 * back; it is killed while it waits, and started again.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { bankPayout, type Call, makeCall, must, until } from '../support/harness.ts'
import { minuteMs, openTill, type Till } from '../support/paystack.ts'
import { type Child, killChild, startChild } from '../support/provider-child.ts'

/** Where it is killed: while the answer of an operation is kept back, that was done or was not. */
const points = [
  // First, since what was read of the balance is good for ten seconds.
  ['balance', 'timeout_before', 'it is written, and nothing was asked'],
  ['create_recipient', 'timeout_before', 'a recipient was asked for, and not made'],
  ['create_recipient', 'timeout_after', 'a recipient was made, and is not known'],
  ['transfer', 'timeout_before', 'the transfer was sent, and not taken'],
  ['transfer', 'timeout_after', 'the transfer was taken, and not answered'],
  ['verify_transfer', 'timeout_after', 'the transfer was answered, and is asked about'],
] as const

describe('a server that is killed while it pays by Paystack', () => {
  let till: Till
  let served: Child
  let aheadMs = 0
  const startAgain = async (): Promise<void> => {
    served = await startChild({ env: till.env, host: till.double.url, aheadMs })
  }
  before(async () => {
    till = await openTill()
    await till.server.leave()
    await startAgain()
  })
  after(async () => {
    await killChild(served)
    await till.stop()
  })

  for (const [position, [operation, fault, when]] of points.entries())
    it(`pays once: ${when}`, async () => {
      const { double } = till
      const call: Call = (...asked) => makeCall(served.url, till.server.liveKey)(...asked)
      const destination = { bank_code: '058', account_number: String(3_000_000_000 + position) }
      await double.fault(operation, fault)
      const body = bankPayout(`killed-${position}`, 1_000_000, { destination })
      const { id, reference } = await must(call('POST', '/payouts', body))
      await until(
        async () =>
          double.requests.some((one) => one.operation === operation && one.fault === fault),
        30_000,
      )
      await killChild(served)
      await double.clearFaults()
      // So that a transfer which nobody knows is no longer on its way.
      aheadMs += 12 * minuteMs
      await startAgain()

      await until(async () => {
        for (const transfer of till.transfersOf(id))
          if (transfer.status === 'pending') double.live.transfer.succeed(transfer.reference)
        return (await must(call('GET', `/payouts/${reference}`))).status === 'completed'
      }, 40_000)
      assert.deepEqual(
        till.transfersOf(id).map(({ status }) => status),
        ['success'],
      )
      assert.deepEqual((await till.eventsOf(id, call)).sort(), [
        'payout.completed',
        'payout.initiated',
      ])
      await till.assertSound()
    })
})

/**
 * Goal: a server that is killed at any point between "written" and "answered" gives back once,
 * though Paystack takes every repeat of a refund for another. Method: as with payouts: it is killed
 * while the double keeps one answer back, and started again.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Call, makeCall, must, until } from '../support/harness.ts'
import { minuteMs } from '../support/paystack.ts'
import type { Shop } from '../support/paystack-cards.ts'
import { givenBack, openShop, type Sold, sell } from '../support/paystack-refunds.ts'
import { type Child, killChild, startChild } from '../support/provider-child.ts'

/** Where it is killed: while the answer of an operation is kept back, that was done or was not. */
const points = [
  ['fetch_transaction', 'timeout_before', 'it is written, and nothing was asked', 12],
  ['list_refunds', 'timeout_after', 'it was asked for, and not sent', 12],
  ['refund', 'timeout_before', 'it was sent, and not taken', 12],
  ['refund', 'timeout_after', 'it was taken, and not answered', 12],
  ['refund', 'timeout_after', 'it was taken, and the server is back at once', 0],
  ['fetch_refund', 'timeout_after', 'it was answered, and is asked about', 12],
] as const

describe('a server that is killed while it refunds by Paystack', () => {
  let till: Shop
  let served: Child
  const sales: Sold[] = []
  let aheadMs = 0
  const startAgain = async (): Promise<void> => {
    served = await startChild({ env: till.env, host: till.double.url, ca: till.double.ca, aheadMs })
  }
  before(async () => {
    till = await openShop()
    for (const _ of points) sales.push(await sell(till, 'card'))
    await till.server.leave()
    await startAgain()
  })
  after(async () => {
    await killChild(served)
    await till.stop()
  })

  for (const [position, [operation, fault, when, minutes]] of points.entries())
    it(`gives back once: ${when}`, async () => {
      const { double } = till
      const sold = sales[position] as Sold
      const call: Call = (...asked) => makeCall(served.url, till.server.liveKey)(...asked)
      await double.fault(operation, fault)
      const { id } = await must(call('POST', '/refunds', { payment: sold.payment.id }))
      await until(
        async () =>
          double.requests.some((one) => one.operation === operation && one.fault === fault),
        30_000,
      )
      await killChild(served)
      await double.clearFaults()
      double.requests.splice(0)
      aheadMs += minutes * minuteMs
      await startAgain()

      await until(async () => {
        for (const one of givenBack(till, sold))
          if (one.status === 'pending') double.live.refund.process(one.id)
        return (await must(call('GET', `/refunds/${id}`))).status === 'completed'
      }, 40_000)
      assert.deepEqual(
        givenBack(till, sold).map(({ status }) => status),
        ['processed'],
      )
      assert.deepEqual((await till.eventsOf(id, call)).sort(), [
        'refund.completed',
        'refund.initiated',
      ])
      await till.assertSound()
    })
})

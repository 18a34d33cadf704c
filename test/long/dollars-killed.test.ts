/**
 * Goal: a server that is killed at any point between "written" and "answered" pays each payout in
 * dollars once, and ends it. Method: a server in a process of its own, over a double that keeps one
 * answer back; it is killed while it waits, and started again.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openTill as openBridge } from '../support/bridge.ts'
import { holderAddress, minuteMs } from '../support/dollars.ts'
import type { MatrixTill, Sent } from '../support/dollars-matrix.ts'
import { bankPayout, type Call, listAll, makeCall, must, until } from '../support/harness.ts'
import { type Child, killChild, startChild } from '../support/provider-child.ts'
import { openTill as openStripe } from '../support/stripe-outbound.ts'

/** Where it is killed: while the answer of an operation is kept back, that was done or was not. */
type Point = readonly [operation: string, fault: 'timeout_before' | 'timeout_after', when: string]
type Killed = Pick<MatrixTill, 'double' | 'server' | 'env' | 'assertSound' | 'stop'> & {
  host: string
  sent(id: string): Sent[]
  succeed(reference: string): void
}
type Part = { provider: 'stripe' | 'bridge'; points: readonly Point[]; open(): Promise<Killed> }

const states = {
  processing: 'open',
  posted: 'paid',
  failed: 'over',
  canceled: 'over',
  returned: 'over',
} as const

const stripe: Part = {
  provider: 'stripe',
  points: [
    ['get_funds', 'timeout_before', 'it is written, and nothing was asked'],
    ['create_recipient', 'timeout_after', 'a recipient was made, and is not known'],
    ['setup_bank', 'timeout_after', 'its account was made, and is not known'],
    ['create_payment', 'timeout_before', 'the payment was sent, and not taken'],
    ['create_payment', 'timeout_after', 'the payment was taken, and not answered'],
    ['get_payment', 'timeout_after', 'the payment was answered, and is asked about'],
  ],
  async open() {
    const till = await openStripe()
    return {
      ...till,
      double: till.double as unknown as MatrixTill['double'],
      host: till.double.url,
      sent: (id) =>
        till.paymentsOf(id).map(({ reference, status }) => ({ reference, state: states[status] })),
      succeed: till.double.payment.post,
    }
  },
}

const bridge: Part = {
  provider: 'bridge',
  points: [
    ['get_wallet', 'timeout_before', 'it is written, and nothing was asked'],
    ['create_external_account', 'timeout_before', 'an account was asked for, and not made'],
    ['create_external_account', 'timeout_after', 'an account was made, and is not known'],
    ['create_transfer', 'timeout_before', 'the transfer was sent, and not taken'],
    ['create_transfer', 'timeout_after', 'the transfer was taken, and not answered'],
    ['get_transfer', 'timeout_after', 'the transfer was answered, and is asked about'],
  ],
  async open() {
    const till = await openBridge()
    const stateOf = (state: string): Sent['state'] =>
      state === 'payment_processed' ? 'paid' : state === 'funds_received' ? 'open' : 'over'
    return {
      ...till,
      double: till.double as unknown as MatrixTill['double'],
      host: till.double.url,
      sent: (id) =>
        till.transfersOf(id).map(({ reference, state }) => ({ reference, state: stateOf(state) })),
      succeed: till.double.transfer.succeed,
    }
  },
}

for (const { provider, points, open } of [stripe, bridge])
  describe(`a server that is killed while it pays by ${provider}`, () => {
    let till: Killed
    let served: Child
    let aheadMs = 0
    const startAgain = async (): Promise<void> => {
      served = await startChild({ env: till.env, host: till.host, provider, aheadMs })
    }
    before(async () => {
      till = await open()
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
        const destination = {
          country: 'us',
          routing_number: '021000021',
          account_number: String(300_000_000 + position),
          account_name: 'Ada Okafor',
          account_type: 'checking',
          holder_address: holderAddress,
        }
        await double.fault(operation, fault)
        const body = bankPayout(`killed-${position}`, 100_00, { currency: 'usd', destination })
        const { id, reference } = await must(call('POST', '/payouts', body))
        await until(
          async () =>
            double.requests.some((one) => one.operation === operation && one.fault === fault),
          60_000,
        )
        await killChild(served)
        await double.clearFaults()
        double.requests.splice(0)
        // So that what nobody knows is no longer on its way.
        aheadMs += 12 * minuteMs
        await startAgain()

        await until(async () => {
          for (const one of till.sent(id)) if (one.state === 'open') till.succeed(one.reference)
          return (await must(call('GET', `/payouts/${reference}`))).status === 'completed'
        }, 90_000)
        assert.deepEqual(
          till.sent(id).map(({ state }) => state),
          ['paid'],
        )
        const events = (await listAll(call, '/events')) as unknown as {
          type: string
          payload: { id: string }
        }[]
        const own = events.filter(({ payload }) => payload.id === id).map(({ type }) => type)
        assert.deepEqual(own.sort(), ['payout.completed', 'payout.initiated'])
        await till.assertSound()
      })
  })

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { newBusiness } from '../../support/actors.ts'
import {
  bankPayout,
  type Call,
  shareServer,
  startServer,
  type TestServer,
} from '../../support/harness.ts'
import { inFreshWorlds, runs } from '../../support/runs.ts'

/** What a client can do, by chance. */
type Operation =
  | { do: 'fund'; currency: 'ngn' | 'usd'; amount: number }
  | { do: 'pay'; currency: 'ngn' | 'usd'; amount: number; reference: number }
  | { do: 'cancel' | 'complete' | 'fail'; reference: number }
  | { do: 'wait' }

const currency = fc.constantFrom('ngn' as const, 'usd' as const)
const reference = fc.nat(12)
const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({
    do: fc.constant('fund' as const),
    currency,
    amount: fc.integer({ min: 1, max: 200_000 }),
  }),
  fc.record({
    do: fc.constant('pay' as const),
    currency,
    amount: fc.integer({ min: 1, max: 150_000 }),
    reference,
  }),
  fc.record({
    do: fc.constantFrom('cancel' as const, 'complete' as const, 'fail' as const),
    reference,
  }),
  fc.record({ do: fc.constant('wait' as const) }),
)

type Modelled = {
  currency: 'ngn' | 'usd'
  amount: number
  status: 'pending' | 'completed' | 'failed' | 'canceled'
}

describe('any sequence of operations', () => {
  let server: TestServer
  const settings = { SANDBOX_DELAY: '1h' }
  before(async () => {
    server = await shareServer(settings)
  })
  after(() => server.stop())
  const renew = async (): Promise<void> => {
    await server.stop().catch(() => {})
    server = await startServer(settings)
  }

  it('leaves the balances that a simple model has', async () => {
    // Of a business of its own for each case: what one that failed has left would fail smaller ones
    // too.
    let call: Call
    let available: { ngn: number; usd: number }
    await fc.assert(
      fc.asyncProperty(
        fc.array(operation, { minLength: 5, maxLength: 30 }),
        inFreshWorlds(renew, async (operations) => {
          call = await newBusiness(server, 'Any')
          available = { ngn: 0, usd: 0 }
          const payouts = new Map<string, Modelled>()
          for (const step of operations) await apply(step, payouts)
          const wallets = (await call('GET', '/wallets')).data
          for (const wallet of wallets) {
            const code = wallet.currency as 'ngn' | 'usd'
            const held = [...payouts.values()].filter(
              (one) => one.status === 'pending' && one.currency === code,
            )
            const pending = held.reduce((sum, one) => sum + one.amount, 0)
            assert.deepEqual([wallet.available, wallet.pending], [available[code], pending])
          }
          await server.assertBooksClean()
          await end(payouts)
        }),
      ),
      { numRuns: runs(12) },
    )

    async function apply(step: Operation, payouts: Map<string, Modelled>): Promise<void> {
      if (step.do === 'fund') {
        const { status } = await call('POST', '/wallets/simulate-fund', {
          currency: step.currency,
          amount: step.amount,
        })
        assert.equal(status, 200)
        available[step.currency] += step.amount
      } else if (step.do === 'wait') {
        await call('POST', '/test/clock', { advance: '3h' })
        for (const payout of payouts.values())
          if (payout.status === 'pending') payout.status = 'completed'
      } else if (step.do === 'pay') {
        const name = `p-${step.reference}`
        const fee =
          step.currency === 'ngn'
            ? 3_500
            : Math.min(Math.max(50 + Math.ceil(step.amount / 400), 100), 2_500) +
              25 +
              Math.ceil(step.amount / 200)
        const { status, data } = await call(
          'POST',
          '/payouts',
          bankPayout(name, step.amount, { currency: step.currency }),
        )
        const expected = payouts.has(name)
          ? 409
          : step.amount <= fee || step.amount > available[step.currency]
            ? 400
            : 201
        assert.equal(status, expected, JSON.stringify(step))
        if (status !== 201) return
        assert.equal(data.fee, fee)
        available[step.currency] -= step.amount
        payouts.set(name, { currency: step.currency, amount: step.amount, status: 'pending' })
      } else {
        const name = `p-${step.reference}`
        const payout = payouts.get(name)
        const { status } =
          step.do === 'cancel'
            ? await call('POST', `/payouts/${name}/cancel`)
            : await call('POST', `/payouts/${name}/simulate`, {
                outcome: step.do === 'complete' ? 'completed' : 'failed',
              })
        const ended =
          step.do === 'cancel' ? 'canceled' : step.do === 'complete' ? 'completed' : 'failed'
        // Simulating the end that a payout has reached returns it as it is.
        const isRepeat = step.do !== 'cancel' && payout?.status === ended
        const isDone = payout?.status === 'pending' || isRepeat
        assert.equal(status, payout === undefined ? 404 : isDone ? 200 : 400)
        if (payout?.status !== 'pending') return
        payout.status = ended
        if (payout.status !== 'completed') available[payout.currency] += payout.amount
      }
    }

    async function end(payouts: Map<string, Modelled>): Promise<void> {
      await apply({ do: 'wait' }, payouts)
      for (const [name, payout] of payouts) {
        const { data } = await call('GET', `/payouts/${name}`)
        assert.equal(data.status, payout.status, name)
      }
    }
  })
})

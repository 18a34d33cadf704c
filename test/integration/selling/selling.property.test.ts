import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { amountToReturn, capParts, split } from '../../../src/selling/distributions/split.ts'
import { type Json, type Merchant, newMerchant } from '../../support/actors.ts'
import { shareServer, startServer, type TestServer } from '../../support/harness.ts'
import { inFreshWorlds, runs } from '../../support/runs.ts'

/** What a merchant and payers do, by chance. Numbers pick among what there is. */
type Step =
  | { do: 'sell'; lines: { price: number; quantity: number; shared: boolean }[] }
  | { do: 'refund'; which: number; part: number; completes: boolean }
  | { do: 'settle'; outcomes: ('completed' | 'failed' | 'canceled' | 'open')[] }
  | { do: 'end'; which: number; completes: boolean }

const price = fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 300_000 }))
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('sell' as const),
      lines: fc.array(
        fc.record({ price, quantity: fc.integer({ min: 1, max: 20 }), shared: fc.boolean() }),
        {
          minLength: 1,
          maxLength: 3,
        },
      ),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('refund' as const),
      which: fc.nat(20),
      part: fc.constantFrom(1, 10, 33, 50, 99, 100),
      completes: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('settle' as const),
      outcomes: fc.array(fc.constantFrom('completed', 'failed', 'canceled', 'open'), {
        minLength: 1,
        maxLength: 4,
      }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      which: fc.nat(20),
      completes: fc.boolean(),
    }),
  },
)

type Plan = { percentage_bps: number | null; flat: bigint | null }[]
const plan: fc.Arbitrary<Plan> = fc.array(
  fc.oneof(
    fc.record({ percentage_bps: fc.integer({ min: 1, max: 2_500 }), flat: fc.constant(null) }),
    fc.record({ percentage_bps: fc.constant(null), flat: fc.bigInt(1n, 40_000n) }),
  ),
  { minLength: 1, maxLength: 4 },
)

/** What a share has got, given back and paid out, in all. */
type Share = { id: string; accrued: bigint; returned: bigint; settled: bigint }
type Entry = { amount: bigint; returned: bigint; borne: bigint }
type Sale = { payment: string; amount: bigint; refunded: bigint; entries: Entry[] }
type Out = { reference: string; share: Share; amount: bigint }

/** The least that a payout of naira has to be more than. */
const payoutFee = 3_500n

describe('any sequence of sales, refunds and settlements', () => {
  let server: TestServer
  let merchant: Merchant
  let customer: string
  const open = async (
    start: (env: Record<string, string>) => Promise<TestServer> = startServer,
  ): Promise<void> => {
    server = await start({ SANDBOX_DELAY: '1h' })
    merchant = newMerchant(server)
    await server.fund('ngn', 1_000_000_000)
    customer = (await merchant.addCustomer()).id
  }
  before(() => open(shareServer))
  after(() => server.stop())
  const renew = async (): Promise<void> => {
    await server.stop().catch(() => {})
    await open()
  }

  it('gives every share what a simple model gives it', async () => {
    await fc.assert(
      fc.asyncProperty(
        plan,
        fc.array(step, { minLength: 6, maxLength: 16 }),
        inFreshWorlds(renew, async (asks, steps) => {
          const made = await merchant.ask('POST', '/distributions', {
            name: 'Makers',
            currency: 'ngn',
            shares: asks.map(({ percentage_bps, flat }, i) => ({
              name: `Share ${i}`,
              ...(flat === null ? { percentage_bps } : { flat_amount: Number(flat) }),
              destination: { bank_code: '058', account_number: '0123456789' },
            })),
          })
          const run = new Run(asks, made, BigInt(await merchant.available()))
          for (const one of steps) {
            await run.take(one)
            await run.check()
          }
          await server.assertBooksClean()
          // In the end every open payout is told how it ends, and every sale goes back: nothing is
          // left but what was settled.
          while (run.open.length > 0)
            await run.take({ do: 'end', which: 0, completes: run.open.length % 2 === 0 })
          for (const [which] of run.sales.entries())
            await run.take({ do: 'refund', which, part: 100, completes: true })
          await run.check()
        }),
      ),
      { numRuns: runs(12) },
    )
  })

  class Run {
    readonly sales: Sale[] = []
    readonly open: Out[] = []
    readonly shares: Share[]
    readonly asks: Plan
    readonly plan: Json
    wallet: bigint

    constructor(asks: Plan, made: Json, wallet: bigint) {
      this.asks = asks
      this.plan = made
      this.wallet = wallet
      this.shares = made.shares.map(({ id }: Json) => ({
        id,
        accrued: 0n,
        returned: 0n,
        settled: 0n,
      }))
    }

    take(one: Step): Promise<void> {
      if (one.do === 'sell') return this.sell(one.lines)
      if (one.do === 'refund') return this.refund(one.which, one.part, one.completes)
      if (one.do === 'settle') return this.settle(one.outcomes)
      return this.end(one.which, one.completes)
    }

    async check(): Promise<void> {
      const { shares } = await merchant.ask('GET', `/distributions/${this.plan.id}`)
      assert.deepEqual(
        shares.map((one: Json) => [one.id, BigInt(one.accrued), BigInt(one.settled)]),
        this.shares.map((one) => [one.id, one.accrued - one.returned - one.settled, one.settled]),
      )
      assert.equal(BigInt(await merchant.available()), this.wallet)
    }

    async sell(lines: { price: number; quantity: number; shared: boolean }[]): Promise<void> {
      const products = []
      for (const { price, quantity, shared } of lines) {
        const body = {
          name: 'Shoes',
          amount: price,
          currency: 'ngn',
          distribution: shared ? this.plan.id : null,
        }
        products.push({ product: (await merchant.ask('POST', '/products', body)).id, quantity })
      }
      const draft = await merchant.ask('POST', '/invoices', { customer, lines: products })
      const invoice = await merchant.ask('POST', `/invoices/${draft.id}/finalize`)
      const paid = await merchant.ask('POST', `/payments/${invoice.payment}/simulate`, {
        outcome: 'completed',
        method: 'bank_transfer',
      })
      assert.equal(paid.status, 'completed')
      const wanted = this.shares.map(() => 0n)
      for (const { price, quantity, shared } of lines)
        if (shared)
          for (const [i, part] of split(
            BigInt(price * quantity),
            BigInt(quantity),
            this.asks,
          ).parts.entries())
            wanted[i] = (wanted[i] as bigint) + part
      const parts = capParts(wanted, BigInt(paid.net))
      this.wallet += BigInt(paid.net)
      for (const [i, share] of this.shares.entries()) {
        share.accrued += parts[i] as bigint
        this.wallet -= parts[i] as bigint
      }
      const shared = lines.some((line) => line.shared)
      this.sales.push({
        payment: paid.id,
        amount: BigInt(paid.amount),
        refunded: 0n,
        entries: shared ? parts.map((amount) => ({ amount, returned: 0n, borne: 0n })) : [],
      })
    }

    async refund(which: number, part: number, completes: boolean): Promise<void> {
      const sale = this.sales[which % this.sales.length]
      if (!sale || sale.refunded === sale.amount) return
      const left = sale.amount - sale.refunded
      const amount = (left * BigInt(part)) / 100n || 1n
      const { id } = await merchant.ask('POST', '/refunds', {
        payment: sale.payment,
        amount: Number(amount),
      })
      const taken = sale.entries.map((entry, i) => {
        const share = this.shares[i] as Share
        const due =
          amountToReturn(entry.amount, sale.refunded + amount, sale.amount) -
          entry.returned -
          entry.borne
        const holds = share.accrued - share.returned - share.settled
        const returned = due < holds ? due : holds
        return { share, entry, returned, borne: due - returned }
      })
      for (const { share, returned } of taken) {
        share.returned += returned
        this.wallet += returned
      }
      this.wallet -= amount
      await this.check()
      const outcome = completes ? 'completed' : 'failed'
      assert.equal(
        (await merchant.ask('POST', `/refunds/${id}/simulate`, { outcome })).status,
        outcome,
      )
      for (const { share, entry, returned, borne } of taken)
        if (completes) {
          entry.returned += returned
          entry.borne += borne
        } else {
          share.returned -= returned
          this.wallet -= returned
        }
      if (completes) sale.refunded += amount
      else this.wallet += amount
    }

    async settle(outcomes: ('completed' | 'failed' | 'canceled' | 'open')[]): Promise<void> {
      const holding = this.shares
        .map((share) => ({ share, amount: share.accrued - share.returned - share.settled }))
        .filter(({ amount }) => amount > 0n)
      const { payouts, skipped } = await merchant.ask(
        'POST',
        `/distributions/${this.plan.id}/settle`,
      )
      const goes = holding.filter(({ amount }) => amount > payoutFee)
      assert.deepEqual(
        payouts.map((one: Json) => [one.share, BigInt(one.amount)]),
        goes.map(({ share, amount }) => [share.id, amount]),
      )
      assert.deepEqual(
        skipped.map((one: Json) => [one.share, BigInt(one.amount), one.code]),
        holding
          .filter(({ amount }) => amount <= payoutFee)
          .map(({ share, amount }) => [share.id, amount, 'amount_too_small']),
      )
      for (const [i, { share, amount }] of goes.entries()) {
        share.settled += amount
        this.open.push({ reference: payouts[i].reference, share, amount })
      }
      for (const outcome of outcomes.slice(0, goes.length)) {
        const which = this.open.length - goes.length
        if (outcome !== 'open')
          await this.end(which < 0 ? 0 : which, outcome === 'completed', outcome === 'canceled')
      }
    }

    async end(which: number, completes: boolean, cancels = false): Promise<void> {
      const [out] = this.open.splice(which % (this.open.length || 1), 1)
      if (!out) return
      if (cancels) await merchant.ask('POST', `/payouts/${out.reference}/cancel`)
      else
        await merchant.ask('POST', `/payouts/${out.reference}/simulate`, {
          outcome: completes ? 'completed' : 'failed',
        })
      if (!completes) out.share.settled -= out.amount
    }
  }
})

/**
 * Goal: how a live payment by card ends follows from what Paystack says last, and from nothing that
 * happened on the way. Method: random sequences of what payers, Paystack, its webhooks and time can
 * do, each of which then comes to rest.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import type { Json } from '../../support/harness.ts'
import { minuteMs } from '../../support/paystack.ts'
import { openShop, type Shop } from '../../support/paystack-cards.ts'
import { inFreshWorlds, runs } from '../../support/runs.ts'

const hourMs = 60 * minuteMs
const faults = [
  'error_after',
  'truncated',
  'status_false',
  'other_amount',
  'other_reference',
  'other_mode',
] as const

/** What can happen, by chance. */
type Step =
  | {
      do:
        | 'leave'
        | 'back'
        | 'begin'
        | 'decline'
        | 'walkAway'
        | 'pay'
        | 'deliver'
        | 'forge'
        | 'cancel'
    }
  | { do: 'replay'; times: number }
  | { do: 'wait'; ms: number }
  | { do: 'fault'; of: 'initialize' | 'verify_transaction'; fault: (typeof faults)[number] }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('leave' as const, 'back' as const) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'begin' as const,
        'decline' as const,
        'walkAway' as const,
        'deliver' as const,
        'pay' as const,
      ),
    }),
  },
  fc.record({ do: fc.constantFrom('forge' as const, 'cancel' as const) }),
  fc.record({ do: fc.constant('replay' as const), times: fc.integer({ min: 1, max: 3 }) }),
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.constantFrom(6_000, 40_000, 3 * minuteMs, hourMs, 3 * hourMs, 25 * hourMs),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('fault' as const),
      of: fc.constantFrom('initialize' as const, 'verify_transaction' as const),
      fault: fc.constantFrom(...faults),
    }),
  },
)

describe('any sequence of what happens to a payment by card', () => {
  let shop: Shop
  /** What the double owes for other reasons than payments. */
  let start = 0n
  const open = async (): Promise<void> => {
    shop = await openShop()
    start = BigInt(shop.double.live.books.owed())
  }
  before(open)
  after(() => shop.stop())

  it('ends as Paystack says, and books each paid transaction once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 3, maxLength: 14 }),
        inFreshWorlds(
          () => shop.stop().then(open, open),
          async (steps) => {
            const { live } = shop.double
            live.events.queue.splice(0)
            const payment = await shop.open()
            const payer = shop.payerOf(payment)
            const told: Json[] = []
            for (const one of steps) await take(one)
            await shop.double.clearFaults()
            // The bank ends what it has begun, one way or the other: here it does not.
            for (const one of await shop.transactionsOf(payment))
              if (one.status === 'ongoing') one.status = 'failed'
            for (let i = 0; i < 4; i++) await shop.pass(26 * hourMs)

            const there = await shop.transactionsOf(payment)
            const paid = there.filter(({ paidAt }) => paidAt !== null)
            const { status, received, attempts, events } = await shop.stands(payment)
            assert.equal(received, 500_000 * paid.length)
            assert.equal(
              attempts.split(' ').filter((state) => state === 'succeeded').length,
              paid.length,
            )
            assert.doesNotMatch(attempts, /away|processing/)
            assert.deepEqual(events, [`payment.${status}`])
            if (status === 'completed') assert.ok(paid.length > 0)
            const { amount: owed } = await owedBy(shop)
            assert.equal(owed, BigInt(live.books.owed()) - start)
            await shop.assertSound()

            async function take(one: Step): Promise<void> {
              // A payer is at the last page that was begun.
              const page = (await shop.transactionsOf(payment)).at(-1)
              const isOpen = page !== undefined && page.paidAt === null
              if (one.do === 'leave') await shop.leave(payer)
              if (one.do === 'back') await shop.back(payer)
              if (one.do === 'begin' && isOpen) live.payer.begin(page.reference)
              if (one.do === 'decline' && isOpen)
                live.payer.decline(page.reference, 'Insufficient Funds')
              if (one.do === 'walkAway' && isOpen) live.payer.leave(page.reference)
              if (one.do === 'pay' && isOpen) {
                live.payer.pay(page.reference)
                told.push(...live.events.queue.map(({ data }) => data as Json))
              }
              if (one.do === 'deliver') await live.events.deliver()
              if (one.do === 'replay' && told.length > 0)
                await Promise.all(
                  Array.from({ length: one.times }, () =>
                    live.events.inject('charge.success', told.at(-1) as Json),
                  ),
                )
              if (one.do === 'forge' && page)
                await live.events.inject('charge.success', {
                  id: 7,
                  reference: page.reference,
                  status: 'success',
                  amount: 9,
                })
              if (one.do === 'cancel') await shop.live('POST', `/payments/${payment.id}/cancel`)
              if (one.do === 'wait') await shop.pass(one.ms)
              if (one.do === 'fault') await shop.double.fault(one.of, one.fault)
            }
          },
        ),
      ),
      { numRuns: Number(process.env.RUNS ?? runs(12)) },
    )
  })
})

/** What the books say that Paystack owes. */
async function owedBy({ server }: Shop): Promise<{ amount: bigint }> {
  const [row] = await server.app.db.query<{ amount: bigint }>(
    "select -coalesce(sum(balance), 0)::bigint as amount from ledger_accounts where purpose = 'rail_clearing' and subject = 'paystack'",
  )
  return { amount: row?.amount ?? 0n }
}

/**
 * Goal: how a payout ends follows from the last truth of its rail alone, whatever was lost, late,
 * refused for now or asked twice on the way; it is paid at most once, and never after it was
 * canceled. Method: random rails and random jobs. The rail pays again each time that it is sent
 * what it has not taken, as some do, and what is lost on the way may come to it late.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { createBusiness } from '../../../src/books/businesses/businesses.ts'
import type { OrderState, PayoutOrder } from '../../../src/rails/ports/rail.ts'
import { bankPayout, must, startServer, type TestServer } from '../../support/harness.ts'
import { inFreshWorlds, runs } from '../../support/runs.ts'
import { minuteMs, scriptRail } from '../../support/scripted-rail.ts'

/** What becomes of an order at the rail. */
type Truth = 'none' | 'taken' | 'paid' | 'failed' | 'back'

type Step =
  | { do: 'submit' | 'ask' | 'askTwice' | 'notify' | 'cancel' }
  /** Time goes by. */
  | { do: 'wait'; ms: number }
  /** The rail goes on with what it has. */
  | { do: 'settle'; as: 'next' | 'failed' }
  /** How the next order is received. */
  | { do: 'line'; as: 'clear' | 'refuses' | 'unsent' | 'lost before' | 'lost after' | 'late' }
  /** Whether asks are answered. */
  | { do: 'answers'; as: 'clear' | 'lost' | 'refused' }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constantFrom('submit' as const, 'ask', 'askTwice', 'notify') }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.constantFrom(1_000, minuteMs, 9 * minuteMs, 11 * minuteMs),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('settle' as const),
      as: fc.constantFrom('next' as const, 'next', 'failed'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('line' as const),
      as: fc.constantFrom(
        'clear' as const,
        'refuses',
        'unsent',
        'lost before',
        'lost after',
        'late',
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('answers' as const),
      as: fc.constantFrom('clear' as const, 'lost', 'refused'),
    }),
  },
)

/** One for each end, and what is lost on its way: it comes late, or never. */
const examples: Step[][] = [
  [
    { do: 'submit' },
    { do: 'settle', as: 'next' },
    { do: 'ask' },
    { do: 'settle', as: 'next' },
    { do: 'notify' },
  ],
  [{ do: 'line', as: 'refuses' }, { do: 'submit' }, { do: 'cancel' }],
  [{ do: 'submit' }, { do: 'settle', as: 'failed' }],
  [
    { do: 'line', as: 'late' },
    { do: 'submit' },
    { do: 'ask' },
    { do: 'wait', ms: 9 * minuteMs },
    { do: 'askTwice' },
  ],
  [
    { do: 'line', as: 'lost before' },
    { do: 'submit' },
    { do: 'wait', ms: 11 * minuteMs },
    { do: 'askTwice' },
  ],
]

const name = 'any'

/**
 * The server with a business of its own for each run: none, nor a smaller case of one that failed,
 * finds what the run before has left.
 */
async function newWorld(server: TestServer): Promise<TestServer> {
  const made = await createBusiness(server.app, 'Any')
  const call = server.callAs(made.test_key)
  await must(call('POST', '/wallets/simulate-fund', { currency: 'ngn', amount: 1_000_000 }))
  return { ...server, businessId: made.business.id, call }
}

/** A rail with books of its own for one order. `at` is its time, in milliseconds. */
function randomRail() {
  const rail = {
    truth: 'none' as Truth,
    taken: 0,
    told: new Set<Truth>(),
    at: 0,
    line: 'clear' as Extract<Step, { do: 'line' }>['as'],
    answers: 'clear' as Extract<Step, { do: 'answers' }>['as'],
    /** When what is on its way arrives. */
    arrives: [] as number[],
    take(): void {
      rail.taken += 1
      if (rail.truth === 'none') rail.truth = 'taken'
    },
    goTo(at: number): void {
      rail.at = at
      for (const _arrived of rail.arrives.filter((one) => one <= at)) rail.take()
      rail.arrives = rail.arrives.filter((one) => one > at)
    },
    state(): OrderState {
      rail.told.add(rail.truth)
      switch (rail.truth) {
        case 'none':
          return { state: 'not_found' }
        case 'taken':
          return { state: 'processing', providerReference: 'r', askAgainInMs: null }
        case 'paid':
          return { state: 'completed', providerReference: 'r', txHash: null }
        case 'failed':
          return { state: 'failed', reason: 'rejected', providerReference: 'r' }
        case 'back':
          return { state: 'returned', reason: 'invalid_account', providerReference: 'r' }
      }
    },
    settle(as: 'next' | 'failed'): void {
      if (rail.truth === 'taken') rail.truth = as === 'next' ? 'paid' : 'failed'
      else if (rail.truth === 'paid' && as === 'next') rail.truth = 'back'
    },
    async send(_order: PayoutOrder): Promise<OrderState> {
      switch (rail.line) {
        case 'refuses':
          return { state: 'refused_now', obstacle: 'balance_too_low', askAgainInMs: 15_000 }
        case 'unsent':
          return { state: 'not_found' }
        case 'lost before':
          throw new Error('reset')
        case 'lost after':
          rail.take()
          throw new Error('no answer in time')
        case 'late':
          rail.arrives.push(rail.at + 8 * minuteMs)
          throw new Error('no answer in time')
        default:
          rail.take()
          return rail.state()
      }
    },
    async ask(): Promise<OrderState> {
      if (rail.answers === 'lost') throw new Error('no answer in time')
      if (rail.answers === 'refused')
        return { state: 'refused_now', obstacle: 'rate_limited', askAgainInMs: 1_000 }
      return rail.state()
    },
  }
  return rail
}

describe('any sequence of what a rail says', () => {
  let server: TestServer
  const open = async (): Promise<void> => {
    // Its jobs are run by the test alone: the server's own run of one would meet the rail at
    // another moment each time.
    server = await startServer({ SANDBOX_DELAY: '1h' }, undefined, undefined, 'none')
  }
  before(open)
  after(() => server.stop())
  const renew = (): Promise<void> => server.stop().then(open, open)

  it('ends a payout as the rail has it in the end, paid at most once', async () => {
    const ends = new Map<string, number>()
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 4, maxLength: 24 }),
        inFreshWorlds(renew, async (steps) => {
          const own = await newWorld(server)
          const scripted = scriptRail(own)
          const world = randomRail()
          scripted.rail.send = world.send
          scripted.rail.ask = world.ask
          const { id, amount, fee } = await must(
            own.call('POST', '/payouts', bankPayout(name, 100_000)),
          )
          const read = () => must(own.call('GET', `/payouts/${name}`))
          let at = 24 * 60 * minuteMs
          world.goTo(at)

          for (const one of steps) {
            if (one.do === 'submit') await scripted.submit(id, at)
            else if (one.do === 'ask') await scripted.ask(id, at)
            else if (one.do === 'notify') await scripted.notify(id, at)
            else if (one.do === 'askTwice')
              await Promise.all([scripted.ask(id, at), scripted.notify(id, at)])
            else if (one.do === 'cancel') await own.call('POST', `/payouts/${name}/cancel`)
            else if (one.do === 'wait') {
              at += one.ms
              world.goTo(at)
            } else if (one.do === 'line') world.line = one.as
            else if (one.do === 'answers') world.answers = one.as
            else if (one.do === 'settle') world.settle(one.as)
          }
          // Here an order is anywhere; the ends of all cases are in the books that are verified as
          // the server stops.
          await server.assertBooksClean()

          // From here on everybody hears everybody, until nothing changes any more.
          world.line = 'clear'
          world.answers = 'clear'
          for (let round = 0; round < 3; round++) {
            at += 11 * minuteMs
            world.goTo(at)
            if ((await read()).status === 'pending') await scripted.submit(id, at)
            else await scripted.ask(id, at)
            if (world.truth === 'taken') world.settle('next')
          }
          const { status } = await read()
          ends.set(status, (ends.get(status) ?? 0) + 1)
          assert.ok(world.taken <= 1, `it was taken ${world.taken} times`)
          if (status === 'canceled') assert.equal(world.taken, 0)
          else if (world.truth === 'back')
            assert.equal(status, world.told.has('paid') ? 'returned' : 'failed')
          else assert.equal(status, world.truth === 'paid' ? 'completed' : world.truth)
          const moved = await server.app.db.query<{ amount: bigint }>(
            `select coalesce(sum(case when a.id = p.debit_account then p.amount else -p.amount end), 0) as amount
             from ledger_postings p join ledger_accounts a on a.id in (p.debit_account, p.credit_account)
              and a.business_id = p.business_id and a.livemode = p.livemode and a.purpose = 'wallet_available'
            where p.subject = $1`,
            [id],
          )
          const cost = status === 'completed' ? amount : status === 'returned' ? fee : 0
          assert.equal(Number(moved[0]?.amount), cost, status)
        }),
      ),
      { numRuns: runs(40), examples: examples.map((steps) => [steps]) },
    )
    for (const status of ['completed', 'failed', 'canceled', 'returned'])
      assert.ok(ends.has(status), `none ended ${status}: ${JSON.stringify([...ends])}`)
  })
})

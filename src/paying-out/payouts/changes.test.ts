/**
 * Goal: payouts that change in one transaction end as each would have alone, and what goes wrong
 * with one is that one's. Method: payouts of several businesses change at the same moment, as often
 * the same one; wallets, events and books afterwards. A property: the same decisions in company and
 * one after the other leave the same.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import {
  bankPayout,
  ctxOf,
  listAll,
  must,
  shareServer,
  type TestServer,
} from '../../../test/support/harness.ts'
import { inFreshWorlds } from '../../../test/support/runs.ts'
import { createBusiness } from '../../books/businesses/businesses.ts'
import type { Ctx } from '../../core/outside.ts'
import type { Id } from '../../lib/ids.ts'
import { change, changeTogether, type Decide, type Decided } from './changes.ts'

type Shop = { ctx: Ctx; call: TestServer['call'] }
type Payout = { shop: Shop; id: Id; reference: string; net: number; amount: number }

const submit: Decide = ({ status }) => (status === 'pending' ? { trigger: 'submit' } : null)
const complete: Decide = ({ status }) => (status === 'processing' ? { trigger: 'complete' } : null)
const learn =
  (word: string): Decide =>
  ({ status }) =>
    status === 'processing' ? { trigger: null, columns: { provider_reference: word } } : null

describe('payouts that change at once', () => {
  let server: TestServer
  let shops: Shop[] = []
  let count = 0
  before(async () => {
    server = await shareServer({ SANDBOX_DELAY: '1h' })
    await openShops()
  })
  const openShops = async (): Promise<void> => {
    shops = []
    for (let n = 0; n < 4; n++) {
      const { business, test_key } = await createBusiness(server.app, `Changes ${n}`)
      const call = server.callAs(test_key)
      await must(call('POST', '/wallets/simulate-fund', { currency: 'ngn', amount: 100_000_000 }))
      shops.push({ call, ctx: await ctxOf(server, business.id) })
    }
  }
  after(() => server.stop())

  const create = async (shop: Shop, amount = 100_000): Promise<Payout> => {
    const made = await must(shop.call('POST', '/payouts', bankPayout(`at-once-${++count}`, amount)))
    return { shop, id: made.id, reference: made.reference, net: made.net_amount, amount }
  }
  const createAll = (each: number): Promise<Payout[]> =>
    Promise.all(shops.flatMap((shop) => Array.from({ length: each }, () => create(shop))))
  const changeAll = (all: Payout[], decide: Decide): Promise<Decided[]> =>
    Promise.all(all.map(({ shop, id }) => changeTogether(shop.ctx, id, decide)))
  const statusesOf = (all: Payout[]): Promise<string[]> =>
    Promise.all(
      all.map(
        async ({ shop, reference }) =>
          (await must(shop.call('GET', `/payouts/${reference}`))).status,
      ),
    )
  const walletOf = async ({ call }: Shop) => {
    const { available, pending } = (await must(call('GET', '/wallets?currency=ngn')))[0] ?? {}
    return { available, pending }
  }
  const eventsOf = async ({ call }: Shop, type: string): Promise<string[]> =>
    (await listAll(call, `/events?type=${type}`)).map(({ payload }) => payload.id).sort()

  it('end each as it would have alone', async () => {
    const before = await Promise.all(shops.map(walletOf))
    const all = await createAll(20)
    assert.ok(
      (await changeAll(all, submit)).every(({ decided, row }) => decided && row?.submissions === 1),
    )
    assert.ok(
      (await changeAll(all, complete)).every(
        ({ decided, row }) => decided && row?.status === 'completed',
      ),
    )
    assert.deepEqual(new Set(await statusesOf(all)), new Set(['completed']))
    for (const [n, shop] of shops.entries()) {
      const own = all.filter((one) => one.shop === shop)
      const { available, pending } = before[n] as { available: number; pending: number }
      const spent = own.reduce((sum, { amount }) => sum + amount, 0)
      assert.deepEqual(await walletOf(shop), { available: available - spent, pending })
      assert.deepEqual(await eventsOf(shop, 'payout.completed'), own.map(({ id }) => id).sort())
    }
  })

  it('change once, of those that are asked for at the same moment', async () => {
    const [payout] = (await createAll(1)) as [Payout]
    const { shop, id } = payout
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => changeTogether(shop.ctx, id, submit)),
    )
    assert.deepEqual(answers.map(({ decided }) => decided).filter(Boolean), [true])
    assert.ok(answers.every(({ row }) => row?.submissions === 1))
    const ends = await Promise.all(
      Array.from({ length: 8 }, () => changeTogether(shop.ctx, id, complete)),
    )
    assert.equal(ends.filter(({ decided }) => decided).length, 1)
    assert.equal((await eventsOf(shop, 'payout.completed')).filter((one) => one === id).length, 1)
  })

  it('leave what went wrong with one to that one', async () => {
    const all = await createAll(5)
    await changeAll(all, submit)
    const bad = all[7] as Payout
    const outcomes = await Promise.allSettled(
      all.map(({ shop, id }) =>
        changeTogether(shop.ctx, id, (row, work) => {
          if (row.id === bad.id) throw new Error('on purpose')
          return complete(row, work)
        }),
      ),
    )
    for (const [i, { status }] of outcomes.entries())
      assert.equal(status, all[i] === bad ? 'rejected' : 'fulfilled')
    const statuses = await statusesOf(all)
    assert.ok(
      statuses.every((status, i) => status === (all[i] === bad ? 'processing' : 'completed')),
    )
  })

  it('leave in company what they leave one after the other', async () => {
    const steps = { submit, complete, learn: learn('told') }
    const step = fc.constantFrom(...(Object.keys(steps) as (keyof typeof steps)[]))
    const plan = fc.array(
      fc.record({
        shop: fc.nat({ max: 1 }),
        amount: fc.integer({ min: 50_000, max: 500_000 }),
        rounds: fc.array(step, { maxLength: 4 }),
      }),
      { minLength: 1, maxLength: 12 },
    )
    await fc.assert(
      fc.asyncProperty(
        plan,
        inFreshWorlds(openShops, async (payouts) => {
          const run = async (offset: number, together: boolean) => {
            const own = shops.slice(offset, offset + 2)
            const before = await Promise.all(own.map(walletOf))
            const all: Payout[] = []
            for (const { shop, amount } of payouts)
              all.push(await create(own[shop] as Shop, amount))
            for (let round = 0; round < 4; round++) {
              const due = payouts.flatMap(({ rounds }, i) => {
                const name = rounds[round]
                return name === undefined ? [] : [{ payout: all[i] as Payout, decide: steps[name] }]
              })
              if (together)
                await Promise.all(
                  due.map(({ payout: { shop, id }, decide }) =>
                    changeTogether(shop.ctx, id, decide),
                  ),
                )
              else
                for (const { payout, decide } of due)
                  await payout.shop.ctx.write((work) => change(work, payout.id, decide))
            }
            const ends = await Promise.all(
              all.map(({ shop, reference }) => must(shop.call('GET', `/payouts/${reference}`))),
            )
            const moved = await Promise.all(own.map(walletOf))
            return {
              ends: ends.map(({ status, provider_reference, net_amount }) => [
                status,
                provider_reference,
                net_amount,
              ]),
              moved: moved.map(({ available, pending }, i) => [
                available - (before[i]?.available ?? 0),
                pending - (before[i]?.pending ?? 0),
              ]),
            }
          }
          assert.deepEqual(await run(0, true), await run(2, false))
        }),
      ),
      { numRuns: 15 },
    )
  })
})

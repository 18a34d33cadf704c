/**
 * Whose an answer is: workers that are forked from a process with an open connection, and answers
 * that name another request.
 */
import assert from 'node:assert/strict'
import { bankAccount } from '../../test/support/actors.ts'
import type { Bench } from './bench.ts'
import type { Case } from './case.ts'
import type { Fork, Json } from './driver.ts'

const body = (reference: string): Json => ({
  reference,
  amount: 10_000,
  currency: 'ngn',
  method: 'bank_transfer',
  destination: bankAccount(),
})

const fund = async ({ http }: Bench, amount = 1_000_000): Promise<void> => {
  const { status } = await http('POST', '/wallets/simulate-fund', { currency: 'ngn', amount })
  assert.equal(status, 200)
}

/** How many payments and payouts the business has. */
const countsOf = ({ http }: Bench): Promise<number[]> =>
  Promise.all(
    ['/payments?limit=1', '/payouts?limit=1'].map(
      async (path) => (await http('GET', path)).data.totalDocs as number,
    ),
  )

/**
 * Has workers pay with a client that their parent has used, and fails unless each of them had its
 * own records back, and the server has each record once.
 * @returns how many payments and payouts were made
 */
export async function payForked(
  t: Bench,
  how: Fork['how'],
  workers: number,
  each: number,
): Promise<number> {
  await fund(t, 20_000 * each * (workers + 1))
  const before = await countsOf(t)
  const openedBefore = t.proxy.opened
  const { made, others, failed } = await t.fork({ how, workers, each, prefix: t.unique('fork') })
  assert.deepEqual(others.slice(0, 5), [], `${others.length} answers were those of another worker`)
  assert.deepEqual(failed.slice(0, 5), [], `${failed.length} requests failed`)
  assert.equal(made, 2 * each * (workers + 1))
  const after = await countsOf(t)
  assert.deepEqual(
    after.map((count, i) => count - (before[i] as number)),
    [each * (workers + 1), each * (workers + 1)],
  )
  // One of each process: the parent's stays open, whatever becomes of its workers.
  assert.equal(t.proxy.opened - openedBefore, workers + 1, 'connections')
  return made
}

const one = (name: string, run: Case['run'], needs?: Case['needs']): Case => ({
  group: 'forks',
  name,
  run,
  ...(needs ? { needs } : {}),
})

export const forks: Case[] = [
  one(
    'forked workers have answers of their own, with the client that was made before',
    async (t) => {
      await payForked(t, 'fork', 4, 20)
    },
    'fork',
  ),
  one(
    'workers of multiprocessing, too',
    async (t) => {
      await payForked(t, 'multiprocessing', 4, 20)
    },
    'multiprocessing',
  ),
  one(
    'each try sends an X-Client-Request-Id of its own, which the server gives back',
    async (t) => {
      await fund(t)
      t.proxy.next('cut answer')
      await t.call('payouts.create', { body: body(t.unique('named')) })
      const names = t.proxy.log.map(({ headers }) => headers['x-client-request-id'])
      assert.equal(names.length, 2)
      for (const name of names) assert.match(String(name), /^[\w.-]{16,64}$/)
      assert.notEqual(names[0], names[1])
    },
  ),
  one(
    'an answer that names another request is none: it is asked for again under the same key',
    async (t) => {
      await fund(t)
      const reference = t.unique('mixed')
      t.proxy.next('mix up')
      assert.equal((await t.call('payouts.create', { body: body(reference) })).reference, reference)
      assert.equal(t.proxy.log.length, 2)
      assert.equal(new Set(t.proxy.log.map(({ headers }) => headers['idempotency-key'])).size, 1)
      assert.equal((await t.http('GET', `/payouts?reference=${reference}`)).data.totalDocs, 1)
    },
  ),
  one(
    'an answer that names another request is an error that says so where nothing may be sent again',
    async (t) => {
      await fund(t)
      const product = await t.call('products.create', {
        body: { name: 'A', amount: 1, currency: 'ngn' },
      })
      const asks: [string, Parameters<Bench['call']>[1]][] = [
        ['payouts.create', { body: body(t.unique('mixed')), options: { max_retries: 0 } }],
        ['products.archive', { args: [product.id] }],
      ]
      for (const [name, given] of asks) {
        t.proxy.next('mix up')
        const { message } = await t.refused(t.call(name, given), { type: 'APIConnectionError' })
        assert.match(message, /answer to another request.+may have been done/s)
        assert.equal(t.proxy.log.length, 1)
      }
    },
  ),
  one('an answer that names no request is taken', async (t) => {
    await fund(t)
    const reference = t.unique('unnamed')
    t.proxy.next('leave name out')
    assert.equal((await t.call('payouts.create', { body: body(reference) })).reference, reference)
    assert.equal(t.proxy.log.length, 1)
  }),
]

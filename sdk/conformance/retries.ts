/**
 * What is sent again and what never is, on a line that fails on purpose; and that nothing is done
 * twice by it.
 */
import assert from 'node:assert/strict'
import { bankAccount } from '../../test/support/actors.ts'
import { patience } from '../../test/support/harness.ts'
import type { Bench } from './bench.ts'
import type { Case } from './case.ts'
import type { Json } from './driver.ts'
import type { Fault } from './proxy.ts'

const failing = (status: number, headers = {}): Fault => ({
  status,
  headers,
  body: JSON.stringify({ message: 'Try again.', data: null, errors: { code: 'overloaded' } }),
})
const html: Fault = { status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>502</h1>' }

const keysOf = ({ proxy }: Bench): unknown[] =>
  proxy.log.map(({ headers }) => headers['idempotency-key'])
const gapsOf = ({ proxy }: Bench): number[] =>
  proxy.log.slice(1).map(({ at }, i) => at - (proxy.log[i]?.at ?? 0))

const payout = (reference: string) => ({
  reference,
  amount: 10_000,
  currency: 'ngn',
  method: 'bank_transfer',
  destination: bankAccount(),
})
const payoutsOf = async (t: Bench, reference: string): Promise<Json[]> =>
  (await t.http('GET', `/payouts?reference=${reference}`)).data.docs
/** What payouts have taken out of the wallet. */
const available = async (t: Bench): Promise<number> =>
  (await t.http('GET', '/wallets?currency=ngn')).data[0].available

/** Asks for a payout over a line that fails, and counts what the server has. */
async function paysOnce(t: Bench, faults: Fault[], options = {}): Promise<void> {
  const reference = t.unique('once')
  const before = await available(t)
  t.proxy.next(...faults)
  const made = await t.call('payouts.create', { body: payout(reference), options })
  assert.equal(made.reference, reference)
  const keys = keysOf(t)
  assert.equal(keys.length, faults.length + 1, 'so many requests')
  assert.equal(new Set(keys).size, 1, `one key: ${keys}`)
  assert.match(String(keys[0]), /^[!-~]{16,255}$/)
  assert.deepEqual(
    (await payoutsOf(t, reference)).map(({ id }) => id),
    [made.id],
  )
  assert.equal(await available(t), before - 10_000)
}

/** Fails unless a request was sent once, and ended with an error. */
async function sentOnce(
  t: Bench,
  fault: Fault,
  name: string,
  given: Parameters<Bench['call']>[1],
  type?: string,
): Promise<void> {
  t.proxy.next(fault)
  await t.refused(t.call(name, given), type === undefined ? {} : { type })
  assert.equal(t.proxy.log.length, 1, `${name} after ${JSON.stringify(fault)}`)
}

const one = (name: string, run: Case['run'], slow?: true): Case => ({
  group: 'retries',
  name,
  run,
  ...(slow ? { slow } : {}),
})

export const retries: Case[] = [
  one('a read is asked again when the line, or the server, fails', async (t) => {
    for (const fault of ['lose request', 'cut answer', failing(503)] as Fault[]) {
      t.proxy.next(fault)
      assert.equal((await t.call('business.get')).livemode, false)
      assert.equal(t.proxy.log.length, 2, JSON.stringify(fault))
    }
  }),
  one('a payout whose answer is lost is asked for again under the same key: one payout', (t) =>
    paysOnce(t, ['lose answer']),
  ),
  one('a payout whose answer is cut in the middle: one payout', (t) => paysOnce(t, ['cut answer'])),
  one('a payout that never arrived, and then a 500: one payout', (t) =>
    paysOnce(t, ['lose request', failing(500)]),
  ),
  one('a payout, and a proxy that answers with a page: one payout', (t) => paysOnce(t, [html])),
  one(
    'a payout that hangs after it was done: one payout',
    (t) => paysOnce(t, ['hang after'], { timeout_ms: 3_000 }),
    true,
  ),
  one(
    'each of 429, 500, 502, 503 and 504 is tried again',
    async (t) => {
      for (const status of [429, 500, 502, 503, 504]) {
        t.proxy.next(failing(status))
        await t.call('business.get')
        assert.equal(t.proxy.log.length, 2, String(status))
      }
    },
    true,
  ),
  one(
    'Retry-After is obeyed',
    async (t) => {
      t.proxy.next(failing(429, { 'retry-after': '2' }))
      await t.call('business.get')
      const [gap = 0] = gapsOf(t)
      assert.ok(gap > 1_900 && gap < 10_000 * patience, `${gap} ms`)
    },
    true,
  ),
  one('what is asked to wait for an hour is an error now', (t) =>
    sentOnce(t, failing(429, { 'retry-after': '3600' }), 'business.get', {}, 'RateLimitError'),
  ),
  one(
    'it gives up after two more tries, or as many as it is told',
    async (t) => {
      t.proxy.next(failing(500), failing(500), failing(500), failing(500))
      await t.refused(t.call('business.get'), { type: 'ServerError', status: 500 })
      assert.equal(t.proxy.log.length, 3)
      t.proxy.next(failing(500), failing(500))
      await t.refused(t.call('business.get', { options: { max_retries: 1 } }), {
        type: 'ServerError',
      })
      assert.equal(t.proxy.log.length, 2)
      t.proxy.next(failing(500))
      await t.refused(t.call('business.get', { client: { max_retries: 0 } }), {
        type: 'ServerError',
      })
      assert.equal(t.proxy.log.length, 1)
    },
    true,
  ),
  one(
    'waits are short, and not the same each time',
    async (t) => {
      const gaps: number[] = []
      for (let n = 0; n < 4; n++) {
        // Not a lost connection: curl and some runtimes ask once more by themselves, at once, where
        // an open one ends without an answer.
        t.proxy.next(failing(503))
        await t.call('business.get')
        gaps.push(...gapsOf(t))
      }
      for (const gap of gaps) assert.ok(gap < 5_000 * patience, `${gap} ms`)
      assert.ok(Math.max(...gaps) - Math.min(...gaps) > 5, String(gaps))
    },
    true,
  ),
  one('a key of yours is sent as it is, and replays the answer', async (t) => {
    const [reference, idempotency_key] = [t.unique('own'), t.unique('own-key')]
    t.proxy.next()
    const first = await t.call('payouts.create', {
      body: payout(reference),
      options: { idempotency_key },
    })
    const second = await t.call('payouts.create', {
      body: payout(reference),
      options: { idempotency_key },
    })
    assert.deepEqual(second, first)
    assert.deepEqual(keysOf(t), [idempotency_key, idempotency_key])
  }),
  one('two requests have two keys', async (t) => {
    t.proxy.next()
    await t.call('payouts.create', { body: payout(t.unique('two')) })
    await t.call('payouts.create', { body: payout(t.unique('two')) })
    const [a, b] = keysOf(t)
    assert.ok(typeof a === 'string' && typeof b === 'string' && a !== b, `${a} ${b}`)
  }),
  one('a refusal is not tried again', async (t) => {
    await sentOnce(t, failing(400), 'business.get', {}, 'InvalidRequestError')
    await sentOnce(t, failing(409), 'business.get', {}, 'ConflictError')
    await sentOnce(t, failing(422), 'business.get', {}, 'InvalidRequestError')
  }),
  one('a change without a key is never sent twice', async (t) => {
    const product = await t.call('products.create', {
      body: { name: 'A', amount: 1, currency: 'ngn' },
    })
    const given = { args: [product.id] }
    for (const fault of [
      'lose answer',
      'lose request',
      'cut answer',
      html,
      failing(500),
      failing(503),
    ] as Fault[])
      await sentOnce(t, fault, 'products.archive', given)
    await sentOnce(
      t,
      'hang after',
      'products.unarchive',
      { ...given, options: { timeout_ms: 1_000 } },
      'APITimeoutError',
    )
  }),
  one('PUT and DELETE, which say how it shall be, are sent again', async (t) => {
    const { id } = await t.call('products.create', {
      body: { name: 'A', amount: 1, currency: 'ngn' },
    })
    t.proxy.next('lose answer')
    assert.equal((await t.call('products.update', { args: [id], body: { amount: 2 } })).amount, 2)
    assert.equal(t.proxy.log.length, 2)
    const url = 'https://8.8.8.8/hook'
    const hook = await t.call('webhooks.create', { body: { url } })
    t.proxy.next('lose request')
    await t.call('webhooks.delete', { args: [hook.id] })
    assert.equal(t.proxy.log.length, 2)
  }),
  one('two at once that retry one payout, whose first answers are lost: one payout', async (t) => {
    const [reference, idempotency_key] = [t.unique('race'), t.unique('race-key')]
    const before = await available(t)
    // The other's process has started.
    await t.callOfOther('business.get')
    t.proxy.next('lose answer', 'lose answer')
    const given = { body: payout(reference), options: { idempotency_key } }
    const [a, b] = await Promise.all([
      t.call('payouts.create', given),
      t.callOfOther('payouts.create', given),
    ])
    assert.equal(t.proxy.log.length, 4)
    assert.deepEqual(a, b)
    assert.equal((await payoutsOf(t, reference)).length, 1)
    assert.equal(await available(t), before - 10_000)
  }),
  one('two at once without a key in common: the reference alone makes it one payout', async (t) => {
    const reference = t.unique('race')
    const before = await available(t)
    t.proxy.next('lose answer', 'lose answer')
    const given = { body: payout(reference) }
    const ended = await Promise.allSettled([
      t.call('payouts.create', given),
      t.callOfOther('payouts.create', given),
    ])
    const [failed] = ended.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[]
    await t.refused(Promise.reject(failed?.reason), {
      type: 'ConflictError',
      code: 'duplicate_reference',
    })
    assert.equal(ended.filter(({ status }) => status === 'fulfilled').length, 1)
    assert.equal((await payoutsOf(t, reference)).length, 1)
    assert.equal(await available(t), before - 10_000)
  }),
]

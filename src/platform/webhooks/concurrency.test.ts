import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeConcurrencyLimits } from './concurrency.ts'

const at = (webhook_id: string, business_id = 'one') => ({ business_id, livemode: false, webhook_id })

test('an endpoint’s limit grows with what succeeds, and falls with what does not', () => {
  const limits = makeConcurrencyLimits()
  const hook = at('a')
  assert.equal(limits.acquire(hook, 100), 2)
  assert.equal(limits.acquire(hook, 100), 0)
  limits.adjust(hook, true)
  limits.release(hook, 1)
  assert.equal(limits.acquire(hook, 100), 2)
  for (let i = 0; i < 100; i++) limits.adjust(hook, true)
  limits.release(hook, 3)
  assert.equal(limits.acquire(hook, 100), 64, 'a raised limit is remembered while nothing is under way')
  limits.adjust(hook, false)
  limits.release(hook, 63)
  assert.equal(limits.acquire(hook, 100), 1)
})

test('a business shares what it may have, and takes nothing from another', () => {
  const limits = makeConcurrencyLimits()
  const hooks = Array.from({ length: 20 }, (_, i) => at(`hook-${i}`))
  for (const hook of hooks) {
    limits.acquire(hook, 1)
    for (let n = 0; n < 100; n++) limits.adjust(hook, true)
  }
  const taken = hooks.map((hook) => limits.acquire(hook, 100))
  assert.equal(
    taken.reduce((sum, count) => sum + count, 20),
    128,
  )
  assert.equal(limits.acquire(at('other', 'two'), 100), 2)
  for (const [i, hook] of hooks.entries()) limits.release(hook, 1 + (taken[i] as number))
  assert.equal(limits.acquire(hooks[19] as ReturnType<typeof at>, 100), 64)
})

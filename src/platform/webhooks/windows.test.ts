import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeWindows } from './windows.ts'

const at = (webhook_id: string, business_id = 'one') => ({ business_id, livemode: false, webhook_id })

test('a window opens with what is taken, and shuts with what is not', () => {
  const windows = makeWindows()
  const hook = at('a')
  assert.equal(windows.take(hook, 100), 2)
  assert.equal(windows.take(hook, 100), 0)
  windows.learn(hook, true)
  windows.free(hook, 1)
  assert.equal(windows.take(hook, 100), 2)
  for (let i = 0; i < 100; i++) windows.learn(hook, true)
  windows.free(hook, 3)
  assert.equal(windows.take(hook, 100), 64, 'an open window is remembered while nothing is under way')
  windows.learn(hook, false)
  windows.free(hook, 63)
  assert.equal(windows.take(hook, 100), 1)
})

test('a business shares what it may have, and takes nothing from another', () => {
  const windows = makeWindows()
  const hooks = Array.from({ length: 20 }, (_, i) => at(`hook-${i}`))
  for (const hook of hooks) {
    windows.take(hook, 1)
    for (let n = 0; n < 100; n++) windows.learn(hook, true)
  }
  const taken = hooks.map((hook) => windows.take(hook, 100))
  assert.equal(
    taken.reduce((sum, count) => sum + count, 20),
    128,
  )
  assert.equal(windows.take(at('other', 'two'), 100), 2)
  for (const [i, hook] of hooks.entries()) windows.free(hook, 1 + (taken[i] as number))
  assert.equal(windows.take(hooks[19] as ReturnType<typeof at>, 100), 64)
})

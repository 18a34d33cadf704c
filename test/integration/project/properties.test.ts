import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { inFreshWorlds } from '../../support/runs.ts'

test('a property that fails prints its seed and its path, and shrinks in fresh worlds', async () => {
  let isBroken = false
  const property = fc.asyncProperty(
    fc.nat(1_000),
    inFreshWorlds(
      async () => {
        isBroken = false
      },
      async (amount) => {
        isBroken ||= amount >= 100
        assert.ok(!isBroken)
      },
    ),
  )
  const { failed, counterexample } = await fc.check(property, { seed: 1 })
  assert.deepEqual([failed, counterexample], [true, [100]])
  isBroken = false
  await assert.rejects(async () => fc.assert(property, { seed: 1 }), /\{ seed: 1, path: "[\d:]+"/)
})

/**
 * Each case of these opens a world by itself: businesses of its own, a network that begins at the
 * block after the last.
 */
const openWorlds = ['src/rails/evm/watcher.test.ts', 'test/integration/payouts/batches.test.ts']

test('a property that keeps a server between its cases shrinks in fresh worlds', () => {
  const files = globSync(['src/**/*.test.ts', 'test/{integration,doubles}/**/*.test.ts'])
  const properties = files.filter((file) => /fc\.asyncProperty\(/.test(readFileSync(file, 'utf8')))
  assert.ok(properties.length > 10)
  const stale = properties.filter(
    (file) =>
      !openWorlds.includes(file) &&
      !/inFreshWorlds\(|endOnFailure: true/.test(readFileSync(file, 'utf8')),
  )
  assert.deepEqual(stale, [], 'wrap the case in inFreshWorlds of test/support/runs.ts')
})

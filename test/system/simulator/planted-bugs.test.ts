/**
 * The bugs that `npm run sim -- --mutations` plants can still be planted: code moves on, and a
 * patch whose place is gone tries nothing. What each run finds is read from what the simulator
 * prints.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { reachOf } from '../../support/imports.ts'

const cwd = new URL('../../..', import.meta.url).pathname

for (const patch of globSync('sim/mutations/*.patch', { cwd }).sort())
  test(`${patch} applies`, () => {
    execFileSync('git', ['apply', '--check', patch], { cwd, stdio: 'pipe' })
  })

test('the simulator prints its findings alone: nothing that it loads is a test, whose runner prints a summary', () => {
  const isTest = (file: string): boolean =>
    /^import \{.*\} from 'node:test'/m.test(readFileSync(file, 'utf8'))
  assert.deepEqual([...reachOf('sim/sim.ts')].filter(isTest), [])
})

/**
 * Goal: the day with a live key that the demo plays goes as it says. Method: the demo, as a
 * newcomer runs it, to its end.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { it } from 'node:test'
import { promisify } from 'node:util'

it('the day with a live key over doubles of three providers ends with a difference of zero', async () => {
  const args = [new URL('../../demo/demo.ts', import.meta.url).pathname, '--live-double']
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args)
  assert.equal(stderr, '')
  assert.deepEqual(stdout.match(/(?<=\n {2}difference +)0\.00 \w+(?=\n)/g), [
    '0.00 ngn',
    '0.00 usd',
    '0.00 usd',
  ])
  assert.match(stdout, /The books are clean: \d+ accounts, \d+ postings\./)
  assert.match(stdout, / 0 transactions waited\n/)
  assert.match(stdout, / bytes of log: 0 found\n/)
  assert.match(stdout, /\n✓ The difference is zero, the books are clean: [\d.]+ s\.\n$/)
})

/**
 * Goal: metrics say what is known, and nothing else. Method: a measure that is there, is not, and
 * is again, as when the database is away.
 */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type Measure, makeMetrics } from './metrics.ts'

it('says nothing of what cannot be measured now', async () => {
  const known: Measure[] = [
    { name: 'backup_timestamp_seconds', help: 'When', labels: {}, value: 7 },
    { name: 'webhook_queue', help: 'Many', labels: { state: 'ready' }, value: 3 },
  ]
  let measures = known
  const metrics = makeMetrics(async () => measures)
  const shown = async () =>
    (await metrics.read())
      .split('\n')
      .filter((line) => /^bursar_(backup_timestamp|webhook_queue)/.test(line))
  const all = ['bursar_backup_timestamp_seconds 7', 'bursar_webhook_queue{state="ready"} 3']
  assert.deepEqual(await shown(), all)
  measures = []
  assert.deepEqual(await shown(), [])
  measures = known
  assert.deepEqual(await shown(), all)
  metrics.close()
})

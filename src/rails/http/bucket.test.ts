import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { manualClock } from '../../lib/clock.ts'
import { openBucket } from './bucket.ts'

describe('how often an account may be asked', () => {
  it('lets a quarter of a minute go at once, and sends before asks before sweeps', async () => {
    const clock = manualClock(new Date())
    const bucket = openBucket(240, clock)
    for (let i = 0; i < 60; i++) assert.equal(await bucket.take('sweep'), null)
    const order: string[] = []
    const waiting = (['sweep', 'ask', 'send'] as const).map(async (urgency) => {
      if ((await bucket.take(urgency)) === null) order.push(urgency)
    })
    clock.advance(1_000)
    await Promise.all(waiting)
    assert.deepEqual(order, ['send', 'ask', 'sweep'])
  })

  it('sends nothing that would wait too long, and says so', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const bucket = openBucket(4, manualClock(new Date()))
    assert.equal(await bucket.take('send'), null)
    const late = bucket.take('send')
    t.mock.timers.tick(3_000)
    assert.equal(await late, 3_000)
  })

  it('is paused from an urgency on downwards', async () => {
    const clock = manualClock(new Date())
    const bucket = openBucket(600, clock)
    bucket.pause('ask', 30_000)
    assert.equal(await bucket.take('send'), null)
    assert.equal(await bucket.take('ask'), 30_000)
    assert.equal(bucket.pausedMs('sweep'), 30_000)
    clock.advance(30_000)
    assert.equal(await bucket.take('ask'), null)
  })
})

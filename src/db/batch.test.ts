import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { until } from '../../test/support/harness.ts'
import type { Outcome } from '../lib/errors.ts'
import { Refusal } from '../lib/errors.ts'
import { gather } from './batch.ts'

/** A run whose batches end when they are told to. */
function held() {
  const batches: { items: string[]; end(): void; fail(error: Error): void }[] = []
  const run = (items: string[]): Promise<Outcome<string>[]> =>
    new Promise((resolve, reject) => {
      batches.push({
        items,
        end: () => resolve(items.map((item) => ({ answer: item }))),
        fail: reject,
      })
    })
  return { batches, run }
}

describe('a gatherer', () => {
  it('takes a lone item at once, and gathers company only while its lanes are busy', async () => {
    const { batches, run } = held()
    const push = gather(run, { lanes: 1, max: 3 })
    const first = push('a')
    await turn()
    assert.deepEqual(batches[0]?.items, ['a'])
    const rest = ['b', 'c', 'd', 'e'].map(push)
    await turn()
    assert.equal(batches.length, 1)
    batches[0]?.end()
    assert.equal(await first, 'a')
    assert.deepEqual(batches[1]?.items, ['b', 'c', 'd'])
    batches[1]?.end()
    await rest[0]
    assert.deepEqual(batches[2]?.items, ['e'])
    batches[2]?.end()
    assert.deepEqual(await Promise.all(rest), ['b', 'c', 'd', 'e'])
  })

  it('never runs one group in two lanes, and keeps its order', async () => {
    const { batches, run } = held()
    const push = gather(run, { lanes: 2, max: 3, groupOf: (item) => item[0] as string })
    const all = [push('a1')]
    await turn()
    all.push(push('a2'), push('b1'), push('a3'))
    await turn()
    assert.deepEqual(
      batches.map(({ items }) => items),
      [['a1'], ['b1']],
    )
    batches[1]?.end()
    await turn()
    assert.equal(batches.length, 2)
    batches[0]?.end()
    await turn()
    assert.deepEqual(batches[2]?.items, ['a2', 'a3'])
    batches[2]?.end()
    await Promise.all(all)
  })

  it('has another lane for a whole batch, and none for less', async () => {
    const { batches, run } = held()
    const push = gather(run, { lanes: 2, max: 2 })
    const all = [push('a')]
    await turn()
    all.push(push('b'))
    await turn()
    assert.equal(batches.length, 1)
    all.push(push('c'))
    await turn()
    assert.deepEqual(batches[1]?.items, ['b', 'c'])
    all.push(push('d'))
    batches[1]?.end()
    await turn()
    assert.equal(batches.length, 2)
    batches[0]?.end()
    await turn()
    assert.deepEqual(batches[2]?.items, ['d'])
    batches[2]?.end()
    assert.deepEqual(await Promise.all(all), ['a', 'b', 'c', 'd'])
  })

  it('lets others go past a batch that does not end, but for those of its groups', async () => {
    const { batches, run } = held()
    const push = gather(run, { lanes: 2, groupOf: (item) => item[0] as string })
    const all = [push('a1')]
    await turn()
    all.push(push('a2'), push('b1'))
    await until(async () => batches.length > 1)
    assert.deepEqual(
      batches.map(({ items }) => items),
      [['a1'], ['b1']],
    )
    batches[1]?.end()
    await all[2]
    all.push(push('c1'))
    await until(async () => batches.length > 2)
    assert.deepEqual(batches[2]?.items, ['c1'])
    batches[2]?.end()
    batches[0]?.end()
    await turn()
    batches[3]?.end()
    assert.deepEqual(await Promise.all(all), ['a1', 'a2', 'b1', 'c1'])
  })

  it('runs the items of a batch that failed one by one, so that one of them fails alone', async () => {
    for (const text of [
      'three',
      'three exists already',
      'an error in the pool of closed connections',
    ]) {
      const run = async (items: number[]): Promise<Outcome<number>[]> => {
        if (items.includes(3)) throw new Error(text)
        return items.map((item) =>
          item === 2 ? { refusal: new Refusal('not_found', 404, 'two') } : { answer: item },
        )
      }
      const push = gather(run, {})
      const ends = await Promise.allSettled([1, 2, 3, 4].map(push))
      assert.deepEqual(
        ends.map((end) => (end.status === 'fulfilled' ? end.value : end.reason.message)),
        [1, 'two', text, 4],
      )
    }
  })

  it('runs nothing again when the database was lost: it may have committed', async () => {
    for (const error of [
      new Error('Connection terminated unexpectedly'),
      Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
    ]) {
      let runs = 0
      const push = gather(async (_items: number[]): Promise<Outcome<number>[]> => {
        runs++
        throw error
      }, {})
      const ends = await Promise.allSettled([push(1), push(2), push(3)])
      assert.ok(ends.every((end) => end.status === 'rejected'))
      assert.equal(runs, 1)
    }
  })

  it('refuses what would make too many wait', async () => {
    const { batches, run } = held()
    const push = gather(run, { lanes: 1, maxQueued: 2 })
    const first = push('a')
    await turn()
    const waiting = [push('b'), push('c')]
    await assert.rejects(push('d'), { code: 'overloaded' })
    batches[0]?.end()
    await first
    batches[1]?.end()
    await Promise.all(waiting)
  })
})

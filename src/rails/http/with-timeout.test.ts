import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DeadlineError, withDeadline } from '../../lib/deadline.ts'
import { askHolder } from '../../platform/lookups/lookups.ts'
import { withTimeout } from './with-timeout.ts'

const never = <T>(): Promise<T> => new Promise(() => {})

describe('a rail that never answers', () => {
  it('is given up at its deadline, and holds nobody', async () => {
    await assert.rejects(withDeadline(5, never()), DeadlineError)
    assert.equal(await withDeadline(1_000, Promise.resolve('heard')), 'heard')
    await assert.rejects(withDeadline(1_000, Promise.reject(new RangeError('its own'))), RangeError)
  })

  it('is otherwise the same rail: names, limits, answers and errors', async () => {
    const rail = withTimeout({
      name: 'one',
      holdMs: 5,
      ask: async (n: number) => n + 1,
      fail: () => Promise.reject(new RangeError()),
    })
    assert.deepEqual([rail.name, rail.holdMs, await rail.ask(1)], ['one', 5, 2])
    await assert.rejects(rail.fail(), RangeError)
  })

  it('is an unavailable bank to who asks for a holder, as one that fails is', async () => {
    const said: unknown[] = []
    const log = { error: (fields: object) => said.push(fields) }
    const asking = (lookup: () => Promise<unknown>) => {
      const sandbox = {
        name: 'sandbox',
        serves: '*',
        ports: { lookup: { name: 'sandbox', lookup } },
      }
      const test = { accounts: { sandbox }, routes: { 'lookup.ngn': ['sandbox'] } }
      return { log, scope: { livemode: false, businessId: '' }, rails: { test } } as never
    }
    const error = new RangeError()
    for (const lookup of [
      () => Promise.reject(new DeadlineError()),
      () => Promise.reject(error),
      () => {
        throw error
      },
    ])
      assert.deepEqual(await askHolder(asking(lookup), '058', '0123456789'), {
        found: 'unavailable',
      })
    // That a bank does not answer is usual; that asking it fails is not.
    assert.deepEqual(said, [
      { err: error, rail: 'sandbox', bank: '058' },
      { err: error, rail: 'sandbox', bank: '058' },
    ])
  })
})

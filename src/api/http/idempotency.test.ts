/**
 * Goal: an answer is kept once for its key, whoever else writes. Method: the two halves of a write
 * in one transaction, with a row put between them by a writer that holds no lock; one key's row
 * past its day.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { shareServer, type TestServer } from '../../../test/support/harness.ts'
import type { Scope } from '../../core/app.ts'
import { type Tx, transaction } from '../../db/db.ts'
import { later } from '../../lib/clock.ts'
import type { Id } from '../../lib/ids.ts'
import { claimKeys, type Finished, KeyBusy, keepAnswers } from './idempotency.ts'

describe('a key', () => {
  let server: TestServer
  before(async () => {
    server = await shareServer()
  })
  after(() => server.stop())

  const scopeAt = (now: Date): Scope => ({
    businessId: server.businessId as Id,
    livemode: false,
    now,
  })
  const asked = (key: string, now: Date) => {
    const write = () => ({ status: 201, body: `{"key":"${key}"}` })
    return [{ scope: scopeAt(now), keyed: { key, mark: 'same', write } }]
  }
  const kept = async (key: string) =>
    server.app.db.query('select status, created_at from idempotency_keys where key = $1', [key])

  it('undoes all that was done for it where somebody has written its row meanwhile', async () => {
    const now = server.app.clock.now()
    const requests = asked('between', now)
    const write = (work: (tx: Tx) => Promise<void>) =>
      transaction(server.app.db, async (tx) => {
        const claims = await claimKeys(tx, requests, false)
        assert.equal(claims.fresh.length, 1)
        await tx.rows(
          {
            name: '',
            text: `insert into list_counts values ($1, false, 'undone', '2000-01-01', '{}', 1)`,
          },
          [server.businessId],
        )
        await work(tx)
        await keepAnswers(tx, server.app.secrets, requests, claims, [{ answer: null }])
      })
    const elsewhere = async () => {
      await server.app.db.query(
        `insert into idempotency_keys (business_id, livemode, key, created_at, status) values ($1, false, 'between', $2, 200)`,
        [server.businessId, now],
      )
    }
    await assert.rejects(write(elsewhere), KeyBusy)
    assert.deepEqual(await server.app.db.query(`select from list_counts where list = 'undone'`), [])
    assert.deepEqual(
      (await kept('between')).map(({ status }) => status),
      [200],
    )
  })

  it('is another request after a day, and its row is written over', async () => {
    const now = server.app.clock.now()
    const ask = (at: Date) => {
      const requests = asked('daily', at)
      return transaction(server.app.db, async (tx) => {
        const claims = await claimKeys(tx, requests, true)
        const ran = claims.fresh.map(() => ({ answer: null }))
        const [outcome] = await keepAnswers(tx, server.app.secrets, requests, claims, ran)
        return (outcome as { answer: Finished }).answer.replayed
      })
    }
    assert.deepEqual([await ask(now), await ask(later(now, 86_399_000))], [false, true])
    assert.equal(await ask(later(now, 86_400_000)), false)
    assert.deepEqual(
      (await kept('daily')).map(({ created_at }) => (created_at as Date).getTime()),
      [now.getTime() + 86_400_000],
    )
  })
})

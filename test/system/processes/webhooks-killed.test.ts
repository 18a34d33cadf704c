import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { serve } from '../../support/commands.ts'
import { openDeliveries } from '../../support/deliveries.ts'
import { patience, until } from '../../support/harness.ts'

describe('deliveries', () => {
  it('that a killed worker was sending are sent by another within seconds', async (t) => {
    const { receiver, env, opened, ...ground } = await openDeliveries()
    t.after(() => ground.stop())
    const one = await ground.owner(['/a'])
    await ground.tell(one, 50)
    // The first worker gets answers to some, and is killed over the others.
    receiver.answer = (_request, response) => void (receiver.requests.length <= 20 && response.end())
    const doomed = await serve(env, ['--role', 'worker'])
    await until(async () => {
      const [row] = await opened.app.db.query<{ n: bigint }>(
        'select count(*) as n from webhook_attempts where business_id = $1',
        [one.id],
      )
      return row?.n === 20n && (await ground.queueOf(one)).some(({ claimed_by }) => claimed_by !== null)
    })
    doomed.child.kill('SIGKILL')
    await doomed.ended
    receiver.answer = 200
    await ground.startDispatcher()
    const start = performance.now()
    assert.deepEqual(await ground.drained(one), { states: { succeeded: 50 }, tries: 50 })
    assert.ok(performance.now() - start < 10_000 * patience)
    assert.equal(new Set(receiver.requests.map(({ headers }) => headers['x-event-id'])).size, 50)
  })
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { serve } from '../../support/commands.ts'
import { openDeliveries } from '../../support/deliveries.ts'
import { until } from '../../support/harness.ts'

describe('deliveries', () => {
  it('that a killed worker was sending are released by another, and sent', async (t) => {
    const { receiver, env, opened, ...ground } = await openDeliveries()
    t.after(() => ground.stop())
    const one = await ground.owner(['/a'])
    await ground.tell(one, 50)
    // The first worker gets answers to some, and is killed over the others.
    receiver.answer = (_request, response) =>
      void (receiver.requests.length <= 20 && response.end())
    const doomed = await serve(env, ['--role', 'worker'])
    const claimers = async () =>
      new Set((await ground.queueOf(one)).map(({ claimed_by }) => claimed_by))
    let dead = ''
    await until(async () => {
      const [row] = await opened.app.db.query<{ n: bigint }>(
        'select count(*) as n from webhook_attempts where business_id = $1',
        [one.id],
      )
      dead = [...(await claimers())].find((name) => name !== null) ?? ''
      return row?.n === 20n && dead !== ''
    })
    doomed.child.kill('SIGKILL')
    await doomed.ended
    receiver.answer = 200
    await ground.startDispatcher()
    await until(async () => !(await claimers()).has(dead))
    assert.deepEqual(await ground.drained(one), { states: { succeeded: 50 }, tries: 50 })
    assert.equal(new Set(receiver.requests.map(({ headers }) => headers['x-event-id'])).size, 50)
  })
})

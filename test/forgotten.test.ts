/**
 * Goal: nothing waits without something that will look after it: `bursar ledger verify` finds what was forgotten.
 * Method: of everything that waits, timers and jobs are taken away, one kind after the other.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { verifyBooks } from '../src/edge/main.ts'
import { cards, type Merchant, newMerchant } from './actors.ts'
import { bankPayout, must, settled, startServer, type TestServer } from './harness.ts'
import { processing, scriptRail } from './scripted-rail.ts'

let server: TestServer
let merchant: Merchant

/** What checks find: the name of each check, with what it names. */
const found = async (): Promise<Record<string, string>> => {
  const { differences } = await verifyBooks(server.app)
  return Object.fromEntries(differences.map(({ check, what }) => [check, what]))
}
const forget = (subject: string) => server.app.db.query('delete from timers where subject = $1', [subject])

before(async () => {
  server = await startServer({ SANDBOX_DELAY: '1h' })
  merchant = newMerchant(server)
  await server.fund('ngn', 10_000_000)
})
after(() => server.stop())

describe('what waits and was forgotten', () => {
  it('is found: a payout that is to be submitted', async () => {
    const { id } = await must(server.call('POST', '/payouts', bankPayout('waits', 100_000)))
    assert.deepEqual(await found(), {})
    await forget(id)
    assert.deepEqual(await found(), { 'every payout on its way has a timer or a job': `payout ${id} pending` })
    await must(server.call('POST', '/payouts/waits/cancel'))
    assert.deepEqual(await found(), {})
  })

  it('is found: a payout and a refund that are with their rail', async () => {
    const scripted = scriptRail(server)
    const payout = await must(server.call('POST', '/payouts', bankPayout('sent', 100_000)))
    scripted.script.send.push(processing)
    await scripted.submit(payout.id)
    scripted.script.ask.push(processing)
    const { data: refund } = await merchant.refund(await merchant.takePayment('card'))
    await settled(server.app)
    assert.deepEqual(await found(), {})
    await forget(payout.id)
    await forget(refund.id)
    assert.deepEqual(await found(), {
      'every payout on its way has a timer or a job': `payout ${payout.id} processing`,
      'every refund on its way has a timer or a job': `refund ${refund.id} initiated`,
    })
    // A job is as good as a timer; one that is never tried again is not.
    const job = `select (graphile_worker.add_job($1, $2::json, run_at => now() + interval '1 day', max_attempts => 1)).id`
    await server.app.db.query(job, ['payouts.ask', JSON.stringify({ payout_id: payout.id })])
    await server.app.db.query(job, ['refunds.settle', JSON.stringify({ refund_id: refund.id })])
    assert.deepEqual(await found(), {})
    await server.app.db.query('update graphile_worker._private_jobs set attempts = max_attempts')
    assert.equal(Object.keys(await found()).length, 2)
    await server.app.db.query('delete from graphile_worker._private_jobs')
    await server.app.db.query(
      "insert into timers select business_id, livemode, id, now(), 'payouts.ask', id, jsonb_build_object('payout_id', id) from payouts where id = $1",
      [payout.id],
    )
    await server.app.db.query(
      "insert into timers select business_id, livemode, id, now(), 'refunds.settle', id, jsonb_build_object('refund_id', id) from refunds where id = $1",
      [refund.id],
    )
    scripted.script.ask.push(processing, processing)
    await settled(server.app)
    assert.deepEqual(await found(), {})
  })

  it('is found: a payment that can be paid, and a card that is being charged', async () => {
    const payment = await merchant.openPayment()
    await forget(payment.id)
    assert.deepEqual(await found(), { 'every payment that can be paid has a timer or a job': `payment ${payment.id}` })
    await merchant.cancelPayment(payment)
    assert.deepEqual(await found(), {})

    const charged = await merchant.takeCard(cards.lostAnswer)
    const [attempt] = await server.app.db.query<{ id: string; status: string }>(
      'select id, status from payment_attempts where payment_id = $1',
      [charged.id],
    )
    assert.equal(attempt?.status, 'processing')
    assert.deepEqual(await found(), {})
    await forget(attempt?.id as string)
    assert.deepEqual(await found(), {
      'every card that is being charged has a timer or a job': `card attempt ${attempt?.id}`,
    })
  })
})

/**
 * Goal: a sample event tries an endpoint out and is taken for news by nobody: it is no event of the
 * business. Method: samples go to a real HTTPS receiver; then the lists of events, the stream, the
 * log and the counts are read.
 */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, beforeEach, describe, it } from 'node:test'
import { newBusiness, newMerchant } from '../../../test/support/actors.ts'
import { openStream } from '../../../test/support/event-stream.ts'
import { assertEventsFit } from '../../../test/support/events.ts'
import {
  bankPayout,
  type Call,
  type Json,
  listAll,
  must,
  startServer,
  type TestServer,
  until,
} from '../../../test/support/harness.ts'
import { type Received, type Receiver, startReceiver } from '../../../test/support/receiver.ts'
import { events } from '../../app/modules.ts'
import { createBusiness } from '../../books/businesses/businesses.ts'
import { foldCounts } from '../../db/lists/counts.ts'

describe('sample events', () => {
  let receiver: Receiver
  let server: TestServer
  before(async () => {
    receiver = await startReceiver()
    server = await startServer({
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
      WEBHOOK_CA_FILE: receiver.caFile,
    })
  })
  after(async () => {
    await server.stop()
    await receiver.stop()
  })
  beforeEach(() => {
    receiver.requests.length = 0
    receiver.answer = 200
  })

  const register = (call: Call, more: Json = {}): Promise<Json> =>
    must(call('POST', '/webhooks', { url: `${receiver.url}/hook`, ...more }))
  /** The delivery of a sample, once it was tried so often. */
  const tried = (call: Call, id: string, tries = 1): Promise<Json> =>
    until(async () => {
      const delivery = await must(call('GET', `/webhooks/events/${id}`))
      return delivery.attempts.length >= tries && delivery.status !== 'pending' ? delivery : null
    })

  it('say that they are samples, in the payload and in a header, and nobody else gets them', async () => {
    const call = await newBusiness(server, 'Trying')
    const { id, secret } = await register(call, { events: ['invoice.paid'] })
    await register(call, { url: `${receiver.url}/other` })
    const sent = await must(call('POST', `/webhooks/${id}/test`, { type: 'payment.completed' }))
    await tried(call, sent.id)
    await server.idle()
    assert.equal(receiver.requests.length, 1)
    const [{ path, headers, body }] = receiver.requests as [Received]
    const event = JSON.parse(body.toString())
    assert.deepEqual(Object.keys(event), ['id', 'type', 'timestamp', 'payload'])
    assert.deepEqual(
      [path, event.type, event.payload.test, event.id],
      ['/hook', 'payment.completed', true, sent.event_id],
    )
    assert.equal(headers['x-event-sample'], 'true')
    assert.equal(
      headers['x-signature'],
      `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    )
    const unknown = await call('POST', `/webhooks/${id}/test`, { type: 'payment.exploded' })
    assert.equal(unknown.status, 422)
  })

  it('are in the delivery log alone: no list of events, no stream and no count has them', async () => {
    const { test_key } = await createBusiness(server.app, 'Counting')
    const call = server.callAs(test_key)
    const { id } = await register(call)
    const merchant = newMerchant(server, { call })
    await must(call('POST', '/wallets/simulate-fund', { currency: 'ngn', amount: 1_000_000 }))
    const stream = await openStream(server.url, test_key, { after: '0' })
    try {
      const sent = await must(call('POST', `/webhooks/${id}/test`, { type: 'payout.completed' }))
      await tried(call, sent.id)
      assert.equal((await call('GET', `/events/${sent.event_id}`)).status, 404)
      // Sent again, by resend and by recover, it is no event either.
      await must(
        call('POST', '/webhooks/events/resend', { event_id: sent.event_id, webhook_id: id }),
      )
      const again = await tried(call, sent.id, 2)
      assert.deepEqual(
        [again.status, again.type, again.payload.test],
        ['succeeded', 'payout.completed', true],
      )
      const [first, second] = receiver.requests as [Received, Received]
      assert.deepEqual(second.body, first.body)
      assert.equal(second.headers['x-event-sample'], 'true')
      await server.app.db.query(`update webhook_deliveries set status = 'failed' where id = $1`, [
        sent.id,
      ])
      const { recovered } = await must(
        call('POST', `/webhooks/${id}/recover`, { since: '2020-01-01T00:00:00Z' }),
      )
      assert.equal(recovered, 1)
      await tried(call, sent.id, 3)

      await merchant.payOut(bankPayout('after-sample', 10_000))
      await merchant.payoutEnded('after-sample')
      await until(async () => stream.events.length >= 2)
      assert.deepEqual(stream.events.map(({ body }) => body.type).sort(), [
        'payout.completed',
        'payout.initiated',
      ])
      const listed = await must(call('GET', '/events'))
      assert.equal(listed.totalDocs, 2)
      assert.deepEqual(
        listed.docs.map((event: Json) => event.payload.test),
        [undefined, undefined],
      )
      assert.equal((await must(call('GET', '/events?type=payout.completed'))).totalDocs, 1)
      const log = await must(call('GET', `/webhooks/events?event_id=${sent.event_id}`))
      assert.deepEqual([log.totalDocs, log.docs[0].id], [1, sent.id])
      assert.equal(
        receiver.requests.filter(({ headers }) => headers['x-event-sample'] === undefined).length,
        2,
      )

      // The next sample is modelled on what happened.
      const modelled = await must(
        call('POST', `/webhooks/${id}/test`, { type: 'payout.completed' }),
      )
      assert.deepEqual([modelled.payload.reference, modelled.payload.test], ['after-sample', true])
      await foldCounts(server.app.db)
      assert.equal((await must(call('GET', '/events'))).totalDocs, 2)
    } finally {
      await stream.close()
    }
  })

  it('are whole records before there is any', async () => {
    const call = await newBusiness(server, 'Newcomer')
    const { id } = await register(call)
    for (const type of Object.keys(events))
      await must(call('POST', `/webhooks/${id}/test`, { type }))
    const log = await listAll(call, '/webhooks/events')
    assert.deepEqual(
      log.map(({ payload }: Json) => [payload.test, payload.livemode]),
      Array(Object.keys(events).length).fill([true, false]),
    )
    const samples = log.map(
      ({ event_id, type, created_at, payload: { test: _test, ...payload } }: Json) => ({
        id: event_id,
        type,
        timestamp: created_at,
        payload,
      }),
    )
    await assertEventsFit(server, samples, Object.keys(events))
    const statuses = new Map(samples.map(({ type, payload }: Json) => [type, payload.status]))
    for (const [type, status] of [
      ['payout.initiated', 'pending'],
      ['payment.expired', 'expired'],
      ['invoice.voided', 'void'],
    ])
      assert.equal(statuses.get(type), status)
  })
})

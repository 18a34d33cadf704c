/**
 * Goal: what events say of a customer as a person stands in the database under the customer's key
 * alone, and whoever may read events reads it as before. Method: records over HTTP; rows as text; a
 * key that is destroyed.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Merchant, newMerchant } from '../../../test/support/actors.ts'
import {
  ctxOf,
  type Json,
  settled,
  startServer,
  type TestServer,
  until,
} from '../../../test/support/harness.ts'
import { type Receiver, startReceiver } from '../../../test/support/receiver.ts'
import type { Id } from '../../lib/ids.ts'
import { destroyKey } from './customer-keys.ts'

const email = 'quill@keys.example'
const sender = {
  account_name: 'Zuri Quill',
  account_number: '0123987654',
  bank_name: 'GTBank',
  bank_code: '058',
}

describe('the key of a customer', () => {
  let receiver: Receiver
  let server: TestServer
  let merchant: Merchant
  before(async () => {
    receiver = await startReceiver()
    server = await startServer({
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
      WEBHOOK_CA_FILE: receiver.caFile,
    })
    merchant = newMerchant(server)
    await merchant.create('/webhooks', { url: receiver.url })
    await merchant.create('/webhooks', {
      url: `${receiver.url}/blue`,
      metadata_filter: { team: 'blue' },
    })
  })
  after(async () => {
    await server.stop()
    await receiver.stop()
  })

  const rowsAbout = (
    id: string,
  ): Promise<{ type: string; body: string; metadata: string; sealed: Buffer | null }[]> =>
    server.app.db.query(
      'select type, body, metadata::text as metadata, sealed from events where customer_id = $1 order by id',
      [id],
    )
  const told = async (customer: string): Promise<Json[]> =>
    (await merchant.allEvents()).filter(({ payload }) => payload.customer === customer)
  const pay = (customer: string): Promise<Json> => merchant.takeTransfer(sender, { customer })

  it('seals what events say of it, and they are read, streamed and sent whole', async () => {
    const { id } = await merchant.addCustomer({
      name: 'Zuri Quill',
      email,
      metadata: { team: 'blue' },
    })
    const paid = await pay(id)
    await merchant.ask('POST', `/customers/${id}/documents`, {
      id_type: 'nin',
      id_number: '00000000011',
    })
    const { data: refund } = await merchant.refund(paid, { amount: 1_000 })
    await merchant.refundEnded(refund)
    await until(async () => (await rowsAbout(id)).length === 5)

    const rows = await rowsAbout(id)
    assert.ok(rows.every(({ sealed }) => sealed !== null))
    for (const value of [email, 'Quill', sender.account_number, 'blue'])
      assert.ok(!JSON.stringify(rows).includes(value))
    const completed = await merchant.eventOf(paid, 'payment.completed')
    assert.equal(completed.payload.email, email)
    const [deposit] = (await told(id)).filter(({ type }) => type === 'virtual_account.deposit')
    assert.deepEqual(deposit?.payload.source, sender)
    assert.equal(
      (await merchant.eventOf(refund, 'refund.completed')).payload.destination.account_number,
      '0123987654',
    )
    const [document] = (await told(id)).filter(({ type }) => type === 'customer.document.verified')
    assert.deepEqual(
      [document?.metadata, document?.payload.metadata],
      [{ team: 'blue' }, { team: 'blue' }],
    )

    await settled(server.app)
    const sent = receiver.requests.map(({ body }) => JSON.parse(String(body)))
    for (const event of await told(id)) {
      const [one] = sent.filter((body) => body.id === event.id)
      assert.deepEqual(one?.payload, event.payload)
    }
    // An endpoint chooses by metadata that are not kept in plain text.
    assert.ok(
      receiver.requests.some(
        ({ path, body }) => path.endsWith('/blue') && String(body).includes(document?.id),
      ),
    )
    const streamed = await fetch(`${server.url}/events/stream?after=0`, {
      headers: { authorization: `Bearer ${server.testKey}` },
      signal: AbortSignal.timeout(20_000),
    })
    let text = ''
    for await (const chunk of streamed.body as ReadableStream<Uint8Array>) {
      text += Buffer.from(chunk).toString()
      if (text.includes(completed.id)) break
    }
    assert.ok(text.includes(email))
  })

  it('destroyed, opens nothing any more, and nothing is kept of what is said later', async () => {
    const { id } = await merchant.addCustomer({ name: 'Zuri Quill', email })
    await pay(id)
    const before = await rowsAbout(id)
    const ctx = await ctxOf(server)
    await ctx.write((work) => destroyKey(work, id as Id))
    await ctx.write((work) => destroyKey(work, id as Id))
    await pay(id)
    const rows = await rowsAbout(id)
    assert.deepEqual(rows.slice(0, before.length), before)
    assert.ok(rows.slice(before.length).every(({ sealed }) => sealed === null))
    assert.ok(!JSON.stringify(rows).includes(email))
    const events = await told(id)
    assert.equal(events.length, rows.length)
    for (const { payload } of events)
      assert.deepEqual([payload.email ?? null, payload.source ?? null], [null, null])
    assert.deepEqual(
      events
        .filter(({ type }) => type === 'payment.completed')
        .map(({ payload }) => payload.amount),
      [1_000_000, 1_000_000],
    )
  })
})

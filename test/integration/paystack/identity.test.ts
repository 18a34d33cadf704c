/**
 * Goal: a number that Paystack looks into ends as Paystack says, with one event, whatever is lost;
 * and it is written nowhere in the open. Method: live customers over the double, documents and
 * webhooks by HTTP.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { assertRefused } from '../../support/actors.ts'
import { assertEventsFit } from '../../support/events.ts'
import { must, until } from '../../support/harness.ts'
import { minuteMs, type Till } from '../../support/paystack.ts'
import {
  bvn,
  documentEventsOf,
  giveDocument,
  knownOf,
  newCustomer,
  openIdentityTill,
  standing,
} from '../../support/paystack-identity.ts'

const hourMs = 60 * minuteMs

describe('an identity number that Paystack verifies', () => {
  let till: Till
  before(async () => {
    till = await openIdentityTill()
    till.double.live.events.url = `${till.server.url}/rails/paystack/live/webhook`
  })
  after(() => till.stop())

  const codeOf = (customer: { id: string }): string => knownOf(till, customer)?.code as string
  const statusOf = async (customer: { id: string }): Promise<string> =>
    (await standing(till, customer)).status

  it('is pending until a webhook tells that it fits, and opens what needs it', async () => {
    const customer = await newCustomer(till, { metadata: { shop: 7 } })
    const document = await giveDocument(till, customer)
    assert.deepEqual(
      [document.status, document.id_number, document.verified_at, document.failure_reason],
      ['pending', '*******5678', null, null],
    )
    assert.equal((await must(till.live('GET', `/customers/${customer.id}`))).kyc_status, 'none')
    assert.deepEqual(await must(till.live('GET', `/customers/${customer.id}/documents`)), [])
    const account = { kind: 'static', currency: 'ngn', customer: customer.id }
    await assertRefused(till.server, 400, 'kyc_required', () =>
      till.live('POST', '/virtual-accounts', account),
    )
    await assertRefused(till.server, 409, 'document_pending', () =>
      till.live('POST', `/customers/${customer.id}/documents`, bvn),
    )
    assert.deepEqual(knownOf(till, customer)?.asked, {
      country: 'NG',
      type: 'bank_account',
      bvn: bvn.id_number,
      bank_code: '058',
      account_number: '0123456789',
      first_name: 'Ada',
      last_name: 'Okafor',
    })

    till.double.live.identity.succeed(codeOf(customer))
    await till.double.live.events.deliver()
    await until(async () => (await statusOf(customer)) === 'verified')
    assert.equal((await must(till.live('GET', `/customers/${customer.id}`))).kyc_status, 'verified')
    const [listed] = await must(till.live('GET', `/customers/${customer.id}/documents`))
    const [event, more] = await documentEventsOf(till, customer)
    const { customer: of, livemode, metadata, ...told } = event.payload
    assert.deepEqual(
      [event.type, of, livemode, metadata, more],
      ['customer.document.verified', customer.id, true, { shop: 7 }, undefined],
    )
    assert.deepEqual(told, listed)
    await assertEventsFit(till.server, [event as never], ['customer.document.verified'])
    assert.deepEqual((await standing(till, customer)).bank_account, null)
    assert.equal((await till.live('POST', '/virtual-accounts', account)).status, 201)
    await assertRefused(till.server, 409, 'document_verified', () =>
      till.live('POST', `/customers/${customer.id}/documents`, bvn),
    )
    await till.assertSound()
  })

  it('fails when the webhook tells so, and can be given anew, with the same end or another', async () => {
    const customer = await newCustomer(till)
    for (const round of [1, 2]) {
      await giveDocument(till, customer)
      till.double.live.identity.fail(codeOf(customer))
      await till.double.live.events.deliver()
      await until(async () => (await statusOf(customer)) === 'failed')
      const events = await documentEventsOf(till, customer)
      assert.deepEqual(
        events.map(({ type, payload }) => [type, payload.failure_reason]),
        Array.from({ length: round }, () => ['customer.document.failed', 'mismatch']),
      )
    }
    assert.equal((await must(till.live('GET', `/customers/${customer.id}`))).kyc_status, 'rejected')
    await giveDocument(till, customer)
    till.double.live.identity.succeed(codeOf(customer))
    await till.double.live.events.deliver()
    await until(async () => (await statusOf(customer)) === 'verified')
    await till.assertSound()
  })

  it('is verified without any webhook, by asking', async () => {
    const customer = await newCustomer(till)
    await giveDocument(till, customer)
    till.double.live.identity.succeed(codeOf(customer))
    till.double.live.events.queue.splice(0)
    await till.pass(minuteMs)
    assert.equal(await statusOf(customer), 'verified')
    await till.assertSound()
  })

  it('fails after three days in which nothing is heard, and is verified if it is heard then', async () => {
    const customer = await newCustomer(till)
    await giveDocument(till, customer)
    for (let day = 0; day < 4; day++) await till.pass(24 * hourMs)
    const { status, failure_reason } = await standing(till, customer)
    assert.deepEqual([status, failure_reason], ['failed', 'no_answer'])
    till.double.live.identity.succeed(codeOf(customer))
    await till.double.live.events.deliver()
    await until(async () => (await statusOf(customer)) === 'verified')
    assert.deepEqual(
      (await documentEventsOf(till, customer)).map(({ type }) => type),
      ['customer.document.failed', 'customer.document.verified'],
    )
    await till.assertSound()
  })

  it('is missed by the books when it was forgotten', async () => {
    const customer = await newCustomer(till)
    await giveDocument(till, customer)
    await till.server.assertBooksClean()
    await till.server.app.db.query(
      "delete from timers where task = 'customers.verify' and subject = $1",
      [customer.id],
    )
    await assert.rejects(
      till.server.assertBooksClean(),
      /every document that is being verified has a timer or a job/,
    )
    till.double.live.identity.succeed(codeOf(customer))
    await till.double.live.events.deliver()
    await until(async () => (await statusOf(customer)) === 'verified')
    await till.assertSound()
  })

  it('is refused before it is sent where something of it is missing', async () => {
    const customer = await newCustomer(till)
    const give =
      (more: object, of = customer) =>
      () =>
        till.live('POST', `/customers/${of.id}/documents`, { ...bvn, ...more })
    const asked = till.double.requests.length
    for (const more of [
      { bank_code: undefined },
      { account_number: undefined },
      { account_number: '12345' },
    ])
      await assertRefused(till.server, 422, 'validation_failed', give(more))
    await assertRefused(till.server, 400, 'unknown_bank', give({ bank_code: '999' }))
    const whole = await newCustomer(till, {
      first_name: undefined,
      last_name: undefined,
      name: 'Ada Okafor',
    })
    await assertRefused(till.server, 400, 'customer_incomplete', give({}, whole))
    assert.equal(till.double.requests.length, asked)
  })

  it('fails where Paystack does not look into it', async () => {
    const customer = await newCustomer(till)
    await till.double.fault('identify', 'status_false')
    await giveDocument(till, customer)
    const { status, failure_reason } = await standing(till, customer)
    assert.deepEqual([status, failure_reason], ['failed', 'rejected'])
    await till.double.clearFaults()
    await till.assertSound()
  })

  it('is in no table in the open, nor is the account', async () => {
    const customer = await newCustomer(till)
    await giveDocument(till, customer, { id_number: '29987654321', account_number: '0987654321' })
    const { db } = till.server.app
    const tables = await db.query<{ name: string }>(
      "select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
    )
    for (const { name } of tables) {
      const [found] = await db.query<{ text: string | null }>(
        `select string_agg(t::text, ' ') as text from ${name} t`,
      )
      assert.doesNotMatch(found?.text ?? '', /29987654321|0987654321/, name)
    }
  })
})

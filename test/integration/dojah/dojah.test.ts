/**
 * Goal: a number that Dojah looks up ends as its issuer has it, with one event, and is sent once;
 * and it stands beside Paystack, by type. Method: live customers over the doubles, documents by
 * HTTP.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import pg from 'pg'
import { paystackAt } from '../../../src/rails/paystack/paystack.ts'
import { type Double, startPaystack } from '../../doubles/paystack.ts'
import { assertRefused } from '../../support/actors.ts'
import { type Desk, minuteMs, openDesk } from '../../support/dojah.ts'
import { providerTiming } from '../../support/dollars.ts'
import { assertEventsFit } from '../../support/events.ts'
import { must, until } from '../../support/harness.ts'

/**
 * Has the answer of one COMMIT be lost, as where its connection ends: of the next transaction that
 * has a statement of this name. @returns how often it was
 */
function loseCommitOf(name: string, test: TestContext): () => number {
  const { query } = pg.Client.prototype
  test.after(() => {
    pg.Client.prototype.query = query
  })
  const within = new WeakSet<object>()
  let times = 0
  pg.Client.prototype.query = function (this: object, ...given: [{ name?: string } | string]) {
    const [what] = given
    if (typeof what === 'object' && what.name === name) within.add(this)
    const answer = (query as (...given: unknown[]) => unknown).apply(this, given)
    if (what !== 'COMMIT' || !within.has(this)) return answer
    times++
    pg.Client.prototype.query = query
    return (answer as Promise<unknown>).then(() => {
      throw new Error('Connection terminated unexpectedly')
    })
  } as typeof query
  return () => times
}

const bvn = '22212345678'
const nin = '70123456789'

describe('an identity number that Dojah looks up', () => {
  let desk: Desk
  before(async () => {
    desk = await openDesk()
    desk.double.people.push({ bvn, nin, first: 'ADA', middle: 'NGOZI', last: 'OKAFOR' })
  })
  after(() => desk.stop())

  it('is verified by the name alone, and opens what needs it', async () => {
    const customer = await desk.customer({ first_name: 'Adá', metadata: { shop: 7 } })
    const asked = desk.double.requests.length
    const document = await desk.give(customer, 'bvn', bvn)
    assert.deepEqual([document.status, document.id_number], ['pending', '*******5678'])
    await until(async () => (await desk.standing(customer)).status === 'verified')
    assert.equal((await must(desk.live('GET', `/customers/${customer.id}`))).kyc_status, 'verified')
    const [event, more] = await desk.eventsOf(customer)
    assert.equal(more, undefined)
    await assertEventsFit(desk.server, [event as never], ['customer.document.verified'])
    assert.equal(desk.double.requests.length - asked, 1)
    await assertRefused(desk.server, 409, 'document_verified', () =>
      desk.live('POST', `/customers/${customer.id}/documents`, { id_type: 'bvn', id_number: bvn }),
    )
    await desk.assertSound()
  })

  it('fails as somebody else’s, and as unknown, and can be given anew', async () => {
    const customer = await desk.customer({ first_name: 'Bola' })
    await desk.give(customer, 'nin', nin)
    assert.deepEqual((await desk.standing(customer, 'nin')).failure_reason, 'mismatch')
    await desk.give(customer, 'nin', '70000000000')
    assert.deepEqual((await desk.standing(customer, 'nin')).failure_reason, 'not_found')
    await must(desk.live('PUT', `/customers/${customer.id}`, { first_name: 'Ngozi' }))
    await desk.give(customer, 'nin', nin)
    assert.equal((await desk.standing(customer, 'nin')).status, 'verified')
    assert.deepEqual(
      (await desk.eventsOf(customer)).map(({ type, payload }) => [
        type.split('.').at(-1),
        payload.failure_reason,
      ]),
      [
        ['failed', 'mismatch'],
        ['failed', 'not_found'],
        ['verified', null],
      ],
    )
    await desk.assertSound()
  })

  it('keeps no bank account that it does not need, and no number in the open', async () => {
    const customer = await desk.customer()
    await desk.double.fault('timeout_after')
    await desk.give(customer, 'bvn', '29987654321', {
      bank_code: '999',
      account_number: '0987654321',
    })
    assert.deepEqual((await desk.standing(customer)).bank_account, null)
    const { db } = desk.server.app
    const tables = await db.query<{ name: string }>(
      "select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
    )
    for (const { name } of tables) {
      const [found] = await db.query<{ text: string | null }>(
        `select string_agg(t::text, ' ') as text from ${name} t`,
      )
      assert.doesNotMatch(found?.text ?? '', /29987654321|0987654321/, name)
    }
    await desk.double.clearFaults()
  })

  it('is looked up ever less often while no answer comes, and fails after three days', async () => {
    const customer = await desk.customer()
    const asked = desk.double.requests.length
    await desk.double.fault('error_after')
    await desk.give(customer, 'bvn', bvn)
    for (let hour = 0; hour < 74; hour++) await desk.pass(60 * minuteMs)
    await desk.double.clearFaults()
    const { status, failure_reason } = await desk.standing(customer)
    assert.deepEqual([status, failure_reason], ['failed', 'no_answer'])
    const times = desk.double.requests.slice(asked).filter(({ number }) => number === bvn).length
    assert.ok(times > 5 && times <= 16, `it was looked up ${times} times`)
    await desk.assertSound()
  })

  it('is looked up though the answer is lost of the commit that says that it is sent', async (test) => {
    const lost = loseCommitOf('customers.mark_document_sent', test)
    const customer = await desk.customer()
    await desk.give(customer, 'bvn', bvn)
    for (let round = 0; round < 4 && (await desk.standing(customer)).status === 'pending'; round++)
      await desk.pass(6 * minuteMs)
    assert.equal(lost(), 1)
    assert.equal((await desk.standing(customer)).status, 'verified')
    await desk.assertSound()
  })

  it('is not sent where its rail is not configured any more, asked about ever less often, and sent once it is', async () => {
    const accounts = desk.server.app.rails.live.accounts as Record<string, unknown>
    const { dojah } = accounts
    delete accounts.dojah
    const customer = await desk.customer()
    await desk.give(customer, 'bvn', bvn)
    for (let hour = 0; hour < 3; hour++) await desk.pass(60 * minuteMs)
    const [timer] = await desk.server.app.db.query<{ due_at: Date }>(
      "select due_at from timers where task = 'customers.verify' and subject = $1",
      [customer.id],
    )
    const waits = (timer?.due_at.getTime() ?? 0) - desk.server.app.clock.now().getTime()
    accounts.dojah = dojah
    assert.ok(waits > 10 * minuteMs, `it waits for ${waits} ms`)
    assert.equal((await desk.standing(customer)).sent_at, null)
    await desk.pass(6 * 60 * minuteMs)
    assert.equal((await desk.standing(customer)).status, 'verified')
    await desk.assertSound()
  })

  it('is refused before it is sent where something of it is missing', async () => {
    const customer = await desk.customer({
      first_name: undefined,
      last_name: undefined,
      name: 'Ada Okafor',
    })
    const asked = desk.double.requests.length
    await assertRefused(desk.server, 400, 'customer_incomplete', () =>
      desk.live('POST', `/customers/${customer.id}/documents`, { id_type: 'bvn', id_number: bvn }),
    )
    assert.equal(desk.double.requests.length, asked)
  })
})

describe('two who verify identity numbers', () => {
  let desk: Desk
  let paystack: Double
  before(async () => {
    paystack = await startPaystack()
    desk = await openDesk({
      providers: [paystackAt({ host: paystack.url, ...providerTiming })],
      accounts: { paystack: { provider: 'paystack', secret_key: 'env:LIVE_KEY' } },
      env: { LIVE_KEY: paystack.keys.live },
      routes: { 'identity.ng': ['paystack', 'dojah'] },
    })
    desk.double.people.push({ bvn, nin, first: 'ADA', last: 'OKAFOR' })
  })
  after(async () => {
    await desk.stop()
    await paystack.stop()
  })

  it('stand side by side, by the type of the number', async () => {
    const customer = await desk.customer({ phone: '+2348012345678' })
    const account = { bank_code: '058', account_number: '0123456789' }
    await assertRefused(desk.server, 422, 'validation_failed', () =>
      desk.live('POST', `/customers/${customer.id}/documents`, { id_type: 'bvn', id_number: bvn }),
    )
    await desk.give(customer, 'bvn', bvn, account)
    await desk.give(customer, 'nin', nin)
    assert.deepEqual(
      [(await desk.standing(customer, 'bvn')).rail, (await desk.standing(customer, 'nin')).rail],
      ['paystack', 'dojah'],
    )
    assert.equal((await desk.standing(customer, 'nin')).status, 'verified')
    assert.equal((await desk.standing(customer, 'bvn')).status, 'pending')
    assert.deepEqual(
      desk.double.requests.map(({ type }) => type),
      ['nin'],
    )
    await desk.assertSound()
  })
})

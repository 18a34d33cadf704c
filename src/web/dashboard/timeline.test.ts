/**
 * Goal: a timeline speaks the words of its reader. Method: a disputed payment, whose page is read
 * over HTTP.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newMerchant } from '../../../test/support/actors.ts'
import { shown, signedIn, type Visitor } from '../../../test/support/dashboard.ts'
import {
  type Json,
  must,
  startServer,
  type TestServer,
  until,
} from '../../../test/support/harness.ts'
import { showFor } from './show.ts'
import { valueInWords } from './timeline.ts'

describe('a timeline', () => {
  let server: TestServer
  let owner: Visitor
  before(async () => {
    server = await startServer({ WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' })
    owner = await signedIn(server)
  })
  after(() => server.stop())

  it('has no minor units and no machine times, behind More neither', async () => {
    const merchant = newMerchant(server)
    const payment = await merchant.takePayment('card')
    await merchant.ask('POST', `/payments/${payment.id}/simulate-dispute`, { amount: 123_456 })
    const page = await shown(owner.get(`/payments/${payment.id}`))
    const timeline = page.slice(page.indexOf('<ol class="timeline">'))
    assert.match(timeline, /₦1,234\.56/)
    const details = [...timeline.matchAll(/<dt>([^<]*)<\/dt><dd><bdi>([^<]*)<\/bdi>/g)]
    assert.ok(details.length > 5)
    for (const [, name, value = ''] of details) {
      assert.doesNotMatch(value, /^\d{4}-\d\d-\d\dT/, name)
      assert.doesNotMatch(`${name} ${value}`, /amount \d{4,}$/i)
    }
    // Its own answer does not contradict it: the provider received what was not charged.
    assert.doesNotMatch(timeline, /took the charge/)
  })
})

describe('the clock of a timeline', () => {
  it('is the test clock, for requests, deliveries and jobs as well', async (t) => {
    const server = await startServer({ WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' })
    t.after(() => server.stop())
    const url = 'https://localhost:9/events'
    await must(server.call('POST', '/webhooks', { url }))
    await must(server.call('POST', '/test/clock', { advance: '20d' }))
    const order = { amount: 1_000, currency: 'ngn' }
    const { id, created_at } = await must(server.call('POST', '/payments', order))
    await must(server.call('POST', `/payments/${id}/cancel`))
    const entries: Json[] = await until(async () => {
      const told = (await must(server.call('GET', `/explain/${id}`))).entries as Json[]
      const has = (kind: string) => told.some((one) => one.kind === kind)
      return ['request', 'delivery', 'waiting'].every(has) ? told : null
    })
    for (const { at, kind, title } of entries) assert.ok(at >= created_at, `${kind} ${title} ${at}`)
  })
})

describe('a detail', () => {
  it('is shown as its reader would write it', () => {
    const show = showFor({ locale: 'en-NG', time_zone: 'Africa/Lagos' })
    const read = (name: string, value: unknown) =>
      String(valueInWords(show, { name, value, currency: 'ngn' }))
    assert.equal(read('amount', 450_000), '₦4,500.00')
    assert.equal(read('attempts', 3), '3')
    assert.equal(read('running', false), 'No')
    assert.equal(read('currency', 'ngn'), 'NGN')
    assert.match(read('evidence_due_at', '2026-12-07T09:00:00.000Z'), /^7 Dec 2026, 10:00/)
  })
})

/**
 * Goal: who looks after the installation sees who did what to which business, plan, key and limit;
 * it stays in the log of the business too, and nobody else sees the installation's. Method: a key
 * and a person act, and the log is read over the API and as pages.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { noId } from '../../../../test/support/actors.ts'
import {
  hiddenOf,
  shown,
  signedIn,
  signedInOperator,
  type Visitor,
} from '../../../../test/support/dashboard.ts'
import {
  type Call,
  type Json,
  must,
  startServer,
  type TestServer,
} from '../../../../test/support/harness.ts'
import { operatorOf } from '../../../../test/support/operators.ts'

describe('the audit log of the installation', () => {
  let server: TestServer
  let ask: Call
  let owner: Visitor
  let email: string
  let made: Json
  before(async () => {
    server = await startServer()
    ask = await operatorOf(server)
    const person = await signedInOperator(server)
    email = person.email
    owner = person
    made = await must(ask('POST', '/operator/businesses', { name: 'Ada’s Bakery' }))
    const plan = await must(ask('POST', '/operator/plans', { name: 'Growth' }))
    await must(ask('PUT', `/operator/businesses/${made.id}/plan`, { plan: plan.id }))
    await must(
      ask('PUT', `/operator/businesses/${made.id}/limits`, {
        currencies: [{ currency: 'ngn', max_payout: 5 }],
      }),
    )
    const form = hiddenOf(await shown(owner.get(`/businesses/${made.id}/suspend`)))
    await owner.post(`/businesses/${made.id}/suspend`, { ...form, reason: 'Papers', step: 'do' })
    await must(server.call('PUT', '/business', { name: 'Own change' }))
  })
  after(() => server.stop())

  const entries = async (query = ''): Promise<Json[]> =>
    (await must(ask('GET', `/operator/audit-log?${query}`))).docs

  it('has who did what, the newest first, by action, actor and cursor', async () => {
    const all = await entries('limit=100')
    assert.deepEqual(
      all.map(({ action }) => action),
      [
        'business.status_changed',
        'business.limits_changed',
        'business.plan_changed',
        'plan.created',
        'business.created',
        'operator_key.created',
      ],
    )
    const [suspended, limited] = all as [Json, Json]
    assert.deepEqual(
      [suspended.actor.type, suspended.actor.hint, suspended.subject],
      ['person', email, made.id],
    )
    assert.deepEqual([limited.actor.type, limited.actor.hint?.slice(0, 4)], ['operator', 'op_…'])
    assert.deepEqual(limited.after, {
      ngn: {
        max_payout: 5,
        max_daily: null,
        max_daily_count: null,
        max_destination_daily: null,
        max_destination_daily_count: null,
      },
    })
    assert.deepEqual(await entries('action=business.created'), [all[4]])
    assert.deepEqual(await entries(`actor=${suspended.actor.id}`), [suspended])
    assert.deepEqual(await entries(`after=${limited.id}`), all.slice(2))
    assert.equal((await entries('to=2020-01-01')).length, 0)
    assert.deepEqual(await must(ask('GET', `/operator/audit-log/${limited.id}`)), limited)
    assert.equal((await ask('GET', `/operator/audit-log/${noId}`)).code, 'not_found')
    assert.equal(
      (await ask('GET', '/operator/audit-log?action=key.created')).code,
      'validation_failed',
    )
  })

  it('has the same in the log of the business, and nothing that the business did', async () => {
    const own = (await must(server.callAs(made.live_key)('GET', '/audit?limit=100'))).docs
    const of = (await entries('limit=100')).filter(({ subject }) => subject === made.id)
    assert.deepEqual(
      own.filter(({ subject }: Json) => subject === made.id).map(({ id }: Json) => id),
      of.map(({ id }) => id),
    )
    assert.ok(!JSON.stringify(await entries('limit=100')).includes('Own change'))
  })

  it('is a page with filters and links, for who looks after the installation alone', async () => {
    const list = await shown(owner.get('/audit-log'))
    assert.ok(
      list.includes(`href="/dashboard/operator/businesses/${made.id}"`) && list.includes(email),
    )
    const [id] = (await entries('action=business.limits_changed')).map((one) => one.id)
    const page = await shown(owner.get(`/audit-log/${id}`))
    assert.match(page, /Max payout.*₦0\.05/s)
    const narrowed =
      (await shown(owner.get('/audit-log?action=plan.created'))).split('<table')[1] ?? ''
    assert.ok(
      narrowed.includes('/dashboard/operator/plans/') &&
        !narrowed.includes('/dashboard/operator/businesses/'),
    )
    assert.equal((await (await signedIn(server)).get('/dashboard/operator/audit-log')).status, 404)
    assert.equal((await server.call('GET', '/operator/audit-log')).code, 'invalid_key')
  })
})

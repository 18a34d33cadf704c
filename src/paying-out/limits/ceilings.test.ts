/**
 * Goal: no payout goes out above what the operator lets a business pay out, however it is made and
 * whoever approves it; and whoever is refused knows what to do. Method: one server whose clock
 * moves by hand, asked as the operator, as a business and by pages.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { noId } from '../../../test/support/actors.ts'
import { type KeyHolder, keyWith, newPerson, ownAccount } from '../../../test/support/approvers.ts'
import { hiddenOf, shown, type Visitor, visitor } from '../../../test/support/dashboard.ts'
import {
  bankPayout,
  type Call,
  type Json,
  must,
  settled,
  shareServer,
  type TestServer,
} from '../../../test/support/harness.ts'
import { operatorOf } from '../../../test/support/operators.ts'
import { signIn } from '../../../test/support/people.ts'
import { findSession } from '../../platform/team/team.ts'

describe('what the operator lets a business pay out', () => {
  let server: TestServer
  let operator: Call
  let manager: KeyHolder
  let owner: Visitor
  let path: string
  before(async () => {
    server = await shareServer({ SANDBOX_DELAY: '1h' })
    operator = await operatorOf(server)
    manager = await keyWith(server, ['manage', 'read'])
    path = `/operator/businesses/${server.businessId}/limits`
    await server.fund('ngn', 1_000_000_000)
    const person = await signIn(server, 'owner', { installationOwner: true })
    const session = await findSession(server.app, person.token)
    owner = visitor(server.url, '/dashboard/operator', person.headers.cookie, session?.csrf)
  })
  after(() => server.stop())

  const set = (ngn: object): Promise<Json> =>
    must(operator('PUT', path, { currencies: [{ currency: 'ngn', ...ngn }] }))
  let count = 0
  const pay = (amount: number, call = server.call) =>
    call('POST', '/payouts', bankPayout(`p-${++count}`, amount))
  /** The sentence that a payout is refused with. */
  const refused = async (amount: number, left: number): Promise<string> => {
    const { status, code, body } = await pay(amount)
    assert.deepEqual(
      [status, code, body.errors.left],
      [403, 'operator_limit_exceeded', left],
      JSON.stringify(body),
    )
    return body.message
  }
  const nextDay = () => must(server.call('POST', '/test/clock', { advance: '24h' }))

  it('is anything, until the operator says otherwise, by key or at the dashboard', async () => {
    const unsaid = {
      max_daily_count: null,
      max_destination_daily: null,
      max_destination_daily_count: null,
    }
    const none = {
      max_payout: null,
      max_daily: null,
      ...unsaid,
      sent_today: null,
      payouts_today: null,
      day_ends_at: null,
    }
    assert.deepEqual(await must(operator('GET', path)), {
      id: server.businessId,
      currencies: ['ngn', 'usd'].map((currency) => ({ currency, ...none })),
    })
    const changed = await set({ max_payout: 50_000, max_daily: 120_000 })
    assert.deepEqual(
      [changed.currencies[0].max_payout, changed.currencies[0].sent_today],
      [50_000, 0],
    )
    assert.match(changed.currencies[0].day_ends_at, /T00:00:00\.000Z$/)
    const { docs } = await must(
      server.callAs(server.liveKey)('GET', '/audit?action=business.limits_changed'),
    )
    assert.deepEqual(
      [docs[0].actor.type, docs[0].subject, docs[0].before.ngn, docs[0].after.ngn],
      [
        'operator',
        server.businessId,
        { max_payout: null, max_daily: null, ...unsaid },
        { max_payout: 50_000, max_daily: 120_000, ...unsaid },
      ],
    )
    // What is left out stays, and a change that changes nothing is none.
    assert.equal((await set({ max_daily: 120_000 })).currencies[0].max_payout, 50_000)
    assert.equal(
      (await must(server.callAs(server.liveKey)('GET', '/audit?action=business.limits_changed')))
        .totalDocs,
      1,
    )
    for (const call of [server.call, server.callAs(server.liveKey)]) {
      const [ngn] = (await must(call('GET', '/limits'))).currencies
      assert.deepEqual([ngn.max_payout, ngn.max_daily, ngn.approve_above], [50_000, 120_000, null])
    }
    assert.match(
      await shown(owner.get(`/dashboard/${server.businessId}/test/limits`)),
      /allows no payout of more than .*500\.00, and no more than .*1,200\.00 in a day of UTC/,
    )

    const at = `/businesses/${server.businessId}/limits`
    const form = await shown(owner.get(at))
    assert.match(form, /value="500\.00"/)
    const wrong = await owner.post(at, {
      ...hiddenOf(form),
      'ngn.max_payout': 'much',
      step: 'review',
    })
    assert.match(wrong.html, /Type an amount/)
    const typed = { 'ngn.max_payout': '600', 'ngn.max_daily': '1500', 'usd.max_payout': '' }
    const asked = await shown(owner.post(at, { ...hiddenOf(form), ...typed, step: 'review' }))
    assert.match(
      asked,
      /no payout of more than .*600\.00, and no more than .*1,500\.00 in a day of UTC/,
    )
    const done = await owner.post(at, { ...hiddenOf(asked), ...typed, step: 'do' })
    assert.match(
      await shown(owner.get(done.location as string)),
      /Limits updated\..*600\.00.*1,500\.00/s,
    )
    assert.match(await shown(owner.get(`/businesses/${server.businessId}`)), /What it may pay out/)
  })

  it('is said of a business that exists, in amounts', async () => {
    assert.equal((await operator('GET', path.replace(server.businessId, noId))).code, 'not_found')
    assert.equal(
      (await operator('PUT', path.replace(server.businessId, noId), { currencies: [] })).code,
      'not_found',
    )
    for (const change of [{ max_payout: -1 }, { max_daily: '1' }, { approve_above: 1 }])
      assert.equal(
        (await operator('PUT', path, { currencies: [{ currency: 'ngn', ...change }] })).status,
        422,
      )
  })

  it('holds for a payout, for a day, and for what people have approved; what failed is given back to its day', async () => {
    await set({ max_payout: 50_000, max_daily: 120_000 })
    assert.match(
      await refused(50_001, 50_000),
      /no payout of more than 500\.00 ngn out; this one is 500\.01 ngn\. Pay out less at once, or ask/,
    )
    await must(
      manager.call('PUT', '/limits', { currencies: [{ currency: 'ngn', approve_above: 30_000 }] }),
    )
    const [first, waits] = [await must(pay(30_000)), await must(pay(50_000))]
    assert.deepEqual([first.approval, waits.approval], ['none', 'waiting'])
    await must(pay(30_000))
    assert.match(
      await refused(10_001, 10_000),
      /1,200\.00 ngn out in a day of UTC, of which 100\.00 ngn is left; .* try it again after 2.*T00:00:00\.000Z/,
    )
    const approver = await keyWith(server, ['approve', 'read'])
    await must(approver.call('POST', `/payouts/${waits.reference}/approve`))
    await refused(10_001, 10_000)
    await must(server.call('POST', `/payouts/${first.reference}/cancel`))
    await refused(40_001, 40_000)
    await must(server.call('POST', `/payouts/${waits.reference}/simulate`, { outcome: 'failed' }))
    await must(pay(50_000))
    await set({ max_daily: 10_000 })
    await refused(4_000, 0)
    await set({ max_daily: 85_000 })
    await must(pay(5_000))
    await refused(4_000, 0)
    await nextDay()
    await refused(50_001, 50_000)
    await must(pay(50_000))
    assert.match(await refused(50_000, 35_000), /is left/)
    await must(
      manager.call('PUT', '/limits', { currencies: [{ currency: 'ngn', approve_above: null }] }),
    )
  })

  it('counts what a day has had before it was limited, and lets everything out once it is not', async () => {
    await nextDay()
    await set({ max_payout: null, max_daily: null })
    await must(pay(90_000))
    await set({ max_daily: 100_000 })
    await refused(10_001, 10_000)
    await set({ max_daily: null })
    await must(pay(500_000))
    await set({ max_daily: 600_000 })
    await refused(10_001, 10_000)
  })

  it('holds for the lines of batches, which name it before anything is paid', async () => {
    await nextDay()
    await set({ max_payout: 50_000, max_daily: 120_000 })
    const line = (amount: number) => ({
      amount,
      destination: { bank_code: '058', account_number: '0123456789' },
    })
    const batch = (reference: string, amounts: number[]) =>
      must(
        server.call('POST', '/payouts/batch', {
          reference,
          currency: 'ngn',
          lines: amounts.map(line),
          dry_run: true,
        }),
      )
    const bad = await batch('bad', [50_000, 50_001])
    assert.equal(bad.counts.bad, 1)
    const [named] = (await must(server.call('GET', `/payout-batches/${bad.id}/lines?status=bad`)))
      .docs
    assert.deepEqual(
      [named.line, named.code, named.field],
      [2, 'operator_limit_exceeded', 'amount'],
    )
    const { id } = await batch('good', [50_000, 50_000, 50_000, 20_000])
    await must(server.call('POST', `/payout-batches/${id}/confirm`))
    await settled(server.app)
    const { docs } = await must(server.call('GET', `/payout-batches/${id}/lines`))
    assert.deepEqual(
      docs.map((one: Json) => one.code ?? one.status),
      ['created', 'created', 'operator_limit_exceeded', 'created'],
    )
  })

  it('holds for standing payouts, whose runs say so and go on the next day', async () => {
    await set({ max_payout: 50_000, max_daily: 40_000 })
    await must(manager.call('PUT', '/limits', { beneficiary_cooling_off_hours: 0 }))
    const payer = await keyWith(server, ['payout', 'read'], newPerson(server))
    const { id: beneficiary } = await ownAccount(server)
    const { available } = (await must(server.call('GET', '/wallets?currency=ngn')))[0]
    const standing = { currency: 'ngn', beneficiary, interval: 'daily', keep: available - 45_000 }
    const { id } = await must(payer.call('POST', '/payout-schedules', standing))
    const last = async () => (await must(payer.call('GET', `/payout-schedules/${id}/runs`))).docs[0]
    await nextDay()
    await settled(server.app)
    const run = await last()
    assert.deepEqual([run.code, run.amount], ['operator_limit_exceeded', null])
    assert.match(run.message, /400\.00 ngn out in a day of UTC/)
    await set({ max_daily: 45_000 })
    await nextDay()
    await settled(server.app)
    assert.equal((await last()).amount, 45_000)
    await must(payer.call('DELETE', `/payout-schedules/${id}`))
  })

  it('is counted apart in live mode and in test mode', async () => {
    const [ngn] = (await must(operator('GET', path))).currencies
    assert.equal(ngn.sent_today, 0, 'no live payout was made')
  })
})

/**
 * Goal: a payout above a limit goes nowhere until somebody approves it who did not make it, and
 * comes back when nobody does. Method: keys of one person and of others make, approve and refuse;
 * rows, wallet, timers, events and the audit log are read after it.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  bankAccount,
  type Merchant,
  newBusiness,
  newMerchant,
} from '../../../test/support/actors.ts'
import { type KeyHolder, keyWith, newPerson } from '../../../test/support/approvers.ts'
import {
  bankPayout,
  must,
  settled,
  shareServer,
  startServer,
  type TestServer,
  until,
} from '../../../test/support/harness.ts'
import { changeScopes, revoke, rollKey } from '../../books/businesses/businesses.ts'

describe('payouts that wait for a second person', () => {
  let server: TestServer
  let merchant: Merchant
  let manager: KeyHolder
  let approver: KeyHolder
  let number = 0

  before(async () => {
    server = await shareServer()
    merchant = newMerchant(server)
    manager = await keyWith(server, ['manage', 'read'])
    approver = await keyWith(server, ['approve', 'read'])
    await server.fund('ngn', 1_000_000_000)
    await server.fund('usd', 1_000_000)
    await must(
      manager.call('PUT', '/limits', {
        currencies: [{ currency: 'ngn', approve_above: 1_000_000 }],
        approval_hours: 24,
      }),
    )
  })
  after(() => server.stop())

  /** A payout that waits. */
  const waiting = async (more: Record<string, unknown> = {}, call = server.call) =>
    must(call('POST', '/payouts', bankPayout(`wait-${++number}`, 1_000_001, more)))
  const decide = (holder: KeyHolder, verb: 'approve' | 'refuse', reference: string) =>
    holder.call('POST', `/payouts/${reference}/${verb}`)
  const tasksOf = async (id: string) =>
    (
      await server.app.db.query<{ task: string }>('select task from timers where subject = $1', [
        id,
      ])
    ).map(({ task }) => task)

  it('waits above the limit, and not at it; the amount is held and nothing is sent', async () => {
    const before = await merchant.balance()
    const at = await must(server.call('POST', '/payouts', bankPayout('at-limit', 1_000_000)))
    assert.deepEqual([at.approval, at.approval_details], ['none', null])
    assert.equal((await merchant.payoutEnded('at-limit')).status, 'completed')
    const usd = await must(
      server.call(
        'POST',
        '/payouts',
        bankPayout('other-wallet', 900_000, { currency: 'usd', destination: bankAccount() }),
      ),
    )
    assert.equal(usd.approval, 'none')

    const payout = await waiting()
    assert.deepEqual([payout.status, payout.approval], ['pending', 'waiting'])
    const { approval_details: details } = payout
    assert.deepEqual(details.reasons, ['payout_limit'])
    assert.deepEqual([details.decided_by, details.decided_at], [null, null])
    assert.deepEqual(
      [details.made_by.type, Object.keys(details.made_by).sort()],
      ['key', ['hint', 'id', 'type']],
    )
    assert.equal(Date.parse(details.until) - Date.parse(payout.created_at), 24 * 3_600_000)
    await settled(server.app)
    assert.deepEqual(await merchant.readPayout(payout.reference), payout)
    assert.deepEqual(await merchant.balance(), {
      available: before.available - 2_000_001,
      pending: before.pending + 1_000_001,
    })
    assert.deepEqual(await tasksOf(payout.id), ['payouts.expire_approval'])
    const told = await must(server.call('GET', `/explain/${payout.id}`))
    assert.match(
      JSON.stringify(told),
      /A second person has to approve the payout.*The payout is canceled unless a person/,
    )
    const event = await merchant.eventOf(payout, 'payout.initiated')
    assert.deepEqual(event.payload, payout)
    await merchant.isRefused(
      'POST',
      `/payouts/${payout.reference}/simulate`,
      { outcome: 'completed' },
      400,
      'payout_not_approved',
    )
    await must(decide(approver, 'refuse', payout.reference))
  })

  it('goes once it is approved, at the price it was made at', async () => {
    const { reference: _none, ...terms } = bankPayout('', 1_000_001)
    const quote = await must(server.call('POST', '/payouts/quote', terms))
    const payout = await waiting({ quote: quote.id })
    assert.equal(payout.fee, quote.fee)
    await merchant.advance('10m')
    const approved = await must(decide(approver, 'approve', payout.reference))
    assert.deepEqual([approved.approval, approved.status], ['approved', 'pending'])
    assert.deepEqual(approved.approval_details.decided_by, {
      type: 'key',
      id: approver.id,
      hint: approver.hint,
    })
    assert.notEqual(approved.approval_details.decided_at, null)
    const done = await merchant.payoutEnded(payout.reference)
    assert.deepEqual(
      [done.status, done.approval, done.fee, done.quote],
      ['completed', 'approved', quote.fee, quote.id],
    )
    assert.deepEqual(await merchant.eventTypesOf(payout), ['payout.initiated', 'payout.completed'])
  })

  it('is canceled and given back when it is refused, when nobody decides in time, and when it is canceled', async () => {
    const before = await merchant.balance()
    const [refused, late, withdrawn] = [await waiting(), await waiting(), await waiting()]
    const answer = await must(decide(approver, 'refuse', refused.reference))
    assert.deepEqual([answer.status, answer.approval], ['canceled', 'refused'])
    assert.equal(answer.approval_details.decided_by.id, approver.id)
    const canceled = await must(server.call('POST', `/payouts/${withdrawn.reference}/cancel`))
    assert.deepEqual([canceled.status, canceled.approval], ['canceled', 'refused'])
    assert.equal(canceled.approval_details.decided_by.id, canceled.approval_details.made_by.id)
    assert.deepEqual(await tasksOf(withdrawn.id), [])

    await merchant.advance('23h')
    assert.equal((await merchant.readPayout(late.reference)).status, 'pending')
    await merchant.advance('1h')
    const ended = await merchant.payoutEnded(late.reference)
    assert.deepEqual([ended.status, ended.approval], ['canceled', 'refused'])
    assert.equal(ended.approval_details.decided_by, null)
    for (const { reference, id } of [refused, late, withdrawn]) {
      const again = await decide(approver, 'approve', reference)
      assert.deepEqual([again.status, again.code], [400, 'payout_not_waiting'])
      assert.deepEqual(await merchant.eventTypesOf({ id }), ['payout.initiated', 'payout.canceled'])
    }
    assert.deepEqual(await merchant.balance(), before)
    assert.deepEqual(
      (await must(server.call('GET', `/payouts?approval=refused&limit=3`))).docs.map(
        ({ id }: { id: string }) => id,
      ),
      [withdrawn.id, late.id, refused.id],
    )
  })

  it('is not approved after its time, though the timer has not come round', async () => {
    const payout = await waiting()
    await server.app.db.query(`delete from timers where subject = $1`, [payout.id])
    await merchant.advance('24h')
    const answer = await decide(approver, 'approve', payout.reference)
    assert.deepEqual([answer.status, answer.code], [400, 'payout_not_waiting'])
    assert.match(answer.body.message, /waited until/)
    const refused = await decide(approver, 'refuse', payout.reference)
    assert.equal(refused.code, 'payout_not_waiting')
    await must(server.call('POST', `/payouts/${payout.reference}/cancel`))
  })

  it('is not approved by who made it: neither by the key, a key that took its place, nor a key of the same person', async () => {
    const [ada, obi] = [newPerson(server), newPerson(server)]
    const maker = await keyWith(server, ['payout', 'read'], ada)
    const payout = await waiting({}, maker.call)
    const refusals: [string, KeyHolder][] = [
      ['of the same person', await keyWith(server, ['approve'], ada)],
    ]
    const rolled = await rollKey(server.app, server.businessId, maker.id, 3_600_000, {
      scopes: ['approve'],
    })
    refusals.push(['that took its place', { ...maker, call: server.callAs(rolled?.key as string) }])
    for (const [which, holder] of refusals) {
      const answer = await decide(holder, 'approve', payout.reference)
      assert.deepEqual([answer.status, answer.code], [403, 'approved_by_maker'], which)
    }
    await changeScopes(server.app, server.businessId, maker.id, ['approve', 'read'])
    assert.equal((await decide(maker, 'approve', payout.reference)).code, 'approved_by_maker')
    await must(decide(await keyWith(server, ['approve'], obi), 'approve', payout.reference))

    // Keys of the operator's are as many people as there are keys.
    const other = await keyWith(server, ['payout'])
    await must(decide(approver, 'approve', (await waiting({}, other.call)).reference))
  })

  it('is not approved by a key whose right was taken away a moment ago', async () => {
    const [lost, gone] = [
      await keyWith(server, ['approve', 'read']),
      await keyWith(server, ['approve', 'read']),
    ]
    const payout = await waiting()
    for (const holder of [lost, gone]) await must(holder.call('GET', '/wallets'))
    // As in another process, which remembers the key for a moment.
    await server.app.db.query(`update api_keys set scopes = '{read}' where id = $1`, [lost.id])
    await server.app.db.query(`update api_keys set revoked_at = created_at where id = $1`, [
      gone.id,
    ])
    for (const holder of [lost, gone]) {
      const answer = await decide(holder, 'approve', payout.reference)
      assert.deepEqual([answer.status, answer.code], [403, 'scope_missing'])
    }
    await revoke(server.app, server.businessId, gone.id)
    assert.equal((await merchant.readPayout(payout.reference)).approval, 'waiting')
    await must(decide(approver, 'refuse', payout.reference))
  })

  it('is decided with others in one request, each as if it came alone', async () => {
    const maker = await keyWith(server, ['payout', 'read'], newPerson(server))
    const [one, two, own] = [await waiting(), await waiting(), await waiting({}, maker.call)]
    await must(server.call('POST', '/payouts', bankPayout('small', 500_000)))
    const { made_by } = (
      await server.app.db.query('select made_by from api_keys where id = $1', [maker.id])
    )[0] as {
      made_by: string
    }
    const mate = await keyWith(server, ['approve', 'read'], made_by)
    const references = [two, own, one].map(({ reference }) => reference)
    const body = { decision: 'approve', references: [...references, 'small', 'nobody'] }
    const key = { 'idempotency-key': 'bulk-1' }
    const answer = await mate.call('POST', '/payouts/decisions', body, key)
    const { decided, skipped } = await must(Promise.resolve(answer))
    assert.deepEqual(
      decided.map(({ reference }: { reference: string }) => reference),
      [two.reference, one.reference],
    )
    assert.deepEqual(
      skipped.map(({ reference, code }: { reference: string; code: string }) => [reference, code]),
      [
        [own.reference, 'approved_by_maker'],
        ['small', 'payout_not_waiting'],
        ['nobody', 'not_found'],
      ],
    )
    assert.deepEqual((await mate.call('POST', '/payouts/decisions', body, key)).body, answer.body)
    for (const { reference } of [one, two])
      assert.equal((await merchant.payoutEnded(reference)).status, 'completed')
    const refusal = await must(
      mate.call('POST', '/payouts/decisions', { decision: 'refuse', references: [own.reference] }),
    )
    assert.equal(refusal.decided[0].status, 'canceled')
  })

  it('is in the audit log: who decided, from where, before and after; and so are the limits', async () => {
    const payout = await waiting()
    await must(decide(approver, 'approve', payout.reference))
    const [entry] = (await must(manager.call('GET', '/audit?action=payout.approved'))).docs
    assert.deepEqual(
      [entry.subject, entry.actor],
      [payout.id, { type: 'key', id: approver.id, hint: approver.hint }],
    )
    assert.deepEqual(
      [entry.before, entry.after.approval, entry.after.amount],
      [{ approval: 'waiting' }, 'approved', 1_000_001],
    )
    const [limits] = (await must(manager.call('GET', '/audit?action=limits.changed'))).docs
    assert.deepEqual([limits.subject, limits.actor.id], [server.businessId, manager.id])
    const { approve_above, ...others } = limits.after.ngn
    assert.equal(approve_above, 1_000_000)
    assert.ok(Object.values(others).every((limit) => limit === null))
  })

  it('is another business’s only when it is', async () => {
    const payout = await waiting()
    const stranger = await newBusiness(server)
    const ask = await stranger('GET', '/limits')
    assert.equal(ask.data.currencies[0].approve_above, null)
    const scopes = await server.call('POST', `/payouts/${payout.reference}/approve`)
    assert.deepEqual([scopes.status, scopes.code], [403, 'scope_missing'])
    assert.equal((await decide(approver, 'approve', 'nobody')).status, 404)
    await must(decide(approver, 'refuse', payout.reference))
  })

  it('counts a day by the business’s time zone, and what shares are paid', async (t) => {
    const own = await startServer({ SANDBOX_DELAY: '1h' })
    t.after(() => own.stop())
    const mine = newMerchant(own)
    const boss = await keyWith(own, ['manage', 'read'])
    await own.fund('ngn', 100_000_000)
    const noon = 12 * 3_600_000
    await mine.advance(
      `${Math.ceil((86_400_000 + noon - ((await mine.now()) % 86_400_000)) / 1000)}s`,
    )
    await must(own.call('PUT', '/business', { time_zone: 'Pacific/Kiritimati' }))
    const limit = { currencies: [{ currency: 'ngn', approve_above_daily: 100_000 }] }
    const { currencies } = await must(boss.call('PUT', '/limits', limit))
    const ends = Date.parse(currencies[0].day_ends_at)
    assert.equal((ends + 14 * 3_600_000) % 86_400_000, 0, 'a midnight there')
    const pay = async (reference: string) =>
      (await must(own.call('POST', '/payouts', bankPayout(reference, 60_000)))).approval
    assert.deepEqual([await pay('one'), await pay('two')], ['none', 'waiting'])
    // A change of the zone frees nothing: the day that is counted goes on.
    await must(own.call('PUT', '/business', { time_zone: 'Pacific/Pago_Pago' }))
    assert.equal(await pay('three'), 'waiting')
    const left = ends - (await mine.now())
    await mine.advance(`${Math.ceil(left / 1000) + 1}s`)
    const now = await must(boss.call('GET', '/limits'))
    assert.equal(now.currencies[0].day_ends_at, null)
    // The new day is one of the new zone, and had begun before: what was sent in it counts.
    assert.equal(await pay('four'), 'waiting')
    const after = (await must(boss.call('GET', '/limits'))).currencies[0]
    assert.deepEqual([after.sent_today, new Date(after.day_ends_at).getUTCHours()], [60_000, 11])
    await mine.advance('1h')
    assert.equal(await pay('five'), 'none')

    await must(boss.call('PUT', '/limits', { beneficiary_cooling_off_hours: 0 }))
    const shares = [{ name: 'Ada', percentage_bps: 10_000, destination: bankAccount() }]
    const plan = await must(
      own.call('POST', '/distributions', { name: 'All', currency: 'ngn', shares }),
    )
    const product = await mine.addProduct({ distribution: plan.id, amount: 500_000 })
    const customer = await mine.addCustomer()
    const draft = await must(
      own.call('POST', '/invoices', {
        customer: customer.id,
        lines: [{ product: product.id, quantity: 1 }],
      }),
    )
    const { payment } = await must(own.call('POST', `/invoices/${draft.id}/finalize`))
    await mine.simulate(payment, 'completed', 'bank_transfer')
    const settlement = await must(own.call('POST', `/distributions/${plan.id}/settle`))
    const { reference } = settlement.payouts[0]
    assert.equal((await mine.readPayout(reference)).approval, 'waiting')
    const share = async () => (await must(own.call('GET', `/distributions/${plan.id}`))).shares[0]
    const settledBefore = (await share()).settled
    await must((await keyWith(own, ['approve'])).call('POST', `/payouts/${reference}/refuse`))
    assert.equal(settledBefore - (await share()).settled, (await mine.readPayout(reference)).amount)
    await own.assertBooksClean()
  })

  it('is given back once the server is up again, when its time ended meanwhile', async () => {
    const payout = await waiting()
    await server.app.db.query(
      `update payouts set approval_details = jsonb_set(approval_details, '{until}', to_jsonb(created_at)) where id = $1`,
      [payout.id],
    )
    await server.app.db.query(
      `update timers set due_at = (select created_at from payouts where id = $1) where subject = $1`,
      [payout.id],
    )
    await until(async () => (await merchant.readPayout(payout.reference)).status === 'canceled')
  })

  it('cannot be submitted while it waits, whatever the server does: the database refuses it', async () => {
    const payout = await waiting()
    await assert.rejects(
      server.app.db.query(`update payouts set status = 'processing' where id = $1`, [payout.id]),
      /payouts_approval_status/,
    )
    await must(decide(approver, 'refuse', payout.reference))
  })
})

/**
 * Goal: in live mode nobody loosens a business's controls alone and unseen. Method: keys and people
 * ask over HTTP and at the dashboard, with mail to an SMTP server and a clock that the test moves;
 * rows, limits, mails and the audit log are read after it.
 */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { createBusiness, createKey } from '../../../src/books/businesses/businesses.ts'
import { outside, scopeOf } from '../../../src/core/outside.ts'
import type { KeyScope } from '../../../src/core/scopes.ts'
import { signedIn, type Visitor } from '../../support/dashboard.ts'
import { movingClock, pass } from '../../support/dollars.ts'
import {
  type Call,
  type Json,
  must,
  startServer,
  type TestServer,
  until,
} from '../../support/harness.ts'
import { signIn } from '../../support/people.ts'
import { startSmtp } from '../../support/smtp.ts'

const hourMs = 3_600_000

describe('a change of live mode that loosens limits', () => {
  const clock = movingClock()
  let server: TestServer
  let smtp: Awaited<ReturnType<typeof startSmtp>>
  let businessId: string
  let owners: string[]
  let asker: Call
  let approver: Call
  before(async () => {
    smtp = await startSmtp()
    server = await startServer(
      { SMTP_URL: smtp.url, MAIL_FROM: 'bursar@example.com' },
      undefined,
      clock,
    )
  })
  after(async () => {
    await server.stop()
    await smtp.stop()
  })
  const keyOf = async (scopes: KeyScope[]): Promise<Call> => {
    const ctx = outside(server.app, await scopeOf(server.app, businessId, true))
    return server.callAs((await ctx.write((work) => createKey(work, { name: 'live', scopes }))).key)
  }
  beforeEach(async () => {
    businessId = (await createBusiness(server.app, 'Bakery')).business.id
    const team = [
      await signIn(server, 'owner', { businessId }),
      await signIn(server, 'owner', { businessId }),
    ]
    await signIn(server, 'admin', { businessId })
    owners = team.map(({ email }) => email)
    asker = await keyOf(['manage', 'read'])
    approver = await keyOf(['approve', 'read'])
    await must(
      put({ currencies: [{ currency: 'ngn', approve_above: 500_000, refuse_above: 900_000 }] }),
    )
  })

  const put = (body: object, call: Call = asker) => call('PUT', '/limits', body)
  const loosest = { currencies: [{ currency: 'ngn', approve_above: 800_000, refuse_above: null }] }
  const ngnOf = ({ currencies }: Json): unknown[] => [
    currencies[0].approve_above,
    currencies[0].refuse_above,
  ]
  const limits = () => must(asker('GET', '/limits'))
  const actions = async () =>
    (await must(asker('GET', '/audit'))).docs
      .map(({ action, actor }: Json) => `${action} by ${actor.type}`)
      .filter((one: string) => /limits|loosening/.test(one))
      .reverse()
      .slice(1)
  const timersOf = () =>
    server.app.db.query(
      `select subject from timers where business_id = $1 and task = 'limits.loosen'`,
      [businessId],
    )

  it('waits, is mailed to every owner, and takes effect after 24 hours; what is stricter holds at once', async () => {
    const asked = await must(put({ ...loosest, payouts_by_key: 'beneficiaries' }))
    assert.deepEqual(ngnOf(asked), [500_000, 900_000])
    assert.equal(asked.payouts_by_key, 'beneficiaries')
    const { pending_change: pending } = asked
    assert.deepEqual(ngnOf(pending), [800_000, null])
    assert.equal(Date.parse(pending.takes_effect_at) - Date.parse(pending.created_at), 24 * hourMs)
    assert.deepEqual(await limits(), asked)
    for (const owner of owners) {
      const { text } = await until(async () => smtp.received.find(({ to }) => to === owner))
      assert.match(
        text,
        /The key sk_live_\S+ asked to loosen the limits of payouts of Bakery, from 127\.0\.0\.1/,
      )
      assert.match(
        text,
        /NGN, a payout above this waits for a second person: .*5,000\.00 .* .*8,000\.00/,
      )
      assert.match(text, new RegExp(`/dashboard/${businessId}/live/limits`))
    }
    assert.deepEqual(
      smtp.received.filter(({ to }) => to.startsWith('admin')),
      [],
    )

    await pass(server, clock, 24 * hourMs - 60_000)
    assert.deepEqual(ngnOf(await limits()), [500_000, 900_000])
    await pass(server, clock, 60_000)
    const after = await until(async () => {
      const now = await limits()
      return now.pending_change === null ? now : null
    })
    assert.deepEqual([...ngnOf(after), after.payouts_by_key], [800_000, null, 'beneficiaries'])
    assert.deepEqual(await actions(), [
      'loosening.requested by key',
      'limits.changed by key',
      'limits.changed by key',
    ])
  })

  it('takes effect at once when a second person confirms it, who did not ask for it', async () => {
    const { pending_change: pending } = await must(put(loosest))
    const both = await keyOf(['manage', 'approve'])
    const path = `/limits/pending/${pending.id}/confirm`
    assert.equal((await asker('POST', path)).code, 'scope_missing')
    const own = (
      await must(put({ currencies: [{ currency: 'ngn', approve_above: 850_000 }] }, both))
    ).pending_change
    assert.equal(
      (await both('POST', `/limits/pending/${own.id}/confirm`)).code,
      'approved_by_maker',
    )
    assert.equal((await approver('POST', path)).code, 'not_found', 'it was replaced')
    assert.deepEqual(ngnOf(await limits()), [500_000, 900_000])
    const confirmed = await must(approver('POST', `/limits/pending/${own.id}/confirm`))
    assert.deepEqual([...ngnOf(confirmed), confirmed.pending_change], [850_000, 900_000, null])
    assert.deepEqual(await timersOf(), [])
    assert.deepEqual(await actions(), [
      'loosening.requested by key',
      'loosening.canceled by key',
      'loosening.requested by key',
      'loosening.confirmed by key',
      'limits.changed by key',
    ])
  })

  it('is canceled where who asked for it lost the right meanwhile', async () => {
    const ctx = outside(server.app, await scopeOf(server.app, businessId, true))
    const made = await ctx.write((work) => createKey(work, { name: 'lost', scopes: ['manage'] }))
    await must(put(loosest, server.callAs(made.key)))
    await server.app.db.query('update api_keys set revoked_at = $2 where id = $1', [
      made.record.id,
      clock.now(),
    ])
    await pass(server, clock, 24 * hourMs)
    await until(async () => (await limits()).pending_change === null)
    assert.deepEqual(ngnOf(await limits()), [500_000, 900_000])
    assert.deepEqual(
      (await actions()).map((one: string) => one.split(' ')[0]),
      ['loosening.requested', 'loosening.canceled'],
    )
  })

  it('can be canceled, and then never takes effect', async () => {
    const { pending_change: pending } = await must(put(loosest))
    assert.equal(
      (await must(asker('POST', `/limits/pending/${pending.id}/cancel`))).pending_change,
      null,
    )
    assert.equal((await asker('POST', `/limits/pending/${pending.id}/cancel`)).code, 'not_found')
    await pass(server, clock, 25 * hourMs)
    assert.deepEqual(ngnOf(await limits()), [500_000, 900_000])
    assert.deepEqual(await actions(), ['loosening.requested by key', 'loosening.canceled by key'])
  })

  describe('beside an owner who removes another', () => {
    const of = () => ({ app: server.app, url: server.url, businessId })
    const personOf = async (email: string): Promise<string> =>
      (
        await server.app.db.query<{ id: string }>('select id from persons where email = $1', [
          email,
        ])
      )[0]?.id ?? ''
    const take = async (owner: string, how: 'remove' | 'role', by?: Visitor) => {
      const who = by ?? (await signedIn(of(), 'owner', 'live'))
      const answer = await who.post(`/team/people/${await personOf(owner)}/${how}`, {
        role: 'viewer',
      })
      assert.equal(answer.status, 303, answer.html)
    }

    for (const how of ['remove', 'role'] as const)
      it(`is canceled, and the next waits for 72 hours from then (${how})`, async () => {
        await must(put(loosest))
        const removedAt = clock.now().getTime()
        await take(owners[0] as string, how)
        assert.equal((await limits()).pending_change, null)
        assert.deepEqual(await timersOf(), [])
        const { text } = await until(async () =>
          smtp.received.find(
            ({ to, text }) => to === owners[0] && /removed you as an owner/.test(text),
          ),
        )
        assert.match(text, /removed you as an owner of Bakery, from 127\.0\.0\.1/)
        await pass(server, clock, 25 * hourMs)
        assert.deepEqual(ngnOf(await limits()), [500_000, 900_000])
        const { pending_change: next } = await must(put(loosest))
        const waited = Date.parse(next.takes_effect_at) - removedAt
        assert.ok(waited >= 72 * hourMs && waited < 73 * hourMs, next.takes_effect_at)
        await pass(server, clock, 25 * hourMs)
        assert.deepEqual(ngnOf(await limits()), [500_000, 900_000])
        await pass(server, clock, 24 * hourMs)
        await until(async () => (await limits()).pending_change === null)
        assert.deepEqual(ngnOf(await limits()), [800_000, null])
        assert.deepEqual(
          (await actions()).map((one: string) => one.split(' ')[0]),
          ['loosening.requested', 'loosening.canceled', 'loosening.requested', 'limits.changed'],
        )
      })

    it('is canceled at its time where the removal was on its way as it was asked for', async () => {
      const { pending_change: pending } = await must(put(loosest))
      await server.app.db.query('update businesses set owner_removed_at = $2 where id = $1', [
        businessId,
        new Date(pending.created_at),
      ])
      await pass(server, clock, 24 * hourMs)
      await until(async () => (await limits()).pending_change === null)
      assert.deepEqual(ngnOf(await limits()), [500_000, 900_000])
    })

    it('still takes effect when a second person confirms it', async () => {
      await take(owners[0] as string, 'remove')
      const { pending_change: pending } = await must(put(loosest))
      assert.deepEqual(
        ngnOf(await must(approver('POST', `/limits/pending/${pending.id}/confirm`))),
        [800_000, null],
      )
    })

    it('waits as before where an owner leaves', async () => {
      const leaving = await signedIn(of(), 'owner', 'live')
      const { pending_change: pending } = await must(put(loosest))
      const own = (
        await server.app.db.query(
          `select person_id from memberships where business_id = $1 and role = 'owner' order by joined_at desc limit 1`,
          [businessId],
        )
      )[0]?.person_id
      assert.equal((await leaving.post(`/team/people/${own}/remove`)).status, 303)
      assert.equal((await limits()).pending_change.id, pending.id)
    })

    it('is confirmed or canceled, and not both', async () => {
      const { pending_change: pending } = await must(put(loosest))
      const who = await signedIn(of(), 'owner', 'live')
      const [confirmed] = await Promise.all([
        approver('POST', `/limits/pending/${pending.id}/confirm`),
        take(owners[0] as string, 'remove', who),
      ])
      assert.ok(
        confirmed.status === 200 || confirmed.code === 'not_found',
        JSON.stringify(confirmed),
      )
      const after = await limits()
      assert.equal(after.pending_change, null)
      assert.deepEqual(
        ngnOf(after),
        confirmed.status === 200 ? [800_000, null] : [500_000, 900_000],
      )
    })
  })

  it('does not undo what was made stricter since, of the same field or another', async () => {
    await must(put(loosest))
    await must(
      put({
        currencies: [{ currency: 'ngn', refuse_above: 600_000 }],
        beneficiary_cooling_off_hours: 48,
      }),
    )
    const { pending_change: pending } = await limits()
    assert.deepEqual(
      [...ngnOf(pending), pending.beneficiary_cooling_off_hours],
      [800_000, 600_000, 48],
    )
    const job = { task: 'limits.loosen', payload: { loosening_id: pending.id } }
    await pass(server, clock, 24 * hourMs)
    await until(async () => (await limits()).pending_change === null)
    const after = await limits()
    assert.deepEqual([...ngnOf(after), after.beneficiary_cooling_off_hours], [800_000, 600_000, 48])
    await server.app.db.query(
      `insert into timers (business_id, livemode, id, due_at, task, subject, payload) values ($1, true, $2, null, $3, $2, $4)`,
      [businessId, pending.id, job.task, JSON.stringify(job.payload)],
    )
    await must(put({ currencies: [{ currency: 'ngn', approve_above: 100 }] }))
    await until(async () => (await timersOf()).length === 0)
    await pass(server, clock, hourMs)
    assert.deepEqual(ngnOf(await limits()), [100, 600_000], 'a second run does nothing')
  })

  it('is canceled when all of it is made stricter', async () => {
    await must(put({ approval_hours: 48 }))
    assert.equal((await must(put({ approval_hours: 12 }))).pending_change, null)
    assert.deepEqual(await timersOf(), [])
  })

  it('holds at once in test mode, and where a business has no limits, but for a shorter cooling-off', async () => {
    businessId = (await createBusiness(server.app, 'Empty')).business.id
    const fresh = await keyOf(['manage', 'read'])
    const first = await must(put({ beneficiary_cooling_off_hours: 0, approval_hours: 48 }, fresh))
    assert.deepEqual([first.beneficiary_cooling_off_hours, first.approval_hours], [24, 48])
    assert.equal(first.pending_change.beneficiary_cooling_off_hours, 0)
    const test = outside(server.app, await scopeOf(server.app, businessId, false))
    const call = server.callAs(
      (await test.write((work) => createKey(work, { name: 'test', scopes: ['manage'] }))).key,
    )
    await must(put({ currencies: [{ currency: 'ngn', approve_above: 1 }] }, call))
    const looser = await must(put({ currencies: [{ currency: 'ngn', approve_above: null }] }, call))
    assert.deepEqual([looser.currencies[0].approve_above, looser.pending_change], [null, null])
  })
})

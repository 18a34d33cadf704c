/**
 * Goal: who may do what is one table, and a session says how that is at this moment. Method: the
 * module's functions on a real database, under a clock that tests move, and a change by a person
 * read back at `GET /audit`.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { must, shareServer, startServer, type TestServer } from '../../../test/support/harness.ts'
import { signIn } from '../../../test/support/people.ts'
import { createBusiness, requireScope } from '../../books/businesses/businesses.ts'
import { updateBusiness } from '../../books/profiles/profiles.ts'
import { outside } from '../../core/outside.ts'
import { keyScopes } from '../../core/scopes.ts'
import { manualClock } from '../../lib/clock.ts'
import { Refusal } from '../../lib/errors.ts'
import {
  actorOf,
  createPerson,
  endSession,
  findSession,
  mayGive,
  openSession,
  rightsOf,
  roles,
  type Session,
} from './team.ts'

const hour = 3_600_000

describe('roles', () => {
  it('may what keys may, and only those at the top say who else may what', () => {
    const known = [...keyScopes, 'payees', 'limits', 'team', 'empty']
    for (const role of roles)
      for (const livemode of [true, false]) {
        const rights = rightsOf(role, livemode)
        assert.ok(rights.includes('read') && rights.every((right) => known.includes(right)), role)
        assert.equal(rights.includes('team'), role === 'owner' || role === 'admin', role)
        assert.equal(rights.includes('empty'), role === 'owner' && !livemode, role)
      }
    assert.deepEqual(
      [...rightsOf('developer', false)].sort(),
      [...keyScopes, 'payees', 'limits'].sort(),
    )
    for (const right of ['payout', 'refund', 'collect', 'approve', 'payees', 'limits'] as const)
      assert.ok(!rightsOf('developer', true).includes(right), right)
    assert.deepEqual([rightsOf('viewer', true), rightsOf('viewer', false)], [['read'], ['read']])
  })

  it('give no role above their own, and touch nobody who has one', () => {
    const may = roles.map((own) => roles.filter((given) => mayGive(own, given)))
    assert.deepEqual(may, [[...roles], roles.slice(1), [], [], [], []])
  })
})

describe('sessions', () => {
  const clock = manualClock(new Date('2026-11-21T09:00:00Z'))
  let server: TestServer
  before(async () => {
    server = await startServer({}, undefined, clock)
  })
  after(() => server.stop())

  const found = async (token: string): Promise<Session> => {
    const session = await findSession(server.app, token)
    assert.ok(session)
    return session
  }

  it('say who it is, and what the person works for as what', async () => {
    const { token, email, personId } = await signIn(server, 'finance', {
      email: 'ada@example.com',
      name: 'Ada Obi',
    })
    const session = await found(token)
    assert.deepEqual(session.person, { id: personId, email, name: 'Ada Obi' })
    assert.deepEqual(session.memberships, [
      { businessId: server.businessId, name: 'Test Business', role: 'finance' },
    ])
    assert.deepEqual([session.barred, session.installationOwner], [[], false])
    assert.match(session.csrf, /^[\w-]{43}$/)
    assert.ok(!session.csrf.includes(token))
    assert.equal((await found(token)).csrf, session.csrf)
    assert.notEqual((await found((await signIn(server)).token)).csrf, session.csrf)
  })

  it('are nobody’s without the token that was given', async () => {
    await signIn(server)
    for (const token of ['', 'x'.repeat(43), '\u0000', "' or true --"])
      assert.equal(await findSession(server.app, token), null)
  })

  it('end at once when they are ended, by their own person only', async () => {
    const [ada, obi] = [await signIn(server), await signIn(server)]
    const { id } = await found(ada.token)
    assert.equal(await endSession(server.app, obi.personId, id), false)
    await found(ada.token)
    assert.equal(await endSession(server.app, ada.personId, id), true)
    assert.equal(await findSession(server.app, ada.token), null)
    assert.equal(await endSession(server.app, ada.personId, id), false)
  })

  it('end twelve hours after their last use, and after a week of use', async () => {
    const [idle, busy] = [await signIn(server), await signIn(server)]
    for (let hours = 0; hours < 7 * 24; hours += 11) {
      await found(busy.token)
      // The use is written beside the request.
      await server.app.db.query(
        'update person_sessions set last_used_at = $1 where person_id = $2',
        [clock.now(), busy.personId],
      )
      clock.advance(11 * hour)
    }
    for (const { token } of [idle, busy]) assert.equal(await findSession(server.app, token), null)
  })

  it('keep their token as a hash only', async () => {
    const { token } = await signIn(server)
    const rows = await server.app.db.query('select s::text as row from person_sessions s')
    assert.ok(rows.length > 0)
    assert.ok(!JSON.stringify(rows).includes(token))
  })

  it('know a role that was changed or taken away at their next use', async () => {
    const { token, personId } = await signIn(server, 'admin')
    const { id: businessId, name } = (await createBusiness(server.app, 'Other')).business
    const change = (text: string, ...values: unknown[]) =>
      server.app.db.query(text, [personId, ...values])
    await change(`insert into memberships values ($2, $1, 'viewer', $3)`, businessId, clock.now())
    assert.deepEqual((await found(token)).memberships[1], { businessId, name, role: 'viewer' })
    await change(`update memberships set role = 'support' where person_id = $1 and role = 'viewer'`)
    assert.equal((await found(token)).memberships[1]?.role, 'support')
    await change('delete from memberships where person_id = $1')
    assert.deepEqual((await found(token)).memberships, [])
  })

  it('show nothing of a business that asks for a second factor until it was shown', async () => {
    const { token, personId } = await signIn(server, 'owner')
    const member = { businessId: server.businessId, name: 'Test Business', role: 'owner' }
    const require = (required: boolean) =>
      server.app.db.query('update businesses set second_factor_required = $1', [required])
    const shown = async (of: string) => {
      const { memberships, barred } = await found(of)
      return [memberships, barred]
    }
    await require(true)
    assert.deepEqual(await shown(token), [[], [member]])
    await server.app.db.query(
      `insert into passkeys values ($1, $2, '\\x01', '\\x02', 0, '{}', true, 'Phone', $3)`,
      ['a'.repeat(24), personId, clock.now()],
    )
    // To have one is not to have shown it: this session knows the password alone.
    assert.deepEqual(await shown(token), [[], [member]])
    const strong = await openSession(
      server.app,
      personId,
      { address: '127.0.0.1', device: 'test' },
      'passkey',
    )
    assert.deepEqual(await shown(strong), [[member], []])
    await server.app.db.query('delete from passkeys')
    assert.deepEqual(await shown(strong), [[], [member]])
    await require(false)
    assert.deepEqual(await shown(token), [[member], []])
  })

  it('act as a person: with the rights of the role, and named in the audit log', async () => {
    const { token, personId, email } = await signIn(server, 'developer')
    const session = await found(token)
    const scope = { businessId: server.businessId, livemode: false, now: clock.now() }
    const by = (livemode: boolean, businessId = scope.businessId) =>
      actorOf(session, { businessId, livemode }, { address: '203.0.113.7', at: clock.now() })
    assert.equal(by(false, 'f'.repeat(24)), null)
    const [test, live] = [by(false), by(true)]
    assert.ok(test && live)
    for (const scope of ['payout', 'manage'] as const) requireScope({ actor: test }, scope)
    assert.throws(
      () => requireScope({ actor: live }, 'payout'),
      (error) =>
        error instanceof Refusal && error.code === 'scope_missing' && /role/.test(error.message),
    )
    const ctx = outside(server.app, { ...scope, actor: test })
    await ctx.write((work) => updateBusiness(work, { name: 'Ada’s Bakery' }))
    const [entry] = (await must(server.call('GET', '/audit'))).docs
    assert.deepEqual(
      [entry.action, entry.actor, entry.address],
      ['business.changed', { type: 'person', id: personId, hint: email }, '203.0.113.7'],
    )
  })
})

describe('people', () => {
  let server: TestServer
  before(async () => {
    server = await shareServer()
  })
  after(() => server.stop())

  it('have an address of their own, however it is written', async () => {
    await createPerson(server.app, { email: ' Ada.Team@Example.COM ', name: 'Ada' })
    const rows = await server.app.db.query(
      `select email from persons where email ilike '%ada.team%'`,
    )
    assert.deepEqual(rows, [{ email: 'ada.team@example.com' }])
    await assert.rejects(
      createPerson(server.app, { email: 'ADA.TEAM@example.com', name: 'Other' }),
      RangeError,
    )
  })
})

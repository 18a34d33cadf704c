/**
 * Goal: a team is what its owners and admins say, by the table of roles; it always has an owner;
 * and each change is in the audit log. Method: the module's functions as who acts, on a real
 * database.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startServer, type TestServer } from '../../../test/support/harness.ts'
import { browserAt, sessionOf, signIn } from '../../../test/support/people.ts'
import { listChanges } from '../../books/audit/audit.ts'
import { createBusiness } from '../../books/businesses/businesses.ts'
import type { Work } from '../../core/inside.ts'
import { outside } from '../../core/outside.ts'
import { Refusal } from '../../lib/errors.ts'
import { stopSecondFactor } from './members.ts'
import { teamScope } from './records.ts'
import {
  acceptAs,
  actorOf,
  changeRole,
  confirmNoSecondFactor,
  findInvitation,
  findLoosening,
  invite,
  isSecondFactorRequired,
  keepSecondFactor,
  listInvitations,
  listMembers,
  mayGive,
  type PersonRole,
  removeMember,
  requireSecondFactor,
  revokeInvitation,
  roles,
} from './team.ts'

let server: TestServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())

const refusedWith = (code: string) => (error: unknown) =>
  error instanceof Refusal && error.code === code

/** A business with a person for each role. */
async function newTeam() {
  const { id: businessId } = (await createBusiness(server.app, 'Bakery')).business
  const people = new Map<PersonRole, Awaited<ReturnType<typeof signIn>>>()
  for (const role of roles) {
    people.set(role, await signIn(server, role, { businessId, secondFactor: true }))
  }
  const of = (role: PersonRole) => people.get(role) as Awaited<ReturnType<typeof signIn>>
  /** Lets a person, or the operator, do work: whoever has the rights of this moment. */
  async function signedIn(
    token: string | null,
  ): Promise<<T>(work: (work: Work) => Promise<T>) => Promise<T>> {
    const at = server.app.clock.now()
    const actor =
      token === null
        ? { type: 'operator' as const, at }
        : actorOf(
            await sessionOf(server, token),
            { businessId, livemode: true },
            { address: '203.0.113.9', at },
          )
    assert.ok(actor, 'who acts works there')
    return outside(server.app, teamScope(server.app, businessId, actor)).write
  }
  const as = async <T>(token: string | null, work: (work: Work) => Promise<T>): Promise<T> =>
    (await signedIn(token))(work)
  const ctx = outside(
    server.app,
    teamScope(server.app, businessId, { type: 'operator', at: server.app.clock.now() }),
  )
  const roleOf = async (personId: string) =>
    (await listMembers(ctx)).find((one) => one.person_id === personId)?.role
  const audit = async () =>
    (
      await Promise.all(
        [true, false].map((livemode) =>
          listChanges(outside(server.app, { ...ctx.scope, livemode }), { limit: 100 }, {}),
        ),
      )
    ).map(({ docs }) =>
      docs
        .filter(({ action }) => !action.startsWith('key.'))
        .map(({ action, before, after, actor }) => {
          const part = (fields: object | null): string => (fields ? JSON.stringify(fields) : '-')
          return `${action} ${part(before)} ${part(after)} by ${actor.hint ?? actor.type}`
        })
        .reverse(),
    )
  return { businessId, of, as, signedIn, ctx, roleOf, audit }
}

describe('a team', () => {
  it('is changed by owners and admins, up to their own role, and by nobody else', async () => {
    const { of, as, roleOf } = await newTeam()
    for (const actor of roles)
      for (const target of roles) {
        if (actor === target) continue
        const { personId } = of(target)
        const change = as(of(actor).token, async (work) => {
          await changeRole(work, personId, 'viewer')
          throw new RangeError('it may')
        })
        await assert.rejects(
          change,
          (error) => {
            if (mayGive(actor, target) && target !== 'owner') return error instanceof RangeError
            if (target === 'owner' && actor === 'owner') return error instanceof RangeError
            const code = mayGive(actor, 'viewer') ? 'role_above_own' : 'scope_missing'
            return refusedWith(code)(error)
          },
          `${actor} changes ${target}`,
        )
        const given = as(of(actor).token, async (work) => {
          await changeRole(work, of('viewer').personId, target)
          throw new RangeError('it may')
        })
        if (actor !== 'viewer')
          await assert.rejects(given, (error) =>
            mayGive(actor, target)
              ? error instanceof RangeError
              : refusedWith(mayGive(actor, 'viewer') ? 'role_above_own' : 'scope_missing')(error),
          )
        else await assert.rejects(given, refusedWith('scope_missing'))
      }
    assert.equal(await roleOf(of('viewer').personId), 'viewer')
  })

  it('keeps an owner: the last one can neither be removed nor made less, by the operator neither', async () => {
    const { of, as } = await newTeam()
    const { personId, token } = of('owner')
    for (const by of [token, null]) {
      await assert.rejects(
        as(by, (work) => removeMember(work, personId)),
        refusedWith('last_owner'),
      )
      await assert.rejects(
        as(by, (work) => changeRole(work, personId, 'admin')),
        refusedWith('last_owner'),
      )
    }
    await as(token, (work) => changeRole(work, of('admin').personId, 'owner'))
    await as(token, (work) => removeMember(work, personId))
    await assert.rejects(
      as(null, (work) => removeMember(work, of('admin').personId)),
      refusedWith('last_owner'),
    )
  })

  it('keeps an owner when two remove each other at once', async () => {
    for (let n = 0; n < 5; n++) {
      const { of, as, signedIn, roleOf } = await newTeam()
      const [first, second] = [of('owner'), of('admin')]
      await as(null, (work) => changeRole(work, second.personId, 'owner'))
      const [byFirst, bySecond] = [await signedIn(first.token), await signedIn(second.token)]
      const ends = await Promise.allSettled([
        byFirst((work) => removeMember(work, second.personId)),
        bySecond((work) => removeMember(work, first.personId)),
      ])
      assert.deepEqual(ends.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
      const failed = ends.find((end) => end.status === 'rejected')
      assert.ok(failed && refusedWith('scope_missing')(failed.reason), String(failed?.reason))
      const left = [await roleOf(first.personId), await roleOf(second.personId)]
      assert.deepEqual(left.filter((role) => role === 'owner').length, 1)
    }
  })

  it('takes back what was invited by who is removed, or made less', async () => {
    const { of, as, ctx } = await newTeam()
    const { token } = await as(of('admin').token, (work) =>
      invite(work, { email: 'new@example.com', role: 'admin' }, 'shown'),
    )
    await findInvitation(server.app, token as string)
    await as(of('owner').token, (work) => changeRole(work, of('admin').personId, 'finance'))
    await assert.rejects(findInvitation(server.app, token as string), refusedWith('link_over'))
    assert.deepEqual(await listInvitations(ctx), [])
  })

  it('has an owner’s invitation replaced and taken back by owners alone', async () => {
    const { of, as } = await newTeam()
    const email = 'next-owner@example.com'
    const invited = await as(of('owner').token, (work) =>
      invite(work, { email, role: 'owner' }, 'shown'),
    )
    const changes: ((work: Work) => Promise<unknown>)[] = [
      (work) => invite(work, { email, role: 'viewer' }, 'shown'),
      (work) => revokeInvitation(work, invited.id),
    ]
    for (const change of changes)
      await assert.rejects(as(of('admin').token, change), refusedWith('role_above_own'))
    assert.equal((await findInvitation(server.app, invited.token as string)).role, 'owner')
    await as(of('owner').token, (work) => invite(work, { email, role: 'viewer' }, 'shown'))
    await assert.rejects(
      findInvitation(server.app, invited.token as string),
      refusedWith('link_over'),
    )
  })

  it('is not touched from another business', async () => {
    const [mine, other] = [await newTeam(), await newTeam()]
    const { token } = mine.of('owner')
    const { personId } = other.of('viewer')
    await assert.rejects(
      mine.as(token, (work) => removeMember(work, personId)),
      refusedWith('not_found'),
    )
    await assert.rejects(
      mine.as(token, (work) => changeRole(work, personId, 'owner')),
      refusedWith('not_found'),
    )
    const invited = await other.as(null, (work) =>
      invite(work, { email: 'x@example.com', role: 'viewer' }, 'shown'),
    )
    await assert.rejects(
      mine.as(token, (work) => revokeInvitation(work, invited.id)),
      refusedWith('not_found'),
    )
    await findInvitation(server.app, invited.token as string)
  })

  it('asks for a second factor when an owner, who has shown one, says so', async () => {
    const { businessId, of, as } = await newTeam()
    const { token } = of('owner')
    const require = (by: string, required: boolean) =>
      as(by, (work) => requireSecondFactor(work, required))
    const without = await signIn(server, 'owner', { businessId })
    await assert.rejects(require(without.token, true), refusedWith('factor_needed'))
    await assert.rejects(require(of('admin').token, true), refusedWith('scope_missing'))
    await require(token, true)
    assert.equal((await sessionOf(server, token)).memberships.length, 1)
    assert.deepEqual((await sessionOf(server, without.token)).memberships, [])
    await as(null, (work) => requireSecondFactor(work, false))
    assert.equal((await sessionOf(server, without.token)).memberships.length, 1)
  })

  it('asks for it still for 24 hours after an owner stopped that, unless another owner confirms; any owner can cancel', async () => {
    const { businessId, of, as, audit } = await newTeam()
    const { token } = of('owner')
    const second = await signIn(server, 'owner', { businessId, secondFactor: true })
    const isRequired = () => as(null, (work) => isSecondFactorRequired(work))
    const stop = async (): Promise<string> => {
      await as(token, (work) => requireSecondFactor(work, false))
      const waiting = await as(null, (work) => findLoosening(work, 'second_factor'))
      assert.ok(waiting)
      return waiting.id
    }
    await as(token, (work) => requireSecondFactor(work, true))
    const first = await stop()
    assert.equal(await isRequired(), true)
    for (const [by, code] of [
      [token, 'approved_by_maker'],
      [of('admin').token, 'scope_missing'],
    ] as const)
      await assert.rejects(
        as(by, (work) => confirmNoSecondFactor(work, first)),
        refusedWith(code),
      )
    await as(token, (work) => keepSecondFactor(work, first))
    await assert.rejects(
      as(second.token, (work) => confirmNoSecondFactor(work, first)),
      refusedWith('not_found'),
    )
    assert.equal(await isRequired(), true)
    const confirmed = await stop()
    await as(second.token, (work) => confirmNoSecondFactor(work, confirmed))
    assert.equal(await isRequired(), false)

    await as(token, (work) => requireSecondFactor(work, true))
    const due = await stop()
    await as(null, (work) => stopSecondFactor(work, due))
    assert.equal(await isRequired(), true, 'its time has not come')
    await server.app.db.query('update loosenings set takes_effect_at = created_at where id = $1', [
      due,
    ])
    for (const _run of [1, 2]) await as(null, (work) => stopSecondFactor(work, due))
    assert.equal(await isRequired(), false)
    await as(token, (work) => requireSecondFactor(work, true))
    await stop()
    await as(token, (work) => requireSecondFactor(work, true))
    assert.equal(
      await as(null, (work) => findLoosening(work, 'second_factor')),
      null,
      'asked for again, it goes on',
    )
    const [live, test] = await audit()
    assert.deepEqual(test, live)
    assert.deepEqual(
      live
        ?.filter((one) => one.startsWith('loosening'))
        .map((one) => `${one.split(' ')[0]} ${one.split(' ').at(-1)}`),
      [
        `loosening.requested ${of('owner').email}`,
        `loosening.canceled ${of('owner').email}`,
        `loosening.requested ${of('owner').email}`,
        `loosening.confirmed ${second.email}`,
        `loosening.requested ${of('owner').email}`,
        `loosening.requested ${of('owner').email}`,
        `loosening.canceled ${of('owner').email}`,
      ],
    )
  })

  it('is changed by nobody who has shown no second factor', async () => {
    const { businessId, of, as } = await newTeam()
    const { token } = await signIn(server, 'owner', { businessId })
    const { personId } = of('viewer')
    const invited = await as(null, (work) =>
      invite(work, { email: 'one@example.com', role: 'viewer' }, 'shown'),
    )
    const changes: ((work: Work) => Promise<unknown>)[] = [
      (work) => invite(work, { email: 'two@example.com', role: 'viewer' }, 'shown'),
      (work) => revokeInvitation(work, invited.id),
      (work) => changeRole(work, personId, 'admin'),
      (work) => removeMember(work, personId),
      (work) => requireSecondFactor(work, false),
    ]
    for (const change of changes)
      await assert.rejects(as(token, change), refusedWith('factor_needed'))
  })

  it('has each change in the audit log, with who made it', async () => {
    const { of, as, audit } = await newTeam()
    const owner = of('owner')
    const viewer = of('viewer')
    const by = `by ${owner.email}`
    await as(owner.token, (work) => changeRole(work, viewer.personId, 'support'))
    await as(owner.token, (work) => changeRole(work, viewer.personId, 'support'))
    await as(owner.token, (work) => removeMember(work, viewer.personId))
    const invited = await as(owner.token, (work) =>
      invite(work, { email: viewer.email, role: 'viewer' }, 'shown'),
    )
    await acceptAs(
      server.app,
      invited.token as string,
      await sessionOf(server, viewer.token),
      browserAt(),
    )
    await as(null, (work) => requireSecondFactor(work, true))
    const [live, test] = await audit()
    assert.deepEqual(live, [
      `person.role_changed {"role":"viewer"} {"role":"support"} ${by}`,
      `person.removed {"email":"${viewer.email}","role":"support"} - ${by}`,
      `invitation.created - {"email":"${viewer.email}","role":"viewer"} ${by}`,
      `person.joined - {"email":"${viewer.email}","role":"viewer"} by ${viewer.email}`,
      `team.second_factor_required {"second_factor_required":false} {"second_factor_required":true} by operator`,
    ])
    assert.deepEqual(test, live, 'a team is of both modes')
    const stored = JSON.stringify(await server.app.db.query('select a::text from audit_log a'))
    for (const { email } of [owner, viewer])
      assert.ok(!stored.includes(email), 'an address that is erased stays nowhere')
  })
})

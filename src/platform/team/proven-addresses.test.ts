/**
 * Goal: an account that a stranger made under somebody's address gets nothing that is meant for
 * that person, and nothing of the stranger's stays in it once the person has it. Method: the
 * module's functions on a real database, with mail to a real SMTP server.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startServer, until } from '../../../test/support/harness.ts'
import {
  browserAt,
  codeAt,
  goodPassword,
  sessionOf,
  signIn,
  withSecondFactor,
} from '../../../test/support/people.ts'
import { type MailingServer, startMailingServer } from '../../../test/support/smtp.ts'
import { createBusiness } from '../../books/businesses/businesses.ts'
import type { Work } from '../../core/inside.ts'
import { outside } from '../../core/outside.ts'
import { Refusal } from '../../lib/errors.ts'
import { teamScope } from './records.ts'
import {
  acceptAs,
  acceptAsNewcomer,
  actorOf,
  askForReset,
  confirmTotp,
  findSession,
  invite,
  inviteFirstOwner,
  makeReset,
  resetPassword,
  startTotp,
} from './team.ts'

const theirs = 'another horse battery'
const refusedWith = (code: string) => (error: unknown) =>
  error instanceof Refusal && error.code === code

let server: MailingServer['server']
let smtp: MailingServer['smtp']
let stop: MailingServer['stop']
before(async () => {
  ;({ server, smtp, stop } = await startMailingServer())
})
after(() => stop())

/** The link that was mailed to somebody after so many others. */
const linkTo = (email: string, nth: number): Promise<string> =>
  until(
    async () => smtp.received.filter(({ to }) => to === email).length === nth && smtp.linkTo(email),
  )

/** Does something in the team of a business as its admin, whose second factor is fresh. */
async function asAdmin<T>(businessId: string, work: (work: Work) => Promise<T>): Promise<T> {
  const admin = await signIn(server, 'admin', { businessId, secondFactor: true })
  const at = server.app.clock.now()
  const session = await sessionOf(server, admin.token)
  const actor = actorOf(session, { businessId, livemode: true }, { address: '203.0.113.9', at })
  assert.ok(actor)
  return outside(server.app, teamScope(server.app, businessId, actor)).write(work)
}

/**
 * An account that a stranger made under an address by a link that was shown, with an authenticator
 * app.
 */
async function takenAddress(email: string): Promise<{ session: string; personId: string }> {
  const { id } = (await createBusiness(server.app, 'The stranger’s')).business
  const { token } = await asAdmin(id, (work) => invite(work, { email, role: 'viewer' }, 'shown'))
  const newcomer = { name: 'Mallory', password: goodPassword }
  const { session, personId } = await acceptAsNewcomer(
    server.app,
    token as string,
    newcomer,
    browserAt(),
  )
  const held = await sessionOf(server, session)
  const { secret } = await startTotp(server.app, held)
  await confirmTotp(server.app, held, codeAt(secret, server.app.clock.now()), browserAt())
  return { session, personId }
}

const kept = async (personId: string) => {
  const [row] = await server.app.db.query(
    `select totp_secret is not null as app, email_proven_at is not null as proven,
            (select count(*)::int from recovery_codes c where c.person_id = p.id) as codes,
            (select count(*)::int from passkeys k where k.person_id = p.id) as passkeys
       from persons p where id = $1`,
    [personId],
  )
  return row
}

describe('an address that was not proven', () => {
  it('brings who made the account nothing, and the owner of the mailbox the account without what was added before', async () => {
    const email = 'victim@example.com'
    const stranger = await takenAddress(email)
    await server.app.db.query(
      `insert into passkeys (id, person_id, credential_id, public_key, sign_count, transports, backed_up, name, created_at)
       values ($1, $1, 'x', 'x', 0, '{}', false, 'Mine', now())`,
      [stranger.personId],
    )
    const { id: businessId } = (await createBusiness(server.app, 'The inviter’s')).business
    await asAdmin(businessId, (work) => invite(work, { email, role: 'finance' }, 'mailed'))
    const invitation = await linkTo(email, 1)
    await assert.rejects(
      acceptAs(server.app, invitation, await sessionOf(server, stranger.session), browserAt()),
      refusedWith('address_unproven'),
    )

    await askForReset(server.app, email, browserAt())
    const end = await resetPassword(server.app, await linkTo(email, 2), theirs, browserAt())
    assert.ok(end.state === 'signed_in', 'no code of the stranger’s app is asked for')
    assert.equal(await findSession(server.app, stranger.session), null)
    assert.deepEqual(await kept(stranger.personId), {
      app: false,
      proven: true,
      codes: 0,
      passkeys: 0,
    })
    await acceptAs(server.app, invitation, await sessionOf(server, end.session), browserAt())
    const { memberships } = await sessionOf(server, end.session)
    assert.ok(memberships.some((one) => one.businessId === businessId && one.role === 'finance'))
  })

  it('is proven without loss by who opens the link where the account is signed in', async () => {
    const email = 'honest@example.com'
    const { session, personId } = await takenAddress(email)
    await askForReset(server.app, email, browserAt())
    const end = await resetPassword(
      server.app,
      await linkTo(email, 1),
      theirs,
      browserAt('203.0.113.1', { session }),
    )
    assert.equal(end.state, 'second_factor')
    assert.deepEqual(await kept(personId), { app: true, proven: true, codes: 10, passkeys: 0 })
  })

  it('is not proven by the operator’s link to a new password, which leaves the second factor', async () => {
    const email = 'forgetful@example.com'
    const { personId } = await takenAddress(email)
    const token = (await makeReset(server.app, email)) as string
    assert.equal(
      (await resetPassword(server.app, token, theirs, browserAt())).state,
      'second_factor',
    )
    assert.deepEqual(await kept(personId), { app: true, proven: false, codes: 10, passkeys: 0 })
  })

  it('is proven by an invitation that was mailed, and a reset leaves the second factor then', async () => {
    const email = 'proven@example.com'
    await asAdmin(server.businessId, (work) => invite(work, { email, role: 'viewer' }, 'mailed'))
    const newcomer = { name: 'Bola', password: goodPassword }
    const { personId } = await acceptAsNewcomer(
      server.app,
      await linkTo(email, 1),
      newcomer,
      browserAt(),
    )
    await withSecondFactor(server, personId)
    await askForReset(server.app, email, browserAt())
    const end = await resetPassword(server.app, await linkTo(email, 2), theirs, browserAt())
    assert.equal(end.state, 'second_factor')
  })
})

describe('the link to start', () => {
  it('makes one account, however many open it at once under their own addresses', async () => {
    const fresh = await startServer()
    const token = (await inviteFirstOwner(fresh.app)) as string
    const ends = await Promise.allSettled(
      [1, 2, 3, 4, 5].map((n) =>
        acceptAsNewcomer(
          fresh.app,
          token,
          { email: `first-${n}@example.com`, name: 'First', password: goodPassword },
          browserAt(),
        ),
      ),
    )
    assert.equal(ends.filter(({ status }) => status === 'fulfilled').length, 1)
    assert.equal((await fresh.app.db.query('select from persons')).length, 1)
    await fresh.stop()
  })
})

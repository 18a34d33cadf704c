/**
 * Goal: a link lets in whom it is for, once, while it is good; and a password is set anew by who
 * can read the person's mail, or was given a link by the operator. Method: the module's functions
 * on a real database, with mail to a real SMTP server.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startServer, type TestServer, until } from '../../../test/support/harness.ts'
import {
  browserAt,
  codeAt,
  goodPassword,
  sessionOf,
  signIn as signedIn,
  withPassword,
} from '../../../test/support/people.ts'
import { startSmtp } from '../../../test/support/smtp.ts'
import { createBusiness } from '../../books/businesses/businesses.ts'
import { outside } from '../../core/outside.ts'
import { manualClock } from '../../lib/clock.ts'
import { Refusal } from '../../lib/errors.ts'
import { mailLinks } from './mailing.ts'
import { teamScope } from './records.ts'
import {
  acceptAs,
  acceptAsNewcomer,
  askForReset,
  changePassword,
  confirmTotp,
  findInvitation,
  findReset,
  findSession,
  forgetOldAccess,
  invite,
  inviteFirstOwner,
  listInvitations,
  listMembers,
  makeReset,
  type PersonRole,
  resetPassword,
  resetSecondFactors,
  revokeInvitation,
  signIn,
  startTotp,
} from './team.ts'

const hour = 3_600_000
const clock = manualClock(new Date('2026-11-01T12:00:00Z'))
let server: TestServer
let smtp: Awaited<ReturnType<typeof startSmtp>>
before(async () => {
  smtp = await startSmtp((to) => {
    if (to.startsWith('refused'))
      throw Object.assign(new Error('no such mailbox'), { responseCode: 550 })
  })
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

const refusedWith = (code: string) => (error: unknown) =>
  error instanceof Refusal && error.code === code

const byOperator = (businessId = server.businessId) =>
  outside(server.app, teamScope(server.app, businessId, { type: 'operator', at: clock.now() }))

const shown = (
  email: string,
  role: PersonRole = 'finance',
  businessId = server.businessId,
): Promise<string> =>
  byOperator(businessId).write(
    async (work) => (await invite(work, { email, role }, 'shown')).token as string,
  )

const accept = (token: string, email?: string) =>
  acceptAsNewcomer(
    server.app,
    token,
    { name: 'Bola', password: goodPassword, ...(email === undefined ? {} : { email }) },
    browserAt(),
  )

const linkTo = (email: string): Promise<string> => until(async () => smtp.linkTo(email))

describe('an invitation', () => {
  it('makes an account with the role, which is signed in, and is over then', async () => {
    const token = await shown(' Bola@Example.com ')
    assert.deepEqual(await findInvitation(server.app, token), {
      business: 'Test Business',
      role: 'finance',
      email: 'bola@example.com',
      known: false,
    })
    const { session } = await accept(token)
    const { person, memberships, installationOwner } = await sessionOf(server, session)
    assert.deepEqual(
      [person.email, person.name, installationOwner],
      ['bola@example.com', 'Bola', false],
    )
    assert.deepEqual(
      memberships.map(({ businessId, role }) => [businessId, role]),
      [[server.businessId, 'finance']],
    )
    await assert.rejects(findInvitation(server.app, token), refusedWith('link_over'))
    await assert.rejects(accept(token), refusedWith('link_over'))
    await assert.rejects(shown('bola@example.com'), refusedWith('is_member'))
  })

  it('is accepted once by two who come at the same time', async () => {
    for (let n = 0; n < 3; n++) {
      const email = `twice-${n}@example.com`
      const token = await shown(email)
      const ends = await Promise.allSettled([accept(token), accept(token)])
      assert.deepEqual(ends.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
      const rows = await server.app.db.query('select from persons where email = $1', [email])
      assert.equal(rows.length, 1)
    }
  })

  it('of somebody who has an account is accepted by who is signed in with it, and nobody else', async () => {
    const { id: businessId } = (await createBusiness(server.app, 'Other')).business
    const { email, token: session, personId } = await signedIn(server, 'viewer')
    const stranger = await signedIn(server, 'viewer')
    const token = await shown(email, 'admin', businessId)
    assert.equal((await findInvitation(server.app, token)).known, true)
    await assert.rejects(accept(token), refusedWith('sign_in_first'))
    await assert.rejects(
      acceptAs(server.app, token, await sessionOf(server, stranger.token), browserAt()),
      refusedWith('sign_in_first'),
    )
    await acceptAs(server.app, token, await sessionOf(server, session), browserAt())
    const members = await listMembers(byOperator(businessId))
    assert.deepEqual(
      members.map(({ person_id, role }) => [person_id, role]),
      [[personId, 'admin']],
    )
  })

  it('is not good once it is replaced, taken back, or a week old', async () => {
    const first = await shown('late@example.com')
    const second = await shown('late@example.com')
    await assert.rejects(findInvitation(server.app, first), refusedWith('link_over'))
    const [open] = await listInvitations(byOperator())
    assert.equal(open?.email, 'late@example.com')
    await byOperator().write((work) => revokeInvitation(work, open?.id as string))
    await assert.rejects(accept(second), refusedWith('link_over'))
    await assert.rejects(
      byOperator().write((work) => revokeInvitation(work, open?.id as string)),
      refusedWith('not_found'),
    )
    const third = await shown('late@example.com')
    clock.advance(7 * 24 * hour)
    await assert.rejects(accept(third), refusedWith('link_over'))
    await accept(await shown('late@example.com'))
  })

  it('refuses what is no address, no name and no password', async () => {
    await assert.rejects(shown('not an address'), refusedWith('email_invalid'))
    const token = await shown('picky@example.com')
    const as = (name: string, password: string) =>
      acceptAsNewcomer(server.app, token, { name, password }, browserAt())
    await assert.rejects(as('  ', goodPassword), refusedWith('name_invalid'))
    await assert.rejects(as('Bola', 'picky-example'), refusedWith('password_refused'))
    await as('Bola', goodPassword)
  })

  it('goes by mail, with a link that works and stands nowhere else', async () => {
    const { token: owner } = await signedIn(server, 'owner')
    assert.ok(owner)
    const { token, id } = await byOperator().write((work) =>
      invite(work, { email: 'mailed@example.com', role: 'support' }, 'mailed'),
    )
    assert.equal(token, null)
    const link = await linkTo('mailed@example.com')
    assert.equal((await findInvitation(server.app, link)).role, 'support')
    const row = await until(async () => {
      const [found] = await server.app.db.query<{ mailed_at: Date | null; text: string }>(
        'select mailed_at, i::text as text from invitations i where id = $1',
        [id],
      )
      return found?.mailed_at && found
    })
    assert.ok(!row.text.includes(link))
    await mailLinks(server.app)
    assert.equal(smtp.received.filter(({ to }) => to === 'mailed@example.com').length, 1)
  })

  it('to a mailbox that is refused is not tried for ever, and shows that it was not mailed', async () => {
    await byOperator().write((work) =>
      invite(work, { email: 'refused@example.com', role: 'viewer' }, 'mailed'),
    )
    const row = await until(async () => {
      const [open] = await listInvitations(byOperator())
      return open?.email === 'refused@example.com' && open.mail_tries > 0 && open
    })
    await until(async () => {
      const [found] = await server.app.db.query<{ mail_at: Date | null }>(
        'select mail_at from invitations where id = $1',
        [row.id],
      )
      return found?.mail_at === null
    })
    const [open] = await listInvitations(byOperator())
    assert.equal(open?.mailed_at, null)
  })
})

describe('the first owner', () => {
  it('is who accepts the link that was printed last, and owns every business that nobody owns', async () => {
    const { id: owned } = (await createBusiness(server.app, 'Owned')).business
    await signedIn(server, 'owner', { businessId: owned })
    const { id: free } = (await createBusiness(server.app, 'Free')).business
    const earlier = (await inviteFirstOwner(server.app)) as string
    const token = (await inviteFirstOwner(server.app)) as string
    await assert.rejects(accept(earlier, 'first@example.com'), refusedWith('link_over'))
    assert.deepEqual(await findInvitation(server.app, token), {
      business: null,
      role: 'owner',
      email: null,
      known: false,
    })
    const ends = await Promise.allSettled([
      accept(token, 'first@example.com'),
      accept(token, 'thief@example.com'),
    ])
    const done = ends.find((end) => end.status === 'fulfilled')
    assert.equal(ends.filter(({ status }) => status === 'fulfilled').length, 1)
    const { memberships, installationOwner } = await sessionOf(
      server,
      done?.value.session as string,
    )
    assert.equal(installationOwner, true)
    assert.ok(memberships.some(({ businessId, role }) => businessId === free && role === 'owner'))
    assert.ok(!memberships.some(({ businessId }) => businessId === owned))
    assert.equal(await inviteFirstOwner(server.app), null)
    const members = await server.app.db.query(
      "select from memberships where business_id = '000000000000000000000001'",
    )
    assert.equal(members.length, 0)
  })
})

describe('a password', () => {
  const open = async (email: string, password: string) =>
    (await signIn(server.app, { email, password }, browserAt('203.0.113.5'))).state

  it('is set anew by a link in a mail, once, and every session ends', async () => {
    const { email, id } = await withPassword(server)
    const { session } = (await signIn(
      server.app,
      { email, password: goodPassword },
      browserAt(),
    )) as {
      session: string
    }
    await askForReset(server.app, email.toUpperCase(), browserAt())
    await until(async () => smtp.received.filter(({ to }) => to === email).length === 1)
    const first = await linkTo(email)
    await askForReset(server.app, email, browserAt())
    await until(async () => smtp.received.filter(({ to }) => to === email).length === 2)
    const token = await linkTo(email)
    assert.notEqual(token, first)
    assert.equal((await findReset(server.app, token)).email, email)
    const next = 'another horse battery'
    const ends = await Promise.allSettled([
      resetPassword(server.app, token, next, browserAt()),
      resetPassword(server.app, token, 'a thief’s own password', browserAt()),
    ])
    const done = ends.find((end) => end.status === 'fulfilled')
    assert.equal(ends.filter(({ status }) => status === 'fulfilled').length, 1)
    assert.equal(await findSession(server.app, session), null)
    assert.ok(done && (await findSession(server.app, done.value.session)))
    assert.equal(await open(email, goodPassword), 'wrong')
    // The link before it is over with it.
    for (const link of [first, token])
      await assert.rejects(findReset(server.app, link), refusedWith('link_over'))
    const [entry] = await server.app.db.query(
      'select action, actor_id from audit_log where subject = $1 order by id desc limit 1',
      [id],
    )
    assert.deepEqual(entry, { action: 'person.password_changed', actor_id: id })
  })

  it('is asked for with the same answer by an address of nobody, who gets no mail', async () => {
    assert.equal(
      await askForReset(server.app, 'nobody@example.com', browserAt('203.0.113.6')),
      undefined,
    )
    await until(async () => {
      const [row] = await server.app.db.query<{ waiting: bigint }>(
        'select count(*) as waiting from password_resets where mail_at is not null',
      )
      return row?.waiting === 0n
    })
    assert.ok(!smtp.received.some(({ to }) => to === 'nobody@example.com'))
  })

  it('is asked for three times in a quarter of an hour, and each of the links is good', async () => {
    const { email } = await withPassword(server)
    for (let n = 0; n < 3; n++) await askForReset(server.app, email, browserAt(`198.51.100.${n}`))
    await assert.rejects(
      askForReset(server.app, email, browserAt('198.51.100.9')),
      refusedWith('too_many_tries'),
    )
    await until(async () => smtp.received.filter(({ to }) => to === email).length === 3)
    await findReset(server.app, await linkTo(email))
  })

  it('is not set by a link that is an hour old', async () => {
    const { email } = await withPassword(server)
    const token = (await makeReset(server.app, email)) as string
    clock.advance(hour)
    await assert.rejects(
      resetPassword(server.app, token, 'another horse battery', browserAt()),
      refusedWith('link_over'),
    )
    await forgetOldAccess(server.app)
    assert.deepEqual(
      await server.app.db.query('select from password_resets where expires_at <= $1', [
        clock.now(),
      ]),
      [],
    )
    assert.equal(await makeReset(server.app, 'nobody@example.com'), null)
  })

  it('that is set anew does not stand for the second factor', async () => {
    const { email } = await withPassword(server)
    const { session } = (await signIn(
      server.app,
      { email, password: goodPassword },
      browserAt('203.0.113.8'),
    )) as {
      session: string
    }
    const held = await sessionOf(server, session)
    const { secret } = await startTotp(server.app, held)
    await confirmTotp(server.app, held, codeAt(secret, clock.now()), browserAt())
    const token = (await makeReset(server.app, email)) as string
    const end = await resetPassword(server.app, token, 'another horse battery', browserAt())
    assert.ok(!('personId' in end) && end.state === 'second_factor')
    assert.equal(await findSession(server.app, end.session), null)
    // Only the operator takes the second factor from who has lost it.
    assert.equal(await resetSecondFactors(server.app, 'nobody@example.com'), false)
    assert.equal(await resetSecondFactors(server.app, email), true)
    assert.equal(await open(email, 'another horse battery'), 'signed_in')
  })

  it('is changed by who knows it, and the other sessions end', async () => {
    const { email } = await withPassword(server)
    const sessions = []
    for (let n = 0; n < 2; n++)
      sessions.push(
        (await signIn(server.app, { email, password: goodPassword }, browserAt('203.0.113.9'))) as {
          session: string
        },
      )
    const [mine, other] = sessions.map(({ session }) => session) as [string, string]
    const change = async (current: string, next: string) =>
      changePassword(server.app, await sessionOf(server, mine), { current, next }, browserAt())
    await assert.rejects(
      change('wrong password', 'another horse battery'),
      refusedWith('password_wrong'),
    )
    await assert.rejects(change(goodPassword, 'short'), refusedWith('password_refused'))
    await change(goodPassword, 'another horse battery')
    assert.equal(await findSession(server.app, other), null)
    await sessionOf(server, mine)
    for (let n = 0; n < 9; n++)
      await assert.rejects(change('wrong password', goodPassword), refusedWith('password_wrong'))
    await assert.rejects(
      change('another horse battery', goodPassword),
      refusedWith('too_many_tries'),
    )
  })
})

describe('a server that sends no mail', () => {
  it('refuses to mail links, in words that say what to do', async () => {
    const silent = { ...server.app, config: { ...server.app.config, SMTP_URL: null } }
    await assert.rejects(
      askForReset(silent, 'ada@example.com', browserAt()),
      (error) =>
        refusedWith('mail_not_configured')(error) &&
        /bursar team reset-password/.test((error as Error).message),
    )
    const ctx = outside(
      silent,
      teamScope(silent, server.businessId, { type: 'operator', at: clock.now() }),
    )
    await assert.rejects(
      ctx.write((work) => invite(work, { email: 'ada@example.com', role: 'viewer' }, 'mailed')),
      refusedWith('mail_not_configured'),
    )
  })
})

/**
 * Goal: an operator can let people in, change what they may do and help who cannot sign in, beside
 * a server that runs. Method: the commands on the application of a test server.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createBusiness } from '../../../src/books/businesses/businesses.ts'
import {
  acceptAsNewcomer,
  findInvitation,
  findSession,
  resetPassword,
  signIn,
} from '../../../src/platform/team/team.ts'
import { runCommand } from '../../support/command-line.ts'
import { startServer, type TestServer } from '../../support/harness.ts'
import { browserAt, goodPassword, sessionOf } from '../../support/people.ts'

let server: TestServer
before(async () => {
  server = await startServer({ BASE_URL: 'https://pay.example.com' })
})
after(() => server.stop())

const team = (...args: string[]) => runCommand(server.app, ['team', ...args])

async function must(...args: string[]): Promise<string> {
  const { code, out, err } = await team(...args)
  assert.equal(code, 0, err)
  return out
}

async function refused(says: RegExp, ...args: string[]): Promise<void> {
  const { code, err } = await team(...args)
  assert.equal(code, 1)
  assert.match(err, /^bursar: .*\n$/)
  assert.match(err, says)
}

const tokenOf = (out: string, kind: string): string => {
  const token = new RegExp(`https://pay\\.example\\.com/dashboard/${kind}/(\\w{43})\\b`).exec(
    out,
  )?.[1]
  assert.ok(token, out)
  return token
}

const join = (token: string, email?: string) =>
  acceptAsNewcomer(
    server.app,
    token,
    { name: 'Ada', password: goodPassword, ...(email === undefined ? {} : { email }) },
    browserAt(),
  )

describe('bursar team', () => {
  it('makes the first owner, and only the first, by a link', async () => {
    const token = tokenOf(await must('invite'), 'invite')
    const { session } = await join(token, 'owner@example.com')
    const { memberships, installationOwner } = await sessionOf(server, session)
    assert.deepEqual([memberships[0]?.role, installationOwner], ['owner', true])
    await refused(/There is an owner/, 'invite')
    await refused(/without an owner/, 'remove', 'owner@example.com')
  })

  it('invites, lists, changes and removes', async () => {
    const token = tokenOf(await must('invite', 'Bola@example.com', '--role', 'finance'), 'invite')
    assert.equal((await findInvitation(server.app, token)).role, 'finance')
    assert.match(await must('list'), /bola@example\.com {2}finance {2}invited, until 20/)
    const { session } = await join(token)
    assert.match(
      await must('role', 'bola@example.com', 'viewer'),
      /bola@example\.com is viewer of Test Business\./,
    )
    assert.equal((await sessionOf(server, session)).memberships[0]?.role, 'viewer')
    const listed = await must('list')
    assert.match(listed, /bola@example\.com {2}viewer {2}password alone {2}seen 20.* {2}Ada/)
    assert.ok(!listed.includes(token))
    await must('remove', 'BOLA@example.com')
    assert.deepEqual((await sessionOf(server, session)).memberships, [])
    const { members, invitations } = JSON.parse(await must('list', '--json'))
    assert.deepEqual([members.length, invitations], [1, []])
    assert.deepEqual(Object.keys(members[0]).sort(), [
      'email',
      'has_second_factor',
      'joined_at',
      'last_seen_at',
      'name',
      'person_id',
      'role',
    ])
  })

  it('helps who has lost the password or the second factor', async () => {
    const token = tokenOf(await must('reset-password', 'owner@example.com'), 'reset')
    const end = await resetPassword(server.app, token, 'another horse battery', browserAt())
    assert.equal(end.state, 'signed_in')
    await must('reset-second-factor', 'owner@example.com')
    assert.equal(await findSession(server.app, end.session), null)
    const credentials = { email: 'owner@example.com', password: 'another horse battery' }
    assert.equal((await signIn(server.app, credentials, browserAt())).state, 'signed_in')
  })

  it('says in a line what it cannot do', async () => {
    await refused(
      /'boss' is no role: there are owner, admin/,
      'invite',
      'x@example.com',
      '--role',
      'boss',
    )
    await refused(/Enter a valid email address/, 'invite', 'nobody')
    await refused(/in the team already/, 'invite', 'owner@example.com')
    await refused(/has no member with the address/, 'remove', 'nobody@example.com')
    await refused(/No person has the address/, 'reset-password', 'nobody@example.com')
    await refused(/No person has the address/, 'reset-second-factor', 'nobody@example.com')
    await createBusiness(server.app, 'Second')
    await refused(/several businesses: name one/, 'list')
  })
})

/**
 * Goal: owners and admins say by pages who is in the team, and nobody else does. Method: over HTTP,
 * as browsers without scripts are.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { hiddenOf, shown, signedIn, type Visitor } from '../../../../test/support/dashboard.ts'
import { addressed, newBrowser } from '../../../../test/support/dashboard-browser.ts'
import { startServer, until } from '../../../../test/support/harness.ts'
import { codeAt, goodPassword } from '../../../../test/support/people.ts'
import { type MailingServer, startMailingServer } from '../../../../test/support/smtp.ts'
import { roles } from '../../../platform/team/team.ts'

let server: MailingServer['server']
let smtp: MailingServer['smtp']
let stop: MailingServer['stop']
before(async () => {
  ;({ server, smtp, stop } = await startMailingServer())
})
after(() => stop())

const team = (visitor: Visitor): Promise<string> => shown(visitor.get('/team'))

/** Somebody new in the team, with where their page is. */
async function member(
  role: (typeof roles)[number],
): Promise<Visitor & { email: string; page: string }> {
  const visitor = await signedIn(server, role)
  const [, email = ''] = /<p class="me"><bdi>([^<]+)/.exec(await shown(visitor.get(''))) ?? []
  const html = await team(await signedIn(server, 'owner'))
  const row = html.split('<tr>').find((one) => one.includes(email)) ?? ''
  const [, page = ''] = /href="([^"]+\/team\/people\/[0-9a-f]{24})"/.exec(row) ?? []
  return { ...visitor, email, page }
}

describe('the team page', () => {
  it('is for who has the right to it, in the menu too, and for nobody else', async () => {
    for (const role of roles)
      for (const mode of ['test', 'live'] as const) {
        const visitor = await signedIn(server, role, mode)
        const may = role === 'owner' || role === 'admin'
        assert.equal(
          (await shown(visitor.get(''))).includes(`href="${visitor.base}/team"`),
          may,
          role,
        )
        for (const path of ['/team', '/team/invite'])
          assert.equal((await visitor.get(path)).status, may ? 200 : 403)
        if (may) continue
        const { page } = await member('viewer')
        for (const path of [
          '/team/invite',
          '/team/second-factor',
          '/team/revoke',
          `${page}/role`,
          `${page}/remove`,
        ]) {
          const fields = {
            email: addressed('x'),
            role: 'viewer',
            required: 'yes',
            invitation: '0'.repeat(24),
          }
          assert.equal((await visitor.post(path, fields)).status, 403, `${role} ${path}`)
        }
      }
  })

  it('shows nothing of the team of another business', async () => {
    const owner = await signedIn(server)
    const other = await startServer()
    const { status } = await owner.get(`/dashboard/${other.businessId}/test/team`)
    assert.equal(status, 404)
    assert.equal((await owner.get(`/team/people/${'0'.repeat(24)}`)).status, 404)
    await other.stop()
  })
})

describe('an invitation', () => {
  it('is mailed, listed, and makes a member with its role', async () => {
    const owner = await signedIn(server)
    const email = addressed('new')
    assert.equal(
      (await owner.post('/team/invite', { email, role: 'finance' })).location,
      `${owner.base}/team?done=invited`,
    )
    assert.match(await team(owner), new RegExp(`<bdi>${email}</bdi>`))
    const token = await until(async () => smtp.linkTo(email))
    const browser = newBrowser(server.url)
    const fields = { name: 'New Person', password: goodPassword }
    assert.equal((await browser.post(`/dashboard/invite/${token}`, fields)).location, '/dashboard')
    const html = await team(owner)
    assert.match(html, /New Person[\s\S]{0,80}Finance/)
    assert.doesNotMatch(html, new RegExp(`Revoke the invitation of ${email}`))
    const again = await owner.post('/team/invite', { email, role: 'finance' })
    assert.equal(again.status, 409)
    assert.match(again.html, /id="f-email-error">A person with that address is in the team already/)
  })

  it('is shown as a link instead, once', async () => {
    const owner = await signedIn(server)
    const email = addressed('by-hand')
    const { html } = await owner.post('/team/invite', { email, role: 'viewer', shown: 'true' })
    const [, token = ''] = /\/dashboard\/invite\/([\w-]{43})</.exec(html) ?? []
    assert.match(await newBrowser(server.url).page(`/dashboard/invite/${token}`), new RegExp(email))
    assert.ok(!(await team(owner)).includes(token))
    const silent = await startServer()
    const other = await signedIn(silent)
    assert.match(await shown(other.get('/team/invite')), /This server does not send email/)
    assert.match(
      (await other.post('/team/invite', { email, role: 'viewer' })).html,
      /\/dashboard\/invite\/[\w-]{43}</,
    )
    await silent.stop()
  })

  it('is taken back, and its link is nothing then', async () => {
    const owner = await signedIn(server)
    const email = addressed('not')
    const { html } = await owner.post('/team/invite', { email, role: 'owner', shown: 'true' })
    const [, link = ''] = /(\/dashboard\/invite\/[\w-]{43})</.exec(html) ?? []
    const [, id = ''] =
      new RegExp(`value="([0-9a-f]{24})"><button[^>]*Revoke the invitation of ${email}`).exec(
        await team(owner),
      ) ?? []
    const admin = await signedIn(server, 'admin')
    assert.doesNotMatch(await team(admin), new RegExp(`Revoke the invitation of ${email}`))
    assert.equal((await admin.post('/team/revoke', { invitation: id })).status, 400)
    assert.equal((await newBrowser(server.url).get(link)).status, 200)
    assert.match(
      (await owner.post('/team/revoke', { invitation: id })).location ?? '',
      /done=revoked/,
    )
    assert.equal((await newBrowser(server.url).get(link)).status, 404)
    assert.equal((await owner.post('/team/revoke', { invitation: 'nothing' })).status, 404)
  })

  it('gives no role above the own one', async () => {
    const admin = await signedIn(server, 'admin')
    assert.doesNotMatch(await shown(admin.get('/team/invite')), /<option value="owner"/)
    const email = addressed('high')
    assert.equal((await admin.post('/team/invite', { email, role: 'owner' })).status, 403)
    assert.equal((await admin.post('/team/invite', { email, role: 'king' })).status, 422)
    assert.equal(
      (await admin.post('/team/invite', { email: 'nobody', role: 'viewer' })).status,
      422,
    )
  })
})

describe('a member', () => {
  it('gets another role, which counts from the next page on', async () => {
    const owner = await signedIn(server)
    const one = await member('viewer')
    assert.equal((await one.get('/team')).status, 403)
    assert.match(
      (await owner.post(`${one.page}/role`, { role: 'admin' })).location ?? '',
      /done=role/,
    )
    assert.equal((await one.get('/team')).status, 200)
    assert.equal((await owner.post(`${one.page}/role`, { role: 'king' })).status, 422)
  })

  it('is removed after a question, and sees nothing of the business then', async () => {
    const owner = await signedIn(server)
    const one = await member('finance')
    assert.match(await shown(owner.get(`${one.page}/remove`)), /Remove Ada Okafor\?/)
    assert.match((await owner.post(`${one.page}/remove`)).location ?? '', /done=removed/)
    assert.equal((await one.get('')).status, 404)
    assert.ok(!(await team(owner)).includes(one.email))
    assert.equal((await owner.post(`${one.page}/remove`)).status, 404)
  })

  it('above the own role is not touched', async () => {
    const admin = await signedIn(server, 'admin')
    const { page } = await member('owner')
    assert.match(await shown(admin.get(page)), /Your role cannot change or remove/)
    for (const path of ['role', 'remove'])
      assert.equal((await admin.post(`${page}/${path}`, { role: 'viewer' })).status, 403)
  })

  it('that is the last owner stays one, and is told why', async () => {
    const fresh = await startServer()
    const owner = await signedIn(fresh)
    const [, page = ''] = /href="([^"]+\/people\/[0-9a-f]{24})"/.exec(await team(owner)) ?? []
    const { status, html } = await owner.post(`${page}/role`, { role: 'viewer' })
    assert.equal(status, 409)
    assert.match(html, /without an owner/)
    await signedIn(fresh)
    assert.equal(
      (await owner.post(`${page}/remove`)).location,
      '/dashboard',
      'who leaves, has left its pages',
    )
    await fresh.stop()
  })
})

describe('the second factor of a team', () => {
  it('is asked for by an owner who has one, and bars who has none', async () => {
    const fresh = await startServer()
    const owner = await signedIn(fresh, 'owner', 'test', { secondFactor: false })
    const viewer = await signedIn(fresh, 'viewer', 'test', { secondFactor: false })
    const without = await owner.post('/team/second-factor', { required: 'yes' })
    assert.match(without.html, /Sign in with a second factor to confirm this/)
    await owner.post('/dashboard/account/authenticator')
    const setUp = await shown(owner.get('/dashboard/account/authenticator'))
    const secret = (/<code>([A-Z2-7 ]+)<\/code>/.exec(setUp)?.[1] ?? '').replaceAll(' ', '')
    await owner.post('/dashboard/account/authenticator/confirm', {
      code: codeAt(secret, fresh.app.clock.now()),
    })
    assert.match(
      (await owner.post('/team/second-factor', { required: 'yes' })).location ?? '',
      /done=factor/,
    )
    assert.match(await team(owner), /Stop requiring it/)
    const { status, html } = await viewer.get('')
    assert.equal(status, 403)
    assert.match(html, /asks for a second factor/)
    assert.match(await shown(viewer.get('/dashboard/account')), /Required by Test Business/)
    const admin = await signedIn(fresh, 'admin')
    assert.equal((await admin.post('/team/second-factor', { required: 'no' })).status, 403)
    assert.equal(hiddenOf(await team(owner)).required, 'no')
    await owner.post('/team/second-factor', { required: 'no' })
    assert.equal((await viewer.get('')).status, 403, 'that waits for another owner')
    const mate = await signedIn(fresh, 'owner')
    await mate.post('/team/second-factor/confirm', {
      change: hiddenOf(await team(mate)).change ?? '',
    })
    assert.equal((await viewer.get('')).status, 200)
    await fresh.stop()
  })
})

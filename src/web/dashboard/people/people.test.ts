/**
 * Goal: people come in by the pages, and nobody else does. Method: over HTTP, as browsers without
 * scripts are, each with its own cookies; mails are taken by an SMTP server of the test's own.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { hiddenOf, signedIn } from '../../../../test/support/dashboard.ts'
import { addressed, type Browser, newBrowser } from '../../../../test/support/dashboard-browser.ts'
import { startServer, until } from '../../../../test/support/harness.ts'
import {
  browserAt,
  codeAt,
  goodPassword,
  sessionOf,
  withPassword,
} from '../../../../test/support/people.ts'
import { type MailingServer, startMailingServer } from '../../../../test/support/smtp.ts'
import { createBusiness } from '../../../books/businesses/businesses.ts'
import { outside } from '../../../core/outside.ts'
import {
  confirmTotp,
  invite,
  inviteFirstOwner,
  listMembers,
  makeReset,
  signIn,
  startTotp,
  teamScope,
} from '../../../platform/team/team.ts'

let server: MailingServer['server']
let smtp: MailingServer['smtp']
let stop: MailingServer['stop']
before(async () => {
  ;({ server, smtp, stop } = await startMailingServer({ TRUST_PROXY: '1' }))
})
after(() => stop())

const operator = () => ({ type: 'operator' as const, at: server.app.clock.now() })
const team = () => outside(server.app, teamScope(server.app, server.businessId, operator()))
const invited = async (email: string, role: 'finance' | 'viewer' = 'finance'): Promise<string> => {
  const { token } = await team().write((work) => invite(work, { email, role }, 'shown'))
  return `/dashboard/invite/${token}`
}

/** A browser that has signed in by the page. */
async function cameIn(email: string, at?: string): Promise<Browser> {
  const browser = newBrowser(server.url, at)
  const { location } = await browser.post('/dashboard/sign-in', { email, password: goodPassword })
  assert.equal(location, '/dashboard')
  return browser
}

describe('signing in', () => {
  it('leads to the page that was asked for, with a cookie that scripts cannot read', async () => {
    const { email } = await withPassword(server)
    const browser = newBrowser(server.url)
    const page = `/dashboard/${server.businessId}/test?x=1`
    const { location } = await browser.get(page)
    const form = await browser.get(location ?? '')
    assert.equal(form.status, 200)
    assert.equal(hiddenOf(form.html).next, page)
    const entered = await browser.post('/dashboard/sign-in', {
      email,
      password: goodPassword,
      next: page,
    })
    assert.deepEqual([entered.status, entered.location], [303, page])
    for (const cookie of entered.headers.getSetCookie())
      assert.match(
        cookie,
        /^bursar_(session|device)=\S+; Path=\/dashboard; HttpOnly; SameSite=Lax; Max-Age=\d+$/,
      )
    assert.equal((await browser.get(page)).status, 200)
    assert.equal((await browser.get('/dashboard/sign-in')).location, '/dashboard')
  })

  it('goes to no page but our own', async () => {
    const { email } = await withPassword(server)
    for (const next of [
      'https://evil.example/dashboard',
      '//evil.example/dashboard',
      '/\\evil.example',
      '/dashboard/../../evil',
      '/dashboard.evil.example',
      '/dashboardx',
      '/pay/abc',
      '/dashboard/sign-out',
      '/dashboard/sign-in?next=/dashboard',
      '\t//evil.example',
      `/dashboard/${'x'.repeat(3_000)}`,
    ]) {
      const answer = await newBrowser(server.url).post('/dashboard/sign-in', {
        email,
        password: goodPassword,
        next,
      })
      assert.equal(answer.location, '/dashboard', next)
    }
  })

  it('says the same of a wrong password and of nobody, and keeps the address typed', async () => {
    const { email } = await withPassword(server)
    const pages = await Promise.all(
      [email, 'nobody@example.com'].map((typed) =>
        newBrowser(server.url, '198.51.100.77').post('/dashboard/sign-in', {
          email: typed,
          password: 'not that one',
        }),
      ),
    )
    for (const [i, { status, html, headers }] of pages.entries()) {
      assert.equal(status, 422)
      assert.match(html, /role="alert"[\s\S]*The email address or the password is wrong\./)
      assert.ok(html.includes(i === 0 ? email : 'nobody@example.com'))
      assert.doesNotMatch(html, /not that one/)
      assert.deepEqual(headers.getSetCookie(), [])
    }
  })

  it('ends after ten tries of strangers, and never for a browser that signed in before', async () => {
    const { email } = await withPassword(server)
    const known = await cameIn(email)
    for (let n = 1; n <= 10; n++)
      await newBrowser(server.url, `203.0.113.${n}`).post('/dashboard/sign-in', {
        email,
        password: 'wrong wrong',
      })
    const stranger = newBrowser(server.url, '203.0.113.99')
    const { status, html } = await stranger.post('/dashboard/sign-in', {
      email,
      password: goodPassword,
    })
    assert.equal(status, 429)
    assert.match(html, /Too many attempts\. Try again in 15 minutes\./)
    assert.equal(
      (await known.post('/dashboard/sign-in', { email, password: goodPassword })).status,
      303,
    )
  })

  it('takes no form of another site, by either header that says so', async () => {
    const { email } = await withPassword(server)
    const { host } = new URL(server.url)
    const fields = { email, password: goodPassword }
    const statusWith = async (headers: Record<string, string>): Promise<number> =>
      (await newBrowser(server.url).post('/dashboard/sign-in', fields, headers)).status
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `http://${host}.evil.example` },
    ] as Record<string, string>[])
      assert.equal(await statusWith(headers), 400, JSON.stringify(headers))
    for (const headers of [
      { 'sec-fetch-site': 'same-origin' },
      { origin: `http://${host}` },
      {},
    ] as Record<string, string>[])
      assert.equal(await statusWith(headers), 303, JSON.stringify(headers))
    assert.equal(
      (await newBrowser(server.url).get('/dashboard/sign-in')).headers.get('referrer-policy'),
      'same-origin',
    )
  })
})

describe('the second factor', () => {
  async function withApp() {
    const { email } = await withPassword(server)
    const end = await signIn(server.app, { email, password: goodPassword }, browserAt())
    assert.ok(end.state === 'signed_in')
    const session = await sessionOf(server, end.session)
    const { secret } = await startTotp(server.app, session)
    const before = new Date(server.app.clock.now().getTime() - 30_000)
    const codes = await confirmTotp(server.app, session, codeAt(secret, before), browserAt())
    return { email, secret, codes }
  }

  it('is asked for after the password: nothing is shown before', async () => {
    const { email, secret, codes } = await withApp()
    const browser = newBrowser(server.url)
    const next = `/dashboard/${server.businessId}/live`
    const said = await browser.post('/dashboard/sign-in', { email, password: goodPassword, next })
    assert.equal(said.location, `/dashboard/sign-in/second?next=${encodeURIComponent(next)}`)
    assert.match((await browser.get(next)).location ?? '', /^\/dashboard\/sign-in\?/)
    assert.equal(hiddenOf((await browser.get(said.location ?? '')).html).next, next)
    const wrong = await browser.post('/dashboard/sign-in/second', { code: '000000', next })
    assert.equal(wrong.status, 422)
    const code = codeAt(secret, server.app.clock.now())
    assert.equal((await browser.post('/dashboard/sign-in/second', { code, next })).location, next)
    assert.equal((await browser.get(next)).status, 200)
    const other = newBrowser(server.url)
    await other.post('/dashboard/sign-in', { email, password: goodPassword })
    assert.equal(
      (await other.post('/dashboard/sign-in/second', { code })).status,
      422,
      'a code is good once',
    )
    assert.equal(
      (await other.post('/dashboard/sign-in/second', { code: codes[0] as string })).location,
      '/dashboard',
    )
  })

  it('cannot be shown by who has not said the password', async () => {
    const { codes } = await withApp()
    const browser = newBrowser(server.url)
    assert.match(
      (await browser.get('/dashboard/sign-in/second')).location ?? '',
      /^\/dashboard\/sign-in\?/,
    )
    const { location } = await browser.post('/dashboard/sign-in/second', {
      code: codes[0] as string,
    })
    assert.match(location ?? '', /^\/dashboard\/sign-in\?/)
  })
})

describe('signing out', () => {
  it('ends the session for whoever has its cookie, and needs the text of the session', async () => {
    const { email } = await withPassword(server)
    const browser = await cameIn(email)
    const html = await browser.page(`/dashboard/${server.businessId}/test`)
    const stolen = { ...browser.cookies() }
    const other = await signedIn(server)
    for (const csrf of ['', other.csrf])
      assert.equal(
        (await browser.post('/dashboard/sign-out', { csrf })).status,
        400,
        'another session’s text',
      )
    assert.equal((await browser.get('/dashboard')).location, `/dashboard/${server.businessId}/test`)
    const out = await browser.post('/dashboard/sign-out', { csrf: hiddenOf(html).csrf as string })
    assert.equal(out.location, '/dashboard/sign-in')
    assert.match(out.headers.getSetCookie().join(), /bursar_session=; .*Max-Age=0/)
    const thief = newBrowser(server.url, undefined, stolen)
    assert.match((await thief.get('/dashboard')).location ?? '', /sign-in/)
  })

  it('is done by a form alone', async () => {
    const browser = await cameIn((await withPassword(server)).email)
    assert.equal((await browser.get('/dashboard/sign-out')).status, 404)
    assert.equal((await browser.get('/dashboard')).status, 303)
  })
})

describe('an invitation', () => {
  it('comes by mail, and makes an account that is in the team', async () => {
    const email = addressed('ngozi')
    await team().write((work) => invite(work, { email, role: 'finance' }, 'mailed'))
    const token = await until(async () => smtp.linkTo(email))
    const browser = newBrowser(server.url)
    const link = `/dashboard/invite/${token}`
    const shown = await browser.page(link)
    assert.match(shown, /Join Test Business/)
    assert.match(shown, /You join as finance\./)
    const short = await browser.post(link, { name: 'Ngozi <b>', password: 'short' })
    assert.equal(short.status, 422)
    assert.match(short.html, /id="f-password-error">The password must have at least 10 characters/)
    assert.match(short.html, /Ngozi &lt;b&gt;/)
    const joined = await browser.post(link, { name: 'Ngozi', password: goodPassword })
    assert.equal(joined.location, '/dashboard')
    assert.equal((await browser.get(`/dashboard/${server.businessId}/live`)).status, 200)
    const member = (await listMembers(team())).find((one) => one.email === email)
    assert.equal(member?.role, 'finance')
    const again = await newBrowser(server.url).get(link)
    assert.equal(again.status, 404)
    assert.match(again.html, /This link has expired or was used/)
  })

  it('has who has an account sign in first, and join by a form of the session', async () => {
    const { business: other } = await createBusiness(server.app, 'Another')
    const { email } = await withPassword({ app: server.app, businessId: other.id })
    const link = await invited(email)
    const browser = newBrowser(server.url)
    assert.match(await browser.page(link), /You already have an account/)
    const signIn = `/dashboard/sign-in?next=${encodeURIComponent(link)}`
    assert.ok((await browser.page(link)).includes(signIn.replaceAll('&', '&amp;')))
    assert.equal(
      (await browser.post('/dashboard/sign-in', { email, password: goodPassword, next: link }))
        .location,
      link,
    )
    const { csrf } = hiddenOf(await browser.page(link))
    assert.equal((await browser.post(link, { csrf: 'stolen' })).status, 400)
    assert.equal((await browser.post(link, { csrf: csrf as string })).location, '/dashboard')
    assert.ok((await listMembers(team())).some((one) => one.email === email))
  })

  it('has who made the account before its address was proven ask for a link by mail first', async () => {
    const { business: other } = await createBusiness(server.app, 'Before')
    const { email, id } = await withPassword({ app: server.app, businessId: other.id })
    await server.app.db.query('update persons set email_proven_at = null where id = $1', [id])
    const link = await invited(email)
    const browser = await cameIn(email)
    assert.match(
      await browser.page('/dashboard/account'),
      /Your email address is not confirmed.*href="\/dashboard\/reset"/,
    )
    const { csrf = '' } = hiddenOf(await browser.page(link))
    const { status, html } = await browser.post(link, { csrf })
    assert.equal(status, 403)
    assert.match(html, /<a class="button" href="\/dashboard\/reset">/)
    assert.ok(!(await listMembers(team())).some((one) => one.email === email))
  })

  it('is for its address: who is signed in with another is told so', async () => {
    const { email } = await withPassword(server)
    const link = await invited(addressed('for'))
    const browser = await cameIn(email)
    assert.match(await browser.page(link), /The invitation is for for-/)
    const { csrf } = hiddenOf(await browser.page(link))
    const { status, html } = await browser.post(link, { csrf: csrf as string })
    assert.equal(status, 403)
    assert.match(html, /sign in with that address/)
  })

  it('is over after its time, for who opened it before too; so is the link to a new password', async () => {
    const { email } = await withPassword(server)
    for (const [table, link] of [
      ['invitations', await invited(addressed('late'))],
      ['password_resets', `/dashboard/reset/${await makeReset(server.app, email)}`],
    ] as const) {
      const browser = newBrowser(server.url)
      const opened = hiddenOf(await browser.page(link))
      await server.asOwner(`update ${table} set expires_at = now() - interval '1 second'`)
      const typed = { ...opened, name: 'Late', password: 'another horse entirely' }
      for (const { status, html } of [await browser.get(link), await browser.post(link, typed)]) {
        assert.equal(status, 404, link)
        assert.match(html, /This link has expired or was used/)
      }
      assert.match((await browser.get('/dashboard')).location ?? '', /sign-in/)
    }
    await cameIn(email)
  })

  it('is nothing where the link is made up', async () => {
    for (const token of ['x', 'A'.repeat(43), '%00', '..%2f'])
      for (const kind of ['invite', 'reset'])
        assert.equal(
          (await newBrowser(server.url).get(`/dashboard/${kind}/${token}`)).status,
          404,
          token,
        )
  })
})

describe('a new password', () => {
  it('is set by a link in a mail, which is sent to who has an account alone', async () => {
    const { email } = await withPassword(server)
    const old = await cameIn(email)
    const browser = newBrowser(server.url)
    const nobody = addressed('nobody')
    const answers = [email, nobody].map(async (typed) => {
      const { status, html } = await browser.post('/dashboard/reset', { email: typed })
      return [status, html.replaceAll(typed, '')]
    })
    const [some, none] = await Promise.all(answers)
    assert.deepEqual(some, none)
    const token = await until(async () => smtp.linkTo(email))
    const link = `/dashboard/reset/${token}`
    assert.match(await browser.page(link), new RegExp(`For the account of ${email}`))
    assert.equal((await browser.post(link, { password: 'password123' })).status, 422)
    assert.equal(
      (await browser.post(link, { password: 'another horse entirely' })).location,
      '/dashboard',
    )
    assert.equal((await browser.get(`/dashboard/${server.businessId}/test`)).status, 200)
    assert.match((await old.get('/dashboard')).location ?? '', /sign-in/)
    assert.equal((await newBrowser(server.url).get(link)).status, 404)
    assert.equal(smtp.received.filter(({ to }) => to === nobody).length, 0)
  })

  it('is asked for three times an address, and then later', async () => {
    const email = addressed('often')
    const statuses: number[] = []
    for (let n = 0; n < 4; n++)
      statuses.push(
        (await newBrowser(server.url, `192.0.2.${n + 1}`).post('/dashboard/reset', { email }))
          .status,
      )
    assert.deepEqual(statuses, [200, 200, 200, 429])
    assert.equal(
      (await newBrowser(server.url).post('/dashboard/reset', { email: 'no address' })).status,
      422,
    )
  })

  it('asks for the second factor where there is one', async () => {
    const { email } = await withPassword(server)
    const end = await signIn(server.app, { email, password: goodPassword }, browserAt())
    assert.ok(end.state === 'signed_in')
    const session = await sessionOf(server, end.session)
    const { secret } = await startTotp(server.app, session)
    await confirmTotp(server.app, session, codeAt(secret, server.app.clock.now()), browserAt())
    const browser = newBrowser(server.url)
    const token = await makeReset(server.app, email)
    const { location } = await browser.post(`/dashboard/reset/${token}`, {
      password: 'another horse entirely',
    })
    assert.equal(location, '/dashboard/sign-in/second?next=%2Fdashboard')
    assert.match((await browser.get('/dashboard')).location ?? '', /sign-in/)
  })

  it('cannot be mailed by a server without mail, which says what to do', async () => {
    const silent = await startServer()
    const html = await newBrowser(silent.url).page('/dashboard/reset')
    assert.match(html, /bursar team reset-password/)
    assert.equal(
      (await newBrowser(silent.url).post('/dashboard/reset', { email: 'a@example.com' })).status,
      200,
    )
    await silent.stop()
  })
})

describe('the first owner', () => {
  it('comes by the link of the start, and looks after everything', async () => {
    const fresh = await startServer()
    const token = await inviteFirstOwner(fresh.app)
    const link = `/dashboard/invite/${token}`
    const browser = newBrowser(fresh.url)
    assert.match(await browser.page(link), /Become the first owner/)
    const email = addressed('first')
    const bad = await browser.post(link, {
      name: 'First',
      email: 'no address',
      password: goodPassword,
    })
    assert.equal(bad.status, 422)
    assert.match(bad.html, /id="f-email-error">Enter a valid email address/)
    const two = await Promise.all(
      [email, addressed('second')].map((typed) =>
        newBrowser(fresh.url).post(link, { name: 'First', email: typed, password: goodPassword }),
      ),
    )
    assert.deepEqual(two.map(({ status }) => status).sort(), [303, 404], 'of two who open it, one')
    assert.equal(await inviteFirstOwner(fresh.app), null)
    await fresh.stop()
  })
})

describe('over TLS', () => {
  it('gives cookies that no other host can set', async () => {
    const tls = await startServer({ BASE_URL: 'https://pay.example.com' })
    const { email } = await withPassword(tls)
    const { headers } = await newBrowser(tls.url).post(
      '/dashboard/sign-in',
      { email, password: goodPassword },
      { origin: 'https://pay.example.com' },
    )
    for (const cookie of headers.getSetCookie())
      assert.match(
        cookie,
        /^__Host-bursar_(session|device)=\S+; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=\d+$/,
      )
    await tls.stop()
  })
})

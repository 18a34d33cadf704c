/**
 * Goal: people look after how they sign in, and nobody does it for them. Method: over HTTP, as
 * browsers without scripts are, under a clock that tests move.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { hiddenOf } from '../../../../test/support/dashboard.ts'
import { type Browser, newBrowser } from '../../../../test/support/dashboard-browser.ts'
import { startServer, type TestServer } from '../../../../test/support/harness.ts'
import { codeAt, goodPassword, withPassword } from '../../../../test/support/people.ts'
import { manualClock } from '../../../lib/clock.ts'

const clock = manualClock(new Date('2026-11-21T09:00:00Z'))
const account = '/dashboard/account'
let server: TestServer
before(async () => {
  server = await startServer({ TRUST_PROXY: '1' }, undefined, clock)
})
after(() => server.stop())

/** Somebody who has just signed in by the page. */
async function person(role: 'owner' | 'viewer' = 'owner') {
  const { email, id } = await withPassword(server, role)
  return { email, id, browser: await cameIn(email) }
}

async function cameIn(
  email: string,
  headers: Record<string, string> = {},
  password = goodPassword,
): Promise<Browser> {
  const browser = newBrowser(server.url)
  assert.equal(
    (await browser.post('/dashboard/sign-in', { email, password }, headers)).location,
    '/dashboard',
  )
  return browser
}

/** Sends a form of the account page. */
async function act(browser: Browser, path: string, fields: Record<string, string> = {}) {
  const { csrf = '' } = hiddenOf(await browser.page(account))
  return browser.post(`${account}${path}`, { csrf, ...fields })
}

const isIn = async (browser: Browser): Promise<boolean> =>
  (await browser.get(account)).status === 200

/** Turns an authenticator app on, and gives its secret and the codes that were shown. */
async function withApp(browser: Browser): Promise<{ secret: string; codes: string[] }> {
  assert.equal((await act(browser, '/authenticator')).location, `${account}/authenticator`)
  const html = await browser.page(`${account}/authenticator`)
  const secret = (/<code>([A-Z2-7 ]+)<\/code>/.exec(html)?.[1] ?? '').replaceAll(' ', '')
  assert.match(html, /aria-label="QR code of the key"><svg /)
  const wrong = await act(browser, '/authenticator/confirm', { code: '000000' })
  assert.equal(wrong.status, 422)
  assert.match(wrong.html, /id="f-code-error">The code is wrong/)
  const right = await act(browser, '/authenticator/confirm', { code: codeAt(secret, clock.now()) })
  assert.equal(right.status, 200, right.html)
  return { secret, codes: codesOf(right.html) }
}

const codesOf = (html: string): string[] =>
  [...html.matchAll(/<li><code>([0-9a-z-]{19})<\/code><\/li>/g)].map(([, code]) => code as string)

describe('the account page', () => {
  it('leads who is not signed in to sign in, and back', async () => {
    const { location } = await newBrowser(server.url).get(account)
    assert.equal(location, '/dashboard/sign-in?next=%2Fdashboard%2Faccount')
  })

  it('changes the name, and refuses none beside its field', async () => {
    const { browser } = await person()
    assert.equal(
      (await act(browser, '/name', { name: '  Amara   <b>Eze</b> ' })).location,
      `${account}?done=name`,
    )
    assert.match(await browser.page(account), /value="Amara &lt;b&gt;Eze&lt;\/b&gt;"/)
    const { status, html } = await act(browser, '/name', { name: ' ' })
    assert.equal(status, 422)
    assert.match(html, /id="f-name-error">A name has 1 to 100 letters/)
  })

  it('changes the password for who knows the present one, and signs out everywhere else', async () => {
    const { browser, email } = await person()
    const other = await cameIn(email)
    const next = 'another horse entirely'
    const wrong = await act(browser, '/password', { current: 'not it at all', password: next })
    assert.equal(wrong.status, 403)
    assert.match(wrong.html, /id="f-current-error">Your present password is wrong/)
    const weak = await act(browser, '/password', { current: goodPassword, password: 'password123' })
    assert.match(weak.html, /id="f-password-error">Many use this password/)
    assert.ok(await isIn(other))
    const { location } = await act(browser, '/password', { current: goodPassword, password: next })
    assert.equal(location, `${account}?done=password`)
    assert.deepEqual([await isIn(browser), await isIn(other)], [true, false])
    await cameIn(email, {}, next)
  })

  it('needs the text of the session in each form', async () => {
    const { browser } = await person()
    for (const path of [
      '/name',
      '/password',
      '/sessions/end',
      '/sessions/end-others',
      '/authenticator',
    ])
      assert.equal(
        (await browser.post(account + path, { name: 'Else', csrf: 'x' })).status,
        400,
        path,
      )
    assert.doesNotMatch(await browser.page(account), /Else/)
  })
})

describe('sessions', () => {
  it('are seen with their device and address, and ended one by one or all', async () => {
    const { browser, email } = await person()
    const agent =
      'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/131.0.0.0 Mobile Safari/537.36'
    const phone = await cameIn(email, { 'user-agent': agent, 'x-forwarded-for': '198.51.100.7' })
    const third = await cameIn(email)
    const html = await browser.page(account)
    assert.match(html, /Chrome on Android[\s\S]*198\.51\.100\.7/)
    const [, id = ''] =
      /value="([0-9a-f]{24})"><button[^>]*aria-label="Sign out Chrome on Android"/.exec(html) ?? []
    assert.equal(
      (await act(browser, '/sessions/end', { session: id })).location,
      `${account}?done=session`,
    )
    assert.deepEqual([await isIn(phone), await isIn(third)], [false, true])
    await act(browser, '/sessions/end-others')
    assert.deepEqual([await isIn(browser), await isIn(third)], [true, false])
  })

  it('of somebody else are not ended', async () => {
    const [one, two] = [await person(), await person()]
    await cameIn(two.email)
    const html = await two.browser.page(account)
    const [, id = ''] = /name="session" value="([0-9a-f]{24})"/.exec(html) ?? []
    assert.notEqual(id, '')
    await act(one.browser, '/sessions/end', { session: id })
    assert.match(await two.browser.page(account), new RegExp(id))
  })
})

describe('an authenticator app', () => {
  it('is set up by a QR code and a code of it, and asked for from then on', async () => {
    const { browser, email } = await person()
    const other = await cameIn(email)
    const { secret, codes } = await withApp(browser)
    assert.equal(new Set(codes).size, 10)
    assert.equal(await isIn(other), false)
    const html = await browser.page(account)
    assert.match(html, /10 recovery codes are left/)
    for (const one of [...codes, secret]) assert.ok(!html.includes(one), 'shown once')
    assert.equal((await browser.get(`${account}/authenticator`)).location, account)
    const again = newBrowser(server.url)
    const { location } = await again.post('/dashboard/sign-in', { email, password: goodPassword })
    assert.match(location ?? '', /sign-in\/second/)
    const [first = ''] = codes
    assert.equal(
      (await again.post('/dashboard/sign-in/second', { code: first })).location,
      '/dashboard',
    )
    assert.match(await again.page(account), /9 recovery codes are left/)
  })

  it('has its recovery codes made anew, and those before are over', async () => {
    const { browser, email } = await person()
    const { codes } = await withApp(browser)
    const fresh = codesOf((await act(browser, '/recovery-codes')).html)
    assert.equal(fresh.length, 10)
    const again = newBrowser(server.url)
    await again.post('/dashboard/sign-in', { email, password: goodPassword })
    const enter = (code = '') => again.post('/dashboard/sign-in/second', { code })
    assert.equal((await enter(codes[0])).status, 422)
    assert.equal((await enter(fresh[0])).location, '/dashboard')
  })

  it('is removed after a question, and the password signs in by itself', async () => {
    const { browser, email } = await person()
    await withApp(browser)
    assert.match(
      await browser.page(`${account}/authenticator/remove`),
      /Remove the authenticator app\?/,
    )
    assert.equal((await act(browser, '/authenticator/remove')).location, `${account}?done=removed`)
    await cameIn(email)
  })

  it('asks who has been signed in for a while to sign in again, and leads back', async () => {
    const { browser, email } = await person()
    clock.advance(31 * 60_000)
    const { status, html } = await act(browser, '/authenticator')
    assert.equal(status, 403)
    const [, href = ''] = /href="(\/dashboard\/sign-in[^"]+)">Sign in again/.exec(html) ?? []
    const form = await browser.page(href.replaceAll('&amp;', '&'))
    assert.match(form, new RegExp(`value="${email}"`))
    const { next = '' } = hiddenOf(form)
    assert.equal(
      (await browser.post('/dashboard/sign-in', { email, password: goodPassword, next })).location,
      account,
    )
    assert.equal((await act(browser, '/authenticator')).status, 303)
  })
})

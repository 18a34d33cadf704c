/**
 * Goal: a passkey signs in who holds it, unlocked, at this server, and nobody else. Method: over
 * HTTP, with an authenticator that lies; real browsers are in `test/browser/passkeys.browser.ts`.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newPasskey } from '../../../../test/support/authenticator.ts'
import { hiddenOf } from '../../../../test/support/dashboard.ts'
import { type Browser, newBrowser } from '../../../../test/support/dashboard-browser.ts'
import { type Json, startServer, type TestServer } from '../../../../test/support/harness.ts'
import { goodPassword, withPassword } from '../../../../test/support/people.ts'
import { manualClock } from '../../../lib/clock.ts'
import { findSession, forgetOldAccess, sessionCookie } from '../../../platform/team/team.ts'

const clock = manualClock(new Date('2026-11-22T09:00:00Z'))
const account = '/dashboard/account'
const minute = 60_000
let server: TestServer
before(async () => {
  server = await startServer({ TRUST_PROXY: '1' }, undefined, clock)
})
after(() => server.stop())

type Passkey = ReturnType<typeof newPasskey>

async function cameIn(email: string): Promise<Browser> {
  const browser = newBrowser(server.url)
  assert.equal(
    (await browser.post('/dashboard/sign-in', { email, password: goodPassword })).location,
    '/dashboard',
  )
  return browser
}

async function act(browser: Browser, path: string, fields: Record<string, string> = {}) {
  const { csrf = '' } = hiddenOf(await browser.page(account))
  return browser.post(`${account}${path}`, { csrf, ...fields })
}

const optionsOf = (html: string): Json => JSON.parse(html)

/** Adds a passkey, and gives the answer's page. */
async function add(browser: Browser, passkey: Passkey, name = 'Phone') {
  const { challenge } = optionsOf((await act(browser, '/passkeys/challenge')).html)
  return act(browser, '/passkeys', { name, answer: passkey.made(challenge) })
}

/** Somebody with a passkey. */
async function holder() {
  const { email, id } = await withPassword(server)
  const browser = await cameIn(email)
  const passkey = newPasskey(server.url)
  const added = await add(browser, passkey)
  assert.equal(added.status, 200, added.html)
  return { email, id, browser, passkey }
}

const challengeFor = async (browser: Browser): Promise<string> =>
  optionsOf((await browser.post('/dashboard/sign-in/passkey/challenge')).html).challenge

const send = (browser: Browser, answer: string) =>
  browser.post('/dashboard/sign-in/passkey', { answer, next: account })

/** Signs in, or not, by what the passkey shows. */
async function show(
  passkey: Passkey,
  lies: Parameters<Passkey['shown']>[1] = {},
  browser = newBrowser(server.url),
) {
  return send(browser, passkey.shown(await challengeFor(browser), lies))
}

const isRefused = ({ status, html }: { status: number; html: string }, what = ''): void => {
  assert.equal(status, 422, what || html)
  assert.match(html, /The passkey was not accepted/, what)
}

describe('a passkey', () => {
  it('is added by who has just signed in, with recovery codes the first time, and ends the other sessions', async () => {
    const { email, id } = await withPassword(server)
    const [browser, other] = [await cameIn(email), await cameIn(email)]
    const page = await browser.page(`${account}/passkeys/new`)
    assert.match(
      page,
      /data-passkey="create" data-challenge="[^"]+" data-origin="http:\/\/localhost:\d+" hidden/,
    )
    const options = optionsOf((await act(browser, '/passkeys/challenge')).html)
    assert.deepEqual(options.rp, { id: 'localhost', name: 'Bursar' })
    assert.equal(options.authenticatorSelection.userVerification, 'required')
    const first = newPasskey(server.url)
    const added = await act(browser, '/passkeys', {
      name: ' My  phone ',
      answer: first.made(options.challenge),
    })
    assert.equal(
      [...added.html.matchAll(/<li><code>[0-9a-z-]{19}<\/code>/g)].length,
      10,
      added.html,
    )
    assert.equal((await other.get(account)).status, 303)
    const shown = await browser.page(account)
    assert.match(shown, /<bdi>My phone<\/bdi>[\s\S]*not used yet/)
    const again = await add(browser, newPasskey(server.url), 'Key')
    assert.equal(again.location, `${account}?done=passkey`)
    const { excludeCredentials } = optionsOf((await act(browser, '/passkeys/challenge')).html)
    assert.equal(excludeCredentials.length, 2)
    const rows = await server.app.db.query<Json>(
      'select action, after from audit_log where subject = $1 and livemode order by id',
      [id],
    )
    assert.deepEqual(
      rows.slice(1).map(({ action, after }) => [action, after]),
      [
        ['person.passkey_added', { passkey: 'My phone' }],
        ['person.passkey_added', { passkey: 'Key' }],
      ],
    )
    clock.advance(31 * minute)
    for (const path of ['/passkeys/challenge', '/passkeys'])
      assert.match(
        (await act(browser, path, { name: 'Late' })).html,
        /Sign in again to change this/,
      )
    assert.match(
      (await browser.get(`${account}/passkeys/new`)).html,
      /Sign in again to change this/,
    )
  })

  it('signs in without address and password, and counts as both factors', async () => {
    const { id, passkey } = await holder()
    const browser = newBrowser(server.url)
    const handle = Buffer.from(id).toString('base64url')
    const { location } = await show(passkey, { userHandle: handle, count: 7 }, browser)
    assert.equal(location, account)
    const session = await findSession(server.app, browser.cookies()[sessionCookie] ?? '')
    assert.deepEqual(
      [session?.person.id, session?.secondFactor],
      [id, { exists: true, shown: true }],
    )
    const page = await browser.page(account)
    assert.match(page, /last used <time datetime="2026-11-22/)
    assert.match(page, /· passkey ·/)
  })

  it('is asked for after the password, or a recovery code in its place', async () => {
    const { email, passkey } = await holder()
    const browser = newBrowser(server.url)
    const { location } = await browser.post('/dashboard/sign-in', { email, password: goodPassword })
    assert.match(location ?? '', /sign-in\/second/)
    const page = await browser.page(location ?? '')
    assert.match(page, /data-passkey="get"/)
    assert.match(page, />Recovery code</)
    assert.equal((await browser.post('/dashboard/sign-in/second', { code: '000000' })).status, 422)
    assert.equal((await show(passkey, {}, browser)).location, account)
  })

  it('is not taken that lies, or is of another page, host, person or purpose', async () => {
    const { passkey } = await holder()
    const { id: other } = await holder()
    const lies = {
      'another origin': { origin: 'https://evil.example' },
      'another port': { origin: 'http://localhost:1' },
      'another host': { host: 'evil.example' },
      'not unlocked': { unlocked: false },
      'of another person': { userHandle: Buffer.from(other).toString('base64url') },
      'made, not shown': { type: 'webauthn.create' },
    }
    for (const [what, lie] of Object.entries(lies)) isRefused(await show(passkey, lie), what)
    isRefused(await show(newPasskey(server.url)), 'unknown here')
    const browser = newBrowser(server.url)
    for (const answer of [
      '',
      '{',
      'null',
      '[]',
      '{"id":7}',
      '{"id":"a","response":{"clientDataJSON":"e30"}}',
      'x'.repeat(30_000),
    ])
      isRefused(await send(browser, answer), answer.slice(0, 50))
    assert.equal((await show(passkey)).location, account)
  })

  it('is not taken with a longer id than any has', async () => {
    const { email } = await withPassword(server)
    const browser = await cameIn(email)
    assert.equal((await add(browser, newPasskey(server.url, 1023))).status, 200)
    isRefused(await add(browser, newPasskey(server.url, 1024)))
    isRefused(await add(browser, newPasskey(server.url, 9_000)))
  })

  it('answers a challenge of ours once, in the browser that asked, within five minutes', async () => {
    const { passkey } = await holder()
    const browser = newBrowser(server.url)
    const answer = passkey.shown(await challengeFor(browser))
    isRefused(await send(newBrowser(server.url), answer), 'another browser')
    assert.equal((await send(browser, answer)).location, account)
    const { bursar_passkey: gone } = browser.cookies()
    assert.equal(gone, undefined)
    // Replayed, with the cookie that it came with.
    const thief = newBrowser(server.url)
    const caught = passkey.shown(await challengeFor(thief))
    const kept = thief.cookies()
    assert.equal((await send(thief, caught)).location, account)
    isRefused(await send(newBrowser(server.url, undefined, kept), caught), 'replayed')
    const slow = newBrowser(server.url)
    const late = passkey.shown(await challengeFor(slow))
    clock.advance(5 * minute)
    isRefused(await send(slow, late), 'late')
    isRefused(
      await send(slow, passkey.shown(Buffer.from('made up').toString('base64url'))),
      'made up',
    )
    await forgetOldAccess(server.app)
    assert.deepEqual(
      await server.app.db.query('select from passkey_challenges where expires_at <= $1', [
        clock.now(),
      ]),
      [],
    )
  })

  it('that counts does not count back, and of two uses at once one is taken', async () => {
    const { passkey } = await holder()
    assert.equal((await show(passkey, { count: 5 })).location, account)
    for (const count of [5, 4, 0]) isRefused(await show(passkey, { count }), `${count}`)
    const answers = await Promise.all([show(passkey, { count: 6 }), show(passkey, { count: 6 })])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [303, 422])
  })

  it('is tried ten times in a quarter of an hour', async () => {
    const { passkey } = await holder()
    const browser = newBrowser(server.url)
    for (let n = 0; n < 10; n++) isRefused(await show(passkey, { unlocked: false }, browser))
    assert.equal((await show(passkey, {}, browser)).status, 429)
    assert.equal((await show(passkey)).status, 429)
    clock.advance(15 * minute)
    assert.equal((await show(passkey)).location, account)
  })

  it('of another account is not added, nor one that lies', async () => {
    const { passkey } = await holder()
    const { browser } = await holder()
    const taken = await add(browser, passkey)
    assert.equal(taken.status, 422)
    assert.match(taken.html, /belongs to an account already/)
    for (const lie of [
      { origin: 'https://evil.example' },
      { host: 'evil.example' },
      { unlocked: false },
    ]) {
      const { challenge } = optionsOf((await act(browser, '/passkeys/challenge')).html)
      const answer = newPasskey(server.url).made(challenge, lie)
      assert.match(
        (await act(browser, '/passkeys', { name: 'Lie', answer })).html,
        /was not accepted. Try again/,
      )
    }
    // A challenge of another session, and one to sign in.
    const { browser: other } = await holder()
    const { challenge } = optionsOf((await act(other, '/passkeys/challenge')).html)
    for (const foreign of [challenge, await challengeFor(browser)])
      assert.equal(
        (
          await act(browser, '/passkeys', {
            name: 'x',
            answer: newPasskey(server.url).made(foreign),
          })
        ).status,
        422,
      )
    const unnamed = await act(browser, '/passkeys', { name: ' ', answer: '' })
    assert.match(unnamed.html, /id="f-name-error">A name has 1 to 100 letters/)
  })

  it('is renamed and removed by its person alone, and signs nobody in then', async () => {
    const { passkey, browser, id, email } = await holder()
    const { browser: stranger } = await holder()
    const [row] = await server.app.db.query<{ id: string }>(
      'select id from passkeys where person_id = $1',
      [id],
    )
    const at = `/passkeys/${row?.id}`
    assert.equal((await act(stranger, `${at}/name`, { name: 'Mine' })).status, 404)
    assert.equal((await act(stranger, `${at}/remove`)).status, 404)
    assert.equal((await stranger.get(account + at)).location, account)
    assert.equal((await act(browser, `${at}/name`, { name: '' })).status, 422)
    assert.equal(
      (await act(browser, `${at}/name`, { name: '<i>Key' })).location,
      `${account}?done=passkeyNamed`,
    )
    assert.match(await browser.page(account), /<bdi>&lt;i&gt;Key<\/bdi>/)
    const other = newBrowser(server.url)
    await show(passkey, {}, other)
    await server.app.db.query('update persons set password_hash = null where id = $1', [id])
    assert.match((await act(browser, `${at}/remove`)).html, /You have no password/)
    const [{ hash }] = (await server.app.db.query(
      'select password_hash as hash from persons where password_hash is not null limit 1',
    )) as [Json]
    await server.app.db.query('update persons set password_hash = $2 where id = $1', [id, hash])
    assert.equal((await act(browser, `${at}/remove`)).location, `${account}?done=passkeyRemoved`)
    assert.equal((await other.get(account)).status, 303)
    isRefused(await show(passkey))
    assert.deepEqual(
      await server.app.db.query('select from recovery_codes where person_id = $1', [id]),
      [],
    )
    await cameIn(email)
  })

  it('is not offered where browsers refuse it: without https, and under an address', async () => {
    const { browser } = await holder()
    const was = server.app.origin.url
    try {
      for (const url of ['http://pay.shop.example', 'https://192.0.2.7', 'http://[::1]:3000']) {
        server.app.origin.url = url
        const [signIn, mine] = [await newBrowser(server.url).page('/dashboard/sign-in'), '']
        assert.doesNotMatch(signIn + mine, /data-passkey|passkeys-/, url)
      }
      server.app.origin.url = 'http://pay.shop.example'
      const shown = await browser.page(account)
      assert.match(shown, /Browsers allow passkeys only on https/)
      assert.doesNotMatch(shown, /passkeys\/new/)
      assert.match((await act(browser, '/passkeys/challenge')).html, /Passkeys need https/)
    } finally {
      server.app.origin.url = was
    }
    assert.match(
      await newBrowser(server.url).page('/dashboard/sign-in'),
      /src="\/dashboard\/assets\/passkeys-/,
    )
  })
})

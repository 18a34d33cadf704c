/**
 * Goal: Back and reload never send a form again, without scripts. Method: every form of the lists of
 * pages is sent over HTTP; each is answered with a redirect to a page that can be loaded again.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newMerchant } from '../../../test/support/actors.ts'
import {
  hiddenOf,
  shown,
  signedIn,
  signedInOperator,
  type Visitor,
} from '../../../test/support/dashboard.ts'
import { must, startServer, type TestServer } from '../../../test/support/harness.ts'
import { manualClock } from '../../lib/clock.ts'
import type { Id } from '../../lib/ids.ts'
import { findSession, keepPage } from '../../platform/team/team.ts'
import { businessPages } from './dashboard.ts'
import { operatorPages } from './operator/operator-pages.ts'
import type { BusinessPage } from './place.ts'

const clock = manualClock(new Date('2026-11-22T09:00:00Z'))

describe('a form of the dashboard', () => {
  let server: TestServer
  let owner: Visitor
  let operator: Visitor
  before(async () => {
    server = await startServer({}, undefined, clock)
    owner = await signedIn(server)
    operator = await signedInOperator(server)
  })
  after(() => server.stop())

  /** Sends a form as a browser does, and does not follow. */
  const send = async (who: Visitor, path: string, fields: Record<string, string>) => {
    const response = await fetch(`${server.url}${who.base}${path}`, {
      method: 'POST',
      headers: { cookie: who.cookie },
      redirect: 'manual',
      body: new URLSearchParams({ csrf: who.csrf, ...fields }),
    })
    await response.arrayBuffer()
    return { status: response.status, location: response.headers.get('location') ?? '' }
  }

  const posts = (pages: readonly BusinessPage[]) => pages.filter(({ method }) => method === 'POST')
  for (const { path } of posts(businessPages))
    it(`is answered with a redirect: ${path}`, () => isRedirected(owner, path))
  for (const { path } of posts(operatorPages))
    it(`of the operator is answered with a redirect: ${path}`, () => isRedirected(operator, path))

  /** What is sent is refused: the record is unknown, or the key of the form is missing. */
  async function isRedirected(who: Visitor, path: string): Promise<void> {
    const sent = await send(who, path.replaceAll(/\{\w+\}/g, '0'.repeat(24)), { step: 'do' })
    assert.equal(sent.status, 303)
    if (!sent.location.includes('?answer=')) return
    const [first, again] = [await who.get(sent.location), await who.get(sent.location)]
    assert.ok(first.status < 500, `${first.status}`)
    assert.deepEqual([again.status, again.html], [first.status, first.html])
  }

  it('keeps what was typed on the page that refuses it, and does nothing when that is reloaded', async () => {
    await server.fund('ngn', 1_000_000)
    const payment = await newMerchant(server).takePayment('card')
    const path = `/payments/${payment.id}/refund`
    const { key = '' } = hiddenOf(await shown(owner.get(path)))
    const typed = { key, step: 'do', amount: 'many', reason: 'A reason that took long to type' }
    const { location } = await send(owner, path, typed)
    for (let n = 0; n < 2; n++) {
      const { status, html } = await owner.get(location)
      assert.equal(status, 422)
      assert.ok(html.includes(typed.reason))
      assert.ok(html.includes(`action="${owner.base}${path}"`))
    }
    assert.equal((await must(server.call('GET', '/refunds'))).totalDocs, 0)
  })

  it('is answered for the session that sent it alone, encrypted, for an hour', async () => {
    const path = '/customers/-/new'
    const { key = '' } = hiddenOf(await shown(owner.get(path)))
    const typed = { key, step: 'do', name: 'Ada of the kept page', email: 'no address' }
    const { location } = await send(owner, path, typed)
    const other = await signedIn(server)
    const shownTo = async (who: Visitor) => (await who.get(location)).html.includes(typed.name)
    assert.deepEqual([await shownTo(owner), await shownTo(other)], [true, false])
    const rows = await server.app.db.query<{ page: Buffer }>('select page from kept_pages')
    for (const { page } of rows) assert.ok(!page.includes(typed.name))
    clock.advance(3_600_001)
    const later = await owner.get(location)
    assert.ok(!later.html.includes(typed.name))
  })

  it('that shows a secret once is kept nowhere', async () => {
    const path = '/keys/-/new'
    const { key = '' } = hiddenOf(await shown(owner.get(path)))
    const before = await server.app.db.query('select id from kept_pages')
    const { status } = await send(owner, path, {
      key,
      step: 'do',
      name: 'k',
      'scopes.read': 'true',
    })
    assert.equal(status, 200)
    assert.equal((await server.app.db.query('select id from kept_pages')).length, before.length)
  })

  const kept = async (): Promise<number> =>
    (await server.app.db.query('select id from kept_pages')).length

  it('that only works out a total, or has a large page, is answered at once and kept nowhere', async () => {
    const before = await kept()
    const total = await send(owner, '/invoices/-/new', { step: 'total', currency: 'ngn' })
    // It is six times as long in the page.
    const name = '"'.repeat(60_000)
    const large = await send(owner, '/customers/-/new', { key: '', step: 'edit', name })
    assert.deepEqual([total.status, large.status, await kept()], [200, 200, before])
  })

  it('is kept with the 50 newest of its session', async () => {
    const [first, second] = [await signedIn(server), await signedIn(server)]
    const edit = (who: Visitor) => send(who, '/customers/-/new', { step: 'edit', name: 'Ada' })
    const { location: others } = await edit(second)
    const { location: oldest } = await edit(first)
    const token = first.cookie.split('=')[1] as string
    const session = (await findSession(server.app, token))?.id as Id
    for (let n = 0; n < 49; n++) {
      clock.advance(1)
      await keepPage(server.app, { session, path: '/' }, { html: `${n}`, status: 200 })
    }
    const finds = async (who: Visitor, location: string) =>
      (await who.get(location)).html.includes('Ada"')
    assert.deepEqual([await finds(first, oldest), await finds(second, others)], [true, true])
    clock.advance(1)
    const { location: newest } = await edit(first)
    assert.deepEqual(
      [await finds(first, oldest), await finds(first, newest), await finds(second, others)],
      [false, true, true],
    )
  })

  it('is answered no longer to a person who left the business, or the owners of the installation', async () => {
    const [member, installer] = [await signedIn(server), await signedInOperator(server)]
    const sessionOf = async ({ cookie }: Visitor) => {
      const session = await findSession(server.app, cookie.split('=')[1] as string)
      return { session: session?.id as Id, person: session?.person.id as Id }
    }
    const places: [Visitor, string][] = [
      [member, `${member.base}/customers`],
      [installer, installer.base],
    ]
    const keptAt: [Visitor, string][] = []
    for (const [who, path] of places) {
      const { session } = await sessionOf(who)
      const id = await keepPage(server.app, { session, path }, { html: 'kept', status: 422 })
      keptAt.push([who, `${path}?answer=${id}`])
    }
    const statuses = async () => {
      const answers = keptAt.map(async ([who, path]) => (await who.get(path)).status)
      return Promise.all(answers)
    }
    assert.deepEqual(await statuses(), [422, 422])
    const [{ person: one }, { person: other }] = [
      await sessionOf(member),
      await sessionOf(installer),
    ]
    await server.asOwner(`delete from memberships where person_id = '${one}'`)
    await server.asOwner(`update persons set installation_owner = false where id = '${other}'`)
    assert.deepEqual(await statuses(), [404, 404])
  })
})

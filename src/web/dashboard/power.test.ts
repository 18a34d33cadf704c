/**
 * Goal: who gives power has just shown a second factor, so that neither a password alone nor a
 * browser that was left open is enough. Method: forms over HTTP, by people without a factor, with
 * an old one and with a fresh one; what they leave in the database.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  hiddenOf,
  type PageText,
  signedIn,
  signedInOperator,
  type Visitor,
} from '../../../test/support/dashboard.ts'
import { addressed } from '../../../test/support/dashboard-browser.ts'
import { shareServer, type TestServer } from '../../../test/support/harness.ts'
import { signIn } from '../../../test/support/people.ts'
import { operatorPages } from './operator/operator-pages.ts'

const key = 'page-000000000000000000000000'

describe('what gives power', () => {
  let server: TestServer
  before(async () => {
    server = await shareServer()
  })
  after(() => server.stop())

  const ids = async (table: string, of = 'business_id'): Promise<string> =>
    JSON.stringify(
      await server.app.db.query(`select t::text from ${table} t where ${of} = $1 order by 1`, [
        server.businessId,
      ]),
    )
  const counted = async (): Promise<string> =>
    (
      await Promise.all(
        ['api_keys', 'webhooks', 'invitations', 'memberships', 'audit_log'].map((one) => ids(one)),
      )
    ).join()

  /** The forms that give power, each with where its page is. */
  async function forms({
    base,
  }: Visitor): Promise<[path: string, fields: Record<string, string>, page?: string][]> {
    const { personId } = await signIn(server, 'viewer')
    const [first] = await server.app.db.query(
      'select id from api_keys where business_id = $1 and livemode limit 1',
      [server.businessId],
    )
    const apiKey = `/keys/${(first as { id: string }).id}`
    const webhook = { url: 'https://shop.example/hook', 'events.all': 'true' }
    return [
      ['/keys/-/new', { name: 'New', 'scopes.read': 'true' }],
      [`${apiKey}/roll`, { overlap: '24' }],
      [`${apiKey}/scopes`, { 'scopes.read': 'true' }],
      ['/webhooks/-/new', webhook],
      ['/limits', { approval_hours: '71' }],
      ['/team/invite', { email: addressed('new'), role: 'viewer' }, `${base}/team`],
      [`/team/people/${personId}/role`, { role: 'admin' }, `${base}/team`],
      [`/team/people/${personId}/remove`, {}, `${base}/team`],
      ['/team/second-factor', { required: 'yes' }, `${base}/team`],
    ]
  }

  const send = (who: Visitor, path: string, fields: Record<string, string>): Promise<PageText> =>
    who.post(path, { key, step: 'do', ...fields })

  it('is refused of who has no second factor, who is led to the account to set one up', async () => {
    const owner = await signedIn(server, 'owner', 'live', { secondFactor: false })
    for (const [path, fields] of await forms(owner)) {
      const before = await counted()
      const { status, html } = await send(owner, path, fields)
      assert.equal(status, 403, `${path}: ${html}`)
      assert.match(html, /Sign in with a second factor/, path)
      assert.match(html, /href="\/dashboard\/account"/, path)
      assert.equal(await counted(), before, path)
    }
    for (const path of ['/keys/-/new', '/webhooks/-/new', '/team/invite'])
      assert.equal((await owner.get(path)).status, 403, `${path}: before anything is typed`)
  })

  it('is refused of who showed it more than half an hour ago, who is led to sign in again, and back', async () => {
    const owner = await signedIn(server, 'owner', 'live')
    await server.app.db.query(
      `update person_sessions set signed_in_at = signed_in_at - interval '31 minutes'
        where person_id in (select person_id from memberships where business_id = $1)`,
      [server.businessId],
    )
    for (const [path, fields, page = owner.base + path] of await forms(owner)) {
      const before = await counted()
      const { status, html } = await send(owner, path, fields)
      assert.equal(status, 403, `${path}: ${html}`)
      assert.match(html, /Sign in again to confirm this/, path)
      assert.ok(
        html.includes(`/dashboard/sign-in?next=${encodeURIComponent(page)}&amp;again=1`),
        `${path}: ${html}`,
      )
      assert.equal(await counted(), before, path)
    }
  })

  it('needs none in test mode, where keys, endpoints and limits give no power', async () => {
    const developer = await signedIn(server, 'developer', 'test', { secondFactor: false })
    const { status } = await send(developer, '/keys/-/new', { name: 'New', 'scopes.read': 'true' })
    assert.equal(status, 200)
  })

  it('is done by who has just shown it', async () => {
    const owner = await signedIn(server, 'owner', 'live')
    for (const [path, fields] of await forms(owner)) {
      const before = await counted()
      const fresh = {
        ...fields,
        key: `page-${Math.random().toString(36).slice(2).padEnd(24, '0')}`,
      }
      const { status, html } = await send(owner, path, fresh)
      assert.ok(status < 400, `${path}: ${html}`)
      assert.notEqual(await counted(), before, path)
    }
  })
})

describe('the pages of the operator', () => {
  let server: TestServer
  before(async () => {
    server = await shareServer()
  })
  after(() => server.stop())

  it('are all refused of who has no second factor, who is led to set one up', async () => {
    const { headers } = await signIn(server, 'owner', {
      installationOwner: true,
      secondFactor: false,
    })
    for (const { path, method } of operatorPages) {
      const at = `/dashboard/operator${path.replaceAll(/\{\w+\}/g, '000000000000000000000000')}`
      const body = method === 'POST' ? { body: new URLSearchParams({ csrf: '' }) } : {}
      const answer = await fetch(server.url + at, { method, headers, redirect: 'manual', ...body })
      const html = await answer.text()
      if (method === 'POST') assert.equal(answer.status, 400, at)
      else {
        assert.equal(answer.status, 403, at)
        assert.match(html, /second factor/, at)
        assert.match(html, /<a class="button" href="\/dashboard\/account">/, at)
      }
    }
  })

  it('are there once it is set up, and still ask for a fresh one before they make a key or decide', async () => {
    const operator = await signedInOperator(server)
    assert.equal((await operator.get('/keys')).status, 200)
    const made = async (): Promise<number> =>
      (await server.app.db.query('select from operator_keys')).length
    const before = await made()
    const form = await operator.get('/keys/-/new')
    assert.equal(form.status, 200)
    await server.app.db.query(
      `update person_sessions set signed_in_at = signed_in_at - interval '31 minutes'
        where person_id = (select id from persons where email = $1)`,
      [operator.email],
    )
    const fields = { ...hiddenOf(form.html), name: 'Platform', step: 'do' }
    const { status, html } = await operator.post('/keys/-/new', fields)
    assert.equal(status, 403, html)
    assert.match(html, /Sign in again to confirm this/)
    assert.equal(await made(), before)
    assert.equal((await operator.get('/keys')).status, 200, 'to look needs no fresh one')
  })
})

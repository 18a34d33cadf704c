/**
 * Goal: who may manage makes keys for what he may do himself, sees each once, and stops it.
 * Method: forms over HTTP; the keys that they show are used.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newMerchant } from '../../../test/support/actors.ts'
import {
  hiddenOf,
  type PageText,
  shown,
  signedIn,
  type Visitor,
} from '../../../test/support/dashboard.ts'
import { startServer, type TestServer, until } from '../../../test/support/harness.ts'
import { changeScopes, listKeys } from '../../books/businesses/businesses.ts'

const all = ['read', 'collect', 'payout', 'refund', 'refund_elsewhere', 'manage', 'approve']
const ticks = (...scopes: string[]) =>
  Object.fromEntries(scopes.map((scope) => [`scopes.${scope}`, 'true']))

describe('the pages of keys', () => {
  let server: TestServer
  let owner: Visitor
  before(async () => {
    server = await startServer()
    owner = await signedIn(server)
  })
  after(() => server.stop())

  const send = (
    person: Visitor,
    path: string,
    html: string,
    typed: Record<string, string>,
  ): Promise<PageText> => person.post(path, { ...hiddenOf(html), ...typed })
  const fill = async (
    person: Visitor,
    path: string,
    typed: Record<string, string>,
  ): Promise<PageText> =>
    send(person, path, await shown(person.get(path)), { ...typed, step: 'do' })
  const keysIn = (html: string): string[] => html.match(/sk_(test|live)_\w{16,}/g) ?? []
  const keysOf = () => listKeys(server.app, server.businessId)

  it('makes a key that is shown once, works as it says, and is known to be a person’s', async () => {
    const path = '/keys/-/new'
    const form = await shown(owner.get(path))
    const typed = {
      name: 'The <shop>',
      ...ticks('read'),
      allow_ips: '127.0.0.1\n10.0.0.0/8',
      days: '30',
      step: 'do',
    }
    const made = await send(owner, path, form, typed)
    const [key = assert.fail(made.html)] = keysIn(made.html)
    assert.equal(made.headers.get('cache-control'), 'no-store')
    const again = await send(owner, path, form, typed)
    assert.deepEqual(keysIn(again.html), [], 'a page that is sent again has no key')
    const found = (await keysOf()).filter(({ name }) => name === 'The <shop>')
    assert.equal(found.length, 1, 'and makes none')
    const [record = assert.fail()] = found
    assert.deepEqual([record.scopes, record.allow_ips], [['read'], ['127.0.0.1', '10.0.0.0/8']])
    assert.equal(Number(record.lifetime_ms), 30 * 86_400_000)
    assert.equal((await server.callAs(key)('GET', '/wallets')).status, 200)
    assert.equal((await server.callAs(key)('POST', '/webhooks', {})).code, 'scope_missing')
    const [entry] = (await newMerchant(server).ask('GET', '/audit?action=key.created')).docs
    assert.equal(entry.actor.type, 'person')
    assert.match(entry.actor.hint, /^owner\./)
    for (const page of ['/keys', `/keys/${record.id}`, `/keys/${record.id}/roll`])
      assert.deepEqual(keysIn(await shown(owner.get(page))), [], page)
    for (const kept of ['api_keys', 'audit_log', 'idempotency_keys'])
      assert.ok(
        !JSON.stringify(await server.app.db.query(`select t::text from ${kept} t`)).includes(key),
        kept,
      )
  })

  it('gives nobody more than his own, whatever is sent', async () => {
    const developer = await signedIn(server, 'developer', 'live')
    const form = await shown(developer.get('/keys/-/new'))
    assert.deepEqual(
      [...form.matchAll(/name="scopes\.(\w+)"/g)].map(([, scope]) => scope),
      ['read', 'manage'],
    )
    const before = (await keysOf()).length
    // A form has no such field: what is sent by hand is not read, or refused.
    const forged = await send(developer, '/keys/-/new', form, {
      name: 'x',
      ...ticks('read', 'payout'),
      step: 'do',
    })
    assert.equal(forged.status, 403)
    assert.deepEqual(keysIn(forged.html), [])
    const mighty = (await keysOf()).find(({ livemode }) => livemode)?.id
    assert.equal(
      (await fill(developer, `/keys/${mighty}/roll`, { overlap: '0' })).status,
      403,
      'nor by rolling',
    )
    const added = await fill(
      developer,
      `/keys/${mighty}/scopes`,
      ticks('read', 'manage', 'approve'),
    )
    assert.equal(added.status, 403, 'nor by changing')
    assert.equal((await keysOf()).length, before)
    assert.equal(
      (await fill(developer, `/keys/${mighty}/scopes`, ticks('read', 'manage'))).status,
      303,
      'but less',
    )
  })

  it('never lets approve and payout stand on one key, nor none, nor a wrong address', async () => {
    for (const [typed, sentence] of [
      [ticks('approve', 'payout'), /cannot stand on one key/],
      [{}, /Select at least one/],
      [{ ...ticks('read'), allow_ips: 'everywhere' }, /is not an IP address or CIDR/],
    ] as const) {
      const { status, html } = await fill(owner, '/keys/-/new', { name: 'x', ...typed })
      assert.equal(status, 422)
      assert.match(html.replaceAll('&#39;', "'"), sentence)
    }
    const form = await shown(owner.get('/keys/-/new'))
    assert.deepEqual(
      [...form.matchAll(/name="scopes\.(\w+)"/g)].map(([, scope]) => scope),
      all,
    )
  })

  it('rolls a key with an overlap, changes what it may do, and revokes it', async () => {
    const [key = ''] = keysIn(
      (await fill(owner, '/keys/-/new', { name: 'Old', ...ticks('read', 'collect') })).html,
    )
    const id = (await keysOf()).find(({ name }) => name === 'Old')?.id
    const review = await send(
      owner,
      `/keys/${id}/roll`,
      await shown(owner.get(`/keys/${id}/roll`)),
      {
        overlap: '24',
        step: 'review',
      },
    )
    assert.match(review.html, /works for another 24 hours/)
    const [rolled = assert.fail()] = keysIn(
      (await send(owner, `/keys/${id}/roll`, review.html, { step: 'do' })).html,
    )
    for (const one of [key, rolled])
      assert.equal((await server.callAs(one)('GET', '/wallets')).status, 200)
    const next = (await keysOf()).filter(({ name }) => name === 'Old').at(-1)?.id
    assert.notEqual(next, id)
    assert.equal((await fill(owner, `/keys/${next}/scopes`, ticks('collect'))).status, 303)
    await until(
      async () => (await server.callAs(rolled)('GET', '/wallets')).code === 'scope_missing',
    )
    assert.equal((await fill(owner, `/keys/${next}/revoke`, {})).status, 303)
    await until(async () => (await server.callAs(rolled)('GET', '/wallets')).status === 401)
    assert.doesNotMatch(await shown(owner.get(`/keys/${next}`)), /\/(roll|scopes|revoke)"/)
    const actions = (await newMerchant(server).ask('GET', '/audit?limit=3')).docs.map(
      ({ action, actor }: never) => [action, (actor as { type: string }).type],
    )
    assert.deepEqual(actions, [
      ['key.revoked', 'person'],
      ['key.scopes_changed', 'person'],
      ['key.rolled', 'person'],
    ])
  })

  it('shows keys and requests to who may manage alone, of this mode and business', async () => {
    const viewer = await signedIn(server, 'viewer')
    const live = (await keysOf()).find(({ livemode }) => livemode)?.id
    for (const path of ['/keys', '/requests', `/keys/${live}`])
      assert.equal((await viewer.get(path)).status, 403, path)
    assert.doesNotMatch(await shown(viewer.get('')), /API keys|>Requests</)
    assert.equal((await owner.get(`/keys/${live}`)).status, 404)
    await server.call('POST', '/customers', { name: '' })
    const html = await until(async () => {
      const page = await shown(owner.get('/requests?failed=true&path=%2Fcustomers'))
      return page.includes('POST /customers') && page
    })
    const [, id] = /\/requests\/([\w-]+)"/.exec(html) ?? assert.fail(html)
    const page = await shown(owner.get(`/requests/${id}`))
    assert.match(page, /validation_failed/)
    assert.match(page, new RegExp(id as string))
  })

  it('has no path in the API', async () => {
    const [key] = await keysOf()
    await changeScopes(server.app, server.businessId, key?.id as string, [
      'read',
      'collect',
      'payout',
      'refund',
      'manage',
    ])
    for (const [method, path] of [
      ['GET', '/keys'],
      ['POST', '/keys'],
      ['GET', `/keys/${key?.id}`],
    ] as const)
      assert.equal(
        (await server.call(method, path, method === 'POST' ? {} : undefined)).status,
        404,
      )
  })
})

/**
 * Goal: every change of access or money settings is traceable. Method: changes over HTTP and by
 * operator functions, compared at `GET /audit` and in the database.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  type Merchant,
  must,
  newBusiness,
  newMerchant,
  unchanged,
} from '../../../test/support/actors.ts'
import { type Json, startServer, type TestServer } from '../../../test/support/harness.ts'
import {
  changeScopes,
  createBusiness,
  listKeys,
  revoke,
  rollKey,
} from '../businesses/businesses.ts'

describe('the audit log', () => {
  let server: TestServer
  let merchant: Merchant
  before(async () => {
    server = await startServer()
    merchant = newMerchant(server)
  })
  after(() => server.stop())

  const entries = async (query = '', call = server.call): Promise<Json[]> =>
    (await must(call('GET', `/audit${query}`))).docs
  const url = 'https://8.8.8.8/hook'
  const made = { url, description: null, events: ['*'], metadata_filter: {}, active: true }

  it('has each change by a key: who, from where, before and after, and no secret', async () => {
    const [key] = (await listKeys(server.app, server.businessId)).filter(
      ({ livemode }) => !livemode,
    )
    const { id, secret } = await merchant.create('/webhooks', { url })
    await merchant.ask('PUT', `/webhooks/${id}`, { url: `${url}/2`, active: true })
    const rolled = await merchant.ask('POST', `/webhooks/${id}/roll-secret`)
    await merchant.ask('DELETE', `/webhooks/${id}`)
    await merchant.ask('PUT', '/business', { name: 'Ada’s Bakery', locale: 'en' })
    const found = (await entries('?limit=5')).reverse()
    assert.deepEqual(
      found.map(({ action, subject, before, after }) => [action, subject, before, after]),
      [
        ['webhook.created', id, null, made],
        ['webhook.changed', id, { url }, { url: `${url}/2` }],
        ['webhook.secret_rolled', id, null, found[2].after],
        ['webhook.deleted', id, { ...made, url: `${url}/2` }, null],
        [
          'business.changed',
          server.businessId,
          { name: 'Test Business' },
          { name: 'Ada’s Bakery' },
        ],
      ],
    )
    for (const { actor, address, livemode, created_at } of found) {
      assert.deepEqual(actor, { type: 'key', id: key?.id, hint: key?.hint })
      assert.match(address, /127\.0\.0\.1$/)
      assert.equal(livemode, false)
      assert.match(created_at, /^\d{4}-.*Z$/)
    }
    const everything = JSON.stringify(await entries())
    for (const hidden of [secret, rolled.secret, server.testKey, server.liveKey])
      assert.ok(!everything.includes(hidden))
  })

  it('has each change by the operator', async () => {
    const { business, test_key } = await createBusiness(server.app, 'Audited')
    const [key] = (await listKeys(server.app, business.id)).filter(({ livemode }) => !livemode)
    const id = key?.id as string
    await changeScopes(server.app, business.id, id, ['read', 'manage'])
    const rolled = await rollKey(server.app, business.id, id, 3_600_000)
    await revoke(server.app, business.id, id)
    await revoke(server.app, business.id, id)
    const found = (await entries('', server.callAs(rolled?.key as string))).reverse()
    assert.deepEqual(
      found.map(({ action, subject }) => [action, subject]),
      [
        ['key.created', id],
        ['key.scopes_changed', id],
        ['key.rolled', id],
        ['key.revoked', id],
      ],
    )
    for (const { actor, address } of found)
      assert.deepEqual([actor, address], [{ type: 'operator', id: null, hint: null }, null])
    const scopes = ['read', 'collect', 'payout', 'refund', 'manage']
    const expires = rolled?.old.expires_at?.toISOString()
    assert.deepEqual(found[0].after, {
      id,
      hint: key?.hint,
      name: 'default',
      allow_ips: [],
      scopes,
      expires_at: null,
    })
    assert.deepEqual(
      [found[1].before, found[1].after],
      [{ scopes }, { scopes: ['read', 'manage'] }],
    )
    assert.deepEqual(
      [found[2].before, found[2].after],
      [
        { id, hint: key?.hint },
        { id: rolled?.record.id, hint: rolled?.record.hint, old_key_expires_at: expires },
      ],
    )
    assert.equal(found[3].before.revoked_at, null)
    assert.match(found[3].after.revoked_at, /Z$/)
    assert.ok(!JSON.stringify(found).includes(test_key.slice(10)))
  })

  it('has nothing of what was refused, changes nothing, or is asked again', async () => {
    const { id } = await merchant.create('/webhooks', { url })
    await merchant.isRefused(
      'PUT',
      `/webhooks/${id}`,
      { url: 'https://127.0.0.1/hook' },
      400,
      'forbidden_target',
    )
    await unchanged(server, () => merchant.ask('PUT', `/webhooks/${id}`, { url, active: true }))
    await unchanged(server, () => merchant.ask('PUT', '/business', {}))
    const once = { 'idempotency-key': 'audited' }
    await must(server.call('POST', `/webhooks/${id}/roll-secret`, undefined, once))
    const before = await entries()
    await must(server.call('POST', `/webhooks/${id}/roll-secret`, undefined, once))
    assert.deepEqual(await entries(), before)
  })

  it('is listed by action, time and cursor, in the mode and the business of the key alone', async () => {
    const all = await must(server.call('GET', '/audit'))
    assert.ok(all.docs.length > 6)
    assert.equal(all.totalDocs, all.docs.length)
    const changed = await must(server.call('GET', '/audit?action=webhook.changed'))
    assert.deepEqual([changed.totalDocs, changed.docs.length], [1, 1])
    const today = all.docs[0].created_at.slice(0, 10)
    assert.equal(
      (await must(server.call('GET', `/audit?from=${today}&to=${today}`))).totalDocs,
      all.totalDocs,
    )
    assert.equal((await must(server.call('GET', '/audit?to=2020-01-01'))).totalDocs, 0)
    assert.deepEqual(await entries(`?after=${all.docs[1].id}`), all.docs.slice(2))
    const live = await entries('', server.callAs(server.liveKey))
    assert.deepEqual(
      live.map(({ action, livemode }) => [action, livemode]),
      [['key.created', true]],
    )
    assert.equal((await entries('', await newBusiness(server))).length, 1)
    assert.equal((await server.call('GET', '/audit?action=nothing')).status, 422)
  })

  it('keeps the machine’s time where a test clock has moved', async () => {
    await merchant.advance('300d')
    await merchant.ask('PUT', '/business', { name: 'Later' })
    const [entry] = await entries()
    assert.ok(Math.abs(Date.parse(entry.created_at) - server.app.clock.now().getTime()) < 60_000)
    assert.equal(entry.action, 'business.changed')
  })

  it('cannot be changed or deleted, not even by the owner of its table', async () => {
    for (const text of [
      `update audit_log set address = ''`,
      'delete from audit_log',
      'truncate audit_log',
    ])
      await assert.rejects(server.asOwner(text), /audit_log is append-only/, text)
    await assert.rejects(server.app.db.query('delete from audit_log'), { code: '42501' })
  })
})

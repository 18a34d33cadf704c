/**
 * Goal: keys have scopes and lifetimes, and record their last use. Method: the operator's commands
 * beside a server, and requests with the keys.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { runCommand } from '../../../test/support/command-line.ts'
import {
  type Json,
  makeCall,
  must,
  startServer,
  type TestServer,
  until,
} from '../../../test/support/harness.ts'
import { outside } from '../../core/outside.ts'
import { later } from '../../lib/clock.ts'
import {
  changeScopes,
  createBusiness,
  createKey,
  forgetKeys,
  type KeyOptions,
  type KeyRow,
  listKeys,
  rollKey,
} from './businesses.ts'

const day = 86_400_000

describe('API keys', () => {
  let server: TestServer
  /** How far the server's clock is ahead. */
  let aheadMs = 0
  before(async () => {
    server = await startServer({}, undefined, { now: () => new Date(Date.now() + aheadMs) })
  })
  after(() => server.stop())

  const keys = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await runCommand(server.app, ['keys', ...args])
    assert.equal(code, 0, err)
    return out
  }
  const made = async (...args: string[]) => JSON.parse(await keys('create', '--json', ...args))
  const make = (options: KeyOptions) =>
    outside(server.app, {
      businessId: server.businessId,
      livemode: false,
      now: server.app.clock.now(),
    }).write((work) => createKey(work, options))

  it('name their cell at a fixed place, and those of before still work', async () => {
    for (const [key, form] of [
      [server.testKey, /^sk_test_a[0-9A-Za-z]{32}$/],
      [server.liveKey, /^sk_live_a[0-9A-Za-z]{32}$/],
    ] as const)
      assert.match(key, form)
    const old = `sk_test_${'b'.repeat(32)}`
    await server.app.db.query(
      `insert into api_keys (business_id, id, livemode, key_hash, hint, name, scopes, created_at)
       values ($1, $2, false, sha256($3::bytea), 'sk_test_…bbbb', 'old', '{read}', $4)`,
      [server.businessId, 'b'.repeat(24), old, server.app.clock.now()],
    )
    await must(makeCall(server.url, old)('GET', '/wallets'))
  })

  it('are made by command for some scopes and for a while, changed, rolled, listed and revoked', async () => {
    const key = await made('--name', 'reports', '--scopes', 'payout, read', '--expires', '90d')
    assert.deepEqual(key.scopes, ['read', 'payout'])
    assert.equal(Date.parse(key.expires_at) - Date.parse(key.created_at), 90 * day)
    assert.match(await keys('scopes', key.id, 'read'), /^Key sk_test_….{4} may read\.\n$/)
    assert.equal(
      (await makeCall(server.url, key.key)('POST', '/payouts', {})).code,
      'scope_missing',
    )
    const rolled = JSON.parse(
      await keys(
        'roll',
        key.id,
        '--expires',
        'never',
        '--scopes',
        'read,approve',
        '--overlap',
        '1h',
        '--json',
      ),
    )
    assert.deepEqual([rolled.scopes, rolled.expires_at], [['read', 'approve'], null])
    assert.ok(Date.parse(rolled.replaces.expires_at) < Date.parse(key.created_at) + day)
    assert.match(
      await keys('list'),
      new RegExp(
        `${rolled.id}  sk_test_….{4}  active   read,approve  from anywhere  never used  reports\n`,
      ),
    )
    assert.match(await keys('revoke', rolled.id), /^Key sk_test_….{4} is revoked: never used\.\n$/)
    const { docs } = await must(server.call('GET', '/audit?limit=4'))
    assert.deepEqual(
      docs.map(({ action, actor }: { action: string; actor: object }) => [action, actor]),
      ['key.revoked', 'key.rolled', 'key.scopes_changed', 'key.created'].map((action) => [
        action,
        { type: 'operator', id: null, hint: null },
      ]),
    )
    assert.equal(await changeScopes(server.app, server.businessId, rolled.id, ['read']), null)
    await keys('create', '--expires', '2020-01-01').then(
      () => assert.fail('it was made'),
      ({ message }) =>
        assert.match(
          message,
          /--expires '2020-01-01' must be a duration such as 90d, or a time ahead/,
        ),
    )
  })

  it('have every scope but approve when none are named, and no end', async () => {
    const { record } = await make({ name: 'usual' })
    assert.deepEqual(
      [record.scopes, record.expires_at],
      [['read', 'collect', 'payout', 'refund', 'manage'], null],
    )
  })

  it('are rolled to work as long as the first was made to, within an overlap too', async () => {
    const first = (
      await make({
        name: 'rolled',
        scopes: ['read'],
        lifetimeMs: 90 * day,
        allowIps: ['127.0.0.1'],
      })
    ).record
    const roll = async (id: string) => {
      const rolled = await rollKey(server.app, server.businessId, id, 3_600_000)
      const { record } = rolled ?? assert.fail('the key is in force')
      assert.deepEqual([record.scopes, record.allow_ips], [['read'], ['127.0.0.1']])
      assert.equal((record.expires_at as Date).getTime() - record.created_at.getTime(), 90 * day)
      return record.id
    }
    await roll(await roll(first.id))
    await roll(first.id)
  })

  it('that are rolled with no overlap are revoked, whatever time it is where they are used', async () => {
    const { key, record } = await make({ name: 'replaced at once' })
    const call = makeCall(server.url, key)
    await must(call('GET', '/wallets'))
    const ahead = { ...server.app, clock: { now: () => later(server.app.clock.now(), 60_000) } }
    const { old } =
      (await rollKey(ahead, server.businessId, record.id, 0)) ?? assert.fail('the key is in force')
    assert.deepEqual(old.revoked_at, old.expires_at)
    const { docs } = await must(server.call('GET', '/audit?limit=2'))
    assert.deepEqual(docs.map(({ action, subject }: Json) => [action, subject]).sort(), [
      ['key.revoked', record.id],
      ['key.rolled', record.id],
    ])
    assert.equal((await call('GET', '/wallets')).code, 'invalid_key')
    assert.equal(await rollKey(server.app, server.businessId, record.id, 0), null)
    const other = (await make({ name: 'by command' })).record
    assert.match(
      await keys('roll', other.id, '--overlap', '0s'),
      /It replaces sk_test_….{4}, which is revoked\.\n$/,
    )
  })

  it('stop working when they end', async () => {
    const { key } = await make({ name: 'brief', lifetimeMs: day })
    const call = makeCall(server.url, key)
    await must(call('GET', '/wallets'))
    aheadMs = day
    const { status, code } = await call('GET', '/wallets')
    aheadMs = 0
    assert.deepEqual([status, code], [401, 'invalid_key'])
  })

  it('say when and from where they were used, once a minute and no more', async () => {
    const { business, test_key } = await createBusiness(server.app, 'Used')
    const use = () => must(makeCall(server.url, test_key)('GET', '/wallets'))
    const used = async (): Promise<KeyRow> =>
      (await listKeys(server.app, business.id)).find((key) => !key.livemode) as KeyRow
    assert.deepEqual([(await used()).last_used_at, (await used()).last_used_from], [null, null])
    await use()
    const first = await until(async () => {
      const key = await used()
      return key.last_used_at && key
    })
    assert.match(first.last_used_from as string, /127\.0\.0\.1/)
    forgetKeys()
    await use()
    await use()
    assert.deepEqual((await used()).last_used_at, first.last_used_at)

    const before = later(first.last_used_at as Date, -61_000)
    await server.app.db.query('update api_keys set last_used_at = $2 where id = $1', [
      first.id,
      before,
    ])
    forgetKeys()
    await use()
    await until(async () => ((await used()).last_used_at as Date) > before)
  })

  it('are used while another transaction holds their row', async () => {
    const { business, test_key } = await createBusiness(server.app, 'Held')
    const client = await server.app.db.pool.connect()
    try {
      await client.query('begin')
      await client.query('update api_keys set name = name where business_id = $1', [business.id])
      const { status } = await makeCall(server.url, test_key)('GET', '/wallets')
      assert.equal(status, 200)
    } finally {
      await client.query('rollback')
      client.release()
    }
  })
})

/**
 * Goal: a provider's webhook is kept before it is answered, once, and only when the provider has
 * signed it; whatever else comes leaves nothing behind. Method: requests as a provider, a forger
 * and a flood would send them, against accounts that sign by HMAC-SHA512.
 */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { newDatabase } from '../../../test/support/cluster.ts'
import { must, startServer, type TestServer, until } from '../../../test/support/harness.ts'
import {
  giveInbound,
  keptIn,
  notifierOf,
  outcomeOf,
  sign,
  signedBy,
} from '../../../test/support/notifier.ts'
import { open, serve } from '../../app/main.ts'
import { newClient } from '../../db/db.ts'
import { countSealed, resealAll } from '../../db/sealed.ts'
import { readConfig } from '../../lib/config.ts'
import { keyringOf } from '../../lib/secrets.ts'
import { listIncidents } from '../incidents/incidents.ts'
import { readEvent } from './inbound.ts'
import { sealedBodies } from './sql.ts'

const token = 'scrape-me-if-you-can-with-this-token'

describe('the address of a provider’s webhooks', () => {
  let server: TestServer
  before(async () => {
    server = await startServer({ METRICS_TOKEN: token, RATE_LIMIT_MAX: '100000' })
    giveInbound(server.app, 'live', { shop: signedBy('live') })
    giveInbound(server.app, 'test', { shop: signedBy('now', 'before'), other: signedBy('other') })
  })
  after(() => server.stop())

  const to = (name = 'shop', mode = 'test') => notifierOf(server.url, name, mode)
  const said = (id: string) => ({ event: 'said', id, kind: 'other' as const })
  const count = async (): Promise<number> => (await keptIn(server.app)).length

  it('keeps what is signed with the secret of now, or the one before', async () => {
    for (const secret of ['now', 'before']) assert.equal(await to()(said(secret), secret), 200)
    assert.equal(await count(), 2)
    assert.equal(await outcomeOf(server, 'said'), 'nothing_to_do')
  })

  it('keeps nothing of what is not signed, signed by another, or of another account or mode', async () => {
    const before = await count()
    for (const [name, mode, secret, status] of [
      ['shop', 'test', null, 401],
      ['shop', 'test', 'wrong', 401],
      ['shop', 'test', 'live', 401],
      ['shop', 'live', 'now', 401],
      ['other', 'test', 'now', 401],
      ['nobody', 'test', 'now', 404],
      ['other', 'live', 'other', 404],
      ['shop', 'both', 'now', 404],
      ['constructor', 'test', 'now', 404],
    ] as const)
      assert.equal(
        await to(name, mode)(said('forged'), secret),
        status,
        `${name} ${mode} ${secret}`,
      )
    const raw = JSON.stringify(said('forged'))
    const changed = await fetch(`${server.url}/rails/shop/test/webhook`, {
      method: 'POST',
      body: raw.replace('forged', 'forget'),
      headers: { 'x-signature': sign('now', raw) },
    })
    assert.equal(changed.status, 401)
    assert.equal(await count(), before)
    const metrics = (await server.callAs(token)('GET', '/metrics')).body as string
    assert.match(metrics, /^bursar_rail_webhooks_refused\{rail="shop",mode="test"\} 4$/m)
    assert.equal((await server.call('GET', '/rails/shop/test/webhook')).status, 405)
  })

  it('counts one event that is delivered many times at once, and does nothing twice', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 20 }, () => to()({ ...said('many'), event: 'many' })),
    )
    assert.deepEqual([...new Set(statuses)], [200])
    assert.deepEqual(
      (await keptIn(server.app))
        .filter(({ type }) => type === 'many')
        .map(({ deliveries }) => deliveries),
      [20],
    )
  })

  it('takes a body of any type as its bytes, and no body', async () => {
    for (const type of [
      'application/json',
      'text/html',
      'application/x-www-form-urlencoded',
      'text/plain; charset=x',
      '',
    ]) {
      const raw = JSON.stringify({ ...said(`as ${type}`), name: 'Adé \ud83d\ude00' })
      const signature = sign('now', raw)
      const answer = await fetch(`${server.url}/rails/shop/test/webhook`, {
        method: 'POST',
        body: Buffer.from(raw),
        headers: { 'x-signature': signature, ...(type === '' ? {} : { 'content-type': type }) },
      })
      assert.equal(answer.status, 200, type)
    }
    const before = await count()
    const none = await fetch(`${server.url}/rails/shop/test/webhook`, { method: 'POST' })
    assert.equal(none.status, 401)
    assert.equal(await to()({ ...said('silent'), event: 'ping' }), 200)
    assert.equal(await count(), before)
  })

  it('keeps what is signed and is none of the provider’s events for a person to see', async () => {
    const bodies = [
      '<html>Bad gateway</html>',
      '',
      '{"event":',
      JSON.stringify({ ...said('nul'), event: 'a\u0000b' }),
    ]
    for (const body of [...bodies, ...bodies]) assert.equal(await to()(body), 200)
    const kept = (await keptIn(server.app)).filter(({ type }) => type === 'unreadable')
    assert.deepEqual(
      kept.map(({ outcome, deliveries }) => [outcome, deliveries]),
      bodies.map(() => ['quarantined', 2]),
    )
    const incidents = await listIncidents(server.app.db, {})
    assert.deepEqual(
      incidents.map(({ kind, subject }) => [kind, subject]).reverse(),
      kept.map(({ id }) => ['unreadable_event', id]),
    )
  })

  it('keeps no body in the clear', async () => {
    await to()({
      event: 'named',
      id: 'x',
      kind: 'payout',
      reference: 'po-unknown',
      name: 'Ngozi Secretperson',
    })
    const [row] = await server.app.db.query<{ body: Buffer }>(
      "select body from provider_events where type = 'named'",
    )
    assert.ok(row && row.body.length > 50 && !row.body.includes('Secretperson'))
    const { id } = (await keptIn(server.app)).at(-1) as { id: string }
    const newKeys = keyringOf(Buffer.alloc(32, 7), [Buffer.from('ab'.repeat(32), 'hex')])
    await resealAll(server.app.db, newKeys, [sealedBodies], () => {})
    const counts = await countSealed(server.app.db, sealedBodies)
    assert.deepEqual(
      counts.map(({ key_id }) => key_id),
      [newKeys[0].id],
    )
    const read = await readEvent({ db: server.app.db, secrets: [newKeys[0]] }, 'shop', id)
    assert.equal(JSON.parse(read?.body?.toString() as string).name, 'Ngozi Secretperson')
    assert.equal(await readEvent(server.app, 'other', id), null)
  })

  it('answers 413 to more than 1 MiB, and reads no more of it', async () => {
    const full = JSON.stringify({ ...said('full'), fill: '' })
    const fit = JSON.stringify({ ...said('full'), fill: 'x'.repeat(1024 * 1024 - full.length) })
    assert.equal(await to()(fit), 200)
    assert.equal(await to()(`${fit} `), 413)

    const before = process.memoryUsage().rss
    const { port } = new URL(server.url)
    const socket = connect(Number(port), '127.0.0.1')
    let answered = ''
    socket.on('data', (chunk) => {
      answered += chunk
    })
    const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()))
    socket.on('error', () => {})
    socket.write(
      'POST /rails/shop/test/webhook HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\ncontent-type: application/json\r\n\r\n',
    )
    const chunk = Buffer.concat([
      Buffer.from('10000\r\n'),
      Buffer.alloc(0x10000, 'x'),
      Buffer.from('\r\n'),
    ])
    let sent = 0
    const gigabyte = 1024 ** 3
    while (sent < gigabyte && !socket.destroyed && socket.writable) {
      sent += 0x10000
      if (!socket.write(chunk))
        await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed])
    }
    await closed
    assert.match(answered, /^HTTP\/1\.1 413 /)
    const grown = process.memoryUsage().rss - before
    assert.ok(sent < gigabyte / 4, `${sent} bytes were taken`)
    assert.ok(grown < 100 * 1024 ** 2, `${grown} bytes more`)
  })

  it('answers 503 while the database is gone, so that the provider delivers again', async () => {
    const [{ name }] = (await server.app.db.query('select current_database() as name')) as [
      { name: string },
    ]
    const admin = newClient(server.superuserUrl.replace(`/${name}?`, '/postgres?'))
    await admin.connect()
    await admin.query(`alter database "${name}" with allow_connections false`)
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
      name,
    ])
    const event = { ...said('lost'), event: 'lost' }
    try {
      assert.equal(await to()(event), 503)
      assert.equal(await to()(event, 'forged'), 401)
    } finally {
      await admin.query(`alter database "${name}" with allow_connections true`)
      await admin.end()
    }
    assert.equal(await until(async () => (await to()(event)) === 200), true)
    assert.equal(await outcomeOf(server, 'lost'), 'nothing_to_do')
  })
})

describe('bad signatures', () => {
  it('are limited by address and account; what is signed, and the API, are not', async () => {
    const server = await startServer({ RATE_LIMIT_MAX: '5' })
    try {
      giveInbound(server.app, 'test', { shop: signedBy('now'), other: signedBy('other') })
      const shop = notifierOf(server.url, 'shop', 'test')
      const event = (id: number) => ({ event: 'said', id: String(id), kind: 'other' as const })
      for (let i = 0; i < 20; i++) assert.equal(await shop(event(i)), 200)
      for (let i = 0; i < 5; i++) assert.equal(await shop(event(i), 'wrong'), 401)
      assert.equal(await shop(event(1), 'wrong'), 429)
      assert.equal(await shop(event(1)), 429)
      assert.equal(await notifierOf(server.url, 'other', 'test')(event(1), 'other'), 200)
      await must(server.call('GET', '/wallets'))
    } finally {
      await server.stop()
    }
  })
})

describe('a webhook whose process is gone', () => {
  it('is applied by the next one', async () => {
    const database = await newDatabase()
    const env = {
      PORT: '0',
      DATABASE_URL: database.url,
      SECRETS_KEY: 'ab'.repeat(32),
      LOG_LEVEL: 'fatal',
    }
    const opened = await open(readConfig(env), 'all')
    try {
      giveInbound(opened.app, 'test', { shop: signedBy('now') })
      const first = await serve(opened, 'api')
      assert.equal(
        await notifierOf(first.url, 'shop', 'test')({ event: 'said', id: '1', kind: 'other' }),
        200,
      )
      await first.stop()
      assert.equal((await keptIn(opened.app))[0]?.outcome, null)
      const next = await serve(opened)
      assert.equal(await outcomeOf(opened, 'said'), 'nothing_to_do')
      await next.stop()
    } finally {
      await opened.close()
      await database.drop()
    }
  })
})

import assert from 'node:assert/strict'
import { get } from 'node:http'
import { after, afterEach, before, describe, it } from 'node:test'
import { type Merchant, newMerchant } from '../../../test/support/actors.ts'
import { type EventStream, openStream } from '../../../test/support/event-stream.ts'
import {
  bankPayout,
  makeCall,
  startServer,
  type TestServer,
  until,
} from '../../../test/support/harness.ts'
import { type Opened, open, type Running, serve } from '../../app/main.ts'
import { createBusiness, createKey, revoke } from '../../books/businesses/businesses.ts'
import { outside } from '../../core/outside.ts'
import { newClient } from '../../db/db.ts'
import { migrate } from '../../db/schema/migrate.ts'
import { readConfig } from '../../lib/config.ts'
import { newId } from '../../lib/ids.ts'
import { selectStreamed } from './sql.ts'
import { streamEvents } from './stream.ts'

describe('the stream of events', () => {
  let server: TestServer
  let merchant: Merchant
  let other: { opened: Opened; running: Running }
  const open_: EventStream[] = []
  const follow = async (
    options: Parameters<typeof openStream>[2] = {},
    url = server.url,
    key = server.testKey,
  ) => {
    const stream = await openStream(url, key, options)
    open_.push(stream)
    return stream
  }
  let payouts = 0
  const pay = async (): Promise<string> =>
    (await merchant.payOut(bankPayout(`stream-${payouts++}`, 10_000))).id
  const told = ({ events }: EventStream): string[] =>
    events.map(({ body }) => `${body.type} ${body.payload.id}`)

  before(async () => {
    // Nothing happens by itself here: what is on the stream is what a test put there.
    server = await startServer({ SANDBOX_DELAY: '1h', WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' })
    merchant = newMerchant(server)
    await server.fund('ngn', 1_000_000_000)
    // A second process, as far as the database can tell.
    const opened = await open(
      readConfig({
        PORT: '0',
        DATABASE_URL: server.databaseUrl,
        SECRETS_KEY: 'ab'.repeat(32),
        RATE_LIMIT_MAX: '0',
        LOG_LEVEL: 'fatal',
      }),
      'api',
    )
    other = { opened, running: await serve(opened, 'api') }
  })
  afterEach(async () => {
    await Promise.all(open_.splice(0).map((stream) => stream.close()))
  })
  after(async () => {
    await other.running.stop()
    await other.opened.close()
    await server.stop()
  })

  /** An insert of an event in a transaction of its own that is not committed yet. */
  async function writeLate(businessId = server.businessId, livemode = false, count = 1) {
    const client = newClient(server.databaseUrl)
    await client.connect()
    await client.query('begin')
    const ids = Array.from({ length: count }, () => newId(new Date()))
    await client.query(
      `insert into events (business_id, livemode, id, type, body, created_at)
       select $1, $2, id, 'payout.initiated', '{"id":"' || id || '","type":"payout.initiated","payload":{"id":"' || id || '"}}', now()
         from unnest($3::text[]) as id`,
      [businessId, livemode, ids],
    )
    return {
      ids,
      async end(how: 'commit' | 'rollback') {
        await client.query(how)
        await client.end()
      },
    }
  }

  it('sends what happens from now on, whichever process it happens in, with the bytes of the webhooks', async () => {
    await pay()
    // Another test's transaction may be older: until it ends, this payout is not past for a stream
    // either.
    await until(async () => {
      const [row] = await server.app.db.query<{ past: boolean }>(
        'select max(position) < event_horizon() as past from events',
      )
      return row?.past
    })
    const streams = [await follow(), await follow({}, other.running.url)]
    const id = await pay()
    for (const stream of streams) {
      await until(async () => stream.events.length > 0)
      assert.deepEqual(told(stream), [`payout.initiated ${id}`])
      const [event] = stream.events
      const stored = await server.app.db.query<{ body: string }>(
        'select body from events where id = $1',
        [event?.body.id],
      )
      assert.deepEqual(JSON.parse(stored[0]?.body as string), event?.body)
    }
  })

  it('goes on where the client was, by header or by query, in any process', async () => {
    const first = await follow()
    const start = first.place()
    const ids = [await pay(), await pay(), await pay()]
    await until(async () => first.events.length === 3)
    await first.close()
    ids.push(await pay())
    const expected = ids.map((id) => `payout.initiated ${id}`)
    const rest = await follow({ place: first.events[1]?.place as string }, other.running.url)
    await until(async () => rest.events.length === 2)
    assert.deepEqual(told(rest), expected.slice(2))
    // A client that had nothing yet misses nothing either.
    const all = await follow({ after: start })
    await until(async () => all.events.length === 4)
    assert.deepEqual(told(all), expected)
    const ever = await follow({ after: '0' })
    await until(async () => ever.events.length > 4)
    assert.deepEqual(told(ever).slice(-4), expected)
    // The header is what an EventSource sends by itself when it comes back to the same address.
    const both = await follow({ after: start, place: first.events[2]?.place as string })
    await until(async () => both.events.length === 1)
    assert.deepEqual(told(both), expected.slice(3))
  })

  it('misses nothing when transactions commit in another order than they began', async () => {
    const stream = await follow()
    const late = await writeLate()
    const undone = await writeLate()
    const id = await pay()
    // The payout is committed, but must wait: a place after it would leave the late event behind
    // for good.
    const probe = await follow({ after: stream.place() })
    await new Promise((resolve) => setTimeout(resolve, 600))
    assert.deepEqual([told(stream), told(probe)], [[], []])
    const resumed = await follow({ after: probe.place() })
    await late.end('commit')
    await undone.end('rollback')
    for (const one of [stream, probe, resumed]) {
      await until(async () => one.events.length === 2)
      assert.deepEqual(told(one), [`payout.initiated ${late.ids[0]}`, `payout.initiated ${id}`])
    }
    const after = await follow({ after: stream.events[0]?.place as string })
    await until(async () => after.events.length === 1)
    assert.deepEqual(told(after), [`payout.initiated ${id}`])
  })

  it('sends many events of one transaction, and goes on in the middle of them', async () => {
    const stream = await follow()
    const bulk = await writeLate(server.businessId, false, 2_345)
    await bulk.end('commit')
    await until(async () => stream.events.length >= 2_345, 20_000)
    assert.deepEqual(stream.events.map(({ body }) => body.id).sort(), bulk.ids.toSorted())
    const rest = await follow({ place: stream.events[2_300]?.place as string })
    await until(async () => rest.events.length >= 44)
    assert.deepEqual(rest.events, stream.events.slice(2_301))
  })

  it('looks at the events that it sends, and at no others for each, whatever plan was made while there were few', async () => {
    const client = newClient(server.databaseUrl)
    await client.connect()
    try {
      await client.query('begin')
      await client.query(
        'create temporary table events (like public.events including all) on commit drop',
      )
      await client.query('set local plan_cache_mode = force_generic_plan')
      await client.query(
        `prepare streamed (text, boolean, bigint, text, integer, integer) as ${selectStreamed.text}`,
      )
      const read = `execute streamed ('${server.businessId}', false, 0, '', 2000, 50)`
      await client.query(read)
      await client.query(
        `insert into events (business_id, livemode, id, type, body, created_at, position)
         select $1, false, lpad(to_hex(n), 24, '0'), 'payout.initiated', '{}', now(), 1 from generate_series(1, 2345) n`,
        [server.businessId],
      )
      assert.equal((await client.query(read)).rows.length, 50)
      const { rows } = await client.query(`explain (analyze, buffers, format json) ${read}`)
      const { Plan } = rows[0]['QUERY PLAN'][0]
      const blocks = Plan['Shared Hit Blocks'] + Plan['Local Hit Blocks']
      assert.ok(blocks < 5_000, `${blocks} blocks`)
    } finally {
      await client.end()
    }
  })

  it('sends resent events again', async () => {
    const { data: hook } = await server.call('POST', '/webhooks', { url: 'https://127.0.0.1:9/' })
    const stream = await follow()
    await pay()
    await until(async () => stream.events.length === 1)
    const event = stream.events[0]?.body.id
    assert.equal(
      (
        await server.call('POST', '/webhooks/events/resend', {
          event_id: event,
          webhook_id: hook.id,
        })
      ).status,
      200,
    )
    await until(async () => stream.events.length === 2)
    assert.deepEqual(stream.events[1]?.body, stream.events[0]?.body)
    const again = await follow({ place: stream.events[0]?.place as string })
    await until(async () => again.events.length === 1)
    assert.deepEqual(again.events, stream.events.slice(1))

    await server.app.db.query(
      `update webhook_deliveries set status = 'failed' where webhook_id = $1`,
      [hook.id],
    )
    const { data } = await server.call('POST', `/webhooks/${hook.id}/recover`, {
      since: '2020-01-01T00:00:00Z',
    })
    assert.equal(data.recovered, 1)
    await until(async () => stream.events.length === 3)
    assert.deepEqual(stream.events[2]?.body, stream.events[0]?.body)
    assert.equal((await server.call('DELETE', `/webhooks/${hook.id}`)).status, 200)
  })

  it('shows no other business, and no other mode', async () => {
    const stranger = await createBusiness(server.app, 'Stranger')
    const streams = [
      await follow({}, server.url, stranger.test_key),
      await follow({}, server.url, server.liveKey),
    ]
    const start = streams[0]?.place() as string
    for (const [businessId, livemode] of [
      [server.businessId, false],
      [stranger.business.id, true],
    ] as const)
      await (await writeLate(businessId, livemode)).end('commit')
    const own = await writeLate(stranger.business.id)
    await own.end('commit')
    await until(async () => streams[0]?.events.length)
    assert.deepEqual(streams.map(told), [[`payout.initiated ${own.ids[0]}`], []])
    const again = await follow({ after: start }, server.url, stranger.test_key)
    await until(async () => again.events.length)
    assert.deepEqual(told(again), [`payout.initiated ${own.ids[0]}`])
  })

  it('refuses a place that it cannot have given', async () => {
    for (const after of ['nonsense', '-1', '1-2', '999999999999999999', '1'.repeat(40)]) {
      const { status, code } = await server.call('GET', `/events/stream?after=${after}`)
      assert.deepEqual([status, code], [400, 'invalid_cursor'], after)
    }
    assert.equal((await server.call('GET', '/events/stream?page=2')).status, 422)
    assert.equal((await server.callAs(null)('GET', '/events/stream')).status, 401)
    const headers = { authorization: `Bearer ${server.testKey}` }
    assert.equal(
      (await fetch(`${server.url}/events/stream`, { method: 'HEAD', headers })).status,
      404,
    )
  })

  it('is documented as a stream', async () => {
    const { body } = await server.callAs(null)('GET', '/openapi.json')
    const { parameters, responses } = body.paths['/events/stream'].get
    assert.deepEqual(
      parameters.map(({ name }: { name: string }) => name),
      ['after', 'Last-Event-ID'],
    )
    assert.deepEqual(Object.keys(responses['200'].content), ['text/event-stream'])
  })

  it('has a limit for each key, and counts what has ended no more', async () => {
    const streams = await Promise.all(Array.from({ length: 10 }, () => follow()))
    const { status, code, headers } = await server.call('GET', '/events/stream')
    assert.deepEqual([status, code, headers.get('retry-after')], [429, 'too_many_streams', '1'])
    assert.equal((await follow({}, server.url, server.liveKey)).status, 200)
    await streams[0]?.close()
    await until(async () => (await follow()).status === 200)
  })

  it('leaves others room, however many keys a business has', async () => {
    const greedy = (await createBusiness(server.app, 'Greedy')).business.id
    const gone = new AbortController()
    const start = (businessId: string, livemode: boolean, caller: string) =>
      streamEvents(
        outside(server.app, { businessId, livemode, now: server.app.clock.now() }),
        undefined,
        {
          lastEventId: null,
          caller,
          signal: gone.signal,
        },
      )
    for (let i = 0; i < 250; i++) await start(greedy, i % 2 === 0, `key ${i >> 2}`)
    await assert.rejects(start(greedy, true, 'another key'), { code: 'too_many_streams' })
    assert.equal((await follow()).status, 200)
    gone.abort()
    await start(greedy, true, 'another key')
  })

  it('ends when its key is revoked, also by another process', async () => {
    const scope = { businessId: server.businessId, livemode: false, now: server.app.clock.now() }
    const { key, record } = await outside(server.app, scope).write((work) =>
      createKey(work, { name: 'short', allowIps: [] }),
    )
    const stream = await follow({}, other.running.url, key)
    await revoke(server.app, server.businessId, record.id)
    assert.equal(await stream.ended, 'in order')
    assert.equal((await makeCall(other.running.url, key)('GET', '/wallets')).status, 401)
  })

  it('keeps nothing for a client that does not read', async () => {
    const { place, close } = await follow()
    const start = place()
    await close()
    await server.app.db.query(
      `insert into events (business_id, livemode, id, type, body, created_at)
       select $1, false, lpad(to_hex(n), 24, '0'), 'payout.initiated',
              '{"type":"payout.initiated","payload":{"id":"' || repeat('x', 100000) || '"}}', now()
         from generate_series(1, 800) n`,
      [server.businessId],
    )
    const reads: number[] = []
    const { rows } = server.app.db
    server.app.db.rows = async (statement, params) => {
      const found = await rows(statement, params)
      if (statement.name === 'webhooks.select_streamed') reads.push(found.length)
      return found
    }
    try {
      const response = await new Promise<import('node:http').IncomingMessage>((resolve) => {
        get(
          `${server.url}/events/stream?after=${start}`,
          { headers: { authorization: `Bearer ${server.testKey}` } },
          resolve,
        )
      })
      response.pause()
      await until(async () => reads.length > 0)
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      assert.ok(
        reads.reduce((sum, length) => sum + length, 0) < 300,
        `${reads} rows were read ahead of a client that reads none`,
      )
      response.destroy()
    } finally {
      server.app.db.rows = rows
    }
  })

  it('keeps its order when the database was restored where transaction numbers are lower', async () => {
    const stream = await follow()
    await pay()
    await until(async () => stream.events.length === 1)
    // What pg_restore leaves behind: rows whose positions lie far ahead of the new server's
    // numbers.
    const future = BigInt(stream.place().split('-')[0] as string) + 5_000_000n
    const restored = newId(new Date())
    await server.app.db.query(
      `insert into events (business_id, livemode, id, type, body, created_at, position)
       values ($1, false, $2, 'payout.initiated', '{"type":"payout.initiated","payload":{"id":"restored"}}', now(), $3)`,
      [server.businessId, restored, future],
    )
    await migrate(server.ownerUrl)
    const id = await pay()
    const again = await follow({ place: stream.events[0]?.place as string })
    await until(async () => again.events.length === 2)
    assert.deepEqual(told(again), ['payout.initiated restored', `payout.initiated ${id}`])
    const last = await follow({ place: again.events[0]?.place as string })
    await until(async () => last.events.length === 1)
    assert.deepEqual(told(last), [`payout.initiated ${id}`])
    assert.ok(BigInt(last.events[0]?.place.split('-')[0] as string) > future)
  })

  it('ends at once when the server stops', async () => {
    const opened = await open({ ...other.opened.app.config, PORT: 0 }, 'api')
    const running = await serve(opened, 'api')
    const stream = await follow({}, running.url)
    await running.stop()
    assert.equal(await stream.ended, 'in order')
    await opened.close()
  })
})

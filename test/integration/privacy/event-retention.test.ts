/**
 * Goal: events, their deliveries and the attempts of these go by whole months after `EVENTS_KEEP`,
 * and not before; what is still to be sent stays, counts stay exact, nobody who reads on loses
 * events without being told, and who uses the tables meanwhile hardly waits. Method: a server whose
 * clock is moved by months, over HTTP; its periodic task is run by hand, as the role that serves.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { outside, scopeOf } from '../../../src/core/outside.ts'
import { newClient, openDatabase } from '../../../src/db/db.ts'
import { manualClock } from '../../../src/lib/clock.ts'
import { emptyNext } from '../../../src/platform/emptying/emptying.ts'
import { streamEvents } from '../../../src/platform/webhooks/stream.ts'
import { partitionsTask } from '../../../src/platform/webhooks/webhooks.ts'
import { type Merchant, newMerchant } from '../../support/actors.ts'
import { openStream } from '../../support/event-stream.ts'
import {
  type Json,
  listAll,
  patience,
  settled,
  startServer,
  type TestServer,
  until,
} from '../../support/harness.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'

const day = 86_400_000

describe('what is kept of events for a time', () => {
  const clock = manualClock(new Date())
  let receiver: Receiver
  let server: TestServer
  let merchant: Merchant
  let hook: Json
  /**
   * A client that had seen all that there was, and then read nothing for as long as events are
   * kept.
   */
  let slow: AsyncIterator<string>
  const slowIsGone = new AbortController()
  before(async () => {
    receiver = await startReceiver()
    server = await startServer(
      {
        EVENTS_KEEP: '60d',
        WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
        WEBHOOK_CA_FILE: receiver.caFile,
        WEBHOOK_RETRY_DELAYS: '365d',
      },
      undefined,
      clock,
    )
    // The clock here is ahead by months, which the owner's function does not go by.
    const always = `create or replace function events_may_go_before() returns timestamptz stable language sql as $$ select timestamptz 'infinity' $$`
    await server.asOwner(always)
    merchant = newMerchant(server)
    hook = await merchant.create('/webhooks', { url: receiver.url })
  })
  after(async () => {
    slowIsGone.abort()
    await server.stop()
    await receiver.stop()
  })

  const run = (): Promise<void> => partitionsTask(server.app).run('test')
  const partitions = async (): Promise<string[]> => {
    const rows = await server.app.db.query<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'events'::regclass order by 1`,
    )
    return rows.map(({ name }) => name.slice('events_'.length))
  }
  /** Three payments, whose events are delivered. */
  const trade = async (): Promise<Json[]> => {
    const known = new Set((await merchant.allEvents()).map(({ id }) => id))
    for (let n = 0; n < 3; n++) await merchant.takePayment('card', { amount: 10_000 })
    const made = (await merchant.allEvents()).filter(({ id }) => !known.has(id))
    assert.ok(made.length >= 3)
    if (receiver.answer === 200)
      await until(
        async () => (await merchant.ask('GET', '/webhooks/events?status=pending')).totalDocs === 0,
      )
    return made
  }
  const totals = async (): Promise<number[]> => {
    const paths = ['/events', '/webhooks/events']
    const counted = await Promise.all(
      paths.map(async (path) => [
        (await merchant.ask('GET', path)).totalDocs,
        (await listAll(merchant.call, path)).length,
      ]),
    )
    for (const [total, listed] of counted) assert.equal(total, listed)
    return counted.map(([total]) => total as number)
  }
  /** The end of the first partition, as the time it parts ids by. */
  const firstEnds = async (suffix: string): Promise<number> => {
    const [row] = await server.app.db.query<{ at: Date }>(
      'select ids_begin(ends) as at from event_partitions() where suffix = $1',
      [suffix],
    )
    return Number(row?.at.getTime())
  }
  const to = (time: number): void => clock.advance(time - clock.now().getTime())

  let old: Json[]
  let place: string

  it('are partitions that are made ahead, a month each, and none of them is dropped too early', async () => {
    old = await trade()
    const stream = await openStream(server.url, server.testKey, { after: '0' })
    await until(async () => stream.events.length >= old.length, 60_000)
    place = String(stream.events[0]?.place)
    await stream.close()
    const ctx = outside(server.app, await scopeOf(server.app, server.businessId, false))
    const asked = { lastEventId: null, caller: 'slow', signal: slowIsGone.signal }
    slow = (await streamEvents(ctx, '0', asked))[Symbol.asyncIterator]()
    for (let seen = 0; seen < old.length; )
      seen += String((await slow.next()).value).split('data: ').length - 1
    await trade()
    const ends = await firstEnds('_first')
    await run()
    // In the last days of some months the next is due already: it is made 35 days ahead.
    const isDue = ends - clock.now().getTime() <= 35 * day
    assert.deepEqual((await partitions()).slice(isDue ? 1 : 0), ['ahead', 'first'])
    to(ends - day)
    await run()
    const [name] = (await partitions()).filter((one) => /^\d/.test(one))
    assert.equal(name, new Date(ends).toISOString().slice(0, 7).replace('-', '_'))
    to(ends + 59 * day)
    await trade()
    await run()
    assert.ok((await partitions()).length >= 5)
    assert.ok((await partitions()).includes('first'))
    assert.equal((await merchant.ask('GET', `/events/${old[0]?.id}`)).id, old[0]?.id)
  })

  it('are looked for in one partition where their id is given, also by a plan that is made once', async () => {
    const client = newClient(server.databaseUrl)
    await client.connect()
    const read = 'select * from events where business_id = $1 and livemode = $2 and id = $3'
    await client.query(
      `set plan_cache_mode = force_generic_plan; prepare one (text, boolean, text) as ${read}`,
    )
    const { rows } = await client.query(
      `explain (analyze, costs off) execute one ('${server.businessId}', false, '${old[0]?.id}')`,
    )
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    assert.match(plan, new RegExp(`Subplans Removed: ${(await partitions()).length - 1}\n`))
    assert.equal(plan.match(/Scan.* on events_/g)?.length, 1, plan)
    await client.end()
  })

  it('stay while a delivery of them is still to be sent, however old it is', async () => {
    receiver.answer = 500
    const resent = await merchant.ask('POST', '/webhooks/events/resend', {
      event_id: old[0]?.id,
      webhook_id: hook.id,
    })
    await until(
      async () =>
        (await merchant.ask('GET', `/webhooks/events/${resent.id}`)).attempts.length === 2,
    )
    to((await firstEnds('_first')) + 61 * day)
    await run()
    assert.ok((await partitions()).includes('first'))
    receiver.answer = 200
    await merchant.ask('POST', '/webhooks/events/resend', {
      event_id: old[0]?.id,
      webhook_id: hook.id,
    })
    await until(
      async () =>
        (await merchant.ask('GET', `/webhooks/events/${resent.id}`)).status === 'succeeded',
    )
  })

  it('stay while somebody uses them, who is not disturbed, nor are others', async () => {
    const backup = newClient(server.databaseUrl)
    await backup.connect()
    await backup.query(
      'begin; select count(*) from events; select count(*) from webhook_deliveries',
    )
    const waited: number[] = []
    let stop = false
    const clients = (async () => {
      while (!stop) {
        const began = performance.now()
        await merchant.takePayment('card', { amount: 10_000 })
        waited.push(performance.now() - began)
      }
    })()
    for (let n = 0; n < 5; n++) await run()
    stop = true
    await clients
    assert.ok((await partitions()).includes('first'))
    assert.ok(Math.max(...waited) < 2_000 * patience, `one waited ${Math.max(...waited)} ms`)
    await backup.query('rollback')
    await backup.end()
    await until(
      async () => (await merchant.ask('GET', '/webhooks/events?status=pending')).totalDocs === 0,
    )
  })

  it('are all there when who drops them is killed in the middle, and are sent no more', async () => {
    const kept = await totals()
    const db = openDatabase(server.databaseUrl, { max: 1, onError() {} })
    const client = await db.pool.connect()
    client.on('error', () => {})
    await client.query('begin')
    const steps: string[] = []
    while (steps.at(-1) !== 'dropped')
      steps.push((await client.query('select keep_event_partitions() as step')).rows[0].step.did)
    const { rows } = await client.query('select pg_backend_pid() as pid')
    const admin = newClient(server.superuserUrl)
    await admin.connect()
    await admin.query('select pg_terminate_backend($1)', [rows[0].pid])
    await admin.end()
    client.release(true)
    await db.close()
    assert.deepEqual(await totals(), kept)
    const refused = await merchant.call('POST', '/webhooks/events/resend', {
      event_id: old[1]?.id,
      webhook_id: hook.id,
    })
    // It was closed while the backup went on.
    assert.deepEqual(steps, ['dropped'])
    assert.equal(refused.code, 'not_found')
    assert.match(refused.body.message, /kept no longer: those of before \d{4}-\d\d-01 were dropped/)
  })

  it('are dropped with their deliveries, and everything says so', async () => {
    const [all] = await totals()
    const sent = (await listAll(merchant.call, '/webhooks/events')).find(
      (one) => one.event_id === old[0]?.id,
    ) as Json
    const ends = await firstEnds('_first')
    const gone = (await merchant.allEvents()).filter((event) => Date.parse(event.timestamp) < ends)
    await until(async () => {
      await run()
      return !(await partitions()).includes('first')
    })
    assert.deepEqual(await totals(), [(all as number) - gone.length, (all as number) - gone.length])
    for (const path of [`/events/${old[0]?.id}`, `/webhooks/events/${sent.id}`]) {
      const answer = await merchant.call('GET', path)
      assert.deepEqual([answer.status, answer.code], [404, 'not_found'], path)
      assert.match(
        answer.body.message,
        /is kept no longer: those of before \d{4}-\d\d-01 were dropped/,
      )
    }
    const resent = await merchant.call('POST', '/webhooks/events/resend', {
      event_id: old[0]?.id,
      webhook_id: hook.id,
    })
    assert.deepEqual([resent.status, resent.code], [404, 'not_found'])
    assert.equal(
      (
        await merchant.ask('POST', `/webhooks/${hook.id}/recover`, {
          since: '2020-01-01T00:00:00Z',
        })
      ).recovered,
      0,
    )
    const [counts] = await server.app.db.query<{ n: bigint }>(
      `select count(*) as n from list_counts where list in ('events', 'webhook_deliveries') and day < $1`,
      [new Date(ends)],
    )
    assert.equal(counts?.n, 0n)
    assert.equal((await merchant.call('GET', `/explain/${old[0]?.payload.id}`)).status, 200)
  })

  it('are missed by no stream that is not told', async () => {
    const stale = await merchant.call('GET', '/events/stream', undefined, {
      'last-event-id': place,
    })
    assert.deepEqual([stale.status, stale.code], [400, 'invalid_cursor'])
    assert.match(
      stale.body.message,
      /those of before \d{4}-\d\d-01 were dropped. What is kept comes after `after=0`/,
    )
    assert.deepEqual(
      await slow.next(),
      { value: undefined, done: true },
      'it comes back, and is told',
    )
    const [dropped] = await server.app.db.query<{ last: bigint; bound: string }>(
      'select dropped_position as last, dropped_before as bound from event_retention',
    )
    const comeBack = (at: string) =>
      merchant.call('GET', '/events/stream', undefined, { 'last-event-id': at })
    for (const id of ['', `-${'0'.repeat(24)}`])
      assert.equal(
        (await comeBack(`${dropped?.last}${id}`)).code,
        'invalid_cursor',
        `at the last place that lost${id}`,
      )
    const after = await openStream(server.url, server.testKey, {
      place: `${dropped?.last}-${'f'.repeat(24)}`,
    })
    assert.equal(after.status, 200, 'nothing was dropped after it')
    await after.close()
    const whole = await openStream(server.url, server.testKey, { after: '0' })
    const kept = await merchant.allEvents()
    await until(async () => whole.events.length >= kept.length, 60_000)
    const ids = new Set(whole.events.map(({ body }) => body.id))
    assert.ok(kept.every(({ id }) => ids.has(id)))
    const again = await openStream(server.url, server.testKey, { place: whole.place() })
    assert.equal(again.status, 200)
    await Promise.all([whole.close(), again.close()])
  })

  it('of a test clock that is ahead are kept, and come to their partition when it is made', async () => {
    await merchant.advance('100d')
    const ahead = await trade()
    await settled(server.app)
    const where = async (): Promise<string> =>
      (
        await server.app.db.query<{ at: string }>(
          'select tableoid::regclass::text as at from events where id = $1',
          [ahead[0]?.id],
        )
      )[0]?.at as string
    assert.equal(await where(), 'events_ahead')
    for (let n = 0; n < 4; n++) {
      clock.advance(31 * day)
      await run()
    }
    assert.match(await where(), /^events_\d{4}_\d\d$/)
    assert.equal((await merchant.ask('GET', `/events/${ahead[0]?.id}`)).id, ahead[0]?.id)
    await totals()
    await assert.rejects(
      server.asOwner(`delete from events where id = '${ahead[0]?.id}'`),
      /append-only/,
    )
  })

  it('can be emptied with other test data when they are about to be dropped', async () => {
    await trade()
    const steps: string[] = []
    clock.advance(95 * day)
    await server.app.db.query('update event_retention set attach_until = $1, keep_from = $2', [
      new Date(clock.now().getTime() + 35 * day),
      new Date(clock.now().getTime() - 60 * day),
    ])
    while (steps.at(-1) !== 'closed') {
      const [row] = await server.app.db.query<{ step: Json }>(
        'select keep_event_partitions() as step',
      )
      steps.push(row?.step?.did)
      assert.ok(steps.length < 20, steps.join(' '))
    }
    await server.app.db.query(
      `insert into test_data_removals (business_id, id, requested_by, requested_at) values ($1, $2, '{"type":"operator"}', $3)`,
      [server.businessId, 'e'.repeat(24), clock.now()],
    )
    await emptyNext(server.app)
    assert.deepEqual(await totals(), [0, 0])
    await run()
    assert.deepEqual(await totals(), [0, 0])
    // What the server knows of the key is of before for some seconds, and a write says that it is
    // to be tried again.
    const fund = { currency: 'ngn', amount: 1_000 }
    await until(
      async () =>
        (await merchant.call('POST', '/wallets/simulate-fund', fund)).code !== 'test_data_emptying',
    )
    await trade()
    assert.ok(((await totals())[0] as number) >= 3)
  })

  it('are not dropped by who only serves, whatever he asks for', async () => {
    const { db } = server.app
    for (const text of [
      `update event_retention set closed_before = 'ffffffffffffffffffffffff'`,
      `update event_retention set dropped_before = ''`,
      'delete from event_retention',
    ])
      await assert.rejects(db.query(text), { code: '42501' }, text)
    await server.asOwner(
      `create or replace function events_may_go_before() returns timestamptz stable language sql as $$ select now() - interval '1 day' $$`,
    )
    const partitions = () => db.query(`select suffix from event_partitions() order by 1`)
    const before = await partitions()
    await db.query(
      `update event_retention set keep_from = '2090-01-01', attach_until = '2090-01-01'`,
    )
    for (let n = 0; n < 5; n++) await db.query('select keep_event_partitions()')
    // One that ends before yesterday by the database's own time may go, and there is none.
    assert.deepEqual(await partitions(), before)
  })
})

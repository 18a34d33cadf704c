import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, afterEach, before, describe, it } from 'node:test'
import { type Deliveries, type Owner, openDeliveries } from '../../../test/support/deliveries.ts'
import { until } from '../../../test/support/harness.ts'
import { rowsTouched } from '../../../test/support/plans.ts'
import type { Received, Receiver } from '../../../test/support/receiver.ts'
import { type Opened, open } from '../../app/main.ts'
import { newClient, transaction } from '../../db/db.ts'
import { readConfig } from '../../lib/config.ts'
import { emitMany } from '../events/events.ts'
import { recordAttempts } from './deliveries.ts'
import { type ClaimedDelivery, claimDeliveries, wakeDue, wakeOwn } from './queue.ts'

/** Places for deliveries of an endpoint in test mode. */
const placesOf = (business_id: string, webhook_id: string | undefined, places: number) => [
  { business_id, livemode: false, webhook_id: webhook_id as string, places },
]

describe('deliveries', () => {
  let ground: Deliveries
  let database: Deliveries['database']
  let receiver: Receiver
  let env: Record<string, string>
  let opened: Opened
  before(async () => {
    ground = await openDeliveries()
    ;({ database, receiver, env, opened } = ground)
  })
  afterEach(async () => {
    await ground.stopDispatchers()
    receiver.requests.length = 0
    receiver.answer = 200
    await opened.app.db.query('update webhooks set active = false')
    await opened.app.db.query('delete from webhook_queue')
  })
  after(() => ground.stop())

  const _eventsReceived = (): string[] =>
    receiver.requests.map(({ headers }) => headers['x-event-id'] as string)

  it('are made for whoever wants them in the commit of the event, and cost nobody else a row', async () => {
    const [wants, silent] = [await ground.owner(['/a', '/b']), await ground.owner([])]
    await ground.tell(wants, 3)
    await ground.tell(silent, 3)
    assert.deepEqual(
      [(await ground.queueOf(wants)).length, (await ground.queueOf(silent)).length],
      [6, 0],
    )
    await assert.rejects(
      transaction(opened.app.db, async (tx) => {
        const scope = { businessId: wants.id, livemode: false, now: opened.app.clock.now() }
        await emitMany(tx, [{ scope, type: 'payout.initiated', record: { metadata: {} } }])
        throw new Error('no')
      }),
    )
    assert.equal((await ground.queueOf(wants)).length, 6)
  })

  it('are sent again that could not be recorded while others were given back', async () => {
    const of = await ground.owner(['/first', '/second'])
    let second: ServerResponse | null = null
    receiver.answer = ({ path }, response) => {
      if (path === '/second' && second === null) second = response
      else response.end()
    }
    await database.asOwner(`create sequence unrecorded; grant usage, select on sequence unrecorded to bursar_server;
      create function fail_to_record() returns trigger language plpgsql as $$
      begin perform nextval('unrecorded'); raise exception 'not recorded'; end $$;
      create trigger fail_to_record before insert on webhook_attempts for each statement execute function fail_to_record()`)
    const failed = async (): Promise<number> => {
      const { rows } = await database.asOwner('select last_value from unrecorded where is_called')
      return Number((rows[0] as { last_value: bigint } | undefined)?.last_value ?? 0)
    }
    const own = await open(readConfig(env), 'worker')
    const given = Promise.withResolvers<void>()
    let giving = 0
    const { rows } = own.app.db
    own.app.db.rows = async (statement, params) => {
      if (statement.name === 'webhooks.release_unsent' && ++giving === 1) await given.promise
      return rows(statement, params)
    }
    await ground.tell(of, 1)
    await ground.startDispatcher(own)
    await until(async () => giving === 1 && second !== null, 20_000)
    const before = await failed()
    ;(second as unknown as ServerResponse).end()
    await until(async () => (await failed()) > before, 20_000)
    await database.asOwner('drop trigger fail_to_record on webhook_attempts')
    given.resolve()
    assert.deepEqual(await ground.drained(of), { states: { succeeded: 2 }, tries: 2 })
  })

  it('of a business whose endpoints hang hold the places of that business only', async () => {
    const hanging = await ground.owner(Array.from({ length: 20 }, (_, i) => `/hang/${i}`))
    const fine = await ground.owner(['/fine'])
    receiver.answer = ({ path }, response) => void (path.startsWith('/hang') || response.end())
    // All of the hanging business stands before the other, by age and by the order of turns.
    await ground.tell(hanging, 50)
    await ground.startDispatcher()
    const claimed = async () =>
      (await ground.queueOf(hanging)).filter(({ claimed_by }) => claimed_by !== null).length
    await until(async () => (await claimed()) === 20)
    await ground.tell(fine, 100)
    assert.deepEqual(await ground.drained(fine), { states: { succeeded: 100 }, tries: 100 })
    // None of those that hang has ended meanwhile, and they have been given nothing more.
    assert.equal(await claimed(), 20)
    assert.deepEqual((await ground.queueOf(hanging)).length, 1_000)
  })

  it('of 300 endpoints that hang, of many businesses, hold up no other', async () => {
    const hanging: Owner[] = []
    for (let i = 0; i < 15; i++)
      hanging.push(await ground.owner(Array.from({ length: 20 }, (_, n) => `/hang/${i}/${n}`)))
    const fine = await ground.owner(['/fine'])
    // They have taken deliveries before.
    await opened.app.db.query(
      'update webhooks set hangs = false where active and business_id <> $1',
      [fine.id],
    )
    receiver.answer = ({ path }, response) => void (path.startsWith('/hang') || response.end())
    for (const one of hanging) await ground.tell(one, 5)
    await ground.startDispatcher()
    const tried = (): number =>
      receiver.requests.filter(({ path }) => path.startsWith('/hang')).length
    await until(async () => tried() === 300)
    await ground.tell(fine, 100)
    assert.deepEqual(await ground.drained(fine), { states: { succeeded: 100 }, tries: 100 })
    // All of those that hang still do, and have been given nothing more.
    assert.equal(tried(), 300)
    const ids = hanging.map(({ id }) => id)
    const ended = await opened.app.db.query(
      'select from webhook_attempts where business_id = any ($1)',
      [ids],
    )
    assert.equal(ended.length, 0)
  })

  it('of 600 endpoints that hung before, of many businesses, hold up no other in a process that has just started', async () => {
    const hanging: Owner[] = []
    for (let i = 0; i < 30; i++)
      hanging.push(await ground.owner(Array.from({ length: 20 }, (_, n) => `/hang/${i}/${n}`)))
    const fine = await ground.owner(['/fine'])
    const { db } = opened.app
    await db.query(`update webhooks set hangs = true where active and business_id <> $1`, [fine.id])
    receiver.answer = ({ path }, response) => void (path.startsWith('/hang') || response.end())
    for (const one of hanging) await ground.tell(one, 1)
    await ground.startDispatcher()
    const tried = (): number =>
      receiver.requests.filter(({ path }) => path.startsWith('/hang')).length
    await until(async () => tried() >= 256)
    await ground.tell(fine, 100)
    assert.deepEqual(await ground.drained(fine), { states: { succeeded: 100 }, tries: 100 })
    assert.equal(tried(), 256)
  })

  it('leave in the database whether their endpoint hangs', async () => {
    const of = await ground.owner(['/hang', '/refused', '/fine'])
    const hangs = async (): Promise<Record<string, boolean | null>> => {
      const rows = await opened.app.db.query<{ url: string; hangs: boolean | null }>(
        'select url, hangs from webhooks where business_id = $1',
        [of.id],
      )
      return Object.fromEntries(rows.map(({ url, hangs }) => [new URL(url).pathname, hangs]))
    }
    let mended = false
    receiver.answer = ({ path }, response) => {
      if (path === '/refused') response.writeHead(500).end()
      else if (path === '/fine' || mended) response.end()
    }
    await ground.tell(of, 1)
    const impatient = await open(readConfig({ ...env, WEBHOOK_TIMEOUT: '1s' }), 'worker')
    await ground.startDispatcher(impatient)
    await until(async () => (await hangs())['/hang'] === true && (await hangs())['/fine'] === false)
    assert.equal((await hangs())['/refused'], null)
    mended = true
    await ground.tell(of, 1)
    await until(async () => (await hangs())['/hang'] === false)
    assert.deepEqual(await hangs(), { '/hang': false, '/refused': null, '/fine': false })
  })

  it('are sent once each where two dispatchers take them', async () => {
    const one = await ground.owner(['/a', '/b', '/c'])
    await Promise.all([ground.startDispatcher(), ground.startDispatcher()])
    const open_ = new Set<string>()
    receiver.answer = ({ headers, path }, response) => {
      const name = `${headers['x-event-id']} ${path}`
      assert.ok(!open_.has(name), 'two tries at once')
      open_.add(name)
      setImmediate(() => {
        open_.delete(name)
        response.end()
      })
    }
    for (let i = 0; i < 5; i++) await ground.tell(one, 40)
    assert.deepEqual(await ground.drained(one), { states: { succeeded: 600 }, tries: 600 })
    assert.equal(receiver.requests.length, 600)
    assert.equal(
      new Set(receiver.requests.map(({ headers, path }) => `${headers['x-event-id']} ${path}`))
        .size,
      600,
    )
  })

  it('that are claimed by nobody who lives are given back, and what such a claim brings is logged and changes nothing', async () => {
    const one = await ground.owner(['/a'])
    await ground.tell(one, 3)
    const hooks = await opened.app.db.query<{ id: string }>(
      'select id from webhooks where business_id = $1',
      [one.id],
    )
    const claim = (worker: string) =>
      claimDeliveries(opened.app.db, worker, placesOf(one.id, hooks[0]?.id, 10))
    const held = await claim('worker-lost')
    assert.equal(held.length, 3)
    assert.equal((await claim('worker-other')).length, 0)
    await ground.startDispatcher()
    assert.deepEqual(await ground.drained(one), { states: { succeeded: 3 }, tries: 3 })
    const now = opened.app.clock.now()
    await recordAttempts(opened.app.db, {
      worker: 'worker-lost',
      delivery: held[0] as ClaimedDelivery,
      exchange: { status: 500, body: '', durationMs: 1, error: null, retryAfter: null },
      startedAt: now,
      endedAt: now,
      status: 'pending',
      dueAt: now,
    })
    assert.deepEqual(await ground.drained(one), { states: { succeeded: 3 }, tries: 4 })
  })

  it('are recorded by who has claimed each, where two dispatchers share a pool', async () => {
    const one = await ground.owner(['/a'])
    await ground.tell(one, 8)
    const hooks = await opened.app.db.query<{ id: string }>(
      'select id from webhooks where business_id = $1',
      [one.id],
    )
    const claim = async (worker: string) =>
      (await claimDeliveries(opened.app.db, worker, placesOf(one.id, hooks[0]?.id, 4))).map(
        (delivery) => ({ worker, delivery }),
      )
    const [first, second] = [await claim('first'), await claim('second')]
    const now = opened.app.clock.now()
    const ended = {
      exchange: null,
      startedAt: now,
      endedAt: now,
      status: 'succeeded',
      dueAt: null,
    } as const
    const mixed = first.flatMap((own, i) => [own, second[i] as typeof own])
    await Promise.all(mixed.map((own) => recordAttempts(opened.app.db, { ...ended, ...own })))
    assert.deepEqual(await ground.queueOf(one), [])
  })

  it('of live mode are recorded while those of test mode wait for whoever empties them', async () => {
    const one = await ground.owner(['/a'])
    await ground.tell(one, 1)
    const hooks = await opened.app.db.query<{ id: string }>(
      'select id from webhooks where business_id = $1',
      [one.id],
    )
    const places = placesOf(one.id, hooks[0]?.id, 1)
    const [held] = await claimDeliveries(opened.app.db, 'worker', places)
    const now = opened.app.clock.now()
    const ended = {
      worker: 'worker',
      exchange: null,
      startedAt: now,
      endedAt: now,
      status: 'failed',
      dueAt: null,
    } as const
    const recorded: string[] = []
    const record = async (mode: string, delivery: ClaimedDelivery): Promise<void> => {
      await recordAttempts(opened.app.db, { ...ended, delivery })
      recorded.push(mode)
    }
    const emptying = newClient(database.url)
    await emptying.connect()
    await emptying.query('begin')
    await emptying.query('select from webhook_deliveries where business_id = $1 for update', [
      one.id,
    ])
    const waiting = record('test', held as ClaimedDelivery)
    const live = record('live', { ...(held as ClaimedDelivery), livemode: true })
    try {
      await until(async () => recorded.length > 0)
      assert.deepEqual(recorded, ['live'])
    } finally {
      await emptying.query('commit')
      await emptying.end()
      await Promise.all([waiting, live])
    }
    assert.deepEqual(recorded, ['live', 'test'])
  })

  it('that are resent while they are being sent are sent again afterwards, never beside it', async () => {
    const one = await ground.owner(['/a'])
    const waiting: ServerResponse[] = []
    receiver.answer = (_request, response) => void waiting.push(response)
    await ground.tell(one, 1)
    await ground.startDispatcher()
    await until(async () => waiting.length === 1)
    const { docs } = (await one.call('GET', '/webhooks/events')).data
    const { event_id, webhook_id } = docs[0]
    for (let i = 0; i < 2; i++)
      assert.equal(
        (await one.call('POST', '/webhooks/events/resend', { event_id, webhook_id })).status,
        200,
      )
    assert.equal(waiting.length, 1)
    waiting[0]?.end()
    await until(async () => waiting.length === 2)
    assert.equal((await one.call('GET', `/webhooks/events/${docs[0].id}`)).data.status, 'pending')
    assert.deepEqual(
      receiver.requests.map(({ headers }: Received) => headers['x-delivery-attempt']),
      ['1', '1'],
    )
    waiting[1]?.end()
    assert.deepEqual(await ground.drained(one), { states: { succeeded: 1 }, tries: 2 })
  })

  it('that wait are looked at a few times each, whatever plan was made while there were none', async () => {
    const count = 2_000
    const business = 'a'.repeat(24)
    const fill = `insert into webhook_queue (business_id, livemode, delivery_id, webhook_id, due_at)
      select '${business}', true, lpad(to_hex(n), 24, '0'), lpad('', 24, '0'), now() - interval '1 day'
        from generate_series(1, ${count}) n`
    for (const [statement, types, params] of [
      [wakeDue, 'timestamptz, int', 'now(), 200'],
      [wakeOwn.own, 'text, boolean, timestamptz', `'${business}', true, now() - interval '1 hour'`],
    ] as const) {
      const touched = await rowsTouched(database.url, {
        table: 'webhook_queue',
        statement,
        types,
        params,
        fill,
      })
      assert.ok(touched < 20 * count, `${statement.name} touches ${touched} rows`)
      assert.ok(statement.replanned)
    }
  })

  it('that the server cannot sign are left for later, and logged as not tried', async () => {
    const one = await ground.owner(['/a'])
    await opened.app.db.query(`update webhooks set secret = '\\x00' where business_id = $1`, [
      one.id,
    ])
    await ground.tell(one, 1)
    await ground.startDispatcher()
    const [row] = await until(async () => {
      const rows = await ground.queueOf(one)
      return rows[0]?.due_at ? rows : null
    })
    assert.equal(row?.claimed_by, null)
    assert.equal(receiver.requests.length, 0)
  })

  it('go back to the queue at a stop that does not wait for them', async () => {
    const one = await ground.owner(['/a'])
    receiver.answer = 'hang'
    await ground.tell(one, 5)
    await ground.startDispatcher()
    await until(async () => receiver.requests.length === 1)
    await ground.stopDispatchers()
    assert.deepEqual(
      (await ground.queueOf(one)).map(({ claimed_by, due_at }) => [claimed_by, due_at]),
      Array(5).fill([null, null]),
    )
    assert.equal(
      (await opened.app.db.query('select from webhook_attempts where business_id = $1', [one.id]))
        .length,
      0,
    )
  })
})

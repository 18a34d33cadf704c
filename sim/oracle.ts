/**
 * What must be true when all is quiet: nothing is under way, no fault is on, and whatever waits has been waited for.
 */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import type { Chance } from '../test/chance.ts'
import { judgeChain } from './chain.ts'
import { comeToRest, type Incident, judgeIncidents, judgeProviders } from './live.ts'
import type { Expected } from './model.ts'
import { ask, type Json } from './requests.ts'
import { follow } from './streams.ts'
import type { Tally } from './tally.ts'
import { onChain, type Shop, tries, type World } from './world.ts'

const bin = fileURLToPath(new URL('../bin/bursar.js', import.meta.url))
/** How long what waits may take to come to its end once nothing is in its way. */
const restMs = 90_000

/** Looks at everything. */
export async function judge(world: World, by: Chance, tally: Tally): Promise<void> {
  const live = world.shops.at(-1) as Shop
  await comeToRest(by, world, live, tally)
  await rest(world, tally)
  await Promise.all(
    world.shops.map(async (shop) => {
      if (shop === world.shops[onChain]) await judgeChain(world, shop, () => recordsOf(shop, tally), tally)
      const records = await recordsOf(shop, tally)
      if (shop === live) await judgeProviders(world, shop, records, tally)
      await judgeRecords(shop, records, tally)
      await judgeOwned(shop, tally)
      await judgeAbsent(shop, tally)
    }),
  )
  await judgeDeliveries(world, tally)
  await Promise.all(world.shops.map((shop) => judgeStream(shop, tally)))
  await judgeSandbox(world, tally)
  const incidents = await world.database.ask<Incident>('select rail, kind, subject from provider_incidents')
  judgeIncidents(incidents, tally)
  await verifyLedger(world, tally)
  judgeLogs(world, tally)
}

async function until(done: () => Promise<boolean>, ms: number): Promise<boolean> {
  const deadline = performance.now() + ms
  while (!(await done())) {
    if (performance.now() > deadline) return false
    await sleep(250)
  }
  return true
}

/** Who is alive, for who looks into what waits. */
async function pictureOf({ database, slots }: World): Promise<string> {
  const alive = await database.ask(
    `select l.pid, l.objid::bigint as name, a.backend_start, a.state, a.query from pg_locks l join pg_stat_activity a using (pid)
      where l.locktype = 'advisory' and l.classid = 1651864179`,
  )
  const held = await database.ask(
    `select name, hashtext(name)::bigint & x'ffffffff'::bigint as hash
       from (select locked_by from graphile_worker._private_jobs union select claimed_by from webhook_queue) as held (name)`,
  )
  const backends = await database.ask(
    "select pid, state, wait_event, state_change, left(query, 100) as query from pg_stat_activity where usename = 'bursar_server' order by state_change",
  )
  const health = await Promise.all(
    slots.map(({ url }) => fetch(`${url}/health`).then((answer) => answer.text(), String)),
  )
  return JSON.stringify(
    { alive, held, backends, health },
    (_, value) => (typeof value === 'bigint' ? String(value) : value),
    1,
  )
}

/** What is due within this time of a business is waited for, by moving its clock. */
const soon = '2 minutes'

/** Waits until no job, timer or delivery is due, or will be soon. */
async function rest(world: World, tally: Tally): Promise<void> {
  const { database, clock } = world
  const waiting = (ahead: string): Promise<{ what: string }[]> =>
    database.ask(
      `select 'timer ' || t.task || ' ' || t.subject as what
         from timers t left join test_clocks c on c.business_id = t.business_id
        where t.due_at is null or t.due_at <= $2::timestamptz + make_interval(secs => case when t.livemode then 0 else coalesce(c.offset_ms, 0) end / 1000.0) + $1::interval
       union all select 'job ' || k.identifier || ' ' || j.payload::text || ', locked by ' || coalesce(j.locked_by, 'nobody') || ', attempt ' || j.attempts || ' of ' || j.max_attempts
         from graphile_worker._private_jobs j join graphile_worker._private_tasks k on k.id = j.task_id
       union all select 'delivery ' || delivery_id || ' due ' || coalesce(due_at::text, 'now') from webhook_queue`,
      [ahead, clock.now()],
    )
  let left: { what: string }[] = []
  const quiet = await until(async () => {
    left = await waiting(soon)
    if (left.length > 0 && (await waiting('0')).length === 0) clock.move(30_000)
    return left.length === 0
  }, restMs)
  tally.check('rests')
  if (!quiet) tally.note(await pictureOf(world))
  if (!quiet)
    for (const { what } of left) tally.finding('waits for nothing', `${what}, ${restMs / 1000} s after all was well`)
}

/** Does something for each, several at a time. */
async function forEach<T>(all: Iterable<T>, run: (one: T) => Promise<void>): Promise<void> {
  const left = all[Symbol.iterator]()
  const work = async (): Promise<void> => {
    for (let next = left.next(); !next.done; next = left.next()) await run(next.value)
  }
  await Promise.all(Array.from({ length: 6 }, work))
}

/** Every record of money there is, by its kind and id, as lists have them. */
async function recordsOf({ asking }: Shop, tally: Tally): Promise<Map<string, Json>> {
  const lists = {
    payout: '/payouts',
    payment: '/payments',
    refund: '/refunds',
    conversion: '/conversions',
    dispute: '/disputes',
    deposit: '/transactions?type=deposit',
  }
  const records = new Map<string, Json>()
  await forEach(Object.entries(lists), async ([kind, path]) => {
    for (let page = 1; ; page++) {
      const { status, data } = await ask(
        asking,
        'GET',
        `${path}${path.includes('?') ? '&' : '?'}limit=100&page=${page}`,
      )
      if (status !== 200) {
        tally.finding('list', `${path}, page ${page}: ${status}`)
        break
      }
      for (const record of data.docs) records.set(record.id, { kind, record })
      if (!data.hasNextPage) break
    }
  })
  return records
}

const differing = (fields: Json, record: Json): string[] =>
  Object.keys(fields).filter((field) => !isDeepStrictEqual(fields[field], record[field]))

async function judgeRecords({ model, asking }: Shop, records: Map<string, Json>, tally: Tally): Promise<void> {
  const available: Record<string, bigint> = { ...model.given }
  const pending: Record<string, bigint> = { ngn: 0n, usd: 0n }
  const add = (into: Record<string, bigint>, moved: [string, bigint][]): void => {
    for (const [currency, amount] of moved) into[currency] = (into[currency] ?? 0n) + amount
  }
  const events = await eventsOf({ model, asking } as Shop)
  for (const [id, expected] of model.records) {
    const record = records.get(id)?.record
    const named = `${model.name}: ${expected.kind} ${expected.path}`
    if (record === undefined) {
      tally.finding('answered, and lost', `${named} is in no list`)
      continue
    }
    const wrong = differing(expected.fields, record)
    if (wrong.length > 0)
      tally.finding(
        'answered otherwise',
        `${named}: ${wrong.map((field) => `${field} was ${expected.fields[field]}, is ${record[field]}`)}`,
      )
    if (!expected.ends.has(String(record.status)))
      tally.finding('end', `${named} is ${record.status}, not ${[...expected.ends].join(' or ')}`)
    add(available, expected.available(record))
    add(pending, expected.pending?.(record) ?? [])
    judgeEvents(named, expected, record, events.get(id) ?? [], tally)
  }
  for (const [id, { kind }] of records)
    if (!model.records.has(id)) tally.finding('refused, and there', `${model.name}: ${kind} ${id} is nobody's`)
  tally.check('records', records.size)
  const { data: wallets } = await ask(asking, 'GET', '/wallets')
  for (const currency of ['ngn', 'usd']) {
    const wallet = wallets.find((one: Json) => one.currency === currency) ?? { available: 0, pending: 0 }
    tally.check('wallets')
    for (const [what, expected] of [
      ['available', available[currency]],
      ['pending', pending[currency]],
    ] as const)
      if (BigInt(wallet[what]) !== expected)
        tally.finding('money', `${model.name}: ${currency} ${what} is ${wallet[what]}, and should be ${expected}`)
  }
}

function judgeEvents(named: string, { events }: Expected, record: Json, types: string[], tally: Tally): void {
  if (!events) return
  const should = events(record)
  if (!isDeepStrictEqual([...types].sort(), should))
    tally.finding('events', `${named}: told ${types.join(', ') || 'nothing'}, not ${should.join(', ')}`)
}

/** The types of events by the record that they are about. */
async function eventsOf({ asking }: Shop): Promise<Map<string, string[]>> {
  const types = new Map<string, string[]>()
  for (let page = 1; ; page++) {
    const { data } = await ask(asking, 'GET', `/events?limit=100&page=${page}`)
    for (const { type, payload } of data.docs) types.set(payload.id, [...(types.get(payload.id) ?? []), type])
    if (!data.hasNextPage) return types
  }
}

async function judgeOwned({ model, asking }: Shop, tally: Tally): Promise<void> {
  await forEach(model.owned, async ([path, record]) => {
    const { status, data } = await ask(asking, 'GET', path)
    if (status !== 200) tally.finding('answered, and lost', `${model.name}: GET ${path}: ${status}`)
    else {
      // What time alone changes is not the client's.
      const wrong = differing(record, data).filter((field) => field !== 'updated_at' && record[field] !== 'cooling_off')
      if (wrong.length > 0)
        tally.finding(
          'answered otherwise',
          `${model.name}: ${path}: ${wrong.map((field) => `${field} was ${JSON.stringify(record[field])}, is ${JSON.stringify(data[field])}`)}`,
        )
    }
  })
  tally.check('own records', model.owned.size)
}

/** Looked at once each: what is not there now is not made later. */
async function judgeAbsent({ model, asking }: Shop, tally: Tally): Promise<void> {
  await forEach(model.absent, async (path) => {
    const { status } = await ask(asking, 'GET', path)
    if (status !== 404) tally.finding('refused, and there', `${model.name}: GET ${path}: ${status}`)
  })
  tally.check('refused writes', model.absent.size)
  model.absent.clear()
}

/** Whether what was sent is what the row has. What is personal is sealed beside the row, which has null in its place. */
function isSame(row: Json, sent: Json): boolean {
  if (row === null || typeof row !== 'object') return row === null || row === sent
  return Object.keys(row).every((field) => isSame(row[field], sent?.[field]))
}

/** Every event came to every endpoint, and says what its row says. */
async function judgeDeliveries(world: World, tally: Tally): Promise<void> {
  const since = '2000-01-01T00:00:00Z'
  const early = await world.database.ask<{ what: string }>(
    `select 'delivery ' || id || ' of ' || type || ' after ' || tries || ' tries' as what
       from webhook_deliveries where status = 'failed' and tries < $1 and webhook_id = any ($2)`,
    [tries, world.shops.flatMap(({ model }) => model.endpoints.map(({ id }) => id))],
  )
  for (const { what } of early) tally.finding('given up early', what)
  const failed = await world.database.ask<{ event_id: string }>(
    "select event_id from webhook_deliveries where status = 'failed'",
  )
  for (const { model } of world.shops) for (const { event_id } of failed) model.resent.add(event_id)
  for (const { model, asking } of world.shops)
    for (const { id } of model.endpoints)
      await ask(asking, 'POST', `/webhooks/${id}/recover`, { since }, `recover-${id}-${tally.seconds()}`)
  await rest(world, tally)
  for (const { model } of world.shops) {
    const events = await world.database.ask<{ id: string; body: string }>(
      'select id, body from events where business_id = $1 and livemode = $2',
      [model.id, model.livemode],
    )
    tally.check('events', events.length)
    for (const endpoint of model.endpoints) {
      const there = new Set(events.map(({ id }) => id))
      for (const { id, body } of events) {
        const taken = endpoint.taken.get(id)
        if (taken === undefined) tally.finding('event never delivered', `${model.name}: ${id} ${body.slice(0, 80)}`)
        else if (!isSame(JSON.parse(body), JSON.parse(taken.body)))
          tally.finding('webhook bytes', `${model.name}: event ${id} was delivered with other bytes`)
      }
      for (const id of endpoint.taken.keys())
        if (!there.has(id)) tally.finding('event that is none', `${model.name}: ${id} was delivered and is not there`)
    }
  }
}

/** Who stayed on the stream, however often it was cut, has what one has who reads it now in one go: each event once, in one order. */
async function judgeStream({ model, asking, follower }: Shop, tally: Tally): Promise<void> {
  const events = new Set([...(await idsOf(asking))])
  const fresh = follow(asking.apis, asking.key, () => 0)
  const whole = (seen: Map<string, number>) => async (): Promise<boolean> => [...events].every((id) => seen.has(id))
  if (!(await until(whole(fresh.times), 30_000)))
    tally.finding('stream', `${model.name}: a new reader gets ${fresh.times.size} of ${events.size} events`)
  if (!(await until(whole(follower.times), 30_000)))
    tally.finding('stream', `${model.name}: who stayed has ${follower.times.size} of ${events.size} events`)
  await fresh.stop()
  for (const [id, times] of follower.times)
    if (times > 1 && !model.resent.has(id)) tally.finding('stream', `${model.name}: event ${id} came ${times} times`)
  const once = (order: string[]): string[] => order.filter((id) => !model.resent.has(id))
  const [stayed, came] = [once(follower.order), once(fresh.order)]
  const first = stayed.findIndex((id, n) => came[n] !== id)
  if (first >= 0)
    tally.finding(
      'stream',
      `${model.name}: the order differs from event ${first} on: ${stayed[first]}, not ${came[first]}`,
    )
  tally.check('events in the stream', follower.order.length)
}

async function idsOf(asking: Shop['asking']): Promise<string[]> {
  const ids: string[] = []
  for (let page = 1; ; page++) {
    const { data } = await ask(asking, 'GET', `/events?limit=100&page=${page}`)
    ids.push(...data.docs.map((event: Json) => event.id))
    if (!data.hasNextPage) return ids
  }
}

/** The sandbox's books, which are a bank's and not ours, against payouts and card payments. */
async function judgeSandbox({ database }: World, tally: Tally): Promise<void> {
  const wrong = await database.ask<{ what: string }>(
    `select concat_ws(' ', 'payout', p.id, p.status, 'and the bank has', coalesce(o.outcome, 'nothing'), case when o.taken then 'taken' end, o.returned) as what
       from payouts p left join sandbox_orders o on o.business_id = p.business_id and o.id = p.id
      where not p.livemode and (
            (p.status in ('completed', 'returned')) is distinct from (coalesce(o.taken and o.outcome = 'completed' and o.settles_at is not null and p.status <> 'processing', false))
         or (p.status = 'returned') is distinct from (o.returned is not null))`,
  )
  const strange = await database.ask<{ what: string }>(
    `select concat_ws(' ', 'the bank has', o.id, o.outcome, 'which is no order of ours') as what
       from sandbox_orders o
      where not exists (select from payouts p where p.business_id = o.business_id and p.id = o.id)
        and not exists (select from refunds r where r.business_id = o.business_id and r.id = o.id)`,
  )
  for (const { what } of [...wrong, ...strange]) tally.finding('executed outside', what)
  tally.check('looks at the bank')
}

async function verifyLedger({ env, database }: World, tally: Tally): Promise<void> {
  const child = spawn(process.execPath, [bin, 'ledger', 'verify', '--json'], {
    env: { ...process.env, ...env, DATABASE_URL: database.url },
  })
  let out = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      out += chunk
    })
  const code = await new Promise((resolve) => child.on('close', resolve))
  tally.check('ledger verify')
  const differences: Json[] = out.trim().startsWith('{') ? JSON.parse(out).differences : []
  for (const difference of differences) tally.finding('ledger verify', JSON.stringify(difference))
  if (code !== 0 && differences.length === 0) tally.finding('ledger verify', out.slice(0, 500))
}

/** How far each log has been read. */
const read = new Map<string, number>()

function judgeLogs({ slots, secrets }: World, tally: Tally): void {
  for (const { name, log } of slots) {
    const text = readFileSync(log, 'utf8')
    const fresh = text.slice(read.get(log) ?? 0)
    read.set(log, text.length)
    for (const secret of secrets)
      if (fresh.includes(secret)) tally.finding('secret in a log', `${name}: ${secret.slice(0, 8)}…`)
    for (const line of fresh.split('\n'))
      if (/^\{"level":(50|60)/.test(line) && !explained.test(line))
        tally.finding('unexplained error', `${name}: ${line.slice(0, 700)}`)
    tally.check('lines of logs', fresh.split('\n').length)
  }
}

/** What a database that is killed, or a connection that is cut, makes of an error. */
const explained =
  /"status":503|needs a person|could not be (reached|asked)|connection error and is not queryable|database_unavailable|database (cannot|connection)|Connection terminated|ECONN|EPIPE|57P0|08P01|terminating connection|recovery mode|starting up|not (yet )?accepting|a group of workers ended and is started again|server closed|connection slots|too many clients|timeout exceeded|timeout expired|premature close|aborted/i

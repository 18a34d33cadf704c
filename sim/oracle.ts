/**
 * What must be true when all is quiet: nothing is under way, no fault is on, and whatever waits has
 * been waited for.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Chance } from '../test/support/chance.ts'
import { judgeChain } from './blocks.ts'
import { judgeCharges } from './charged.ts'
import { command, printed } from './copies.ts'
import type { Database } from './database.ts'
import { numberOfPerson } from './doubles/dojah.ts'
import { type Incident, judgeIncidents } from './incidents.ts'
import { comeToRest, judgeProviders } from './live.ts'
import { judgeLiveCards } from './live-charged.ts'
import { judgeDocuments } from './live-documents.ts'
import { type Found, forEach, newEvents, recordsOf } from './looks.ts'
import type { Expected, Model, Moved } from './model.ts'
import { judgeDeliveries, judgeStream } from './notified.ts'
import { readFrom } from './processes.ts'
import { ask, type Json, until } from './requests.ts'
import { onChain } from './setup.ts'
import { judgeSpending, spendToRest } from './spending.ts'
import type { Tally } from './tally.ts'
import type { Shop, World } from './world.ts'

/** How long what waits may take to come to its end once nothing is in its way. */
const restMs = 90_000
const minuteMs = 60_000

/**
 * Looks at what has changed since it looked last, and at all wallets.
 * @param whole at all that there is
 */
export async function judge(world: World, by: Chance, tally: Tally, whole: boolean): Promise<void> {
  const live = world.shops.at(-1) as Shop
  await comeToRest(by, world, live, tally)
  await spendToRest(world, tally)
  await rest(world, tally)
  const news = new Map<Shop, string[]>()
  await Promise.all(
    world.shops.map(async (shop) => {
      const { model, asking } = shop
      const { since } = model
      const told = await newEvents(model, asking, since, tally)
      news.set(
        shop,
        told.map(({ id }) => id),
      )
      await judgeCharges(world.database, model, asking, tally)
      if (shop === live) await judgeLiveCards(world, shop, tally)
      if (shop === live) await judgeDocuments(world, shop, tally)
      const changed = (from: Date | null) => () => recordsOf(model, asking, from, tally)
      if (shop === world.shops[onChain]) {
        await judgeChain(world, shop, changed(since), tally)
        await judgeSpending(world, shop, tally)
      }
      const records = await changed(whole ? null : since)()
      if (shop === live) await judgeProviders(world, shop, records, tally)
      await judgeRecords(world, shop, records, whole, tally)
      await judgeOwned(shop, whole, tally)
      await judgeAbsent(shop, tally)
    }),
  )
  await judgeDeliveries(world, news, () => rest(world, tally), tally)
  await Promise.all(world.shops.map((shop) => judgeStream(shop, news.get(shop) as string[], tally)))
  await judgeSandbox(world, tally)
  const incidents = await world.database.ask<Incident>(
    'select rail, kind, subject, detail from provider_incidents',
  )
  judgeIncidents(incidents, world.doubles.befallen(), world.doubles.attention, tally)
  await judgeVerifications(world, tally)
  await verifyLedger(world, tally)
  judgeLogs(world, tally)
  for (const { model } of world.shops)
    if (model.newest > 0)
      model.since = new Date(model.newest - 2 * world.clock.setBack() - minuteMs)
}

/** Who is alive, for who looks into what waits. */
async function pictureOf({ database, slots }: World): Promise<string> {
  const alive = await database.ask(
    `select l.pid, l.objid::bigint as name, a.backend_start, a.state, a.query from pg_locks l join pg_stat_activity a using (pid)
      where l.locktype = 'advisory' and l.classid = 1651864179`,
  )
  const held = await database.ask(
    `select name, hashtext(name)::bigint & x'ffffffff'::bigint as hash
       from (select locked_by from graphile_worker._private_jobs union select claimed_by from webhook_queue
             union select claimed_by from timers) as held (name)`,
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

/**
 * A job that failed waits by PostgreSQL's clock, which cannot be moved: e^n seconds after its nth
 * try. So its wait is let go by.
 */
const hasten =
  'update graphile_worker._private_jobs set run_at = now() where run_at > now() and locked_at is null'
const hastenEachMs = 5_000

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
  let hastenAt = 0
  const quiet = await until(async () => {
    left = await waiting(soon)
    if (left.length > 0 && (await waiting('0')).length === 0) clock.move(30_000)
    if (left.length > 0 && performance.now() > hastenAt) {
      hastenAt = performance.now() + hastenEachMs
      await database.ask(hasten)
    }
    return left.length === 0
  }, restMs)
  tally.check('rests')
  if (!quiet) tally.note(await pictureOf(world))
  if (!quiet)
    for (const { what } of left)
      tally.finding('waits for nothing', `${what}, ${restMs / 1000} s after all was well`)
}

const differing = (fields: Json, record: Json): string[] =>
  Object.keys(fields).filter((field) => !isDeepStrictEqual(fields[field], record[field]))

async function judgeRecords(
  { database }: World,
  { model, asking }: Shop,
  records: Map<string, Found>,
  whole: boolean,
  tally: Tally,
): Promise<void> {
  for (const id of whole ? model.records.keys() : model.touched) {
    const { kind, path } = model.records.get(id) as Expected
    if (!records.has(id))
      tally.finding('answered, and lost', `${model.name}: ${kind} ${path} is not there`)
  }
  model.touched.clear()
  for (const [id, { kind, record }] of records) {
    const expected = model.records.get(id)
    if (!expected) {
      tally.finding('refused, and there', `${model.name}: ${kind} ${id} is nobody's`)
      continue
    }
    const named = `${model.name}: ${kind} ${expected.path}`
    const wrong = differing(expected.fields, record)
    if (wrong.length > 0)
      tally.finding(
        'answered otherwise',
        `${named}: ${wrong.map((field) => `${field} was ${expected.fields[field]}, is ${record[field]}`)}`,
      )
    if (!expected.ends.has(String(record.status)))
      tally.finding('end', `${named} is ${record.status}, not ${[...expected.ends].join(' or ')}`)
    judgeEvents(named, expected, record, model.told.get(id) ?? [], tally)
    const seen = {
      status: String(record.status),
      available: expected.available(record),
      pending: expected.pending?.(record) ?? [],
    }
    for (const what of ['available', 'pending'] as const) {
      add(model.moved[what], expected.seen?.[what] ?? [], -1n)
      add(model.moved[what], seen[what], 1n)
    }
    expected.seen = seen
  }
  tally.check('records', records.size)
  const { data: wallets } = await ask(asking, 'GET', '/wallets')
  for (const currency of ['ngn', 'usd']) {
    const wallet = wallets.find((one: Json) => one.currency === currency) ?? {
      available: 0,
      pending: 0,
    }
    const available = (model.given[currency] ?? 0n) + (model.moved.available[currency] ?? 0n)
    tally.check('wallets')
    for (const [what, expected] of [
      ['available', available],
      ['pending', model.moved.pending[currency]],
    ] as const)
      if (BigInt(wallet[what]) !== expected)
        tally.finding(
          'money',
          `${model.name}: ${currency} ${what} is ${wallet[what]}, and should be ${expected}; ${await whoMoved(database, model, currency, what)}`,
        )
  }
}

/** Which records moved other than the model says, for who looks into it. */
async function whoMoved(
  database: Database,
  model: Model,
  currency: string,
  what: 'available' | 'pending',
) {
  const rows = await database.ask<{ subject: string; moved: string; kinds: string }>(
    `select p.subject, sum(case when credit_account = a.id then amount else -amount end)::text as moved, string_agg(kind || ' ' || amount, ', ') as kinds
       from ledger_accounts a join ledger_postings p on p.business_id = a.business_id and p.livemode = a.livemode and a.id in (p.credit_account, p.debit_account)
      where a.business_id = $1 and a.livemode = $2 and a.currency = $3 and a.purpose = $4 group by p.subject`,
    [model.id, model.livemode, currency, `wallet_${what}`],
  )
  const other = rows.filter(({ subject, moved }) => {
    const seen = model.records.get(subject)?.seen
    return (
      seen &&
      String(seen[what].filter(([of]) => of === currency).reduce((sum, [, n]) => sum + n, 0n)) !==
        moved
    )
  })
  const nobodys = rows.filter(({ subject }) => !model.records.has(subject))
  const given = nobodys.reduce((sum, { moved }) => sum + BigInt(moved), 0n)
  return `${other.map(({ subject, kinds }) => `${model.records.get(subject)?.path}: ${kinds}`).join('; ')}; what is of no record comes to ${given}, and ${model.given[currency]} was given`
}

function add(into: Record<string, bigint>, moved: Moved, times: bigint): void {
  for (const [currency, amount] of moved) into[currency] = (into[currency] ?? 0n) + times * amount
}

function judgeEvents(
  named: string,
  { events }: Expected,
  record: Json,
  types: string[],
  tally: Tally,
): void {
  if (!events) return
  const should = events(record)
  if (!isDeepStrictEqual([...types].sort(), should))
    tally.finding(
      'events',
      `${named}: told ${types.join(', ') || 'nothing'}, not ${should.join(', ')}`,
    )
}

/** What time alone changes is not the client's. */
const ofTime = new Set([
  'updated_at',
  'upcoming',
  'next_run_at',
  'next_amount',
  'next_skip',
  'last_run',
])

async function judgeOwned({ model, asking }: Shop, whole: boolean, tally: Tally): Promise<void> {
  const paths = whole ? [...model.owned.keys()] : [...model.written]
  model.written.clear()
  await forEach(paths, async (path) => {
    const record = model.owned.get(path)
    const { status, data } = await ask(asking, 'GET', path)
    if (status !== 200) tally.finding('answered, and lost', `${model.name}: GET ${path}: ${status}`)
    else {
      const wrong = differing(record, data).filter(
        (field) => !ofTime.has(field) && record[field] !== 'cooling_off',
      )
      if (wrong.length > 0)
        tally.finding(
          'answered otherwise',
          `${model.name}: ${path}: ${wrong.map((field) => `${field} was ${JSON.stringify(record[field])}, is ${JSON.stringify(data[field])}`)}`,
        )
    }
  })
  tally.check('own records', paths.length)
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

/** The sandbox's books, which are a bank's and not ours, against payouts and card payments. */
async function judgeSandbox({ database }: World, tally: Tally): Promise<void> {
  const wrong = await database.ask<{ what: string }>(
    `select concat_ws(' ', 'payout', p.id, p.status, 'and the bank has', coalesce(o.outcome, 'nothing'), case when o.taken then 'taken' end, o.returned) as what
       from payouts p left join sandbox_orders o on o.business_id = p.business_id and o.id = p.id
      where not p.livemode and p.method <> 'crypto' and (
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

/** Those that the operator had made while all that went on, of books that move. */
async function judgeVerifications({ database }: World, tally: Tally): Promise<void> {
  const made = await database.ask<{ status: string; n: number; differs: string | null }>(
    'select status, count(*)::integer as n, min(left(differences::text, 500)) as differs from ledger_verifications group by 1',
  )
  for (const { status, n, differs } of made) {
    tally.check(`verifications of the ledger under load: ${status}`, n)
    if (status !== 'clean' && status !== 'unfinished')
      tally.finding('verification', `${n} are ${status}: ${differs}`)
  }
}

/** All of history, and what was sealed of it while all that went on. */
async function verifyLedger({ env }: World, tally: Tally): Promise<void> {
  for (const what of ['--whole', '--chain']) {
    const { code, out } = await command(['ledger', 'verify', what, '--json'], env)
    const name = `ledger verify ${what}`
    tally.check(name)
    const { differences = [], postings = 0 }: Json = out.trim().startsWith('{')
      ? JSON.parse(out)
      : {}
    if (what === '--chain') tally.check('postings held against their chain', Number(postings))
    for (const difference of differences) tally.finding(name, JSON.stringify(difference))
    if (code !== 0 && differences.length === 0) tally.finding(name, out.slice(0, 500))
  }
}

/**
 * A whole key, of a business or the operator, or a webhook secret. A run makes thousands, and a log
 * is looked through once for all of them.
 */
const keyOfOurs = /(?:sk_(?:test|live)|op|weh)_[0-9A-Za-z]{20,}/g

/** How far each log has been read. */
const read = new Map<string, number>()

function judgeLogs({ logs, secrets }: World, tally: Tally): void {
  const search = (name: string, text: string): void => {
    const found = [keyOfOurs, numberOfPerson].flatMap((one) => text.match(one) ?? [])
    for (const secret of [...secrets.filter((one) => text.includes(one)), ...found])
      tally.finding('secret in a log', `${name}: ${secret.slice(0, 8)}…`)
  }
  for (const out of printed.splice(0)) search('a command', out)
  for (const { name, log } of logs) {
    const bytes = readFrom(log, read.get(log) ?? 0)
    read.set(log, (read.get(log) ?? 0) + bytes.length)
    const fresh = bytes.toString()
    search(name, fresh)
    for (const line of fresh.split('\n'))
      if (/^\{"level":(50|60)/.test(line) && !explained.test(line))
        tally.finding('unexplained error', `${name}: ${line.slice(0, 700)}`)
    tally.check('lines of logs', fresh.split('\n').length)
  }
}

/**
 * What a database that is killed, or a connection that is cut, makes of an error; and what a
 * process finds of a provider that it still asks when its time to end is over, which has nothing
 * but the line of its log; and a provider that refuses to begin a payment for no reason of ours, or
 * because the clock has leapt past the end of its page.
 */
const explained =
  /Cannot use a pool after calling end on the pool.*an incident could not be written|"code":"(unprocessed","msg":"Paystack|(invalid_parameters|expires_at)","msg":"Stripe) refuses to begin a payment"|"status":503|needs a person|could not be (reached|asked)|(connection error|was closed) and is not queryable|database_unavailable|database (cannot|connection)|Connection terminated|ECONN|EPIPE|57P0|08P01|terminating connection|recovery mode|starting up|not (yet )?accepting|a group of workers ended and is started again|server closed|connection slots|too many clients|timeout exceeded|timeout expired|premature close|No space left on device|aborted|(?<!was used by a transaction that is not ours.*)"(payouts|sweeps) are held up"/i

/** The moment at which a move goes from the old database to the new one: while writers wait, and for less than five seconds. */
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import { copyRows } from './copy.ts'
import { foldText } from './counts.ts'
import { type Client, type Followed, type Move, MoveError } from './moves-tables.ts'

type Switch = { move: Move; name: string; tables: readonly Followed[]; from: Client; to: Client }

/** The class of the advisory lock that `guard_moved` takes. */
const lockClass = 1_701_671_030
/** How long writers may wait. What takes longer is given up, and tried again. */
const pauseMs = 4_000
const lockWaitMs = 1_000
const tries = 10
const betweenMs = 1_000

/** Held too long: nothing was done. */
class Late extends Error {}

export async function switchOver(asked: Switch): Promise<{ pauseMs: number; compared: string }> {
  let last: unknown
  for (let n = 0; n < tries; n++) {
    try {
      return await once(asked)
    } catch (error) {
      const code = (error as { code?: string }).code ?? ''
      // A lock that was not had in time, or a deadlock.
      if (!(error instanceof Late) && code !== '55P03' && code !== '40P01') throw error
      last = error
    }
    await sleep(betweenMs)
  }
  throw new MoveError(
    `It could not be done within ${pauseMs} ms, in ${tries} tries (${(last as Error).message}). Nothing has changed.`,
  )
}

async function once({ move, name, tables, from, to }: Switch): Promise<{ pauseMs: number; compared: string }> {
  const subject = move.business ?? ''
  await to.query(`alter subscription ${name} enable`)
  // Writers do not wait for what is still to come.
  await arrive(from, name, performance.now() + 60_000)
  await from.query(`set lock_timeout = ${lockWaitMs}`)
  const startedAt = performance.now()
  const deadline = startedAt + pauseMs
  try {
    await from.query('select pg_advisory_lock($1, hashtext($2))', [lockClass, subject])
    await from.query(foldText(move.business === null ? 'true' : `business_id = '${move.business}'`), [null])
    await arrive(from, name, deadline)
    const compared = await compare(from, to, move, tables)
    await stopFollowing(to, name, deadline)
    await prepareTarget({ move, name, tables, from, to })
    if (performance.now() > deadline) throw new Late('the new database was not ready')
    await retire(from, move)
    return { pauseMs: Math.round(performance.now() - startedAt), compared }
  } finally {
    await from.query('rollback').catch(() => {})
    await from.query('reset lock_timeout').catch(() => {})
    await from.query('select pg_advisory_unlock_all()').catch(() => {})
    if (move.business !== null) await dropWork(from, move.business).catch(() => {})
  }
}

/** Waits until the new database has all that is committed now. @throws {Late} */
async function arrive(from: Client, name: string, deadline: number): Promise<void> {
  const { rows: at } = await from.query<{ lsn: string }>('select pg_current_wal_insert_lsn() as lsn')
  for (;;) {
    const { rows } = await from.query<{ there: boolean }>(
      'select confirmed_flush_lsn >= $2::pg_lsn as there from pg_replication_slots where slot_name = $1',
      [name, at[0]?.lsn],
    )
    if (rows.length === 0)
      throw new MoveError(
        'The old database does not know the subscription any more: give the move up, and begin again.',
      )
    if (rows[0]?.there) return
    if (performance.now() > deadline) throw new Late('the new database is behind')
    await sleep(20)
  }
}

/** From here on nothing that is written at the old database comes. */
async function stopFollowing(to: Client, name: string, deadline: number): Promise<void> {
  await to.query(`alter subscription ${name} disable`)
  for (;;) {
    const { rows } = await to.query('select from pg_stat_subscription where subname = $1 and pid is not null', [name])
    if (rows.length === 0) return
    if (performance.now() > deadline) throw new Late('the subscription did not stop')
    await sleep(10)
  }
}

/** What both sides must say alike. The books are verified whole before; these are what can be read while writers wait. */
const comparisons: Record<string, string> = {
  'ledger accounts and their balances': `
    select count(*) || ' ' || coalesce(sum(balance), 0) || ' ' || coalesce(md5(string_agg(id || ':' || balance, ',' order by business_id, livemode, id)), '') as is
      from ledger_accounts where $1::text in (business_id, '')`,
  'counts of lists': `
    select count(*) || ' ' || coalesce(sum(rows), 0) as is from list_counts where $1::text in (business_id, '')`,
  'sums of postings': `
    select count(*) || ' ' || coalesce(sum(amount), 0) || ' ' || coalesce(sum(count), 0) as is
      from posting_sums where $1::text in (business_id, '') and span = 'day'`,
  timers: `select count(*)::text as is from timers where $1::text in (business_id, '')`,
  'waiting deliveries': `select count(*)::text as is from webhook_queue where $1::text in (business_id, '')`,
}

/** @throws {MoveError} that names what differs */
async function compare(from: Client, to: Client, { business }: Move, tables: readonly Followed[]): Promise<string> {
  for (const [what, text] of Object.entries(comparisons)) {
    const [here, there] = await Promise.all(
      [from, to].map(async (client) => (await client.query<{ is: string }>(text, [business ?? ''])).rows[0]?.is),
    )
    if (here !== there)
      throw new MoveError(`The two sides differ in ${what}: ${here}, and ${there}. Nothing has changed.`)
  }
  return `${Object.keys(comparisons).join(', ')}; ${tables.length} tables were followed`
}

/** What replication does not bring. All of it can be done again. */
async function prepareTarget({ move, tables, from, to }: Switch): Promise<void> {
  await to.query('begin')
  const { rows: sequences } = await from.query<{ name: string; last: string | null }>(
    `select sequencename as name, last_value::text as last from pg_sequences where schemaname = current_schema()`,
  )
  for (const { name, last } of sequences)
    if (last !== null) await to.query('select setval($1::regclass, $2::bigint)', [name, last])
  await moveJobs(from, to, move)
  if (move.business !== null) await copyPeople(from, to, move.business)
  else await copyMoves(from, to)
  await to.query('select keep_event_positions()')
  await to.query('commit')
  await to.query(
    `analyze ${tables
      .filter(({ guarded }) => !guarded)
      .map(({ name }) => name)
      .join(', ')}`,
  )
}

/** A job of before, as the timer that it was: it runs again at the other side, as after the death of its worker. */
async function moveJobs(from: Client, to: Client, { business }: Move): Promise<void> {
  const { rows } = await from.query<{ task: string; at: Date; payload: Record<string, unknown> }>(
    `select t.identifier as task, j.run_at as at, j.payload
       from graphile_worker._private_jobs j
       join graphile_worker._private_tasks t on t.id = j.task_id
      where $1::text in (j.payload ->> 'business_id', '') and (j.attempts < j.max_attempts or j.locked_at is not null)`,
    [business ?? ''],
  )
  await to.query(`delete from timers where payload ? 'moved'`)
  const now = systemClock.now()
  for (const { task, at, payload } of rows) {
    const { business_id: whose, livemode, ...own } = payload
    const subject = Object.values(own).find((value) => typeof value === 'string' && /^[0-9a-f]{24}$/.test(value))
    await to.query(
      `insert into timers (business_id, livemode, id, due_at, task, subject, payload) values ($1, $2, $3, $4, $5, $6, $7)`,
      [
        whose,
        livemode,
        newId(now),
        at > now ? at : null,
        task,
        subject ?? whose,
        JSON.stringify({ ...own, moved: true }),
      ],
    )
  }
}

/** Those who belong to the business, as they are now, and how they sign in. */
async function copyPeople(from: Client, to: Client, business: string): Promise<void> {
  for (const [table, person] of [
    ['persons', 'id'],
    ['passkeys', 'person_id'],
    ['recovery_codes', 'person_id'],
  ]) {
    const { rows } = await from.query<{ column: string }>(
      `select quote_ident(attname) as column from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
      [table],
    )
    const columns = rows.map(({ column }) => column).join(', ')
    const whose = `where ${person} in (select person_id from memberships where business_id = '${business}')`
    await to.query(`delete from ${table} ${whose}`)
    await copyRows(
      { client: from, out: `copy (select ${columns} from ${table} ${whose}) to stdout` },
      { client: to, into: `copy ${table} (${columns}) from stdin` },
      () => {},
    )
  }
}

/** Who was split off before stays where he is. */
async function copyMoves(from: Client, to: Client): Promise<void> {
  const { rows } = await from.query(`select * from cell_moves where subject <> '' and moved_at is not null`)
  for (const { subject, letter, started_at, moved_at } of rows)
    await to.query(
      'insert into cell_moves (subject, letter, started_at, moved_at) values ($1, $2, $3, $4) on conflict do nothing',
      [...[subject, letter, started_at, moved_at]],
    )
}

/** The switch itself: what commits here says that the other database has it. */
async function retire(from: Client, { business, letter }: Move): Promise<void> {
  const now = systemClock.now()
  await from.query('begin')
  if (business !== null)
    await from.query(`update businesses set status = 'closed', status_reason = $2, status_at = $3 where id = $1`, [
      business,
      `Moved to cell ${letter}.`,
      now,
    ])
  await from.query('update cell_moves set moved_at = $2 where subject = $1', [business ?? '', now])
  await from.query('commit')
}

/** What tasks of everybody would come upon again and again: the new database has it. Its people find it there, too. */
export async function dropWork(from: Client, business: string): Promise<void> {
  const { rows } = await from.query('select from cell_moves where subject = $1 and moved_at is not null', [business])
  if (rows.length === 0) return
  await from.query(`delete from graphile_worker._private_jobs where payload ->> 'business_id' = $1`, [business])
  for (const table of ['timers', 'webhook_queue', 'webhook_outages', 'invitations', 'memberships'])
    await from.query(`delete from ${table} where business_id = $1`, [business])
}

/**
 * The switch from the old database to the new one. Writers wait meanwhile, for less than five
 * seconds.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { copyRows } from '../copy.ts'
import { foldText } from '../lists/counts.ts'
import {
  type Client,
  type Move,
  MoveError,
  ofPeople,
  type ReplicatedTable,
  subjectOf,
} from './tables.ts'

type Switch = {
  move: Move
  name: string
  tables: readonly ReplicatedTable[]
  from: Client
  to: Client
}

/** The class of the advisory lock that `guard_moved` takes. */
const lockClass = 1_701_671_030
/** How long writers may wait before the switch is abandoned and retried. */
const pauseMs = 4_000
const lockWaitMs = 1_000
const maxAttempts = 10
const backoffMs = 1_000

/** SQLSTATEs to retry: lock timeout, deadlock, statement timeout. */
const retriedStates = ['55P03', '40P01', '57014']

/** The pause was too long, and nothing was changed. */
class PauseTooLong extends Error {}

export async function switchOver(asked: Switch): Promise<{ pauseMs: number; compared: string }> {
  let last: unknown
  for (let n = 0; n < maxAttempts; n++) {
    try {
      return await trySwitch(asked)
    } catch (error) {
      const code = (error as { code?: string }).code ?? ''
      if (!(error instanceof PauseTooLong) && !retriedStates.includes(code)) throw error
      last = error
    }
    await sleep(backoffMs)
  }
  throw new MoveError(
    `It could not be done within ${pauseMs} ms, in ${maxAttempts} tries (${(last as Error).message}). Nothing has changed.`,
  )
}

async function trySwitch({
  move,
  name,
  tables,
  from,
  to,
}: Switch): Promise<{ pauseMs: number; compared: string }> {
  const mark = await markOf(from, move)
  // Removes what an earlier attempt created.
  await to.query(`delete from timers where payload ->> 'moved' = $1`, [mark])
  await to.query(`alter subscription ${name} enable`)
  // Catches up first, so that writers do not wait for a backlog.
  await waitForReplication(from, name, performance.now() + 60_000)
  await from.query(`set lock_timeout = ${lockWaitMs}`)
  // If this process stalls, PostgreSQL releases the writers.
  for (const client of [from, to]) await client.query(`set statement_timeout = ${pauseMs}`)
  await from.query(
    `set idle_session_timeout = ${pauseMs}; set idle_in_transaction_session_timeout = ${pauseMs}`,
  )
  const startedAt = performance.now()
  const deadline = startedAt + pauseMs
  try {
    await from.query('select pg_advisory_lock($1, hashtext($2))', [lockClass, subjectOf(move)])
    await from.query(
      foldText(move.business === null ? 'true' : `business_id = '${move.business}'`),
      [null],
    )
    await waitForReplication(from, name, deadline)
    const compared = await compareDatabases(from, to, move, { name, tables })
    await stopFollowing(to, name, deadline)
    await prepareTarget({ move, from, to }, mark)
    if (performance.now() > deadline) throw new PauseTooLong('the new database was not ready')
    await commitSwitch(from, move)
    return { pauseMs: Math.round(performance.now() - startedAt), compared }
  } finally {
    await from.query('rollback').catch(() => {})
    await to.query('rollback').catch(() => {})
    for (const setting of [
      'lock_timeout',
      'statement_timeout',
      'idle_session_timeout',
      'idle_in_transaction_session_timeout',
    ])
      for (const client of [from, to]) await client.query(`reset ${setting}`).catch(() => {})
    await from.query('select pg_advisory_unlock_all()').catch(() => {})
    if (move.business !== null) await dropWork(from, move.business).catch(() => {})
  }
}

/** Returns the mark on rows that this move creates itself. */
async function markOf(from: Client, move: Move): Promise<string> {
  const { rows } = await from.query<{ mark: string }>(
    `select to_char(started_at at time zone 'utc', 'YYYYMMDDHH24MISSMS') as mark from cell_moves where subject = $1`,
    [subjectOf(move)],
  )
  return rows[0]?.mark as string
}

/**
 * Waits until the new database has everything that is committed now.
 * @throws {PauseTooLong}
 */
async function waitForReplication(from: Client, name: string, deadline: number): Promise<void> {
  const { rows: at } = await from.query<{ lsn: string }>(
    'select pg_current_wal_insert_lsn() as lsn',
  )
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
    if (performance.now() > deadline) throw new PauseTooLong('the new database is behind')
    await sleep(20)
  }
}

/** Stops replication: later writes to the old database do not arrive. */
async function stopFollowing(to: Client, name: string, deadline: number): Promise<void> {
  await to.query(`alter subscription ${name} disable`)
  for (;;) {
    const { rows } = await to.query(
      'select from pg_stat_subscription where subname = $1 and pid is not null',
      [name],
    )
    if (rows.length === 0) return
    if (performance.now() > deadline) throw new PauseTooLong('the subscription did not stop')
    await sleep(10)
  }
}

/**
 * Invariants that must be equal in both databases. `ledger verify` runs before the move; these are
 * cheap enough for the pause.
 */
const comparisons: Record<string, string> = {
  'ledger accounts and their balances': `
    select count(*) || ' ' || coalesce(sum(balance), 0) || ' ' || coalesce(md5(string_agg(id || ':' || balance, ',' order by business_id, livemode, id)), '') as is
      from ledger_accounts where $1::text in (business_id, '')`,
  'counts of lists': `
    select count(*) || ' ' || coalesce(sum(rows), 0) as is from list_counts where $1::text in (business_id, '')`,
  'sums of postings': `
    select count(*) || ' ' || coalesce(sum(amount), 0) || ' ' || coalesce(sum(count), 0) as is
      from posting_sums where $1::text in (business_id, '') and span = 'day'`,
  timers: `
    select count(*) || ' ' || coalesce(md5(string_agg(id, ',' order by id)), '') as is from timers where $1::text in (business_id, '')`,
  'waiting deliveries': `
    select count(*) || ' ' || coalesce(md5(string_agg(delivery_id, ',' order by delivery_id)), '') as is
      from webhook_queue where $1::text in (business_id, '')`,
  migrations: `select string_agg(name, ',' order by name) as is from schema_migrations where $1::text is not null`,
}

/** @throws {MoveError} that names the difference */
async function compareDatabases(
  from: Client,
  to: Client,
  move: Move,
  { name, tables }: Pick<Switch, 'name' | 'tables'>,
): Promise<string> {
  const { rows: published } = await from.query<{ tablename: string }>(
    'select tablename from pg_publication_tables where pubname = $1',
    [name],
  )
  const unfollowed = tables.find(
    (table) => !published.some(({ tablename }) => tablename === table.name),
  )
  if (unfollowed)
    throw new MoveError(
      `The old database has got the table ${unfollowed.name} meanwhile: give the move up, and begin again.`,
    )
  for (const [what, text] of Object.entries(comparisons)) {
    const [here, there] = await Promise.all(
      [from, to].map(
        async (client) => (await client.query<{ is: string }>(text, [subjectOf(move)])).rows[0]?.is,
      ),
    )
    if (here !== there)
      throw new MoveError(
        `The two sides differ in ${what}: ${here}, and ${there}. Nothing has changed.`,
      )
  }
  return `${Object.keys(comparisons).join(', ')}; ${tables.length} tables were followed`
}

/** Copies what replication leaves out. Idempotent. */
async function prepareTarget(
  { move, from, to }: Pick<Switch, 'move' | 'from' | 'to'>,
  mark: string,
): Promise<void> {
  await to.query('begin')
  const { rows: sequences } = await from.query<{ name: string; last: string | null }>(
    `select sequencename as name, last_value::text as last from pg_sequences where schemaname = current_schema()`,
  )
  for (const { name, last } of sequences)
    if (last !== null) await to.query('select setval($1::regclass, $2::bigint)', [name, last])
  await moveJobs(from, to, move, mark)
  if (move.business !== null) await copyPeople(from, to, move.business)
  else await copyMoves(from, to)
  // Clients of the event stream may hold a position of the old server that is above all positions
  // here.
  await to.query('select keep_event_positions(), leave_event_positions()')
  await to.query('commit')
}

/** Recreates jobs as timers: they run again at the new database, as after a worker's death. */
async function moveJobs(from: Client, to: Client, move: Move, mark: string): Promise<void> {
  const { rows } = await from.query<{ task: string; at: Date; payload: Record<string, unknown> }>(
    `select t.identifier as task, j.run_at as at, j.payload
       from graphile_worker._private_jobs j
       join graphile_worker._private_tasks t on t.id = j.task_id
      where $1::text in (j.payload ->> 'business_id', '') and (j.attempts < j.max_attempts or j.locked_at is not null)`,
    [subjectOf(move)],
  )
  const now = systemClock.now()
  for (const { task, at, payload } of rows) {
    const { business_id: whose, livemode, ...own } = payload
    const subject = Object.values(own).find(
      (value) => typeof value === 'string' && /^[0-9a-f]{24}$/.test(value),
    )
    await to.query(
      `insert into timers (business_id, livemode, id, due_at, task, subject, payload) values ($1, $2, $3, $4, $5, $6, $7)`,
      [
        whose,
        livemode,
        newId(now),
        at > now ? at : null,
        task,
        subject ?? whose,
        JSON.stringify({ ...own, moved: mark }),
      ],
    )
  }
}

/** Copies the people of the business and their sign-in methods. */
async function copyPeople(from: Client, to: Client, business: string): Promise<void> {
  for (const [table, person] of Object.entries(ofPeople)) {
    const { rows } = await from.query<{ column: string }>(
      `select quote_ident(attname) as column from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
      [table],
    )
    const names = rows.map(({ column }) => column)
    const columns = names.join(', ')
    await to.query(
      `create temp table incoming on commit drop as select ${columns} from ${table} limit 0`,
    )
    await copyRows(
      {
        client: from,
        out: `copy (select ${columns} from ${table} where ${person} in (select person_id from memberships where business_id = '${business}')) to stdout`,
      },
      { client: to, into: `copy incoming (${columns}) from stdin` },
      () => {},
    )
    if (table !== 'persons')
      await to.query(`delete from ${table} where ${person} in (select id from persons)`)
    const set = names.map((name) => `${name} = excluded.${name}`).join(', ')
    const onConflict = table === 'persons' ? `on conflict (id) do update set ${set}` : ''
    await to.query(
      `insert into ${table} (${columns}) select ${columns} from incoming ${onConflict}`,
    )
    await to.query('drop table incoming')
  }
}

/** Keeps the moves of businesses that were split off earlier. */
async function copyMoves(from: Client, to: Client): Promise<void> {
  const { rows } = await from.query(
    `select * from cell_moves where subject <> '' and moved_at is not null`,
  )
  for (const { subject, letter, started_at, moved_at, chains_kept_at } of rows)
    await to.query(
      `insert into cell_moves (subject, letter, started_at, moved_at, chains_kept_at) values ($1, $2, $3, $4, $5)
       on conflict do nothing`,
      [subject, letter, started_at, moved_at, chains_kept_at],
    )
}

/** Commits the switch: from now on the new database is authoritative. */
async function commitSwitch(from: Client, { business, letter }: Move): Promise<void> {
  const now = systemClock.now()
  await from.query('begin')
  if (business !== null)
    await from.query(
      `update businesses set status = 'closed', status_reason = $2, status_at = $3 where id = $1`,
      [business, `Moved to cell ${letter}.`, now],
    )
  const { rowCount } = await from.query(
    'update cell_moves set moved_at = $2 where subject = $1 and letter = $3 and moved_at is null',
    [business ?? '', now, letter],
  )
  if (rowCount !== 1)
    throw new MoveError('Another command has given the move up, or switched it, meanwhile.')
  // The new database has them as timers. Here they would call providers with stale data.
  if (business === null) await from.query('delete from graphile_worker._private_jobs')
  await from.query('commit')
}

const workTables = ['timers', 'webhook_queue', 'webhook_outages', 'invitations', 'memberships']

/**
 * Deletes work that tasks over all businesses would otherwise pick up again, and the memberships.
 */
export async function dropWork(from: Client, business: string): Promise<void> {
  const { rows } = await from.query(
    'select from cell_moves where subject = $1 and moved_at is not null',
    [business],
  )
  if (rows.length === 0) return
  await from.query(
    `delete from graphile_worker._private_jobs where payload ->> 'business_id' = $1`,
    [business],
  )
  for (const table of workTables)
    await from.query(`delete from ${table} where business_id = $1`, [business])
}

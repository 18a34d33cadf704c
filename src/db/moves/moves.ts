/**
 * Moves a cell, or one of its businesses, to another database while it serves. PostgreSQL's logical
 * replication copies and follows the rows; triggers hold writers during the switch and reject them
 * afterwards. Until the switch commits, the old database is complete and the move can be abandoned.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../lib/clock.ts'
import { newClient } from '../db.ts'
import { migrateAsOwner } from '../schema/migrate.ts'
import { dropWork, switchOver } from './switch.ts'
import {
  type Client,
  type Move,
  MoveError,
  type Moving,
  type ReplicatedTable,
  replicatedTables,
  subjectOf,
  whatStays,
} from './tables.ts'

export { type Move, MoveError } from './tables.ts'

/** The name of the publication, the subscription and its slot. */
export const replicationName = ({ business, letter }: Pick<Move, 'business' | 'letter'>): string =>
  business === null ? `bursar_move_${letter}` : `bursar_split_${business}`

/** Runs `work` with a session to each of the two databases. */
export async function withBothDatabases<T>(
  { from, to }: Move,
  work: (from: Client, to: Client) => Promise<T>,
): Promise<T> {
  const clients = [newClient(from), newClient(to)] as const
  try {
    for (const client of clients) {
      client.on('error', () => {})
      await client.connect()
      await client.query(`set bursar.moves = 'on'`)
    }
    return await work(...clients)
  } finally {
    for (const client of clients) await client.end().catch(() => {})
  }
}

const lockWaitMs = 1_000
const maxAttempts = 30

/**
 * Runs a statement that locks a table briefly. If the table is in use, it gives up and retries, so
 * that others do not queue behind it.
 */
async function retryUntilLocked(client: Client, text: string): Promise<void> {
  for (let n = 1; ; n++)
    try {
      await client.query(`set lock_timeout = ${lockWaitMs}`)
      await client.query(text)
      return
    } catch (error) {
      if ((error as { code?: string }).code !== '55P03' || n === maxAttempts) throw error
      await sleep(lockWaitMs / 4)
    } finally {
      await client.query('reset lock_timeout')
    }
}

const operatorClass = 1_701_671_031

/**
 * Holds a lock on the move while `work` runs.
 * @throws {MoveError} if it is taken
 */
export async function withMoveLock<T>(move: Move, work: () => Promise<T>): Promise<T> {
  const client = newClient(move.from)
  client.on('error', () => {})
  await client.connect()
  try {
    const { rows } = await client.query<{ had: boolean }>(
      'select pg_try_advisory_lock($1, hashtext($2)) as had',
      [operatorClass, subjectOf(move)],
    )
    if (!rows[0]?.had) throw new MoveError('Another command runs this move already.')
    return await work()
  } finally {
    await client.end().catch(() => {})
  }
}

/** The stage of a move; null: not started. */
export type Stage = null | 'copying' | 'moved'

/** @throws {MoveError} if it is moving to another cell */
async function stageIn(from: Client, move: Move): Promise<Stage> {
  const { rows } = await from.query<{ letter: string; moved: boolean }>(
    'select letter, moved_at is not null as moved from cell_moves where subject = $1',
    [subjectOf(move)],
  )
  const [row] = rows
  if (!row) return null
  if (row.letter !== move.letter)
    throw new MoveError(`It is moving to cell ${row.letter}: end that first, or give it up.`)
  return row.moved ? 'moved' : 'copying'
}

export const stageOf = (move: Move): Promise<Stage> =>
  withBothDatabases(move, (from) => stageIn(from, move))

const selectAbility = `
select current_setting('wal_level') as wal, current_setting('server_version_num')::int >= 160000 as recent,
       r.rolsuper or r.rolreplication as replicates,
       r.rolsuper or pg_has_role(r.oid, c.relowner, 'MEMBER') as owns,
       r.rolsuper or case when current_setting('server_version_num')::int >= 160000
                          then pg_has_role(r.oid, 'pg_create_subscription', 'MEMBER') else false end as subscribes
  from pg_roles r left join pg_class c on c.oid = to_regclass('schema_migrations')
 where r.rolname = current_user`
type Ability = { wal: string; replicates: boolean; owns: boolean | null; subscribes: boolean }

/** @throws {MoveError} with the setting or grant that is missing */
async function assertAble(from: Client, to: Client): Promise<void> {
  const [source] = (await from.query<Ability>(selectAbility)).rows as [Ability]
  const [target] = (await to.query<Ability>(selectAbility)).rows as [Ability]
  if (source.wal !== 'logical')
    throw new MoveError(
      `The old database’s server has wal_level ${source.wal}: set it to logical, and restart it.`,
    )
  if (!source.owns || !source.replicates)
    throw new MoveError(
      'The role at the old database must own its tables and may replicate: alter role … replication.',
    )
  if (!target.subscribes)
    throw new MoveError(
      'The role at the new database may not subscribe: grant pg_create_subscription to it.',
    )
}

const selectPlace = `select system_identifier || ' ' || current_database() as place from pg_control_system()`

/** @throws {MoveError} if both are the same database */
async function assertApart(from: Client, to: Client): Promise<void> {
  const [here, there] = await Promise.all(
    [from, to].map(
      async (client) => (await client.query<{ place: string }>(selectPlace)).rows[0]?.place,
    ),
  )
  if (here === there)
    throw new MoveError(
      'Both are one database: name the old one by --from. Where the file names the new one already, it has moved.',
    )
}

/** @throws {MoveError} if the new database is in use and this move has not started there */
async function assertEmpty(to: Client, name: string): Promise<void> {
  const { rows: subscriptions } = await to.query('select from pg_subscription where subname = $1', [
    name,
  ])
  const { rows: made } = await to.query(`select where to_regclass('api_keys') is not null`)
  if (subscriptions.length > 0 || made.length === 0) return
  const { rows: used } = await to.query(
    'select from api_keys union all select from transactions limit 1',
  )
  if (used.length > 0)
    throw new MoveError('The new database has a business already: it must be empty.')
}

/**
 * Empties the tables of a database that does not serve yet. The triggers that protect append-only
 * tables are disabled.
 */
async function emptyTables(to: Client, tables: readonly ReplicatedTable[]): Promise<void> {
  await to.query('begin')
  let left: string[] = []
  for (const { name } of tables) {
    const { rows } = await to.query(`select from ${name} limit 1`)
    if (rows.length > 0) left.push(name)
  }
  for (const name of left) await to.query(`alter table ${name} disable trigger user`)
  const filled = left
  // Referencing rows go first; their order is found by trying.
  while (left.length > 0) {
    const before = left
    left = []
    for (const name of before) {
      await to.query('savepoint one')
      await to.query(`delete from ${name}`).catch(async () => {
        await to.query('rollback to savepoint one')
        left.push(name)
      })
    }
    if (left.length === before.length) throw new Error(`${left.join(', ')} could not be emptied`)
  }
  for (const name of filled) await to.query(`alter table ${name} enable trigger user`)
  await to.query('commit')
}

/**
 * Starts copying, or continues it.
 * @throws {MoveError} if the move is not possible
 */
export async function startCopying(move: Move): Promise<void> {
  const { business, letter } = move
  const name = replicationName(move)
  await withBothDatabases(move, async (from, to) => {
    await assertApart(from, to)
    await assertAble(from, to)
    await assertEmpty(to, name)
    const staying = await whatStays(from, move)
    if (staying.length > 0)
      throw new MoveError(
        `The business has ${staying.join(', and ')}, which would stay with the cell: it cannot be split off.`,
      )
    if (
      business !== null &&
      (await from.query('select from businesses where id = $1', [business])).rows.length === 0
    )
      throw new MoveError('There is no such business in that cell.')
  })
  await migrateAsOwner({
    url: move.serve ?? move.to,
    ownerUrl: move.serve === null ? null : move.to,
  })
  await withBothDatabases(move, async (from, to) => {
    const tables = await replicatedTables(from, move)
    if (
      (await to.query('select from pg_subscription where subname = $1', [name])).rows.length > 0
    ) {
      await to.query(`alter subscription ${name} enable`)
      return
    }
    await to.query(
      `insert into own_cell (letter) values ($1) on conflict (only_one) do update set letter = excluded.letter`,
      [letter],
    )
    await emptyTables(to, business === null ? tables : tables.filter(({ owner }) => owner === null))
    // The task that creates and drops partitions holds this lock, so the list of tables stays
    // valid.
    await from.query('begin')
    await from.query(`select pg_advisory_xact_lock(hashtext('bursar.keep_event_partitions'))`)
    await from.query(
      'insert into cell_moves (subject, letter, started_at) values ($1, $2, $3) on conflict do nothing',
      [subjectOf(move), letter, systemClock.now()],
    )
    await from.query('commit')
    for (const table of tables) {
      await guardWriters(from, table, move)
      await skipOtherRows(to, table)
    }
    await publish(from, name, tables)
    // A separate step: on one server, a subscription that creates its slot would deadlock with
    // itself.
    await from.query(
      `select pg_create_logical_replication_slot($1, 'pgoutput') where not exists (select from pg_replication_slots where slot_name = $1)`,
      [name],
    )
    const connection = move.from.replaceAll("'", "''")
    await to.query(
      `create subscription ${name} connection '${connection}' publication ${name} with (create_slot = false)`,
    )
  })
}

/** Makes writers hold the lock of the move, or wait for it. */
async function guardWriters(
  from: Client,
  { name, guarded, owner }: ReplicatedTable,
  { business }: Moving,
): Promise<void> {
  if (!guarded) return
  const subject = business ?? ''
  const made = `guard_moved_${subject}`.replace(/_$/, '')
  const calls = `execute function guard_moved('${subject}')`
  if (business === null)
    return retryUntilLocked(
      from,
      `create or replace trigger ${made} before insert or update or delete on ${name} for each statement ${calls}`,
    )
  for (const [row, when] of [
    ['new', 'insert or update'],
    ['old', 'delete'],
  ])
    await retryUntilLocked(
      from,
      `create or replace trigger ${made}_${row} before ${when} on ${name} for each row when (${row}.${owner} = '${business}') ${calls}`,
    )
}

const leavingOut = 'leave_out_of_move'

/** Drops rows that are replicated but do not move. */
async function skipOtherRows(to: Client, { name, where }: ReplicatedTable): Promise<void> {
  if (where === null) return
  await to.query(
    `create or replace trigger ${leavingOut} before insert on ${name} for each row when ((${where}) is not true) execute function leave_out()`,
  )
  await to.query(`alter table ${name} enable replica trigger ${leavingOut}`)
}

async function publish(
  from: Client,
  name: string,
  tables: readonly ReplicatedTable[],
): Promise<void> {
  const { rows } = await from.query('select from pg_publication where pubname = $1', [name])
  if (rows.length > 0) return
  const listed = tables.map((table) => table.name).join(', ')
  await retryUntilLocked(
    from,
    `create publication ${name} for table ${listed} with (publish_via_partition_root = true)`,
  )
}

/** How often PostgreSQL may retry by itself. */
const maxErrors = 5

/**
 * Returns how many tables are completely copied.
 * @throws {MoveError} if the new server cannot copy them
 */
export async function progressOf(move: Move): Promise<{ done: number; all: number }> {
  return withBothDatabases(move, async (_from, to) => {
    const { rows } = await to.query<{ done: string; all: string; errors: string }>(
      `select count(*) filter (where srsubstate = 'r') as done, count(*) as all,
              (select apply_error_count + sync_error_count from pg_stat_subscription_stats t where t.subname = s.subname) as errors
         from pg_subscription s left join pg_subscription_rel on oid = srsubid where subname = $1 group by s.subname`,
      [replicationName(move)],
    )
    const { done, all, errors } = rows[0] ?? { done: 0, all: 0, errors: 0 }
    if (Number(errors) > maxErrors)
      throw new MoveError(
        'The new database’s server cannot copy what the old one has: its log says why. Give the move up, or mend that and go on.',
      )
    return { done: Number(done), all: Number(all) }
  })
}

/**
 * Switches to the new database after everything is copied. Writers wait meanwhile.
 * @returns how long writes were blocked, and what was compared
 * @throws {MoveError} if it takes too long or the databases differ; then nothing has changed
 */
export async function switchDatabases(move: Move): Promise<{ pauseMs: number; compared: string }> {
  return withBothDatabases(move, async (from, to) => {
    if ((await stageIn(from, move)) === 'moved')
      return { pauseMs: 0, compared: 'nothing, as it was done before' }
    const tables = await replicatedTables(from, move)
    return switchOver({ move, name: replicationName(move), tables, from, to })
  })
}

/** Removes what the move needed. The guards of moved data stay. */
export async function removeReplication(move: Move): Promise<void> {
  await withBothDatabases(move, async (from, to) => {
    const name = replicationName(move)
    const { rows } = await to.query('select from pg_subscription where subname = $1', [name])
    if (rows.length > 0) await to.query(`drop subscription ${name}`)
    await from.query(`drop publication if exists ${name}`)
    for (const { name: table, where } of await replicatedTables(from, move))
      if (where !== null)
        await retryUntilLocked(to, `drop trigger if exists ${leavingOut} on ${table}`)
    if (move.business !== null) await dropWork(from, move.business)
    await to.query('analyze')
  })
}

/**
 * Abandons a move before the switch. The old database is as before; the new one is to be dropped.
 * @param reaches false: the new database is gone
 * @throws {MoveError} if it was switched
 */
export async function abandonMove(move: Move, reaches = true): Promise<void> {
  const name = replicationName(move)
  const from = newClient(move.from)
  await from.connect()
  try {
    await from.query(`set bursar.moves = 'on'`)
    if ((await stageIn(from, move)) === 'moved')
      throw new MoveError('It was switched: the new database has it.')
    if (reaches) {
      const to = newClient(move.to)
      await to.connect()
      await to.query(`drop subscription if exists ${name}`).finally(() => to.end())
    }
    await from.query(
      'select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = $1',
      [name],
    )
    await from.query(`drop publication if exists ${name}`)
    const tables = await replicatedTables(from, move)
    for (const { name: table, guarded } of tables) {
      const made = `guard_moved_${subjectOf(move)}`.replace(/_$/, '')
      for (const trigger of guarded ? [made, `${made}_new`, `${made}_old`] : [])
        await retryUntilLocked(from, `drop trigger if exists ${trigger} on ${table}`)
    }
    await from.query('delete from cell_moves where subject = $1 and moved_at is null', [
      subjectOf(move),
    ])
  } finally {
    await from.end().catch(() => {})
  }
}

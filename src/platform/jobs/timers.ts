/**
 * The table of all tasks to run, now or later. Due tasks run from it (`runner.ts`) or become jobs
 * in the statement that deletes their timers, so each fires once across processes and restarts.
 */
import { EventEmitter } from 'node:events'
import type { App, Scope } from '../../core/app.ts'
import type { View, Work } from '../../core/inside.ts'
import type { JobPayload } from '../../core/module.ts'
import { type Database, replanned, rowsOf, sql, sqlOfAll, sqlOfMany, type Tx } from '../../db/db.ts'
import { type Id, idBound, newId } from '../../lib/ids.ts'
import { toJson } from '../../lib/json.ts'
import type { PeriodicTask } from '../../lib/periodic.ts'

/** A task to run at `dueAt`, in the scope's time. `subject` is its record. */
export type Timer = { task: string; subject: Id; dueAt: Date; payload?: JobPayload }

/** A fired timer and its job. */
export type FiredTimer = { job_id: bigint; task: string; subject: Id; due_at: Date }

/** A task to run as soon as the transaction has committed. */
export type NewJob = { task: string; subject: Id; payload?: JobPayload }

/**
 * A row to write: due at `dueAt` in the scope's time; null: as soon as the transaction has
 * committed.
 */
export type Waiting = NewJob & { scope: Scope; dueAt: Date | null }

const insertTimers = sqlOfMany(
  'timers.insert',
  `insert into timers (business_id, livemode, id, due_at, task, subject, payload)
   ${rowsOf('business_id text, livemode boolean, id text, due_at timestamptz, task text, subject text, payload jsonb')}`,
)

/**
 * Rows are found again by `ctid`, because a join by key could scan every timer for each due one. A
 * timer claimed meanwhile has another `ctid` and is left out.
 */
const firing = `locked as (
     select ctid from timers where ctid = any (array(select ctid from due)) and claimed_by is null
      order by due_at, id for update skip locked
   ), fired as (
     delete from timers where ctid = any (array(select ctid from locked)) returning *
   )`
/** The payload key of the timer's due time: null for an immediate task. */
export const payloadOfJob = (due: 'at' | 'not_before'): string =>
  `(payload || jsonb_build_object('business_id', business_id, 'livemode', livemode,
                                  '${due}', to_char(due_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))::json`

/**
 * With the waits between them (`bringForward` in jobs.ts), a week before a job that always fails is
 * left to a person.
 */
export const mostTries = 2_000

/**
 * Turns at most `$2` timers due at `$1` into jobs, except those of the tasks `$3`, which run from
 * timers. Test clocks only run ahead, so what is due by the machine's clock is due in every scope;
 * a timer due only by a test clock becomes a job, whatever its task. Planned at each execution,
 * because the table grows from empty to thousands quickly.
 */
export const fireDue = replanned(
  sqlOfAll<{ job_id: bigint }>(
    'timers.fire_due',
    `with due as (
     (select ctid from timers
       where due_at is null and claimed_by is null and task <> all ($3::text[]) order by id limit $2)
     union
     (select ctid from timers
       where due_at <= $1 and claimed_by is null and task <> all ($3::text[]) order by due_at limit $2)
     union
     select t.ctid
       from test_clocks c
       join lateral (select ctid from timers
                      where business_id = c.business_id and not livemode and claimed_by is null
                        and (due_at > $1 or task <> all ($3::text[])) and due_at <= $1::timestamptz + c.offset_ms * interval '1 millisecond'
                      order by due_at limit $2) t on true
      where c.offset_ms > 0 and (c.moving_until is null or c.moving_until <= $1)
   ), ${firing}
   select job.id as job_id
     from (select array_agg((task, ${payloadOfJob('not_before')}, null, null, ${mostTries}, null, null, null)::graphile_worker.job_spec
                            order by due_at nulls first, id) as specs
             from fired having count(*) > 0) new
    cross join lateral graphile_worker.add_jobs(new.specs) job`,
  ),
)

export const fireOwn = replanned(
  sql<FiredTimer>(
    'timers.fire_own',
    `with due as (
     select ctid from timers
      where business_id = $1 and livemode = $2 and due_at <= $3 and claimed_by is null
   ), ${firing}
   select (graphile_worker.add_job(task, ${payloadOfJob('at')}, max_attempts => ${mostTries})).id as job_id,
          task, subject, due_at
     from (select * from fired order by due_at nulls first, id) f`,
  ),
)

const batch = 500
const tickMs = 250

/**
 * Notified when this process has committed an immediate task, so that it need not wait for the next
 * tick.
 */
export const wakeUp = new EventEmitter().setMaxListeners(0)

/** Makes the workers of this process look for work at once. */
export function notifyWorkers(): void {
  wakeUp.emit('notify')
}

/** Sets a timer. It fires at most a second after `dueAt`. */
export function schedule({ tx, scope }: Work, timer: Timer): Promise<void> {
  return addWaiting(tx, [{ ...timer, scope }])
}

/** Enqueues tasks to run as soon as the transaction has committed. */
export function enqueue({ tx, scope }: Work, jobs: NewJob[]): Promise<void> {
  return addWaiting(
    tx,
    jobs.map((job) => ({ ...job, scope, dueAt: null })),
  )
}

/**
 * Writes tasks of any businesses in one statement. Immediate tasks use the same table as timers,
 * because enqueuing jobs in the transaction would notify the workers, and PostgreSQL lets only one
 * transaction with a notification commit at a time.
 */
export async function addWaiting(tx: Tx, rows: Waiting[]): Promise<void> {
  if (rows.length === 0) return
  if (rows.some(({ dueAt }) => dueAt === null)) tx.afterCommit(notifyWorkers)
  await tx.rows(insertTimers, [
    rows.map(({ scope }) => scope.businessId),
    rows.map(({ scope }) => scope.livemode),
    rows.map(({ scope }) => newId(scope.now)),
    rows.map(({ dueAt }) => dueAt),
    rows.map(({ task }) => task),
    rows.map(({ subject }) => subject),
    rows.map(({ payload }) => toJson(payload ?? {})),
  ])
}

const deleteTimers = sqlOfMany(
  'timers.delete',
  'delete from timers where business_id = $1 and task = $2 and subject = any ($3::text[])',
)

/** Cancels the timers of a task, of records in either mode; a running job continues. */
export async function unschedule(
  tx: Tx,
  businessId: Id,
  task: string,
  subjects: Id[],
): Promise<void> {
  await tx.rows(deleteTimers, [businessId, task, subjects])
}

/**
 * The FROM of a check of planned work: one row per record, with `tasks`, the names of tasks that
 * have a timer or a queued, running or retried job for it; null if none. Rows are grouped, not
 * joined, because a join planned while few jobs were queued would scan all jobs for each record
 * after a burst.
 * @param records a query of `business_id`, `livemode`, `id`, and the check's name for it, `what`; a
 * constant of the caller's, as the others
 * @param key the id's name in job payloads, and in timers whose subject is another id
 */
export function withTasks(records: string, key: string, tasks: string[]): string {
  const named = tasks.map((task) => `'${task}'`).join(', ')
  return `(select business_id, livemode, string_agg(what, ', ' order by what) as what,
                  array_agg(distinct task) filter (where task is not null) as tasks
             from (select business_id, livemode, id, true as asked, what, null as task from (${records}) record
                   union all
                   select business_id, livemode, coalesce(payload ->> '${key}', subject), false, null, task from timers where task in (${named})
                   union all
                   select j.payload ->> 'business_id', (j.payload ->> 'livemode')::boolean, j.payload ->> '${key}', false, null, k.identifier
                     from graphile_worker._private_jobs j join graphile_worker._private_tasks k on k.id = j.task_id
                    where k.identifier in (${named}) and (j.attempts < j.max_attempts or j.locked_at is not null)) known
            group by business_id, livemode, id having bool_or(asked))`
}

/** A check that finds records without any planned task. The parameters are those of `withTasks`. */
export function waitsForNothing(records: string, key: string, tasks: string[]): string {
  return `
      select business_id, livemode, what, 'a timer or a job' as expected, 'none' as found
        from ${withTasks(records, key, tasks)} o where tasks is null`
}

export type WaitingJob = {
  task: string
  subject: Id
  /**
   * When it runs; null: at once. A timer's time is the business's in that mode, a job's the
   * machine's.
   */
  at: Date | null
  /** Its tries so far and at most; null if not queued yet. */
  attempts: number | null
  max_attempts: number | null
  running: boolean
}

/** Searches only the first `$4` queued jobs: if that many are queued, their number is the news. */
const selectWaiting = sql<WaitingJob>(
  'timers.select_waiting',
  `select * from (
     select t.task, t.subject, t.due_at as at, null::integer as attempts, null::integer as max_attempts, t.claimed_by is not null as running
       from unnest($3::text[]) as asked (subject)
      cross join lateral (select task, subject, due_at, claimed_by from timers
                           where business_id = $1 and livemode = $2 and subject = asked.subject limit $5) t
     union all
     select k.identifier, asked.subject, j.run_at, j.attempts::integer, j.max_attempts::integer, j.locked_at is not null
       from (select * from graphile_worker._private_jobs limit $4) j
       join graphile_worker._private_tasks k on k.id = j.task_id
       join unnest($3::text[]) as asked (subject) on position(asked.subject in j.payload::text) > 0
      where j.payload ->> 'business_id' = $1 and (j.payload ->> 'livemode')::boolean = $2
        and (j.attempts < j.max_attempts or j.locked_at is not null)) waiting
   order by at nulls first limit $5`,
)

const mostJobs = 5_000

/** Returns planned tasks about records, at most `limit`, the next first. */
export function waitingFor(view: View, subjects: Id[], limit: number): Promise<WaitingJob[]> {
  return view.rows(selectWaiting, [subjects, mostJobs, limit])
}

/**
 * Fires the timers due for one business and mode at `now`. Each job sees the time at which its
 * timer was due.
 */
export function fireTimersOf(view: Pick<View, 'rows'>, now: Date): Promise<FiredTimer[]> {
  return view.rows(fireOwn, [now])
}

/**
 * The periodic task that turns due timers into jobs, for all businesses.
 * @param direct the tasks that run from their timers
 */
export function timerTask(app: App, direct: string[]): PeriodicTask {
  return {
    name: 'fire timers',
    everyMs: tickMs,
    async run() {
      let fired: { job_id: bigint }[]
      do fired = await app.db.rows(fireDue, [app.clock.now(), batch, direct])
      while (fired.length >= batch)
    },
  }
}

export type Queue = 'timers' | 'jobs' | 'given up' | 'webhooks'

// Of all businesses. A scope's time is never behind the machine's.
const selectBehind = sqlOfAll<{ queue: Queue; task: string; count: bigint }>(
  'timers.select_behind',
  `select 'timers' as queue, task, count(*) as count from timers
    where claimed_by is null and (due_at <= $1 or due_at is null and id < $2) group by task
    union all
   select case when attempts < max_attempts then 'jobs' else 'given up' end, task_identifier, count(*)
     from graphile_worker.jobs
    where locked_at is null and (run_at <= $1 or attempts >= max_attempts) group by 1, 2
    union all
   select 'webhooks', '', count(*) from webhook_queue
    where claimed_by is null and (due_at <= $1 or due_at is null and delivery_id < $2) having count(*) > 0
    order by 1, 2`,
)

/**
 * Counts unclaimed work that was due before `since`, by the machine's time, and jobs without a try
 * left.
 */
export function behind(
  db: Database,
  since: Date,
): Promise<{ queue: Queue; task: string; count: bigint }[]> {
  return db.rows(selectBehind, [since, idBound(since)])
}

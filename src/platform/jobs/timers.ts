/**
 * Everything that is to be done, at once or later, in one table. Tasks that are due run from it
 * (`runner.ts`). The rest becomes jobs in the statement that deletes their timers: each fires once,
 * across processes and restarts.
 */
import { EventEmitter } from 'node:events'
import type { App, Scope } from '../../core/app.ts'
import type { View, Work } from '../../core/inside.ts'
import type { JobPayload } from '../../core/module.ts'
import { type Database, replanned, rowsOf, sql, sqlOfAll, sqlOfMany, type Tx } from '../../db/db.ts'
import { type Id, idBound, newId } from '../../lib/ids.ts'
import { toJson } from '../../lib/json.ts'
import type { PeriodicTask } from '../../lib/periodic.ts'

/** A task that is to run at `dueAt`, in the scope's time. `subject` is the record it is about. */
export type Timer = { task: string; subject: Id; dueAt: Date; payload?: JobPayload }

/** A timer that has fired: its job, and what it was. */
export type FiredTimer = { job_id: bigint; task: string; subject: Id; due_at: Date }

/** A task that is to run as soon as the transaction has committed. */
export type NewJob = { task: string; subject: Id; payload?: JobPayload }

/**
 * A row to write: at `dueAt` in the scope's time, or, when that is null, as soon as the transaction
 * has committed.
 */
export type Waiting = NewJob & { scope: Scope; dueAt: Date | null }

const insertTimers = sqlOfMany(
  'timers.insert',
  `insert into timers (business_id, livemode, id, due_at, task, subject, payload)
   ${rowsOf('business_id text, livemode boolean, id text, due_at timestamptz, task text, subject text, payload jsonb')}`,
)

/**
 * Rows are found again by where they are: a join by key could look at every timer for each that is
 * due. A timer that is claimed meanwhile is at another place, and left out.
 */
const firing = `locked as (
     select ctid from timers where ctid = any (array(select ctid from due)) and claimed_by is null
      order by due_at, id for update skip locked
   ), fired as (
     delete from timers where ctid = any (array(select ctid from locked)) returning *
   )`
/** A job knows when its timer was due, by this name: null of what was to run at once. */
export const payloadOfJob = (due: 'at' | 'not_before'): string =>
  `(payload || jsonb_build_object('business_id', business_id, 'livemode', livemode,
                                  '${due}', to_char(due_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))::json`

/**
 * With the waits between them (`bringForward` in jobs.ts) a week, before a job that fails each time
 * is left to a person.
 */
export const mostTries = 2_000

/**
 * Makes jobs of at most `$2` timers that are due at `$1`, but for the tasks `$3`, which run from
 * their timers. Test clocks only run ahead, so what is due by the machine's clock is due in every
 * scope; what only a test clock makes due becomes a job, whatever its task. Planned at each
 * execution: the table is empty at one moment and holds thousands at the next.
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
 * Notified when this process has committed something to do at once, so that the task need not wait
 * for the next tick.
 */
export const wakeUp = new EventEmitter().setMaxListeners(0)

/** Has the workers of this process look for work at once. */
export function notifyWorkers(): void {
  wakeUp.emit('notify')
}

/** Sets a timer. It fires at most a second after `dueAt`. */
export function schedule({ tx, scope }: Work, timer: Timer): Promise<void> {
  return addWaiting(tx, [{ ...timer, scope }])
}

/** Has tasks run as soon as the transaction has committed. */
export function enqueue({ tx, scope }: Work, jobs: NewJob[]): Promise<void> {
  return addWaiting(
    tx,
    jobs.map((job) => ({ ...job, scope, dueAt: null })),
  )
}

/**
 * Writes what is to be done, of any number of businesses, in one statement. What is to run at once
 * goes by the same table as timers: to queue jobs in the transaction itself would notify the
 * workers in it, and PostgreSQL lets only one transaction at a time commit with a notification.
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

/** Takes the timers of a task back, of records in either mode; a job that has begun goes on. */
export async function unschedule(
  tx: Tx,
  businessId: Id,
  task: string,
  subjects: Id[],
): Promise<void> {
  await tx.rows(deleteTimers, [businessId, task, subjects])
}

/**
 * What is going to be done about records, for the FROM of a check: a row of each, with `tasks`, the
 * names of those that have a timer of it, or a job that waits, runs, or is tried again; null where
 * there are none. All are grouped together, and not joined: what was planned for a calm hour, as
 * few waited, would go through all jobs for each of the records of a rush.
 * @param records a query of their `business_id`, `livemode`, `id`, and what the check calls them,
 * `what`; a constant of the caller's, as the others
 * @param key what jobs call its id in their payload, and timers whose subject is another id
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

/**
 * A check that finds the records about which nothing is going to be done. The parameters are those
 * of `withTasks`.
 */
export function waitsForNothing(records: string, key: string, tasks: string[]): string {
  return `
      select business_id, livemode, what, 'a timer or a job' as expected, 'none' as found
        from ${withTasks(records, key, tasks)} o where tasks is null`
}

export type WaitingJob = {
  task: string
  subject: Id
  /**
   * When it runs: null: at once. A timer's is in the time of the business and mode, a job's in the
   * machine's.
   */
  at: Date | null
  /** How often it was tried, and may be: null of one that was not queued yet. */
  attempts: number | null
  max_attempts: number | null
  running: boolean
}

/**
 * Jobs that are queued are found by looking at the first `$4` of them: where so many wait, that is
 * what is to be known.
 */
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

/** What is going to be done about some records, at most `limit`, the next first. */
export function waitingFor(view: View, subjects: Id[], limit: number): Promise<WaitingJob[]> {
  return view.rows(selectWaiting, [subjects, mostJobs, limit])
}

/**
 * Fires what is due for one business and mode at `now`; each job runs at the time its timer was
 * due.
 */
export function fireTimersOf(view: Pick<View, 'rows'>, now: Date): Promise<FiredTimer[]> {
  return view.rows(fireOwn, [now])
}

/**
 * The periodic task that makes jobs of what is due, for everyone.
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

// Of everybody. A scope's own time is never behind the machine's.
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
 * What waits that was due before `since`, by the machine's time, and nobody has taken; and jobs
 * that no try is left of.
 */
export function behind(
  db: Database,
  since: Date,
): Promise<{ queue: Queue; task: string; count: bigint }[]> {
  return db.rows(selectBehind, [since, idBound(since)])
}

/**
 * Everything that is due later, in one table. A timer that is due becomes a job in the statement that deletes it: it
 * fires once, across processes and restarts.
 */
import type { App, Scope } from '../context.ts'
import { type Queryable, sql, type Tx } from '../db/db.ts'
import { type Id, newId } from '../lib/ids.ts'
import { toJson } from '../lib/json.ts'
import type { Chore, JobPayload } from './jobs.ts'

/** A task that is to run at `dueAt`, in the scope's time. `subject` is the record it is about. */
export type Timer = { task: string; subject: Id; dueAt: Date; payload?: JobPayload }

/** A timer that has fired: its job, and what it was. */
export type FiredTimer = { job_id: bigint; task: string; subject: Id; due_at: Date }

const insertTimer = sql(
  'timers.insert',
  `insert into timers (business_id, livemode, id, due_at, task, subject, payload) values ($1, $2, $3, $4, $5, $6, $7)`,
)

const fire = (extra: string): string => `
   locked as (
     select t.business_id, t.livemode, t.id
       from timers t join due using (business_id, livemode, id)
      order by t.due_at, t.id
        for update of t skip locked
   ), fired as (
     delete from timers t using locked
      where t.business_id = locked.business_id and t.livemode = locked.livemode and t.id = locked.id
     returning t.*
   )
   select (graphile_worker.add_job(task,
             (payload || jsonb_build_object('business_id', business_id, 'livemode', livemode${extra}))::json)).id as job_id,
          task, subject, due_at
     from (select * from fired order by due_at, id) f`

/** Test clocks only run ahead, so what is due by the machine's clock is due in every scope. */
const fireDue = sql<FiredTimer>(
  'timers.fire_due',
  `with due as (
     (select business_id, livemode, id from timers where due_at <= $1 order by due_at limit $2)
     union
     select t.business_id, t.livemode, t.id
       from test_clocks c
       join lateral (select business_id, livemode, id from timers
                      where business_id = c.business_id and not livemode
                        and due_at <= $1::timestamptz + c.offset_ms * interval '1 millisecond'
                      order by due_at limit $2) t on true
      where c.offset_ms > 0 and (c.moving_until is null or c.moving_until <= $1)
   ), ${fire('')}`,
)

const fireOwn = sql<FiredTimer>(
  'timers.fire_own',
  `with due as (
     select business_id, livemode, id from timers where business_id = $1 and livemode = $2 and due_at <= $3
   ), ${fire(`, 'at', to_char(due_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`)}`,
)

const batch = 500
const tickMs = 250

/** Sets a timer. It fires at most a second after `dueAt`. */
export async function schedule(tx: Tx, scope: Scope, timer: Timer): Promise<void> {
  await tx.rows(insertTimer, [
    scope.businessId,
    scope.livemode,
    newId(scope.now),
    timer.dueAt,
    timer.task,
    timer.subject,
    toJson(timer.payload ?? {}),
  ])
}

/** Fires what is due for one business and mode at `scope.now`; each job runs at the time its timer was due. */
export function fireTimersOf(tx: Queryable, scope: Scope): Promise<FiredTimer[]> {
  return tx.rows(fireOwn, [scope.businessId, scope.livemode, scope.now])
}

/** The chore that fires what is due, for everyone. */
export function timerChore(app: App): Chore {
  return {
    name: 'fire timers',
    everyMs: tickMs,
    async run() {
      let fired: FiredTimer[]
      do fired = await app.db.rows(fireDue, [app.clock.now(), batch])
      while (fired.length >= batch)
    },
  }
}

import { sql } from '../../db/db.ts'
import * as t from '../../db/table.ts'
import type { Id } from '../../lib/ids.ts'
import type { WalletCurrency } from '../../lib/money.ts'
import type { Maker } from '../../platform/team/team.ts'
import type { Interval, Weekday } from './schema.ts'

export const schedules = t.table('payout_schedules', {
  id: t.text<Id>(),
  currency: t.text<WalletCurrency>(),
  beneficiary_id: t.text<Id>(),
  beneficiary_revision: t.integer(),
  interval: t.text<Interval>(),
  weekday: t.nullable(t.text<Weekday>()),
  day: t.nullable(t.integer()),
  time: t.text(),
  keep: t.bigint(),
  minimum: t.bigint(),
  maximum: t.nullable(t.bigint()),
  description: t.nullable(t.text()),
  status: t.text<'active' | 'paused'>(),
  paused_because: t.defaulted(t.nullable(t.text())),
  made_by: t.json<Maker>(),
  next_run_at: t.nullable(t.time()),
  next_run_day: t.nullable(t.text()),
  last_paid_day: t.defaulted(t.nullable(t.text())),
  metadata: t.json<Record<string, unknown>>(),
  created_at: t.time(),
  updated_at: t.time(),
  deleted_at: t.defaulted(t.nullable(t.time())),
})
export type ScheduleRow = t.RowOf<typeof schedules>

export const selectSchedule = t.byId(schedules, 'and deleted_at is null')
export const lockSchedule = t.byId(schedules, `and deleted_at is null ${t.locked}`)
/** Includes deleted schedules. */
export const selectAny = t.byId(schedules)

/** The result of a run: a payout, or the reason for none. */
export const runs = t.table('payout_schedule_runs', {
  id: t.text<Id>(),
  schedule_id: t.text<Id>(),
  due_at: t.time(),
  amount: t.nullable(t.bigint()),
  payout_id: t.nullable(t.text<Id>()),
  reference: t.nullable(t.text()),
  code: t.nullable(t.text()),
  message: t.nullable(t.text()),
  created_at: t.time(),
})
export type RunRow = t.RowOf<typeof runs>
export const selectRun = t.byId(runs)

/** When the latest run of a schedule was due; null before the first. */
export const selectLastDue = sql<{ due_at: Date | null }>(
  'payout_schedules.select_last_due',
  `select max(due_at) as due_at from payout_schedule_runs
    where business_id = $1 and livemode = $2 and schedule_id = $3`,
)

/** The newest `$4` runs of each of the schedules. */
export const selectNewestRuns = sql<RunRow>(
  'payout_schedules.select_newest_runs',
  `select newest.*
     from unnest($3::text[]) as schedule (id)
    cross join lateral (
      select ${t.columnsOf(runs)} from payout_schedule_runs
       where business_id = $1 and livemode = $2 and schedule_id = schedule.id
       order by created_at desc, id desc limit $4) newest`,
)

import { momentsOf, type TimelineSource } from '../../core/timeline.ts'
import { newestRuns, runTask } from './payout-schedules.ts'
import { type RunRow, selectAny, selectRun } from './sql.ts'

const shownRuns = 50

function momentOf({
  id,
  created_at: at,
  due_at,
  amount,
  reference,
  payout_id,
  code,
  message,
}: RunRow) {
  const ids = { payout_schedule_run: id, payout: payout_id }
  return payout_id === null
    ? { at, title: 'A run paid nothing', detail: { due_at, code, message }, ids }
    : { at, title: 'A run made a payout', detail: { due_at, amount, reference }, ids }
}

export const scheduleTimeline: TimelineSource = {
  kind: 'payout_schedule',
  async read(view, id) {
    const row = await view.row(selectAny, [id])
    if (!row) return null
    const past = await newestRuns(view, [id], shownRuns)
    const { interval, weekday, day, time, keep, created_at, deleted_at } = row
    // A run may pause the schedule; a person's pause is an ordinary change.
    const pausing = past.find(({ code }) => code !== null && code === row.paused_because)
    const pausedAt = deleted_at === null ? (pausing?.created_at ?? row.updated_at) : null
    return {
      status: deleted_at ? 'deleted' : row.status,
      moments: momentsOf([
        {
          at: created_at,
          title: 'Payout schedule made',
          detail: { interval, weekday, day, time, keep },
        },
        ...past.reverse().map(momentOf),
        {
          at: row.status === 'paused' ? pausedAt : null,
          title: 'The schedule is paused: it pays nothing until a person resumes it',
          detail: row.paused_because === null ? {} : { because: row.paused_because },
        },
        { at: deleted_at, title: 'Payout schedule deleted' },
      ]),
      related: { beneficiary: row.beneficiary_id },
    }
  },
  jobs: { [runTask]: 'The next run' },
}

/** A run with its payout. */
export const runTimeline: TimelineSource = {
  kind: 'payout_schedule_run',
  async read(view, id) {
    const row = await view.row(selectRun, [id])
    if (!row) return null
    return {
      status: row.payout_id === null ? 'skipped' : 'paid',
      moments: [momentOf(row)],
      parts: row.payout_id === null ? [] : [{ kind: 'payout', id: row.payout_id }],
      related: { payout_schedule: row.schedule_id },
    }
  },
}

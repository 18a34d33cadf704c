/**
 * Deletes timers, jobs and deliveries of a business that moved to another database. A move that is
 * killed between its two commits leaves them, and then tasks that work for all businesses find them
 * and are refused.
 */
import type { App } from '../../core/app.ts'
import { sqlOfAll, sqlOfMany, transaction } from '../../db/db.ts'
import { movedSubjects } from '../../db/moves/moved.ts'
import type { PeriodicTask } from '../../lib/periodic.ts'

const actAsMove = sqlOfAll(
  'moved_work.act_as_move',
  `select set_config('bursar.moves', 'on', true)`,
)
const deleteTimers = sqlOfMany(
  'moved_work.delete_timers',
  'delete from timers where business_id = any ($1::text[])',
)
const deleteQueue = sqlOfMany(
  'moved_work.delete_queue',
  'delete from webhook_queue where business_id = any ($1::text[])',
)
const deleteJobs = sqlOfMany(
  'moved_work.delete_jobs',
  `delete from graphile_worker._private_jobs where payload ->> 'business_id' = any ($1::text[])`,
)

export const movedWorkTask = ({ db }: Pick<App, 'db'>): PeriodicTask => ({
  name: 'take away what waits of businesses that are in another database',
  everyMs: 5_000,
  async run() {
    const moved = [...(await movedSubjects(db))].filter((subject) => subject !== '')
    if (moved.length === 0) return
    await transaction(db, async (tx) => {
      await tx.rows(actAsMove)
      for (const statement of [deleteTimers, deleteQueue, deleteJobs])
        await tx.rows(statement, [moved])
    })
  },
})

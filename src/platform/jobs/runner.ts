/**
 * Runs tasks from the timers that name them. A worker claims many due timers in one statement, and
 * deletes each once its task has run. A task that fails becomes a job, which is tried again.
 */
import type { App } from '../../core/app.ts'
import type { JobPayload, Task } from '../../core/module.ts'
import { gathered } from '../../db/batch.ts'
import { batchOf, replanned, sqlOfAll, sqlOfMany } from '../../db/db.ts'
import type { Id } from '../../lib/ids.ts'
import { type ClaimingTask, queueFailed } from './jobs.ts'
import { runTask } from './task.ts'
import { notifyWorkers, wakeUp } from './timers.ts'

const everyMs = 250
/** Tasks that end within it make room for one claim together. */
const cooldownMs = 20
/**
 * Claims are made in the order of timers, so they are among the first; those of a dead worker come
 * to be as others are done.
 */
const mostClaimsRead = 20_000

/** A timer that this process has claimed. */
type Claimed = {
  business_id: Id
  livemode: boolean
  id: Id
  task: string
  subject: Id
  payload: JobPayload
  due_at: Date | null
}

/**
 * Claims for the worker `$1` at most `$4` timers of the tasks `$3` that are due at `$2`, of
 * everybody. What is to run at once and what has waited for its time get turns, so that neither
 * holds up the other. Test clocks run ahead: what only theirs makes due becomes a job. Planned
 * anew, as `fireDue` is.
 */
export const claimDue = replanned(
  sqlOfAll<Claimed>(
    'timers.claim_due',
    `with due as (
     select ctid from (
       (select ctid, row_number() over (order by id) as turn
          from (select ctid, id from timers
                 where due_at is null and claimed_by is null and task = any ($3::text[])
                 order by id limit $4) immediate)
       union all
       (select ctid, row_number() over (order by due_at)
          from (select ctid, due_at from timers
                 where due_at <= $2 and claimed_by is null and task = any ($3::text[])
                 order by due_at limit $4) waited)) found
      order by turn limit $4
   ), locked as (
     select ctid from timers
      where ctid = any (array(select ctid from due)) and claimed_by is null for update skip locked
   )
   update timers set claimed_by = $1 where ctid = any (array(select ctid from locked))
   returning business_id, livemode, id, task, subject, payload, due_at`,
  ),
)

type TimerKey = Pick<Claimed, 'business_id' | 'livemode' | 'subject' | 'id'>
const timerKeys = batchOf<TimerKey>('business_id text, livemode boolean, subject text, id text')
const isAsked = `t.business_id = asked.business_id and t.livemode = asked.livemode
             and t.subject = asked.subject and t.id = asked.id`

const deleteDone = replanned(
  sqlOfMany(
    'timers.delete_done',
    `delete from timers t using ${timerKeys.rows()} asked where ${isAsked}`,
  ),
)

/** Those that end at the time are deleted by one statement. */
const done = gathered<TimerKey, void>(
  async (db, keys) => {
    await db.rows(deleteDone, timerKeys.arrays(keys))
    return keys.map(() => ({ answer: undefined }))
  },
  { max: 256, lanes: 1 },
)

const selectTimer = sqlOfMany<{ id: Id }>(
  'timers.select_one',
  'select id from timers where business_id = $1 and livemode = $2 and subject = $3 and id = $4',
)

const firstDue = `(
     (select ctid, claimed_by from timers where due_at is null order by id limit ${mostClaimsRead})
     union all
     (select ctid, claimed_by from timers where due_at <= $1 order by due_at limit ${mostClaimsRead})) first`

const selectClaimants = replanned(
  sqlOfAll<{ name: string }>(
    'timers.select_claimants',
    `select distinct claimed_by as name from ${firstDue} where claimed_by is not null`,
  ),
)

/** Releases what the workers `$2` have claimed, but for the timers `$3`. */
const releaseClaims = replanned(
  sqlOfAll(
    'timers.release_claims',
    `with locked as (
     select ctid from timers
      where ctid = any (array(select ctid from ${firstDue} where claimed_by = any ($2::text[])))
        and id <> all ($3::text[])
        for update skip locked
   )
   update timers set claimed_by = null where ctid = any (array(select ctid from locked))`,
  ),
)

/**
 * The periodic task that runs tasks from their timers.
 * @param concurrency how many run at once in this process
 */
export function runnerTask(
  app: App,
  tasks: Record<string, Task>,
  concurrency: number,
): ClaimingTask {
  const names = Object.keys(tasks)
  const running = new Map<Id, Promise<void>>()
  const giveUp = new AbortController()
  /** Whether more may be due than was claimed. */
  let mayBeMore = false
  /** Whether the database may know of claims that nobody here is running. */
  let mayHaveOrphanedClaims = false

  const release = (workers: string[], kept: Id[]): Promise<unknown> =>
    app.db.rows(releaseClaims, [app.clock.now(), workers, kept])

  const run = async (timer: Claimed): Promise<void> => {
    const { business_id, livemode, subject, id, task, payload, due_at } = timer
    const key = [business_id, livemode, subject, id]
    try {
      await runTask(app, { name: task, run: tasks[task] as Task }, payload, {
        owner: { businessId: business_id, livemode },
        notBefore: due_at,
        signal: giveUp.signal,
        isThere: async () => (await app.db.row(selectTimer, key)) !== null,
      })
      await done(app.db, timer)
    } catch (error) {
      if (giveUp.signal.aborted) return
      app.log.error({ err: error, task, subject }, 'a task failed and will be tried again')
      await app.db.rows(queueFailed, key).catch((lost: unknown) => {
        mayHaveOrphanedClaims = true
        app.log.warn(
          { err: lost, task, subject },
          'a failed task could not be queued and runs again',
        )
      })
    }
  }
  const start = (timer: Claimed): void => {
    const ran = run(timer).finally(() => {
      running.delete(timer.id)
      if (mayBeMore) notifyWorkers()
    })
    running.set(timer.id, ran)
  }
  const settle = async (): Promise<void> => void (await Promise.all(running.values()))

  return {
    name: 'run due tasks',
    everyMs,
    cooldownMs,
    wakeUp,
    claims: {
      claimants: async () =>
        (await app.db.rows(selectClaimants, [app.clock.now()])).map(({ name }) => name),
      release: (workers) => release(workers, []),
    },
    async run(worker) {
      if (mayHaveOrphanedClaims) {
        await release([worker], [...running.keys()])
        mayHaveOrphanedClaims = false
      }
      const free = concurrency - running.size
      if (free <= 0) return
      let claimed: Claimed[]
      try {
        claimed = await app.db.rows(claimDue, [worker, app.clock.now(), names, free])
      } catch (error) {
        mayHaveOrphanedClaims = true
        throw error
      }
      mayBeMore = claimed.length === free
      for (const timer of claimed) start(timer)
    },
    settle,
    async finish(worker, ending) {
      const givenUp = Promise.withResolvers<void>()
      ending.addEventListener('abort', () => {
        giveUp.abort()
        givenUp.resolve()
      })
      await Promise.race([settle(), givenUp.promise])
      await release([worker], [])
    },
  }
}

/**
 * Runs tasks from their timers. A worker claims many due timers in one statement, and deletes each
 * after its task has run. A failed task becomes a job, which is retried.
 */
import type { App } from '../../core/app.ts'
import type { JobPayload, Task } from '../../core/module.ts'
import { gathered } from '../../db/batch.ts'
import { batchOf, replanned, sqlOfAll, sqlOfMany } from '../../db/db.ts'
import type { Id } from '../../lib/ids.ts'
import { whenAborted } from '../../lib/periodic.ts'
import { type ClaimingTask, queueFailed } from './jobs.ts'
import { OrphanedClaims } from './orphaned-claims.ts'
import { runTask } from './task.ts'
import { notifyWorkers, wakeUp } from './timers.ts'

const everyMs = 250
/** Tasks that end within this time are replaced by one claim. */
const cooldownMs = 20
/**
 * Claims follow the order of timers, so they are among the first; claims of a dead worker become
 * the first as others are deleteTimer.
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
 * Claims for the worker `$1` at most `$4` timers of the tasks `$3` due at `$2`, of all businesses.
 * Immediate and delayed tasks alternate, so that neither delays the other. A timer due only by a
 * test clock becomes a job instead. Planned at each execution, like `fireDue`.
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

/** Deletes timers of completed tasks, batched with those that end at the same time. */
const deleteTimer = gathered<TimerKey, void>(
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

/** Releases the claims of the workers `$2`, except the timers `$3`. */
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
  const runner = new Runner(app, tasks, concurrency)
  return {
    name: 'run due tasks',
    everyMs,
    cooldownMs,
    wakeUp,
    claims: {
      claimants: async () =>
        (await app.db.rows(selectClaimants, [app.clock.now()])).map(({ name }) => name),
      release: (dead) => runner.release(dead, []),
    },
    async run(worker) {
      await runner.releaseOrphans(worker)
      await runner.claim(worker)
    },
    settle: () => runner.settle(),
    finish: (worker, giveUp) => runner.finish(worker, giveUp),
  }
}

class Runner {
  private readonly running = new Map<Id, Promise<void>>()
  private readonly givenUp = new AbortController()
  /** Whether more timers may be due than were claimed. */
  private mayBeMore = false
  private readonly orphans = new OrphanedClaims()
  private readonly app: App
  private readonly tasks: Record<string, Task>
  private readonly concurrency: number

  constructor(app: App, tasks: Record<string, Task>, concurrency: number) {
    this.app = app
    this.tasks = tasks
    this.concurrency = concurrency
  }

  /** Releases the claims of workers, except for some timers. */
  async release(workers: string[], kept: Id[]): Promise<void> {
    await this.app.db.rows(releaseClaims, [this.app.clock.now(), workers, kept])
  }

  async releaseOrphans(worker: string): Promise<void> {
    await this.orphans.release(() => this.release([worker], [...this.running.keys()]))
  }

  /** Claims due timers within this process's capacity and starts their tasks. */
  async claim(worker: string): Promise<void> {
    const { app, tasks, running } = this
    const capacity = this.concurrency - running.size
    if (capacity <= 0) return
    const params = [worker, app.clock.now(), Object.keys(tasks), capacity]
    const claimed = await this.orphans.watch(() => app.db.rows(claimDue, params))
    this.mayBeMore = claimed.length === capacity
    for (const timer of claimed) running.set(timer.id, this.run(timer))
  }

  async settle(): Promise<void> {
    await Promise.all(this.running.values())
  }

  async finish(worker: string, giveUp: AbortSignal): Promise<void> {
    const aborted = whenAborted(giveUp).then(() => this.givenUp.abort())
    await Promise.race([this.settle(), aborted])
    await this.release([worker], [])
  }

  private async run(timer: Claimed): Promise<void> {
    const { task, subject } = timer
    try {
      await this.runTask(timer)
      await deleteTimer(this.app.db, timer)
    } catch (error) {
      if (this.givenUp.signal.aborted) return
      this.app.log.error({ err: error, task, subject }, 'a task failed and will be tried again')
      await this.orphans
        .watch(() => this.app.db.rows(queueFailed, keyOf(timer)))
        .catch((lost) =>
          this.app.log.warn(
            { err: lost, task, subject },
            'a failed task could not be queued and runs again',
          ),
        )
    } finally {
      this.running.delete(timer.id)
      if (this.mayBeMore) notifyWorkers()
    }
  }

  private runTask(timer: Claimed): Promise<void> {
    const { db } = this.app
    const task = { name: timer.task, run: this.tasks[timer.task] as Task }
    return runTask(this.app, task, timer.payload, {
      owner: { businessId: timer.business_id, livemode: timer.livemode },
      notBefore: timer.due_at,
      signal: this.givenUp.signal,
      isThere: async () => (await db.row(selectTimer, keyOf(timer))) !== null,
    })
  }
}

const keyOf = ({ business_id, livemode, subject, id }: TimerKey): unknown[] => [
  business_id,
  livemode,
  subject,
  id,
]

/**
 * Job workers. Work is written in the transaction that needs it and runs at least once, so every
 * task must be idempotent. Most tasks run from timers (`runner.ts`). graphile-worker, on the same
 * PostgreSQL, runs retries, mail, and what a test clock makes due.
 */
import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Logger, type Runner, run, type TaskList } from 'graphile-worker'
import type { App } from '../../core/app.ts'
import type { JobPayload, Task } from '../../core/module.ts'
import { sqlOfAll, sqlOfMany } from '../../db/db.ts'
import { levelOf } from '../../db/moves/moved.ts'
import type { Log } from '../../lib/log.ts'
import type { PeriodicTask } from '../../lib/periodic.ts'
import { randomText } from '../../lib/secrets.ts'
import { aliveLockClass, holdSession, type Session } from './session.ts'
import { runTask } from './task.ts'
import { mostTries, payloadOfJob } from './timers.ts'

/** Tasks with workers of their own, so that one kind of work cannot delay another. */
export type TaskGroup = { concurrency: number; tasks: Record<string, Task> }

/** A periodic task and its claims. */
export type ClaimingTask = PeriodicTask & { claims?: Claims }

/** Finds workers that hold claims, and releases the claims of dead workers. */
export type Claims = {
  claimants(): Promise<string[]>
  /** @param dead the names of dead workers */
  release(dead: string[]): Promise<unknown>
}

export type Workers = {
  /**
   * Stops taking work and waits for running tasks; after `graceMs`, aborts those that still run.
   */
  stop(): Promise<void>
  /** Whether the workers can work: their database session is open. */
  healthy(): boolean
}

const rescueEveryMs = 1_000
/**
 * The longest wait of a job before its next try, after any number of failures or interruptions,
 * plus the seconds until the periodic task applies it.
 */
const longestWaitMs = 5 * 60_000

/** The workers' jobs and periodic tasks. */
export type WorkPlan = { groups: TaskGroup[]; periodic: ClaimingTask[] }

/** Starts the workers of every group, and the periodic tasks. */
export async function startWorkers(
  app: App,
  url: string,
  { groups, periodic }: WorkPlan,
  graceMs: number,
): Promise<Workers> {
  const alive = await holdSession(app, url)
  const stop = new AbortController()
  const supervised = await Promise.all(
    groups.map((group) => supervise(app, group, alive, graceMs, stop.signal)),
  )
  const giveUp = new AbortController()
  const worker = `worker-${randomText(16)}`
  // Before the first claim: other processes release the claims of a worker that does not look
  // alive.
  await alive.announce(worker)
  const claims = [jobClaims(app.db), ...periodic.flatMap((task) => task.claims ?? [])]
  const loops = [...periodic, rescueTask(app, alive, claims), forwardTask(app)].map(
    async (task) => {
      await repeat(app.log, task, worker, stop.signal)
      await task
        .finish?.(worker, giveUp.signal)
        .catch((error) =>
          app.log[levelOf(error)](
            { err: error, task: task.name },
            'a periodic task was not finished',
          ),
        )
    },
  )
  return {
    healthy: () =>
      alive.stands() && supervised.every((group) => group.runs()) && !stop.signal.aborted,
    async stop() {
      stop.abort()
      const timer = setTimeout(() => giveUp.abort(), graceMs)
      await Promise.all([...supervised.map((group) => group.stop()), ...loops])
      clearTimeout(timer)
      await alive.end()
    },
  }
}

type Supervised = { runs(): boolean; stop(): Promise<void> }

const restartMs = 500
/**
 * How many jobs of a group are fetched per worker: fetching one costs more the longer the queue.
 */
const queuedPerWorker = 2
/** How long a fetched job may wait for a worker of this process while others may be free. */
const queuedForMs = 2_000
/** The extra time that a pool may take to stop after its jobs. */
const endMs = 1_000

type Pool = { id: string; runner: Runner; ended: Promise<unknown> }

/** Starts a pool of workers. @throws when the database does not answer */
async function startPool(
  app: App,
  group: TaskGroup,
  alive: Session,
  graceMs: number,
): Promise<Pool> {
  const events = new EventEmitter()
  const ending = Promise.withResolvers<void>()
  let id = ''
  events.on('pool:create', ({ workerPool }: { workerPool: { id: string } }) => {
    id = workerPool.id
    void alive.announce(id)
  })
  events.on('pool:gracefulShutdown', () => setTimeout(ending.resolve, graceMs + endMs).unref())
  followJobs(events, alive)
  const runner = await run({
    pgPool: app.db.pool,
    concurrency: group.concurrency,
    noHandleSignals: true,
    pollInterval: 500,
    gracefulShutdownAbortTimeout: graceMs,
    // With a delay, an error when completing a job reaches the pool. Without it, the error would be
    // unhandled and end the process.
    preset: {
      worker: {
        completeJobBatchDelay: 2,
        failJobBatchDelay: 2,
        // A plan cached while few jobs were queued would read and sort all queued jobs after a
        // burst.
        preparedStatements: false,
        localQueue: { size: queuedPerWorker * group.concurrency, ttl: queuedForMs },
      },
    },
    taskList: taskListOf(app, group.tasks),
    // Otherwise graphile-worker reads a file `crontab` in the working directory.
    parsedCronItems: [],
    logger: new Logger(() => (level, message, meta) => workerLog(app.log, level, message, meta)),
    events: events as never,
  })
  const left = ending.promise.then(() => runner.stop().catch(() => {}))
  return { id, runner, ended: Promise.race([runner.promise, left]) }
}

/** Tracks for the session which jobs this process has fetched. */
function followJobs(events: EventEmitter, alive: Session): void {
  type Taken = { jobs: { id: string }[] }
  events.on('localQueue:getJobs:complete', ({ jobs }: Taken) => {
    for (const { id } of jobs) alive.jobs.add(id)
  })
  events.on('localQueue:returnJobs', ({ jobs }: Taken) => {
    for (const { id } of jobs) alive.jobs.delete(id)
  })
  events.on('localQueue:init', ({ localQueue }: { localQueue: LocalQueue }) =>
    holdUntilReleased(events, localQueue),
  )
  events.on('job:complete', ({ job }: { job: { id: string } }) => alive.jobs.delete(job.id))
}

/**
 * Keeps a group's workers running. graphile-worker stops a pool when it cannot complete or fail a
 * job, for example after a lost connection; the group then starts again under another name, and the
 * jobs of the old one are released. A pool that could not complete several batches miscounts its
 * jobs and never stops, so it is not awaited.
 */
async function supervise(
  app: App,
  group: TaskGroup,
  alive: Session,
  graceMs: number,
  stopping: AbortSignal,
): Promise<Supervised> {
  let current: Runner | null = null
  let restarting = Promise.resolve()
  const start = async (): Promise<void> => {
    const { id, runner, ended } = await startPool(app, group, alive, graceMs)
    current = runner
    const again = (error?: unknown): void => {
      current = null
      alive.forget(id)
      if (stopping.aborted) return
      app.log.error({ err: error }, 'a group of workers ended and is started again')
      restarting = restart()
    }
    ended.then(() => again(), again)
  }
  const restart = async (): Promise<void> => {
    while (!stopping.aborted && current === null) {
      await sleep(restartMs, undefined, { signal: stopping }).catch(() => {})
      if (stopping.aborted) return
      await start().catch((error) =>
        app.log.error({ err: error }, 'a group of workers could not be started'),
      )
    }
  }
  await start()
  return {
    runs: () => current !== null,
    async stop() {
      await restarting
      // A stopped pool cannot be stopped again.
      const stopped = current
        ?.stop()
        .catch((error: Error) => app.log.debug({ err: error }, 'the workers had stopped'))
      if (stopped) await Promise.race([stopped, sleep(graceMs + endMs, undefined, { ref: false })])
    },
  }
}

/**
 * A job's scope, and the time at which it runs if not the present, or before which it must not run.
 */
type Owner = { business_id: string; livemode: boolean; at?: string; not_before?: string | null }

const selectJob = sqlOfAll<{ id: bigint }>(
  'jobs.select_one',
  'select id from graphile_worker._private_jobs where id = $1',
)

/** Returns a group's tasks for graphile-worker: each job runs in its payload's scope. */
export function taskListOf(app: App, tasks: Record<string, Task>): TaskList {
  const list: TaskList = {}
  for (const [name, run] of Object.entries(tasks))
    list[name] = async (payload, helpers) => {
      const { business_id, livemode, at, not_before, ...own } = payload as JobPayload & Owner
      await runTask(app, { name, run }, own, {
        owner: { businessId: business_id, livemode },
        ...(at === undefined ? {} : { at: new Date(at) }),
        notBefore: not_before ? new Date(not_before) : null,
        signal: helpers.abortSignal ?? new AbortController().signal,
        isThere: async () => (await app.db.row(selectJob, [helpers.job.id])) !== null,
      })
    }
  return list
}

async function repeat(
  log: Log,
  task: PeriodicTask,
  worker: string,
  signal: AbortSignal,
): Promise<void> {
  let notified = false
  let endWait = (): void => {}
  const notify = (): void => {
    notified = true
    endWait()
  }
  task.wakeUp?.on('notify', notify)
  signal.addEventListener('abort', notify)
  while (!signal.aborted) {
    notified = false
    const startedAt = performance.now()
    try {
      await task.run(worker, signal)
    } catch (error) {
      if (!signal.aborted)
        log[levelOf(error)](
          { err: error, task: task.name },
          'a periodic task failed and will be tried again',
        )
    }
    const cooldown = (task.cooldownMs ?? 0) - (performance.now() - startedAt)
    if (cooldown > 0 && !signal.aborted) await sleep(cooldown)
    if (!notified && !signal.aborted)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, task.everyMs)
        endWait = () => {
          clearTimeout(timer)
          resolve()
        }
      })
  }
  task.wakeUp?.off('notify', notify)
}

const selectClaimants = sqlOfAll<{ name: string }>(
  'jobs.claimants',
  `select distinct locked_by as name from graphile_worker.jobs
    where locked_by is not null and locked_at < now() - interval '2 seconds'`,
)
const releaseJobs = sqlOfAll(
  'jobs.release',
  'select graphile_worker.force_unlock_workers($1::text[])',
)

const jobClaims = (db: App['db']): Claims => ({
  claimants: async () => (await db.rows(selectClaimants)).map(({ name }) => name),
  release: (dead) => db.rows(releaseJobs, [dead]),
})

const selectSilent = sqlOfAll<{ name: string }>(
  'jobs.select_silent',
  `select name
     from unnest($2::text[]) as holder (name)
    where not exists (select from pg_locks
                       where locktype = 'advisory' and granted
                         and database = (select oid from pg_database where datname = current_database())
                         and classid = $1::oid and objid::bigint = hashtext(name)::bigint & x'ffffffff'::bigint)`,
)

const selectLive = sqlOfAll<{ live: boolean }>(
  'jobs.select_live',
  `select exists (select from pg_locks
                   where locktype = 'advisory' and granted and classid = $1::oid
                     and database = (select oid from pg_database where datname = current_database())) as live`,
)

/** Whether any process has live workers. */
export async function workersLive(db: App['db']): Promise<boolean> {
  return (await db.row(selectLive, [aliveLockClass]))?.live ?? false
}

const selectUnheard = sqlOfAll<{ id: string }>(
  'jobs.select_unheard',
  `select id::text from graphile_worker._private_jobs
    where locked_by = any ($1::text[]) and locked_at < now() - interval '5 seconds' and id <> all ($2::bigint[])`,
)
const releaseUnheard = sqlOfAll(
  'jobs.release_unheard',
  `update graphile_worker._private_jobs set locked_by = null, locked_at = null, attempts = greatest(0, attempts - 1)
    where id = any ($1::bigint[]) and locked_by = any ($2::text[])`,
)

/**
 * Releases jobs that a pool of this process fetched by a statement whose answer was lost. The pool
 * is alive but does not know them. A job must be found twice in a row.
 */
function lostJobsReleaser(app: App, alive: Session): () => Promise<void> {
  let suspects = new Set<string>()
  return async () => {
    const rows = await app.db.rows(selectUnheard, [alive.pools(), [...alive.jobs]])
    const lost = rows.map(({ id }) => id).filter((id) => suspects.has(id) && !alive.jobs.has(id))
    suspects = new Set(rows.map(({ id }) => id))
    if (lost.length === 0) return
    app.log.warn({ jobs: lost }, 'releasing jobs whose claim was lost')
    await app.db.rows(releaseUnheard, [lost, alive.pools()])
  }
}

/**
 * Releases the claims of workers whose process died; graphile-worker alone would wait four hours. A
 * worker must look dead twice in a row, because a living process that lost its session announces
 * itself again in between.
 */
function rescueTask(app: App, alive: Session, claims: Claims[]): PeriodicTask {
  let suspects = new Set<string>()
  const releaseLost = lostJobsReleaser(app, alive)
  return {
    name: 'release what dead workers had claimed',
    everyMs: rescueEveryMs,
    async run() {
      // Without our own locks, our own claims would look like a dead worker's.
      if (!alive.stands()) return
      await releaseLost()
      const held: string[] = []
      for (const { claimants } of claims) held.push(...(await claimants()))
      const others = [...new Set(held)].filter((name) => !alive.has(name))
      const silent = (await app.db.rows(selectSilent, [aliveLockClass, others])).map(
        ({ name }) => name,
      )
      const dead = silent.filter((name) => suspects.has(name))
      suspects = new Set(silent)
      if (dead.length === 0) return
      app.log.warn({ workers: dead }, 'releasing the claims of dead workers')
      for (const { release } of claims) await release(dead)
    },
  }
}

/**
 * Turns a timer whose task failed into a job, which waits as long as graphile-worker's first retry.
 */
export const queueFailed = sqlOfMany(
  'jobs.queue_failed',
  `with failed as (
     delete from timers where business_id = $1 and livemode = $2 and subject = $3 and id = $4 returning *
   )
   select graphile_worker.add_job(task, ${payloadOfJob('not_before')}, max_attempts => ${mostTries},
                                  run_at => now() + interval '2.7 seconds') from failed`,
)

/**
 * Uses the index by which jobs are fetched, whose end has jobs with a later time. Jobs of an
 * earlier version have 25 tries, for longer waits.
 */
const bringForward = sqlOfAll(
  'jobs.bring_forward',
  `update graphile_worker._private_jobs
      set run_at = now() + $1::bigint * interval '1 millisecond', max_attempts = greatest(max_attempts, $2::integer)
    where is_available and priority = 0 and run_at > now() + $1::bigint * interval '1 millisecond' and attempts > 0`,
)

/**
 * graphile-worker waits e^n seconds after the nth try, up to six hours, and counts tries that a
 * killed process interrupted: payments would wait for hours after a short outage.
 */
function forwardTask(app: App): PeriodicTask {
  return {
    name: 'bring failed jobs forward',
    everyMs: 10_000,
    run: async () => void (await app.db.rows(bringForward, [longestWaitMs, mostTries])),
  }
}

type LocalQueue = { background(promise: Promise<void>): void }

/**
 * Makes a queue end only after it has returned its jobs. graphile-worker 0.17 and 0.18 wait for
 * that only if they already wait for something else: otherwise the queue fails as it ends, and jobs
 * that could not be returned are not reported.
 */
function holdUntilReleased(events: EventEmitter, queue: LocalQueue): void {
  const released = Promise.withResolvers<void>()
  events.once('pool:gracefulShutdown', () => queue.background(released.promise))
  events.on('localQueue:setMode', ({ newMode }: { newMode: string }) => {
    if (newMode === 'RELEASED') released.resolve()
  })
}

/**
 * Jobs that a stopping pool could not return or complete, usually because the database was down,
 * are released like those of dead workers.
 */
const releasedLater =
  /^(Releasing local queue failed|Failed to return jobs from local queue)|Errors occurred whilst deactivating queue$|Cannot use a pool after calling end/

function workerLog(log: Log, level: string, message: string, meta: { error?: unknown } = {}): void {
  if (level === 'error')
    log[releasedLater.test(message) ? 'warn' : 'error']({ err: meta.error }, message)
  // Deliveries hold a connection only before and after their request, so fewer connections than
  // workers is intended.
  else if (level === 'warning' && !message.includes('maxPoolSize')) log.warn({}, message)
  else log.debug({}, message)
}

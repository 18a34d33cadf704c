/**
 * Work that waits. It is written in the transaction that makes it necessary, and runs at least once:
 * every task must be able to run twice. Most tasks run from their timers (`runner.ts`). Jobs of
 * graphile-worker, on the same PostgreSQL, are what failed and is tried again, mail, and what a test
 * clock makes due.
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

/** A set of tasks with workers of its own, so that one kind of work cannot hold up another. */
export type TaskGroup = { concurrency: number; tasks: Record<string, Task> }

/** A periodic task, and what it claims in its worker's name. */
export type ClaimingTask = PeriodicTask & { claims?: Claims }

/** How rows that workers claim in their names are found, and released when a worker has died. */
export type Claims = {
  claimants(): Promise<string[]>
  /** @param dead the names of workers that have died */
  release(dead: string[]): Promise<unknown>
}

export type Workers = {
  /**
   * Stops taking work and waits for what runs; after `graceMs` what still runs is asked to give up.
   */
  stop(): Promise<void>
  /** Whether the workers can work: their session with the database stands. */
  healthy(): boolean
}

const rescueEveryMs = 1_000
/**
 * The longest that a job waits for its next try, however often it has failed, or was broken off,
 * but for the seconds until that is seen to.
 */
const longestWaitMs = 5 * 60_000

/** Everything that workers do: the jobs they run, and what they do again and again. */
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
  // Before it claims anything: others release what a worker has claimed that does not look alive.
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
/** How many jobs of a group are taken at once: to take one costs more the more of them wait. */
const queuedPerWorker = 2
/**
 * How long a job that was taken may wait for a worker of this process, where others may be free.
 */
const queuedForMs = 2_000
/** How much longer than its jobs a pool may take to end. */
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
    // With a delay, an error in ending a job reaches the pool; without one it would be nobody's,
    // and end the process.
    preset: {
      worker: {
        completeJobBatchDelay: 2,
        failJobBatchDelay: 2,
        // A plan that was kept from when hardly any job waited would read, and sort, all that
        // wait after a rush.
        preparedStatements: false,
        localQueue: { size: queuedPerWorker * group.concurrency, ttl: queuedForMs },
      },
    },
    taskList: taskListOf(app, group.tasks),
    // Else it reads a file `crontab` of the folder that the server was started in.
    parsedCronItems: [],
    logger: new Logger(() => (level, message, meta) => workerLog(app.log, level, message, meta)),
    events: events as never,
  })
  const left = ending.promise.then(() => runner.stop().catch(() => {}))
  return { id, runner, ended: Promise.race([runner.promise, left]) }
}

/** Tells the session which jobs the process has taken. */
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
 * Keeps a group's workers running. graphile-worker gives a pool up when it cannot end or fail a
 * job, as when the connection is cut; the group then starts again under another name, and the jobs
 * of the old one are released. A pool that could not end several batches of jobs counts them wrong,
 * and never ends: it is not waited for.
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
      // A pool that has given up cannot be stopped once more.
      const stopped = current
        ?.stop()
        .catch((error: Error) => app.log.debug({ err: error }, 'the workers had stopped'))
      if (stopped) await Promise.race([stopped, sleep(graceMs + endMs, undefined, { ref: false })])
    },
  }
}

/**
 * Whose job it is, and the time it is to run at when that is not the present; or the time that it
 * must not run before.
 */
type Owner = { business_id: string; livemode: boolean; at?: string; not_before?: string | null }

const selectJob = sqlOfAll<{ id: bigint }>(
  'jobs.select_one',
  'select id from graphile_worker._private_jobs where id = $1',
)

/**
 * The tasks of a group as graphile-worker calls them: each job runs in the scope that its payload
 * names.
 */
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

/** Whether workers of any process are alive. */
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
 * Releases jobs that a pool of this process took by a statement whose answer was lost: it is alive,
 * and does not know of them. One must be found twice in a row.
 */
function unheardJobs(app: App, alive: Session): () => Promise<void> {
  let suspects = new Set<string>()
  return async () => {
    const rows = await app.db.rows(selectUnheard, [alive.pools(), [...alive.jobs]])
    const lost = rows.map(({ id }) => id).filter((id) => suspects.has(id) && !alive.jobs.has(id))
    suspects = new Set(rows.map(({ id }) => id))
    if (lost.length === 0) return
    app.log.warn({ jobs: lost }, 'releasing jobs that were taken, and never heard of')
    await app.db.rows(releaseUnheard, [lost, alive.pools()])
  }
}

/**
 * Releases what workers had claimed when their process was killed; graphile-worker alone would wait
 * four hours. A worker must look dead twice in a row: one of a living process that lost its session
 * announces itself again in between.
 */
function rescueTask(app: App, alive: Session, claims: Claims[]): PeriodicTask {
  let suspects = new Set<string>()
  const releaseLost = unheardJobs(app, alive)
  return {
    name: 'release what dead workers had claimed',
    everyMs: rescueEveryMs,
    async run() {
      // Without our own locks we would take our own claims for a dead worker's.
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
      app.log.warn({ workers: dead }, 'releasing what workers had claimed that have died')
      for (const { release } of claims) await release(dead)
    },
  }
}

/**
 * Makes a job of a timer whose task has failed. It waits as long as graphile-worker has one wait
 * after its first try.
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
 * Found by the index by which jobs are taken, of which what waits for a later time is the end. One
 * of an earlier version has 25 tries, for longer waits.
 */
const bringForward = sqlOfAll(
  'jobs.bring_forward',
  `update graphile_worker._private_jobs
      set run_at = now() + $1::bigint * interval '1 millisecond', max_attempts = greatest(max_attempts, $2::integer)
    where is_available and priority = 0 and run_at > now() + $1::bigint * interval '1 millisecond' and attempts > 0`,
)

/**
 * graphile-worker has a job wait for e^n seconds after its nth try, up to six hours, and counts
 * those that a killed process broke off: money would wait for hours after a bad minute.
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
 * Has a queue end once it has given back what it had taken. Of graphile-worker 0.17 and 0.18 it
 * waits for that only where it waits for something else already: without this it fails as it ends,
 * and nobody hears of jobs that could not be given back.
 */
function holdUntilReleased(events: EventEmitter, queue: LocalQueue): void {
  const released = Promise.withResolvers<void>()
  events.once('pool:gracefulShutdown', () => queue.background(released.promise))
  events.on('localQueue:setMode', ({ newMode }: { newMode: string }) => {
    if (newMode === 'RELEASED') released.resolve()
  })
}

/**
 * Jobs that a pool could not give back, or end, as it ended, mostly for want of a database, are
 * released as those of the dead are.
 */
const releasedLater =
  /^(Releasing local queue failed|Failed to return jobs from local queue)|Errors occurred whilst deactivating queue$|Cannot use a pool after calling end/

function workerLog(log: Log, level: string, message: string, meta: { error?: unknown } = {}): void {
  if (level === 'error')
    log[releasedLater.test(message) ? 'warn' : 'error']({ err: meta.error }, message)
  // Deliveries hold a connection only before and after their request, so fewer connections than
  // workers is meant.
  else if (level === 'warning' && !message.includes('maxPoolSize')) log.warn({}, message)
  else log.debug({}, message)
}

/**
 * Work that waits. A job is written in the transaction that makes it necessary, and run by graphile-worker on the same
 * PostgreSQL, at least once: every task must be able to run twice.
 */
import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Logger, type Runner, run, type TaskList } from 'graphile-worker'
import { type App, type Ctx, type Log, scopeOf } from '../../core/context.ts'
import { newClient, type Statement, sql } from '../../db/db.ts'
import { randomText } from '../../lib/secrets.ts'

/** What a job carries, besides whose it is. */
export type JobPayload = Record<string, unknown>

/** Runs one job. `signal` tells that the server is stopping. */
export type Task = (ctx: Ctx, payload: JobPayload, signal: AbortSignal) => Promise<void>

/** A set of tasks with workers of its own, so that one kind of work cannot hold up another. */
export type TaskGroup = { concurrency: number; tasks: Record<string, Task> }

/** Something that is done again and again while the workers run. */
export type Chore = {
  name: string
  everyMs: number
  /** Ends the wait before its time. */
  bell?: EventEmitter
  /** How long it waits at least from one start to the next, however often the bell rings. */
  restMs?: number
  /** What it holds under its worker's name. */
  claims?: Claims
  /** @param worker the name that an advisory lock says is alive */
  run(worker: string): Promise<void>
  /** Ends what its runs have begun, when there will be no other. `giveUp` is aborted when the time for that is over. */
  finish?(worker: string, giveUp: AbortSignal): Promise<void>
}

/** How rows that workers hold by their names are found, and given back when a worker has died. */
export type Claims = {
  claimants: Statement<{ name: string }>
  /** Takes the names of the dead. */
  giveBack: Statement<Record<string, unknown>>
}

export type Workers = {
  /** Stops taking work and waits for what runs; after `graceMs` what still runs is told to give up. */
  stop(): Promise<void>
  /** Whether the workers can work: their session with the database stands. */
  healthy(): boolean
}

/** Tells the advisory locks of living workers from any others. */
const aliveLockClass = 0x62757273
const rescueEveryMs = 1_000

/** Starts the workers of every group, and the chores. */
export async function startWorkers(
  app: App,
  url: string,
  groups: TaskGroup[],
  chores: Chore[],
  graceMs: number,
): Promise<Workers> {
  const alive = await holdSession(app, url)
  const stop = new AbortController()
  const supervised = await Promise.all(groups.map((group) => supervise(app, group, alive, graceMs, stop.signal)))
  const giveUp = new AbortController()
  const worker = `worker-${randomText(16)}`
  alive.say(worker)
  const claims = [jobClaims, ...chores.flatMap((chore) => chore.claims ?? [])]
  const loops = [...chores, rescueChore(app, alive, claims)].map(async (chore) => {
    await repeat(app.log, chore, worker, stop.signal)
    await chore
      .finish?.(worker, giveUp.signal)
      .catch((error: Error) => app.log.error({ err: error, chore: chore.name }, 'a chore was not finished'))
  })
  return {
    healthy: () => alive.stands() && supervised.every((group) => group.runs()) && !stop.signal.aborted,
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
 * Keeps a group's workers running. graphile-worker gives a pool up when it cannot end or fail a job, as when the
 * connection is cut; the group then starts again under another name, and the jobs of the old one are given back.
 */
async function supervise(
  app: App,
  group: TaskGroup,
  alive: Session,
  graceMs: number,
  stopping: AbortSignal,
): Promise<Supervised> {
  let runs = false
  const start = async (): Promise<Runner> => {
    const events = new EventEmitter()
    let pool = ''
    events.on('pool:create', ({ workerPool }: { workerPool: { id: string } }) => {
      pool = workerPool.id
      alive.say(pool)
    })
    const runner = await run({
      pgPool: app.db.pool,
      concurrency: group.concurrency,
      noHandleSignals: true,
      pollInterval: 500,
      gracefulShutdownAbortTimeout: graceMs,
      // With a delay, an error in ending a job reaches the pool; without one it would be nobody's, and end the process.
      preset: { worker: { completeJobBatchDelay: 2, failJobBatchDelay: 2 } },
      taskList: taskListOf(app, group.tasks),
      logger: new Logger(() => (level, message) => workerLog(app.log, level, message)),
      events: events as never,
    })
    runs = true
    const again = (error?: unknown): void => {
      runs = false
      alive.forget(pool)
      if (stopping.aborted) return
      app.log.error({ err: error }, 'a group of workers ended and is started again')
      void restart()
    }
    runner.promise.then(() => again(), again)
    return runner
  }
  const restart = async (): Promise<void> => {
    while (!stopping.aborted && !runs) {
      await sleep(restartMs)
      if (stopping.aborted) return
      try {
        current = await start()
      } catch (error) {
        app.log.error({ err: error }, 'a group of workers could not be started')
      }
    }
  }
  let current = await start()
  return {
    runs: () => runs,
    // A pool that has given up cannot be stopped once more.
    stop: () => current.stop().catch((error: Error) => app.log.debug({ err: error }, 'the workers had stopped')),
  }
}

type Session = {
  say(pool: string): void
  forget(pool: string): void
  has(pool: string): boolean
  stands(): boolean
  end(): Promise<void>
}

const reconnectMs = 500

/**
 * A session whose advisory locks say which pools of this process are alive. They end with the process, however it ends;
 * where only the session is lost, it is opened again.
 */
async function holdSession(app: App, url: string): Promise<Session> {
  const pools = new Set<string>()
  let client = newClient(url)
  let stands = false
  let ended = false
  let turn: Promise<unknown> = Promise.resolve()
  // Groups start and end at once, and a connection takes one statement at a time.
  const ask = (what: 'lock' | 'unlock', pool: string): Promise<unknown> => {
    const text = `select pg_advisory_${what}($1, hashtext($2))`
    turn = turn.catch(() => {}).then(() => client.query(text, [aliveLockClass, pool]))
    return turn
  }
  const lock = (pool: string): Promise<unknown> => ask('lock', pool)
  const open = async (): Promise<void> => {
    client = newClient(url)
    client.on('error', (error) => app.log.error({ err: error }, 'the workers lost their database session'))
    client.on('end', () => {
      stands = false
      if (!ended) void reopen()
    })
    await client.connect()
    for (const pool of pools) await lock(pool)
    stands = true
  }
  let reopening = false
  const reopen = async (): Promise<void> => {
    // A try that fails ends its own client, and must not start a second loop.
    if (reopening) return
    reopening = true
    while (!ended && !stands) {
      await sleep(reconnectMs)
      if (!ended) await open().catch(() => client.end().catch(() => {}))
    }
    reopening = false
  }
  await open()
  return {
    say(pool) {
      pools.add(pool)
      lock(pool).catch((error: Error) => app.log.error({ err: error }, 'a pool could not say that it is alive'))
    },
    forget(pool) {
      pools.delete(pool)
      ask('unlock', pool).catch(() => {})
    },
    has: (pool) => pools.has(pool),
    stands: () => stands,
    async end() {
      ended = true
      await client.end().catch(() => {})
    },
  }
}

/** Whose job it is, and the time it is to run at when that is not the present. */
type Owner = { business_id: string; livemode: boolean; at?: string }

function taskListOf(app: App, tasks: Record<string, Task>): TaskList {
  const list: TaskList = {}
  for (const [name, task] of Object.entries(tasks))
    list[name] = async (payload, helpers) => {
      const { business_id, livemode, at, ...rest } = payload as JobPayload & Owner
      const scope = await scopeOf(app, business_id, livemode)
      // A timer that a test clock has passed runs at the time it was due, as if the time had gone by.
      const now = at === undefined ? scope.now : new Date(at)
      await task({ ...app, scope: { ...scope, now } }, rest, helpers.abortSignal ?? new AbortController().signal)
    }
  return list
}

async function repeat(log: Log, chore: Chore, worker: string, signal: AbortSignal): Promise<void> {
  let rung = false
  let wake = (): void => {}
  const ring = (): void => {
    rung = true
    wake()
  }
  chore.bell?.on('ring', ring)
  signal.addEventListener('abort', ring)
  while (!signal.aborted) {
    rung = false
    const begun = performance.now()
    try {
      await chore.run(worker)
    } catch (error) {
      if (!signal.aborted) log.error({ err: error, chore: chore.name }, 'a chore failed and will be tried again')
    }
    const rest = (chore.restMs ?? 0) - (performance.now() - begun)
    if (rest > 0 && !signal.aborted) await sleep(rest)
    if (!rung && !signal.aborted)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, chore.everyMs)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
  }
  chore.bell?.off('ring', ring)
}

const jobClaims: Claims = {
  claimants: sql(
    'jobs.claimants',
    `select distinct locked_by as name from graphile_worker.jobs
      where locked_by is not null and locked_at < now() - interval '2 seconds'`,
  ),
  giveBack: sql('jobs.give_back', 'select graphile_worker.force_unlock_workers($1::text[])'),
}
const selectSilent = sql<{ name: string }>(
  'jobs.select_silent',
  `select name
     from unnest($2::text[]) as holder (name)
    where not exists (select from pg_locks
                       where locktype = 'advisory' and granted
                         and database = (select oid from pg_database where datname = current_database())
                         and classid = $1::oid and objid::bigint = hashtext(name)::bigint & x'ffffffff'::bigint)`,
)

/**
 * Gives back what workers held when their process was killed; graphile-worker alone would wait four hours. A worker must look
 * dead twice in a row: one of a living process that lost its session says so again in between.
 */
function rescueChore(app: App, alive: Session, claims: Claims[]): Chore {
  let suspects = new Set<string>()
  return {
    name: 'rescue what workers held that died',
    everyMs: rescueEveryMs,
    async run() {
      // Without our own locks we would take our own claims for a dead worker's.
      if (!alive.stands()) return
      const held: string[] = []
      for (const { claimants } of claims) held.push(...(await app.db.rows(claimants)).map(({ name }) => name))
      const others = [...new Set(held)].filter((name) => !alive.has(name))
      const silent = (await app.db.rows(selectSilent, [aliveLockClass, others])).map(({ name }) => name)
      const dead = silent.filter((name) => suspects.has(name))
      suspects = new Set(silent)
      if (dead.length === 0) return
      app.log.warn({ workers: dead }, 'giving back what workers held that have died')
      for (const { giveBack } of claims) await app.db.rows(giveBack, [dead])
    },
  }
}

function workerLog(log: Log, level: string, message: string): void {
  if (level === 'error') log.error({}, message)
  // Deliveries hold a connection only before and after their request, so fewer connections than workers is meant.
  else if (level === 'warning' && !message.includes('maxPoolSize')) log.warn({}, message)
  else log.debug({}, message)
}

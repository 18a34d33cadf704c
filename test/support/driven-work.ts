/**
 * Runs a server's work in the test's process, by events instead of by clocks: what a commit makes
 * due runs at once, everything else when a test waits.
 */
import type { EventEmitter } from 'node:events'
import type { Helpers, JobHelpers } from 'graphile-worker'
import { reportsWritten } from '../../src/app/rails.ts'
import type { App } from '../../src/core/app.ts'
import type { PeriodicTask } from '../../src/lib/periodic.ts'
import { taskListOf, type Workers, type WorkPlan } from '../../src/platform/jobs/jobs.ts'

export type DrivenWork = Workers & {
  /** Does nothing, whatever is committed, until it is resumed. */
  pause(): void
  resume(): void
  /** Runs what is due until nothing is, and nothing is under way. */
  idle(): Promise<void>
  /** Has everything looked at that may be due; the promise ends once nothing is under way. */
  poll(options: { periodic: boolean }): Promise<void>
}

type Job = { id: string; task: string; payload: unknown; attempts: number }

/** Periodic tasks that look for work that is due: they run whenever something may be. */
const promptMs = 250
/**
 * Periodic tasks that run each time a test waits in vain; slower ones run once their time has
 * passed since the start.
 */
const frequentMs = 10_000
const graceMs = 2_000
const afterErrorMs = 50
const mostJobs = 32

const claimJobs = `
  with due as (
    select j.id, t.identifier
      from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
     where j.is_available and j.run_at <= now() and t.identifier = any ($2::text[])
     order by j.priority, j.run_at limit $3 for update of j skip locked)
  update graphile_worker._private_jobs j
     set attempts = attempts + 1, locked_by = $1, locked_at = now()
    from due where j.id = due.id
  returning j.id::text, due.identifier as task, j.payload, j.attempts::integer`
const completeJob = 'delete from graphile_worker._private_jobs where id = $1::bigint'
/** Waits as long as graphile-worker does. */
const failJob = `
  update graphile_worker._private_jobs
     set last_error = $2, run_at = greatest(now(), run_at) + exp(least(attempts, 10)) * interval '1 second',
         locked_by = null, locked_at = null
   where id = $1::bigint`

const retryMs = (attempts: number): number => Math.exp(Math.min(attempts, 10)) * 1_000 + 10

/** Every server of this process whose work is driven. */
export const drivenServers = new Set<DrivenWork>()

/** Starts to drive the work of a server. */
export function driveWork(app: App, plan: WorkPlan): DrivenWork {
  const worker = `driven-${Math.random().toString(36).slice(2)}`
  const tasks = Object.assign({}, ...plan.groups.map((group) => taskListOf(app, group.tasks)))
  const names = Object.keys(tasks)
  const prompt = plan.periodic.filter(({ everyMs }) => everyMs <= promptMs)
  const later = plan.periodic.filter(({ everyMs }) => everyMs > promptMs)
  const startedAt = performance.now()
  const ranAt = new Map<PeriodicTask, number>()
  const stopping = new AbortController()
  const giveUp = new AbortController()
  const inFlight = new Set<Promise<void>>()
  /** Prompt tasks that have been notified since they last ran. */
  const notified = new Set<PeriodicTask>()
  let pumping: Promise<void> | null = null
  let full = false

  const run = async (task: PeriodicTask): Promise<void> => {
    ranAt.set(task, performance.now())
    try {
      await task.run(worker, stopping.signal)
    } catch (error) {
      if (stopping.signal.aborted) return
      app.log.error(
        { err: error, task: task.name },
        'a periodic task failed and will be tried again',
      )
      setTimeout(() => notify(task), afterErrorMs).unref()
    }
  }
  const work = async (job: Job): Promise<void> => {
    try {
      const helpers = { abortSignal: giveUp.signal, job: { id: job.id } }
      await tasks[job.task](job.payload, helpers as unknown as JobHelpers & Helpers)
      await app.db.query(completeJob, [job.id])
    } catch (error) {
      if (!stopping.signal.aborted) app.log.error({ err: error, task: job.task }, 'a job failed')
      await app.db.query(failJob, [job.id, (error as Error).message]).catch(() => {})
      setTimeout(pump, retryMs(job.attempts)).unref()
    }
  }
  const takeJobs = async (): Promise<void> => {
    const jobs = (await app.db.query(claimJobs, [worker, names, mostJobs])) as Job[]
    full = jobs.length === mostJobs
    for (const job of jobs) {
      const running = work(job).finally(() => {
        inFlight.delete(running)
        if (full) pump()
      })
      inFlight.add(running)
    }
  }
  const rounds = async (): Promise<void> => {
    do {
      const due = [...notified]
      notified.clear()
      for (const task of due) await run(task)
      if (!stopping.signal.aborted) await takeJobs()
    } while (notified.size > 0 && !stopping.signal.aborted)
  }
  const pump = (): void => {
    if (pumping !== null || stopping.signal.aborted) return
    pumping = rounds()
      .catch((error) => {
        if (stopping.signal.aborted) return
        app.log.error({ err: error }, 'jobs could not be taken')
        setTimeout(pump, afterErrorMs).unref()
      })
      .finally(() => {
        pumping = null
        if (notified.size > 0) pump()
      })
  }
  const notify = (task: PeriodicTask): void => {
    notified.add(task)
    pump()
  }
  const listeners = plan.periodic
    .filter(({ wakeUp }) => wakeUp)
    .map((task) => ({ wakeUp: task.wakeUp as EventEmitter, listener: () => notify(task) }))

  const quiet = async (): Promise<void> => {
    do {
      await pumping
      await Promise.all(inFlight)
      for (const task of prompt) await task.settle?.()
    } while (pumping !== null || inFlight.size > 0)
    await reportsWritten()
  }
  const driven: DrivenWork = {
    healthy: () => !stopping.signal.aborted,
    async poll({ periodic }) {
      if (stopping.signal.aborted) return
      if (periodic)
        for (const task of later) {
          const since = performance.now() - (ranAt.get(task) ?? startedAt)
          if (task.everyMs <= frequentMs || since >= task.everyMs) await run(task)
        }
      for (const task of prompt) notified.add(task)
      pump()
      await quiet()
    },
    idle: () => driven.poll({ periodic: false }),
    pause() {
      drivenServers.delete(driven)
      for (const { wakeUp, listener } of listeners) wakeUp.off('notify', listener)
    },
    resume() {
      if (drivenServers.has(driven)) return
      drivenServers.add(driven)
      for (const { wakeUp, listener } of listeners) wakeUp.on('notify', listener)
    },
    async stop() {
      driven.pause()
      stopping.abort()
      const timer = setTimeout(() => giveUp.abort(), graceMs)
      await pumping
      await Promise.all(inFlight)
      for (const task of plan.periodic) await task.finish?.(worker, giveUp.signal).catch(() => {})
      clearTimeout(timer)
    },
  }
  driven.resume()
  return driven
}

/** Runs a task in the scope and at the time that it is for. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from '../../core/app.ts'
import type { JobPayload, Task } from '../../core/module.ts'
import { outside, scopeOf } from '../../core/outside.ts'
import { TestDataEmptied } from '../../core/test-data.ts'
import type { Owner } from '../../db/table.ts'
import { follow } from '../../lib/steps.ts'

/**
 * How a task runs.
 * @property at the time it runs at: that at which its timer was due, where a test clock has passed
 * it; left out: the present
 * @property notBefore the time it must not run before. Another process, with a clock that is ahead
 * of ours, may have found it due: what is not over by our clock would be left with no timer
 * @property isThere whether what names the task is still there: test data may be emptied
 */
export type TaskRun = {
  owner: Owner
  at?: Date
  notBefore: Date | null
  signal: AbortSignal
  isThere(): Promise<boolean>
}

/** Runs a task. @throws what the task throws, unless its test data were emptied meanwhile */
export async function runTask(
  app: App,
  task: { name: string; run: Task },
  payload: JobPayload,
  { owner: { businessId, livemode }, at, notBefore, signal, isThere }: TaskRun,
): Promise<void> {
  const run = async (): Promise<void> => {
    const scope = await scopeOf(app, businessId, livemode)
    const sinceMs = (at ?? scope.now).getTime()
    const now = new Date(Math.max(sinceMs, notBefore?.getTime() ?? 0))
    await task.run(outside(app, { ...scope, now }), payload, signal)
  }
  const about = () => ({
    name: `job ${task.name}`,
    attributes: {
      'bursar.task': task.name,
      'bursar.business': businessId,
      'bursar.livemode': livemode,
    },
  })
  await follow('job', about, () => (livemode ? run() : untilEmptied(run, isThere, signal)))
}

const emptyingPauseMs = 250

/**
 * Runs a task of test mode. One that was emptied meanwhile, with what it is about, has ended; while
 * that may still happen, it waits.
 */
async function untilEmptied(
  run: () => Promise<void>,
  isThere: () => Promise<boolean>,
  signal: AbortSignal,
): Promise<void> {
  for (;;)
    try {
      return await run()
    } catch (error) {
      if (!(await isThere())) return
      if (signal.aborted || !(error instanceof TestDataEmptied)) throw error
      await sleep(emptyingPauseMs)
    }
}

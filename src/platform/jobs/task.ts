/** Runs a task in its scope and at its time. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from '../../core/app.ts'
import type { JobPayload, Task } from '../../core/module.ts'
import { outside, scopeOf } from '../../core/outside.ts'
import { TestDataEmptied } from '../../core/test-data.ts'
import type { Owner } from '../../db/table.ts'
import { follow } from '../../lib/steps.ts'

/**
 * How a task runs.
 * @property at the time that the task sees: when its timer was due, if a test clock has passed it;
 * omitted: the present
 * @property notBefore the earliest time that the task sees. A process whose clock is ahead may have
 * found the timer due: by our clock it would not be, and no timer would remain
 * @property isThere whether the record that names the task still exists: test data may be emptied
 */
export type TaskRun = {
  owner: Owner
  at?: Date
  notBefore: Date | null
  signal: AbortSignal
  isThere(): Promise<boolean>
}

/** Runs a task. @throws the task's error, unless its test data were emptied meanwhile */
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
 * Runs a task of test mode. If its data were emptied meanwhile, it has ended; while emptying runs,
 * it waits.
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

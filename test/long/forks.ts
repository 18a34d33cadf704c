/**
 * The workers of PHP and Python programs pay with a client that was made, and used, before they
 * were forked: 5,000 payments and payouts by each, and every answer is its own worker's.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { startBench, startShared } from '../../sdk/conformance/bench.ts'
import { payForked } from '../../sdk/conformance/forks.ts'
import { preparePhp } from '../../sdk/conformance/php.ts'
import { preparePython } from '../../sdk/conformance/python.ts'
import { methods } from '../../sdk/conformance/run.ts'
import { type Check, has } from './check.ts'

const workers = 9
/** Payments, and as many payouts, of each worker and of the process that they are forked from. */
const each = 250

export const forksCheck: Check = {
  name: 'forks',
  lacks: () =>
    ['php', 'composer', 'python3'].every(has) ? null : 'PHP with pcntl, Composer and Python',
  async run(dir) {
    const found: string[] = []
    const prepared = await Promise.all(
      Object.entries({ php: preparePhp, python: preparePython }).map(([name, prepare]) => {
        mkdirSync(join(dir, name))
        return prepare(join(dir, name))
      }),
    )
    const shared = await startShared()
    try {
      for (const driver of prepared.flatMap(({ drivers }) => drivers))
        for (const how of driver.can ?? []) {
          if (how !== 'fork' && how !== 'multiprocessing') continue
          const bench = await startBench(shared, driver, methods)
          const began = performance.now()
          const made = await payForked(bench, how, workers, each)
          await bench.stop()
          found.push(
            `${driver.name} by ${how}: ${made} in ${Math.round((performance.now() - began) / 1_000)} s`,
          )
        }
    } finally {
      await shared.stop()
    }
    if (found.length === 0) throw new Error(prepared.flatMap(({ lacking }) => lacking).join('; '))
    return found.join('; ')
  },
}

/**
 * Runs the tests of the whole system: those that start processes of their own (servers and commands
 * as an operator runs them, kills, other versions), pages in a browser, clients, SDKs, receivers
 * and samples in their languages, and the simulator. Names on the command line choose files of
 * `test/system`.
 */
import { findChromium } from './browser/browser.ts'
import { type Part, runParts } from './support/parts.ts'
import { runTests } from './support/runner.ts'

const patterns = ['test/system/**/*.test.ts']

/** Whether this process is to run the files of `test/system` alone. */
const onlyFiles = '--only-files'

/** Why no browser is here, or null. One that CHROMIUM names has to be there. */
function lacksChromium(): string | null {
  try {
    findChromium()
    return null
  } catch (error) {
    return process.env.CHROMIUM ? null : (error as Error).message
  }
}

/**
 * The longest come first. The simulator takes all of the processor for as long as it is told, so
 * that it runs beside them; downloads come last.
 */
const parts: Part[] = [
  { name: 'processes and commands', args: ['test/run-system.ts', onlyFiles] },
  { name: 'simulator', args: ['sim/sim.ts', '--seed', '1', '--minutes', '1'] },
  { name: 'browser', args: ['test/run-browser.ts'], lacks: lacksChromium() },
  { name: 'clients', args: ['test/run-clients.ts', 'linters', 'typescript', 'python', 'go'] },
  { name: 'SDKs', args: ['test/run-sdks.ts'] },
  { name: 'samples', args: ['test/run-samples.ts'] },
  { name: 'receivers', args: ['test/run-receivers.ts', 'express', 'fastify', 'go'] },
]

const at = process.argv.indexOf(onlyFiles)
if (at > 0) process.argv.splice(at, 1)
if (at > 0 || process.argv.length > 2) await runTests({ patterns, shares: 6, concurrency: 3 })
const { failed } = await runParts(parts, { atOnce: 3 })
process.exit(failed > 0 ? 1 : 0)

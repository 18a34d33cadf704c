/**
 * What operations are refused with in a run of the tests: recorded by the processes of the test
 * files, and held against what the operations declare when all are done.
 */
import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { declaredRefusals } from '../../src/api/http/refusals.ts'
import { modules } from '../../src/app/modules.ts'

/** What is declared, and no test provokes: an operation and its code, and why. */
const excused: Record<string, string> = {
  'simulatePayment unsupported_chain':
    'needs a network that was quoted, and that EVM_FILE does not have any more',
}

const variable = 'TEST_REFUSALS'
const recorded = new Set<string>()

/** The environment of processes that record in a directory. */
export const recordsIn = (dir: string): Record<string, string> => ({ [variable]: dir })

/** Records that an operation was refused with a code, where the runner asks for it. */
export function recordRefusal(operation: string, code: string): void {
  const dir = process.env[variable]
  const line = `${operation} ${code}`
  if (dir === undefined || recorded.has(line)) return
  recorded.add(line)
  appendFileSync(join(dir, String(process.pid)), `${line}\n`)
}

/**
 * What is wrong with what operations declare, a sentence each. @param dir where all tests have
 * recorded
 */
export function unprovoked(dir: string): string[] {
  const provoked = new Set(
    readdirSync(dir).flatMap((file) => readFileSync(join(dir, file), 'utf8').split('\n')),
  )
  const declared = modules
    .flatMap(({ routes, ofOperator }) => Object.values({ ...routes, ...ofOperator }))
    .flatMap((route) => Object.keys(declaredRefusals(route)).map((code) => `${route.id} ${code}`))
  return [
    ...declared
      .filter((pair) => !provoked.has(pair) && !(pair in excused))
      .map(
        (pair) =>
          `${pair}: it is declared, and no test provokes it. Write one, or excuse it in test/support/provoked.ts.`,
      ),
    ...Object.keys(excused)
      .filter((pair) => !declared.includes(pair))
      .map((pair) => `${pair}: it is excused in test/support/provoked.ts, and not declared.`),
  ]
}

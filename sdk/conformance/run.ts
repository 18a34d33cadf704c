/**
 * Runs the conformance list through drivers, each with a business of its own at one server, and
 * says what came of it.
 */
import { readModel } from '../generate/document.ts'
import { type Bench, type Shared, startBench } from './bench.ts'
import type { Case, Group } from './case.ts'
import { cases } from './cases.ts'
import type { Driver } from './driver.ts'

export type Result = {
  driver: string
  group: Group
  name: string
  as: 'passed' | 'failed' | 'skipped'
  ms: number
}

/** The operations, by the names that an SDK has for them. */
export const methods = new Map(
  Object.values(readModel().resources)
    .flat()
    .map((method) => [`${method.resource}.${method.name}`, method] as const),
)

/** Whether a driver does not run a case. */
function leftOut({ slow, needs }: Case, { quick, can = [], integers }: Driver): boolean {
  if (slow && quick) return true
  return needs !== undefined && needs !== integers && !can.some((one) => one === needs)
}

/** Fails when a POST was sent without an Idempotency-Key, whatever the case was about. */
function requireKeys({ proxy }: Bench): void {
  const [bare] = proxy.keyless.splice(0)
  if (bare) throw new Error(`POST ${bare.path} was sent without an Idempotency-Key`)
}

/**
 * Runs the list through a driver: one case after the other, since the proxy is told what the next
 * request meets.
 * @param only what a case's group or name has in it
 */
export async function runList(shared: Shared, driver: Driver, only = ''): Promise<Result[]> {
  const bench = await startBench(shared, driver, methods)
  const results: Result[] = []
  for (const one of cases) {
    const { group, name } = one
    if (only !== '' && !`${group}: ${name}`.includes(only)) continue
    const began = performance.now()
    let as: Result['as'] = 'passed'
    if (leftOut(one, driver)) as = 'skipped'
    else {
      bench.proxy.next()
      try {
        await one.run(bench)
        requireKeys(bench)
      } catch (error) {
        as = 'failed'
        const { message, stack } = error as Error
        console.log(
          `failed ${driver.name}: ${group}: ${name}\n    ${stack ?? message}`.replaceAll(
            '\n',
            '\n    ',
          ),
        )
      }
    }
    results.push({ driver: driver.name, group, name, as, ms: performance.now() - began })
  }
  await bench.stop()
  return results
}

/** A row for each driver, a column for each group: what passed of what was run. */
export function tableOf(results: Result[]): string {
  const drivers = [...new Set(results.map(({ driver }) => driver))]
  const groups = [...new Set(results.map(({ group }) => group))]
  const cell = (of: Result[]): string => {
    const count = (as: Result['as']): number => of.filter((one) => one.as === as).length
    const [passed, failed] = [count('passed'), count('failed')]
    return failed > 0 ? `${passed} of ${passed + failed}` : String(passed)
  }
  const rows = drivers.map((driver) => {
    const own = results.filter((one) => one.driver === driver)
    const seconds = own.reduce((sum, { ms }) => sum + ms, 0) / 1_000
    return [
      driver,
      ...groups.map((group) => cell(own.filter((one) => one.group === group))),
      String(own.filter(({ as }) => as === 'skipped').length),
      `${seconds.toFixed(1)} s`,
    ]
  })
  const table = [['', ...groups, 'left out', 'time'], ...rows]
  const widths = (table[0] as string[]).map((_, i) =>
    Math.max(...table.map((row) => row[i]?.length ?? 0)),
  )
  return table
    .map((row) =>
      row
        .map((text, i) => text.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

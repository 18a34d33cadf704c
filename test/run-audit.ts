/**
 * Looks for known advisories of the packages in each lock file, by `npm audit`. One of severity
 * high or critical about a production dependency fails, unless `test/advisories.json` lists it.
 * Where the registry gives no advisories, nothing fails. `--report FILE`: reads the root's report
 * from a file that `npm audit --json` wrote on another machine.
 */
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { judge, readAudit } from './support/advisories.ts'

const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'))

/**
 * Returns what npm prints. Offline, `npm audit` reports no advisories at all: it would look like a
 * clean report.
 */
function audit(dir: string): string {
  const line =
    'npm audit --json --package-lock-only --no-offline --fetch-retries=0 --fetch-timeout=20000'
  return spawnSync(line, {
    cwd: dir,
    encoding: 'utf8',
    shell: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  }).stdout
}

const { report } = parseArgs({ options: { report: { type: 'string' } } }).values
/** Those beside the root's are of examples and tests: nothing of them is shipped. */
const others = globSync(['{sdk,test}/**/package-lock.json'], {
  exclude: ['**/node_modules/**'],
}).sort()
const counts = { passed: 0, failed: 0, skipped: 0 }
for (const path of report === undefined
  ? ['package-lock.json', ...others]
  : ['package-lock.json']) {
  const answer = readAudit(
    report === undefined ? audit(dirname(path)) : readFileSync(report, 'utf8'),
    readJson(path),
  )
  if ('unreachable' in answer) {
    console.log(`skipped: the registry gave no advisories (${answer.unreachable}).`)
    console.log(
      'Run `npm run audit` every week on a machine that reaches it, or give its report: --report FILE.',
    )
    counts.skipped++
    break
  }
  const isShipped = path === 'package-lock.json'
  const advisories = answer.advisories.map((one) => ({
    ...one,
    isProduction: isShipped && one.isProduction,
  }))
  const { failures, notes } = judge(
    advisories,
    readJson('test/advisories.json'),
    new Date().toISOString().slice(0, 10),
  )
  for (const line of failures) console.log(`failed: ${path}: ${line}`)
  for (const line of notes) console.log(`${path}: ${line}`)
  counts[failures.length > 0 ? 'failed' : 'passed']++
}
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
process.exit(counts.failed > 0 ? 1 : 0)

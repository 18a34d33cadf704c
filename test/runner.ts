import { spawn } from 'node:child_process'
import { globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startCluster } from './cluster.ts'
import { recordsIn } from './provoked.ts'

/**
 * Runs test files: one embedded PostgreSQL for all, one database for each file. Ends the process with their exit code.
 * @param patterns which files; those that were named on the command line are run instead
 * @param timeoutMs the longest that one test, and one file, may take
 * @param misses what all files together have missed by what they recorded in a directory, a sentence each; asked when all were run, and passed
 */
export async function runTests(
  patterns: string[],
  timeoutMs = 120_000,
  misses: (records: string) => string[] = () => [],
): Promise<never> {
  const dir = mkdtempSync(join(tmpdir(), 'bursar-test-'))
  const cluster = await startCluster(dir)
  const records = mkdtempSync(join(tmpdir(), 'bursar-records-'))
  const asked = process.argv.slice(2)
  const files = asked.length > 0 ? asked : globSync(patterns).sort()

  const child = spawn(process.execPath, ['--test', '--test-concurrency=3', `--test-timeout=${timeoutMs}`, ...files], {
    stdio: 'inherit',
    env: { ...process.env, ...cluster.env, ...recordsIn(records) },
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  let code = await new Promise<number>((resolve) => child.on('exit', (status) => resolve(status ?? 1)))
  await cluster.stop()
  if (code === 0 && asked.length === 0)
    for (const missed of misses(records)) {
      console.error(missed)
      code = 1
    }
  for (const made of [dir, records]) rmSync(made, { recursive: true, force: true })
  process.exit(code)
}

import { spawn } from 'node:child_process'
import { globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startCluster } from './cluster.ts'

/**
 * Runs test files: one embedded PostgreSQL for all, one database for each file. Ends the process with their exit code.
 * @param patterns which files; those that were named on the command line are run instead
 * @param timeoutMs the longest that one test, and one file, may take
 */
export async function runTests(patterns: string[], timeoutMs = 120_000): Promise<never> {
  const dir = mkdtempSync(join(tmpdir(), 'bursar-test-'))
  const cluster = await startCluster(dir)
  const asked = process.argv.slice(2)
  const files = asked.length > 0 ? asked : globSync(patterns).sort()

  const child = spawn(process.execPath, ['--test', '--test-concurrency=3', `--test-timeout=${timeoutMs}`, ...files], {
    stdio: 'inherit',
    env: { ...process.env, ...cluster.env },
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  const code = await new Promise<number>((resolve) => child.on('exit', (status) => resolve(status ?? 1)))
  await cluster.stop()
  rmSync(dir, { recursive: true, force: true })
  process.exit(code)
}

/**
 * Runs the tests that need no browser: one embedded PostgreSQL for all, one database for each file.
 */
import { spawn } from 'node:child_process'
import { globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startCluster } from './cluster.ts'

const dir = mkdtempSync(join(tmpdir(), 'bursar-test-'))
const cluster = await startCluster(dir)
const asked = process.argv.slice(2)
const files = asked.length > 0 ? asked : globSync(['src/**/*.test.ts', 'test/**/*.test.ts']).sort()

const child = spawn(process.execPath, ['--test', '--test-concurrency=3', '--test-timeout=120000', ...files], {
  stdio: 'inherit',
  env: { ...process.env, ...cluster.env },
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
const code = await new Promise<number>((resolve) => child.on('exit', (status) => resolve(status ?? 1)))
await cluster.stop()
rmSync(dir, { recursive: true, force: true })
process.exit(code)

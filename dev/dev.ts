/**
 * `npm run dev`: runs the server with demo data, a fixed test key and readable logs, and restarts
 * it on every change under `src/`. Arguments are options of Node.js for the server, such as
 * `--inspect`.
 */
import { spawn } from 'node:child_process'
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { nodeFlags } from '../bin/flags.js'
import { useArchived } from '../src/db/cluster/archive.ts'
import { ConfigError } from '../src/lib/config.ts'
import { hasTestKey, makeDemoBusiness, testKey } from './demo-business.ts'
import { formatLogLine } from './log-lines.ts'
import { readDevConfig } from './settings.ts'

const root = join(import.meta.dirname, '..')
const compileCache = join(root, 'node_modules/.cache/bursar')
enableCompileCache(compileCache)

const env: NodeJS.ProcessEnv = {
  DATA_DIR: join(root, 'data-dev'),
  RATE_LIMIT_MAX: '0',
  WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
  NODE_COMPILE_CACHE: compileCache,
  ...process.env,
}

try {
  process.exitCode = await run()
} catch (error) {
  console.error(
    `npm run dev: ${error instanceof ConfigError ? error.message : (error as Error).stack}`,
  )
  process.exitCode = 1
}

/** Runs the server until a signal stops it. @returns the exit code */
async function run(): Promise<number> {
  const config = readDevConfig(env)
  // PostgreSQL keeps running while the server restarts.
  const database = config.DATABASE_URL === null ? await useArchived(config, 'tool') : null
  try {
    if (!(await hasTestKey(database?.ownerUrl ?? config.DATABASE_URL ?? '')))
      await makeDemoBusiness(config)
    return await watchServer()
  } finally {
    await database?.release()
  }
}

/** Runs `bursar serve`, restarted on changes. @returns the exit code */
function watchServer(): Promise<number> {
  const watching = ['--watch', '--watch-preserve-output', `--watch-path=${join(root, 'src')}`]
  const args = [
    ...watching,
    ...nodeFlags,
    ...process.argv.slice(2),
    join(root, 'src/app/cli/cli.ts'),
    'serve',
  ]
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  printLines(child.stdout, process.stdout)
  printLines(child.stderr, process.stderr)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => child.kill(signal))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code) => resolve(code ?? 0))
  })
}

/**
 * Prints lines in a readable form. Where the server says how to make a key, the fixed one is
 * printed.
 */
function printLines(from: Readable, to: NodeJS.WriteStream): void {
  createInterface(from).on('line', (line) => {
    const isAboutKeys = line.startsWith('  keys     ')
    to.write(
      `${isAboutKeys ? `  test key ${testKey}   (the same at every start)` : formatLogLine(line)}\n`,
    )
  })
}

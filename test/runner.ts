import { globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { fileURLToPath } from 'node:url'
import { startCluster } from './cluster.ts'
import { recordsIn } from './provoked.ts'

export type Tests = {
  /** Files that are run only where they are named. */
  except?: string[]
  /** Which files; those that are named on the command line are run instead, with the options of Node.js that stand there. */
  patterns: string[]
  /** Those of them that take longest, the longest first: they are begun first, else one of them is waited for in the end. */
  longest?: string[]
  /** The longest that one test may take. */
  timeoutMs?: number
  /** What all files together have missed by what they recorded in a directory, a sentence each; asked when all were run, and passed. */
  misses?: (records: string) => string[]
}

/** Files wait more than they work: for the other's answer, for a timer, for PostgreSQL. */
const concurrency = 4

/** What Node.js compiled is kept where the server keeps it: each file is a process that loads most of the sources. */
const compiled = fileURLToPath(new URL('../node_modules/.cache/bursar', import.meta.url))

/** Runs test files: one embedded PostgreSQL for all, one database for each file. Ends the process: with 0 if all is well. */
export async function runTests({
  patterns,
  except = [],
  longest = [],
  timeoutMs = 240_000,
  misses,
}: Tests): Promise<never> {
  const asked = process.argv.slice(2)
  const execArgv = asked.filter((one) => one.startsWith('--'))
  const named = asked.filter((one) => !one.startsWith('--'))
  const files =
    named.length > 0
      ? named.flatMap(filesOf)
      : inOrder(
          globSync(patterns)
            .filter((file) => !except.includes(file))
            .sort(),
          longest,
        )
  const dir = mkdtempSync(join(tmpdir(), 'bursar-test-'))
  const records = mkdtempSync(join(tmpdir(), 'bursar-records-'))
  const cluster = await startCluster(dir)
  Object.assign(process.env, { NODE_COMPILE_CACHE: compiled }, cluster.env, recordsIn(records), {
    TEST_DOCUMENTS: join(dir, 'documents.json'),
    TEST_DATA_DIR: join(dir, 'made'),
  })

  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort())
  const took: { file: string; ms: number }[] = []
  let passed = false
  const tests = run({ files, concurrency, timeout: timeoutMs, execArgv, signal: stop.signal })
  tests.on('test:summary', ({ file, success, duration_ms }) => {
    if (file === undefined) passed = success
    else took.push({ file, ms: duration_ms })
  })
  for await (const text of tests.compose(new spec())) process.stdout.write(text)
  await cluster.stop()
  if (took.length > 1) console.log(slowest(took))
  const missed = passed && asked.length === 0 ? (misses?.(records) ?? []) : []
  for (const sentence of missed) console.error(sentence)
  for (const made of [dir, records]) rmSync(made, { recursive: true, force: true })
  process.exit(passed && missed.length === 0 ? 0 : 1)
}

/** @throws {Error} when there is none */
function filesOf(named: string): string[] {
  const files = globSync(named)
  if (files.length === 0) throw new Error(`There is no ${named}.`)
  return files
}

/** @throws {Error} when one of the first is none of the files */
function inOrder(files: string[], first: string[]): string[] {
  const gone = first.filter((file) => !files.includes(file))
  if (gone.length > 0) throw new Error(`There is no ${gone.join(', ')}: it is named as one of the longest.`)
  return [...first, ...files.filter((file) => !first.includes(file))]
}

function slowest(took: { file: string; ms: number }[]): string {
  const lines = took
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, 10)
    .map(({ file, ms }) => `${(ms / 1_000).toFixed(1).padStart(7)} s  ${relative('.', file)}`)
  return `The files that took longest:\n${lines.join('\n')}`
}

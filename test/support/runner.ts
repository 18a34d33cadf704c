import { globSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { startCluster } from './cluster.ts'
import { recordsIn } from './provoked.ts'

export type Tests = {
  /** Files that are run only where they are named. */
  except?: string[]
  /** Which files; those that are named on the command line are run instead, with the options of Node.js that stand there. */
  patterns: string[]
  /** Those of them that take longest, the longest first: they are begun first, else one of them is waited for in the end. */
  longest?: string[]
  /** Those of them that share processes, several files one after the other, as patterns: what they load takes longer than many of them. */
  together?: string[]
  /** How many files are run at a time. They wait more than they work: for the other's answer, for a timer, for PostgreSQL. */
  concurrency: number
  /** The longest that one test may take. */
  timeoutMs?: number
  /** What all files together have missed by what they recorded in a directory, a sentence each; asked when all were run, and passed. */
  misses?: (records: string) => string[]
}

/** So many files are run by one process where they share it. */
const filesTogether = 8

/** A process that lives for some seconds, beside others, spends a tenth of them on collecting garbage by threads that nobody has a processor for. */
const collecting = [
  '--single-threaded-gc',
  '--min-semi-space-size=16',
  '--max-semi-space-size=32',
  '--initial-old-space-size=200',
]

/** What has hooks of its own, which must end with the process and not with the first file that imports it. */
const hooked = ['test/support/commands.ts', 'test/support/provider.ts']

/** What Node.js compiled is kept where the server keeps it: each file is a process that loads most of the sources. */
const compiled = fileURLToPath(new URL('../../node_modules/.cache/bursar', import.meta.url))

/** Runs test files: one embedded PostgreSQL for all, one database for each file. Ends the process: with 0 if all is well. */
export async function runTests({
  patterns,
  except = [],
  longest = [],
  together = [],
  concurrency,
  timeoutMs = 240_000,
  misses,
}: Tests): Promise<never> {
  const asked = process.argv.slice(2)
  const execArgv = asked.filter((one) => one.startsWith('--'))
  const named = asked.filter((one) => !one.startsWith('--'))
  const dir = mkdtempSync(join(placeOfCluster(), 'bursar-test-'))
  const { files, sharing } =
    named.length > 0
      ? { files: named.flatMap(filesOf), sharing: [] }
      : arranged(
          globSync(patterns)
            .filter((file) => !except.includes(file))
            .sort(),
          longest,
          globSync(together),
          dir,
        )
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
  const tests = run({
    files,
    concurrency,
    timeout: timeoutMs,
    execArgv: [...collecting, ...execArgv],
    signal: stop.signal,
  })
  tests.on('test:summary', ({ file, success, duration_ms }) => {
    if (file === undefined) passed = success
    else if (files.includes(relative('.', file))) took.push({ file: relative('.', file), ms: duration_ms })
  })
  // Of files that share a process each is a suite.
  tests.on('test:complete', ({ name, nesting, details }) => {
    if (nesting === 0 && sharing.includes(name)) took.push({ file: name, ms: details.duration_ms })
  })
  for await (const text of tests.compose(new spec())) process.stdout.write(text)
  await cluster.stop()
  if (took.length > 1) console.log(slowest(took))
  const missed = passed && asked.length === 0 ? (misses?.(records) ?? []) : []
  for (const sentence of missed) console.error(sentence)
  for (const made of [dir, records]) rmSync(made, { recursive: true, force: true })
  process.exit(passed && missed.length === 0 ? 0 : 1)
}

/** In memory, where much of it is free: a database is 1,200 files, which are made for each and thrown away. */
function placeOfCluster(): string {
  const memory = '/dev/shm'
  try {
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize > 6 * 1024 ** 3 ? memory : tmpdir()
  } catch {
    return tmpdir()
  }
}

/** @throws {Error} when there is none */
function filesOf(named: string): string[] {
  const files = globSync(named)
  if (files.length === 0) throw new Error(`There is no ${named}.`)
  return files
}

/**
 * The files in the order in which they are begun: the longest, those that share processes, each process as a file that is written into a
 * directory, and the others.
 * @throws {Error} when one of the longest is none of the files
 */
function arranged(
  all: string[],
  longest: string[],
  together: string[],
  dir: string,
): { files: string[]; sharing: string[] } {
  const gone = longest.filter((file) => !all.includes(file))
  if (gone.length > 0) throw new Error(`There is no ${gone.join(', ')}: it is named as one of the longest.`)
  const others = all.filter((file) => !longest.includes(file))
  const sharing = others.filter((file) => together.includes(file))
  const alone = others.filter((file) => !together.includes(file))
  const processes = Array.from({ length: Math.ceil(sharing.length / filesTogether) }, (_, i) => {
    const file = join(dir, `together-${i + 1}.mjs`)
    writeFileSync(file, suitesOf(sharing.slice(i * filesTogether, (i + 1) * filesTogether)))
    return file
  })
  return { files: [...longest, ...processes, ...alone], sharing }
}

/** The text of a file that runs others, each as a suite, which the hooks belong to that stand outside of its suites. */
function suitesOf(files: string[]): string {
  const at = (file: string): string => JSON.stringify(pathToFileURL(resolve(file)).href)
  return [
    `import { describe } from 'node:test'`,
    ...hooked.map((file) => `import ${at(file)}`),
    ...files.map((file) => `describe(${JSON.stringify(file)}, async () => void (await import(${at(file)})))`),
    '',
  ].join('\n')
}

function slowest(took: { file: string; ms: number }[]): string {
  const lines = took
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, 10)
    .map(({ file, ms }) => `${(ms / 1_000).toFixed(1).padStart(7)} s  ${file}`)
  return `The files that took longest:\n${lines.join('\n')}`
}

import { createHash } from 'node:crypto'
import {
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { changedSince, reachedBy } from './changed.ts'
import { startCluster } from './cluster.ts'
import { reachOf } from './imports.ts'
import { recordsIn } from './provoked.ts'

export type Tests = {
  /**
   * Which files; those that are named on the command line are run instead, with the options of
   * Node.js that stand there.
   */
  patterns: string[]
  /**
   * Whether files share processes, several of them one after the other: to load the sources takes
   * longer than many files take. A number: among how many processes they are dealt.
   */
  shares?: boolean | number
  /**
   * How many processes run at a time. They wait more than they work: for the other's answer, for a
   * timer, for PostgreSQL.
   */
  concurrency: number
  /**
   * What all files together have missed by what they recorded in a directory, a sentence each;
   * asked when all were run, and passed.
   */
  misses?: (records: string) => string[]
}

/** So many lines of tests are run by one process where files share it. */
const linesTogether = 5_000

/**
 * The longest that things may take on a machine that does nothing else: what is waited for must
 * happen some time.
 */
const longestMs = { process: 600_000, test: 120_000, openTransaction: 45_000 }

/**
 * A process that lives for some seconds, beside others, spends a tenth of them on collecting
 * garbage by threads that nobody has a processor for.
 */
const collecting = [
  '--single-threaded-gc',
  '--min-semi-space-size=16',
  '--max-semi-space-size=32',
  '--initial-old-space-size=200',
]

/**
 * What has hooks of its own, which must end with the process and not with the first file that
 * imports it.
 */
const hooked = [
  'test/browser/browser.ts',
  'test/support/commands.ts',
  'test/support/harness.ts',
  'test/support/provider.ts',
]

/**
 * A file that imports one of these has a process of its own. The second starts a chain as it is
 * imported.
 */
const unshared = ['test/support/own-process.ts', 'test/support/watching.ts']

/** Where the files of shared processes say what they took of the processor. */
const cpuFile = 'cpu.jsonl'

/** What the measurement of a machine took on one that did nothing else. */
const referenceMs = 150

/**
 * What Node.js compiled is kept where the server keeps it: each file is a process that loads most
 * of the sources.
 */
const compiled = fileURLToPath(new URL('../../node_modules/.cache/bursar', import.meta.url))

/**
 * What all test files of a run use: a PostgreSQL, a folder, and how patient this machine has to be
 * with.
 */
export type Ground = { dir: string; records: string; patience: number; stop(): Promise<void> }

/** Starts a PostgreSQL for tests, and says where it is in the environment of this process. */
export async function prepareGround(): Promise<Ground> {
  const dir = mkdtempSync(join(placeOfCluster(), 'bursar-test-'))
  const records = mkdtempSync(join(tmpdir(), 'bursar-records-'))
  const patience = measurePatience()
  const cluster = await startCluster(dir, longestMs.openTransaction * patience)
  Object.assign(process.env, { NODE_COMPILE_CACHE: compiled }, cluster.env, recordsIn(records), {
    TEST_DOCUMENTS: join(dir, 'documents.json'),
    TEST_DATA_DIR: join(dir, 'made'),
    TEST_CPU: join(dir, cpuFile),
    TEST_PATIENCE: String(patience),
  })
  const stop = async (): Promise<void> => {
    await cluster.stop()
    for (const made of [dir, records]) rmSync(made, { recursive: true, force: true })
  }
  return { dir, records, patience, stop }
}

/** A file, and what its tests took. */
type Took = { file: string; ms: number }

type Run = { concurrency: number; execArgv?: string[]; signal?: AbortSignal }

/** Runs test files, each in a process of its own, and prints what comes of them. */
export async function runFiles(
  ground: Ground,
  files: string[],
  { concurrency, execArgv = [], signal }: Run,
): Promise<{ passed: boolean; took: Took[] }> {
  const took: Took[] = []
  let passed = false
  const tests = run({
    files,
    concurrency,
    timeout: longestMs.process * ground.patience,
    execArgv: [
      ...collecting,
      // What a failed test leaves open would keep its process alive for ever.
      '--test-force-exit',
      `--test-timeout=${Math.round(longestMs.test * ground.patience)}`,
      ...execArgv,
    ],
    ...(signal && { signal }),
  })
  tests.on('test:summary', ({ file, success }) => {
    if (file === undefined) passed = success
  })
  // A file is a test of its own, or, where it shares its process, a suite.
  tests.on('test:complete', ({ name, nesting, details }) => {
    const file = relative('.', resolve(name))
    if (nesting === 0 && existsSync(file) && !file.startsWith('..'))
      took.push({ file, ms: details.duration_ms })
  })
  for await (const text of tests.compose(new spec())) process.stdout.write(text)
  return { passed, took }
}

/**
 * Runs test files: one embedded PostgreSQL for all. The command line may name files, and options of
 * Node.js; `--changed` leaves out what no change since the last commit can reach, `--changed=main`
 * since that revision. Ends the process: with 0 if all is well.
 */
export async function runTests({
  patterns,
  shares = false,
  concurrency,
  misses,
}: Tests): Promise<never> {
  const asked = process.argv.slice(2)
  const changed = asked.find((one) => /^--changed(=|$)/.test(one))
  const execArgv = asked.filter((one) => one.startsWith('--') && one !== changed)
  const named = asked.filter((one) => !one.startsWith('--'))
  let all = named.length > 0 ? named.flatMap(filesOf) : globSync(patterns).sort()
  if (changed !== undefined) all = reachedBy(changedSince(changed.split('=')[1] ?? 'HEAD'), all)
  if (all.length === 0) {
    console.log('No test can reach what has changed.')
    process.exit(0)
  }
  const ground = await prepareGround()
  const files = shares && all.length > 1 ? arranged(all, ground.dir, shares) : all
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort())
  const { passed, took } = await runFiles(ground, files, {
    concurrency,
    execArgv,
    signal: stop.signal,
  })
  const spent = cpuOf(join(ground.dir, 'postgres/postmaster.pid'))
  if (spent !== null) console.log(spent)
  if (took.length > 1) console.log(listed('took longest', took))
  const cpu = cpuOfFiles(join(ground.dir, cpuFile))
  if (cpu.length > 1) console.log(listed('took most of the processor, without PostgreSQL', cpu))
  const missed = passed && asked.length === 0 ? (misses?.(ground.records) ?? []) : []
  for (const sentence of missed) console.error(sentence)
  await ground.stop()
  process.exit(passed && missed.length === 0 ? 0 : 1)
}

/**
 * In memory, where much of it is free: a database is 1,200 files, which are made for each and
 * thrown away.
 */
function placeOfCluster(): string {
  const memory = '/dev/shm'
  try {
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize > 6 * 1024 ** 3 ? memory : tmpdir()
  } catch {
    return tmpdir()
  }
}

/** The test files of a name, a pattern or a folder. @throws {Error} when there is none */
function filesOf(named: string): string[] {
  const isFolder = statSync(named, { throwIfNoEntry: false })?.isDirectory()
  const files = globSync(isFolder ? `${named}/**/*.test.ts` : named)
  if (files.length === 0) throw new Error(`There is no ${named}.`)
  return files
}

/**
 * Has files share processes, each process as a file that is written into a directory: the largest
 * come first, as one that is begun last is waited for in the end.
 */
function arranged(all: string[], dir: string, shares: true | number): string[] {
  const isAlone = (file: string): boolean => unshared.some((one) => reachOf(file).has(one))
  const [alone, sharing] = [all.filter(isAlone), all.filter((file) => !isAlone(file))]
  const total = sharing.reduce((sum, file) => sum + linesOf(file), 0)
  const count =
    shares === true ? Math.ceil(total / linesTogether) : Math.min(shares, sharing.length)
  // Dealt out by size, so that all processes have about as much to do.
  const hands = Array.from({ length: count }, () => ({ files: [] as string[], lines: 0 }))
  for (const file of sharing.toSorted((a, b) => linesOf(b) - linesOf(a))) {
    const least = hands.reduce((a, b) => (b.lines < a.lines ? b : a))
    least.files.push(file)
    least.lines += linesOf(file)
  }
  const processes = hands.map(({ files }, i) => {
    const file = join(dir, `together-${i + 1}.mjs`)
    writeFileSync(file, suitesOf(files))
    return file
  })
  return [...alone, ...processes]
}

const linesOf = (file: string): number => readFileSync(file, 'utf8').split('\n').length

/**
 * How much more patience this machine needs here and now than one that does nothing else: a factor
 * from four to twenty.
 */
function measurePatience(): number {
  const startedAt = performance.now()
  let hash = Buffer.alloc(32)
  for (let i = 0; i < 60_000; i++) hash = createHash('sha256').update(hash).digest()
  return Math.min(20, Math.max(4, ((performance.now() - startedAt) / referenceMs) * 4))
}

/**
 * The text of a file that runs others, each as a suite, which the hooks belong to that stand
 * outside of its suites.
 */
function suitesOf(files: string[]): string {
  const at = (file: string): string => JSON.stringify(pathToFileURL(resolve(file)).href)
  return [
    `import { appendFileSync } from 'node:fs'`,
    `import { after, before, describe } from 'node:test'`,
    ...hooked
      .filter((one) => files.some((file) => reachOf(file).has(one)))
      .map((file) => `import ${at(file)}`),
    // What one takes is its own: they run one after the other.
    `function measured(file, load) {
      let start
      before(() => { start = process.cpuUsage() })
      after(() => {
        const { user, system } = process.cpuUsage(start)
        appendFileSync(process.env.TEST_CPU, JSON.stringify({ file, ms: (user + system) / 1000 }) + '\\n')
      })
      return load()
    }`,
    ...files.map((file) => {
      const name = JSON.stringify(file)
      return `describe(${name}, async () => void (await measured(${name}, () => import(${at(file)}))))`
    }),
    '',
  ].join('\n')
}

/**
 * Says what the run has taken of the processor, as far as the machine tells: the children of a
 * process count once they have ended.
 */
function cpuOf(postmasterFile: string): string | null {
  try {
    const postmaster = readFileSync(postmasterFile, 'utf8').split('\n')[0] as string
    const [tests, postgres] = ['self', postmaster].map((pid) => {
      // The name in front, in parentheses, may have spaces. Fields 16 and 17 are what children that
      // have ended took, in hundredths of a second.
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
      return (Number(fields[13]) + Number(fields[14])) / 100
    }) as [number, number]
    return `CPU: test processes ${tests.toFixed(0)} s, PostgreSQL ${postgres.toFixed(0)} s`
  } catch {
    return null
  }
}

const cpuOfFiles = (file: string): Took[] =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Took)
    : []

function listed(what: string, took: Took[]): string {
  const lines = took
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, 10)
    .map(({ file, ms }) => `${(ms / 1_000).toFixed(1).padStart(7)} s  ${file}`)
  return `The files that ${what}:\n${lines.join('\n')}`
}

/**
 * The product beside its references, all on this machine, in rounds: each goes through everything,
 * and the median of the rounds' ratios counts. Prints a table; a run of all rows writes
 * `results.json` and `results.svg`, and with `--readme` its section there.
 */
import { mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Embedded, useEmbedded } from '../src/db/cluster/embedded.ts'
import { newClient } from '../src/db/db.ts'
import { type Cpu, measure, wrk } from './load.ts'
import { draw } from './picture.ts'
import { endAll, run, start } from './processes.ts'
import { closeProduct, compile, environment, settings, startProduct } from './product.ts'
import {
  cpuText,
  footnotes,
  markdownTable,
  median,
  medianCpu,
  type Round,
  type Row,
  textTable,
  toRow,
} from './report.ts'
import {
  rows as allRows,
  missing,
  type RowPlan,
  runRound,
  scenarios,
  scenariosOf,
  type World,
} from './scenarios.ts'
import { openTpcB, pgbench } from './tpcb.ts'
import { openWebhooks, type Webhooks } from './webhooks.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    /** Words of rows' names, comma-separated. */
    only: { type: 'string' },
    readme: { type: 'boolean', default: false },
  },
})
const rounds = positive('rounds')
const seconds = positive('seconds')
const plans = chosenRows()
const businesses = 1_000
const warmUpSeconds = 1
/**
 * The load average below which other work takes nothing that could be seen, and how long a run
 * waits for it.
 */
const quietLoad = 0.5
const quietWithinMs = 300_000

const dir = mkdtempSync(join(tmpdir(), 'bursar-bench-'))
let embedding: Promise<Embedded> | null = null
let webhooks: Webhooks | null = null
let cleaned: Promise<void> | null = null
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    void cleanUp().finally(() => process.exit(1))
  })
try {
  await bench()
} catch (error) {
  // After a signal, everything fails that was under way.
  if (cleaned === null) throw error
} finally {
  await cleanUp()
}

/** Once, also when a signal comes while it runs. */
function cleanUp(): Promise<void> {
  cleaned ??= (async () => {
    try {
      await endAll()
      await webhooks?.close()
      // A signal may have come while it was being started.
      await (await embedding)?.release()
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
  })()
  return cleaned
}

function positive(name: 'rounds' | 'seconds'): number {
  if (!/^[1-9]\d*$/.test(values[name])) throw new Error(`--${name} must be a whole number from 1`)
  return Number(values[name])
}

function chosenRows(): RowPlan[] {
  const words = values.only?.toLowerCase().split(',')
  if (!words) return allRows
  const chosen = allRows.filter(({ name, of }) =>
    words.some((word) => of === word || name.toLowerCase().includes(word)),
  )
  if (chosen.length === 0)
    throw new Error(`--only: no row has one of ${words.join(', ')} in its name`)
  return chosen
}

async function bench(): Promise<void> {
  const chosen = scenariosOf(plans)
  const load = [await quiet()]
  const begun = new Date()
  progress('preparing')
  embedding = useEmbedded({ dir }, 'serve')
  const embedded = await embedding
  await compile(embedded)
  const tpcB =
    pgbench && chosen.has('pgbench') ? await openTpcB(pgbench, embedded.superuserUrl) : null
  const product = await startProduct(embedded, businesses)
  const unbatched = await start('unbatched.ts', [], environment(embedded), /^(http\S+)/)
  const hello = await start('hello.ts', [], {}, /^(http\S+)/)
  if (['webhooks', 'webhooks1'].some((id) => chosen.has(id))) webhooks = await openWebhooks(dir)
  const world: World = {
    url: product.url,
    pid: product.server.child.pid as number,
    owners: product.owners,
    unbatched: unbatched.said,
    hello: hello.said,
    servers: [product.server, unbatched, hello].map(({ child }) => child.pid as number),
    tpcB,
    webhooks,
    dir,
  }
  const machine = await describe(embedded.superuserUrl, load[0] as number)
  await checkpoint(embedded.superuserUrl)

  progress('warming up')
  const measured: Round[] = [await runRound(world, chosen, warmUpSeconds, false)]
  // As compiled as the product, which has many clients in every round.
  for (const url of chosen.has('unbatched1') ? [world.url, world.unbatched] : [])
    await measure({ url, what: 'payouts', owners: world.owners, clients: 64, seconds: 3, dir })
  for (let i = 1; i <= rounds; i++) {
    progress(`round ${i} of ${rounds}`)
    measured.push(await runRound(world, chosen, seconds, i % 2 === 0))
    load.push(loadavg()[0] as number)
  }
  const created = sum(
    measured.flatMap((round) =>
      scenarios.map(({ id, creates }) => {
        const { requests = 0, failed = 0 } = round.get(id) ?? {}
        return creates ? requests - failed : 0
      }),
    ),
  )
  const counted = measured.slice(1)
  const rows = plans.map((plan) => toRow(plan, counted, (id) => missing(world, id)))
  const books = await closeProduct(product, created)

  const clock = `${seconds} s a scenario, ${rounds} rounds, median; load average ${load.map((one) => one.toFixed(0)).join(', ')}`
  const report = {
    date: begun.toISOString(),
    tookSeconds: Math.round((Date.now() - begun.getTime()) / 1000),
    rounds,
    seconds,
    machine: { ...machine, loadAverages: load },
    server: {
      command: 'bursar serve (one process, role all, on the embedded PostgreSQL of the references)',
      settings,
    },
    references: references(counted),
    rows,
    books,
  }
  const cpu = cpuLines(report.references)
  print(rows, report.references, [
    ...cpu,
    `${machine.name}.`,
    `${clock}.`,
    ...machine.warnings,
    books,
  ])
  if (plans === allRows)
    keep(
      rows,
      report,
      [`${begun.toISOString().slice(0, 10)}: ${machine.name}.`, `${clock}.`],
      [...cpu, ...machine.warnings],
    )
}

type Reference = {
  scenario: string
  median: number
  cpu: Cpu | null
  notes: string[]
  rounds: number[]
}

/** What the references did, and how. */
function references(counted: Round[]): Reference[] {
  return ['pgbench', 'hello', 'unbatched1'].flatMap((scenario) => {
    const found = counted.flatMap((round) => round.get(scenario) ?? [])
    if (found.length === 0) return []
    const inRounds = found.map(({ value }) => value)
    const notes = [...new Set(found.flatMap(({ note }) => note ?? []))]
    return [{ scenario, median: median(inRounds), cpu: medianCpu(found), notes, rounds: inRounds }]
  })
}

/**
 * What the last column is, and the same of the references; nothing where the system does not tell.
 */
function cpuLines(known: Reference[]): string[] {
  const said = known.flatMap(({ scenario, cpu }) => (cpu ? `${scenario} ${cpuText(cpu)}` : []))
  if (said.length === 0) return []
  return [
    `CPU µs: of one core for each request: server + PostgreSQL + clients; references: ${said.join(', ')}.`,
  ]
}

function print(rows: Row[], known: Reference[], lines: string[]): void {
  console.log(`\n${textTable(rows)}\n`)
  for (const { scenario, notes } of known)
    if (notes.length > 0) console.log(`${scenario}: ${notes.join('; ')}.`)
  for (const line of [...footnotes(rows), ...lines]) console.log(line)
  const promised = rows.filter(({ goal }) => goal !== null)
  console.log(
    `${promised.filter(({ reached }) => reached).length} of ${promised.length} goals are reached.`,
  )
}

function keep(rows: Row[], report: object, made: string[], notices: string[]): void {
  writeFileSync(new URL('results.json', import.meta.url), `${JSON.stringify(report, null, 2)}\n`)
  writeFileSync(new URL('results.svg', import.meta.url), draw(rows, made))
  if (!values.readme) return
  const file = new URL('../docs/speed.md', import.meta.url)
  const [before, , after] = readFileSync(file, 'utf8').split(/<!-- \/?bench -->/)
  if (after === undefined) throw new Error('docs/speed.md needs <!-- bench --> and <!-- /bench -->')
  const notes = [...footnotes(rows), ...notices].map((note) => `- ${note}`)
  const section = [markdownTable(rows), notes.join('\n'), made.join(' ')]
    .filter(Boolean)
    .join('\n\n')
  writeFileSync(file, `${before}<!-- bench -->\n\n${section}\n\n<!-- /bench -->${after}`)
}

/**
 * Waits for a machine that does nothing else. @returns the load average then, which is above
 * `quietLoad` where it did not become quiet in time
 */
async function quiet(): Promise<number> {
  const until = Date.now() + quietWithinMs
  for (;;) {
    const load = loadavg()[0] as number
    if (load < quietLoad || Date.now() >= until || cleaned !== null) return load
    progress(`waiting for a load average under ${quietLoad}, which is ${load.toFixed(2)} now`)
    await sleep(5_000)
  }
}

async function describe(superuserUrl: string, loadBefore: number) {
  const client = newClient(superuserUrl)
  await client.connect()
  const postgres = (await client.query('show server_version')).rows[0].server_version as string
  const durable = (
    await client.query(
      "select name, setting from pg_settings where name in ('fsync', 'synchronous_commit')",
    )
  ).rows as { name: string; setting: string }[]
  await client.end()
  const memoryGiB = Math.round(totalmem() / 2 ** 30)
  const cores = cpus().length
  // tmpfs: what is written there waits for no disk.
  const inMemory = process.platform === 'linux' && statfsSync(dir).type === 0x01021994
  return {
    name: `${cores} cores, ${memoryGiB} GiB, Node.js ${process.versions.node}, PostgreSQL ${postgres}, ${durable.map(({ name, setting }) => `${name} ${setting}`).join(', ')}`,
    cores,
    cpu: cpus()[0]?.model,
    memoryGiB,
    node: process.versions.node,
    postgres,
    pgbench: pgbench ? (await run(pgbench, ['--version'])).trim() : null,
    // Its `--version` exits with 1.
    wrk: wrk !== null,
    quietBefore: loadBefore < quietLoad,
    warnings: [
      ...(inMemory
        ? [
            `${tmpdir()} is memory, so no commit waits for a disk; set TMPDIR to a directory on one.`,
          ]
        : []),
      loadBefore < quietLoad
        ? `The load average was ${loadBefore.toFixed(2)} before the run began: it waited for one under ${quietLoad}.`
        : `Other work had a load of ${loadBefore.toFixed(1)} on the ${cores} cores before the run began, and after ${quietWithinMs / 60_000} minutes of waiting for one under ${quietLoad}: measure again on a quiet machine.`,
    ],
  }
}

async function checkpoint(superuserUrl: string): Promise<void> {
  const client = newClient(superuserUrl)
  await client.connect()
  await client.query('checkpoint')
  await client.end()
}

function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text} …`)
  else console.error(`${text} …`)
}

function sum(values: number[]): number {
  return values.reduce((total, one) => total + one, 0)
}

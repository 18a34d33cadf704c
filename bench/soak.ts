/**
 * What the server does with twice the load that it can take, and whether anything of it grows while
 * it works for hours. Three parts: what it can take, by clients that ask again as soon as they were
 * answered; twice as much, by clients that ask whatever they are answered, and how soon it is well
 * again and all jobs are done that waited; and `--hours` at a quarter of it, with a line every
 * minute of memory, handles, jobs that wait and dead rows: the history grows, and vacuum leaves a
 * table alone until a fifth of it is dead, so that it is their share that must not grow. All but
 * memory goes up and down by itself (as vacuum comes, as clients meet), so that a minute is the
 * mean of its seconds, of handles the least of them, and ten minutes of both are their least: what
 * is never closed, or never vacuumed, raises it as well. A slope is printed with its error, twice
 * which must be below the bound, too. Ends with 1 where a bound does not hold.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Embedded, useEmbedded } from '../src/db/cluster/embedded.ts'
import { type Measured, newCrowd, quantile } from './crowd.ts'
import { endAll, residentMiB, tree } from './processes.ts'
import { closeProduct, type Product, startProduct } from './product.ts'

const { values } = parseArgs({
  options: {
    hours: { type: 'string', default: '2' },
    seconds: { type: 'string', default: '20' },
    clients: { type: 'string', default: '64' },
  },
})
const [hours, seconds, clients] = [values.hours, values.seconds, values.clients].map(Number) as [
  number,
  number,
  number,
]
const businesses = 100
/** The share of requests that write. */
const writes = 0.5
/**
 * What is promised: p99 of what is accepted, memory, and the time until it is well, against those
 * of what it can take.
 */
const mostSlower = 5
const mostMemory = 1.2
const mostRecoverSeconds = 10
/** How long until what waits of all that was taken is done. */
const mostBehindMs = 300_000
/** Percent an hour, over the last three quarters. */
const mostGrowth = 1
const minuteMs = 60_000
const sampleMs = 1_000

type Sample = Record<string, number>

const dir = mkdtempSync(join(tmpdir(), 'bursar-soak-'))
const broken: string[] = []
let embedded: Embedded | null = null
let cleaned: Promise<void> | null = null
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => cleanUp().then(() => process.exit(1)))
try {
  await soak()
} finally {
  await cleanUp()
}
for (const one of broken) console.log(`NOT KEPT: ${one}`)
process.exit(broken.length > 0 ? 1 : 0)

/** Once, also when a signal comes while it runs. */
function cleanUp(): Promise<void> {
  cleaned ??= (async () => {
    await endAll()
    await embedded?.release()
    rmSync(dir, { recursive: true, force: true })
  })()
  return cleaned
}

async function soak(): Promise<void> {
  embedded = await useEmbedded({ dir }, 'serve')
  const product = await startProduct(embedded, businesses, { SANDBOX_DELAY: '200ms' })
  const { pid } = product.server.child as { pid: number }
  const { db } = product.opened.app
  const crowd = newCrowd(product.url, product.owners, { writes, name: 'soak' })
  function report(what: string, measured: Measured): Measured {
    const count = new Map<number, number>()
    for (const { status } of measured.samples) count.set(status, (count.get(status) ?? 0) + 1)
    const statuses = [...count].sort(([a], [b]) => a - b).map(([status, n]) => `${status}: ${n}`)
    const rate = Math.round(
      measured.samples.filter(({ status }) => status < 300).length / measured.seconds,
    )
    console.log(
      `${what.padEnd(32)} ${rate} done a second, p50 ${quantile(measured, 0.5).toFixed(1)} ms, p99 ${quantile(measured, 0.99).toFixed(1)} ms; ${statuses.join(', ')}${measured.unsent ? `; ${measured.unsent} were not sent` : ''}; ${Math.round(residentMiB(pid))} MB`,
    )
    if (measured.samples.some(({ status }) => status >= 500 && status !== 503))
      broken.push(`${what}: a 5xx`)
    if (
      measured.samples.some(
        ({ status, retryAfter }) => (status === 429 || status === 503) && !retryAfter,
      )
    )
      broken.push(`${what}: a refusal without Retry-After`)
    return measured
  }

  report('to begin with', await crowd.inTurn(clients, seconds))
  const full = report(`${clients} clients in turn`, await crowd.inTurn(clients, seconds))
  const capacity = full.samples.length / full.seconds
  const usual = quantile(full, 0.99)
  const memory = Math.round(residentMiB(pid))
  const over = report('twice as much', await crowd.atPace(2 * capacity, 2 * seconds))
  const most = Math.round(residentMiB(pid))
  let recovered = 0
  for (; recovered < 60; recovered++) {
    const measured = await crowd.atPace(capacity / 4, 1)
    if (measured.samples.every(({ status }) => status < 300) && quantile(measured, 0.99) <= usual)
      break
  }
  const slower = quantile(over, 0.99) / usual
  console.log(
    `p99 of what was accepted ${slower.toFixed(1)} times that of before, memory ${(most / memory).toFixed(2)} times; well again after ${recovered} s`,
  )
  if (slower > mostSlower)
    broken.push(`p99 at twice the load is ${slower.toFixed(1)} times, more than ${mostSlower}`)
  if (most / memory > mostMemory)
    broken.push(`memory at twice the load is ${(most / memory).toFixed(2)} times`)
  if (recovered > mostRecoverSeconds) broken.push(`it was well again after ${recovered} s`)

  const queued = async (): Promise<number> => {
    const [row] = await db.query<{ n: number }>(
      'select ((select count(*) from graphile_worker._private_jobs) + (select count(*) from webhook_queue))::integer as n',
    )
    return row?.n ?? 0
  }
  const behind = performance.now()
  const backlog = await queued()
  /** What comes in a second at the pace of the hours. */
  const comes = (capacity / 4) * writes
  while ((await queued()) > comes && performance.now() - behind < mostBehindMs)
    await crowd.atPace(capacity / 4, 1)
  const caughtUp = (performance.now() - behind) / 1_000
  console.log(`${backlog} jobs waited then; ${caughtUp.toFixed(0)} s later ${await queued()}`)
  if (caughtUp * 1_000 >= mostBehindMs)
    broken.push(`what waited was not done after ${caughtUp.toFixed(0)} s`)

  const minutes: Sample[] = []
  const until = performance.now() + hours * 3_600_000
  while (performance.now() < until) {
    const end = performance.now() + Math.min(minuteMs, until - performance.now())
    const samples: Sample[] = []
    const [measured] = await Promise.all([
      crowd.atPace(capacity / 4, (end - performance.now()) / 1_000),
      (async () => {
        while (performance.now() < end) {
          samples.push({
            memory: residentMiB(pid),
            handles: handlesOf(pid),
            'dead rows in a thousand': await deadShare(db),
          })
          await sleep(sampleMs)
        }
      })(),
    ])
    const odd = measured.samples.filter(({ status }) => status >= 300)
    const waiting = await queued()
    if (waiting > 60 * comes) broken.push(`${waiting} jobs waited, more than come in a minute`)
    if (odd.length > 0)
      broken.push(`${odd.length} requests were refused at a quarter of the load: ${odd[0]?.status}`)
    const minute = minuteOf(samples)
    minutes.push(minute)
    const figures = Object.entries(minute).map(([what, n]) => `${what} ${n.toFixed(1)}`)
    console.log(
      `${String(minutes.length).padStart(4)} min  p99 ${quantile(measured, 0.99).toFixed(1)} ms  ${figures.join(', ')}, ${waiting} jobs wait`,
    )
  }
  const last = minutes.slice(Math.floor(minutes.length / 4))
  if (last.length > 3)
    for (const what of Object.keys(last[0] ?? {})) {
      const { growth, error } = growthOf(
        last.map((minute) => minute[what] as number),
        what === 'memory' ? mean : least,
      )
      console.log(
        `${what}: ${growth >= 0 ? '+' : ''}${growth.toFixed(2)} % an hour over the last ${last.length} minutes, give or take ${error.toFixed(2)}`,
      )
      if (growth + 2 * error > mostGrowth)
        broken.push(`${what} may grow by ${(growth + 2 * error).toFixed(2)} % an hour`)
    }
  crowd.close()
  console.log(await closeProduct(product, crowd.created()))
}

function handlesOf(pid: number): number {
  return tree(pid).reduce((sum, one) => sum + readdirSync(`/proc/${one}/fd`).length, 0)
}

/** Dead rows in a thousand of all tables. */
async function deadShare(db: Product['opened']['app']['db']): Promise<number> {
  const [row] = await db.query<{ share: number }>(
    'select (1000.0 * sum(n_dead_tup) / greatest(1, sum(n_dead_tup + n_live_tup)))::float8 as share from pg_stat_user_tables',
  )
  return row?.share ?? 0
}

function mean(numbers: number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0) / numbers.length
}

function least(numbers: number[]): number {
  return Math.min(...numbers)
}

function minuteOf(samples: Sample[]): Sample {
  const of = (what: string): number[] => samples.map((one) => one[what] as number)
  return Object.fromEntries(
    Object.keys(samples[0] ?? {}).map((what) => [
      what,
      (what === 'handles' ? least : mean)(of(what)),
    ]),
  )
}

/**
 * The slope of the line that is nearest to all, in percent of their mean an hour, and its standard
 * error. What goes up and down over minutes is not a minute's own, so that both are of blocks of
 * ten.
 * @param of what a block comes to
 */
function growthOf(
  minutes: number[],
  of: (block: number[]) => number,
): { growth: number; error: number } {
  const long = minutes.length >= 40 ? 10 : 1
  const blocks = Array.from({ length: Math.floor(minutes.length / long) }, (_, i) =>
    of(minutes.slice(i * long, (i + 1) * long)),
  )
  const usual = mean(blocks)
  const middle = (blocks.length - 1) / 2
  const across = blocks.reduce((sum, _, i) => sum + (i - middle) ** 2, 0)
  const slope = blocks.reduce((sum, one, i) => sum + (i - middle) * (one - usual), 0) / across
  const off = blocks.reduce((sum, one, i) => sum + (one - usual - slope * (i - middle)) ** 2, 0)
  const anHour = (60 / long) * (100 / (usual || 1))
  return { growth: slope * anHour, error: Math.sqrt(off / (blocks.length - 2) / across) * anHour }
}

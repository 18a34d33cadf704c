/**
 * Measures a payout's whole life: created by 64 clients over 1,000 businesses, submitted to the
 * sandbox, completed, and its webhooks delivered to an HTTPS receiver. With `FORMER_TREE=DIR`, a
 * checkout of another version with its packages installed, both are measured in turn.
 *
 * Clients stop creating while `--window` payouts are under way, so what is measured is a steady
 * state and not a growing queue.
 */
import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request as httpRequest } from 'node:http'
import { get, Agent as HttpsAgent } from 'node:https'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { nodeFlags } from '../bin/flags.js'
import { payout } from './load.ts'
import {
  endAll,
  forgetPeak,
  peakMiB,
  postmasterOf,
  start,
  stop,
  tree,
  worked,
} from './processes.ts'
import type { LifeReport } from './receiver.ts'
import { median } from './report.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    warmup: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '5' },
    clients: { type: 'string', default: '64' },
    businesses: { type: 'string', default: '1000' },
    window: { type: 'string', default: '1000' },
    /** How long the sandbox takes for each of its two steps. */
    delay: { type: 'string', default: '100ms' },
    /** Measures this tree once and prints the result as JSON: what a round runs. */
    tree: { type: 'string' },
  },
})
const [seconds, warmup, clients, window] = [
  values.seconds,
  values.warmup,
  values.clients,
  values.window,
].map(Number) as [number, number, number, number]

/** One measurement of one tree. CPU is in microseconds of one core for each payout. */
type Life = {
  perSecond: number
  nodeUs: number
  postgresUs: number
  peakMiB: number
  p50Ms: number
  p99Ms: number
  /** The latency at half of the rate above. */
  halfP99Ms: number
}

if (values.tree === undefined) compareTrees()
else {
  const dir = mkdtempSync(join(tmpdir(), 'bursar-life-'))
  try {
    console.log(`LIFE ${JSON.stringify(await measureLife(values.tree, dir))}`)
  } finally {
    await endAll()
    rmSync(dir, { recursive: true, force: true })
  }
  process.exit(0)
}

/** Measures the trees in turn, each in a process of its own, and prints medians and ratios. */
function compareTrees(): void {
  const here = fileURLToPath(new URL('..', import.meta.url))
  const former = process.env.FORMER_TREE
  const trees = former === undefined ? { now: here } : { former: resolve(former), now: here }
  const lives: Record<string, Life[]> = {}
  for (let round = 1; round <= Number(values.rounds); round++)
    for (const [name, path] of Object.entries(trees)) {
      const life = measureInChild(path)
      lives[name] = [...(lives[name] ?? []), life]
      console.log(`round ${round}, ${name}: ${describeLife(life)}`)
    }
  const medians = Object.entries(lives).map(([name, list]) => [name, medianOf(list)] as const)
  for (const [name, life] of medians) console.log(`median, ${name}: ${describeLife(life)}`)
  const [before, after] = medians.map(([, life]) => life)
  if (before && after) {
    const cpuOf = (life: Life): number => life.nodeUs + life.postgresUs
    const rate = (after.perSecond / before.perSecond).toFixed(2)
    console.log(`now is ${rate} times as many; CPU ${(cpuOf(after) / cpuOf(before)).toFixed(2)}`)
  }
}

function measureInChild(path: string): Life {
  const args = process.argv.slice(2)
  const { stdout, status } = spawnSync(
    process.execPath,
    [...nodeFlags, fileURLToPath(import.meta.url), ...args, '--tree', path],
    { stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' },
  )
  const found = /^LIFE (.*)$/m.exec(stdout)?.[1]
  if (status !== 0 || found === undefined) throw new Error(`the round of ${path} failed: ${stdout}`)
  return JSON.parse(found)
}

function describeLife(life: Life): string {
  return (
    `${life.perSecond.toFixed(0)} payouts/s, ${life.nodeUs.toFixed(0)} µs of Node.js and ` +
    `${life.postgresUs.toFixed(0)} µs of PostgreSQL each, peak ${life.peakMiB.toFixed(0)} MiB, ` +
    `created to delivered p50 ${life.p50Ms} ms, p99 ${life.p99Ms} ms, at half p99 ${life.halfP99Ms} ms`
  )
}

function medianOf(list: Life[]): Life {
  const keys = Object.keys(list[0] as Life) as (keyof Life)[]
  return Object.fromEntries(keys.map((key) => [key, median(list.map((life) => life[key]))])) as Life
}

/** Starts the tree's own server on a new database and drives payouts through it. */
async function measureLife(path: string, dir: string): Promise<Life> {
  const [embeddedFile] = globSync('src/db/**/embedded.ts', { cwd: path })
  const { useEmbedded } = await import(join(path, embeddedFile as string))
  const product: typeof import('./product.ts') = await import(join(path, 'bench/product.ts'))
  const caFile = join(dir, 'ca.pem')
  const receiver = await start('receiver.ts', [caFile], {}, /^(https\S+)/)
  const embedded = await useEmbedded({ dir: join(dir, 'data') }, 'serve')
  await product.compile(embedded)
  const started = await product.startProduct(embedded, Number(values.businesses), {
    SANDBOX_DELAY: values.delay,
    WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
    WEBHOOK_CA_FILE: caFile,
  })
  const keys = started.owners.map(({ key }) => key)
  const clientsOf = openClients(started.url, keys)
  for (const key of keys) await clientsOf.post('/webhooks', key, { url: `${receiver.said}/life` })
  const lives = openLives(clientsOf, `${receiver.said}/life`, caFile)

  await lives.run(warmup, null)
  const server = started.server.child.pid as number
  const postmaster = postmasterOf(embedded.cluster)
  const worked1 = { node: worked(tree(server)), postgres: worked(tree(postmaster)) }
  forgetPeak(server)
  const full = await lives.run(seconds, null)
  const nodeUs = (worked(tree(server)) - worked1.node) / full.completed
  const postgresUs = (worked(tree(postmaster)) - worked1.postgres) / full.completed
  const peak = peakMiB(server)
  await lives.drain()
  const half = await lives.run(seconds / 3, full.perSecond / 2)
  await lives.drain()
  lives.close()
  await product.closeProduct(started, lives.created())
  await stop(receiver)
  await embedded.release()
  return {
    perSecond: full.perSecond,
    nodeUs,
    postgresUs,
    peakMiB: peak,
    p50Ms: percentile(full.latencies, 0.5),
    p99Ms: percentile(full.latencies, 0.99),
    halfP99Ms: percentile(half.latencies, 0.99),
  }
}

function percentile(list: number[], part: number): number {
  return list.toSorted((a, b) => a - b)[Math.floor(list.length * part)] ?? Number.NaN
}

type Clients = { post(path: string, key: string, body: object): Promise<void>; keys: string[] }

/** Requests over as many connections as there are clients. */
function openClients(url: string, keys: string[]): Clients {
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  return {
    keys,
    post: (path, key, body) =>
      new Promise((done, fail) => {
        const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
        const sent = httpRequest(url + path, { method: 'POST', agent, headers }, (response) => {
          response.resume()
          response.on('end', () =>
            response.statusCode === 201
              ? done()
              : fail(new Error(`${path} was answered with ${response.statusCode}`)),
          )
        })
        sent.on('error', fail)
        sent.end(JSON.stringify(body))
      }),
  }
}

type Run = { completed: number; perSecond: number; latencies: number[] }

/** Creates payouts and follows at the receiver how many of them completed. */
function openLives({ post, keys }: Clients, receiver: string, caFile: string) {
  const agent = new HttpsAgent({ keepAlive: true, ca: readFileSync(caFile) })
  let [created, completed] = [0, 0]
  let latencies: number[] = []
  const update = async (): Promise<void> => {
    const report = await new Promise<LifeReport>((done, fail) => {
      get(receiver, { agent }, (response) =>
        json(response).then((body) => done(body as LifeReport), fail),
      ).on('error', fail)
    })
    completed = report.completed
    latencies = latencies.concat(report.latencies)
  }
  return {
    created: () => created,
    close: () => agent.destroy(),
    /** @param rate payouts a second at most; null for as many as the window lets through */
    async run(forSeconds: number, rate: number | null): Promise<Run> {
      await update()
      latencies = []
      const [startedAt, first, firstCreated] = [performance.now(), completed, created]
      const passed = (): number => (performance.now() - startedAt) / 1_000
      const isAhead = (): boolean =>
        created - completed >= window ||
        (rate !== null && created - firstCreated >= rate * passed())
      const client = async (): Promise<void> => {
        while (passed() < forSeconds) {
          if (isAhead()) {
            await sleep(5)
            continue
          }
          created += 1
          const key = keys[created % keys.length] as string
          await post('/payouts', key, { reference: `life-${created}`, ...payout })
        }
      }
      const follow = async (): Promise<void> => {
        while (passed() < forSeconds) {
          await sleep(20)
          await update()
        }
      }
      await Promise.all([follow(), ...Array.from({ length: clients }, client)])
      await update()
      const done = completed - first
      return { completed: done, perSecond: done / passed(), latencies }
    },
    /** Waits until every payout has completed and its webhook has arrived. */
    async drain(): Promise<void> {
      while (completed < created) {
        await sleep(50)
        await update()
      }
    },
  }
}

/**
 * What is measured, and the rows that are made of it.
 */
import { join } from 'node:path'
import { type Cpu, type Measure, measure, type Owner } from './load.ts'
import { forgetPeak, peakMiB, postmasterOf, tellsMemory, tree, worked } from './processes.ts'
import { pgbench, type TpcB } from './tpcb.ts'
import { endpoints, type Webhooks } from './webhooks.ts'

/** What a run has open. */
export type World = {
  /** The product. */
  url: string
  pid: number
  owners: Owner[]
  /** Where the references answer. */
  unbatched: string
  hello: string
  /** The processes that answer: the product and the references. */
  servers: number[]
  tpcB: TpcB | null
  webhooks: Webhooks | null
  dir: string
}

export type Scenario = {
  id: string
  /** Why it cannot be measured here. */
  missing?(world: World): string | null
  run(world: World, seconds: number): Promise<Measure>
  /** How many payouts an answer made. */
  creates?: 1
}

const one = (owners: Owner[]): Owner[] => owners.slice(0, 1)

function payouts(
  id: string,
  clients: number,
  from: (owners: Owner[]) => Owner[] = (owners) => owners,
): Scenario {
  return {
    id,
    creates: 1,
    run: ({ url, owners, dir }, seconds) =>
      measure({ url, what: 'payouts', owners: from(owners), clients, seconds, dir }),
  }
}

function read(id: string, path: string): Scenario {
  return {
    id,
    run: ({ url, owners, dir }, seconds) =>
      measure({ url, what: path, owners, clients: 64, seconds, dir }),
  }
}

function memory(id: string, pid: (world: World) => number): Scenario {
  return {
    id,
    missing: () => (tellsMemory ? null : 'this system has no /proc'),
    run: async (world) => ({ value: peakMiB(pid(world)) }),
  }
}

/** Read when all others of a round have run. */
const memories = [
  memory('memory', ({ pid }) => pid),
  memory('memoryWebhooks', ({ webhooks }) => (webhooks as Webhooks).pid),
]

/**
 * In the order of a round; every second round goes through them from the end. A lone client stands
 * beside its reference.
 */
export const scenarios: Scenario[] = [
  {
    id: 'pgbench',
    missing: () => (pgbench ? null : 'pgbench is not installed (Debian: postgresql-contrib)'),
    run: ({ tpcB }, seconds) => (tpcB as TpcB)(seconds),
  },
  payouts('spread64', 64),
  payouts('spread256', 256),
  payouts('one64', 64, one),
  payouts('one256', 256, one),
  {
    id: 'keyed64',
    creates: 1,
    run: ({ url, owners, dir }, seconds) =>
      measure({ url, what: 'keyed', owners, clients: 64, seconds, dir }),
  },
  {
    id: 'unbatched1',
    creates: 1,
    run: ({ unbatched: url, owners, dir }, seconds) =>
      measure({ url, what: 'payouts', owners, clients: 1, seconds, dir }),
  },
  payouts('spread1', 1),
  {
    id: 'hello',
    run: ({ hello: url, dir }, seconds) =>
      measure({ url, what: '/', owners: [], clients: 64, seconds, dir }),
  },
  read('wallets', '/wallets'),
  read('verify', '/transactions/{id}/verify'),
  {
    id: 'webhooks1',
    run: ({ webhooks }, seconds) => (webhooks as Webhooks).measure(seconds, 1),
  },
  {
    id: 'webhooks',
    run: ({ webhooks }, seconds) => (webhooks as Webhooks).measure(seconds, endpoints),
  },
]

/**
 * What everybody has worked so far. Clients of the server are children of this process, and count
 * when they have ended.
 */
function workedBy({ servers, webhooks, dir }: World): Cpu {
  const clusters = [dir, ...(webhooks ? [join(dir, 'webhooks')] : [])]
  return {
    server: worked([...servers, ...(webhooks ? [webhooks.pid] : [])]),
    postgres: worked(clusters.flatMap((at) => tree(postmasterOf(join(at, 'postgres'))))),
    clients: worked([process.pid, ...(webhooks ? [webhooks.receiver] : [])]),
  }
}

/** Runs a scenario, and says what each of its requests took of the processors. */
async function runMeasured(scenario: Scenario, world: World, seconds: number): Promise<Measure> {
  if (!tellsMemory) return scenario.run(world, seconds)
  const before = workedBy(world)
  const measured = await scenario.run(world, seconds)
  const after = workedBy(world)
  const { requests } = measured
  if (!requests) return measured
  const each = (who: keyof Cpu): number => Math.round((after[who] - before[who]) / requests)
  return {
    ...measured,
    cpu: { server: each('server'), postgres: each('postgres'), clients: each('clients') },
  }
}

/** Runs what was chosen once. The peak of memory is that of the round. */
export async function runRound(
  world: World,
  chosen: Set<string>,
  seconds: number,
  backwards: boolean,
) {
  const measures = new Map<string, Measure>()
  const order = scenarios.filter(
    (scenario) => chosen.has(scenario.id) && !scenario.missing?.(world),
  )
  if (backwards) order.reverse()
  if (tellsMemory)
    for (const pid of [world.pid, ...(world.webhooks ? [world.webhooks.pid] : [])]) forgetPeak(pid)
  for (const scenario of order)
    measures.set(scenario.id, await runMeasured(scenario, world, seconds))
  for (const memory of memories)
    if (chosen.has(memory.id) && !memory.missing?.(world))
      measures.set(memory.id, await memory.run(world, seconds))
  return measures
}

/** Why a scenario cannot be measured here; null when it can. */
export function missing(world: World, id: string): string | null {
  return (
    [...scenarios, ...memories].find((scenario) => scenario.id === id)?.missing?.(world) ?? null
  )
}

export type RowPlan = {
  name: string
  /** The scenario that is ours. */
  of: string
  unit: '/s' | 'ms' | 'MiB'
  /**
   * What it is held against: a scenario, a number that must be reached, or, for `tail`, its own
   * p50.
   */
  against: { scenario: string; name: string } | { value: number } | 'tail'
  /** What the ratio must at least be, or at most; null where nothing was promised. */
  goal: { least: number } | { most: number } | null
  /** Scenarios without which ours means nothing. */
  under?: string[]
}

const tpcB = { scenario: 'pgbench', name: 'pgbench TPC-B' }
const hello = { scenario: 'hello', name: 'Fastify hello world' }

export const rows: RowPlan[] = [
  payoutRow('payouts, 1,000 businesses, 64 clients', 'spread64', 1.9),
  payoutRow('payouts, 1,000 businesses, 256 clients', 'spread256', 1.9),
  payoutRow('payouts, one wallet, 64 clients', 'one64', 2.3),
  payoutRow('payouts, one wallet, 256 clients', 'one256', 2.3),
  payoutRow('payouts with Idempotency-Key, 64 clients', 'keyed64', null),
  {
    name: 'payouts, 1 client',
    of: 'spread1',
    unit: '/s',
    against: { scenario: 'unbatched1', name: 'a transaction each' },
    goal: { least: 1 },
  },
  tailRow('p99 to p50: 1,000 businesses, 64 clients', 'spread64'),
  tailRow('p99 to p50: 1,000 businesses, 256 clients', 'spread256'),
  tailRow('p99 to p50: one wallet, 64 clients', 'one64'),
  tailRow('p99 to p50: one wallet, 256 clients', 'one256'),
  {
    name: 'GET /wallets, 64 clients',
    of: 'wallets',
    unit: '/s',
    against: hello,
    goal: { least: 0.4 },
  },
  {
    name: 'GET /transactions/{id}/verify, 64 clients',
    of: 'verify',
    unit: '/s',
    against: hello,
    goal: { least: 0.4 },
  },
  {
    name: 'webhook deliveries, 1 endpoint',
    of: 'webhooks1',
    unit: '/s',
    against: { value: 2_000 },
    goal: { least: 1 },
  },
  {
    name: `webhook deliveries, ${endpoints} endpoints`,
    of: 'webhooks',
    unit: '/s',
    against: { value: 2_000 },
    goal: { least: 1 },
  },
  {
    name: 'resident memory, peak, requests',
    of: 'memory',
    unit: 'MiB',
    against: { value: 200 },
    goal: { most: 1 },
    under: ['spread256', 'one256', 'keyed64'],
  },
  {
    name: 'resident memory, peak, webhook deliveries',
    of: 'memoryWebhooks',
    unit: 'MiB',
    against: { value: 200 },
    goal: { most: 1 },
    under: ['webhooks1', 'webhooks'],
  },
]

function payoutRow(name: string, of: string, least: number | null): RowPlan {
  return { name, of, unit: '/s', against: tpcB, goal: least === null ? null : { least } }
}

function tailRow(name: string, of: string): RowPlan {
  return { name, of, unit: 'ms', against: 'tail', goal: { most: 5 } }
}

/** The scenarios that rows need. */
export function scenariosOf(plans: RowPlan[]): Set<string> {
  return new Set(
    plans.flatMap(({ of, against, under = [] }) => [
      of,
      ...under,
      ...(typeof against === 'object' && 'scenario' in against ? [against.scenario] : []),
    ]),
  )
}

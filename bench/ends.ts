/**
 * How many payouts a process brings to their end, and what that takes: what a worker does once they
 * are created, which `npm run bench` leaves out. Payouts are created faster than they end; what is
 * measured is the time from the last one's creation until all have ended.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { useEmbedded } from '../src/db/cluster/embedded.ts'
import { measure } from './load.ts'
import { endAll, postmasterOf, tree, worked } from './processes.ts'
import { closeProduct, compile, startProduct } from './product.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    businesses: { type: 'string', default: '100' },
    /**
     * How long the sandbox takes for each of its two steps: as long as payouts are created, so that
     * none ends meanwhile.
     */
    delay: { type: 'string', default: '6s' },
  },
})
const withinMs = 300_000

const dir = mkdtempSync(join(tmpdir(), 'bursar-ends-'))
try {
  await ends()
} finally {
  await endAll()
  rmSync(dir, { recursive: true, force: true })
}
process.exit(0)

async function ends(): Promise<void> {
  const embedded = await useEmbedded({ dir }, 'serve')
  await compile(embedded)
  const product = await startProduct(embedded, Number(values.businesses), {
    SANDBOX_DELAY: values.delay,
  })
  const { db } = product.opened.app
  const server = [product.server.child.pid as number]
  const postmaster = postmasterOf(embedded.cluster)
  /** Steps that are left, of two for each payout: it is submitted, and it ends. */
  const left = async (): Promise<number> => {
    const [row] = await db.query<{ n: number }>(
      `select coalesce(sum(case status when 'pending' then 2 else 1 end), 0)::integer as n
         from payouts where status in ('pending', 'processing')`,
    )
    return row?.n ?? 0
  }
  const { requests = 0 } = await measure({
    url: product.url,
    what: 'payouts',
    owners: product.owners,
    clients: 64,
    seconds: Number(values.seconds),
    dir,
  })
  const first = await left()
  const before = { node: worked(server), postgres: worked(tree(postmaster)) }
  // What waits for the sandbox costs nothing: the clock begins with the first step.
  while ((await left()) === first) await sleep(50)
  const began = performance.now()
  for (let at = await left(); at > 0; at = await left()) {
    if (performance.now() - began > withinMs)
      throw new Error(`${at} steps were left after ${withinMs / 1_000} s`)
    await sleep(250)
  }
  const seconds = (performance.now() - began) / 1_000
  const each = (us: number): string => (us / (first / 2)).toFixed(0)
  console.log(
    `${requests} payouts were created; ${first} steps in ${seconds.toFixed(1)} s: ${(first / 2 / seconds).toFixed(0)} payouts a second, each ${each(worked(server) - before.node)} µs of Node.js and ${each(worked(tree(postmaster)) - before.postgres)} of PostgreSQL`,
  )
  console.log(await closeProduct(product, requests))
  await embedded.release()
}

/**
 * What a batch of payouts takes of the processors, without HTTP: of Node.js by its own clock, and
 * of PostgreSQL by that of the one backend that wrote it (`/proc/<pid>/schedstat`), so that neither
 * other work on the machine nor the rest of the cluster is in the figures. Linux alone.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { claimKeys, keepAnswers } from '../src/api/http/idempotency.ts'
import { authenticate } from '../src/books/businesses/businesses.ts'
import type { Scope } from '../src/core/app.ts'
import { outside } from '../src/core/outside.ts'
import { useEmbedded } from '../src/db/cluster/embedded.ts'
import { sqlOfAll, transaction } from '../src/db/db.ts'
import { toJson } from '../src/lib/json.ts'
import { createMany, prepare } from '../src/paying-out/payouts/payouts.ts'
import { closeProduct, compile, startProduct } from './product.ts'
import { median } from './report.ts'

const { values } = parseArgs({
  options: {
    size: { type: 'string', default: '128' },
    batches: { type: 'string', default: '100' },
  },
})
const size = Number(values.size)
const backend = sqlOfAll<{ pid: number }>('bench.backend', 'select pg_backend_pid() as pid')

const dir = mkdtempSync(join(tmpdir(), 'bursar-batches-'))
const embedded = await useEmbedded({ dir }, 'serve')
await compile(embedded)
const product = await startProduct(embedded, size)
const { app } = product.opened
const scopes = await Promise.all(
  product.owners.map(({ key }) => authenticate(app, key, '127.0.0.1')),
)
let made = 0

/** Microseconds that a process has worked. */
const worked = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1_000

async function batch(of: Scope[], keyed: boolean): Promise<{ node: number; postgres: number }> {
  const start = process.cpuUsage()
  let [pid, before] = [0, 0]
  await transaction(app.db, async (tx) => {
    pid = (await tx.row(backend))?.pid as number
    before = worked(pid)
    const requests = await Promise.all(
      of.map(async (one) => {
        const scope = { ...one, now: app.clock.now() }
        const reference = `batch-${++made}`
        const order = await prepare(outside(app, scope), {
          reference,
          amount: 10_000,
          currency: 'ngn',
          method: 'bank_transfer',
          destination: { bank_code: '058', account_number: '0123456789' },
        })
        const write = (outcome: object) => ({
          status: 201,
          body: toJson({ message: 'Payout created', data: outcome }),
        })
        return {
          scope,
          order,
          keyed: keyed ? { key: reference, mark: reference.padEnd(64, '0'), write } : null,
        }
      }),
    )
    const claims = await claimKeys(tx, requests, false)
    const outcomes = await createMany(
      tx,
      claims.fresh.map(({ order }) => order),
    )
    await keepAnswers(tx, app.secrets, requests, claims, outcomes)
  })
  const { user, system } = process.cpuUsage(start)
  return { node: (user + system) / of.length, postgres: (worked(pid) - before) / of.length }
}

const kinds = { 'a business each': scopes, 'one wallet': scopes.map(() => scopes[0] as Scope) }
for (const [name, of] of Object.entries(kinds))
  for (const keyed of [false, true]) {
    const measured: Awaited<ReturnType<typeof batch>>[] = []
    for (let i = 0; i < Number(values.batches) + 20; i++) measured.push(await batch(of, keyed))
    const said = (['node', 'postgres'] as const).map((who) => {
      const each = measured.slice(20).map((one) => one[who])
      return `${who} ${median(each).toFixed(1)} µs (least ${Math.min(...each).toFixed(1)})`
    })
    console.log(`${size} payouts, ${name}${keyed ? ', with keys' : ''}: ${said.join(', ')}`)
  }
console.log(await closeProduct(product, made))
await embedded.release()
rmSync(dir, { recursive: true, force: true })
process.exit(0)

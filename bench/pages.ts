/**
 * How long each page of the dashboard takes a business of many rows: fills one past the product,
 * then asks for every page over HTTP, one at a time, and prints a table of them.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { open, serve, verifyBooks } from '../src/app/main.ts'
import { createBusiness } from '../src/books/businesses/businesses.ts'
import { foldPostingsOf } from '../src/books/statements/statements.ts'
import { type Embedded, useEmbedded } from '../src/db/cluster/embedded.ts'
import { newClient } from '../src/db/db.ts'
import { foldCounts } from '../src/db/lists/counts.ts'
import { migrate } from '../src/db/schema/migrate.ts'
import { readConfig } from '../src/lib/config.ts'
import { addMember, createPerson, openSession, sessionCookie } from '../src/platform/team/team.ts'
import { startReceiver } from '../test/support/receiver.ts'
import { copyRows } from './copies.ts'
import { type Asked, pagesOf } from './pages-asked.ts'
import { endAll, run, start, stop } from './processes.ts'

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '10000000' },
    rounds: { type: 'string', default: '50' },
    /** Asks for the pages whose name holds this only. */
    only: { type: 'string', default: '' },
    /** A directory to fill once and measure again; without it, a temporary one. */
    dir: { type: 'string' },
    /** Has `bursar ledger verify` look at what was filled. */
    verify: { type: 'boolean', default: false },
  },
})
const dir = values.dir ?? mkdtempSync(join(tmpdir(), 'bursar-pages-'))
mkdirSync(dir, { recursive: true })
const day = 86_400_000
/** Tables whose rows are the business's records. Postings, attempts and lines come with them. */
const records = [
  'transactions',
  'payments',
  'payouts',
  'refunds',
  'events',
  'webhook_deliveries',
  'customers',
  'invoices',
  'virtual_accounts',
  'crypto_wallets',
  'audit_log',
  'requests',
]
// biome-ignore lint/suspicious/noExplicitAny: answers of the API
type Answer = { data: any }
type Filled = { business: string; now: string }

/** What is open of the database, and must be closed before it stops. */
const closing: (() => Promise<unknown>)[] = []
const receiver = await startReceiver()
const embedded = await useEmbedded(
  {
    dir,
    settings: {
      fsync: 'off',
      synchronous_commit: 'off',
      max_wal_size: '16GB',
      maintenance_work_mem: '1GB',
    },
  },
  'serve',
)
const environment = {
  DATABASE_URL: embedded.url,
  MIGRATE_DATABASE_URL: embedded.ownerUrl,
  SECRETS_KEY: '00'.repeat(32),
  PORT: '0',
  LOG_LEVEL: 'error',
  RATE_LIMIT_MAX: '0',
  SANDBOX_DELAY: '0s',
  REQUESTS_KEEP: '400d',
  WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
  WEBHOOK_CA_FILE: receiver.caFile,
}
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => cleanUp().then(() => process.exit(1)))
try {
  const seeded = await once('seeded.json', seed)
  await measure(await once('filled.json', () => fill(embedded, seeded)))
} catch (error) {
  console.error(error)
  process.exitCode = 1
} finally {
  await cleanUp()
}

/** What `make` gave when it was first called for this directory. */
async function once(name: string, make: () => Promise<Filled>): Promise<Filled> {
  const file = join(dir, name)
  if (!existsSync(file)) writeFileSync(file, JSON.stringify(await make()))
  return JSON.parse(readFileSync(file, 'utf8')) as Filled
}

async function cleanUp(): Promise<void> {
  await endAll()
  for (const close of closing.reverse()) await close().catch(() => {})
  await embedded.release()
  await receiver.stop()
  if (values.dir === undefined) rmSync(dir, { recursive: true, force: true })
}

/** A month of a shop, lived through the API. */
async function seed(): Promise<Filled> {
  const opened = await open(readConfig(environment), 'all')
  const running = await serve(opened)
  closing.push(opened.close, () => running.stop())
  const { business, test_key: key } = await createBusiness(opened.app, 'Marina Weavers')
  for (let i = 0; i < 200; i++) await createBusiness(opened.app, `Business ${i}`)
  const ask = (method: string, path: string, body?: object) =>
    fetch(running.url + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    }).then((response) => response.json() as Promise<Answer>)
  await ask('POST', '/webhooks', { url: receiver.url, events: ['*'] })
  await run(process.execPath, ['bin/bursar.js', 'demo-data', business.id], {
    ...process.env,
    ...environment,
  })
  const asked = [
    '/payments',
    '/payouts',
    '/transactions?status=completed',
    '/wallets',
    '/payments?limit=0',
  ] as const
  for (let i = 0; i < 60; i++) await ask('GET', asked[i % asked.length] as string)
  // What is under way ends, or expires.
  await ask('POST', '/test/clock', { advance: '72h' })
  for (const { id } of (await ask('GET', '/refunds?status=initiated')).data.docs)
    await ask('POST', `/refunds/${id}/simulate`, { outcome: 'completed' })
  for (const { reference } of (await ask('GET', '/payouts?status=processing')).data.docs)
    await ask('POST', `/payouts/${reference}/simulate`, { outcome: 'completed' })
  const clock = await ask('GET', '/test/clock')
  await settle(async () => {
    const [waiting] = await opened.app.db.query<{ n: bigint }>(
      'select count(*) as n from webhook_queue where due_at is null',
    )
    return waiting?.n === 0n
  })
  await running.stop()
  await opened.close()
  return { business: business.id, now: clock.data.now }
}

/** What the month left, copied until there are as many rows as asked. */
async function fill({ superuserUrl }: Embedded, { business, now }: Filled): Promise<Filled> {
  const client = newClient(superuserUrl.replace('/postgres?', '/bursar?'))
  await client.connect()
  closing.push(() => client.end())
  const counts = records.map(
    (table) => `(select count(*) from ${table} where business_id = $1 and not livemode)`,
  )
  const { rows } = await client.query<{ n: bigint }>(`select ${counts.join(' + ')} as n`, [
    business,
  ])
  const seeded = Number(rows[0]?.n)
  const copies = Math.round(Number(values.rows) / seeded)
  console.error(`${seeded} records to copy ${copies} times`)
  const end = new Date(new Date(now).getTime() - 3_600_000)
  const start = new Date(end.getTime() - 365 * day)
  console.error(await copyRows(client, { business, copies, start, end }))
  await client.query('update businesses set created_at = $2 where id = $1', [business, start])
  const opened = await open(readConfig(environment), 'tool')
  closing.push(opened.close)
  await foldCounts(opened.app.db)
  await foldPostingsOf(opened.app.db)
  await client.query('vacuum (analyze)')
  await client.end()
  if (values.verify) console.error(await verifyBooks(opened.app))
  await opened.close()
  return { business, now }
}

async function settle(done: () => Promise<boolean>): Promise<void> {
  while (!(await done())) await new Promise((resolve) => setTimeout(resolve, 100))
}

async function measure({ business, now }: Filled): Promise<void> {
  // The directory may be of an older version.
  await migrate(embedded.ownerUrl)
  const opened = await open(readConfig(environment), 'tool')
  const sessions = await newSessions(opened.app, business)
  const owner = newClient(embedded.ownerUrl)
  await owner.connect()
  const { rows } = await owner.query(
    records
      .map(
        (table) =>
          `select '${table}' as name, count(*)::bigint as n from ${table} where business_id = $1`,
      )
      .join(' union all '),
    [business],
  )
  await owner.end()
  await opened.close()
  const total = rows.reduce((sum, { n }) => sum + Number(n), 0)
  console.log(
    `${total.toLocaleString('en')} records: ${rows.map(({ name, n }) => `${Number(n).toLocaleString('en')} ${name}`).join(', ')}`,
  )
  const server = await start('../bin/bursar.js', ['serve'], environment, /is listening on (\S+)/)
  let turn = 0
  const ask = async (path: string): Promise<{ status: number; text: string; ms: number }> => {
    const started = performance.now()
    const response = await fetch(server.said + path, {
      headers: { cookie: `${sessionCookie}=${sessions[turn++ % sessions.length]}` },
      redirect: 'manual',
    })
    const text = await response.text()
    return { status: response.status, text, ms: performance.now() - started }
  }
  const base = `/dashboard/${business}/test`
  const pages = (await pagesOf(async (path) => (await ask(path)).text, base, new Date(now))).filter(
    ({ name }) => name.includes(values.only),
  )
  const load = loadavg()[0] as number
  const times = new Map<Asked, { ms: number[]; bytes: number; status: number }>(
    pages.map((page) => [page, { ms: [], bytes: 0, status: 0 }]),
  )
  for (let round = -1; round < Number(values.rounds); round++)
    for (const [page, found] of times) {
      const { status, text, ms } = await ask(page.path)
      if (round >= 0) found.ms.push(ms)
      found.bytes = Buffer.byteLength(text)
      found.status = status
    }
  await stop(server)
  console.log(
    `${pages.length} pages, ${values.rounds} times each, one at a time; load ${load.toFixed(1)} before, ${(loadavg()[0] as number).toFixed(1)} after\n`,
  )
  const measured = [...times].map(([page, { ms, bytes, status }]) => {
    const [p50, p95] = [0.5, 0.95].map(
      (part) => ms.toSorted((a, b) => a - b)[Math.floor(ms.length * part)] ?? 0,
    )
    return { ...page, status, kB: bytes / 1000, p50: p50 as number, p95: p95 as number }
  })
  printGroups(measured)
  console.log('\n| Page | kB | p50 ms | p95 ms |\n|---|---|---|---|')
  const isWrong = ({ status, kB, p95 }: Measured): boolean =>
    status !== 200 || p95 >= 100 || kB >= 100
  for (const one of measured)
    console.log(`${rowOf(one.name, one)}${isWrong(one) ? ` ${one.status} ${one.path}` : ''}`)
  console.log(
    `\n${measured.filter(isWrong).length} took 100 ms or more at p95, have 100 kB or more, or were not there.`,
  )
}

type Measured = Asked & { status: number; kB: number; p50: number; p95: number }

function rowOf(name: string, { kB, p50, p95 }: Pick<Measured, 'kB' | 'p50' | 'p95'>): string {
  return `| ${name} | ${kB.toFixed(0)} | ${p50.toFixed(1)} | ${p95.toFixed(1)} |`
}

/** By what they are pages of: the largest and slowest of each. */
function printGroups(measured: Measured[]): void {
  console.log('| Pages | kB at most | p50 at most | p95 at most |\n|---|---|---|---|')
  for (const [title, pages] of Map.groupBy(
    measured,
    ({ name }) => (name.split(',', 1)[0] as string).split(':')[0] as string,
  )) {
    const most = (name: 'kB' | 'p50' | 'p95'): number =>
      Math.max(...pages.map((page) => page[name]))
    console.log(
      rowOf(`${title} (${pages.length})`, { kB: most('kB'), p50: most('p50'), p95: most('p95') }),
    )
  }
}

/** As many as are needed to ask for more pages a minute than one person may. */
async function newSessions(
  app: Parameters<typeof openSession>[0],
  business: string,
): Promise<string[]> {
  const email = `pages.${Date.now()}@shop.example`
  const person = await createPerson(app, { email, name: 'Ada Okafor', installationOwner: true })
  await addMember(app, business, person.id, 'owner')
  return Promise.all(
    Array.from({ length: 40 }, () =>
      openSession(app, person.id, { address: '127.0.0.1', device: 'bench' }),
    ),
  )
}

/**
 * How many payouts a second are created and durable, beside the database's own benchmark on the same server, in one run. The load
 * comes from wrk where it is installed, else from autocannon, which takes more of the machine for itself.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs, promisify } from 'node:util'
import autocannon from 'autocannon'
import { newClient } from '../src/db/db.ts'
import { type Embedded, useEmbedded } from '../src/db/embedded.ts'

type Row = { scenario: string; perSecond: number; p50: number; p99: number }
type Server = { child: ChildProcess; url: string; keys: string[]; lines: AsyncIterator<string> }

const { values } = parseArgs({ options: { seconds: { type: 'string', default: process.env.BENCH_SECONDS ?? '8' } } })
const seconds = Number(values.seconds)
if (!Number.isInteger(seconds) || seconds < 1) throw new Error('--seconds must be a whole number from 1')
const businesses = 1_000
const pgbenchScale = 10
let runs = 0

const dir = mkdtempSync(join(tmpdir(), 'bursar-bench-'))
let embedded: Embedded | null = null
let child: ChildProcess | null = null
let cleaned: Promise<void> | null = null
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => cleanUp().then(() => process.exit(1)))
try {
  embedded = await useEmbedded({ dir }, 'serve')
  const reference = await tpcB(embedded.superuserUrl)
  const server = await startServer(embedded.url)
  const rows: Row[] = []
  await fund(server)
  for (const clients of [1, 64, 256]) {
    rows.push(await payouts(server, `payouts, ${businesses} businesses, ${clients} clients`, clients, server.keys))
    rows.push(await payouts(server, `payouts, one wallet, ${clients} clients`, clients, server.keys.slice(0, 1)))
  }
  report(rows, reference)
  await assertBooksClean(server)
} finally {
  await cleanUp()
}

/** Once, also when a signal comes while it runs. */
function cleanUp(): Promise<void> {
  cleaned ??= (async () => {
    child?.kill('SIGKILL')
    await embedded?.release()
    rmSync(dir, { recursive: true, force: true })
  })()
  return cleaned
}

async function startServer(url: string): Promise<Server> {
  const started = spawn(process.execPath, [new URL('server.ts', import.meta.url).pathname, String(businesses)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      DATABASE_URL: url,
      SECRETS_KEY: '00'.repeat(32),
      PORT: '0',
      RATE_LIMIT_MAX: '0',
      LOG_LEVEL: 'fatal',
      // Payouts are only created here; what comes after would share the machine with what is measured.
      SANDBOX_DELAY: '1h',
    },
  })
  child = started
  const lines = createInterface({ input: started.stdout })[Symbol.asyncIterator]()
  const first = await lines.next()
  if (first.done) throw new Error('the server did not start')
  return { child: started, lines, ...(JSON.parse(first.value) as { url: string; keys: string[] }) }
}

/** Puts money into every wallet that is paid from. */
async function fund(running: Server): Promise<void> {
  const one = async (key: string): Promise<void> => {
    const response = await fetch(`${running.url}/wallets/simulate-fund`, {
      method: 'POST',
      headers: headersOf(key),
      body: JSON.stringify({ currency: 'ngn', amount: 1_000_000_000_000 }),
    })
    if (!response.ok) throw new Error(await response.text())
  }
  for (let i = 0; i < running.keys.length; i += 16) await Promise.all(running.keys.slice(i, i + 16).map(one))
}

async function payouts(running: Server, scenario: string, clients: number, keys: string[]): Promise<Row> {
  const load = installed('wrk') ? withWrk : withAutocannon
  runs += 1
  return { scenario, ...(await load(running.url, clients, keys, `run${runs}`)) }
}

/** The first program of this name on the path. */
function installed(name: string): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path))
}

async function withWrk(url: string, clients: number, keys: string[], run: string): Promise<Omit<Row, 'scenario'>> {
  const file = join(dir, 'keys')
  writeFileSync(file, `${keys.join('\n')}\n`)
  const script = new URL('load.lua', import.meta.url).pathname
  const threads = clients > 1 ? '2' : '1'
  const options = ['-t', threads, '-c', String(clients), '-d', `${seconds}s`, '--timeout', '20s', '-s', script]
  const { stdout } = await promisify(execFile)('wrk', [...options, url, '--', file, run])
  const { requests, seconds: took, failed, p50, p99 } = JSON.parse(/RESULT (.*)/.exec(stdout)?.[1] ?? '{}')
  if (failed !== 0) throw new Error(`not every answer was 201:\n${stdout}`)
  return { perSecond: requests / took, p50, p99 }
}

async function withAutocannon(
  url: string,
  clients: number,
  keys: string[],
  run: string,
): Promise<Omit<Row, 'scenario'>> {
  let n = 0
  const result = await autocannon({
    url: `${url}/payouts`,
    connections: clients,
    duration: seconds,
    requests: [
      {
        method: 'POST',
        setupRequest: (request) => {
          n += 1
          return {
            ...request,
            headers: headersOf(keys[n % keys.length] as string),
            body: JSON.stringify({
              reference: `${run}-${n}`,
              amount: 10_000,
              currency: 'ngn',
              method: 'bank_transfer',
              destination: { bank_code: '058', account_number: '0123456789' },
            }),
          }
        },
      },
    ],
  })
  const { '201': created, ...others } = (result.statusCodeStats ?? {}) as Record<string, { count?: number }>
  // `errors` counts timeouts too.
  if (Object.keys(others).length > 0 || result.errors > 0)
    throw new Error(`not every answer was 201: ${JSON.stringify(others)}, ${result.errors} errors`)
  return { perSecond: (created?.count ?? 0) / result.duration, p50: result.latency.p50, p99: result.latency.p99 }
}

function headersOf(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
}

/** Transactions a second of pgbench's TPC-B at its best client count, or null where pgbench is not installed. */
async function tpcB(superuserUrl: string): Promise<number | null> {
  const pgbench = globSync('/usr/lib/postgresql/*/bin/pgbench').sort().at(-1) ?? installed('pgbench')
  if (!pgbench) return null
  const admin = newClient(superuserUrl)
  await admin.connect()
  await admin.query('create database pgbench')
  const url = new URL(superuserUrl.replace('postgres://', 'http://').replace('@/', '@localhost/'))
  const env = {
    ...process.env,
    PGUSER: url.username,
    PGPASSWORD: url.password,
    PGHOST: url.searchParams.get('host') ?? url.hostname,
    PGPORT: url.searchParams.get('port') ?? url.port,
    PGDATABASE: 'pgbench',
  }
  const run = promisify(execFile)
  await run(pgbench, ['-i', '-q', '-s', String(pgbenchScale)], { env })
  let best = 0
  for (const count of [8, 32]) {
    const { stdout } = await run(pgbench, ['-T', String(seconds), '-c', String(count), '-j', '2', '-M', 'prepared'], {
      env,
    })
    best = Math.max(best, Number(/tps = ([\d.]+)/.exec(stdout)?.[1]))
  }
  // Its tables would be vacuumed, and its pages written out, while ours is measured.
  await admin.query('drop database pgbench with (force)')
  await admin.query('checkpoint')
  await admin.end()
  return best
}

function report(rows: Row[], reference: number | null): void {
  const table = [
    ['scenario', 'per second', 'p50 ms', 'p99 ms', 'pgbench TPC-B', 'ratio'],
    ...rows.map((row) => [
      row.scenario,
      row.perSecond.toFixed(0),
      String(row.p50),
      String(row.p99),
      reference === null ? 'not installed' : reference.toFixed(0),
      reference === null ? '' : (row.perSecond / reference).toFixed(2),
    ]),
  ]
  const widths = (table[0] as string[]).map((_, column) =>
    Math.max(...table.map((line) => (line[column] as string).length)),
  )
  for (const line of table)
    console.log(
      line
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[column] as number) : cell.padStart(widths[column] as number),
        )
        .join('  '),
    )
  if (reference === null) console.log('pgbench comes with Debian as postgresql-contrib or postgresql-client.')
  console.log(`${seconds} s a scenario; fsync and synchronous_commit are on.`)
  writeFileSync(
    new URL('results.json', import.meta.url),
    `${JSON.stringify({ seconds, tpcB: reference, rows }, null, 2)}\n`,
  )
}

async function assertBooksClean({ child, lines }: Server): Promise<void> {
  child.kill('SIGTERM')
  const { differences, postings } = JSON.parse((await lines.next()).value as string) as {
    differences: number
    postings: number
  }
  if (differences > 0) throw new Error(`the books have ${differences} differences`)
  console.log(`The books are clean: ${postings} postings.`)
}

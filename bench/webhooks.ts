/**
 * How many webhook deliveries a second reach a local HTTPS receiver, from the commit of their events to the record of every
 * try. The server and the receiver are processes of their own; the events are written from here.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { generate } from 'selfsigned'
import { transaction } from '../src/db/db.ts'
import { type Embedded, useEmbedded } from '../src/db/embedded.ts'
import { emitMany, type News } from '../src/events/events.ts'
import { readConfig } from '../src/lib/config.ts'
import { type Opened, open } from '../src/main.ts'

const { values } = parseArgs({
  options: { events: { type: 'string', default: '20000' }, receiver: { type: 'string' } },
})
const most = 100
const inCommit = 100

if (values.receiver === undefined) await bench(Number(values.events))
else await receive(values.receiver)

/** The target: answers 200 to everything. Prints its address. */
async function receive(caFile: string): Promise<void> {
  const made = await generate([{ name: 'commonName', value: 'bench' }], {
    keySize: 2048,
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] },
    ],
  })
  writeFileSync(caFile, made.cert)
  const server = createServer({ key: made.private, cert: made.cert }, (request, response) => {
    request.resume()
    request.on('end', () => response.writeHead(200).end())
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1', () => console.log(`https://localhost:${(server.address() as AddressInfo).port}`))
}

async function bench(count: number): Promise<void> {
  if (!Number.isInteger(count) || count < inCommit) throw new Error(`--events must be a whole number from ${inCommit}`)
  const dir = mkdtempSync(join(tmpdir(), 'bursar-bench-'))
  const caFile = join(dir, 'ca.pem')
  const children: ChildProcess[] = []
  let embedded: Embedded | null = null
  let opened: Opened | null = null
  try {
    embedded = await useEmbedded({ dir }, 'serve')
    const env = {
      DATABASE_URL: embedded.url,
      SECRETS_KEY: '00'.repeat(32),
      PORT: '0',
      RATE_LIMIT_MAX: '0',
      LOG_LEVEL: 'error',
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
      WEBHOOK_CA_FILE: caFile,
    }
    const start = async (file: string, args: string[]): Promise<{ line: string; child: ChildProcess }> => {
      const path = new URL(file, import.meta.url).pathname
      const options = process.env.BENCH_NODE_OPTIONS?.split(' ') ?? []
      const child = spawn(process.execPath, [...(file === 'server.ts' ? options : []), path, ...args], {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: { ...process.env, ...env },
      })
      children.push(child)
      for await (const line of createInterface({ input: child.stdout })) return { line, child }
      throw new Error(`${file} did not start`)
    }
    const target = (await start('webhooks.ts', ['--receiver', caFile])).line
    const server = await start('server.ts', [String(most)])
    const { url, keys } = JSON.parse(server.line) as { url: string; keys: string[] }
    opened = await open(readConfig(env), 'tool')
    const { app } = opened
    const owners = await app.db.query<{ id: string }>('select id from businesses order by id')

    const register = async (key: string): Promise<void> => {
      const answer = await fetch(`${url}/webhooks`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ url: `${target}/hook` }),
      })
      if (!answer.ok) throw new Error(await answer.text())
    }
    const attempts = async (): Promise<number> =>
      Number(
        (await app.db.query<{ n: bigint }>('select count(*) as n from webhook_attempts where error is null'))[0]?.n,
      )

    /** Writes the events and waits for the last try's row. */
    const run = async (scenario: string, businesses: number, events: number): Promise<void> => {
      const before = await attempts()
      const cpu = cpuMs(server.child)
      const begun = performance.now()
      for (let written = 0; written < events; written += inCommit)
        await transaction(app.db, (tx) =>
          emitMany(
            tx,
            Array.from({ length: inCommit }, (_, i) => news(written + i, businesses)),
          ),
        )
      const wrote = performance.now()
      while ((await attempts()) - before < events) await sleep(50)
      const seconds = (performance.now() - begun) / 1000
      const used = cpuMs(server.child)
      console.log(
        `${scenario}: ${(events / seconds).toFixed(0)} deliveries/s, every attempt logged (${(await attempts()) - before}` +
          ` rows for ${events} events, written in ${((wrote - begun) / 1000).toFixed(1)} s)` +
          (used === null
            ? ''
            : `; ${((1000 * (used - (cpu as number))) / events).toFixed(0)} µs of the server's CPU each`),
      )
    }
    const news = (n: number, businesses: number): News => ({
      scope: { businessId: owners[n % businesses]?.id as string, livemode: false, now: app.clock.now() },
      type: 'payout.initiated',
      record: {
        metadata: {},
        id: '0'.repeat(24),
        status: 'pending',
        amount: n,
        padding: 'x'.repeat(600),
      } as News['record'],
    })
    await register(keys[0] as string)
    await run('warming up', 1, Math.min(count, 2_000))
    await run('one endpoint', 1, count)
    for (const key of keys.slice(1)) await register(key)
    await run(`${most} businesses, an endpoint each`, most, count)
  } finally {
    for (const child of children) child.kill('SIGTERM')
    await Promise.all(children.map((child) => child.exitCode ?? new Promise((resolve) => child.on('exit', resolve))))
    await opened?.close()
    await embedded?.release()
    rmSync(dir, { recursive: true, force: true })
  }
}

/** CPU time a process has used, where the system tells. */
function cpuMs({ pid }: ChildProcess): number | null {
  const file = `/proc/${pid}/stat`
  if (!existsSync(file)) return null
  const fields = readFileSync(file, 'utf8').split(') ')[1]?.split(' ') as string[]
  return 10 * (Number(fields[11]) + Number(fields[12]))
}

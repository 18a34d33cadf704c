/** A PgBouncer in front of a test database, as Debian installs it. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { give, keepPassable, postgresUser } from '../../src/db/cluster/binaries.ts'
import { newClient } from '../../src/db/db.ts'
import { until } from './harness.ts'
import { freePort } from './ports.ts'

/** The version of the PgBouncer that is here, as 1.18; null where there is none. */
export function poolerVersion(): number | null {
  try {
    const text = execFileSync('pgbouncer', ['--version'], { encoding: 'utf8' })
    return Number(/PgBouncer (\d+\.\d+)/.exec(text)?.[1])
  } catch {
    return null
  }
}

export type Pooler = { url: string; stop(): Promise<void> }

/** Starts a PgBouncer in front of a test database, whose URL names the folder of a socket. */
export async function startPooler(
  url: string,
  mode: 'transaction' | 'session',
  settings = '',
): Promise<Pooler> {
  const dir = mkdtempSync(join(tmpdir(), 'bursar-pooler-'))
  const user = postgresUser()
  const port = await freePort()
  const to = new URL(url.replace('@/', '@localhost/'))
  const name = to.pathname.slice(1)
  // PgBouncer is another user than root, who may not reach the socket.
  const socket = join(
    to.searchParams.get('host') as string,
    `.s.PGSQL.${to.searchParams.get('port')}`,
  )
  const relay = createServer((client) => {
    const server = connect(socket)
    for (const one of [client, server]) one.on('error', () => {})
    client.pipe(server).pipe(client)
  })
  relay.listen(0, '127.0.0.1')
  await once(relay, 'listening')
  const at = {
    host: '127.0.0.1',
    port: (relay.address() as AddressInfo).port,
    user: decodeURIComponent(to.username),
    password: decodeURIComponent(to.password),
  }
  const file = join(dir, 'pgbouncer.ini')
  writeFileSync(
    file,
    `[databases]
${name} = ${Object.entries(at)
      .map(([key, value]) => `${key}='${value}'`)
      .join(' ')}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
${settings}
`,
    { mode: 0o600 },
  )
  keepPassable(dir, user)
  give(file, user)
  const child = spawn('pgbouncer', [file], { stdio: 'ignore', ...user })
  const ended = new Promise((resolve) => child.on('exit', resolve))
  const pooled = `postgres://any@127.0.0.1:${port}/${name}`
  await until(async () => {
    const client = newClient(pooled)
    try {
      await client.connect()
      return true
    } catch {
      return false
    } finally {
      await client.end().catch(() => {})
    }
  })
  return {
    url: pooled,
    async stop() {
      child.kill('SIGKILL')
      await ended
      relay.close()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

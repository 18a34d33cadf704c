/**
 * A PostgreSQL and a replica of it, by streaming replication, as an operator would make them.
 */
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyCluster } from '../src/db/backup.ts'
import { asUser, findBinaries, postgresUser } from '../src/db/binaries.ts'
import { newClient } from '../src/db/db.ts'
import { type Embedded, useEmbedded } from '../src/db/embedded.ts'
import { migrate } from '../src/db/migrate.ts'
import { systemClock } from '../src/lib/clock.ts'
import { until } from './harness.ts'

export type Standby = {
  primary: Embedded
  /** The replica, by the role that serves. */
  url: string
  /** Runs a statement at the replica as a superuser. */
  ask<Row>(text: string): Promise<Row[]>
  stop(): Promise<void>
}

/** Makes both, with the schema; the replica has all of the primary, and follows. */
export async function startStandby(): Promise<Standby> {
  const dir = mkdtempSync(join(tmpdir(), 'bursar-standby-'))
  const primary = await useEmbedded({ dir: join(dir, 'one') }, 'serve')
  await migrate(primary.ownerUrl, 'bursar_server')
  const at = join(dir, 'two')
  mkdirSync(at)
  await copyCluster(primary, at, systemClock, () => {})
  const data = join(at, 'postgres')
  const superuser = new URL(primary.superuserUrl.replace('@/', '@localhost/'))
  const upstream = [
    ...[`host=${superuser.searchParams.get('host')}`, `port=${superuser.searchParams.get('port')}`],
    ...[`user=${superuser.username}`, `password=${superuser.password}`],
  ]
  writeFileSync(join(data, 'standby.signal'), '')
  writeFileSync(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${upstream.join(' ')}'\n`)
  const user = postgresUser()
  if (user) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, data])
  const binaries = await findBinaries()
  const { command, args, options } = asUser({ cluster: data, user, binaries } as never, binaries.postgres, [
    ...['-D', data, '-c', 'listen_addresses=', '-c', `unix_socket_directories=${data}`],
    ...['-c', 'port=5499', '-c', 'max_connections=200'],
  ])
  let output = ''
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const ended = new Promise((resolve) => child.on('exit', resolve))
  const there = (url: string): string =>
    url.replace(/host=[^&]*/, `host=${encodeURIComponent(data)}`).replace(/port=\d+/, 'port=5499')
  const ask = async <Row>(text: string): Promise<Row[]> => {
    const client = newClient(there(primary.superuserUrl).replace('/postgres?', '/bursar?'))
    client.on('error', () => {})
    await client.connect()
    try {
      return (await client.query(text)).rows as Row[]
    } finally {
      await client.end()
    }
  }
  try {
    await until(() => ask('select 1').catch(() => null), 30_000)
  } catch {
    throw new Error(`the replica did not start:\n${output}`)
  }
  return {
    ...{ primary, url: there(primary.url), ask },
    async stop() {
      child.kill('SIGQUIT')
      await ended
      await primary.release()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

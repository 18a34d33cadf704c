/**
 * PostgreSQL servers that follow each other by streaming replication, as an operator would make
 * them: started, killed, promoted and made anew from a copy of another.
 */
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { copyCluster } from '../../src/db/cluster/backup.ts'
import { asUser, findBinaries, postgresUser } from '../../src/db/cluster/binaries.ts'
import type { Embedded } from '../../src/db/cluster/embedded.ts'
import { newClient } from '../../src/db/db.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { until } from './harness.ts'

/**
 * How the embedded server that a node began as is connected to; a node has the same roles and
 * passwords.
 */
export type Urls = Pick<Embedded, 'url' | 'ownerUrl' | 'superuserUrl' | 'backupUrl'>

export type Node = Urls & {
  cluster: string
  port: number
  /** Runs a statement in the database of Bursar as a superuser. */
  ask<Row>(text: string): Promise<Row[]>
  /** Kills it, and all of its processes, with -9. */
  kill(): Promise<void>
  stop(): Promise<void>
}

/** Starts a server in the folder `postgres` of a folder, and waits until it answers. */
export async function startNode(
  urls: Urls,
  dir: string,
  port: number,
  settings: Record<string, string> = {},
): Promise<Node> {
  const cluster = join(dir, 'postgres')
  const user = postgresUser()
  const binaries = await findBinaries()
  const { command, args, options } = asUser(
    { cluster, user, binaries } as never,
    binaries.postgres,
    [
      '-D',
      cluster,
      '-c',
      'listen_addresses=',
      '-c',
      `unix_socket_directories=${cluster}`,
      '-c',
      `port=${port}`,
      '-c',
      'max_connections=200',
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
  )
  let output = ''
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const ended = new Promise((resolve) => child.on('exit', resolve))
  const there = (url: string): string =>
    url
      .replace(/host=[^&]*/, `host=${encodeURIComponent(cluster)}`)
      .replace(/port=\d+/, `port=${port}`)
  const superuserUrl = there(urls.superuserUrl)
  const ask = async <Row>(text: string): Promise<Row[]> => {
    const client = newClient(superuserUrl.replace('/postgres?', '/bursar?'))
    client.on('error', () => {})
    try {
      await client.connect()
      return (await client.query(text)).rows as Row[]
    } finally {
      await client.end().catch(() => {})
    }
  }
  const node: Node = {
    cluster,
    port,
    ask,
    superuserUrl,
    url: there(urls.url),
    ownerUrl: there(urls.ownerUrl),
    backupUrl: there(urls.backupUrl),
    async kill() {
      const pid = String(child.pid)
      // While one is stopped it cannot tell the others, which would end in an orderly way.
      process.kill(child.pid as number, 'SIGSTOP')
      const children = execFileSync('pgrep', ['-P', pid], { encoding: 'utf8' }).trim().split('\n')
      for (const one of [...children, pid]) process.kill(Number(one), 'SIGKILL')
      await ended
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGQUIT')
      await ended
    },
  }
  try {
    await until(() => ask('select 1').catch(() => null), 30_000)
  } catch {
    child.kill('SIGQUIT')
    throw new Error(`a node did not start:\n${output}`)
  }
  return node
}

/**
 * Makes the folder `postgres` of a folder a copy of a running server, ready to be started as a
 * standby of it. What was there before is gone.
 */
export async function follow(of: Urls & { cluster: string }, dir: string): Promise<void> {
  const cluster = join(dir, 'postgres')
  rmSync(cluster, { recursive: true, force: true })
  mkdirSync(dir, { recursive: true })
  await copyCluster(of, dirname(cluster), systemClock, () => {})
  const at = new URL(of.superuserUrl.replace('@/', '@localhost/'))
  const upstream = [
    `host=${at.searchParams.get('host')}`,
    `port=${at.searchParams.get('port')}`,
    `user=${at.username}`,
    `password=${at.password}`,
    'application_name=follower',
  ]
  writeFileSync(join(cluster, 'standby.signal'), '')
  writeFileSync(
    join(cluster, 'postgresql.auto.conf'),
    `primary_conninfo = '${upstream.join(' ')}'\n`,
  )
  const user = postgresUser()
  if (user) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, cluster])
}

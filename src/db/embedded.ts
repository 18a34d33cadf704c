/**
 * A real PostgreSQL from npm, in the data directory: started when it is needed, shared by the server and the commands,
 * stopped by whoever leaves last. Advisory locks say who uses it, which end with a process however it ends.
 */
import { spawn } from 'node:child_process'
import { createHash, createHmac, randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { makeOnce } from '../lib/files.ts'
import { asUser, type Binaries, findBinaries, give, postgresUser, type User } from './binaries.ts'

/** Another server runs on the data directory. */
export class EmbeddedInUse extends Error {}

export type Embedded = {
  /** Connection string of the role `bursar_server`, which serves: what it may do, it is granted. */
  url: string
  /** Connection string of the role `bursar`, which owns the database `bursar`, migrates, and is no superuser. */
  ownerUrl: string
  /** Connection string of the cluster's superuser. */
  superuserUrl: string
  /** Connection string of the role `bursar_backup`, which may copy the cluster's files while it runs, and reads no table. */
  backupUrl: string
  /** The folder of the cluster. */
  cluster: string
  /** Stops using it; the last one to leave stops PostgreSQL. */
  release(): Promise<void>
}

export type EmbeddedOptions = {
  /** The data directory; the cluster lives in `postgres` below it. */
  dir: string
  /** Further settings of the server. Durability stays on unless they say otherwise. */
  settings?: Record<string, string>
  /** It is a copy that was made while the original ran: it is started once, to recover from the WAL that was copied with it. */
  recovering?: boolean
}

type Secrets = { superuser: string; bursar: string; port: number }
type Place = {
  cluster: string
  socketDir: string | null
  secrets: Secrets
  log: string
  binaries: Binaries
  user: User
}

/** Where a data directory is put together from a backup: while it is there, the directory is none. */
export const draftName = 'restoring'

const startWithinMs = 30_000
/** The same with days of WAL to go through, and every file to be flushed to the disk. */
const recoverWithinMs = 3_600_000
/** All WAL is beside the files: there is no archive to ask. Nobody reads before the copy is known to be whole. */
const recoverySettings = {
  restore_command: process.platform === 'win32' ? 'exit 1' : 'false',
  hot_standby: 'off',
}
const locks = { inUse: 7_201, server: 7_202 }

const defaults: Record<string, string> = {
  max_connections: '200',
  shared_buffers: '256MB',
  max_wal_size: '2GB',
  timezone: 'UTC',
  log_timezone: 'UTC',
}

/**
 * Uses the embedded PostgreSQL of a data directory, and starts it where it does not run. One that a killed server left
 * behind is taken over.
 * @param role `serve` is had by one process at a time; `tool` by any number
 * @throws {EmbeddedInUse} when another server has the directory
 * @throws {Error} when PostgreSQL cannot be started; says why, with the end of its log
 */
export async function useEmbedded(
  { dir: given, settings: further = {}, recovering = false }: EmbeddedOptions,
  role: 'serve' | 'tool',
): Promise<Embedded> {
  fs.mkdirSync(given, { recursive: true })
  // Whoever comes by another path must find the same sockets, and know the server by its arguments.
  const dir = fs.realpathSync(given)
  if (fs.existsSync(join(dir, draftName)))
    throw new EmbeddedInUse(`A restore into ${dir} is going on, or was broken off: then delete it, and restore again.`)
  const place = await placeOf(dir)
  const settings = { ...further, ...(recovering && recoverySettings) }
  await makeCluster(dir, place)
  let session = await enter(place, settings, recovering)
  let left = false
  const claim = async (): Promise<void> => {
    if (role === 'serve' && !(await tryLock(session, locks.server))) {
      await session.end()
      throw new EmbeddedInUse(`Another Bursar server is already running on the data directory ${dir}.`)
    }
  }
  /** A server whose session was cut, as when one backend crashed, comes back: else the next command would think itself alone. */
  const watch = (): void => {
    session.on('end', async () => {
      while (!left && role === 'serve')
        try {
          session = await enter(place, settings, recovering)
          await claim()
          watch()
          return
        } catch {
          await sleep(500)
        }
    })
  }
  await claim()
  watch()
  await makeDatabase(session, place)
  return {
    url: urlOf(place, 'bursar_server', 'bursar'),
    ownerUrl: urlOf(place, 'bursar', 'bursar'),
    superuserUrl: urlOf(place, 'postgres', 'postgres'),
    backupUrl: urlOf(place, 'bursar_backup', 'postgres'),
    cluster: place.cluster,
    release: () => {
      left = true
      return leave(place, session)
    },
  }
}

async function placeOf(dir: string): Promise<Place> {
  const cluster = join(dir, 'postgres')
  const windows = process.platform === 'win32'
  const user = postgresUser()
  let socketDir: string | null = windows ? null : cluster
  // A socket's path has room for 107 bytes on Linux and 103 on macOS.
  if (socketDir !== null && Buffer.byteLength(socketDir) > 80) {
    const name = createHash('sha256').update(cluster).digest('hex').slice(0, 16)
    socketDir = join(tmpdir(), `bursar-${name}`)
    fs.mkdirSync(socketDir, { recursive: true, mode: 0o700 })
    give(socketDir, user)
  }
  return {
    cluster,
    socketDir,
    secrets: await ownSecrets(join(dir, 'postgres.json'), windows),
    log: join(dir, 'postgres.log'),
    binaries: await findBinaries(),
    user,
  }
}

async function ownSecrets(file: string, windows: boolean): Promise<Secrets> {
  if (!fs.existsSync(file)) {
    const secret = (): string => randomBytes(24).toString('hex')
    const made: Secrets = { superuser: secret(), bursar: secret(), port: windows ? await freePort() : 5432 }
    makeOnce(file, JSON.stringify(made))
  }
  return JSON.parse(fs.readFileSync(file, 'utf8')) as Secrets
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.on('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}

/** Makes the cluster under another name first: a cluster that has its name is whole. */
async function makeCluster(dir: string, place: Place): Promise<void> {
  for (const name of fs.readdirSync(dir)) {
    const pid = Number(/^postgres\.tmp-(\d+)$/.exec(name)?.[1])
    if (pid && !isAlive(pid)) fs.rmSync(join(dir, name), { recursive: true, force: true })
  }
  if (fs.existsSync(join(place.cluster, 'PG_VERSION'))) return
  const draft = join(dir, `postgres.tmp-${process.pid}`)
  fs.rmSync(draft, { recursive: true, force: true })
  fs.mkdirSync(draft, { mode: 0o700 })
  give(draft, place.user)
  const secretDir = fs.mkdtempSync(join(tmpdir(), 'bursar-init-'))
  const passwordFile = join(secretDir, 'password')
  fs.writeFileSync(passwordFile, place.secrets.superuser, { mode: 0o600 })
  give(passwordFile, place.user)
  give(secretDir, place.user)
  try {
    await initialise({ ...place, cluster: draft }, passwordFile)
    fs.renameSync(draft, place.cluster)
  } catch (error) {
    if (!fs.existsSync(join(place.cluster, 'PG_VERSION'))) throw error
  } finally {
    fs.rmSync(secretDir, { recursive: true, force: true })
    fs.rmSync(draft, { recursive: true, force: true })
  }
}

function initialise(place: Place, passwordFile: string): Promise<void> {
  const { command, args, options } = asUser(place, place.binaries.initdb, [
    `--pgdata=${place.cluster}`,
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
  ])
  return new Promise((resolve, reject) => {
    let output = ''
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        output += chunk
      })
    child.on('error', reject)
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(`initdb failed:\n${output.trim()}`))))
  })
}

/** A session that says "in use". Starts PostgreSQL where it does not run, also when another stops it meanwhile. */
async function enter(place: Place, settings: Record<string, string>, recovering: boolean): Promise<pg.Client> {
  const withinMs = recovering ? recoverWithinMs : startWithinMs
  const deadline = performance.now() + withinMs
  let starting: { exited: boolean } | null = null
  let trouble = ''
  while (performance.now() < deadline) {
    const client = new pg.Client({
      connectionString: urlOf(place, 'postgres', 'postgres'),
      application_name: 'bursar-lock',
    })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.query('select pg_advisory_lock_shared($1)', [locks.inUse])
      return client
    } catch (error) {
      await client.end().catch(() => {})
      const { code, message } = error as NodeJS.ErrnoException
      // What cannot recover, or has other passwords, has so at the second try too.
      if (recovering && (starting?.exited || code === '28P01')) break
      // 57P03: it is starting or stopping.
      if (code !== '57P03' && (starting === null || starting.exited)) starting = start(place, settings)
      trouble = message
    }
    await sleep(starting?.exited ? 200 : 20)
  }
  const log = fs.existsSync(place.log) ? fs.readFileSync(place.log, 'utf8').split('\n').slice(-12).join('\n') : ''
  const said = recovering ? 'could not recover the copy' : `did not start within ${withinMs / 1000} s`
  throw new Error(`The embedded PostgreSQL ${said}: ${trouble}\n${log}`)
}

function start(place: Place, settings: Record<string, string>): { exited: boolean } {
  dropStaleLock(place)
  const listen: Record<string, string> =
    place.socketDir === null
      ? { listen_addresses: '127.0.0.1', port: String(place.secrets.port) }
      : { listen_addresses: '', unix_socket_directories: place.socketDir, port: String(place.secrets.port) }
  const given = Object.entries({ ...defaults, ...listen, ...settings }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ])
  const { command, args, options } = asUser(place, place.binaries.postgres, ['-D', place.cluster, ...given])
  const log = fs.openSync(place.log, 'a', 0o600)
  // A process group of its own: Ctrl-C must not stop the database before the server has drained.
  const child = spawn(command, args, { ...options, detached: true, stdio: ['ignore', log, log] })
  fs.closeSync(log)
  const state = { exited: false }
  child.on('exit', () => {
    state.exited = true
  })
  child.on('error', () => {
    state.exited = true
  })
  child.unref()
  return state
}

/** After a power cut the pid in the lock file may be another program's by now, and PostgreSQL would wait for it. */
function dropStaleLock(place: Place): void {
  const pid = postmasterPid(place)
  if (pid === null || !isAlive(pid) || process.platform !== 'linux') return
  let commandLine = ''
  try {
    commandLine = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return
  }
  if (commandLine.includes(place.cluster)) return
  fs.rmSync(join(place.cluster, 'postmaster.pid'), { force: true })
  if (place.socketDir) fs.rmSync(join(place.socketDir, `.s.PGSQL.${place.secrets.port}.lock`), { force: true })
}

function postmasterPid({ cluster }: Place): number | null {
  try {
    return Number(fs.readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')[0]) || null
  } catch {
    return null
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

const attributes = { bursar: 'login', bursar_server: 'login', bursar_backup: 'login replication' } as const
/** Who may begin and end a backup need be no superuser. https://www.postgresql.org/docs/18/continuous-archiving.html */
const backupFunctions = 'pg_backup_start(text, boolean), pg_backup_stop(boolean)'

/** One role owns the database and nothing else; another serves, a third copies. A directory of an earlier version has fewer. */
async function makeDatabase(session: pg.Client, place: Place): Promise<void> {
  await session.query(`select pg_advisory_lock(7203)`)
  try {
    for (const role of ['bursar', 'bursar_server', 'bursar_backup'] as const) {
      const { rows: roles } = await session.query('select from pg_roles where rolname = $1', [role])
      if (roles.length > 0) continue
      const grant = role === 'bursar_backup' ? `; grant execute on function ${backupFunctions} to ${role}` : ''
      await session.query(
        `create role ${role} ${attributes[role]} password '${passwordOf(place.secrets, role)}'${grant}`,
      )
    }
    const { rows: databases } = await session.query(`select from pg_database where datname = 'bursar'`)
    if (databases.length === 0) await session.query('create database bursar owner bursar')
  } finally {
    await session.query(`select pg_advisory_unlock(7203)`)
  }
}

async function tryLock(session: pg.Client, lock: number): Promise<boolean> {
  const { rows } = await session.query<{ mine: boolean }>('select pg_try_advisory_lock($1) as mine', [lock])
  return rows[0]?.mine ?? false
}

async function leave(place: Place, session: pg.Client): Promise<void> {
  let last = false
  try {
    await session.query('select pg_advisory_unlock_all()')
    last = await tryLock(session, locks.inUse)
  } catch {
    // The session is gone, and with it its locks; whoever comes next takes over.
  }
  const pid = last ? postmasterPid(place) : null
  if (pid !== null) {
    // A fast shutdown: sessions end, what is committed stays. Holding the lock until then keeps newcomers waiting.
    process.kill(pid, 'SIGINT')
    while (postmasterPid(place) === pid && isAlive(pid)) await sleep(10)
  }
  await session.end().catch(() => {})
}

type DatabaseRole = 'postgres' | keyof typeof attributes

/** The others' are made of one, which cannot be found from them: files of earlier versions, and of later, are the same. */
function passwordOf(secrets: Secrets, role: DatabaseRole): string {
  if (role === 'postgres') return secrets.superuser
  if (role === 'bursar') return secrets.bursar
  return createHmac('sha256', secrets.bursar).update(role).digest('hex')
}

function urlOf({ socketDir, secrets }: Place, role: DatabaseRole, database: string): string {
  const login = `${role}:${passwordOf(secrets, role)}`
  return socketDir === null
    ? `postgres://${login}@127.0.0.1:${secrets.port}/${database}`
    : `postgres://${login}@/${database}?host=${encodeURIComponent(socketDir)}&port=${secrets.port}`
}

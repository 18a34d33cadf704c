/** The roles of the embedded PostgreSQL, their passwords and addresses. */
import { createHmac, randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { createServer } from 'node:net'
import type pg from 'pg'
import { makeOnce } from '../../lib/files.ts'

export type Secrets = { superuser: string; bursar: string; port: number }

/** Returns the passwords of a data directory; the first call creates them. */
export async function ownSecrets(file: string, windows: boolean): Promise<Secrets> {
  if (!fs.existsSync(file)) {
    const secret = (): string => randomBytes(24).toString('hex')
    const made: Secrets = {
      superuser: secret(),
      bursar: secret(),
      port: windows ? await freePort() : 5432,
    }
    makeOnce(file, JSON.stringify(made))
  }
  return JSON.parse(fs.readFileSync(file, 'utf8')) as Secrets
}

/** Returns a free port of this machine. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.on('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}

const attributes = {
  bursar: 'login',
  bursar_server: 'login',
  bursar_backup: 'login replication',
} as const
/**
 * A role needs no superuser rights to start and stop a backup.
 * https://www.postgresql.org/docs/18/continuous-archiving.html
 */
const backupFunctions = 'pg_backup_start(text, boolean), pg_backup_stop(boolean)'

/**
 * Creates the database and its roles: one owns it, one serves, one copies. Directories of earlier
 * versions have fewer.
 */
export async function makeDatabase(session: pg.Client, secrets: Secrets): Promise<void> {
  await session.query(`select pg_advisory_lock(7203)`)
  try {
    for (const role of ['bursar', 'bursar_server', 'bursar_backup'] as const) {
      const { rows: roles } = await session.query('select from pg_roles where rolname = $1', [role])
      if (roles.length > 0) continue
      const grant =
        role === 'bursar_backup' ? `; grant execute on function ${backupFunctions} to ${role}` : ''
      await session.query(
        `create role ${role} ${attributes[role]} password '${passwordOf(secrets, role)}'${grant}`,
      )
    }
    const { rows: databases } = await session.query(
      `select from pg_database where datname = 'bursar'`,
    )
    if (databases.length === 0) await session.query('create database bursar owner bursar')
  } finally {
    await session.query(`select pg_advisory_unlock(7203)`)
  }
}

type DatabaseRole = 'postgres' | keyof typeof attributes

/**
 * Derives a role's password one-way from the stored secret, so that the file has one format in all
 * versions.
 */
function passwordOf(secrets: Secrets, role: DatabaseRole): string {
  if (role === 'postgres') return secrets.superuser
  if (role === 'bursar') return secrets.bursar
  return createHmac('sha256', secrets.bursar).update(role).digest('hex')
}

/** @param socketDir the folder of the socket; null: connect by port */
export function urlOf(
  { socketDir, secrets }: { socketDir: string | null; secrets: Secrets },
  role: DatabaseRole,
  database: string,
): string {
  const login = `${role}:${passwordOf(secrets, role)}`
  return socketDir === null
    ? `postgres://${login}@127.0.0.1:${secrets.port}/${database}`
    : `postgres://${login}@/${database}?host=${encodeURIComponent(socketDir)}&port=${secrets.port}`
}

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { useEmbedded } from '../../src/db/cluster/embedded.ts'
import { newClient } from '../../src/db/db.ts'
import { migrate } from '../../src/db/schema/migrate.ts'

export type Cluster = { env: Record<string, string>; stop(): Promise<void> }

/**
 * No durability, so that nothing waits for the disk; and no password that nobody can try out, which
 * each connection would compute for as long as a test.
 */
const settings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  scram_iterations: '1',
}

/**
 * A PostgreSQL for tests with a migrated template.
 * @param openMs how long a transaction may stand open with nothing to do: one that a failed test
 * leaves keeps the books of all databases from being sealed
 */
export async function startCluster(dir: string, openMs = 0): Promise<Cluster> {
  const embedded = await useEmbedded(
    {
      dir,
      settings: { ...settings, idle_in_transaction_session_timeout: String(Math.round(openMs)) },
    },
    'serve',
  )
  await migrate(embedded.ownerUrl, 'bursar_server')
  const admin = newClient(embedded.superuserUrl)
  await admin.connect()
  await admin.query('alter database bursar rename to bursar_template')
  await admin.query(
    `alter role postgres password '${new URL(embedded.superuserUrl.replace('@/', '@localhost/')).password}'`,
  )
  await admin.end()
  return {
    env: {
      TEST_SUPERUSER_URL: embedded.superuserUrl,
      TEST_OWNER_URL: embedded.ownerUrl,
      TEST_APP_URL: embedded.url,
    },
    stop: () => embedded.release(),
  }
}

export type TestDatabase = {
  /** As the role that serves, which tests use as the server does. */
  url: string
  /** As the role that owns the tables, for what only a migration may do. */
  ownerUrl: string
  superuserUrl: string
  /** Runs a statement as the owner of the tables. */
  asOwner(text: string): Promise<{ rows: unknown[] }>
  drop(): Promise<void>
}

/**
 * A new database, with the schema unless the template says otherwise. Runs a cluster of its own
 * when no test runner has started one.
 * @param template `template1` for an empty one, on which the serving role has no rights
 */
export async function newDatabase(
  template: 'bursar_template' | 'template1' = 'bursar_template',
): Promise<TestDatabase> {
  const own = process.env.TEST_SUPERUSER_URL ? null : await ownCluster()
  const env = own?.env ?? (process.env as Record<string, string>)
  const name = `test_${process.pid}_${Math.random().toString(36).slice(2, 8)}`
  const at = (url: string | undefined): string =>
    (url as string).replace(/\/(postgres|bursar)\?/, `/${name}?`)
  const ownerUrl = at(env.TEST_OWNER_URL)
  // Page by page through the WAL, as it would be else, takes twice as much of the processor.
  const how = `template ${template} strategy file_copy owner bursar`
  await runAs(env.TEST_SUPERUSER_URL as string, `create database ${name} ${how}`)
  return {
    url: at(env.TEST_APP_URL),
    ownerUrl,
    superuserUrl: at(env.TEST_SUPERUSER_URL),
    asOwner: (text) => runAs(ownerUrl, text),
    async drop() {
      await runAs(env.TEST_SUPERUSER_URL as string, `drop database ${name} with (force)`)
      await own?.stop()
    },
  }
}

/** Runs a statement on a session of its own. */
export async function runAs(url: string, text: string): Promise<{ rows: unknown[] }> {
  const client = newClient(url)
  await client.connect()
  try {
    return await client.query(text)
  } finally {
    await client.end()
  }
}

async function ownCluster(): Promise<Cluster> {
  const { mkdtempSync, rmSync } = await import('node:fs')
  const { tmpdir } = await import('node:os')
  const { join } = await import('node:path')
  const dir = mkdtempSync(join(tmpdir(), 'bursar-test-'))
  const cluster = await startCluster(dir)
  return {
    ...cluster,
    async stop() {
      await cluster.stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/**
 * Makes a data directory with an embedded database as the first start of a server makes it,
 * businesses and keys apart: copied from one that is made once for a run of tests, as making it
 * takes seconds. Without a runner, or on Windows, the first who uses it makes it.
 */
export async function makeDataDir(dir: string): Promise<void> {
  const made = process.env.TEST_DATA_DIR
  if (made === undefined || process.platform === 'win32') return
  const draft = `${made}-draft`
  if (claimed(draft)) {
    const data = join(draft, 'data')
    const embedded = await useEmbedded({ dir: data, settings: { fsync: 'off' } }, 'tool')
    await migrate(embedded.ownerUrl, 'bursar_server')
    await embedded.release()
    renameSync(data, made)
  }
  const deadline = performance.now() + 60_000
  while (!existsSync(made)) {
    if (performance.now() > deadline) throw new Error(`Nobody made ${made}.`)
    await sleep(25)
  }
  mkdirSync(dirname(dir), { recursive: true })
  const { status, stderr } = spawnSync('cp', ['-Rp', made, dir], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
}

/** Whether this is the first to make a folder. */
function claimed(folder: string): boolean {
  try {
    mkdirSync(folder)
    return true
  } catch (error) {
    if (!statSync(folder, { throwIfNoEntry: false })) throw error
    return false
  }
}

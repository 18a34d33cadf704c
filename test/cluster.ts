import { newClient } from '../src/db/db.ts'
import { useEmbedded } from '../src/db/embedded.ts'
import { migrate } from '../src/db/migrate.ts'

export type Cluster = { env: Record<string, string>; stop(): Promise<void> }

/** A PostgreSQL for tests with a migrated template. Tests need no durability, so it does not wait for the disk. */
export async function startCluster(dir: string): Promise<Cluster> {
  const embedded = await useEmbedded({ dir, settings: { fsync: 'off', synchronous_commit: 'off' } }, 'serve')
  await migrate(embedded.url)
  const admin = newClient(embedded.superuserUrl)
  await admin.connect()
  await admin.query('alter database bursar rename to bursar_template')
  await admin.end()
  return {
    env: { TEST_SUPERUSER_URL: embedded.superuserUrl, TEST_APP_URL: embedded.url },
    stop: () => embedded.release(),
  }
}

/** A new database from the template. Runs a cluster of its own when no test runner has started one. */
export async function newDatabase(): Promise<{ url: string; superuserUrl: string; drop(): Promise<void> }> {
  const own = process.env.TEST_SUPERUSER_URL ? null : await ownCluster()
  const env = own?.env ?? (process.env as Record<string, string>)
  const name = `test_${process.pid}_${Math.random().toString(36).slice(2, 8)}`
  const at = (url: string | undefined): string => (url as string).replace(/\/(postgres|bursar)\?/, `/${name}?`)
  await admin(env.TEST_SUPERUSER_URL as string, `create database ${name} template bursar_template owner bursar`)
  return {
    url: at(env.TEST_APP_URL),
    superuserUrl: at(env.TEST_SUPERUSER_URL),
    async drop() {
      await admin(env.TEST_SUPERUSER_URL as string, `drop database ${name} with (force)`)
      await own?.stop()
    },
  }
}

async function admin(url: string, text: string): Promise<void> {
  const client = newClient(url)
  await client.connect()
  try {
    await client.query(text)
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

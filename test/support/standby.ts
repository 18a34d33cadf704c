/**
 * A PostgreSQL and a replica of it, by streaming replication, as an operator would make them.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Embedded, useEmbedded } from '../../src/db/cluster/embedded.ts'
import { migrate } from '../../src/db/schema/migrate.ts'
import { makeDataDir } from './cluster.ts'
import { follow, type Node, startNode } from './nodes.ts'

export type Standby = {
  primary: Embedded
  /** The replica, by the role that serves. */
  url: string
  /** Runs a statement at the replica as a superuser. */
  ask: Node['ask']
  stop(): Promise<void>
}

/** Makes both, with the schema; the replica has all of the primary, and follows. */
export async function startStandby(): Promise<Standby> {
  const dir = mkdtempSync(join(tmpdir(), 'bursar-standby-'))
  await makeDataDir(join(dir, 'one'))
  const primary = await useEmbedded({ dir: join(dir, 'one') }, 'serve')
  await migrate(primary.ownerUrl, 'bursar_server')
  const at = join(dir, 'two')
  await follow(primary, at)
  const { url, ask, stop } = await startNode(primary, at, 5499)
  return {
    primary,
    url,
    ask,
    async stop() {
      await stop()
      await primary.release()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

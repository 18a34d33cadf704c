/**
 * A real PostgreSQL of the run's own, and what can be done to it.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { newClient } from '../src/db/db.ts'
import { useEmbedded } from '../src/db/embedded.ts'
import { migrate } from '../src/db/migrate.ts'

export type Database = {
  /** As the role that serves. */
  url: string
  /** Asks as a superuser, past every process of ours, until it is answered. */
  ask<Row>(text: string, params?: unknown[]): Promise<Row[]>
  /** Ends backends of ours. @returns how many */
  terminate(howMany: number): Promise<number>
  /** Kills the postmaster with no chance to write anything down, and waits until PostgreSQL has recovered. */
  crash(): Promise<void>
  stop(): Promise<void>
}

/** What was committed outlives any kill; only a machine that loses power would lose what its disk was not waited for. */
const settings = { fsync: 'off', scram_iterations: '1', max_connections: '200' }

export async function startDatabase(dir: string): Promise<Database> {
  const embedded = await useEmbedded({ dir, settings }, 'serve')
  await migrate(embedded.ownerUrl, 'bursar_server')
  const superuser = embedded.superuserUrl.replace('/postgres?', '/bursar?')
  const ask = async <Row>(text: string, params: unknown[] = []): Promise<Row[]> => {
    const deadline = performance.now() + 60_000
    for (;;) {
      const client = newClient(superuser)
      client.on('error', () => {})
      try {
        await client.connect()
        return (await client.query(text, params)).rows as Row[]
      } catch (error) {
        const { code = '' } = error as { code?: string }
        // What PostgreSQL holds against the statement itself is ours to know at once.
        if (/^(42|22|23)/.test(code) || performance.now() > deadline) throw error
        await sleep(200)
      } finally {
        await client.end().catch(() => {})
      }
    }
  }
  return {
    url: embedded.url,
    ask,
    async terminate(howMany) {
      const ended = await ask<{ ended: boolean }>(
        `select pg_terminate_backend(pid) as ended from (
           select pid from pg_stat_activity where usename = 'bursar_server' order by random() limit $1) as chosen`,
        [howMany],
      )
      return ended.filter(({ ended: was }) => was).length
    },
    async crash() {
      const pid = Number(readFileSync(join(embedded.cluster, 'postmaster.pid'), 'utf8').split('\n')[0])
      process.kill(pid, 'SIGKILL')
      await sleep(300)
      await ask('select 1')
    },
    stop: () => embedded.stop(),
  }
}

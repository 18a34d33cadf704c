/**
 * A real PostgreSQL of the run's own, and what can be done to it.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { useEmbedded } from '../src/db/cluster/embedded.ts'
import { newClient } from '../src/db/db.ts'
import { migrate } from '../src/db/schema/migrate.ts'
import { type Disk, mountDisk } from './disk.ts'

export type Database = {
  /** As the role that serves. */
  url: string
  /** As the role that owns the tables. */
  ownerUrl: string
  /** Null where nothing can be mounted. */
  disk: Disk | null
  /** Asks as a superuser, past every process of ours, until it is answered. */
  ask<Row>(text: string, params?: unknown[]): Promise<Row[]>
  /** Ends backends of ours. @returns how many */
  terminate(howMany: number): Promise<number>
  /**
   * Has backends of ours stand still for a while, as where a disk does not answer. @returns how
   * many
   */
  freeze(howMany: number, ms: number): Promise<number>
  /**
   * Takes the connections that PostgreSQL has left, so that it turns others away for a while.
   * @returns how many
   */
  crowd(ms: number): Promise<number>
  /** Has every commit wait a tenth of a second for its disk, for so long. */
  slow(ms: number): Promise<void>
  /**
   * Locks rows that most writes need, so that who waits for them has every connection of its
   * process.
   */
  hold(ms: number): Promise<void>
  /**
   * Kills a backend of ours in whatever it does: PostgreSQL ends all others, and recovers. @returns
   * how many
   */
  kill(): Promise<number>
  /**
   * Kills the postmaster with no chance to write anything down, and waits until PostgreSQL has
   * recovered.
   */
  crash(): Promise<void>
  stop(): Promise<void>
}

const mostConnections = 120

/**
 * What was committed outlives any kill; only a machine that loses power would lose what its disk
 * was not waited for.
 */
const settings = {
  full_page_writes: 'off',
  scram_iterations: '1',
  max_wal_size: '256MB',
  max_connections: String(mostConnections),
}

/** @throws {Error} where it cannot be started; then nothing is left mounted */
export async function startDatabase(dir: string): Promise<Database> {
  const disk = mountDisk(dir)
  try {
    return await start(dir, disk)
  } catch (error) {
    disk?.unmount()
    throw error
  }
}

async function start(dir: string, disk: Disk | null): Promise<Database> {
  // In memory it costs nothing to wait for the disk, and only who waits can be made to wait longer.
  const fsync = disk === null ? 'off' : 'on'
  const embedded = await useEmbedded({ dir, settings: { ...settings, fsync } }, 'serve')
  await migrate(embedded.ownerUrl, 'bursar_server').catch(async (error) => {
    await embedded.stop()
    throw error
  })
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
  const backends = (howMany: number): Promise<{ pid: number }[]> =>
    ask(
      "select pid from pg_stat_activity where usename = 'bursar_server' order by random() limit $1",
      [howMany],
    )
  /** @returns those that were still there */
  const signal = (chosen: { pid: number }[], name: NodeJS.Signals): number[] =>
    chosen.flatMap(({ pid }) => {
      try {
        process.kill(pid, name)
        return [pid]
      } catch {
        return []
      }
    })
  return {
    url: embedded.url,
    ownerUrl: embedded.ownerUrl,
    disk,
    ask,
    async terminate(howMany) {
      const ended = await ask<{ ended: boolean }>(
        `select pg_terminate_backend(pid) as ended from (
           select pid from pg_stat_activity where usename = 'bursar_server' order by random() limit $1) as chosen`,
        [howMany],
      )
      return ended.filter(({ ended: was }) => was).length
    },
    async freeze(howMany, ms) {
      const chosen = await backends(howMany)
      const stopped = signal(chosen, 'SIGSTOP').length
      await sleep(ms)
      signal(chosen, 'SIGCONT')
      return stopped
    },
    async crowd(ms) {
      const clients: ReturnType<typeof newClient>[] = []
      try {
        for (let n = 0; n < mostConnections; n++) {
          const client = newClient(embedded.url)
          client.on('error', () => {})
          await client.connect()
          clients.push(client)
        }
      } catch {
        // There are no more.
      }
      await sleep(ms)
      await Promise.all(clients.map((client) => client.end().catch(() => {})))
      return clients.length
    },
    async slow(ms) {
      const set = async (delay: string): Promise<void> => {
        await ask(`alter system ${delay}`)
        await ask('select pg_reload_conf()')
      }
      await set('set commit_siblings = 0')
      await set('set commit_delay = 100000')
      await sleep(ms)
      await set('reset commit_delay')
    },
    async hold(ms) {
      const client = newClient(superuser)
      client.on('error', () => {})
      try {
        await client.connect()
        await client.query('begin')
        await client.query(
          "select id from ledger_accounts where purpose = 'wallet_available' order by id for update",
        )
        await sleep(ms)
        await client.query('rollback')
      } catch {
        // It is killed just now.
      } finally {
        await client.end().catch(() => {})
      }
    },
    kill: async () => signal(await backends(1), 'SIGKILL').length,
    async crash() {
      const pid = Number(
        readFileSync(join(embedded.cluster, 'postmaster.pid'), 'utf8').split('\n')[0],
      )
      process.kill(pid, 'SIGKILL')
      await sleep(300)
      await ask('select 1')
    },
    stop: () => embedded.stop().finally(() => disk?.unmount()),
  }
}

/** The database session by which a process shows which worker pools it has alive. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from '../../core/app.ts'
import { newClient } from '../../db/db.ts'

/** Distinguishes the advisory locks of live workers from all others. */
export const aliveLockClass = 0x62757273

export type Session = {
  /** The ids of jobs that this process's pools have fetched: running or queued for a worker. */
  jobs: Set<string>
  /** The pools of this process. */
  pools(): string[]
  /**
   * Resolves once other processes can see that the pool is alive, or after logging that they cannot
   * yet.
   */
  announce(pool: string): Promise<void>
  forget(pool: string): void
  has(pool: string): boolean
  stands(): boolean
  end(): Promise<void>
}

const reconnectMs = 500

/**
 * A session whose advisory locks show which pools of this process are alive. They end with the
 * process; if only the session is lost, it is opened again.
 */
export async function holdSession(app: App, url: string): Promise<Session> {
  const pools = new Set<string>()
  /** The locks of this session: a lock taken twice would have to be released twice. */
  let locked = new Set<string>()
  let client = newClient(url)
  let stands = false
  let ended = false
  let before: Promise<unknown> = Promise.resolve()
  // Groups start and stop concurrently, and a connection runs one statement at a time.
  const ask = (what: 'lock' | 'unlock', pool: string): Promise<unknown> => {
    const text = `select pg_advisory_${what}($1, hashtext($2))`
    before = before
      .catch(() => {})
      .then(async () => {
        const own = locked
        if (own.has(pool) === (what === 'lock')) return
        await client.query(text, [aliveLockClass, pool])
        if (what === 'lock') own.add(pool)
        else own.delete(pool)
      })
    return before
  }
  const lock = (pool: string): Promise<unknown> => ask('lock', pool)
  const open = async (): Promise<void> => {
    client = newClient(url)
    locked = new Set()
    client.on('error', (error) =>
      app.log.error({ err: error }, 'the workers lost their database session'),
    )
    client.on('end', () => {
      stands = false
      if (!ended) void reopen()
    })
    await client.connect()
    for (const pool of pools) await lock(pool)
    stands = true
  }
  let reopening = false
  const reopen = async (): Promise<void> => {
    // A failed attempt ends its own client, and must not start a second loop.
    if (reopening) return
    reopening = true
    while (!ended && !stands) {
      await sleep(reconnectMs)
      if (!ended) await open().catch(() => client.end().catch(() => {}))
    }
    reopening = false
  }
  await open()
  return {
    jobs: new Set(),
    pools: () => [...pools],
    async announce(pool) {
      pools.add(pool)
      try {
        await lock(pool)
      } catch (error) {
        app.log.error({ err: error }, 'a pool could not announce that it is alive')
      }
    },
    forget(pool) {
      pools.delete(pool)
      ask('unlock', pool).catch(() => {})
    },
    has: (pool) => pools.has(pool),
    stands: () => stands,
    async end() {
      ended = true
      await client.end().catch(() => {})
    },
  }
}

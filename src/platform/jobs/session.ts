/**
 * The session by which a process says which pools of workers it has alive.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from '../../core/app.ts'
import { newClient } from '../../db/db.ts'

/** Keeps the advisory locks of living workers apart from any others. */
export const aliveLockClass = 0x62757273

export type Session = {
  /**
   * The ids of jobs that the pools of this process have taken: what they run, and what waits for
   * one of their workers.
   */
  jobs: Set<string>
  /** The pools of this process. */
  pools(): string[]
  /**
   * Resolves once others can see that the pool is alive, or once it is logged that they cannot yet.
   */
  announce(pool: string): Promise<void>
  forget(pool: string): void
  has(pool: string): boolean
  stands(): boolean
  end(): Promise<void>
}

const reconnectMs = 500

/**
 * A session whose advisory locks say which pools of this process are alive. They end with the
 * process, however it ends; where only the session is lost, it is opened again.
 */
export async function holdSession(app: App, url: string): Promise<Session> {
  const pools = new Set<string>()
  /** What this session has locked: a lock that is taken twice would have to be given back twice. */
  let locked = new Set<string>()
  let client = newClient(url)
  let stands = false
  let ended = false
  let before: Promise<unknown> = Promise.resolve()
  // Groups start and end at once, and a connection takes one statement at a time.
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
    // A try that fails ends its own client, and must not start a second loop.
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

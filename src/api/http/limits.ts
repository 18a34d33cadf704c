/**
 * The rate limit's counts, one for all processes, in the database. Requests that come while a
 * statement is under way are counted together by the next one, and busy keys lease tokens ahead: a
 * busy address costs a few statements a second, not one a request.
 */
import type { App } from '../../core/app.ts'
import { isLost, sqlOfAll } from '../../db/db.ts'
import { later } from '../../lib/clock.ts'

/**
 * What the plugin gets for a request: how many there were, this one included, and when counting
 * starts anew.
 */
export type Counted = { current: number; ttl: number }
type Callback = (error: Error | null, counted?: Counted) => void

/**
 * What this process knows of a key. `used` was leased by all processes; `left` of it is still this
 * one's to use.
 */
type Known = { used: number; left: number; resetsAt: number; leasedAt: number; ahead: number }

/** A key that needs more than one lease in this time is busy. */
const busyMs = 250
/**
 * How long another cell's database may take to count, and how long it is not asked after it did
 * not.
 */
const aloneAfterMs = 300
const aloneMs = 2_000
const late = new Error('the count came too late')
const mostAhead = 10_000
const mostKnown = 50_000

/**
 * What is leased ahead is at most this part of what is left, so that a limit below it is exact:
 * nothing lies unused with one process while another refuses.
 */
const aheadPart = 128

const lease = sqlOfAll<{ key: string; used: bigint; granted: number; resets_at: Date }>(
  'limits.lease',
  `insert into rate_limits as known (key, used, granted, resets_at)
   select key, least(wanted, $3::int), least(wanted, $3::int), $5
     from unnest($1::text[], $2::int[]) as input (key, wanted)
    order by key
   on conflict (key) do update set
     used = case when known.resets_at <= $4 then excluded.granted
                 else greatest(known.used, least(known.used + excluded.granted, $3::int)) end,
     granted = case when known.resets_at <= $4 then excluded.granted
                    else greatest(0, least(excluded.granted, $3::int - known.used)) end,
     resets_at = case when known.resets_at <= $4 then excluded.resets_at else known.resets_at end
   returning key, used, granted, resets_at`,
)
/** Waits for no row, so it cannot deadlock with a lease that holds one and wants another. */
const deleteOld = sqlOfAll(
  'limits.delete_old',
  `delete from rate_limits
    where key in (select key from rate_limits where resets_at < $1 for update skip locked)`,
)

/** Forgets the counts of windows that are over. */
export async function forgetOldLimits(app: App): Promise<void> {
  await app.db.rows(deleteOld, [app.clock.now()])
}

/** The plugin's store over the counts. A route with settings of its own is counted by itself. */
export function limitStore(app: App) {
  const count = makeCounter(app)
  return class Store {
    readonly name: string
    constructor(_options: object, name = '') {
      this.name = name
    }
    incr(key: string, callback: Callback): void {
      count(this.name + key, callback)
    }
    child(options: object): Store {
      const { method, url } = (options as { routeInfo: { method: string | string[]; url: string } })
        .routeInfo
      return new Store({}, `${method} ${url} `)
    }
  }
}

/** @throws {Error} `late`; what comes then changes nothing */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late), ms)
  })
  work.catch(() => {})
  return Promise.race([work, over]).finally(() => clearTimeout(timer))
}

/**
 * Counts requests by key, across processes: never more than `RATE_LIMIT_MAX` of a key pass in a
 * window.
 */
function makeCounter(app: App) {
  const { RATE_LIMIT_MAX: max, RATE_LIMIT_WINDOW: windowMs } = app.config
  const known = new Map<string, Known>()
  let waiting = new Map<string, Callback[]>()
  let leasing = false
  const alone = new Map<string, { used: number; resetsAt: number }>()
  let aloneUntil = 0

  async function leaseWaiting(): Promise<void> {
    leasing = true
    while (waiting.size > 0) {
      const batch = waiting
      waiting = new Map()
      await leaseEach(batch)
    }
    leasing = false
  }

  /** What cannot be counted fails alone; a database that is lost fails all. */
  async function leaseEach(batch: Map<string, Callback[]>): Promise<void> {
    const foreign = app.limits !== app.db
    if (foreign && performance.now() < aloneUntil) return countAlone(batch)
    try {
      await (foreign ? within(aloneAfterMs, leaseFor(batch)) : leaseFor(batch))
    } catch (error) {
      if (foreign && (error === late || isLost(error))) {
        aloneUntil = performance.now() + aloneMs
        countAlone(batch)
        // What is answered yet finds nobody who waits.
        return batch.clear()
      }
      if (batch.size > 1 && !isLost(error)) for (const one of batch) await leaseEach(new Map([one]))
      else for (const callback of [...batch.values()].flat()) callback(error as Error)
    }
  }

  /**
   * While the cell that counts for all is down, this process counts for itself: the limit is its
   * own then.
   */
  function countAlone(batch: Map<string, Callback[]>): void {
    const at = app.clock.now().getTime()
    if (alone.size > mostKnown) alone.clear()
    for (const [key, callbacks] of batch)
      for (const callback of callbacks) {
        const own = alone.get(key)
        const mine = own && own.resetsAt > at ? own : { used: 0, resetsAt: at + windowMs }
        alone.set(key, mine)
        callback(null, { current: ++mine.used, ttl: mine.resetsAt - at })
      }
  }

  async function leaseFor(batch: Map<string, Callback[]>): Promise<void> {
    const now = app.clock.now()
    const at = now.getTime()
    const ahead = new Map(
      [...batch].map(([key, callbacks]) => [key, aheadOf(key, callbacks.length, at)]),
    )
    const wanted = [...batch].map(([key, callbacks]) => callbacks.length + (ahead.get(key) ?? 0))
    const rows = await app.limits.rows(lease, [
      [...batch.keys()],
      wanted,
      max,
      now,
      later(now, windowMs),
    ])
    if (known.size + rows.length > mostKnown) known.clear()
    for (const row of rows) {
      const callbacks = batch.get(row.key) ?? []
      batch.delete(row.key)
      const resetsAt = row.resets_at.getTime()
      const used = Number(row.used)
      const before = used - row.granted
      callbacks.forEach((callback, number) => {
        callback(null, {
          current: number < row.granted ? before + number + 1 : max + 1,
          ttl: resetsAt - at,
        })
      })
      const mine = known.get(row.key)
      const left =
        Math.max(0, row.granted - callbacks.length) + (mine?.resetsAt === resetsAt ? mine.left : 0)
      known.set(row.key, { used, left, resetsAt, leasedAt: at, ahead: ahead.get(row.key) ?? 0 })
    }
    // What PostgreSQL stores as another text would wait for ever.
    if (batch.size > 0) throw new Error('a key of the rate limit was not counted')
  }

  function aheadOf(key: string, needed: number, at: number): number {
    const mine = known.get(key)
    if (!mine || mine.resetsAt <= at || at - mine.leasedAt > busyMs) return 0
    return Math.min(mine.ahead * 2 + needed, Math.floor((max - mine.used) / aheadPart), mostAhead)
  }

  return (key: string, callback: Callback): void => {
    const at = app.clock.now().getTime()
    const mine = known.get(key)
    if (mine && mine.resetsAt > at && (mine.left > 0 || mine.used >= max)) {
      const current = mine.left > 0 ? mine.used - --mine.left : max + 1
      callback(null, { current, ttl: mine.resetsAt - at })
      return
    }
    const queue = waiting.get(key)
    if (queue) queue.push(callback)
    else waiting.set(key, [callback])
    if (!leasing) void leaseWaiting()
  }
}

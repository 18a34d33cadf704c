/**
 * The rate limit's counts, one for all processes, in the database. One statement counts all requests
 * that arrive while the previous statement runs, and processes lease tokens of busy keys ahead: a
 * busy address costs a few statements a second, not one a request.
 */
import type { App } from '../../core/app.ts'
import { isLost, sqlOfAll } from '../../db/db.ts'
import { later } from '../../lib/clock.ts'
import type { Config } from '../../lib/config.ts'

/** The most requests of an address in a window: that of the contract, where none is set. */
export const rateLimitMax = ({ RATE_LIMIT_MAX }: Config): number => RATE_LIMIT_MAX ?? 100

/** The count of a request's key, with this request, and the milliseconds until it is reset. */
export type Counted = { current: number; ttl: number }
type Callback = (error: Error | null, counted?: Counted) => void

/** Callbacks of requests that wait for their count, by key. */
type Batch = Map<string, Callback[]>

/**
 * The latest lease of a key: all processes have leased `used`, and this process can still use
 * `left`.
 */
type Lease = { used: number; left: number; resetsAt: number; leasedAt: number; ahead: number }

/** A key that needs more than one lease in this time is busy. */
const busyMs = 250
/** How long another cell's database may take to count. */
const foreignWithinMs = 300
/** How long this process counts alone after another cell's database did not count. */
const aloneMs = 2_000
const late = new Error('the count came too late')
const mostAhead = 10_000
const mostLeases = 50_000

/**
 * A lease ahead is at most this part of the rest, so that a limit below it is exact: no tokens stay
 * unused with one process while another refuses.
 */
const aheadPart = 128

type LeaseRow = { key: string; used: bigint; granted: number; resets_at: Date }

const lease = sqlOfAll<LeaseRow>(
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
/** Skips locked rows, so that it cannot deadlock with a lease. */
const deleteOld = sqlOfAll(
  'limits.delete_old',
  `delete from rate_limits
    where key in (select key from rate_limits where resets_at < $1 for update skip locked)`,
)

/** Deletes the counts of windows that are over. */
export async function forgetOldLimits(app: App): Promise<void> {
  await app.db.rows(deleteOld, [app.clock.now()])
}

/** Returns the plugin's store over the counts. Routes with their own settings have own counts. */
export function limitStore(app: App) {
  const counter = new SharedCounter(app)
  return class Store {
    readonly name: string
    constructor(_options: object, name = '') {
      this.name = name
    }
    incr(key: string, callback: Callback): void {
      counter.count(this.name + key, callback)
    }
    child(options: object): Store {
      const { method, url } = (options as { routeInfo: { method: string | string[]; url: string } })
        .routeInfo
      return new Store({}, `${method} ${url} `)
    }
  }
}

/** @throws {Error} `late`; a later result changes nothing */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late), ms)
  })
  work.catch(() => {})
  return Promise.race([work, over]).finally(() => clearTimeout(timer))
}

/**
 * Counts requests by key, across processes: at most `RATE_LIMIT_MAX` requests of a key pass in a
 * window.
 */
class SharedCounter {
  readonly #app: App
  readonly #max: number
  readonly #alone: LocalCounter
  readonly #leases = new Map<string, Lease>()
  #waiting: Batch = new Map()
  #isLeasing = false
  #aloneUntil = 0

  constructor(app: App) {
    this.#app = app
    this.#max = rateLimitMax(app.config)
    this.#alone = new LocalCounter(app.config.RATE_LIMIT_WINDOW)
  }

  /** Counts a request by the process's lease, or with the next statement. */
  count(key: string, callback: Callback): void {
    const at = this.#timeMs()
    const lease = this.#leases.get(key)
    if (lease && lease.resetsAt > at && (lease.left > 0 || lease.used >= this.#max)) {
      const current = lease.left > 0 ? lease.used - --lease.left : this.#max + 1
      callback(null, { current, ttl: lease.resetsAt - at })
      return
    }
    const queue = this.#waiting.get(key)
    if (queue) queue.push(callback)
    else this.#waiting.set(key, [callback])
    if (!this.#isLeasing) void this.#leaseWaiting()
  }

  #timeMs(): number {
    return this.#app.clock.now().getTime()
  }

  async #leaseWaiting(): Promise<void> {
    this.#isLeasing = true
    while (this.#waiting.size > 0) {
      const batch = this.#waiting
      this.#waiting = new Map()
      await this.#leaseBatch(batch)
    }
    this.#isLeasing = false
  }

  /** Leases for a batch. An error fails one key alone; a lost database fails all. */
  async #leaseBatch(batch: Batch): Promise<void> {
    const isForeign = this.#app.limits !== this.#app.db
    if (isForeign && performance.now() < this.#aloneUntil)
      return this.#alone.count(batch, this.#timeMs())
    try {
      await (isForeign ? within(foreignWithinMs, this.#lease(batch)) : this.#lease(batch))
    } catch (error) {
      if (isForeign && (error === late || isLost(error))) {
        this.#aloneUntil = performance.now() + aloneMs
        this.#alone.count(batch, this.#timeMs())
        // A late answer finds no callback.
        batch.clear()
      } else if (batch.size > 1 && !isLost(error))
        for (const one of batch) await this.#leaseBatch(new Map([one]))
      else for (const callback of [...batch.values()].flat()) callback(error as Error)
    }
  }

  /** Leases for a batch in one statement, and answers the keys that it counted. */
  async #lease(batch: Batch): Promise<void> {
    const now = this.#app.clock.now()
    const at = now.getTime()
    const ahead = new Map(
      [...batch].map(([key, callbacks]) => [key, this.#aheadOf(key, callbacks.length, at)]),
    )
    const wanted = [...batch].map(([key, callbacks]) => callbacks.length + (ahead.get(key) ?? 0))
    const resetsAt = later(now, this.#app.config.RATE_LIMIT_WINDOW)
    const rows = await this.#app.limits.rows(lease, [
      [...batch.keys()],
      wanted,
      this.#max,
      now,
      resetsAt,
    ])
    if (this.#leases.size + rows.length > mostLeases) this.#leases.clear()
    for (const row of rows) {
      const callbacks = batch.get(row.key) ?? []
      batch.delete(row.key)
      this.#answer(row, callbacks, at)
      this.#keep(row, { needed: callbacks.length, ahead: ahead.get(row.key) ?? 0, at })
    }
    // A key that PostgreSQL stores as another text would wait for ever.
    if (batch.size > 0) throw new Error('a key of the rate limit was not counted')
  }

  #answer({ used, granted, resets_at }: LeaseRow, callbacks: Callback[], at: number): void {
    const before = Number(used) - granted
    callbacks.forEach((callback, number) => {
      callback(null, {
        current: number < granted ? before + number + 1 : this.#max + 1,
        ttl: resets_at.getTime() - at,
      })
    })
  }

  #keep(
    { key, used, granted, resets_at }: LeaseRow,
    { needed, ahead, at }: { needed: number; ahead: number; at: number },
  ): void {
    const resetsAt = resets_at.getTime()
    const previous = this.#leases.get(key)
    const rest = previous?.resetsAt === resetsAt ? previous.left : 0
    const left = Math.max(0, granted - needed) + rest
    this.#leases.set(key, { used: Number(used), left, resetsAt, leasedAt: at, ahead })
  }

  /** Returns how many tokens of a busy key to lease besides those that requests need now. */
  #aheadOf(key: string, needed: number, at: number): number {
    const latest = this.#leases.get(key)
    if (!latest || latest.resetsAt <= at || at - latest.leasedAt > busyMs) return 0
    return Math.min(
      latest.ahead * 2 + needed,
      Math.floor((this.#max - latest.used) / aheadPart),
      mostAhead,
    )
  }
}

/**
 * Counts for this process only, while the cell that counts for all cells is down. The limit is then
 * one of each process.
 */
class LocalCounter {
  readonly #windowMs: number
  readonly #counts = new Map<string, { used: number; resetsAt: number }>()

  constructor(windowMs: number) {
    this.#windowMs = windowMs
  }

  count(batch: Batch, at: number): void {
    if (this.#counts.size > mostLeases) this.#counts.clear()
    for (const [key, callbacks] of batch)
      for (const callback of callbacks) {
        const latest = this.#counts.get(key)
        const isOpen = latest !== undefined && latest.resetsAt > at
        const count = isOpen ? latest : { used: 0, resetsAt: at + this.#windowMs }
        this.#counts.set(key, count)
        callback(null, { current: ++count.used, ttl: count.resetsAt - at })
      }
  }
}

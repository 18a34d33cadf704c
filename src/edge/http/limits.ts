/**
 * The rate limit's counts, one for all processes, in the database. Requests that come while a statement is under way are
 * counted together by the next one, and who asks often is given some in advance: a busy address costs a few statements a
 * second, not one a request.
 */
import type { App } from '../../core/context.ts'
import { sql } from '../../db/db.ts'
import { later } from '../../lib/clock.ts'

/** What the plugin is told of a request: how many there were, this one included, and when counting starts anew. */
export type Counted = { current: number; ttl: number }
type Tell = (error: Error | null, counted?: Counted) => void

/** What this process knows of a key. `used` was given out to all processes; `left` of it is still this one's to use. */
type Known = { used: number; left: number; resetsAt: number; askedAt: number; advance: number }

/** Whoever is faster than one lease in this time is given more in advance. */
const busyMs = 250
const mostAdvance = 10_000
const mostKnown = 50_000

/**
 * An advance is at most this part of what is left, so that a limit below it is exact: nothing lies unused with one
 * process while another refuses.
 */
const advancePart = 128

const lease = sql<{ key: string; used: bigint; granted: number; resets_at: Date }>(
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
/** Waits for no row, so it cannot come to stand against a lease that holds one and wants another. */
const deleteOld = sql(
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
    incr(key: string, tell: Tell): void {
      count(this.name + key, tell)
    }
    child(options: object): Store {
      const { method, url } = (options as { routeInfo: { method: string | string[]; url: string } }).routeInfo
      return new Store({}, `${method} ${url} `)
    }
  }
}

/** Counts requests by key, across processes: never more than `RATE_LIMIT_MAX` of a key pass in a window. */
function makeCounter(app: App) {
  const { RATE_LIMIT_MAX: max, RATE_LIMIT_WINDOW: windowMs } = app.config
  const known = new Map<string, Known>()
  let waiting = new Map<string, Tell[]>()
  let asking = false

  async function ask(): Promise<void> {
    asking = true
    while (waiting.size > 0) {
      const asked = waiting
      waiting = new Map()
      try {
        await leaseFor(asked)
      } catch (error) {
        for (const tell of [...asked.values()].flat()) tell(error as Error)
      }
    }
    asking = false
  }

  async function leaseFor(asked: Map<string, Tell[]>): Promise<void> {
    const now = app.clock.now()
    const at = now.getTime()
    const advances = new Map([...asked].map(([key, tells]) => [key, advanceOf(key, tells.length, at)]))
    const wanted = [...asked].map(([key, tells]) => tells.length + (advances.get(key) ?? 0))
    const rows = await app.db.rows(lease, [[...asked.keys()], wanted, max, now, later(now, windowMs)])
    if (known.size + rows.length > mostKnown) known.clear()
    for (const row of rows) {
      const tells = asked.get(row.key) ?? []
      const resetsAt = row.resets_at.getTime()
      const used = Number(row.used)
      const before = used - row.granted
      tells.forEach((tell, number) => {
        tell(null, { current: number < row.granted ? before + number + 1 : max + 1, ttl: resetsAt - at })
      })
      const mine = known.get(row.key)
      const left = Math.max(0, row.granted - tells.length) + (mine?.resetsAt === resetsAt ? mine.left : 0)
      known.set(row.key, { used, left, resetsAt, askedAt: at, advance: advances.get(row.key) ?? 0 })
    }
  }

  function advanceOf(key: string, asking: number, at: number): number {
    const mine = known.get(key)
    if (!mine || mine.resetsAt <= at || at - mine.askedAt > busyMs) return 0
    return Math.min(mine.advance * 2 + asking, Math.floor((max - mine.used) / advancePart), mostAdvance)
  }

  return (key: string, tell: Tell): void => {
    const at = app.clock.now().getTime()
    const mine = known.get(key)
    if (mine && mine.resetsAt > at && (mine.left > 0 || mine.used >= max)) {
      const current = mine.left > 0 ? mine.used - --mine.left : max + 1
      tell(null, { current, ttl: mine.resetsAt - at })
      return
    }
    const queue = waiting.get(key)
    if (queue) queue.push(tell)
    else waiting.set(key, [tell])
    if (!asking) void ask()
  }
}

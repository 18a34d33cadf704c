/**
 * Caches all prices in the process, so that pricing needs no query. Invariant: no process uses
 * replaced prices, because new ones take effect at least a minute later and caches are younger than
 * that.
 */
import type { Prices, Pricing, PricingTable } from '../../core/pricing.ts'
import { type Database, transaction } from '../../db/db.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Id } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import { type OfficialPair, type OfficialRow, officialPairs, rateAt } from './official.ts'
import { mostAgeMs } from './plans.ts'
import * as statements from './sql.ts'
import { makePricing } from './table.ts'

/** An older cache is reloaded in the background. */
const refreshMs = 5_000

/** A value that holds from a time on. Latest first; for equal times, the higher number wins. */
type Dated<T> = { from: number; number: bigint; what: T }

function add<T>(to: Map<Id, Dated<T>[]>, id: Id, one: Dated<T>): void {
  const all = to.get(id) ?? []
  const place = all.findIndex(({ from }) => from <= one.from)
  all.splice(place < 0 ? all.length : place, 0, one)
  to.set(id, all)
}

const at = <T>(all: Dated<T>[] | undefined, time: number): T | undefined =>
  all?.find(({ from }) => from <= time)?.what

/**
 * Loads all prices and keeps them up to date.
 * @param table the installation's table, for businesses without a plan
 * @throws {ConfigError} if it is malformed
 */
export async function holdPrices(
  { db, clock, log }: { db: Database; clock: Clock; log: Log },
  table: PricingTable,
  officialAgeMs: number,
): Promise<Prices> {
  const officials = new Map<OfficialPair, OfficialRow>()
  const official = (pair: OfficialPair) => rateAt(officials.get(pair), officialAgeMs, clock.now())
  const pricingOf = (prices: PricingTable): Pricing => makePricing(prices, undefined, official)
  const standard = pricingOf(table)
  const versions = new Map<Id, Dated<Pricing>[]>()
  const assignments = new Map<Id, Dated<Id | null>[]>()
  let [lastVersion, lastAssignment] = [0n, 0n]
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | null = null

  /** Reads new rows. Writers of prices are serialised, so numbers follow the order of commits. */
  const read = async (): Promise<void> => {
    const startedAt = clock.now().getTime()
    await transaction(db, async (tx) => {
      await tx.rows(statements.awaitWriters)
      const [newVersions, newAssignments] = await Promise.all([
        tx.rows(statements.versionsAfter, [lastVersion]),
        tx.rows(statements.assignmentsAfter, [lastAssignment]),
      ])
      for (const { plan_id, holds_from, number, prices } of newVersions)
        add(versions, plan_id, { from: holds_from.getTime(), number, what: pricingOf(prices) })
      for (const { business_id, holds_from, number, plan_id } of newAssignments)
        add(assignments, business_id, { from: holds_from.getTime(), number, what: plan_id })
      lastVersion = newVersions.at(-1)?.number ?? lastVersion
      lastAssignment = newAssignments.at(-1)?.number ?? lastAssignment
      for (const pair of officialPairs) {
        const row = await tx.row(statements.selectGood, [pair])
        if (row !== null) officials.set(pair, row)
        else officials.delete(pair)
      }
    })
    readAt = startedAt
  }

  const readOnce = (): Promise<void> => {
    reading ??= read().finally(() => {
      reading = null
    })
    return reading
  }

  await readOnce()
  return {
    standard: table,
    of(businessId, time) {
      const plan = at(assignments.get(businessId), time.getTime())
      const own = plan ? at(versions.get(plan), time.getTime()) : undefined
      return own ?? standard
    },
    upTo(now) {
      const age = now.getTime() - readAt
      if (age >= mostAgeMs) return readOnce()
      if (age >= refreshMs && !reading)
        readOnce().catch((error) => log.warn({ err: error }, 'prices could not be read again'))
      return null
    },
    async refresh() {
      // The running read may have started before the change.
      await reading?.catch(() => {})
      await readOnce().catch(() => {
        readAt = Number.NEGATIVE_INFINITY
      })
    },
  }
}

/** Counts how often each limit rule fired. */
import type { Scope } from '../../core/app.ts'
import type { View } from '../../core/inside.ts'
import type { Queryable } from '../../db/db.ts'
import { later } from '../../lib/clock.ts'
import { dayOf } from '../../lib/days.ts'
import { Refusal } from '../../lib/errors.ts'
import type { Static } from '../../lib/schema.ts'
import { type LimitRule, limitRules, ruleMeanings } from './names.ts'
import type { LimitRulesRecord } from './schema.ts'
import type { Fired } from './sql.ts'
import * as statements from './sql.ts'

/** How long counts of fired rules are kept. */
const keptMs = 90 * 86_400_000
const dayMs = 86_400_000

const dayAt = (at: Date): string => dayOf(at, 'UTC')

/**
 * Counts fired rules in the caller's transaction, so a rollback uncounts them. One statement; none
 * for an empty list.
 * @param fired one entry per firing
 */
export async function recordFired(
  reader: Queryable,
  fired: { scope: Pick<Scope, 'businessId' | 'livemode' | 'now'>; rule: LimitRule }[],
): Promise<void> {
  const counted = new Map<string, Fired>()
  for (const { scope, rule } of fired) {
    const row = {
      business_id: scope.businessId,
      livemode: scope.livemode,
      rule,
      day: dayAt(scope.now),
    }
    const name = Object.values(row).join(' ')
    const known = counted.get(name)
    if (known) known.fired++
    else counted.set(name, { ...row, fired: 1n, at: scope.now })
  }
  if (counted.size > 0)
    await reader.rows(statements.countFired, statements.arraysOfFired([...counted.values()]))
}

/**
 * Counts the rule of a refusal whose own count was rolled back with a savepoint or transaction.
 * Ignores other errors.
 * @param reader the transaction around the savepoint, or the pool
 */
export async function recordRefusal(
  reader: Queryable,
  scope: Pick<Scope, 'businessId' | 'livemode' | 'now'>,
  error: unknown,
): Promise<void> {
  const rule =
    error instanceof Refusal ? limitRules.find((one) => one === error.details.rule) : undefined
  if (rule) await recordFired(reader, [{ scope, rule }])
}

export type FiredRules = Static<typeof LimitRulesRecord>

/** Returns how often each limit rule fired. Days are UTC. */
export async function getFired(view: View): Promise<FiredRules> {
  const { now } = view.scope
  const since = (days: number): string => dayAt(later(now, -(days - 1) * dayMs))
  const rows = await view.rows(statements.selectFired, [dayAt(now), since(7), since(30)])
  return {
    rules: limitRules.map((rule) => {
      const row = rows.find((one) => one.rule === rule)
      return {
        rule,
        meaning: ruleMeanings[rule],
        today: Number(row?.today ?? 0n),
        last_7_days: Number(row?.week ?? 0n),
        last_30_days: Number(row?.month ?? 0n),
        last_fired_at: row?.last_fired_at ?? null,
      }
    }),
  }
}

/** Returns how often rules fired today (UTC) in all businesses, without those that did not. */
export const firedOn = (db: Queryable, now: Date) => db.rows(statements.selectFiredOn, [dayAt(now)])

/** Deletes expired counts: of rules, and of destinations last paid days ago. */
export async function forgetOldDays(db: Queryable, now: Date): Promise<void> {
  await db.rows(statements.deleteOldFired, [dayAt(later(now, -keptMs))])
  await db.rows(statements.deleteOldDestinations, [later(now, -3 * dayMs)])
}

/**
 * Empties the test data of one business at the request of its owners and admins, or of the
 * operator; a task does it.
 */
import { recordChange } from '../../books/audit/audit.ts'
import type { App } from '../../core/app.ts'
import { inside, type View, type Work } from '../../core/inside.ts'
import { transaction } from '../../db/db.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { toJson } from '../../lib/json.ts'
import type { PeriodicTask } from '../../lib/periodic.ts'
import type { Removal } from './sql.ts'
import * as sql from './sql.ts'

export type { Removal } from './sql.ts'

/**
 * Requests emptying of all test data of the business. The caller has checked the actor's right.
 * @returns the open request, if there is one
 */
export async function askToEmpty(work: Work): Promise<Removal> {
  const { businessId, actor, now } = work.scope
  const at = actor?.at ?? now
  const by =
    actor?.type === 'person'
      ? { type: 'person', id: actor.id, address: actor.address }
      : { type: 'operator' }
  await work.tx.rows(sql.insertRemoval, [businessId, newId(at), toJson(by), at])
  return (await work.tx.row(sql.selectOpen, [businessId])) as Removal
}

/** Returns the last request, or null. */
export function latestRemoval({ reader, scope }: View): Promise<Removal | null> {
  return reader.row(sql.selectLatest, [scope.businessId])
}

/** Returns a request. */
export async function findRemoval(
  { db }: Pick<App, 'db'>,
  businessId: Id,
  id: Id,
): Promise<Removal> {
  return (await db.row(sql.selectRemoval, [businessId, id])) as Removal
}

/**
 * Empties the test data of the longest-waiting business, in one transaction.
 * @returns whether one was waiting
 */
export async function emptyNext(app: App): Promise<boolean> {
  await app.prices.upTo(app.clock.now())
  return transaction(app.db, async (tx) => {
    const emptied = (await tx.row(sql.emptyNext))?.emptied
    if (!emptied) return false
    const { business_id: businessId, id, by, rows } = emptied
    const now = app.clock.now()
    const records = Object.values(rows).reduce((sum, count) => sum + count, 0)
    const work = inside(app, tx, { businessId, livemode: false, now, actor: { ...by, at: now } })
    await recordChange(work, {
      action: 'business.test_data_emptied',
      subject: businessId,
      before: null,
      after: { records },
    })
    await tx.rows(sql.endRemoval, [businessId, id, toJson(rows), now])
    return true
  })
}

/** The periodic task that runs requested emptyings. */
export const emptyingTask = (app: App): PeriodicTask => ({
  name: 'empty test data',
  everyMs: 1_000,
  async run() {
    while ((await app.db.row(sql.selectWaiting))?.waits && (await emptyNext(app)));
  },
})

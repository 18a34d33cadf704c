/** Applies changes to payouts. Concurrent changes share a transaction, as creations do. */
import { inside, type Work } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import { holdTestData } from '../../core/test-data.ts'
import { byAsker, gathered } from '../../db/batch.ts'
import { type Database, type Tx, transaction } from '../../db/db.ts'
import { idArraysOf, lockedByIds, updateMany } from '../../db/table.ts'
import type { Outcome } from '../../lib/errors.ts'
import type { Id } from '../../lib/ids.ts'
import { addWaiting, type Timer } from '../../platform/jobs/timers.ts'
import { type PayoutRow, payouts } from './sql.ts'
import { type Change, transitionMany } from './transition.ts'

/** A change of a payout: a state change, or only new columns, and the timer of its next check. */
export type Decision = (
  | Omit<Change, 'work' | 'payout'>
  | { trigger: null; columns: Partial<PayoutRow> }
) & {
  timer?: Timer | null
}

/** Decides on the locked row. Null: no change. It may run again if the batch fails. */
export type Decide = (row: PayoutRow, work: Work) => Promise<Decision | null> | Decision | null

/** @property row after the change; null: not found @property decided whether anything changed */
export type Decided = { row: PayoutRow | null; decided: boolean }

/** A payout to change in an open transaction. */
type Due = { work: Work; id: Id; decide: Decide }

const lockByIds = lockedByIds(payouts)

/** Changes a payout in the caller's transaction. */
export async function change(work: Work, id: Id, decide: Decide): Promise<Decided> {
  const [changed] = await changeMany(work.tx, [{ work, id, decide }])
  return changed as Decided
}

/**
 * Changes a payout, batched with concurrent changes. Not for a change that may return money.
 * @throws {TestDataEmptied} and what `transitionMany` throws, for this payout alone
 */
export function changeTogether(ctx: Ctx, id: Id, decide: Decide): Promise<Decided> {
  return together(ctx.db, { ctx, id, decide })
}

/**
 * Changes a payout in a transaction of its own, because returning money locks accounts. Changes
 * that wait for the same wallet hold no connection.
 */
export function changeAlone(ctx: Ctx, id: Id, decide: Decide): Promise<Decided> {
  return alone(ctx.db, { ctx, id, decide })
}

type ChangeRequest = { ctx: Ctx; id: Id; decide: Decide }

// Payouts of one business contend for its wallets.
const groupOf = ({ ctx }: ChangeRequest): Id => ctx.scope.businessId
const together = gathered<ChangeRequest, Decided>(commit, { groupOf })
const alone = gathered<ChangeRequest, Decided>(commit, { groupOf, max: 1 })

async function commit(db: Database, requests: ChangeRequest[]): Promise<Outcome<Decided>[]> {
  const changed = await transaction(db, (tx) => {
    holdTestData(
      tx,
      requests.map(({ ctx }) => ctx.scope),
    )
    return changeMany(
      tx,
      requests.map(({ ctx, id, decide }) => ({ work: inside(ctx, tx, ctx.scope), id, decide })),
    )
  })
  return changed.map((answer) => ({ answer }))
}

/** @throws {Error} when a payout is listed twice; the batch then retries each alone */
async function changeMany(tx: Tx, due: Due[]): Promise<Decided[]> {
  if (new Set(due.map(({ id }) => id)).size < due.length)
    throw new Error('a payout is to change twice at once')
  const rows = byAsker(
    await tx.rows(lockByIds, idArraysOf(due.map(({ work: { scope }, id }) => ({ scope, id })))),
    due.length,
  ) as (PayoutRow | null)[]
  const changes: (Change & { place: number })[] = []
  const updates: { place: number; columns: Partial<PayoutRow> }[] = []
  const timers: (Timer & Pick<Work, 'scope'>)[] = []
  const decided = new Set<number>()
  for (const [place, { work, decide }] of due.entries()) {
    const payout = rows[place]
    const decision = payout ? await decide(payout, work) : null
    if (!payout || decision === null) continue
    decided.add(place)
    const { timer, ...what } = decision
    if (timer) timers.push({ ...timer, scope: work.scope })
    if (what.trigger !== null) changes.push({ ...what, place, work, payout })
    else if (Object.keys(what.columns).length > 0) updates.push({ place, columns: what.columns })
  }
  await addWaiting(tx, timers)
  const updated = await updateMany(
    tx,
    payouts,
    updates.map(({ place, columns }) => {
      const { work, id } = due[place] as Due
      return { scope: work.scope, id, changes: columns }
    }),
  )
  for (const [i, { place }] of updates.entries()) rows[place] = updated[i] ?? null
  for (const [i, row] of (await transitionMany(tx, changes)).entries())
    rows[(changes[i] as { place: number }).place] = row
  return rows.map((row, place) => ({ row, decided: decided.has(place) }))
}

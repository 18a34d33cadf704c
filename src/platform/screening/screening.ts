/**
 * Sanctions screening by outside sources and the operator's own lists, and the reviews of held
 * payments.
 */
import { insert, type Work } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import type { ReviewReason } from '../../core/review.ts'
import { gatheredReads } from '../../db/batch.ts'
import { type Id, newId } from '../../lib/ids.ts'
import type { Mode } from '../../lib/mode.ts'
import { keysOf, type ScreenHit, type ScreenSubject } from '../../rails/ports/screen.ts'
import type { Decider } from './decider.ts'
import type { ReviewFrom } from './reviews.ts'
import type { ReviewKind, ReviewStatus } from './schema.ts'
import * as statements from './sql.ts'

export { auditedName, deciderOf } from './decider.ts'
export { addEntry, type Entry, listEntries, removeEntry } from './entries.ts'
export { refuse as refuseScreening, screeningRefusals } from './refusals.ts'
export {
  decide,
  getReview,
  listReviews,
  listWaiting,
  prepareReview,
  type Review,
  type Screened,
} from './reviews.ts'
export { heldWaitsForPerson } from './verify.ts'

/** The name of the operator's own list in hits. */
export const blockList = 'block list'

/** Why a payment is held. */
export type Held = { reason: ReviewReason; hits: ScreenHit[] }

type Match = typeof statements.selectMatching.row & {}

/** Returns the entries of the operator's lists for keys, batched with concurrent reads. */
const matchesOf = gatheredReads(async (db, asked: string[][]): Promise<Match[][]> => {
  const rows = await db.rows(statements.selectMatching, [[...new Set(asked.flat())]])
  return asked.map((keys) => rows.filter(({ key }) => keys.includes(key)))
})

/**
 * Screens a payer or recipient against all sources and the operator's lists. Call it outside a
 * transaction, because a source may be a remote server.
 * @param subject the payment: hits that a person has released for it do not hold it again
 * @returns null: no review is needed
 * @throws {Error} when a source does not answer
 */
export async function screen(ctx: Ctx, subject: Id, who: ScreenSubject): Promise<Held | null> {
  const keys = keysOf(who)
  if (keys.size === 0) return null
  const own = await matchesOf(ctx.db, [...keys.keys()])
  const allowed = new Set(own.flatMap(({ kind, list }) => (kind === 'allow' ? [list] : [])))
  const blocked = own.flatMap(({ kind, key, note }): ScreenHit[] => {
    const of = keys.get(key)
    return kind === 'block' && of ? [{ ...of, list: blockList, reason: note }] : []
  })
  const asked = await Promise.all(
    ctx.screens[ctx.scope.livemode ? 'live' : 'test'].map((one) => one.ask(who)),
  )
  const hits = [...asked.flat().filter(({ list }) => !allowed.has(list)), ...blocked]
  if (hits.length === 0) return null
  const released = (await ctx.rows(statements.selectReleased, [subject])).flatMap((row) =>
    row.hits.map(nameOf),
  )
  if (hits.every((hit) => released.includes(nameOf(hit)))) return null
  return {
    reason: hits.every(({ list }) => list === blockList) ? 'block_list' : 'sanctions_list',
    hits,
  }
}

/**
 * Requires the newest version of every list, because a newer list that cannot be read may have the
 * person. The last good version is still searched.
 * @throws {Error} naming the list; the paying job is retried
 */
export function requireNewestLists({ screens, scope }: Ctx): void {
  for (const fault of faultsOf(screens[scope.livemode ? 'live' : 'test'])) throw new Error(fault)
}

/** Returns sentences for the operator about sanctions lists that cannot be read completely. */
export const faultsOf = (screens: Ctx['screens'][Mode]): string[] =>
  screens.flatMap(({ state }) => {
    const { source, fault } = state?.() ?? { source: '', fault: null }
    return fault === null
      ? []
      : [
          `The list of sanctions ${source} cannot be read completely (${fault}): payouts wait until it can`,
        ]
  })

const nameOf = ({ list, matched, value }: ScreenHit): string =>
  JSON.stringify([list, matched, value])

/** Opens a review of a held record, in the transaction that holds it. */
export async function openReview(
  work: Work,
  kind: ReviewKind,
  subject: Id,
  { reason, hits }: Held,
): Promise<void> {
  const { now } = work.scope
  await insert(work, statements.reviews, {
    id: newId(now),
    kind,
    subject,
    reason,
    hits,
    created_at: now,
  })
}

/** Ends the review of a record that is no longer held. @param decider null: no person decided */
export async function endReview(
  work: Work,
  subject: Id,
  status: Exclude<ReviewStatus, 'waiting'>,
  decider: Decider | null = null,
  from: ReviewFrom = 'waiting',
): Promise<void> {
  const { by = null, note = null } = decider ?? {}
  const ended = await work.row(statements.endReview, [
    subject,
    status,
    work.scope.now,
    by,
    note,
    from,
  ])
  if (ended === null) throw new Error(`no review of ${subject} is ${from}`)
}

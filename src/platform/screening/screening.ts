/**
 * Screening: whether somebody is on a list, by sources outside and by the operator's own lists; and
 * the reviews of what it holds.
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

/** The operator's own list, as hits name it. */
export const blockList = 'block list'

/** What holds somebody's money. */
export type Held = { reason: ReviewReason; hits: ScreenHit[] }

type Match = typeof statements.selectMatching.row & {}

/**
 * What the operator's lists have under each of some keys; read with what others ask for at the
 * time.
 */
const matchesOf = gatheredReads(async (db, asked: string[][]): Promise<Match[][]> => {
  const rows = await db.rows(statements.selectMatching, [[...new Set(asked.flat())]])
  return asked.map((keys) => rows.filter(({ key }) => keys.includes(key)))
})

/**
 * Asks all sources, and the operator's lists, about who is paid, or pays. Outside of any
 * transaction: a source may be somebody else's server.
 * @param subject what is paid: what a person has released of it holds it no more
 * @returns null: nobody has to look at it
 * @throws {Error} when a source cannot say
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
 * Requires that every list is the newest one: somebody may be on a newer list that cannot be read.
 * The last good one still finds whom it has.
 * @throws {Error} naming the list; a job that pays is tried again
 */
export function requireNewestLists({ screens, scope }: Ctx): void {
  for (const fault of faultsOf(screens[scope.livemode ? 'live' : 'test'])) throw new Error(fault)
}

/**
 * What is wrong with lists of sanctions that cannot be read completely, in sentences for the
 * operator.
 */
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

/** Has a person look at what its module holds, in the transaction that holds it. */
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

/** Ends the review of what is held no more. @param decider null: nobody decided */
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

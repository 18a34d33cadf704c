/**
 * What screening holds, for the operator's person who releases or refuses it. The module of what is
 * held says what that comes to.
 */
import { recordOperatorChange } from '../../books/audit/audit.ts'
import type { Scope } from '../../core/app.ts'
import { inside, type View, type Work } from '../../core/inside.ts'
import { type Ctx, outside, scopeOf } from '../../core/outside.ts'
import { holdTestData } from '../../core/test-data.ts'
import type { Queryable } from '../../db/db.ts'
import { type PageOf, type PageQuery, paginate } from '../../db/lists/list.ts'
import { refuse as refuseGenerally } from '../../lib/errors.ts'
import { type Id, isId } from '../../lib/ids.ts'
import type { Static } from '../../lib/schema.ts'
import { auditedName, type Decider, deciderOf } from './decider.ts'
import { refuse } from './refusals.ts'
import type { ReviewKind, ReviewRecord, ReviewStatus } from './schema.ts'
import * as statements from './sql.ts'

export type Review = Static<typeof ReviewRecord>
export type Decision = 'released' | 'refused'
export type ReviewFrom = 'waiting' | 'refused'

/** What a module does of its records that screening holds. */
export type Screened = {
  /** Each of some records in a few words, for who decides. */
  describe(view: View, subjects: Id[]): Promise<ReadonlyMap<Id, string>>
  /**
   * Locks the record and lets it go on, or ends it, with its review.
   * @param from `refused`: it was, is held all the same, and is released after all
   * @returns false when it is held no more, or is not as `from` says
   */
  decide(
    work: Work,
    subject: Id,
    decision: Decision,
    decider: Decider,
    from: ReviewFrom,
  ): Promise<boolean>
}

declare module '../../core/app.ts' {
  interface Strategies {
    screened: Readonly<Record<ReviewKind, Screened>>
  }
}

/** How many of those that wait, and of the others, are shown at most. */
const mostListed = 1_000n

type Row = typeof statements.selectReview.row & {}

async function toRecords(ctx: Ctx, rows: Row[]): Promise<Review[]> {
  const described = new Map<Id, string>()
  for (const owned of Map.groupBy(
    rows,
    ({ business_id, livemode, kind }) => `${business_id} ${livemode} ${kind}`,
  ).values()) {
    const [{ business_id: businessId, livemode, kind }] = owned as [Row]
    const view = outside(ctx, { businessId, livemode, now: ctx.scope.now })
    const subjects = owned.map(({ subject }) => subject)
    for (const [id, what] of await ctx.strategies.screened[kind].describe(view, subjects))
      described.set(id, what)
  }
  return rows.map(({ business_id: business, ...row }) => ({
    ...row,
    business,
    what: described.get(row.subject) ?? '',
  }))
}

/**
 * Those that wait, the one that waits longest first, however many of test mode wait; then those
 * that have ended, the newest first.
 */
export async function listReviews(
  ctx: Ctx,
  { status, ...query }: PageQuery & { status?: ReviewStatus },
): Promise<PageOf<Review>> {
  const waiting: Row[] = []
  const ended: Row[] = []
  if (status === undefined || status === 'waiting') {
    waiting.push(...(await listWaiting(ctx.reader)))
  }
  if (status !== 'waiting')
    ended.push(...(await ctx.reader.rows(statements.selectEnded, [mostListed, status ?? null])))
  const page = paginate([...waiting, ...ended], query as never)
  return { ...page, docs: await toRecords(ctx, page.docs) }
}

/**
 * What waits, the one that waits longest first. None of test mode takes the place of one in live
 * mode. @param test how many of test mode at most
 */
export async function listWaiting(
  reader: Queryable,
  most = mostListed,
  test = most,
): Promise<Row[]> {
  const live = await reader.rows(statements.selectWaiting, [most, true])
  const left = most - BigInt(live.length)
  const rest = await reader.rows(statements.selectWaiting, [test < left ? test : left, false])
  return [...live, ...rest].sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** @throws {Refusal} `not_found` */
export async function getReview(ctx: Ctx, id: string): Promise<Review> {
  return (await toRecords(ctx, [await find(ctx, id)]))[0] as Review
}

async function find({ reader }: Pick<View, 'reader'>, id: string): Promise<Row> {
  const found = isId(id) ? await reader.row(statements.selectReview, [id]) : null
  return found ?? refuseGenerally('not_found', `There is no review '${id}'.`)
}

/** What is to be decided, in the time of its business and mode. */
export type ReviewOrder = { review: Review; scope: Scope }

/** Outside, for what is done inside. @throws {Refusal} `not_found` */
export async function prepareReview(ctx: Ctx, id: string): Promise<ReviewOrder> {
  const review = await getReview(ctx, id)
  return { review, scope: await scopeOf(ctx, review.business, review.livemode) }
}

/** `after_refusal`: releases a deposit that was refused. */
type Decided = {
  note?: string | null | undefined
  after_refusal?: boolean | undefined
}

/**
 * Lets what is held go on, or ends it.
 * @throws {Refusal} `review_decided` (409) when it is held no more; what its module refuses with
 */
export async function decide(
  work: Work,
  { review, scope, note = null, after_refusal = false }: ReviewOrder & Decided,
  decision: Decision,
): Promise<Review> {
  holdTestData(work.tx, [scope])
  const { actor } = work.scope
  const own = inside(work, work.tx, { ...scope, ...(actor ? { actor } : {}) })
  const { id, kind, subject } = review
  const decider = { by: deciderOf(actor), note }
  const found = await own.reader.row(statements.selectReview, [id])
  // The record is locked by its module; another review of it may wait by then, which is not this
  // one.
  const from = after_refusal ? 'refused' : 'waiting'
  const done =
    found?.status === from &&
    (await own.strategies.screened[kind].decide(own, subject, decision, decider, from))
  const now = await own.reader.row(statements.selectReview, [id])
  if (!done || now?.status !== decision)
    return refuse('review_decided', 'Nothing waits any more: look at the list again.')
  // Without the note, which may name somebody: what is written down stays.
  await recordOperatorChange(own, {
    action: decision === 'released' ? 'review.released' : 'review.refused',
    subject: id,
    before: { status: from },
    after: { status: decision, kind, subject, ...auditedName(actor) },
  })
  const { business_id: _1, ...row } = now
  return { ...review, ...row }
}

/**
 * Reviews of held payments: a person of the operator's releases or refuses each, and the payment's
 * module applies the decision.
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

/** How a module handles its held records. */
export type Screened = {
  /** Describes records in a few words for the reviewer. */
  describe(view: View, subjects: Id[]): Promise<ReadonlyMap<Id, string>>
  /**
   * Locks the record and releases or ends it, with its review.
   * @param from `refused`: a refused record that is still held and is now released
   * @returns false when it is no longer held, or not in the state `from`
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

/** The most pending, and the most ended, reviews in the list. */
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
 * Returns pending reviews, the oldest first and live mode first; then ended ones, the newest first.
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
 * Returns pending reviews, the oldest first. Live mode comes first. @param test the most of test
 * mode
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

/** A review with the scope of its business and mode. */
export type ReviewOrder = { review: Review; scope: Scope }

/** Reads the review before the transaction. @throws {Refusal} `not_found` */
export async function prepareReview(ctx: Ctx, id: string): Promise<ReviewOrder> {
  const review = await getReview(ctx, id)
  return { review, scope: await scopeOf(ctx, review.business, review.livemode) }
}

/** `after_refusal`: releases a refused deposit. */
type DecisionInput = {
  note?: string | null | undefined
  after_refusal?: boolean | undefined
}

/**
 * Releases a held record, or ends it.
 * @throws {Refusal} `review_decided` (409) when it is no longer held; its module's refusals
 */
export async function decide(
  work: Work,
  { review, scope, note = null, after_refusal = false }: ReviewOrder & DecisionInput,
  decision: Decision,
): Promise<Review> {
  holdTestData(work.tx, [scope])
  const { actor } = work.scope
  const own = inside(work, work.tx, { ...scope, ...(actor ? { actor } : {}) })
  const { id, kind, subject } = review
  const decider = { by: deciderOf(actor), note }
  const found = await own.reader.row(statements.selectReview, [id])
  // The module locks the record; by then another review of it may be pending, which is not this
  // one.
  const from = after_refusal ? 'refused' : 'waiting'
  const done =
    found?.status === from &&
    (await own.strategies.screened[kind].decide(own, subject, decision, decider, from))
  const now = await own.reader.row(statements.selectReview, [id])
  if (!done || now?.status !== decision)
    return refuse('review_decided', 'The review is no longer pending: look at the list again.')
  // Without the note, which may name a person: the audit log is permanent.
  await recordOperatorChange(own, {
    action: decision === 'released' ? 'review.released' : 'review.refused',
    subject: id,
    before: { status: from },
    after: { status: decision, kind, subject, ...auditedName(actor) },
  })
  const { business_id: _1, ...row } = now
  return { ...review, ...row }
}

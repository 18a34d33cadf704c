/**
 * Review of documents by a person, because no rail verifies them. A reviewer sees the number only
 * on request, which is audited.
 */
import { recordOperatorChange } from '../../books/audit/audit.ts'
import type { Scope } from '../../core/app.ts'
import { inside, type View, type Work } from '../../core/inside.ts'
import { type Ctx, scopeOf } from '../../core/outside.ts'
import { holdTestData } from '../../core/test-data.ts'
import { type PageOf, type PageQuery, paginate } from '../../db/lists/list.ts'
import { type Id, isId } from '../../lib/ids.ts'
import type { Static } from '../../lib/schema.ts'
import { unseal } from '../../lib/secrets.ts'
import { auditedName, deciderOf } from '../../platform/screening/screening.ts'
import { documentOwner } from './documents.ts'
import { refuse } from './refusals.ts'
import type { IdentityDocument, IdType, Rejection, ReviewRecord, ShownNumber } from './schema.ts'
import type { CustomerRow, DocumentRow, ReviewRow } from './sql.ts'
import * as statements from './sql.ts'
import { end } from './verification.ts'

export type Review = Static<typeof ReviewRecord>

/** The most pending, and the most decided, documents in the list. */
const mostListed = 1_000n

function toRecord({
  business_id: business,
  customer_id: customer,
  masked: id_number,
  ...row
}: ReviewRow): Review {
  return { ...row, business, customer, id_number }
}

/** Returns pending reviews, the oldest first, then decided ones, the newest first. */
export async function listReviews(
  { reader }: Pick<View, 'reader'>,
  { status, ...query }: PageQuery & { status?: IdentityDocument['status'] },
): Promise<PageOf<Review>> {
  const isAll = status === undefined
  const waiting = isAll || status === 'pending' ? await listWaiting(reader) : []
  const decided =
    status === 'pending'
      ? []
      : await reader.rows(statements.selectReviewed, [mostListed, isAll ? null : status])
  return paginate([...waiting, ...decided].map(toRecord), query as never)
}

/** Live mode first, so that many test documents cannot crowd out live ones. */
async function listWaiting(reader: View['reader']): Promise<ReviewRow[]> {
  const live = await reader.rows(statements.selectWaiting, [mostListed, true])
  const test = await reader.rows(statements.selectWaiting, [
    mostListed - BigInt(live.length),
    false,
  ])
  return [...live, ...test].sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** @throws {Refusal} `not_found` */
export async function getReview(view: Pick<View, 'reader'>, id: string): Promise<Review> {
  return toRecord(await findReview(view, id))
}

async function findReview({ reader }: Pick<View, 'reader'>, id: string): Promise<ReviewRow> {
  const found = isId(id) ? await reader.row(statements.selectReview, [id]) : null
  return (
    found ?? refuse('not_found', `There is no document '${id}' for review, or it was given again.`)
  )
}

/** A review with the scope of its business and mode. */
export type ReviewOrder = { id: Id; customer: Id; type: IdType; scope: Scope }

/** Reads the review before the transaction. @throws {Refusal} `not_found` */
export async function prepareReview(ctx: Ctx, id: string): Promise<ReviewOrder> {
  const found = await findReview(ctx, id)
  const scope = await scopeOf(ctx, found.business_id, found.livemode)
  return { id: found.id, customer: found.customer_id, type: found.id_type, scope }
}

/** A pending document, locked against concurrent decisions until the transaction ends. */
type Waiting = { own: Work; customer: CustomerRow; document: DocumentRow }

async function lockWaiting(
  work: Work,
  { id, customer: customerId, type, scope }: ReviewOrder,
): Promise<Waiting> {
  holdTestData(work.tx, [scope])
  const { actor } = work.scope
  const own = inside(work, work.tx, { ...scope, ...(actor ? { actor } : {}) })
  const customer = await own.row(statements.lockCustomer, [customerId])
  const document = await own.row(statements.lockDocument, [customerId, type])
  if (!customer || !document)
    refuse('not_found', 'The customer was deleted: nothing is to be decided.')
  if (document.review_id !== id || document.status !== 'pending')
    refuse(
      'document_reviewed',
      'The document was reviewed already, or was given again: look at the list again.',
    )
  return { own, customer, document }
}

type Decision = ReviewOrder & { note?: string | undefined }

/**
 * Approves a document: it is verified, and its event is emitted.
 * @throws {Refusal} `not_found`; `document_reviewed` (409)
 */
export const approve = (work: Work, decision: Decision): Promise<Review> =>
  decide(work, decision, 'verified', null)

/**
 * Rejects a document: it fails, its event is emitted, and it can be given again.
 * @throws {Refusal} `not_found`; `document_reviewed` (409)
 */
export const reject = (
  work: Work,
  decision: Decision & Pick<Static<typeof Rejection>, 'reason'>,
): Promise<Review> => decide(work, decision, 'failed', decision.reason)

async function decide(
  work: Work,
  { note = null, ...order }: Omit<Decision, 'note'> & { note?: string | null | undefined },
  status: 'verified' | 'failed',
  reason: DocumentRow['failure_reason'],
): Promise<Review> {
  const { own, customer, document } = await lockWaiting(work, order)
  await end(own, customer, document, status, reason, { by: deciderOf(own.scope.actor), note })
  // Without the note: the audit log is permanent, and a note may name a person.
  await recordOperatorChange(own, {
    action: status === 'verified' ? 'document.approved' : 'document.rejected',
    subject: order.id,
    before: { status: 'pending' },
    after: {
      status,
      customer: customer.id,
      id_type: order.type,
      failure_reason: reason,
      ...auditedName(own.scope.actor),
    },
  })
  return getReview(work, order.id)
}

/**
 * Returns the number of a pending document to its reviewer, and audits that.
 * @throws {Refusal} `not_found`; `document_reviewed` (409)
 */
export async function showNumber(
  work: Work,
  order: ReviewOrder,
): Promise<Static<typeof ShownNumber>> {
  const { own, customer, document } = await lockWaiting(work, order)
  await recordOperatorChange(own, {
    action: 'document.number_shown',
    subject: order.id,
    before: null,
    after: { customer: customer.id, id_type: order.type, ...auditedName(own.scope.actor) },
  })
  const owner = documentOwner(own, customer.id, order.type)
  return { id_number: unseal(work.secrets, 'identity number', document.id_number, owner) }
}

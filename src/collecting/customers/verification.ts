/**
 * Verifies documents by rails: sends, queries and applies results. The rail is called outside a
 * transaction, after the document is committed as sent.
 */
import type { Work } from '../../core/inside.ts'
import type { Task } from '../../core/module.ts'
import { type Ctx, railTime } from '../../core/outside.ts'
import { later } from '../../lib/clock.ts'
import type { Id } from '../../lib/ids.ts'
import { unseal } from '../../lib/secrets.ts'
import { emit } from '../../platform/events/events.ts'
import type { ApplyResult, InboundApplier } from '../../platform/inbound/inbound.ts'
import { schedule } from '../../platform/jobs/timers.ts'
import { identityRailOf } from '../../rails/accounts/choice.ts'
import { askAgainAfter } from '../../rails/http/backoff.ts'
import type { IdentityRail, IdentityState } from '../../rails/ports/rail.ts'
import { accountOwner, documentOwner, sandboxFinding, verifyTask } from './documents.ts'
import { documentEvents } from './events.ts'
import type { CustomerRow, DocumentRow } from './sql.ts'
import * as statements from './sql.ts'

/**
 * How long after an unanswered submission a document is sent again, because the rail may still
 * process the first. The wait then grows with the time since the first attempt, because each may
 * cost money.
 */
const sendAgainMs = { least: 10 * 60_000, most: 6 * 3_600_000 }
/** The longest a document may be pending; providers send webhooks for as long. */
const longestMs = 72 * 3_600_000

/**
 * Sends a customer's unsent documents and queries the others.
 * @param notified the provider's name of the event that arrived: failed documents are then queried
 * too
 */
async function look(
  ctx: Ctx,
  customerId: Id,
  notified: string | null = null,
): Promise<ApplyResult> {
  const customer = await ctx.row(statements.selectCustomer, [customerId])
  if (customer === null) return 'nothing_to_do'
  const done: ApplyResult[] = []
  for (const document of await ctx.rows(statements.selectWithRail, [customerId, notified !== null]))
    done.push(await lookInto(ctx, customer, document, notified))
  return (['again', 'applied'] as const).find((one) => done.includes(one)) ?? 'nothing_to_do'
}

async function lookInto(
  ctx: Ctx,
  customer: CustomerRow,
  document: DocumentRow,
  notified: string | null,
): Promise<ApplyResult> {
  const at = await railTime(ctx, document.rail as string)
  if (document.rail === ctx.terms.test.sandbox.cards.name)
    return ctx.write((work) =>
      apply(work, document, { said: sandboxAnswer(ctx, customer, document), accepted: false, at }),
    )
  const ask = async (
    question: (rail: IdentityRail) => Promise<IdentityState>,
  ): Promise<IdentityState> => {
    try {
      return await question(identityRailOf(ctx, document.rail as string))
    } catch (error) {
      // A rail that throws may still have acted.
      ctx.log.error(
        { err: error, customer: customer.id },
        'the rail of an identity document could not be asked',
      )
      return { state: 'unknown' }
    }
  }
  const whose = { id: customer.id, businessId: ctx.scope.businessId }
  const said = await ask(async (rail) =>
    document.sent_at === null ? { state: 'pending' } : rail.ask(whose, notified),
  )
  if (!isToBeSent(document, said, at))
    return ctx.write((work) => apply(work, document, { said, accepted: false, at }))
  // A commit whose answer is lost may have happened: the job fails, and its retry sees the state.
  if (!(await ctx.write((work) => mark(work, document, at)))) return 'nothing_to_do'
  const sent = { ...document, sent_at: at, accepted_at: null }
  const answer = await ask((rail) => send(ctx, rail, customer, document))
  return ctx.write((work) =>
    apply(work, sent, { said: answer, accepted: answer.state === 'pending', at }),
  )
}

/** Returns the sandbox's answer for a number. */
function sandboxAnswer(
  { scope, secrets }: Ctx,
  { id }: CustomerRow,
  document: DocumentRow,
): IdentityState {
  const owner = documentOwner({ scope }, id, document.id_type)
  const { failure } = sandboxFinding(unseal(secrets, 'identity number', document.id_number, owner))
  return failure === null ? { state: 'verified' } : { state: 'failed', reason: failure }
}

/**
 * Whether a document must be sent: it never was, or an answer was lost and the rail has verified
 * nothing since.
 */
function isToBeSent(
  { status, sent_at, accepted_at, updated_at }: DocumentRow,
  said: IdentityState,
  at: Date,
): boolean {
  if (status !== 'pending' || accepted_at !== null || said.state !== 'pending') return false
  if (sent_at === null) return true
  const tried = sent_at.getTime() - updated_at.getTime()
  const waitMs = Math.min(Math.max(tried, sendAgainMs.least), sendAgainMs.most)
  return at.getTime() - sent_at.getTime() >= waitMs
}

/** Commits that a document is sent now, unless another process sent it or it has ended. */
async function mark(
  work: Work,
  { customer_id, id_type, sent_at }: DocumentRow,
  at: Date,
): Promise<boolean> {
  return (await work.row(statements.markSent, [customer_id, id_type, at, sent_at])) !== null
}

function send(
  ctx: Ctx,
  rail: IdentityRail,
  customer: CustomerRow,
  document: DocumentRow,
): Promise<IdentityState> {
  const { id, email, first_name: firstName, last_name: lastName, phone } = customer
  const { id_type: idType, id_number, bank_account } = document
  return rail.verify({
    customer: {
      id,
      businessId: ctx.scope.businessId,
      email,
      phone,
      firstName: firstName as string,
      lastName: lastName as string,
    },
    idType,
    idNumber: unseal(ctx.secrets, 'identity number', id_number, documentOwner(ctx, id, idType)),
    account:
      bank_account &&
      JSON.parse(
        unseal(ctx.secrets, 'identity number', bank_account, accountOwner(ctx, id, idType)),
      ),
  })
}

/** `accepted`: the rail answered the submission and processes it. */
type Answer = { said: IdentityState; accepted: boolean; at: Date }

/**
 * Applies the rail's answer. Idempotent: an ended document stays, except that a failed one may
 * still become verified.
 */
async function apply(
  work: Work,
  document: DocumentRow,
  { said, accepted, at }: Answer,
): Promise<ApplyResult> {
  const { customer_id: id, id_type: type } = document
  const customer = await work.row(statements.lockCustomer, [id])
  const row = await work.row(statements.lockDocument, [id, type])
  if (!customer || !row || row.sent_at?.getTime() !== document.sent_at?.getTime())
    return 'nothing_to_do'
  if (said.state === 'verified' && row.status !== 'verified')
    return end(work, customer, row, 'verified', null)
  if (row.status !== 'pending') return said.state === 'unknown' ? 'again' : 'nothing_to_do'
  if (said.state === 'failed') return end(work, customer, row, 'failed', said.reason)
  const { now } = work.scope
  if (now.getTime() - row.updated_at.getTime() >= longestMs)
    return end(work, customer, row, 'failed', 'no_answer')
  if (accepted) await work.rows(statements.markAccepted, [id, type, at])
  if (said.state === 'refused_now')
    await work.rows(statements.markSent, [id, type, null, row.sent_at])
  const waitMs =
    said.state === 'refused_now'
      ? said.askAgainInMs
      : askAgainAfter(at.getTime() - (row.sent_at ?? row.updated_at).getTime())
  await schedule(work, {
    task: verifyTask,
    subject: id,
    dueAt: later(now, waitMs),
    payload: { customer_id: id },
  })
  return said.state === 'unknown' ? 'again' : 'nothing_to_do'
}

/** @param reviewed the reviewing person and their note, if a person decided */
export async function end(
  work: Work,
  customer: CustomerRow,
  { id_type: type }: DocumentRow,
  status: 'verified' | 'failed',
  reason: DocumentRow['failure_reason'],
  reviewed: { by: string; note: string | null } | null = null,
): Promise<ApplyResult> {
  const { now, livemode } = work.scope
  const set = [customer.id, type, status, reason, status === 'verified' ? now : null, now]
  const ended =
    reviewed === null
      ? await work.row(statements.updateDocument, set)
      : await work.row(statements.endReviewed, [...set, reviewed.by, reviewed.note])
  const { masked, failure_reason, verified_at, created_at, updated_at } = ended as DocumentRow
  await work.rows(statements.updateKycStatus, [customer.id, now])
  await emit(work, documentEvents, `customer.document.${status}`, {
    customer: customer.id,
    id_type: type,
    id_number: masked,
    status,
    failure_reason,
    verified_at,
    review: null,
    created_at,
    updated_at,
    livemode,
    metadata: customer.metadata,
  })
  return 'applied'
}

/** Handles a provider's webhook about a customer: queries the documents, as a timer does. */
export const identityApplier: InboundApplier = {
  apply: (ctx, id, { type = null }) => look(ctx, id, type),
  async find(app, { rail, livemode, reference }) {
    const port = app.rails[livemode ? 'live' : 'test'].accounts[rail]?.ports.identity
    const [owner] = reference === null || !port ? [] : await port.ownersOf(reference)
    return owner ? { businessId: owner.businessId, subject: owner.customerId } : null
  },
}

export const documentTasks: Record<string, Task> = {
  [verifyTask]: async (ctx, payload) => {
    await look(ctx, payload.customer_id as Id)
  },
}

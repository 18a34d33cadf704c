/**
 * Answers disputes: submits evidence to the provider, or accepts a dispute. The answer is committed
 * first, and a job sends it.
 */
import { recordAct } from '../../books/audit/audit.ts'
import { update, type Work } from '../../core/inside.ts'
import type { Task } from '../../core/module.ts'
import type { Ctx } from '../../core/outside.ts'
import { wholeFile } from '../../lib/files.ts'
import type { Id } from '../../lib/ids.ts'
import { modeOf } from '../../lib/mode.ts'
import { enqueue } from '../../platform/jobs/timers.ts'
import type { AnswerOutcome, DisputeRail } from '../../rails/ports/disputes.ts'
import { drawBundle } from './bundle.ts'
import { closeDispute, queryTask } from './disputes.ts'
import {
  type Evidence,
  filesOf,
  lockDraft,
  simulatedRail,
  termsOf,
  textsOf,
  toEvidence,
  writeEvidence,
} from './evidence.ts'
import { refuse, refuseUnknown } from './refusals.ts'
import {
  type DisputeRow,
  type EvidenceRow,
  evidence,
  lockDispute,
  lockEvidence,
  selectDispute,
  selectEvidence,
} from './sql.ts'

/** The job that sends an answer. Its name is stored with pending jobs. */
export const answerTask = 'disputes.answer'

/** Draws the evidence bundle. @throws {Refusal} `not_found` */
export async function bundleOf(ctx: Ctx, id: string): Promise<AsyncIterable<Uint8Array>> {
  const row = (await ctx.row(selectDispute, [id])) ?? refuseUnknown(id)
  const texts = textsOf(ctx, await ctx.row(selectEvidence, [id]))
  return wholeFile(await drawBundle(ctx, row, { texts, files: await filesOf(ctx, id) }))
}

/**
 * Submits the evidence of a dispute.
 * @throws {Refusal} `not_found`, `dispute_already_closed`, `dispute_answered`,
 * `dispute_answered_elsewhere`, `evidence_incomplete`
 */
export async function submitEvidence(work: Work, id: string): Promise<Evidence> {
  return enqueueAnswer(work, id, false)
}

/** Accepts a dispute: the payer keeps the money. @throws {Refusal} as `submitEvidence` */
export async function acceptDispute(work: Work, id: string): Promise<Evidence> {
  return enqueueAnswer(work, id, true)
}

async function enqueueAnswer(work: Work, id: string, accepts: boolean): Promise<Evidence> {
  const locked = await lockDraft(work, id)
  const { dispute } = locked
  if (termsOf(work, dispute.rail) === null)
    refuse(
      'dispute_answered_elsewhere',
      `'${dispute.rail}' takes no answers from this server: answer in its own dashboard, with the evidence bundle.`,
    )
  const { needs } = await toEvidence(work, dispute, locked.row)
  if (!accepts && needs.length > 0)
    refuse('evidence_incomplete', `The provider also needs ${needs.join(', ')}.`, {
      field: needs[0] as string,
    })
  const sending = {
    accepts,
    status: 'sending' as const,
    failure: null,
    tried_at: null,
    answers_before: null,
  }
  const row = await writeEvidence(work, locked, sending)
  const action = accepts ? 'dispute.accepted' : 'dispute.evidence_submitted'
  const about = { amount: dispute.amount, currency: dispute.currency }
  await recordAct(work, { action, subject: dispute.id, about })
  await enqueue(work, [{ task: answerTask, subject: row.id, payload: { dispute_id: row.id } }])
  return toEvidence(work, dispute, row)
}

export const answerTasks: Record<string, Task> = {
  async [answerTask](ctx, payload) {
    const id = payload.dispute_id as Id
    const [dispute, row] = [await ctx.row(selectDispute, [id]), await ctx.row(selectEvidence, [id])]
    if (!dispute || row?.status !== 'sending') return
    const outcome = dispute.status === 'open' ? await send(ctx, dispute, row) : afterDecision(row)
    if (outcome.is === 'unknown') throw new Error(`the dispute was not answered: ${outcome.why}`)
    await ctx.write((work) => recordOutcome(work, row, outcome))
  },
}

/**
 * A dispute that was decided meanwhile takes no answer. A tried one may be what decided it, such as
 * an accept whose reply was lost.
 */
const afterDecision = ({ tried_at }: EvidenceRow): AnswerOutcome =>
  tried_at === null
    ? { is: 'refused', why: 'The dispute was decided before the answer was sent.' }
    : { is: 'taken' }

/** An answer without texts would use up the one that the provider takes. */
const erasedFirst: AnswerOutcome = {
  is: 'refused',
  why: 'The evidence was erased before it was sent.',
}

async function send(ctx: Ctx, dispute: DisputeRow, row: EvidenceRow): Promise<AnswerOutcome> {
  const isEmpty = row.texts === null && !row.accepts
  if (dispute.rail === simulatedRail) return isEmpty ? erasedFirst : { is: 'taken' }
  const rail = ctx.rails[modeOf(ctx.scope.livemode)].accounts[dispute.rail]?.disputes
  if (rail === undefined) return { is: 'unknown', why: `there is no rail ${dispute.rail}` }
  const answers = await rail.readAnswers(dispute.provider_reference)
  if (answers === null) return { is: 'unknown', why: 'the provider did not say what it has' }
  // An earlier try may have arrived: it is then one more than before, or what ended the wait.
  if (row.tried_at !== null && (answers.count > (row.answers_before ?? 0) || !answers.isWaiting))
    return { is: 'taken' }
  if (isEmpty) return erasedFirst
  if (row.tried_at === null && !(await ctx.write((work) => markTried(work, row, answers.count))))
    return { is: 'unknown', why: 'another run of the job has begun to send it' }
  return answerAt(ctx, rail, { dispute, row })
}

/** Records that an answer may leave from now on. Returns false when another run was first. */
async function markTried(work: Work, tried: EvidenceRow, before: number): Promise<boolean> {
  const row = await work.row(lockEvidence, [tried.id])
  const isSame = row?.status === 'sending' && row.answer_number === tried.answer_number
  if (!isSame || row.tried_at !== null) return false
  await update(work, evidence, row.id, { tried_at: work.scope.now, answers_before: before })
  return true
}

async function answerAt(
  ctx: Ctx,
  rail: DisputeRail,
  { dispute, row }: { dispute: DisputeRow; row: EvidenceRow },
): Promise<AnswerOutcome> {
  const texts = textsOf(ctx, row)
  const files = await filesOf(ctx, row.id)
  return rail.answer({
    providerId: dispute.provider_reference,
    key: `dispute-${row.id}-${row.answer_number}`,
    accepts: row.accepts,
    amount: dispute.amount,
    texts,
    files,
    bundle: (withFiles) => drawBundle(ctx, dispute, { texts, files: withFiles ? files : [] }),
  })
}

/** Records what came of an answer, unless that answer has been recorded and another is under way. */
async function recordOutcome(
  work: Work,
  { id, answer_number: answered }: EvidenceRow,
  outcome: Exclude<AnswerOutcome, { is: 'unknown' }>,
): Promise<void> {
  const dispute = await work.row(lockDispute, [id])
  const row = await work.row(lockEvidence, [id])
  if (!dispute || row?.status !== 'sending' || row.answer_number !== answered) return
  const { now } = work.scope
  if (outcome.is === 'refused') {
    const failure = outcome.why.slice(0, 500)
    const answer_number = answered + 1
    await update(work, evidence, id, { status: 'refused', failure, answer_number, updated_at: now })
    return
  }
  await update(work, evidence, id, { status: 'sent', submitted_at: now, updated_at: now })
  if (dispute.status !== 'open') return
  if (dispute.rail !== simulatedRail)
    await enqueue(work, [{ task: queryTask, subject: id, payload: { dispute_id: id } }])
  else if (row.accepts) await closeDispute(work, dispute, 'lost')
}

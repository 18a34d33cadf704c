/**
 * Simulates the end of a test payout: sets the outcome in the sandbox, then queries it as any rail.
 */
import { requireRoom } from '../../books/wallets/wallets.ts'
import type { Work } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import type { FailureReason } from '../../rails/ports/rail.ts'
import { find, orderOf, type Payout, toPayout } from './record.ts'
import { refuse } from './refusals.ts'
import { holdForReview, screenPayout } from './review.ts'
import { applyOrderState } from './settlement.ts'
import { lockById, type PayoutRow } from './sql.ts'
import { netOf, transition } from './transition.ts'

/**
 * Sets in the sandbox how a test payout ends, or that it is returned. A pending payout is first
 * committed as sent. Nothing changes for a payout that already ended this way, because the sandbox
 * may be faster than the person who simulates.
 * @throws {Refusal} `not_found`, `payout_already_final`, `payout_not_approved`,
 * `payout_under_review`, `payout_not_completed`, `payout_not_simulated`, `amount_too_large` when
 * the wallet could not hold the returned amount
 */
export async function prepareEnd(
  ctx: Ctx,
  reference: string,
  outcome: 'completed' | 'failed' | 'returned',
  reason: FailureReason | null,
) {
  const known = await find(ctx, reference)
  const { id, rail: name, destination } = known
  const rail = ctx.rails.test.sandbox.ports.payout
  if (name !== rail.name)
    refuse(
      'payout_not_simulated',
      `The payout goes by '${destination.chain ?? name}', which decides how it ends.`,
    )
  if (known.status === 'pending' && known.approval !== 'waiting' && known.review === null) {
    const held = await screenPayout(ctx, known)
    if (held !== null) await holdForReview(ctx, known, held)
  }
  const order = await ctx.write(async (work) => {
    const row = (await work.row(lockById, [id])) as PayoutRow
    if (row.status === outcome) return null
    if (outcome === 'returned') {
      // The sandbox cannot take back what it has decided.
      await requireRoom(work, assertCompleted(row).currency, netOf(row))
      return orderOf(work, row)
    }
    if (hasEnded(row)) refuseEnded(row)
    if (row.approval === 'waiting') refuse('payout_not_approved')
    if (row.review !== null) refuse('payout_under_review')
    return orderOf(work, row.status === 'pending' ? await transition(work, row, 'submit') : row)
  })
  if (order === null) return { id, outcome, answer: null }
  await rail.decide(order, outcome, reason)
  const answer = { order, state: await rail.ask(order) }
  if (answer.state.state !== outcome) {
    // The payout settled otherwise before this decision: that stands.
    const row = await ctx.write((work) => applyOrderState(work, id, answer))
    refuseEnded(row as PayoutRow)
  }
  return { id, outcome, answer }
}

/**
 * Ends a test payout as the sandbox decided.
 * @throws {Refusal} `payout_already_final` when it has ended otherwise meanwhile
 */
export async function end(
  work: Work,
  prepared: Awaited<ReturnType<typeof prepareEnd>>,
): Promise<Payout> {
  const { id, outcome, answer } = prepared
  const row = (
    answer === null ? await work.row(lockById, [id]) : await applyOrderState(work, id, answer)
  ) as PayoutRow
  if (hasEnded(row) && row.status !== outcome) refuseEnded(row)
  return toPayout(row)
}

const hasEnded = ({ status }: PayoutRow): boolean => status !== 'pending' && status !== 'processing'

function assertCompleted(payout: PayoutRow): PayoutRow {
  if (payout.status === 'completed') return payout
  if (hasEnded(payout)) refuseEnded(payout)
  refuse(
    'payout_not_completed',
    `The payout is ${payout.status}; only a completed payout can be returned.`,
  )
}

function refuseEnded({ status }: PayoutRow): never {
  refuse('payout_already_final', `The payout is ${status} already.`)
}

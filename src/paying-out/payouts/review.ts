/**
 * What screening does to payouts: one that goes to whom a list has stays pending with its amount
 * held, and no rail has it, until a person of the operator's has released it, or refused it: then
 * it has failed, and its amount is back.
 */
import { update, type Work } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import { later } from '../../lib/clock.ts'
import { Refusal } from '../../lib/errors.ts'
import { showMoney } from '../../lib/money.ts'
import { describeDestination } from '../../platform/destinations/destinations.ts'
import { emit } from '../../platform/events/events.ts'
import { addWaiting } from '../../platform/jobs/timers.ts'
import {
  endReview,
  type Held,
  openReview,
  requireNewestLists,
  type Screened,
  screen,
} from '../../platform/screening/screening.ts'
import { payoutTerms } from '../../rails/accounts/choice.ts'
import { payoutEvents } from './events.ts'
import { assertUnsent } from './payouts.ts'
import { submitTask, toPayout } from './record.ts'
import { lockById, type PayoutRow, payouts, selectByIds } from './sql.ts'
import { transition } from './transition.ts'

/**
 * Asks all lists about whom a payout goes to. @throws {Error} when one gives no answer, or cannot
 * be read
 */
export async function screenPayout(ctx: Ctx, { id, destination }: PayoutRow): Promise<Held | null> {
  const {
    address,
    account_number,
    bank_code,
    routing_number,
    account_name,
    resolved_account_name,
  } = destination
  const held = await screen(ctx, id, {
    address,
    accountNumber: account_number,
    bankCode: bank_code ?? routing_number,
    names: [account_name, resolved_account_name],
  })
  if (held === null) requireNewestLists(ctx)
  return held
}

/**
 * Holds a pending payout for a person, unless it has changed meanwhile. A job of it that there is
 * still does nothing.
 */
export function holdForReview(ctx: Ctx, { id, submissions }: PayoutRow, held: Held): Promise<void> {
  return ctx.write(async (work) => {
    const row = await work.row(lockById, [id])
    if (row?.status !== 'pending' || row.submissions !== submissions || row.review !== null) return
    const { now } = work.scope
    const review = { reason: held.reason, since: now }
    const changed = await update(work, payouts, id, { review, updated_at: now })
    await openReview(work, 'payout', id, held)
    await emit(work, payoutEvents, 'payout.review_opened', toPayout(changed), changed.customer_id)
  })
}

/** What becomes of a payout that a person has decided about. */
export const screenedPayout: Screened = {
  async describe(view, subjects) {
    const rows = await view.rows(selectByIds, [subjects])
    return new Map(
      rows.map(({ id, reference, amount, currency, destination }) => {
        const name = destination.resolved_account_name ?? destination.account_name
        const to = [describeDestination(destination), ...(name === undefined ? [] : [name])].join(
          ' ',
        )
        return [id, `${showMoney(amount, currency)} to ${to} (${reference})`]
      }),
    )
  },
  async decide(work, subject, decision, decider, from) {
    if (from === 'refused') return false
    const row = await work.row(lockById, [subject])
    if (row?.status !== 'pending' || row.review === null) return false
    if (decision === 'released') {
      await update(work, payouts, subject, { review: null, updated_at: work.scope.now })
      const job = { task: submitTask, subject, payload: { payout_id: subject }, scope: work.scope }
      await addWaiting(work.tx, [{ ...job, dueAt: offeredAt(work, row) }])
    } else await assertUnsent(work, row)
    await endReview(work, subject, decision, decider)
    if (decision === 'refused')
      await transition(work, { ...row, review: null }, 'fail', {
        failure_reason: 'rejected',
        review: null,
      })
    return true
  },
}

/**
 * When its rail is offered it: as a new payout's is. Null: at once, also where the rail is not
 * configured any more.
 */
export function offeredAt(
  view: Pick<Work, 'terms' | 'scope'> & Parameters<typeof payoutTerms>[0],
  { destination }: PayoutRow,
): Date | null {
  try {
    const { holdMs } = payoutTerms(view, destination)
    return holdMs === 0 ? null : later(view.scope.now, holdMs)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return null
  }
}

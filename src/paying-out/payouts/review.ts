/**
 * Sanctions screening of payouts. A payout to a listed recipient stays pending with its amount
 * held, and no rail has it, until the operator's staff release it or refuse it: it then fails, and
 * its amount is available again.
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
 * Screens a payout's recipient against all lists. @throws {Error} when a list does not answer or
 * cannot be read
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
 * Holds a pending payout for review, unless it has changed. A job of it that remains does nothing.
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

/** Applies a person's decision to a payout. */
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
 * When the rail gets the payout: after the same delay as a new one. Null: at once, also when the
 * rail is no longer configured.
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

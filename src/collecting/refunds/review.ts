/**
 * Screens refunds to accounts and addresses. A match stays initiated and unsent until the operator
 * releases or refuses it. Issuers screen cards, and payouts are screened as payouts.
 */
import { update, type Work } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import { showMoney } from '../../lib/money.ts'
import { describeDestination } from '../../platform/destinations/destinations.ts'
import { enqueue } from '../../platform/jobs/timers.ts'
import { findBankByName } from '../../platform/lookups/lookups.ts'
import {
  endReview,
  type Held,
  openReview,
  refuseScreening,
  requireNewestLists,
  type Screened,
  screen,
} from '../../platform/screening/screening.ts'
import { mayBeSent } from '../../rails/records/outgoing.ts'
import * as payments from '../payments/payments.ts'
import { queryTask } from './record.ts'
import { lockRefund, type RefundRow, refunds, selectByIds, selectRefund } from './sql.ts'
import { transition } from './transition.ts'

/** Screens the recipient of a refund against all lists. @throws {Error} when one does not answer */
export async function screenRefund(ctx: Ctx, { id, destination }: RefundRow): Promise<Held | null> {
  if ('brand' in destination) return null
  const to =
    'sender' in destination ? (destination.sender as Partial<Record<string, string>>) : destination
  const held = await screen(ctx, id, {
    address: to.address,
    accountNumber: to.account_number,
    // Some rails give only the bank's name. At an unknown bank only the number is screened.
    bankCode: to.bank_code ?? to.routing_number ?? findBankByName(to.bank_name ?? '')?.code,
    names: [to.account_name, 'resolved_account_name' in to ? to.resolved_account_name : undefined],
  })
  if (held === null) requireNewestLists(ctx)
  return held
}

/**
 * Holds an unsent refund for review, unless it has changed in the meantime. Its pending jobs then
 * do nothing.
 */
export function holdForReview(ctx: Ctx, { id, updated_at }: RefundRow, held: Held): Promise<void> {
  return ctx.write(async (work) => {
    const row = await work.row(lockRefund, [id])
    if (row?.status !== 'initiated' || row.sent_at !== null || row.review !== null) return
    // A person may have released it since it was screened.
    if (row.updated_at.getTime() !== updated_at.getTime()) return
    const { now } = work.scope
    await update(work, refunds, id, {
      review: { reason: held.reason, since: now },
      updated_at: now,
    })
    await openReview(work, 'refund', id, held)
  })
}

/** Applies a person's decision about a refund that is held for review. */
export const screenedRefund: Screened = {
  async describe(view, subjects) {
    const rows = await view.rows(selectByIds, [subjects])
    return new Map(
      rows.map(({ id, amount, currency, destination, method }) => {
        const to =
          'charge' in destination ? `the ${method} that paid` : describeDestination(destination)
        return [id, `${showMoney(amount, currency)} back to ${to}`]
      }),
    )
  },
  async decide(work, subject, decision, decider, from) {
    if (from === 'refused') return false
    const found = await work.row(selectRefund, [subject])
    if (found === null) return false
    const payment = await payments.lock(work, found.payment_id)
    const row = (await work.row(lockRefund, [subject])) as RefundRow
    if (row.status !== 'initiated' || row.review === null) return false
    if (decision === 'refused') await assertUnsent(work, row)
    await endReview(work, subject, decision, decider)
    if (decision === 'released') {
      await update(work, refunds, subject, { review: null, updated_at: work.scope.now })
      await enqueue(work, [{ task: queryTask, subject, payload: { refund_id: subject } }])
    } else
      await transition(
        work,
        payment,
        { ...row, review: null },
        {
          trigger: 'fail',
          columns: { failure_reason: 'rejected' },
        },
      )
    return true
  },
}

/**
 * @throws {Refusal} `outgoing_held` when it may have been sent after the restored backup was made
 */
async function assertUnsent(work: Work, row: RefundRow): Promise<void> {
  if (await mayBeSent(work, row))
    refuseScreening(
      'outgoing_held',
      'This server was restored from a backup, and the refund may have been sent since then. It can be refused once outgoing money is released.',
    )
}

/**
 * A payout's approval: why it waits and until when, its maker (who cannot approve it), and who
 * decided.
 */
import type { Scope } from '../../core/app.ts'
import { later } from '../../lib/clock.ts'
import { type Maker, whoActs } from '../../platform/team/team.ts'
import type { ApprovalReason } from '../limits/limits.ts'
import type { ApprovalDetails, PayoutRow } from './sql.ts'

/** Returns the approval columns of a new payout. @param needed null: it needs no approval */
export function approvalOf(
  scope: Scope,
  needed: { reasons: ApprovalReason[]; waitMs: number } | null,
  maker: Maker | null = whoActs(scope),
): Pick<PayoutRow, 'approval' | 'approval_details'> {
  if (needed === null) return { approval: 'none', approval_details: null }
  return {
    approval: 'waiting',
    approval_details: {
      reasons: needed.reasons,
      made_by: maker,
      until: later(scope.now, needed.waitMs),
      decided_by: null,
      decided_at: null,
    },
  }
}

/**
 * Returns the approval columns after the acting person decided; in a job, no person is recorded.
 */
export function decisionColumns(
  { approval_details }: Pick<PayoutRow, 'approval_details'>,
  scope: Scope,
  approval: 'approved' | 'refused',
): Pick<PayoutRow, 'approval' | 'approval_details'> {
  const details = approval_details as ApprovalDetails
  return {
    approval,
    approval_details: { ...details, decided_by: whoActs(scope), decided_at: scope.now },
  }
}

/** When a waiting approval expires. */
export const waitsUntil = ({ approval_details }: PayoutRow): Date =>
  new Date((approval_details as ApprovalDetails).until)

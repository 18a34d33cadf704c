/**
 * What a payout has of its approval: why it waits and until when, who made it, and so who cannot
 * approve it, and who has decided.
 */
import type { Scope } from '../../core/app.ts'
import { later } from '../../lib/clock.ts'
import { type Maker, whoActs } from '../../platform/team/team.ts'
import type { ApprovalReason } from '../limits/limits.ts'
import type { ApprovalDetails, PayoutRow } from './sql.ts'

/**
 * What a new payout says of its approval. @param needed null: it needs none @param maker who makes
 * it
 */
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

/** A payout that waits, as it is once who acts has decided; in a job nobody has. */
export function decided(
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

/** Until when a payout waits for its approval. */
export const waitsUntil = ({ approval_details }: PayoutRow): Date =>
  new Date((approval_details as ApprovalDetails).until)

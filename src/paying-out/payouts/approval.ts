/**
 * What a payout has of its approval: why it waits and until when, who made it, and so who cannot approve it, and who has decided.
 */
import type { Scope } from '../../core/app.ts'
import { later } from '../../lib/clock.ts'
import type { Id } from '../../lib/ids.ts'
import type { ApprovalReason } from '../limits/limits.ts'
import type { ApprovalDetails, Maker, PayoutRow } from './sql.ts'

/** Who acts, as a payout keeps it; null in jobs. People are named by their id alone: a payout and its events stay when they have left. */
export function whoActs(scope: Scope): Maker | null {
  const { actor } = scope
  if (!actor) return null
  const id = actor.type === 'operator' ? null : actor.id
  return { type: actor.type, id, hint: actor.type === 'key' ? actor.hint : null, same: sameAs(scope) }
}

/**
 * All ids that who acts can stand behind: a person; a key, those whose rolls led to it, and the people who made, rolled or re-scoped them. Two who
 * share one are the same to each other.
 */
export function sameAs({ actor }: Scope): Id[] {
  if (actor?.type === 'person') return [actor.id]
  if (actor?.type === 'key') return [actor.root, ...actor.makers]
  return []
}

/** What a new payout says of its approval. @param needed null: it needs none @param maker who makes it */
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
  return { approval, approval_details: { ...details, decided_by: whoActs(scope), decided_at: scope.now } }
}

/** Until when a payout waits for its approval. */
export const waitsUntil = ({ approval_details }: PayoutRow): Date =>
  new Date((approval_details as ApprovalDetails).until)

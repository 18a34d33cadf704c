import { type EventDeclaration, eventOf } from '../../core/module.ts'
import { newId } from '../../lib/ids.ts'
import { sampleBase } from '../../platform/events/events.ts'
import { DisputeRecord } from './schema.ts'
import type { DisputeStatus } from './states.ts'

/** The event types of disputes: each carries the dispute. */
export const disputeEvents = {
  'dispute.opened': disputeEvent(
    'A payer’s bank takes money of a payment back. No wallet moves by it; answer it before its evidence is due.',
    'open',
  ),
  'dispute.closed': disputeEvent(
    'A dispute was decided: `won`, or `lost`. No wallet moves by it, but for what was held: of one that is won it is released.',
    'won',
  ),
}

function disputeEvent(
  meaning: string,
  status: DisputeStatus,
): EventDeclaration<typeof DisputeRecord> {
  return eventOf(meaning, DisputeRecord, (scope) => ({
    ...sampleBase(scope),
    payment: newId(scope.now),
    transaction: newId(scope.now),
    customer: null,
    amount: 450_000n,
    currency: 'ngn',
    reason: 'fraudulent',
    evidence_due_at: new Date(scope.now.getTime() + 2 * 86_400_000),
    status,
    held: 0n,
    taken: 0n,
    closed_at: status === 'open' ? null : scope.now,
    provider_reference: '358950',
  }))
}

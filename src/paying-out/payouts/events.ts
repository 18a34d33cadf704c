import { type EventDeclaration, eventOf } from '../../core/module.ts'
import { newId } from '../../lib/ids.ts'
import { personalDestination } from '../../platform/customer-keys/customer-keys.ts'
import { sampleBase } from '../../platform/events/events.ts'
import type { Payout } from './record.ts'
import { PayoutRecord } from './schema.ts'

/** Personal data of a refund's recipient; a warning may quote the holder's name. */
const personalPayee = { ...personalDestination, warnings: [] }

/** The event types of payouts: each carries the payout. */
export const payoutEvents = {
  'payout.initiated': payoutEvent('A payout was created; its amount is reserved.', 'pending'),
  'payout.review_opened': payoutEvent(
    'Screening holds a payout: it stays pending until a person of the operator’s has looked.',
    'pending',
    true,
  ),
  'payout.completed': payoutEvent('A payout arrived.', 'completed'),
  'payout.failed': payoutEvent('A payout failed; its amount is back in the wallet.', 'failed'),
  'payout.canceled': payoutEvent(
    'A payout was canceled; its amount is back in the wallet.',
    'canceled',
  ),
  'payout.returned': payoutEvent(
    'A payout had arrived and came back; what had arrived is in the wallet again.',
    'returned',
  ),
}

function payoutEvent(
  meaning: string,
  status: Payout['status'],
  isHeld = false,
): EventDeclaration<typeof PayoutRecord> {
  return eventOf(
    meaning,
    PayoutRecord,
    (scope) => ({
      ...sampleBase(scope),
      reference: 'rent-2026-11',
      amount: 250_000n,
      currency: 'ngn',
      method: 'bank_transfer',
      destination: {
        currency: 'ngn',
        country: 'ng',
        bank_code: '058',
        bank_name: 'Guaranty Trust Bank',
        account_number: '0123456789',
        resolved_account_name: 'ADA OKAFOR',
      },
      beneficiary: null,
      quote: null,
      refund: null,
      fee: 5_000n,
      net_amount: 245_000n,
      fee_breakdown: [{ type: 'platform', amount: 5_000n }],
      rate: '1',
      destination_amount: 245_000n,
      destination_currency: 'ngn',
      description: null,
      status,
      approval: 'none',
      approval_details: null,
      review: isHeld ? { reason: 'sanctions_list', since: scope.now } : null,
      failure_reason: status === 'failed' || status === 'returned' ? 'invalid_account' : null,
      provider_reference: null,
      transaction: newId(scope.now),
      return_transaction: status === 'returned' ? newId(scope.now) : null,
      tx_hash: null,
      warnings: [],
    }),
    personalPayee,
  )
}

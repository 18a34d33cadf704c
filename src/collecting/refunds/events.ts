import { type EventDeclaration, eventOf } from '../../core/module.ts'
import { newId } from '../../lib/ids.ts'
import { personalDestination } from '../../platform/customer-keys/customer-keys.ts'
import { sampleBase } from '../../platform/events/events.ts'
import { RefundRecord } from './schema.ts'
import type { RefundStatus } from './states.ts'

/** Event types of refunds. Each carries the refund. */
export const refundEvents = {
  'refund.initiated': refundEvent('A refund was started; its money is reserved.', 'initiated'),
  'refund.completed': refundEvent('A refund reached the payer.', 'completed'),
  'refund.failed': refundEvent(
    'A refund failed, or came back after it had completed; its money is back in the wallet.',
    'failed',
  ),
}

function refundEvent(meaning: string, status: RefundStatus): EventDeclaration<typeof RefundRecord> {
  return eventOf(
    meaning,
    RefundRecord,
    (scope) => ({
      ...sampleBase(scope),
      payment: newId(scope.now),
      reference: null,
      amount: 250_000n,
      currency: 'ngn',
      reason: null,
      method: 'card',
      destination: { card: { brand: 'visa', last4: '4242' } },
      rate: '1',
      destination_amount: 250_000n,
      destination_currency: 'ngn',
      automatic: false,
      status,
      failure_reason: status === 'failed' ? 'rejected' : null,
      provider_reference: null,
      tx_hash: null,
      payout: null,
      review: null,
      transaction: newId(scope.now),
      return_transaction: null,
    }),
    personalDestination,
  )
}

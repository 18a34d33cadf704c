import { type EventDeclaration, eventOf } from '../../core/module.ts'
import { later } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { sampleBase } from '../../platform/events/events.ts'
import { PaymentRecord } from './schema.ts'
import type { PaymentStatus } from './states.ts'

/** Event types of payments. Each carries the payment. */
export const paymentEvents = {
  'payment.completed': paymentEvent('A payment was paid.', 'completed'),
  'payment.failed': paymentEvent('A payment was declined for good.', 'failed'),
  'payment.expired': paymentEvent('A payment was not paid in time.', 'expired'),
  'payment.canceled': paymentEvent('A payment was canceled.', 'canceled'),
}

function paymentEvent(
  meaning: string,
  status: PaymentStatus,
): EventDeclaration<typeof PaymentRecord> {
  const paid = status === 'completed'
  return eventOf(
    meaning,
    PaymentRecord,
    (scope) => ({
      ...sampleBase(scope),
      reference: 'order-1001',
      amount: 250_000n,
      currency: 'ngn',
      customer: null,
      email: 'ada@example.com',
      description: null,
      methods: ['card', 'bank_transfer'],
      redirect_url: null,
      cancel_url: null,
      expires_at: status === 'expired' ? scope.now : later(scope.now, 86_400_000),
      fee_bearer: 'business',
      on_mismatch: 'accept',
      mismatch_by: null,
      checkout_url: 'https://pay.example/order-1001',
      status,
      method: paid ? 'card' : null,
      amount_received: paid ? 250_000n : 0n,
      variance: paid ? 'exact' : null,
      transaction: paid ? newId(scope.now) : null,
      fee: paid ? 3_750n : 0n,
      net: paid ? 246_250n : 0n,
      amount_refunded: 0n,
      amount_confirming: 0n,
      attempts: paid || status === 'failed' ? 1 : 0,
      failure_reason: status === 'failed' ? 'fraudulent' : null,
      paid_at: paid ? scope.now : null,
      collection: null,
      invoice: null,
    }),
    { email: null },
  )
}

import type { Scope } from '../../core/app.ts'
import { eventOf } from '../../core/module.ts'
import type { Static } from '../../lib/schema.ts'
import { sampleBase } from '../../platform/events/events.ts'
import { paymentEvents } from '../payments/payments.ts'
import { CollectionRecord, CompletedCollection } from './schema.ts'

/** The event types of collections: each carries the collection, and a use of it the payment too. */
export const collectionEvents = {
  'collection.completed': eventOf(
    'A collection was paid once more.',
    CompletedCollection,
    (scope) => ({
      ...sample(scope),
      payment: paymentEvents['payment.completed'].sample(scope),
    }),
  ),
  'collection.canceled': eventOf('A collection was canceled.', CollectionRecord, (scope) => ({
    ...sample(scope),
    active: false,
    canceled_at: scope.now,
  })),
}

const sample = (scope: Scope): Static<typeof CollectionRecord> => ({
  ...sampleBase(scope),
  name: 'School fees',
  description: null,
  currency: 'ngn',
  amount: 250_000n,
  min_amount: null,
  max_amount: null,
  active: true,
  canceled_at: null,
  redirect_url: null,
  max_payments: null,
  checkout_url: 'https://pay.example/school-fees',
  payments_count: 1n,
  amount_collected: 250_000n,
})

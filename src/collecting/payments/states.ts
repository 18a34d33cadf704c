import { defineStates } from '../../lib/states.ts'

/** States of a payment. Only these transitions are possible, and the docs draw them. */
export const paymentStates = defineStates('payment', 'pending', {
  pending: { complete: 'completed', fail: 'failed', expire: 'expired', cancel: 'canceled' },
  completed: {},
  failed: {},
  expired: {},
  canceled: {},
})

export type PaymentStatus = keyof typeof paymentStates.table
export type PaymentTrigger = 'complete' | 'fail' | 'expire' | 'cancel'

/**
 * States of a card attempt. `away`: the payer is at the provider's page. A failed attempt can still
 * turn out to have been charged.
 */
export const attemptStates = defineStates('card attempt', 'processing', {
  processing: { challenge: 'challenge', redirect: 'away', succeed: 'succeeded', fail: 'failed' },
  challenge: { answer: 'processing', succeed: 'succeeded', fail: 'failed' },
  away: { succeed: 'succeeded', fail: 'failed' },
  failed: { succeed: 'succeeded' },
  succeeded: {},
})

export type AttemptStatus = keyof typeof attemptStates.table
export type AttemptTrigger = 'challenge' | 'answer' | 'redirect' | 'succeed' | 'fail'

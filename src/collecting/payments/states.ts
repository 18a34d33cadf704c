import { defineStates } from '../../lib/states.ts'

/** The life of a payment. The code refuses what is not here, and the docs draw it. */
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
 * The life of a card attempt. `away`: its payer is at the provider. One that was given up can still
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

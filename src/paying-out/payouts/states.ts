import { defineStates } from '../../lib/states.ts'
import type { OrderTrigger } from '../../platform/orders/orders.ts'

/** A payout's states and triggers. The code refuses any other, and the docs draw them. */
export const payoutStates = defineStates('payout', 'pending', {
  pending: { submit: 'processing', cancel: 'canceled', fail: 'failed' },
  processing: { complete: 'completed', fail: 'failed', hold: 'pending' },
  completed: { return: 'returned' },
  failed: {},
  canceled: {},
  returned: {},
})

export type PayoutStatus = keyof typeof payoutStates.table
export type PayoutTrigger = OrderTrigger

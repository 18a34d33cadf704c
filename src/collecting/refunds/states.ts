import { defineStates } from '../../lib/states.ts'
import type { OrderTrigger } from '../../platform/orders/orders.ts'

/** The life of a refund. The code refuses what is not here, and the docs draw it. */
export const refundStates = defineStates('refund', 'initiated', {
  initiated: { complete: 'completed', fail: 'failed' },
  completed: { return: 'failed' },
  failed: {},
})

export type RefundStatus = keyof typeof refundStates.table
export type RefundTrigger = OrderTrigger

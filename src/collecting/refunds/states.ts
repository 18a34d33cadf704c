import { defineStates } from '../../lib/states.ts'
import type { OrderTrigger } from '../../platform/orders/orders.ts'

/** States of a refund. Only these transitions are possible, and the docs draw them. */
export const refundStates = defineStates('refund', 'initiated', {
  initiated: { complete: 'completed', fail: 'failed' },
  completed: { return: 'failed' },
  failed: {},
})

export type RefundStatus = keyof typeof refundStates.table
export type RefundTrigger = OrderTrigger

import { defineStates } from '../../lib/states.ts'

/**
 * The life of a return, as of a refund. The code refuses what is not here, and the docs draw it.
 */
export const returnStates = defineStates('return', 'initiated', {
  initiated: { complete: 'completed', fail: 'failed' },
  completed: { return: 'failed' },
  failed: {},
})

export type ReturnStatus = keyof typeof returnStates.table

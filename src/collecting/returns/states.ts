import { defineStates } from '../../lib/states.ts'

/** States of a return. Only these transitions are possible, and the docs draw them. */
export const returnStates = defineStates('return', 'initiated', {
  initiated: { complete: 'completed', fail: 'failed' },
  completed: { return: 'failed' },
  failed: {},
})

export type ReturnStatus = keyof typeof returnStates.table

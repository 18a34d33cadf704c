import { defineStates } from '../../lib/states.ts'

/**
 * The life of a dispute: its provider decides it. The code refuses what is not here, and the docs
 * draw it.
 */
export const disputeStates = defineStates('dispute', 'open', {
  open: { win: 'won', lose: 'lost' },
  won: {},
  lost: {},
})

export type DisputeStatus = keyof typeof disputeStates.table

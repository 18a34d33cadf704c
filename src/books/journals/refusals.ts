import { type CodeOf, type Refuse, refusalsOf } from '../../lib/errors.ts'

export const journalRefusals = refusalsOf({
  unbalanced_period: [409, 'The ledger’s balances do not follow from its postings.'],
})
export const refuse: Refuse<CodeOf<typeof journalRefusals>> = journalRefusals.refuse

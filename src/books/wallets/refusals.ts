import { type CodeOf, type Refuse, refusalsOf } from '../../lib/errors.ts'

export const walletRefusals = refusalsOf({
  insufficient_funds: [400, 'The wallet does not hold enough.'],
})
export const refuse: Refuse<CodeOf<typeof walletRefusals>> = walletRefusals.refuse

import { type CodeOf, type Refuse, refusalsOf } from '../../lib/errors.ts'

export const limitRefusals = refusalsOf({
  limits_not_loosened: [
    403,
    'The key can create payouts, so it can make limits stricter only. Use a key without the scope `payout`, or sign in.',
  ],
})
export const refuse: Refuse<CodeOf<typeof limitRefusals>> = limitRefusals.refuse

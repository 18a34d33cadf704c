import { type CodeOf, type Refuse, refusalsOf } from '../../lib/errors.ts'
import { makerRefusals } from '../../platform/team/team.ts'

export const limitRefusals = refusalsOf(
  {
    operator_limit_exceeded: [
      403,
      'The operator of this server lets no such payout out, or no more today. Pay out less, wait for the next day, or ask the operator for a higher limit.',
    ],
    limit_exceeded: [
      403,
      'The limits of your business let no such payout out, or no more today. Pay out less, wait for the next day of UTC, or have the limit raised.',
    ],
    limits_not_loosened: [
      403,
      'The key can create payouts, so it can make limits stricter only. Use a key without the scope `payout`, or sign in.',
    ],
  },
  makerRefusals,
)
export const refuse: Refuse<CodeOf<typeof limitRefusals>> = limitRefusals.refuse

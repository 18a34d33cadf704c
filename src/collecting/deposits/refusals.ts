import { type CodeOf, type Refuse, refusalsOf } from '../../lib/errors.ts'
import { destinationRefusals } from '../../platform/destinations/destinations.ts'

export const depositRefusals = refusalsOf(
  {
    notice_reused: [409, 'The notice was used before, for another deposit.'],
    deposit_not_simulated: [
      400,
      'The account is in a provider’s test mode, where money is sent to it.',
    ],
  },
  destinationRefusals,
)
export const refuse: Refuse<CodeOf<typeof depositRefusals>> = depositRefusals.refuse

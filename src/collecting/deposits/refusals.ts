import { type CodeOf, type Refuse, refusalsOf } from '../../lib/errors.ts'
import { destinationRefusals } from '../../paying-out/destinations/destinations.ts'

export const depositRefusals = refusalsOf(
  { notice_reused: [409, 'The notice was told before, of another deposit.'] },
  destinationRefusals,
)
export const refuse: Refuse<CodeOf<typeof depositRefusals>> = depositRefusals.refuse

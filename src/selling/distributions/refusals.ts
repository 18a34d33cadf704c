import { type CodeOf, type Refuse, refusalsOf } from '../../lib/errors.ts'
import { destinationRefusals } from '../../platform/destinations/destinations.ts'

const reference = {
  invalid_distribution: [
    400,
    'The distribution does not exist, is not active, or has another currency.',
  ],
} as const

/** Refusals of a record that names a distribution. */
export const distributionReferenceRefusals = refusalsOf(reference)

export const distributionRefusals = refusalsOf(
  {
    ...reference,
    share_not_settled: [400, 'The share holds money; settle it before you remove it.'],
  },
  destinationRefusals,
)
export const refuse: Refuse<CodeOf<typeof distributionRefusals>> = distributionRefusals.refuse

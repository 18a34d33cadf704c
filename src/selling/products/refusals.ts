import { type CodeOf, type Refuse, refusalsOf } from '../../lib/errors.ts'
import { distributionReferenceRefusals } from '../distributions/distributions.ts'

export const productRefusals = refusalsOf(
  {
    product_not_found: [400, 'The product does not exist for this business and mode.'],
    product_archived: [400, 'The product is archived.'],
  },
  distributionReferenceRefusals,
)
export const refuse: Refuse<CodeOf<typeof productRefusals>> = productRefusals.refuse

import { priceRefusals } from '../../books/pricing/pricing.ts'
import { type CodeOf, type Refuse, refusalsOf } from '../../lib/errors.ts'

export const operatorRefusals = refusalsOf(
  {
    business_not_empty: [
      409,
      'The business has money, or something is under way: it cannot be closed yet.',
    ],
    cell_full: [409, 'This cell takes no new businesses.'],
    plan_not_found: [400, 'There is no such plan.'],
  },
  priceRefusals,
)
export const refuse: Refuse<CodeOf<typeof operatorRefusals>> = operatorRefusals.refuse

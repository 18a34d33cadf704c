import { type CodeOf, type Refuse, refusalsOf } from '../../lib/errors.ts'

export const customerRefusals = refusalsOf({
  customer_not_found: [400, 'The customer does not exist for this business and mode.'],
  kyc_required: [400, 'The customer needs a verified identity document first.'],
})
export const refuse: Refuse<CodeOf<typeof customerRefusals>> = customerRefusals.refuse

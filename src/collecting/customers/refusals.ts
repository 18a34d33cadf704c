import { type CodeOf, type Refuse, refusalsOf } from '../../lib/errors.ts'
import { destinationRefusals } from '../../platform/destinations/destinations.ts'

export const customerRefusals = refusalsOf(
  {
    customer_not_found: [400, 'The customer does not exist for this business and mode.'],
    document_pending: [409, 'The document is being verified already.'],
    document_verified: [409, 'The document is verified already.'],
    document_reviewed: [409, 'The document was reviewed already, or was given again.'],
    customer_incomplete: [
      400,
      'The rail needs more of the customer, such as a first and a last name.',
    ],
    customer_in_use: [
      409,
      'Something is open that needs the customer: end it, then erase the customer.',
    ],
    kyc_required: [400, 'The customer needs a verified identity document first.'],
  },
  destinationRefusals,
)
export const refuse: Refuse<CodeOf<typeof customerRefusals>> = customerRefusals.refuse

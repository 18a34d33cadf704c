import { collectionRefusals } from '../../collecting/collections/collections.ts'
import { paymentRefusals } from '../../collecting/payments/payments.ts'
import { type CodeOf, type Refuse, refusalsOf } from '../../lib/errors.ts'
import { destinationRefusals } from '../../platform/destinations/destinations.ts'

export const checkoutRefusals = refusalsOf(
  {},
  paymentRefusals,
  collectionRefusals,
  destinationRefusals,
)
export const refuse: Refuse<CodeOf<typeof checkoutRefusals>> = checkoutRefusals.refuse

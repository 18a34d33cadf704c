import { type CodeOf, type Refuse, refusalsOf } from '../../lib/errors.ts'
import { customerRefusals } from '../customers/customers.ts'

export const accountRefusals = refusalsOf(
  {
    account_not_active: [400, 'The virtual account is closed or has expired.'],
    account_of_payment: [400, 'The virtual account belongs to a payment; cancel the payment instead.'],
  },
  customerRefusals,
)
export const refuse: Refuse<CodeOf<typeof accountRefusals>> = accountRefusals.refuse

import { type CodeOf, type Refuse, refusalsOf } from '../../lib/errors.ts'
import { customerRefusals } from '../customers/customers.ts'

export const accountRefusals = refusalsOf(
  {
    account_not_active: [400, 'The virtual account is not active.'],
    account_exists: [
      409,
      'The customer has an account at this bank, which gives each customer one.',
    ],
    limit_reached: [400, 'The provider opens no more accounts for this server.'],
    not_enabled: [400, 'The provider has not switched these accounts on for this server.'],
    account_rejected: [400, 'The provider does not open the account.'],
    account_of_payment: [
      400,
      'The virtual account belongs to a payment; cancel the payment instead.',
    ],
  },
  customerRefusals,
)
export const refuse: Refuse<CodeOf<typeof accountRefusals>> = accountRefusals.refuse

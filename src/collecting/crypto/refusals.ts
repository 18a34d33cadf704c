import { type CodeOf, type Refuse, refusalsOf } from '../../lib/errors.ts'
import { customerRefusals } from '../customers/customers.ts'

export const cryptoRefusals = refusalsOf(
  { wallet_not_active: [400, 'The crypto wallet is closed.'] },
  customerRefusals,
)
export const refuse: Refuse<CodeOf<typeof cryptoRefusals>> = cryptoRefusals.refuse

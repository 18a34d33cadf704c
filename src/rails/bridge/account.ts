/** What the parts of this rail share: the operator's wallet at Bridge. */
import type { ProviderAccount } from '../ports/provider.ts'
import type { Client } from './client.ts'

/** How Bridge sends dollars to a bank. */
export type PaymentRail = 'ach' | 'ach_same_day' | 'wire'

export type Account = ProviderAccount<Client> & {
  /** The operator as Bridge's customer, who owns the wallet. */
  customer: string
  wallet: string
  /** The token that the wallet holds: a unit of it is a dollar. */
  token: 'usdc' | 'usdb'
  paymentRail: PaymentRail
}

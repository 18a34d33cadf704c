/** The operator's wallet at Bridge, as this rail's files share it. */
import type { ProviderAccount } from '../ports/provider.ts'
import type { Client } from './client.ts'

/** How Bridge sends dollars to a bank. */
export type PaymentRail = 'ach' | 'ach_same_day' | 'wire'

export type Account = ProviderAccount<Client> & {
  /** The operator as Bridge's customer, who owns the wallet. */
  customer: string
  wallet: string
  /** The wallet's token: one unit is one dollar. */
  token: 'usdc' | 'usdb'
  paymentRail: PaymentRail
}

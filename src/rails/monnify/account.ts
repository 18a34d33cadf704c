/** What the parts of this rail share: the operator's wallet at Monnify. */
import type { ProviderAccount } from '../ports/provider.ts'
import type { Client } from './client.ts'

/** `wallet`: the number of the wallet that payouts are paid from. */
export type Account = ProviderAccount<Client> & { wallet: string }

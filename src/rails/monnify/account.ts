/** The operator's wallet at Monnify, as this rail's files share it. */
import type { ProviderAccount } from '../ports/provider.ts'
import type { Client } from './client.ts'

/** `wallet`: the number of the wallet that pays out. */
export type Account = ProviderAccount<Client> & { wallet: string }

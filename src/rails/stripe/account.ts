/** An account at Stripe, as this rail's files share it. */
import type { ProviderAccount } from '../ports/provider.ts'
import type { Client } from './client.ts'

/** `host`: the host of this server's own address. */
export type Account = ProviderAccount<Client> & { host: string }

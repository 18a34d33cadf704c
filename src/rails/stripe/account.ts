/** What the parts of this rail share: an account at Stripe. */
import type { ProviderAccount } from '../ports/provider.ts'
import type { Client } from './client.ts'

/** `host`: of this server's own address. */
export type Account = ProviderAccount<Client> & { host: string }

/** What the parts of this rail share: an account at Paystack. */
import { modeOf } from '../../lib/mode.ts'
import { firstDifference } from '../http/values.ts'
import type { ProviderAccount } from '../ports/provider.ts'
import type { Client } from './client.ts'

export type Account = ProviderAccount<Client> & {
  /** Whether several businesses have it, so that names of their customers must not collide. */
  shared: boolean
  /** Of this server's own address. */
  host: string
}

/** Returns what an answer differs in from what was asked about; null where in nothing. */
export function differenceIn(
  { livemode }: Pick<Account, 'livemode'>,
  data: Record<string, unknown>,
  wanted: { reference?: string; amount?: bigint },
): string | null {
  return firstDifference({
    'another reference': wanted.reference !== undefined && data.reference !== wanted.reference,
    'another amount': wanted.amount !== undefined && data.amount !== Number(wanted.amount),
    'another currency': data.currency !== 'NGN',
    'another mode': data.domain !== modeOf(livemode),
  })
}

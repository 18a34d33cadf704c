/** An account at Paystack, as this rail's files share it. */
import { modeOf } from '../../lib/mode.ts'
import { firstDifference } from '../http/values.ts'
import type { ProviderAccount } from '../ports/provider.ts'
import type { Client } from './client.ts'

export type Account = ProviderAccount<Client> & {
  /** Whether several businesses use it, so that their customers' names must not collide. */
  shared: boolean
  /** The host of this server's own address. */
  host: string
}

/** Returns how an answer differs from the request; null if it does not. */
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

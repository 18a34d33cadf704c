import { type CodeOf, type Refuse, refusalsOf } from '../../lib/errors.ts'
import { lookupRefusals } from '../lookups/lookups.ts'

export const destinationRefusals = refusalsOf(
  {
    invalid_destination: [400, 'The destination cannot be paid to.'],
    invalid_address: [400, 'The crypto address fails its EIP-55 checksum.'],
    unsupported_chain: [400, 'The token is not supported on this chain.'],
    currency_mismatch: [400, 'The currency does not fit the destination.'],
  },
  lookupRefusals,
)
export const refuse: Refuse<CodeOf<typeof destinationRefusals>> = destinationRefusals.refuse

/** The refusals of `readDestination`. */
export const readingCodes = [
  'currency_mismatch',
  'unsupported_chain',
  'invalid_address',
  'unknown_bank',
  'invalid_destination',
] as const satisfies CodeOf<typeof destinationRefusals>[]

/**
 * The refusals of an operation that pays to a destination: from reading it, choosing a rail, and
 * looking up the holder.
 */
export const payingCodes = [
  ...readingCodes,
  'rail_not_configured',
  'account_not_found',
] as const satisfies CodeOf<typeof destinationRefusals>[]

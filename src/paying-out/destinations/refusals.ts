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

import { type CodeOf, type Refuse, refusalsOf } from '../../lib/errors.ts'

export const lookupRefusals = refusalsOf({
  unsupported_country: [400, 'The country is not supported.'],
  unknown_bank: [400, 'The bank code is not in the bank list.'],
  account_not_found: [400, 'The bank knows no account of this number.'],
  bank_lookup_unavailable: [400, 'The bank did not answer the name lookup.'],
})
export const refuse: Refuse<CodeOf<typeof lookupRefusals>> = lookupRefusals.refuse

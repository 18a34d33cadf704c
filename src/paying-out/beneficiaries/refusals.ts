import { type CodeOf, type Refuse, refusalsOf } from '../../lib/errors.ts'
import { destinationRefusals } from '../../platform/destinations/destinations.ts'

export const beneficiaryRefusals = refusalsOf(
  {
    beneficiary_not_found: [400, 'The beneficiary does not exist for this business and mode.'],
    beneficiary_cooling_off: [
      400,
      'The beneficiary is new, or its destination was changed, and cannot be paid yet.',
    ],
    beneficiary_changed: [409, 'The destination of the beneficiary was changed meanwhile.'],
    destination_not_allowed: [403, 'Keys of this business pay beneficiaries alone.'],
    beneficiaries_not_by_payer: [
      403,
      'While keys pay beneficiaries alone, a key that can create payouts cannot add or change one. Use a key without the scope `payout`, or sign in.',
    ],
    beneficiary_not_own: [400, 'The beneficiary is not said to be an account of your own.'],
    beneficiary_not_confirmed: [
      400,
      'Your team has not confirmed yet that the beneficiary is an account of your own.',
    ],
  },
  destinationRefusals,
)
export const refuse: Refuse<CodeOf<typeof beneficiaryRefusals>> = beneficiaryRefusals.refuse

/** Refusals of a payout because of its recipient. */
export const payeeCodes = [
  'beneficiary_not_found',
  'beneficiary_cooling_off',
  'beneficiary_changed',
  'destination_not_allowed',
] as const satisfies CodeOf<typeof beneficiaryRefusals>[]

/** Refusals of a payout schedule because of its recipient. */
export const ownCodes = [
  'beneficiary_not_found',
  'beneficiary_not_own',
  'beneficiary_not_confirmed',
] as const satisfies CodeOf<typeof beneficiaryRefusals>[]

/** The fields that a record has while it is held for review. */
import * as s from '../lib/schema.ts'

/** Why a person must review the record. */
export const reviewReasons = s.Named('ScreeningReason', [
  'sanctions_list',
  'block_list',
  'customer_limit',
] as const)
export type ReviewReason = (typeof reviewReasons)[number]

/** The review as shown in a record. */
export const HeldForReview = s.Type.Object(
  {
    reason: s.OneOf(reviewReasons, {
      description:
        '`sanctions_list`: whom it goes to, or comes from, is on a list of sanctions; `block_list`: on the operator’s own; `customer_limit`: a deposit is above what the operator lets a customer of its identity tier send.',
    }),
    since: s.Timestamp('Since when it waits.'),
  },
  {
    title: 'ScreeningReview',
    description: 'Screening holds it until a person of the operator’s has looked.',
  },
)

/** The review as stored. */
export type KeptReview = { reason: ReviewReason; since: Date | string }

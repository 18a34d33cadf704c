/** What screening holds, as the records of modules say it. */
import * as s from '../lib/schema.ts'

/** Why somebody must look at what screening holds. */
export const reviewReasons = s.Named('ScreeningReason', [
  'sanctions_list',
  'block_list',
  'customer_limit',
] as const)
export type ReviewReason = (typeof reviewReasons)[number]

/** What a record that is held says of it. */
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

/** The same as it is kept. */
export type KeptReview = { reason: ReviewReason; since: Date | string }

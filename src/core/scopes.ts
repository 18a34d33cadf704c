/** The rights that operations require. */

/** What a key can be made for. */
export const keyScopes = [
  'read',
  'collect',
  'payout',
  'refund',
  'refund_elsewhere',
  'manage',
  'approve',
] as const
export type KeyScope = (typeof keyScopes)[number]

/** What some people may do, though the operation asks a key for `manage`. */
export type PersonScope = 'payees' | 'limits'

/**
 * The right that an operation requires. No key has `team` or `empty`. `operator` and `review`
 * belong to no business, and an operator's key has `review` only if it was made for it.
 */
export type OperationScope = KeyScope | PersonScope | 'team' | 'empty' | 'operator' | 'review'

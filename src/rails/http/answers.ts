/**
 * Turns a provider's answer about a payout or refund into the order's state: what certainly did not
 * happen, and when to retry.
 */
import { type Clock, later } from '../../lib/clock.ts'
import type { FailureReason, Obstacle, OrderState } from '../ports/rail.ts'

/**
 * The result of a call without an answer. `not_sent`: nothing was sent. `unknown`: it may have been
 * executed. `rate_limited` and `bad_credentials`: it was not.
 */
export type Unanswered =
  | { is: 'not_sent'; why: string }
  | { is: 'unknown'; why: string }
  | { is: 'rate_limited'; againInMs: number }
  | { is: 'bad_credentials'; why: string }

/** The wait after a 429 without a time. */
const againInMs = 30_000
const longestWaitSeconds = 3_600

/**
 * Returns the wait in a 429's header, in milliseconds; the header is in seconds.
 * @param most a larger value is ignored
 */
export function waitMsIn(header: string | string[] | undefined, most = longestWaitSeconds): number {
  const seconds = Number(header)
  return seconds > 0 && seconds <= most ? Math.ceil(seconds * 1_000) : againInMs
}

/**
 * The delay before an order that a provider refused for now is offered again, by obstacle.
 * Milliseconds.
 */
export const offerAgainMs: Record<Obstacle, number> = {
  balance_too_low: 60_000,
  otp_required: 600_000,
  not_enabled: 600_000,
  bad_credentials: 60_000,
  rate_limited: 30_000,
  provider_down: 15_000,
}

/**
 * The largest age of an order when its first byte is sent. Later, another process may have found
 * that it was never accepted, and resent it.
 */
const stalestMs = 300_000

/** Returns the latest time for sending the first byte of a live order. */
export const latestOf = ({ livemode }: { livemode: boolean }, { at }: { at: Date }): Date | null =>
  livemode ? later(at, stalestMs) : null

/** The answer of a call that was not made in time: another process may have made it. */
export const tooLate: Unanswered = { is: 'unknown', why: 'it was too late to ask' }

/** Whether it is too late for a call, which may have waited for the rate limit and a token. */
export const isTooLate = (clock: Clock, latest: Date | null | undefined): boolean =>
  latest != null && clock.now() > latest

export const refusedNow = (
  obstacle: Obstacle,
  askAgainInMs = offerAgainMs[obstacle],
): OrderState => ({
  state: 'refused_now',
  obstacle,
  askAgainInMs,
})
export const failed = (reason: FailureReason): OrderState => ({
  state: 'failed',
  reason,
  providerReference: null,
})
export const unknown: OrderState = { state: 'unknown', askAgainInMs: null }

/**
 * Returns the obstacle when an account's balance could not be read. A 401 or 403 that is not about
 * the key is about the account's permissions.
 */
export function obstacleOfFailure(
  failure: { is: Unanswered['is'] } | { is: 'refused'; status: number },
): Exclude<Obstacle, 'balance_too_low' | 'otp_required'> {
  if (failure.is === 'bad_credentials' || failure.is === 'rate_limited') return failure.is
  return failure.is === 'refused' && (failure.status === 401 || failure.status === 403)
    ? 'not_enabled'
    : 'provider_down'
}

/** Returns the state of an order whose call certainly executed nothing; null if it may have. */
export function obstacleIn(answer: Unanswered | { is: 'answered' | 'refused' }): OrderState | null {
  if (answer.is === 'not_sent') return { state: 'not_found' }
  if (answer.is === 'rate_limited') return refusedNow('rate_limited', answer.againInMs)
  if (answer.is === 'bad_credentials') return refusedNow('bad_credentials')
  return null
}

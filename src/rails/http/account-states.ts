/** Turns a provider's answer about a deposit account into the account's state. */
import type { AccountState } from '../ports/bank-accounts.ts'
import type { Unanswered } from './answers.ts'
import type { Failure, Refused } from './client.ts'
import { isTransient } from './refusals.ts'

type Refusal = Extract<AccountState, { state: 'refused' }>

export const unknownAccount = (askAgainInMs: number | null = null): AccountState => ({
  state: 'unknown',
  askAgainInMs,
})

/** Returns the unknown state of an account after a call, and when to query it again. */
export const unknownAfter = (failure: Failure): AccountState =>
  unknownAccount(failure.is === 'rate_limited' ? failure.againInMs : null)

/** Returns the state of an account whose call was not answered, so it may have been opened. */
export function accountUnanswered(failure: Unanswered): AccountState {
  return failure.is === 'not_sent' ? { state: 'not_found' } : unknownAfter(failure)
}

/** Returns the same for a call that may have been refused. A transient refusal ends nothing. */
export function accountNotOpened(
  failure: Failure,
  reasonOf: (refusal: Refused) => Refusal['reason'],
): AccountState {
  if (failure.is !== 'refused') return accountUnanswered(failure)
  return isTransient(failure) ? unknownAccount() : { state: 'refused', reason: reasonOf(failure) }
}

/** What a provider's answer leaves certain of an account that was asked for, to receive money. */
import type { AccountState } from '../ports/bank-accounts.ts'
import type { Unanswered } from './answers.ts'
import type { Refused } from './client.ts'
import { isTransient } from './refusals.ts'

type Refusal = Extract<AccountState, { state: 'refused' }>

export const unknownAccount = (askAgainInMs: number | null = null): AccountState => ({
  state: 'unknown',
  askAgainInMs,
})

/** Returns the state of an account whose call was not answered, and so far opened nothing for sure. */
export function accountUnanswered(failure: Unanswered): AccountState {
  if (failure.is === 'not_sent') return { state: 'not_found' }
  return unknownAccount(failure.is === 'rate_limited' ? failure.againInMs : null)
}

/** Returns the same for a call that may have been refused. A transient refusal ends nothing. */
export function accountNotOpened<R extends Refused>(
  failure: Unanswered | R,
  reasonOf: (refusal: R) => Refusal['reason'],
): AccountState {
  if (failure.is !== 'refused') return accountUnanswered(failure as Unanswered)
  const refusal = failure as R
  return isTransient(refusal) ? unknownAccount() : { state: 'refused', reason: reasonOf(refusal) }
}

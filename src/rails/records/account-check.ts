/** Checks an account at a provider by its balance. */
import { obstacleOfFailure } from '../http/answers.ts'
import type { Failure } from '../http/client.ts'
import type { AccountCheck } from '../ports/routes.ts'
import type { BalanceAnswer } from './balance.ts'
import type { Block } from './blocks.ts'

/**
 * Returns the check of a paying account: its balance shows whether the key works.
 * @param about.balanceName the name of the balance for people
 * @param about.warnings further sentences that a person should read
 */
export function checkByBalance(about: {
  provider: string
  balanceName: string
  currency: 'ngn' | 'usd'
  held: BalanceAnswer
  blocked?: Block | null
  fatal?: string | null
  warnings: readonly (string | null)[]
}): AccountCheck {
  const { held, blocked = null, fatal = null } = about
  const isRead = 'amount' in held
  const keyWorks = isRead ? true : held.is === 'bad_credentials' ? false : null
  return {
    fatal,
    keyWorks,
    obstacle: blocked?.obstacle ?? (isRead ? null : obstacleOfFailure(held)),
    balances: isRead ? { [about.currency]: held.amount } : {},
    warnings: [isRead ? null : unreadable(about, held), ...about.warnings].filter(
      (one) => one !== null,
    ),
  }
}

function unreadable(
  { provider, balanceName }: { provider: string; balanceName: string },
  failure: Failure,
): string | null {
  if (failure.is === 'bad_credentials') return null
  const why = failure.is === 'refused' ? failure.message : failure.is
  return `${provider} could not be asked for ${balanceName} (${why})`
}

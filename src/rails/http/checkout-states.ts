/** Turns a provider's answer about a payment page into the payment's state. */
import type { ProviderAccount } from '../ports/provider.ts'
import type { CheckoutState } from '../ports/rail.ts'
import type { Failure } from './client.ts'
import { codeToShow } from './masking.ts'
import { isTransient } from './refusals.ts'

type Start = { order: { id: string }; provider: string; failure: Failure }

/**
 * Returns the state of a payment whose page was not opened, and logs a refusal. A transient refusal
 * ends nothing. A page that may exist stays `unknown`: another start has another reference.
 */
export function pageNotOpened(
  { name, log }: Pick<ProviderAccount<never>, 'name' | 'log'>,
  { order, provider, failure }: Start,
): CheckoutState {
  if (failure.is === 'unknown') return { state: 'unknown' }
  if (failure.is !== 'refused') return { state: 'not_found' }
  if (isTransient(failure)) return { state: 'unknown' }
  log.error(
    { rail: name, order: order.id, code: codeToShow(failure.code) },
    `${provider} refuses to begin a payment`,
  )
  return { state: 'ended', reason: 'processing_error' }
}

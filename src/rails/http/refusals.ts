/** Which refusals of a provider are certain, so that nothing was done, and what each means. */

import type { ProviderParts } from '../ports/provider.ts'
import type { OrderState } from '../ports/rail.ts'
import { unknown } from './answers.ts'
import { codeToShow } from './masking.ts'

/** A refusal in its provider's form. `type`: of providers that tell refusals apart by it. */
export type Refusal = { status: number; code: string; type?: string; message: string }

/**
 * A kind of certain refusals: those that fit every pattern that is given, `unless` their text
 * leaves the outcome open all the same.
 */
export type CertainRefusal<Meaning extends string> = {
  status?: readonly number[]
  code?: RegExp
  type?: RegExp
  message?: RegExp
  unless?: RegExp
  means: Meaning
  /** Where that is written or was recorded; `[U]` before what is not confirmed. */
  source: string
}

/** Meanings that end an order, or what else was asked for. */
const finalMeanings: readonly string[] = [
  'invalid_account',
  'name_mismatch',
  'limit_exceeded',
  'rejected',
  'no_address',
  'no_recipient',
]

/** Whether a refusal's text says that the trouble passes. */
export const isTransient = ({ message }: Pick<Refusal, 'message'>): boolean =>
  /try again (later|soon|shortly|in|after)\b|temporar|timed? ?out|unavailable|at (this|the) (time|moment)/i.test(
    message,
  )

/**
 * Returns what a refusal means by the first line that it fits. Null where none does: what was asked
 * may have been done, or may be yet. The text of a transient one has it end nothing.
 */
export function meaningOfRefusal<Meaning extends string>(
  certain: readonly CertainRefusal<Meaning>[],
  { status, code, type = '', message }: Refusal,
): Meaning | null {
  const found = certain.find(
    (line) =>
      (line.status?.includes(status) ?? true) &&
      (line.code?.test(code) ?? true) &&
      (line.type?.test(type) ?? true) &&
      (line.message?.test(message) ?? true) &&
      !line.unless?.test(message) &&
      !(isTransient({ message }) && finalMeanings.includes(line.means)),
  )
  return found?.means ?? null
}

/** Returns a test of refusals: whether a table gives them one of these meanings. */
export const means =
  <Meaning extends string>(certain: readonly CertainRefusal<Meaning>[], ...meanings: Meaning[]) =>
  (refusal: Refusal): boolean =>
    meanings.includes(meaningOfRefusal(certain, refusal) as Meaning)

/**
 * Returns what an incident says of a refusal that no line fits. Codes come from outside: only what
 * looks like one is shown, and no text.
 */
export function describeUnlisted({
  status,
  code,
  type = '',
}: Pick<Refusal, 'status' | 'code' | 'type'>): string {
  const names = [type, code].filter((one) => one !== '').map(codeToShow)
  return `a refusal that this version does not know: ${[...names, `(${status})`].join(' ')}`
}

/** Reports an answer that cannot be used for its order. @returns `unknown` */
export function quarantine(
  { report }: Pick<ProviderParts, 'report'>,
  { id }: { id: string },
  sentence: string,
): OrderState {
  report('quarantined', id, sentence)
  return unknown
}

/**
 * Reports the refusal of an order that no line of its provider's table fits, once for each order: a
 * person can look at it.
 * @returns `unknown`, so that the order is asked about
 */
export function unlistedRefusal(
  account: Pick<ProviderParts, 'report'>,
  order: { id: string },
  refusal: Refusal,
): OrderState {
  return quarantine(account, order, describeUnlisted(refusal))
}

/** Certain refusals of a provider, which did nothing, and their meaning. */

import type { ProviderParts } from '../ports/provider.ts'
import type { OrderState } from '../ports/rail.ts'
import { unknown } from './answers.ts'
import { codeToShow } from './masking.ts'

/** A refusal in its provider's form. `type`: for providers that distinguish refusals by it. */
export type Refusal = { status: number; code: string; type?: string; message: string }

/**
 * A kind of certain refusal: it matches every given pattern, and not `unless`, whose text leaves
 * the outcome open.
 */
export type CertainRefusal<Meaning extends string> = {
  status?: readonly number[]
  code?: RegExp
  type?: RegExp
  message?: RegExp
  unless?: RegExp
  means: Meaning
  /** Where it is written or was recorded; `[U]` before an unconfirmed part. */
  source: string
}

/** Meanings that end an order or another request. */
const finalMeanings: readonly string[] = [
  'invalid_account',
  'name_mismatch',
  'limit_exceeded',
  'rejected',
  'no_address',
  'no_recipient',
]

/** Whether a refusal's text says that the problem is temporary. */
export const isTransient = ({ message }: Pick<Refusal, 'message'>): boolean =>
  /try again (later|soon|shortly|in|after)\b|temporar|timed? ?out|unavailable|at (this|the) (time|moment)/i.test(
    message,
  )

/**
 * Returns the meaning of a refusal by the first matching line. Null if none matches: the request
 * may have been or may yet be executed. A transient refusal never ends anything.
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

/** Returns a predicate: whether a table gives a refusal one of these meanings. */
export const means =
  <Meaning extends string>(certain: readonly CertainRefusal<Meaning>[], ...meanings: Meaning[]) =>
  (refusal: Refusal): boolean =>
    meanings.includes(meaningOfRefusal(certain, refusal) as Meaning)

/**
 * Returns the incident's text about an unlisted refusal. Codes come from outside: only text in the
 * form of a code is shown.
 */
export function describeUnlisted({
  status,
  code,
  type = '',
}: Pick<Refusal, 'status' | 'code' | 'type'>): string {
  const names = [type, code].filter((one) => one !== '').map(codeToShow)
  return `a refusal that this version does not know: ${[...names, `(${status})`].join(' ')}`
}

/** Reports an unusable answer about an order. @returns `unknown` */
export function quarantine(
  { report }: Pick<ProviderParts, 'report'>,
  { id }: { id: string },
  sentence: string,
): OrderState {
  report('quarantined', id, sentence)
  return unknown
}

/**
 * Reports an order's refusal that is not in its provider's table, once per order, so that a person
 * can check it.
 * @returns `unknown`, so that the order is queried
 */
export function unlistedRefusal(
  account: Pick<ProviderParts, 'report'>,
  order: { id: string },
  refusal: Refusal,
): OrderState {
  return quarantine(account, order, describeUnlisted(refusal))
}

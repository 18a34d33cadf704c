/**
 * What nobody has confirmed of Dojah yet, each marked [U], in this one place. `bursar rails check`
 * asks for it with a test key, and the answer changes a line here.
 */
import { asObject } from '../http/values.ts'
import type { DocumentType } from './answers.ts'

/**
 * [U] The number that an answer is about; null where it does not say it, or not all of it. Answers
 * of 2023 have it in full; four public clients of later years show it masked, as `2*****22222`, and
 * the form that validates a number has it in an object.
 */
export function numberIn(entity: Record<string, unknown>, type: DocumentType): string | null {
  const said = asObject(entity[type])?.value ?? entity[type]
  return /^\d+$/.test(String(said)) ? String(said) : null
}

/**
 * [U] Below how much naira a person should put something in: a look-up costs less than a hundred.
 */
export const lowWallet = 5_000

/**
 * [U] Requests each minute. No limit is published; a header `RateLimit-Limit: 500` has been seen.
 */
export const perMinute = 120

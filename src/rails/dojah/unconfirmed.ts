/**
 * Unconfirmed facts about Dojah, each marked [U], all in this file. `bursar rails check` asks with
 * a test key, and the answer confirms or corrects a line here.
 */
import { asObject } from '../http/values.ts'
import type { DocumentType } from './answers.ts'

/**
 * [U] Returns the number that an answer concerns; null if it is missing or incomplete. Answers of
 * 2023 have it in full; four public clients of later years show it masked, as `2*****22222`, and
 * the validation of a number has it in an object.
 */
export function numberIn(entity: Record<string, unknown>, type: DocumentType): string | null {
  const said = asObject(entity[type])?.value ?? entity[type]
  return /^\d+$/.test(String(said)) ? String(said) : null
}

/**
 * [U] The balance in naira below which a person should top up: a look-up costs less than a hundred.
 */
export const lowWallet = 5_000

/**
 * [U] Requests per minute. No limit is published; a header `RateLimit-Limit: 500` has been seen.
 */
export const perMinute = 120

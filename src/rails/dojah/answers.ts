/**
 * How Dojah asks and answers. Settled on 2026-11-28 by recorded answers: [SDK] is the collection in
 * dojah-inc/dojah-sdks 42a7bd7 (2023), [docs] the pages of docs.dojah.io, [clients] public clients
 * of others that agree. What is still open is in `unconfirmed.ts`.
 */

import { asObject, textOf } from '../http/values.ts'
import type { NameOnDocument } from '../reference/person-names.ts'

/**
 * What Dojah looks up, by the type of the document: its path, and what the number is called there.
 * [SDK]
 */
export const lookups = {
  bvn: { path: '/api/v1/kyc/bvn/full', parameter: 'bvn' },
  nin: { path: '/api/v1/kyc/nin', parameter: 'nin' },
} as const
export type DocumentType = keyof typeof lookups

/** How a refusal says why: a text in `error`. [SDK, docs] */
export const messageOf = (said: Record<string, unknown>): string =>
  textOf(said.error) ?? textOf(said.message) ?? textOf(asObject(said.error)?.message) ?? ''

/** Statuses that say only that Dojah could not ask its source: nothing is known then. [clients] */
export const upstreamAway: readonly number[] = [408, 424]

/**
 * The names of an answer: `first_name`, `middle_name` and `last_name`, or `surname`, or in one
 * piece: all three spellings have been recorded. [SDK, docs] Null where one of the two is missing:
 * then nothing can be compared.
 */
export function nameIn(entity: Record<string, unknown>): NameOnDocument | null {
  const first = textOf(entity.first_name) ?? textOf(entity.firstname)
  const middle = textOf(entity.middle_name) ?? textOf(entity.middlename)
  const family = textOf(entity.last_name) ?? textOf(entity.surname) ?? textOf(entity.lastname)
  if (first === null || family === null) return null
  return { given: middle === null ? [first] : [first, middle], family }
}

/** How its keys begin, by the mode that they are of. [docs] */
export const keyModes: readonly [RegExp, 'live' | 'test'][] = [
  [/^prod_/, 'live'],
  [/^test_/, 'test'],
]

/**
 * What is left in the wallet that look-ups are paid from, in naira, as `GET /api/v1/balance` says
 * it: text. [SDK]
 */
export const walletIn = (data: Record<string, unknown>): number | null => {
  const said = data.wallet_balance
  const value =
    typeof said === 'number'
      ? said
      : typeof said === 'string' && said.trim() !== ''
        ? Number(said)
        : Number.NaN
  return Number.isFinite(value) ? value : null
}

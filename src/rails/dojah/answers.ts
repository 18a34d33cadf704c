/**
 * Dojah's requests and answers. Settled on 2026-11-28 by recorded answers: [SDK] is the collection
 * in dojah-inc/dojah-sdks 42a7bd7 (2023), [docs] the pages of docs.dojah.io, [clients] public
 * third-party clients that agree. `unconfirmed.ts` has the open points.
 */

import { asObject, textOf } from '../http/values.ts'
import type { NameOnDocument } from '../reference/person-names.ts'

/** Dojah's look-ups by type of document: the path, and the parameter of the number. [SDK] */
export const lookups = {
  bvn: { path: '/api/v1/kyc/bvn/full', parameter: 'bvn' },
  nin: { path: '/api/v1/kyc/nin', parameter: 'nin' },
} as const
export type DocumentType = keyof typeof lookups

/** The reason of a refusal: a text in `error`. [SDK, docs] */
export const messageOf = (said: Record<string, unknown>): string =>
  textOf(said.error) ?? textOf(said.message) ?? textOf(asObject(said.error)?.message) ?? ''

/**
 * Statuses that only say that Dojah could not query its source: nothing is known then. [clients]
 */
export const upstreamAway: readonly number[] = [408, 424]

/**
 * Returns the names in an answer: `first_name`, `middle_name` and `last_name` or `surname`, or one
 * text: all three forms were recorded. [SDK, docs] Null without a first or last name, because then
 * nothing can be compared.
 */
export function nameIn(entity: Record<string, unknown>): NameOnDocument | null {
  const first = textOf(entity.first_name) ?? textOf(entity.firstname)
  const middle = textOf(entity.middle_name) ?? textOf(entity.middlename)
  const family = textOf(entity.last_name) ?? textOf(entity.surname) ?? textOf(entity.lastname)
  if (first === null || family === null) return null
  return { given: middle === null ? [first] : [first, middle], family }
}

/** The prefixes of its keys by mode. [docs] */
export const keyModes: readonly [RegExp, 'live' | 'test'][] = [
  [/^prod_/, 'live'],
  [/^test_/, 'test'],
]

/**
 * Returns the balance of the wallet that pays for look-ups, in naira, from the text in `GET
 * /api/v1/balance`. [SDK]
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

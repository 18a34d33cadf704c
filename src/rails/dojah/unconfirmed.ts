/**
 * What nobody has confirmed of Dojah yet, each marked [U], in this one place: it publishes no schema of its answers that says what is always there,
 * and none of its refusals. The first run with real keys settles it, and changes a line here.
 */
import type { NameOnDocument } from '../person-names.ts'
import { asObject, textOf } from '../values.ts'

/** What Dojah looks up, by the type of the document: its path, and what the number is called there. */
export const lookups = {
  bvn: { path: '/api/v1/kyc/bvn/full', parameter: 'bvn' },
  nin: { path: '/api/v1/kyc/nin', parameter: 'nin' },
} as const
export type Looked = keyof typeof lookups

/** [U] How it says that there is no such number: 404 of any words, or 400 of these. */
export const isNotFound = ({ status, message }: { status: number; message: string }): boolean =>
  status === 404 || (status === 400 && /not found|no record|does not exist|invalid (bvn|nin)/i.test(message))

/** [U] How it says that the wallet that pays for look-ups is empty. */
export const isUnpaid = ({ status, message }: { status: number; message: string }): boolean =>
  status === 402 || /insufficient (balance|funds)|low balance|balance is (too )?low/i.test(message)

/** [U] How a refusal says why. */
export const messageOf = (said: Record<string, unknown>): string =>
  textOf(said.error) ?? textOf(said.message) ?? textOf(asObject(said.error)?.message) ?? ''

/** [U] Statuses that say only that whoever Dojah asks could not be asked: nothing is known then. */
export const upstreamAway: readonly number[] = [408, 424]

/** [U] The number that an answer is about; null where it does not say it, as in the published example of a nin. */
export const numberIn = (entity: Record<string, unknown>, type: Looked): string | null =>
  entity[type] === undefined || entity[type] === null || entity[type] === '' ? null : String(entity[type])

/**
 * [U] The names of an answer: `first_name`, `middle_name` and `last_name`, which the published kind of a nin calls `surname`; older answers have
 * them in one piece. Null where one of the two is missing: then nothing can be compared.
 */
export function nameIn(entity: Record<string, unknown>): NameOnDocument | null {
  const first = textOf(entity.first_name) ?? textOf(entity.firstname)
  const middle = textOf(entity.middle_name) ?? textOf(entity.middlename)
  const family = textOf(entity.last_name) ?? textOf(entity.surname) ?? textOf(entity.lastname)
  if (first === null || family === null) return null
  return { given: middle === null ? [first] : [first, middle], family }
}

/** [U] How its keys begin, by the mode that they are of. */
export const keyModes: readonly [RegExp, 'live' | 'test'][] = [
  [/^prod_/, 'live'],
  [/^test_/, 'test'],
]

/** [U] What is left in the wallet that look-ups are paid from, in naira, as `GET /api/v1/balance` says it. */
export const walletIn = (data: Record<string, unknown>): number | null => {
  const said = data.wallet_balance
  const value =
    typeof said === 'number' ? said : typeof said === 'string' && said.trim() !== '' ? Number(said) : Number.NaN
  return Number.isFinite(value) ? value : null
}

/** [U] Below how much naira a person should put something in: a look-up costs less than a hundred. */
export const lowWallet = 5_000

/** [U] Requests each minute: no limit is published. */
export const perMinute = 120

/** Our references of orders at providers, and the providers' ids of orders. */
import { sqlOfAll } from '../../db/db.ts'
import type { AccountKey } from './account-key.ts'

const selectOrder = sqlOfAll<{ provider_id: string }>(
  'rails.select_order',
  'select provider_id from provider_orders where livemode = $1 and rail = $2 and reference = $3',
)
const insertOrder = sqlOfAll(
  'rails.insert_order',
  `insert into provider_orders (livemode, rail, reference, provider_id, created_at) values ($1, $2, $3, $4, $5)
   on conflict (livemode, rail, reference) do nothing`,
)

/** Returns the provider's id of an order; null if none is stored. @param reference ours */
export const findOrder = async (
  { db, livemode, name }: AccountKey,
  reference: string,
): Promise<string | null> =>
  (await db.row(selectOrder, [livemode, name, reference]))?.provider_id ?? null

/** Stores the provider's id of an order. Idempotent: the first id stays. */
export async function keepOrder(
  { db, livemode, name, clock }: AccountKey,
  reference: string,
  id: string,
): Promise<void> {
  await db.rows(insertOrder, [livemode, name, reference, id, clock.now()])
}

/** Returns when an order was created, from the first eight digits of its id. */
export const madeAt = (id: string): Date => new Date(Number.parseInt(id.slice(0, 8), 16) * 1_000)

/** Returns a name unique to a submission: the second has `-2` appended. */
const numbered = (name: string, nth: number): string => `${name}${nth > 1 ? `-${nth}` : ''}`

/**
 * Returns the provider's reference of a payout, the same on every try of a submission. Only a
 * certainly refused order is submitted again, because its former reference may be used up.
 */
export const payoutReference = ({ id, attempt }: { id: string; attempt: number }): string =>
  numbered(`po-${id}`, attempt)

/** Whether a reference is one of ours for a payout. */
export const isPayoutReference = (reference: string | null): boolean =>
  /^po-[0-9a-f]{24}(-\d+)?$/.test(reference ?? '')

/**
 * Returns the reference of a refund at a provider with idempotency keys, the same on every try of a
 * submission.
 */
export const refundReference = ({ id, attempt }: { id: string; attempt: number }): string =>
  numbered(`re-${id}`, attempt)

/** Returns the provider's reference of a card payment's start. */
export const checkoutReference = ({ id, starts }: { id: string; starts: number }): string =>
  numbered(`tr-${id}`, starts)

/** References that providers know our orders by, and the providers' own ids of orders. */
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

/** Returns the provider's id of an order; null where none is kept. @param reference ours */
export const findOrder = async (
  { db, livemode, name }: AccountKey,
  reference: string,
): Promise<string | null> =>
  (await db.row(selectOrder, [livemode, name, reference]))?.provider_id ?? null

/** Keeps the provider's id of an order. Idempotent: the first id stays. */
export async function keepOrder(
  { db, livemode, name, clock }: AccountKey,
  reference: string,
  id: string,
): Promise<void> {
  await db.rows(insertOrder, [livemode, name, reference, id, clock.now()])
}

/** Returns when an order was made, by the first eight digits of its id. */
export const madeAt = (id: string): Date => new Date(Number.parseInt(id.slice(0, 8), 16) * 1_000)

/** Returns a name that no two submissions share: the second has `-2` after it. */
const numbered = (name: string, nth: number): string => `${name}${nth > 1 ? `-${nth}` : ''}`

/**
 * Returns what a provider knows a payout by, on every try of a submission. Only an order that was
 * certainly refused is submitted again: its former reference may be used up.
 */
export const payoutReference = ({ id, attempt }: { id: string; attempt: number }): string =>
  numbered(`po-${id}`, attempt)

/** Whether a reference is one of ours for a payout. */
export const isPayoutReference = (reference: string | null): boolean =>
  /^po-[0-9a-f]{24}(-\d+)?$/.test(reference ?? '')

/** Returns what a provider with idempotency keys knows a refund by, on every try of a submission. */
export const refundReference = ({ id, attempt }: { id: string; attempt: number }): string =>
  numbered(`re-${id}`, attempt)

/** Returns what a provider knows a start of a card payment by. */
export const checkoutReference = ({ id, starts }: { id: string; starts: number }): string =>
  numbered(`tr-${id}`, starts)

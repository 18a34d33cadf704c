/**
 * What providers know orders by: our references; and what they call them, for those that find one
 * by their own name of it alone.
 */
import { type Database, sqlOfAll } from '../../db/db.ts'
import type { Clock } from '../../lib/clock.ts'

const selectOrder = sqlOfAll<{ provider_id: string }>(
  'rails.select_order',
  'select provider_id from provider_orders where livemode = $1 and rail = $2 and reference = $3',
)
const insertOrder = sqlOfAll(
  'rails.insert_order',
  `insert into provider_orders (livemode, rail, reference, provider_id, created_at) values ($1, $2, $3, $4, $5)
   on conflict (livemode, rail, reference) do nothing`,
)

type Keeper = { db: Database; livemode: boolean; name: string; clock: Clock }

/** @param reference ours, as it was sent; null where none is kept */
export const findOrder = async (
  { db, livemode, name }: Keeper,
  reference: string,
): Promise<string | null> =>
  (await db.row(selectOrder, [livemode, name, reference]))?.provider_id ?? null

/** Keeps it. Idempotent: the first stays. */
export async function keepOrder(
  { db, livemode, name, clock }: Keeper,
  reference: string,
  id: string,
): Promise<void> {
  await db.rows(insertOrder, [livemode, name, reference, id, clock.now()])
}

/** When an order was made, as the first eight digits of its id say. */
export const madeAt = (id: string): Date => new Date(Number.parseInt(id.slice(0, 8), 16) * 1_000)

/** A name that no two submissions share: the second has `-2` after it. */
const numbered = (name: string, nth: number): string => `${name}${nth > 1 ? `-${nth}` : ''}`

/**
 * What a provider knows a payout by, on every try of a submission. Only one that was certainly
 * refused is submitted anew: its former reference may be used up.
 */
export const payoutReference = ({ id, attempt }: { id: string; attempt: number }): string =>
  numbered(`po-${id}`, attempt)

/** Whether a reference is one of ours for a payout. */
export const isPayoutReference = (reference: string | null): boolean =>
  /^po-[0-9a-f]{24}(-\d+)?$/.test(reference ?? '')

/** What a provider that has idempotency knows a refund by, on every try of a submission. */
export const refundReference = ({ id, attempt }: { id: string; attempt: number }): string =>
  numbered(`re-${id}`, attempt)

/** What a provider knows a start of a payment by card by. */
export const checkoutReference = ({ id, starts }: { id: string; starts: number }): string =>
  numbered(`tr-${id}`, starts)

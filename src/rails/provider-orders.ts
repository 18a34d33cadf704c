/** What providers call the orders that they were sent, for those that find one by their own name of it alone. */
import { type Database, sqlOfAll } from '../db/db.ts'
import type { Clock } from '../lib/clock.ts'

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
export const findOrder = async ({ db, livemode, name }: Keeper, reference: string): Promise<string | null> =>
  (await db.row(selectOrder, [livemode, name, reference]))?.provider_id ?? null

/** Keeps it. Idempotent: the first stays. */
export async function keepOrder({ db, livemode, name, clock }: Keeper, reference: string, id: string): Promise<void> {
  await db.rows(insertOrder, [livemode, name, reference, id, clock.now()])
}

/** When an order was made, as the first eight digits of its id say. */
export const madeAt = (id: string): Date => new Date(Number.parseInt(id.slice(0, 8), 16) * 1_000)

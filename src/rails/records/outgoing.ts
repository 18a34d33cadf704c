/**
 * Whether orders to pay may be sent. After data were restored from a backup they may not, until a
 * person releases them: what the rails were sent since the backup, the restored data do not know.
 */
import { gatheredReads } from '../../db/batch.ts'
import { type Database, type Queryable, sqlOfAll } from '../../db/db.ts'
import type { WithTerms } from '../accounts/choice.ts'
import type { Obstruction } from '../ports/rail.ts'

/**
 * `heldAt`: since when nothing is sent, or null; `restoredAt`: when data were restored last, or
 * null; `dataOf`: until when they reach.
 */
export type Outgoing = { heldAt: Date | null; restoredAt: Date | null; dataOf: Date | null }

/** One row, by an index of none or few. */
const selectOutgoing = sqlOfAll<{
  held_at: Date | null
  restored_at: Date | null
  data_of: Date | null
}>(
  'outgoing.select',
  `select min(placed_at) filter (where released_at is null) as held_at,
          max(placed_at) filter (where reason = 'restored') as restored_at,
          (array_agg(data_of order by placed_at desc) filter (where reason = 'restored'))[1] as data_of
     from outgoing_holds`,
)

export async function outgoingOf(db: Queryable): Promise<Outgoing> {
  const row = await db.row(selectOutgoing)
  return {
    heldAt: row?.held_at ?? null,
    restoredAt: row?.restored_at ?? null,
    dataOf: row?.data_of ?? null,
  }
}

const readTogether = gatheredReads<null, Outgoing>(async (db, orders) => {
  const outgoing = await outgoingOf(db)
  return orders.map(() => outgoing)
})

/** The same, for an order that is worked on: it is read once for those that ask at the time. */
export const outgoingForOrder = (db: Database): Promise<Outgoing> => readTogether(db, null)

const addHold = sqlOfAll(
  'outgoing.hold',
  `insert into outgoing_holds (id, reason, data_of, placed_at) values ($1, $2, $3, $4)`,
)

/**
 * Holds what is sent from now on; an order that is being sent goes on. @param dataOf until when
 * restored data reach, where that is known
 */
export async function holdOutgoing(
  db: Queryable,
  hold: { id: string; reason: 'restored' | 'operator'; dataOf: Date | null; at: Date },
): Promise<void> {
  await db.rows(addHold, [hold.id, hold.reason, hold.dataOf, hold.at])
}

const releaseHolds = sqlOfAll<{ id: string }>(
  'outgoing.release',
  'update outgoing_holds set released_at = $1, released_by = $2 where released_at is null returning id',
)

/** Lets orders go again. @param by who says so. @returns whether they were held */
export async function releaseOutgoing(db: Queryable, at: Date, by: string): Promise<boolean> {
  return (await db.rows(releaseHolds, [at, by])).length > 0
}

/** What keeps an order from being sent while outgoing money is held. */
export function heldObstruction({ restoredAt }: Outgoing): Obstruction {
  const since = restoredAt === null ? '' : ' since data were restored'
  return {
    obstacle: 'held',
    sentence: `outgoing money is held${since}: \`bursar outgoing status\` says what to do`,
  }
}

/**
 * Whether an order that is unsent by its record may be at its rail all the same: while outgoing
 * money is held after a restore. The sandbox's books are in the same backup.
 */
export async function mayBeSent(
  { reader, terms }: { reader: Queryable } & WithTerms,
  order: { rail: string; created_at: Date; sent_at: Date | null },
): Promise<boolean> {
  if (order.rail === terms.test.sandbox.cards.name) return false
  const outgoing = await outgoingOf(reader)
  return outgoing.heldAt !== null && isOlderThanRestore(outgoing, order)
}

/**
 * Whether an order was made, and was sent last if it ever was, before data were restored: what came
 * of it later may be unknown here.
 */
export function isOlderThanRestore(
  { restoredAt }: Outgoing,
  { created_at, sent_at }: { created_at: Date; sent_at: Date | null },
): boolean {
  return (
    restoredAt !== null && created_at < restoredAt && (sent_at === null || sent_at < restoredAt)
  )
}

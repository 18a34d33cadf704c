/**
 * Whether orders may be sent. After a restored backup they are held until a person releases them,
 * because the restored data lack orders sent since the backup.
 */
import { gatheredReads } from '../../db/batch.ts'
import { type Database, type Queryable, sqlOfAll } from '../../db/db.ts'
import type { WithTerms } from '../accounts/choice.ts'
import type { Obstruction } from '../ports/rail.ts'

/**
 * `heldAt`: since when nothing is sent, or null; `restoredAt`: the last restore, or null; `dataOf`:
 * the time that the restored data reach.
 */
export type Outgoing = { heldAt: Date | null; restoredAt: Date | null; dataOf: Date | null }

/** One row, by an index with at most a few entries. */
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

/** The same for an order in progress, batched with concurrent reads. */
export const outgoingForOrder = (db: Database): Promise<Outgoing> => readTogether(db, null)

const addHold = sqlOfAll(
  'outgoing.hold',
  `insert into outgoing_holds (id, reason, data_of, placed_at) values ($1, $2, $3, $4)`,
)

/**
 * Holds orders from now on; an order in flight continues. @param dataOf the time that restored data
 * reach, if known
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

/** Releases held orders. @param by the deciding person. @returns whether they were held */
export async function releaseOutgoing(db: Queryable, at: Date, by: string): Promise<boolean> {
  return (await db.rows(releaseHolds, [at, by])).length > 0
}

/** Returns the obstruction of orders while outgoing money is held. */
export function heldObstruction({ restoredAt }: Outgoing): Obstruction {
  const since = restoredAt === null ? '' : ' since data were restored'
  return {
    obstacle: 'held',
    sentence: `outgoing money is held${since}: \`bursar outgoing status\` says what to do`,
  }
}

/**
 * Whether an unsent order may still be at its rail: while outgoing money is held after a restore.
 * The sandbox's books are in the same backup.
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
 * Whether an order was created, and last sent if ever, before a restore: its later history may be
 * unknown here.
 */
export function isOlderThanRestore(
  { restoredAt }: Outgoing,
  { created_at, sent_at }: { created_at: Date; sent_at: Date | null },
): boolean {
  return (
    restoredAt !== null && created_at < restoredAt && (sent_at === null || sent_at < restoredAt)
  )
}

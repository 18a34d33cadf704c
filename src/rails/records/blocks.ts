/**
 * What keeps an account from paying out until a person has acted at its provider: kept in the
 * database, so that every process and the next start know it.
 */
import { type Database, sqlOfAll } from '../../db/db.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Obstacle } from '../ports/rail.ts'

const selectBlock = sqlOfAll<{ obstacle: Obstacle; since: Date }>(
  'rails.select_block',
  'select obstacle, since from provider_blocks where livemode = $1 and rail = $2',
)
const insertBlock = sqlOfAll(
  'rails.insert_block',
  `insert into provider_blocks (livemode, rail, obstacle, since) values ($1, $2, $3, $4)
   on conflict (livemode, rail) do nothing`,
)
const deleteBlock = sqlOfAll<{ obstacle: Obstacle; since: Date }>(
  'rails.delete_block',
  'delete from provider_blocks where livemode = $1 and rail = $2 returning obstacle, since',
)

type Account = { db: Database; livemode: boolean; name: string; clock: Clock }

export type Block = { obstacle: Obstacle; since: Date }

export const blockOf = ({ db, livemode, name }: Account): Promise<Block | null> =>
  db.row(selectBlock, [livemode, name])

/** Idempotent: the first reason stays. */
export async function block(
  { db, livemode, name, clock }: Account,
  obstacle: Obstacle,
): Promise<void> {
  await db.rows(insertBlock, [livemode, name, obstacle, clock.now()])
}

/** Lifts what a person has mended. @returns what it was, or null when nothing was */
export const unblock = (db: Database, livemode: boolean, name: string): Promise<Block | null> =>
  db.row(deleteBlock, [livemode, name])

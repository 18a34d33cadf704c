/**
 * Blocks of accounts: payouts stop until a person has acted at the provider. Stored in the
 * database, for every process and restart.
 */
import { type Database, sqlOfAll } from '../../db/db.ts'
import type { Obstacle } from '../ports/rail.ts'
import type { AccountKey } from './account-key.ts'

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

export type Block = { obstacle: Obstacle; since: Date }

export const blockOf = ({ db, livemode, name }: AccountKey): Promise<Block | null> =>
  db.row(selectBlock, [livemode, name])

/** Blocks an account. Idempotent: the first reason stays. */
export async function blockAccount(
  { db, livemode, name, clock }: AccountKey,
  obstacle: Obstacle,
): Promise<void> {
  await db.rows(insertBlock, [livemode, name, obstacle, clock.now()])
}

/** Lifts a block that a person has resolved. @returns the block, or null if there was none */
export const unblockAccount = (
  db: Database,
  livemode: boolean,
  name: string,
): Promise<Block | null> => db.row(deleteBlock, [livemode, name])

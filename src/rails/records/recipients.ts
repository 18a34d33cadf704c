/**
 * Whom providers know as recipients: made once for each account that is paid to, and kept by a
 * digest of it, so that no account number stands in one more table.
 */
import { type Database, sqlOfAll } from '../../db/db.ts'
import type { Clock } from '../../lib/clock.ts'
import { sha256 } from '../../lib/secrets.ts'

const selectRecipient = sqlOfAll<{ code: string }>(
  'rails.select_recipient',
  'select code from provider_recipients where livemode = $1 and rail = $2 and digest = $3',
)
const insertRecipient = sqlOfAll(
  'rails.insert_recipient',
  `insert into provider_recipients (livemode, rail, digest, code, created_at) values ($1, $2, $3, $4, $5)
   on conflict (livemode, rail, digest) do update set code = excluded.code, created_at = excluded.created_at`,
)
const deleteRecipient = sqlOfAll(
  'rails.delete_recipient',
  'delete from provider_recipients where livemode = $1 and rail = $2 and digest = $3 and code = $4',
)

type Keeper = { db: Database; livemode: boolean; name: string; clock: Clock }
const keyOf = ({ livemode, name }: Keeper, to: string) => [livemode, name, sha256(to)] as const

/**
 * What the provider calls a recipient. @param to says who it is, and is not kept; null where none
 * is kept
 */
export const findRecipient = async (at: Keeper, to: string): Promise<string | null> =>
  (await at.db.row(selectRecipient, [...keyOf(at, to)]))?.code ?? null

/** Keeps a recipient, in the place of the one before. */
export async function keepRecipient(at: Keeper, to: string, code: string): Promise<void> {
  await at.db.rows(insertRecipient, [...keyOf(at, to), code, at.clock.now()])
}

/** Forgets one that the provider knows no more, if it is still the one that is kept. */
export async function dropRecipient(at: Keeper, to: string, code: string): Promise<void> {
  await at.db.rows(deleteRecipient, [...keyOf(at, to), code])
}

/**
 * Recipients at providers: created once per bank account, and stored by a digest instead of the
 * account number.
 */
import { sqlOfAll } from '../../db/db.ts'
import { sha256 } from '../../lib/secrets.ts'
import type { AccountKey } from './account-key.ts'

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

const keyOf = ({ livemode, name }: AccountKey, to: string) => [livemode, name, sha256(to)] as const

/**
 * Returns the provider's id of a recipient; null if none is stored.
 * @param to identifies the recipient, and is not stored itself
 */
export const findRecipient = async (at: AccountKey, to: string): Promise<string | null> =>
  (await at.db.row(selectRecipient, [...keyOf(at, to)]))?.code ?? null

/** Stores a recipient, and replaces the previous one. */
export async function keepRecipient(at: AccountKey, to: string, code: string): Promise<void> {
  await at.db.rows(insertRecipient, [...keyOf(at, to), code, at.clock.now()])
}

/** Deletes a recipient that the provider no longer knows, if it is still the stored one. */
export async function dropRecipient(at: AccountKey, to: string, code: string): Promise<void> {
  await at.db.rows(deleteRecipient, [...keyOf(at, to), code])
}

/**
 * Recipients at providers: made once for each bank account, and kept by its digest, so that no account
 * number stands in one more table.
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
 * Returns the provider's name of a recipient; null where none is kept.
 * @param to identifies the recipient, and is not kept itself
 */
export const findRecipient = async (at: AccountKey, to: string): Promise<string | null> =>
  (await at.db.row(selectRecipient, [...keyOf(at, to)]))?.code ?? null

/** Keeps a recipient, and replaces the one before. */
export async function keepRecipient(at: AccountKey, to: string, code: string): Promise<void> {
  await at.db.rows(insertRecipient, [...keyOf(at, to), code, at.clock.now()])
}

/** Forgets a recipient that the provider no longer knows, if it is still the one that is kept. */
export async function dropRecipient(at: AccountKey, to: string, code: string): Promise<void> {
  await at.db.rows(deleteRecipient, [...keyOf(at, to), code])
}

/**
 * The operator's keys. Each request looks its key up, because requests are rare and a revocation
 * must act at once.
 */
import { recordChange } from '../../books/audit/audit.ts'
import { operator } from '../../books/ledger/ledger.ts'
import type { Actor, App, Scope } from '../../core/app.ts'
import type { View, Work } from '../../core/inside.ts'
import { newLocator } from '../../lib/cells.ts'
import { refuse } from '../../lib/errors.ts'
import { isId, newId } from '../../lib/ids.ts'
import { sha256 } from '../../lib/secrets.ts'
import type { OperatorKeyRow } from './sql.ts'
import * as statements from './sql.ts'

/** The shortest interval between recorded uses. */
const useEveryMs = 60_000

/** The scope of the operator's own actions: no merchant, live mode. */
export const operatorScope = (now: Date, actor: Actor): Scope & { actor: Actor } => ({
  businessId: operator,
  livemode: true,
  now,
  actor,
})

/**
 * Authenticates an operator's key.
 * @throws {Refusal} `invalid_key` when it belongs to a business, or is unknown or revoked
 */
export async function authenticateOperator(
  app: App,
  key: string,
  address: string,
): Promise<Scope & { actor: Actor }> {
  if (!key.startsWith('op_'))
    refuse(
      'invalid_key',
      'What is below /operator takes a key of the operator (op_…): `bursar operator key create` makes one.',
    )
  const row = await app.db.row(statements.selectKeyByHash, [sha256(key)])
  if (!row)
    refuse('invalid_key', 'The operator’s key is not known. Check that it was copied whole.')
  const { id, hint, reviews, revoked_at, last_used_at } = row
  if (revoked_at !== null) refuse('invalid_key', `The key ${hint} was revoked.`)
  const now = app.clock.now()
  if (last_used_at === null || now.getTime() - last_used_at.getTime() >= useEveryMs)
    app.db
      .rows(statements.recordUse, [id, now, address])
      .catch((error) => app.log.warn({ err: error, key: id }, 'the use of a key was not written'))
  await app.prices.upTo(now)
  return operatorScope(now, { type: 'operator', at: now, key: { id, hint, address, reviews } })
}

/**
 * Creates a key, returned only here. Only its hash is stored.
 * @param reviews whether it may decide reviews
 */
export async function createOperatorKey(
  work: Work,
  name: string,
  reviews = false,
): Promise<OperatorKeyRow & { key: string }> {
  const { now, actor } = work.scope
  const key = `op_${newLocator(40)}`
  const hint = `${key.slice(0, 3)}…${key.slice(-4)}`
  const maker = actor?.type === 'person' ? actor.id : null
  const row = (await work.tx.row(statements.insertKey, [
    newId(now),
    sha256(key),
    hint,
    name,
    maker,
    reviews,
    now,
  ])) as OperatorKeyRow
  const after = { id: row.id, hint, name, reviews }
  await recordChange(work, { action: 'operator_key.created', subject: row.id, before: null, after })
  return { ...row, key }
}

/** Returns the keys, the newest first. */
export function listOperatorKeys({ reader }: Pick<View, 'reader'>): Promise<OperatorKeyRow[]> {
  return reader.rows(statements.selectKeys)
}

/** Revokes a key at once. @throws {Refusal} `not_found` */
export async function revokeOperatorKey(work: Work, id: string): Promise<OperatorKeyRow> {
  const before = isId(id) ? await work.tx.row(statements.lockKey, [id]) : null
  if (!before) refuse('not_found', `There is no key '${id}' of the operator.`)
  if (before.revoked_at !== null) return before
  const after = (await work.tx.row(statements.revokeKey, [id, work.scope.now])) as OperatorKeyRow
  const [was, is] = [{ revoked_at: null }, { revoked_at: after.revoked_at }]
  await recordChange(work, {
    action: 'operator_key.revoked',
    subject: before.id,
    before: was,
    after: is,
  })
  return after
}

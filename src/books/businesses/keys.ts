/** API keys: create, list, roll, revoke, and change scopes. They live in machine time. */
import { BlockList } from 'node:net'
import type { Actor, App } from '../../core/app.ts'
import { inside, type Work } from '../../core/inside.ts'
import { type Tx, transaction } from '../../db/db.ts'
import { newLocator } from '../../lib/cells.ts'
import { later } from '../../lib/clock.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { modeOf } from '../../lib/mode.ts'
import { sha256 } from '../../lib/secrets.ts'
import { addToBlockList } from '../../lib/setting-readers.ts'
import { recordChange } from '../audit/audit.ts'
import { forgetKeys, makersOf } from './authentication.ts'
import { defaultScopes, readScopes } from './scopes.ts'
import type { KeyRow } from './sql.ts'
import * as statements from './sql.ts'

/** The options of a new key. */
export type KeyOptions = {
  name: string
  /** Allowed addresses and CIDRs; none: any address. */
  allowIps?: string[]
  /** Undefined: the default scopes. */
  scopes?: readonly string[]
  /** The lifetime in milliseconds; null: until it is revoked. */
  lifetimeMs?: number | null
}

/** A new key: its text, which is returned only here, and its record. */
export type MadeKey = { key: string; record: KeyRow }

/**
 * Creates a key and stores only its hash. The scope's time must be machine time.
 * @throws {RangeError} for an invalid address or CIDR, or an invalid set of scopes
 */
export async function createKey(work: Work, options: KeyOptions): Promise<MadeKey> {
  const made = await insertKey(work, options)
  const { id } = made.record
  await recordChange(work, {
    action: 'key.created',
    subject: id,
    before: null,
    after: audited(made.record),
  })
  return made
}

/** @param before the key that it replaces */
async function insertKey(work: Work, options: KeyOptions, before?: KeyRow): Promise<MadeKey> {
  const { livemode, now, actor } = work.scope
  const { name, allowIps = [], scopes = defaultScopes, lifetimeMs = null } = options
  for (const address of allowIps) addToBlockList(new BlockList(), address)
  const key = `sk_${modeOf(livemode)}_${newLocator(32)}`
  const record = await work.row(statements.insertKey, [
    newId(now),
    sha256(key),
    hintOf(key),
    name,
    allowIps,
    readScopes(scopes),
    lifetimeMs,
    now,
    lifetimeMs === null ? null : later(now, lifetimeMs),
    before ? (before.root_id ?? before.id) : null,
    actor?.type === 'person' ? actor.id : (before?.made_by ?? null),
    before ? makersOf(before) : [],
  ])
  return { key, record: record as KeyRow }
}

/** Returns the audit log's view of a key. */
function audited({ id, hint, name, allow_ips, scopes, expires_at }: KeyRow) {
  return { id, hint, name, allow_ips, scopes, expires_at }
}

const hintOf = (key: string): string => `${key.slice(0, 8)}…${key.slice(-4)}`

export function listKeys(app: App, businessId: Id): Promise<KeyRow[]> {
  return app.db.rows(statements.selectKeys, [businessId])
}

/** Returns the business of a key, or null. */
export async function findKeyOwner(app: App, keyId: Id): Promise<Id | null> {
  const owners = await app.db.rows(statements.selectKeyOwners, [keyId])
  return owners.length === 1 ? (owners[0] as { business_id: Id }).business_id : null
}

/** Runs an operator's change of a locked key. Every process applies it within a second. */
async function changing<T>(
  app: App,
  { businessId, keyId }: { businessId: Id; keyId: Id },
  change: (work: Work, key: KeyRow) => Promise<T>,
): Promise<T | null> {
  const now = app.clock.now()
  const changed = await transaction(app.db, async (tx: Tx) => {
    const key = await tx.row(statements.lockKey, [businessId, keyId])
    if (!key) return null
    const actor: Actor = { type: 'operator', at: now }
    return change(inside(app, tx, { businessId, livemode: key.livemode, now, actor }), key)
  })
  forgetKeys()
  return changed
}

/**
 * Revokes a key in every process within a second.
 * @returns null if the key does not exist
 */
export function revoke(app: App, businessId: Id, keyId: Id): Promise<KeyRow | null> {
  return changing(app, { businessId, keyId }, revokeLocked)
}

/** Revokes a locked key, in machine time. */
export async function revokeLocked(work: Work, key: KeyRow): Promise<KeyRow> {
  const revoked = (await work.tx.row(statements.revokeKey, [
    key.business_id,
    key.id,
    work.scope.now,
  ])) as KeyRow
  await recordRevoked(work, key, revoked)
  return revoked
}

const recordRevoked = (work: Work, { id, revoked_at }: KeyRow, revoked: KeyRow): Promise<void> => {
  const [before, after] = [{ revoked_at }, { revoked_at: revoked.revoked_at }]
  return recordChange(work, { action: 'key.revoked', subject: id, before, after })
}

/**
 * Changes the scopes of a key, in every process within a second.
 * @returns null if the key does not exist or is revoked
 * @throws {RangeError} for an invalid set of scopes
 */
export async function changeScopes(
  app: App,
  businessId: Id,
  keyId: Id,
  scopes: readonly string[],
): Promise<KeyRow | null> {
  const wanted = readScopes(scopes)
  return changing(app, { businessId, keyId }, (work, key) => changeScopesLocked(work, key, wanted))
}

/**
 * Changes the scopes of a locked key.
 * @throws {RangeError} for an invalid set of scopes
 */
export async function changeScopesLocked(
  work: Work,
  { business_id: businessId, id, scopes, revoked_at, changed_by }: KeyRow,
  wanted: readonly string[],
): Promise<KeyRow | null> {
  if (revoked_at !== null) return null
  const read = readScopes(wanted)
  const { actor } = work.scope
  const by = actor?.type === 'person' ? [...new Set([...changed_by, actor.id])] : changed_by
  const changed = (await work.tx.row(statements.changeScopes, [businessId, id, read, by])) as KeyRow
  await recordChange(work, {
    action: 'key.scopes_changed',
    subject: id,
    before: { scopes },
    after: { scopes: read },
  })
  return changed
}

/** What a roll may change. */
export type RollOptions = Pick<KeyOptions, 'scopes' | 'lifetimeMs'>

/** The new key, and the record of the old one. */
export type RolledKey = MadeKey & { old: KeyRow }

/**
 * Replaces a key by one with the same name, addresses, scopes and lifetime. The old key works for
 * `overlapMs` more; with 0 it is revoked.
 * @returns null if there is no active key with this id
 * @throws {RangeError} for an invalid set of scopes
 */
export function rollKey(
  app: App,
  businessId: Id,
  keyId: Id,
  overlapMs: number,
  options: RollOptions = {},
): Promise<RolledKey | null> {
  return changing(app, { businessId, keyId }, (work, key) =>
    rollLocked(work, key, overlapMs, options),
  )
}

/**
 * Rolls a locked key, in machine time.
 * @throws {RangeError} for an invalid set of scopes
 */
export async function rollLocked(
  work: Work,
  key: KeyRow,
  overlapMs: number,
  { scopes, lifetimeMs }: RollOptions = {},
): Promise<RolledKey | null> {
  const { now } = work.scope
  const old = await work.tx.row(statements.expireKey, [
    key.business_id,
    key.id,
    later(now, overlapMs),
    now,
  ])
  if (!old) return null
  const asMade = old.lifetime_ms === null ? null : Number(old.lifetime_ms)
  const options = {
    name: old.name,
    allowIps: old.allow_ips,
    scopes: scopes ?? old.scopes,
    lifetimeMs: lifetimeMs === undefined ? asMade : lifetimeMs,
  }
  const made = await insertKey(work, options, old)
  await recordChange(work, {
    action: 'key.rolled',
    subject: key.id,
    before: audited(key),
    after: { ...audited(made.record), old_key_expires_at: old.expires_at },
  })
  if (old.revoked_at !== null) await recordRevoked(work, key, old)
  return { old, ...made }
}

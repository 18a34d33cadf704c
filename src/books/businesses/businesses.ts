/**
 * Businesses and their keys: who may speak, for whom, and from where.
 */
import { BlockList, isIPv6 } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { App, Scope } from '../../core/app.ts'
import { inside, type Work } from '../../core/inside.ts'
import { byAsker, gatheredReads } from '../../db/batch.ts'
import { transaction } from '../../db/db.ts'
import { later } from '../../lib/clock.ts'
import { addToBlockList } from '../../lib/config.ts'
import { refuse } from '../../lib/errors.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { randomText, sha256, sha256Hex } from '../../lib/secrets.ts'
import { openAccounts, standardAccounts } from '../ledger/ledger.ts'
import { openProfile } from '../profiles/profiles.ts'
import { openWallets } from '../wallets/wallets.ts'
import type { BusinessRow, KeyRow } from './sql.ts'
import * as statements from './sql.ts'

export type { BusinessRow, KeyRow } from './sql.ts'

/** What stands on the other side of a business's money: the rails of a mode, and the source of simulated funds. */
const clearing = (livemode: boolean): string[] => (livemode ? ['evm'] : ['sandbox', 'simulated', 'evm'])

export type NewBusiness = { business: BusinessRow; test_key: string; live_key: string }

/** Makes a business with a key, wallets and ledger accounts in each mode. The keys are given here and never again. */
export async function createBusiness(app: App, name: string): Promise<NewBusiness> {
  const now = app.clock.now()
  const business: BusinessRow = { id: newId(now), name, created_at: now }
  return transaction(app.db, async (tx) => {
    await tx.rows(statements.insertBusiness, [business.id, name, now])
    const keys: Record<string, string> = {}
    for (const livemode of [false, true]) {
      const scope: Scope = { businessId: business.id, livemode, now }
      const work = inside(app, tx, scope)
      await openAccounts(work, standardAccounts(clearing(livemode)))
      await openWallets(work)
      await openProfile(tx, scope, name)
      const { key } = await createKey(work, { name: 'default', allowIps: [] })
      keys[livemode ? 'live' : 'test'] = key
    }
    return { business, test_key: keys.test as string, live_key: keys.live as string }
  })
}

export function listBusinesses(app: App): Promise<BusinessRow[]> {
  return app.db.rows(statements.selectBusinesses)
}

/**
 * Makes a key. Only its hash is stored: the text is given here and never again. Keys live in the machine's time: the scope's is that.
 * @throws {RangeError} when an allowed address is not an address or CIDR
 */
export async function createKey(
  work: Work,
  { name, allowIps }: { name: string; allowIps: string[] },
): Promise<{ key: string; record: KeyRow }> {
  const { livemode, now } = work.scope
  for (const address of allowIps) addToBlockList(new BlockList(), address)
  const key = `sk_${livemode ? 'live' : 'test'}_${randomText(32)}`
  const record = await work.row(statements.insertKey, [newId(now), sha256(key), hintOf(key), name, allowIps, now])
  return { key, record: record as KeyRow }
}

const hintOf = (key: string): string => `${key.slice(0, 8)}…${key.slice(-4)}`

export function listKeys(app: App, businessId: Id): Promise<KeyRow[]> {
  return app.db.rows(statements.selectKeys, [businessId])
}

/** The business whose key has an id, or null when there is none. */
export async function findKeyOwner(app: App, keyId: Id): Promise<Id | null> {
  const owners = await app.db.rows(statements.selectKeyOwners, [keyId])
  return owners.length === 1 ? (owners[0] as { business_id: Id }).business_id : null
}

/** Revokes a key. It stops working in every process within a second. */
export async function revoke(app: App, businessId: Id, keyId: Id): Promise<KeyRow | null> {
  forgetKeys()
  return app.db.row(statements.revokeKey, [businessId, keyId, app.clock.now()])
}

/**
 * Replaces a key by a new one with the same name and addresses; the old one works on for `overlapMs`.
 * @returns null when there is no such key in force
 */
export async function rollKey(
  app: App,
  businessId: Id,
  keyId: Id,
  overlapMs: number,
): Promise<{ key: string; record: KeyRow; old: KeyRow } | null> {
  const now = app.clock.now()
  return transaction(app.db, async (tx) => {
    const old = await tx.row(statements.expireKey, [businessId, keyId, later(now, overlapMs), now])
    if (!old) return null
    forgetKeys()
    const scope: Scope = { businessId, livemode: old.livemode, now }
    return { old, ...(await createKey(inside(app, tx, scope), { name: old.name, allowIps: old.allow_ips })) }
  })
}

type CachedKey = { row: KeyRow; allowed: BlockList | null; offsetMs: number; loadedAt: number }

/** A revoke must reach every process within a second, so nothing is remembered for longer. */
const rememberMs = 800
const mostRemembered = 20_000
const remembered = new Map<string, CachedKey>()

/** Makes this process look keys and test clocks up again. */
export function forgetKeys(): void {
  remembered.clear()
}

/** Waits until no process can remember a key or a test clock as it was when this was called. */
export function forgottenEverywhere(): Promise<void> {
  return sleep(rememberMs)
}

/**
 * Who a key speaks for, and what time it is there.
 * @throws {Refusal} `invalid_key` when it is unknown, revoked or expired; `address_not_allowed` when `ip` may not use it
 */
export async function authenticate(app: App, key: string, ip: string): Promise<Scope> {
  const cached = await findKey(app, key)
  const now = app.clock.now()
  const { row } = cached
  if (row.revoked_at !== null || (row.expires_at !== null && row.expires_at <= now))
    refuse('invalid_key', `The key ${row.hint} was revoked or has expired.`)
  if (cached.allowed && !isAllowed(cached.allowed, ip))
    refuse('address_not_allowed', `The key ${row.hint} may not be used from ${ip}.`)
  return { businessId: row.business_id, livemode: row.livemode, now: later(now, cached.offsetMs) }
}

async function findKey(app: App, key: string): Promise<CachedKey> {
  const hash = sha256Hex(key)
  const at = performance.now()
  const known = remembered.get(hash)
  if (known && at - known.loadedAt < rememberMs) return known
  const row = await keyGathered(app.db, hash)
  if (!row) refuse('invalid_key', 'The API key is not known. Check that it was copied whole.')
  let allowed: BlockList | null = null
  if (row.allow_ips.length > 0) {
    allowed = new BlockList()
    for (const address of row.allow_ips) addToBlockList(allowed, address)
  }
  if (remembered.size >= mostRemembered) remembered.clear()
  const cached = { row, allowed, offsetMs: Number(row.offset_ms ?? 0n), loadedAt: at }
  remembered.set(hash, cached)
  return cached
}

type FoundKey = KeyRow & { offset_ms: bigint | null }

/** Keys by their hashes in hex, null where there is none. */
const keyGathered = gatheredReads(async (db, hashes: string[]): Promise<(FoundKey | null)[]> => {
  const rows = await db.rows(statements.selectKeysByHash, [hashes.map((hash) => `\\x${hash}`)])
  return byAsker(rows, hashes.length)
})

/** An IPv4 client that reaches an IPv6 socket shows as `::ffff:a.b.c.d`; it is the same address. */
function isAllowed(allowed: BlockList, ip: string): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1]
  const address = mapped ?? ip
  return allowed.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

/** Authenticates API keys: business, mode, permissions, and last use. */
import { BlockList, isIPv6 } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Actor, App, Scope } from '../../core/app.ts'
import type { Work } from '../../core/inside.ts'
import { byAsker, gathered, gatheredReads } from '../../db/batch.ts'
import { Moved } from '../../db/moves/moved.ts'
import { later } from '../../lib/clock.ts'
import { refuse } from '../../lib/errors.ts'
import type { Id } from '../../lib/ids.ts'
import { sha256Hex } from '../../lib/secrets.ts'
import { addToBlockList } from '../../lib/setting-readers.ts'
import { requireScope } from './scopes.ts'
import type { KeyRow, StatusRow } from './sql.ts'
import * as statements from './sql.ts'
import { stoppedOf } from './standing.ts'

type CachedKey = {
  row: KeyRow & StatusRow
  allowed: BlockList | null
  offsetMs: number
  emptied: number
  loadedAt: number
}

/** The lifetime of cached keys: a revocation must reach every process within a second. */
const rememberMs = 800
const mostRemembered = 20_000
const remembered = new Map<string, CachedKey>()

/** Drops this process's cache of keys and test clocks. */
export function forgetKeys(): void {
  remembered.clear()
}

/** Waits until every process has dropped its older cache of keys and test clocks. */
export function forgottenEverywhere(): Promise<void> {
  return sleep(rememberMs)
}

/**
 * Returns the scope of a key: business, mode, time and actor.
 * @throws {Refusal} `invalid_key` if it is unknown, revoked or expired; `address_not_allowed` if
 * `ip` may not use it
 * @throws {Moved} if its business is in another database
 */
export async function authenticate(
  app: App,
  key: string,
  ip: string,
): Promise<Scope & { actor: Actor }> {
  const cached = await findKey(app, key)
  const now = app.clock.now()
  const known = app.prices.upTo(now)
  if (known) await known
  const { row, emptied } = cached
  if (row.revoked_at !== null || (row.expires_at !== null && row.expires_at <= now))
    refuse('invalid_key', `The key ${row.hint} was revoked or has expired.`)
  if (cached.allowed && !isAllowed(cached.allowed, ip))
    refuse('address_not_allowed', `The key ${row.hint} may not be used from ${ip}.`)
  if (row.last_used_at === null || now.getTime() - row.last_used_at.getTime() >= useEveryMs)
    recordUse(app, row, now, ip)
  const { id, hint, scopes, root_id } = row
  return {
    businessId: row.business_id,
    livemode: row.livemode,
    now: later(now, cached.offsetMs),
    stopped: stoppedOf(row),
    emptied,
    actor: {
      type: 'key',
      id,
      hint,
      scopes,
      address: ip,
      at: now,
      root: root_id ?? id,
      makers: makersOf(row),
    },
  }
}

/**
 * Returns the people who may know a key or have set its scopes: makers, and those who rolled or
 * re-scoped it or a predecessor.
 */
export function makersOf({ made_by, changed_by }: Pick<KeyRow, 'made_by' | 'changed_by'>): Id[] {
  return [...new Set([...(made_by === null ? [] : [made_by]), ...changed_by])]
}

/**
 * Returns the cached scope of a key, without a query.
 * @returns null if it is not cached
 */
export function scopeOfRemembered(key: string): Pick<Scope, 'businessId' | 'livemode'> | null {
  const row = remembered.get(sha256Hex(key))?.row
  return row && row.revoked_at === null
    ? { businessId: row.business_id, livemode: row.livemode }
    : null
}

/**
 * Checks the key's current scopes, and locks it: a concurrent change of scopes or revocation waits
 * for the transaction.
 * @throws {Refusal} `scope_missing`
 */
export async function requireScopeNow(
  work: Work,
  scope: Parameters<typeof requireScope>[1],
): Promise<void> {
  const { actor } = work.scope
  requireScope(work.scope, scope)
  if (actor?.type !== 'key') return
  const key = await work.row(statements.holdKey, [actor.id, actor.at])
  requireScope({ actor: { ...actor, scopes: key?.scopes ?? [] } }, scope)
}

/** The shortest interval between two recorded uses of a key. */
const useEveryMs = 60_000

/**
 * Records the use of a key without delaying the request. The cache is updated at once, so that it
 * is recorded once.
 */
function recordUse({ db, log }: App, row: KeyRow, at: Date, address: string): void {
  row.last_used_at = at
  writeUse(db, { businessId: row.business_id, id: row.id, at, address }).catch((error) =>
    log.warn({ err: error, key: row.id }, 'the use of a key was not written'),
  )
}

type KeyUse = { businessId: Id; id: Id; at: Date; address: string }

/** Uses of the same moment share a statement. */
const writeUse = gathered(
  async (db, uses: KeyUse[]) => {
    await db.rows(statements.recordUses, [
      uses.map(({ businessId }) => businessId),
      uses.map(({ id }) => id),
      uses.map(({ at }) => at),
      uses.map(({ address }) => address),
    ])
    return uses.map(() => ({ answer: null }))
  },
  { lanes: 1 },
)

async function findKey(app: App, key: string): Promise<CachedKey> {
  const hash = sha256Hex(key)
  const at = performance.now()
  const known = remembered.get(hash)
  if (known && at - known.loadedAt < rememberMs) return known
  const row = await keyGathered(app.db, hash)
  if (!row)
    refuse(
      'invalid_key',
      key.startsWith('op_')
        ? 'This is a key of the operator, which works below /operator alone. Use a key of the business.'
        : 'The API key is not known. Check that it was copied whole.',
    )
  if (row.moved_to !== null) throw new Moved(row.moved_to)
  let allowed: BlockList | null = null
  if (row.allow_ips.length > 0) {
    allowed = new BlockList()
    for (const address of row.allow_ips) addToBlockList(allowed, address)
  }
  if (remembered.size >= mostRemembered) remembered.clear()
  const cached = {
    row,
    allowed,
    offsetMs: Number(row.offset_ms ?? 0n),
    emptied: row.emptied ?? 0,
    loadedAt: at,
  }
  remembered.set(hash, cached)
  return cached
}

type FoundKey = KeyRow &
  StatusRow & { offset_ms: bigint | null; emptied: number | null; moved_to: string | null }

/** Reads keys by hash, in hex; null if unknown. */
const keyGathered = gatheredReads(async (db, hashes: string[]): Promise<(FoundKey | null)[]> => {
  const rows = await db.rows(statements.selectKeysByHash, [
    hashes.map((hash) => Buffer.from(hash, 'hex')),
  ])
  return byAsker(rows, hashes.length)
})

/** Treats `::ffff:a.b.c.d`, an IPv4 client on an IPv6 socket, as its IPv4 address. */
function isAllowed(allowed: BlockList, ip: string): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1]
  const address = mapped ?? ip
  return allowed.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

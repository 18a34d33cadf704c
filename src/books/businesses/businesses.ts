/** Businesses and their API keys. */
import type { App, Facts, Scope } from '../../core/app.ts'
import { inside } from '../../core/inside.ts'
import { type Tx, transaction } from '../../db/db.ts'
import { newId } from '../../lib/ids.ts'
import { modeOf } from '../../lib/mode.ts'
import { openAccounts, standardAccounts } from '../ledger/ledger.ts'
import { openProfile } from '../profiles/profiles.ts'
import { openWallets } from '../wallets/wallets.ts'
import { createKey } from './keys.ts'
import type { BusinessRow } from './sql.ts'
import * as statements from './sql.ts'

export {
  authenticate,
  forgetKeys,
  forgottenEverywhere,
  requireScopeNow,
  scopeOfRemembered,
} from './authentication.ts'
export {
  changeScopes,
  createKey,
  findKeyOwner,
  type KeyOptions,
  listKeys,
  revoke,
  rollKey,
} from './keys.ts'
export {
  canPayAnybody,
  defaultScopes,
  mayDo,
  readScopes,
  refusalOfStopped,
  requireActive,
  requireScope,
} from './scopes.ts'
export type { BusinessRow, KeyRow, OperatedRow } from './sql.ts'
export {
  type BusinessStatus,
  businessStatuses,
  changeStatus,
  findOperated,
  listOperated,
  requireActiveNow,
  standingsIn,
  stoppedNow,
  stoppedOf,
} from './standing.ts'

/** Returns the clearing accounts of a mode: its rails, and the source of simulated funds. */
const clearing = (livemode: boolean): string[] =>
  livemode ? ['evm'] : ['sandbox', 'simulated', 'evm']

export type NewBusiness = { business: BusinessRow; test_key: string; live_key: string }

/**
 * Creates a business with a key, wallets and ledger accounts in each mode. The keys are returned
 * only here.
 */
export function createBusiness(app: App, name: string): Promise<NewBusiness> {
  return transaction(app.db, (tx) => createBusinessIn(app, tx, { name, now: app.clock.now() }))
}

/** Creates a business in a transaction, on behalf of the actor. */
export async function createBusinessIn(
  facts: Facts,
  tx: Tx,
  { name, now, actor }: { name: string } & Pick<Scope, 'now' | 'actor'>,
): Promise<NewBusiness> {
  const business: BusinessRow = { id: newId(now), name, created_at: now }
  await tx.rows(statements.insertBusiness, [business.id, name, now])
  const keys: Record<string, string> = {}
  for (const livemode of [false, true]) {
    const scope: Scope = { businessId: business.id, livemode, now, ...(actor ? { actor } : {}) }
    const work = inside(facts, tx, scope)
    await openAccounts(work, standardAccounts(clearing(livemode)))
    await openWallets(work)
    await openProfile(tx, scope, name)
    const { key } = await createKey(work, { name: 'default' })
    keys[modeOf(livemode)] = key
  }
  return { business, test_key: keys.test as string, live_key: keys.live as string }
}

export function listBusinesses(app: App): Promise<BusinessRow[]> {
  return app.db.rows(statements.selectBusinesses)
}

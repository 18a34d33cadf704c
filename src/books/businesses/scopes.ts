/** The scopes of API keys. The routes say which scope an operation needs. */
import type { Actor, Stopped } from '../../core/app.ts'
import { type KeyScope, keyScopes, type OperationScope } from '../../core/scopes.ts'
import { generalRefusal, type Refusal, refuse } from '../../lib/errors.ts'

/**
 * The default scopes of a key. Approving payouts and refunding elsewhere must be requested
 * explicitly.
 */
export const defaultScopes: readonly KeyScope[] = ['read', 'collect', 'payout', 'refund', 'manage']

/** Whether a key can send money to any recipient. */
export const canPayAnybody = (scopes: readonly string[]): boolean =>
  scopes.includes('payout') || scopes.includes('refund_elsewhere')

/**
 * Normalises scopes: unique and in a fixed order.
 * @throws {RangeError} for an unknown scope, for none, and for `approve` with `payout` or
 * `refund_elsewhere`, because no key may approve what it can create
 */
export function readScopes(names: readonly string[]): KeyScope[] {
  const unknown = names.find((name) => !(keyScopes as readonly string[]).includes(name))
  if (unknown !== undefined)
    throw new RangeError(`'${unknown}' is no scope: there are ${keyScopes.join(', ')}`)
  const scopes = keyScopes.filter((scope) => names.includes(scope))
  if (scopes.length === 0) throw new RangeError('a key needs a scope at least')
  if (scopes.includes('approve') && canPayAnybody(scopes))
    throw new RangeError(
      'approve and payout, or refund_elsewhere, cannot stand on one key: make a key for each',
    )
  return scopes
}

/** Whether the actor has a scope; the operator and the server itself have all. */
export function mayDo({ actor }: { actor?: Actor }, scope: OperationScope): boolean {
  if (actor?.type === 'operator') return scope !== 'review' || (actor.key?.reviews ?? true)
  return !actor || actor.scopes.includes(scope)
}

/** @throws {Refusal} `scope_missing` if the key or person lacks it */
export function requireScope({ actor }: { actor?: Actor }, scope: OperationScope): void {
  if (!actor || mayDo({ actor }, scope)) return
  if (actor.type === 'operator')
    refuse(
      'scope_missing',
      `The operator’s key ${actor.key?.hint} may not review: \`bursar operator key create --reviews\` makes one that may.`,
      { scope },
    )
  const sentence =
    actor.type === 'key'
      ? `The key ${actor.hint} lacks the scope '${scope}': use one that has it.`
      : `Your role lacks the right '${scope}' here: ask an owner or an admin of the business.`
  refuse('scope_missing', sentence, { scope })
}

/** @throws {Refusal} `business_suspended` or `business_closed`: no new collections and payouts */
export function requireActive({ stopped }: { stopped?: Stopped | null }): void {
  if (stopped) throw refusalOfStopped(stopped)
}

/** Returns the refusal for a stopped business. */
export function refusalOfStopped({ status, reason }: Stopped): Refusal {
  const why = reason === null ? '' : `: ${reason}`
  const said = status === 'closed' ? 'is closed' : 'was suspended by the operator of this server'
  return generalRefusal(
    `business_${status}`,
    `The business ${said}${why}. Everything can still be read, but nothing new is collected or paid out; ask the operator.`,
  )
}

/**
 * Where shares are paid: who changes it, what is written down of a change, and from when on the new
 * destination is paid.
 */
import { recordChange } from '../../books/audit/audit.ts'
import { requireScope } from '../../books/businesses/businesses.ts'
import type { Work } from '../../core/inside.ts'
import { later } from '../../lib/clock.ts'
import type { Id } from '../../lib/ids.ts'
import { payeeRulesOf } from '../../paying-out/limits/limits.ts'
import type { StoredDestination } from '../../platform/destinations/destinations.ts'
import { emit } from '../../platform/events/events.ts'
import { toWho, whoActs } from '../../platform/team/team.ts'
import { distributionEvents } from './events.ts'
import type { ShareRow } from './sql.ts'

export type PaidTo = Pick<
  ShareRow,
  'destination' | 'destination_changed_at' | 'destination_changed_by' | 'destination_usable_from'
>

/** Where a share is paid, and since when, as records say it. */
export const paidTo = (share: PaidTo | null): PaidTo => ({
  destination: share?.destination ?? null,
  destination_changed_at: share?.destination_changed_at ?? null,
  destination_changed_by: share?.destination_changed_by ?? null,
  destination_usable_from: share?.destination_usable_from ?? null,
})

/** Whether money goes to the same account, or address, of the same holder. */
export function isSameDestination(
  one: StoredDestination | null,
  other: StoredDestination | null,
): boolean {
  // What the installation adds to what was given may differ later: the bank's name, the token's
  // contract.
  const parts = ({ bank_name: _1, contract_address: _2, ...given }: Partial<StoredDestination>) =>
    JSON.stringify(Object.entries(given).sort())
  return parts(one ?? {}) === parts(other ?? {})
}

/**
 * What is said of destinations that are named or change now: who does it, and from when on they are
 * paid. Those of a new plan are paid at once, since its shares hold nothing that was meant for
 * another account.
 * @throws {Refusal} `scope_missing` without the right `manage`
 */
export async function destinationChange(
  work: Work,
  plan: 'new' | 'known',
): Promise<Omit<PaidTo, 'destination'>> {
  requireScope(work.scope, 'manage')
  const { now } = work.scope
  const { coolingOffMs } = await payeeRulesOf(work)
  const who = whoActs(work.scope)
  return {
    destination_changed_at: now,
    destination_changed_by: who && toWho(who),
    destination_usable_from: plan === 'new' ? now : later(now, coolingOffMs),
  }
}

/** Writes down which shares are paid elsewhere now, each by itself, and emits one event of them. */
export async function recordChanges(
  work: Work,
  distribution: Parameters<typeof emitChanged>[1],
  changes: { share: { id: Id } & PaidTo; before: PaidTo | null }[],
): Promise<void> {
  const audited = ({ destination, destination_usable_from }: PaidTo) => ({
    destination,
    destination_usable_from,
  })
  for (const { share, before } of changes)
    await recordChange(work, {
      action: 'distribution.destination_changed',
      subject: share.id,
      before: before && audited(before),
      after: audited(share),
    })
  if (changes.length > 0) await emitChanged(work, distribution)
}

type Changed = Parameters<
  typeof emit<typeof distributionEvents, 'distribution.destination_changed'>
>[3]
const emitChanged = (work: Work, distribution: Changed): Promise<void> =>
  emit(work, distributionEvents, 'distribution.destination_changed', distribution)

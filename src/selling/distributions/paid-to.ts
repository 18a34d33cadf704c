/** Destinations of shares: permission to change them, audit entries, and the cooling-off time. */
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

/** Returns a share's destination fields, as records show them. */
export const paidTo = (share: PaidTo | null): PaidTo => ({
  destination: share?.destination ?? null,
  destination_changed_at: share?.destination_changed_at ?? null,
  destination_changed_by: share?.destination_changed_by ?? null,
  destination_usable_from: share?.destination_usable_from ?? null,
})

/** Whether two destinations are the same account or address of the same holder. */
export function isSameDestination(
  one: StoredDestination | null,
  other: StoredDestination | null,
): boolean {
  // The server adds the bank's name and the token's contract, which may change later.
  const parts = ({ bank_name: _1, contract_address: _2, ...given }: Partial<StoredDestination>) =>
    JSON.stringify(Object.entries(given).sort())
  return parts(one ?? {}) === parts(other ?? {})
}

/**
 * Returns who changes a destination now, and when it can be paid. A new plan has no cooling-off
 * time, because its shares hold nothing yet.
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

/** Records an audit entry for each changed destination, and emits one event for all. */
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

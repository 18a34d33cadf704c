/**
 * The team of a business and changes of it. Each change locks the team, then checks the actor's
 * current role, so that a role revoked meanwhile no longer counts.
 */
import { recordTeamChange } from '../../books/audit/audit.ts'
import { requireScope } from '../../books/businesses/businesses.ts'
import type { View, Work } from '../../core/inside.ts'
import { later } from '../../lib/clock.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { followOwnerRemoved } from './former-owners.ts'
import {
  askForLoosening,
  cancelLoosening,
  confirmLoosening,
  findLoosening,
  looseningWaits,
  takeDueLoosening,
} from './loosenings.ts'
import { approverWaitMs } from './makers.ts'
import { refuse } from './refusals.ts'
import { mayGive, type PersonRole, rightsOf } from './roles.ts'
import { requireFreshFactor } from './sessions.ts'
import type { MemberRow } from './team-sql.ts'
import * as statements from './team-sql.ts'

export type { MemberRow as TeamMember } from './team-sql.ts'

/** Returns the members, highest roles first. */
export function listMembers({ reader, scope }: View): Promise<MemberRow[]> {
  return reader.rows(statements.selectMembers, [scope.businessId])
}

/**
 * Locks the team for a change. A person who changes a team must have shown a second factor
 * recently, because the change gives or removes power.
 * @returns the actor's current role; the operator has every right
 * @throws {Refusal} `scope_missing`, `factor_needed`, `sign_in_again`
 */
export async function lockTeam(work: Work): Promise<PersonRole> {
  const { businessId, actor } = work.scope
  requireScope(work.scope, 'team')
  if ((await work.tx.row(statements.lockTeam, [businessId])) === null)
    refuse('not_found', 'There is no such business.')
  if (actor?.type !== 'person') return 'owner'
  const own = await work.tx.row(statements.selectRole, [businessId, actor.id])
  if (!own || !mayGive(own.role, 'viewer'))
    refuse('scope_missing', 'Only owners and admins of the business can change its team.')
  requireFreshFactor(work.scope)
  return own.role
}

/** Returns a member whom the actor may change. @throws {Refusal} `not_found`, `role_above_own` */
async function touch(work: Work, own: PersonRole, personId: Id): Promise<statements.RoleRow> {
  const member = await work.tx.row(statements.selectRole, [work.scope.businessId, personId])
  if (!member) return refuse('not_found', 'There is no such person in the team.')
  if (!mayGive(own, member.role)) refuse('role_above_own')
  return member
}

/** @throws {Refusal} `last_owner` */
async function keepAnOwner({ tx, scope }: Work, personId: Id): Promise<void> {
  const others = await tx.row(statements.countOtherOwners, [scope.businessId, personId])
  if (others?.owners === 0n) refuse('last_owner')
}

/**
 * Changes a member's role. @throws {Refusal} `scope_missing`, `factor_needed`, `sign_in_again`,
 * `not_found`, `role_above_own`, `last_owner`
 */
export async function changeRole(work: Work, personId: Id, role: PersonRole): Promise<void> {
  const own = await lockTeam(work)
  const member = await touch(work, own, personId)
  if (!mayGive(own, role)) refuse('role_above_own')
  const isOwnerNoMore = member.role === 'owner' && role !== 'owner'
  if (isOwnerNoMore) await keepAnOwner(work, personId)
  await work.tx.rows(statements.updateRole, [work.scope.businessId, personId, role])
  if (isOwnerNoMore) await followOwnerRemoved(work, personId, member)
  const approves = (one: PersonRole): boolean => rightsOf(one, true).includes('approve')
  const { actor } = work.scope
  if (approves(role) && !approves(member.role))
    await recordGrant(work, personId, {
      givenBy: actor?.type === 'person' ? actor.id : null,
      isShown: false,
    })
  // Invitations to roles that the member may no longer give expire.
  if (!mayGive(role, member.role)) await revokeInvitationsBy(work, personId)
  await recordTeamChange(work, {
    action: 'person.role_changed',
    subject: personId,
    before: { role: member.role },
    after: { role },
  })
}

/**
 * Records who invited a person or gave a role that approves, and when. @param by.givenBy null: the
 * operator
 */
export async function recordGrant(
  { tx, scope: { businessId, now } }: Work,
  personId: Id,
  { givenBy, isShown }: { givenBy: Id | null; isShown: boolean },
): Promise<void> {
  await tx.rows(statements.insertGrant, [
    businessId,
    personId,
    givenBy,
    now,
    isShown,
    later(now, -approverWaitMs),
    newId(now),
  ])
}

/**
 * Removes a member from the team. @throws {Refusal} `scope_missing`, `factor_needed`,
 * `sign_in_again`, `not_found`, `role_above_own`, `last_owner`
 */
export async function removeMember(work: Work, personId: Id): Promise<void> {
  const own = await lockTeam(work)
  const member = await touch(work, own, personId)
  const { role } = member
  if (role === 'owner') await keepAnOwner(work, personId)
  await work.tx.rows(statements.deleteMembership, [work.scope.businessId, personId])
  if (role === 'owner') await followOwnerRemoved(work, personId, member)
  await revokeInvitationsBy(work, personId)
  await recordTeamChange(work, {
    action: 'person.removed',
    subject: personId,
    before: { role },
    after: null,
  })
}

async function revokeInvitationsBy(work: Work, personId: Id): Promise<void> {
  const { businessId, now } = work.scope
  for (const { id, role } of await work.tx.rows(statements.revokeInvitations, [
    businessId,
    null,
    null,
    personId,
    now,
  ]))
    await recordTeamChange(work, {
      action: 'invitation.revoked',
      subject: id,
      before: { role },
      after: null,
    })
}

/** Whether every member needs a second factor. */
export async function isSecondFactorRequired({ reader, scope }: View): Promise<boolean> {
  return (
    (await reader.row(statements.selectSecondFactorRequired, [scope.businessId]))
      ?.second_factor_required === true
  )
}

/**
 * Sets whether every member needs a second factor. A member who has not shown one then sees nothing
 * of the business. When a person turns it off, that waits (`loosenings.ts`).
 * @throws {Refusal} `scope_missing`, `factor_needed`, `sign_in_again`
 */
export async function requireSecondFactor(work: Work, required: boolean): Promise<void> {
  await lockAsOwner(work)
  const isRequired = await isSecondFactorRequired(work)
  const waiting = await findLoosening(work, 'second_factor')
  if (!required && isRequired && looseningWaits(work)) {
    const lines = ['Everybody in the team needs a second factor: yes → no']
    const before = { second_factor_required: true }
    return askForLoosening(work, 'second_factor', {
      change: { second_factor_required: false },
      before,
      lines,
    })
  }
  if (waiting) await cancelLoosening(work, 'second_factor', waiting.id)
  await setSecondFactorRequired(work, isRequired, required)
}

/**
 * Confirms, as a second owner, that the second factor is no longer required.
 * @throws {Refusal} those of `requireSecondFactor` and of `confirmLoosening`
 */
export async function confirmNoSecondFactor(work: Work, id: string): Promise<void> {
  await lockAsOwner(work)
  await confirmLoosening(work, 'second_factor', id)
  await setSecondFactorRequired(work, true, false)
}

/**
 * Cancels the request to stop requiring a second factor. @throws {Refusal} those of
 * `requireSecondFactor`; `not_found`
 */
export async function keepSecondFactor(work: Work, id: string): Promise<void> {
  await lockAsOwner(work)
  await cancelLoosening(work, 'second_factor', id)
}

/** Stops requiring a second factor when the wait is over, for its job. Idempotent. */
export async function stopSecondFactor(work: Work, id: unknown): Promise<void> {
  await work.tx.rows(statements.lockTeam, [work.scope.businessId])
  const due = await takeDueLoosening(work, 'second_factor', id)
  if (due) await setSecondFactorRequired(due.as, true, false)
}

async function lockAsOwner(work: Work): Promise<void> {
  if ((await lockTeam(work)) !== 'owner')
    refuse('scope_missing', 'Only an owner of the business can say that.')
}

async function setSecondFactorRequired(work: Work, before: boolean, after: boolean): Promise<void> {
  const { businessId } = work.scope
  await work.tx.rows(statements.updateSecondFactorRequired, [businessId, after])
  await recordTeamChange(work, {
    action: 'team.second_factor_required',
    subject: businessId,
    before: { second_factor_required: before },
    after: { second_factor_required: after },
  })
}

/**
 * Handles owners whom another owner removed or demoted. They could have canceled a loosening, so
 * from then on none takes effect by its waiting time alone.
 */
import { dashboardUrl } from '../../core/dashboard-url.ts'
import type { Work } from '../../core/inside.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { mailOnce } from '../mail/mail.ts'
import { ownerRemovedWaitMs, tightenLoosening } from './loosenings.ts'
import type { RoleRow } from './team-sql.ts'

const waitHours = ownerRemovedWaitMs / 3_600_000

/**
 * Handles an owner's removal or demotion, with the team locked: cancels pending loosenings, extends
 * the wait of later ones, and mails the former owner. Does nothing for an owner who leaves or for
 * changes by the operator.
 */
export async function followOwnerRemoved(work: Work, personId: Id, owner: RoleRow): Promise<void> {
  const { actor, businessId, now } = work.scope
  if (actor?.type !== 'person' || actor.id === personId) return
  await tightenLoosening(work)
  const { email, name, business } = owner
  const body = [
    `Hello ${name.replaceAll(/\s+/g, ' ')},`,
    '',
    `${actor.hint} removed you as an owner of ${business}, from ${actor.address}.`,
    '',
    `Pending changes that loosen its limits are canceled. For the next ${waitHours} hours, no such change takes effect unless a second person confirms it.`,
    'If you should still be an owner, tell the other owners and the people who run this server before then:',
    dashboardUrl(work, `/${businessId}/live/team`),
    '',
  ].join('\n')
  const subject = `You are no longer an owner of ${business}`
  await mailOnce(work, { about: `owner.removed ${newId(now)}`, recipient: email, subject, body })
}

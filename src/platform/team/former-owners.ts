/**
 * Owners who are owners no more because another owner has said so: nothing is loosened behind the back of who was to know of it, and could cancel it.
 */
import { dashboardUrl } from '../../core/dashboard-url.ts'
import type { Work } from '../../core/inside.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { mailOnce } from '../mail/mail.ts'
import { ownerRemovedWaitMs, tightenLoosening } from './loosenings.ts'
import type { RoleRow } from './team-sql.ts'

const waitHours = ownerRemovedWaitMs / 3_600_000

/**
 * Follows the removal of an owner, or a lower role, with the team locked: cancels what loosens and waits, has what is asked for from now on wait longer, and
 * mails the former owner. An owner who leaves, and what the operator does, changes nothing.
 */
export async function followOwnerRemoved(work: Work, personId: Id, owner: RoleRow): Promise<void> {
  const { actor, businessId, now } = work.scope
  if (actor?.type !== 'person' || actor.id === personId) return
  await tightenLoosening(work)
  const { email, name, business } = owner
  const body = [
    `Hello ${name.replaceAll(/\s+/g, ' ')},`,
    '',
    `${actor.hint} made you an owner of ${business} no longer, from ${actor.address}.`,
    '',
    `Changes that were to loosen its limits are canceled. For ${waitHours} hours, none takes effect without a second person.`,
    'If you should still be an owner, tell the other owners and whoever runs this server before then:',
    dashboardUrl(work, `/${businessId}/live/team`),
    '',
  ].join('\n')
  const subject = `You are no longer an owner of ${business}`
  await mailOnce(work, { about: `owner.removed ${newId(now)}`, recipient: email, subject, body })
}

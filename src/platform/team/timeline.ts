/**
 * Timelines of team members and invitations. They cover both modes, use the machine's time, and
 * show only to readers who may see actors.
 */
import { changesOf } from '../../books/audit/audit.ts'
import { mayDo } from '../../books/businesses/businesses.ts'
import { momentsOf, type TimelineSource } from '../../core/timeline.ts'
import { selectInvitationOf, selectMember } from './team-sql.ts'

export const personTimeline: TimelineSource = {
  kind: 'person',
  async read(view, id) {
    if (!mayDo(view.scope, 'manage')) return null
    const member = await view.reader.row(selectMember, [view.scope.businessId, id])
    if (member) {
      const { email, role, joined_at } = member
      return {
        status: 'member',
        moments: [{ at: joined_at, title: 'The person joined the team', detail: { email, role } }],
      }
    }
    // For a former member, the audit log has the last entry.
    const [last] = await changesOf(view, [id], 1)
    return last?.action.startsWith('person.') ? { status: 'removed', moments: [] } : null
  },
}

export const invitationTimeline: TimelineSource = {
  kind: 'invitation',
  async read(view, id) {
    if (!mayDo(view.scope, 'manage')) return null
    const row = await view.reader.row(selectInvitationOf, [view.scope.businessId, id])
    if (!row) return null
    const { email, role, created_at, expires_at, mailed_at, accepted_at, revoked_at } = row
    const now = view.scope.actor?.at ?? view.scope.now
    const open = accepted_at === null && revoked_at === null
    const expired = open && expires_at <= now
    return {
      status: accepted_at ? 'accepted' : revoked_at ? 'revoked' : expired ? 'expired' : 'open',
      moments: momentsOf([
        {
          at: created_at,
          title: 'A person was invited to the team',
          detail: { email, role, expires_at },
        },
        { at: mailed_at, title: 'The invitation was mailed' },
        { at: accepted_at, title: 'The invitation was accepted' },
        { at: revoked_at, title: 'The invitation was revoked' },
        { at: expired ? expires_at : null, title: 'The invitation expired' },
      ]),
      related: { person: row.accepted_by, invited_by: row.invited_by },
    }
  },
}

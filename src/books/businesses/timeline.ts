/**
 * Timelines of businesses, keys and audit entries. Every timeline already contains the audit
 * entries of its record.
 */
import { momentsOf, type TimelineSource } from '../../core/timeline.ts'
import { findChange } from '../audit/audit.ts'
import { mayDo } from './businesses.ts'
import { selectBusiness, selectKey } from './sql.ts'

export const businessTimeline: TimelineSource = {
  kind: 'business',
  async read(view, id) {
    if (id !== view.scope.businessId) return null
    const row = await view.reader.row(selectBusiness, [id])
    if (!row) return null
    const { name, status, status_at, status_reason, created_at } = row
    const stopped = status !== 'active'
    return {
      status,
      moments: momentsOf([
        { at: created_at, title: 'The business was made', detail: { name } },
        {
          at: status_at,
          title: stopped
            ? `The operator has ${status} the business`
            : 'The operator let the business go on',
          detail: status_reason === null ? {} : { reason: status_reason },
        },
      ]),
    }
  },
}

/** Only for people who may see actors. Keys live in machine time. */
export const keyTimeline: TimelineSource = {
  kind: 'api_key',
  async read(view, id) {
    if (!mayDo(view.scope, 'manage')) return null
    const row = await view.row(selectKey, [id])
    if (!row) return null
    const {
      hint,
      name,
      scopes,
      allow_ips,
      created_at,
      expires_at,
      revoked_at,
      last_used_at,
      last_used_from,
    } = row
    const now = view.scope.actor?.at ?? view.scope.now
    const expired = expires_at !== null && expires_at <= now
    return {
      status: revoked_at !== null ? 'revoked' : expired ? 'expired' : 'active',
      moments: momentsOf([
        {
          at: created_at,
          title: 'The key was made',
          detail: { hint, name, scopes, allow_ips, expires_at },
        },
        { at: last_used_at, title: 'The key was last used', detail: { address: last_used_from } },
        { at: expired && revoked_at === null ? expires_at : null, title: 'The key expired' },
        { at: revoked_at, title: 'The key was revoked' },
      ]),
      related: { first_key: row.root_id, person: row.made_by },
    }
  },
}

/** An entry, with the timeline of the changed record. Only for people who may see actors. */
export const auditTimeline: TimelineSource = {
  kind: 'audit_entry',
  async read(view, id) {
    const entry = mayDo(view.scope, 'manage') ? await findChange(view, id) : null
    if (entry === null) return null
    const { action, subject, actor, address, before, after, created_at } = entry
    return {
      status: null,
      moments: [
        {
          at: created_at,
          title: `The audit log recorded a change: ${action}`,
          detail: { action, actor, address, before, after },
          ids: { audit_entry: id, subject },
        },
      ],
      parts: [{ id: subject }],
      related: { subject },
    }
  },
}

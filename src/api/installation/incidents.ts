import { recordOperatorChange } from '../../books/audit/audit.ts'
import type { App } from '../../core/app.ts'
import { inside, type Work } from '../../core/inside.ts'
import type { Database, Queryable } from '../../db/db.ts'
import { refuse } from '../../lib/errors.ts'
import { modeOf } from '../../lib/mode.ts'
import {
  closeIncident,
  findIncident,
  type Incident,
  incidentKinds,
  listIncidents,
} from '../../platform/incidents/incidents.ts'
import { auditedName, deciderOf } from '../../platform/screening/screening.ts'

/** Returns an incident as the API shows it. */
export function incidentOf(incident: Incident) {
  const {
    livemode,
    subject,
    business_id: business,
    opened_at: created_at,
    detail,
    ...shown
  } = incident
  const { note = null, ...facts } = detail
  return {
    ...shown,
    status: shown.closed_at === null ? 'open' : 'closed',
    mode: modeOf(livemode),
    business,
    created_at,
    subject: subject === '' ? null : subject,
    todo: incidentKinds[shown.kind],
    detail: facts,
    note,
  }
}

/** Returns open incidents, the newest first, then closed ones. */
export async function incidentsOf(db: Database, status?: 'open' | 'closed') {
  const open = status === 'closed' ? [] : await listIncidents(db, {})
  const closed =
    status === 'open'
      ? []
      : (await listIncidents(db, { closed: true })).filter((one) => one.closed_at)
  return [...open, ...closed].map(incidentOf)
}

/** @throws {Refusal} `not_found` */
export const requireIncident = async (on: Queryable, id: string): Promise<Incident> =>
  (await findIncident(on, id)) ?? refuse('not_found', `There is no incident '${id}'.`)

/**
 * Closes an incident as the actor and audits that: for the incident's business, or else for the
 * operator. Idempotent.
 * @throws {Refusal} `not_found`
 */
export async function closeIt(
  work: Work,
  { clock, id, note }: { clock: App['clock']; id: string; note: string | null },
): Promise<Incident> {
  const { actor, ...scope } = work.scope
  const by = actor?.type === 'person' ? actor.hint : deciderOf(actor)
  const before = await requireIncident(work.tx, id)
  const closed = await closeIncident({ db: work.tx, clock }, before.id, by, note)
  if (closed === null) return requireIncident(work.tx, id)
  const { business_id: businessId, livemode } = closed
  const own = businessId === null ? scope : { ...scope, businessId, livemode }
  await recordOperatorChange(inside(work, work.tx, { ...own, ...(actor ? { actor } : {}) }), {
    action: 'incident.closed',
    subject: closed.id,
    before: { closed_at: null },
    after: { closed_at: closed.closed_at, kind: closed.kind, note, ...auditedName(actor) },
  })
  return closed
}

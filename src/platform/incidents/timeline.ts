import { momentsOf, type Part, type TimelineSource } from '../../core/timeline.ts'
import { isId } from '../../lib/ids.ts'
import { findOwnIncident, incidentsAbout } from './incidents.ts'

/** Kinds of records that an incident can be about. */
const kinds = ['payout', 'payment', 'refund', 'dispute', 'virtual_account', 'transaction'] as const

async function partsOf(
  ...[view, subject, limit]: Parameters<typeof incidentsAbout>
): Promise<Part[]> {
  return (await incidentsAbout(view, subject, limit)).map(({ id }) => ({ kind: 'incident', id }))
}

/** The finding is only for the operator; the business sees that a person checks it. */
export const incidentTimeline: TimelineSource = {
  kind: 'incident',
  async read(view, id) {
    const row = await findOwnIncident(view, id)
    if (!row) return null
    const { subject, opened_at, seen_at, closed_at, times } = row
    const kind = row.kind.replaceAll('_', ' ')
    return {
      status: closed_at === null ? 'open' : 'closed',
      moments: momentsOf([
        {
          at: opened_at,
          title: `A person of the operator’s has to look at it: ${kind}`,
          detail: { times, last: seen_at },
        },
        { at: closed_at, title: 'A person of the operator’s has looked at it' },
      ]),
      related: isId(subject) ? { subject } : {},
    }
  },
  partsOf: Object.fromEntries(kinds.map((kind) => [kind, partsOf])),
}

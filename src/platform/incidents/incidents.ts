/**
 * Incidents at providers' accounts, which stay open until a person closes them. They never close on
 * their own, and never move money.
 */
import type { App } from '../../core/app.ts'
import type { View, Work } from '../../core/inside.ts'
import { type Database, type Queryable, sql, sqlOfAll, sqlOfMany } from '../../db/db.ts'
import { type Id, isId, newId } from '../../lib/ids.ts'
import { toJson } from '../../lib/json.ts'
import { intoNotices } from '../notices/notices.ts'

/** The age at which something without an answer becomes an incident of the kind `stuck`. */
export const stuckAfterMs = 72 * 3_600_000

/** The kinds of incidents, each with what a person must do. Add new kinds here. */
export const incidentKinds = {
  unknown_subject:
    'A provider notifies of something that no record here is known by. Look it up there; `bursar rails events NAME --replay` once it is known.',
  unreadable_event:
    'A signed webhook is none that this version reads. `bursar rails events NAME --show ID` prints it.',
  unhandled_event:
    'A provider notifies of something that this version does nothing about, such as a dispute. Act on it there.',
  quarantined:
    'What a provider says of a record cannot be so, such as another amount. Nothing is booked by it.',
  reversed:
    'What was paid and booked was given back at the provider, by a refund or a dispute there. The books still have it: settle it with the merchant.',
  needs_attention:
    'A provider cannot give a refund back to where the money came from. Give it the bank account of the payer there.',
  stuck: 'A provider has given no answer about something for three days. It is asked about daily.',
  submission_unknown:
    'An order from a restored backup may have been paid under a reference that was not queried, so it is not sent. Look it up there. `bursar outgoing hold`, then `bursar outgoing paid ID --by NAME --reference TEXT` if it was paid. If it was not, `bursar outgoing cancel ID --by NAME --looked-up` while it is pending, else `bursar outgoing fail`: docs/backup.md.',
  otp_required:
    'A provider waits for a code before it pays, and payouts wait. Switch that off there, and then `bursar rails unblock NAME`.',
  approval_refused:
    'A provider asked whether to pay something that is not being paid here, and the answer was no. If no system of yours has made it, someone else has your key: roll it there.',
  missing_here:
    'A provider has a movement that is not booked here. Look it up there; a payment that is a business’s: `bursar rails assign`; one that no business claims: `bursar rails return`.',
  missing_there:
    'A movement is booked here that the provider does not list, or says has failed. Ask the provider.',
  amount_differs:
    'A movement is booked here with another amount than the provider lists. Ask the provider.',
  fee_differs: 'A provider keeps another fee for a movement than is booked here. Ask the provider.',
  rate_moved:
    'An official exchange rate has moved far, and is not used. Look it up; `bursar exchange accept ID` uses it, `bursar exchange refuse ID` does not.',
  balance_differs:
    'A provider owes another amount than the books say, and no movement explains it. `bursar rails reconcile NAME` shows how it comes about.',
} as const
export type IncidentKind = keyof typeof incidentKinds

export type NewIncident = {
  livemode: boolean
  /** The name of the account at the provider. */
  rail: string
  kind: IncidentKind
  /** The subject: an id of ours, or the provider's; omitted: the account. */
  subject?: string
  /** The business of the subject, if it belongs to one. */
  businessId?: Id
  /**
   * Details for the investigation: references and findings; no names of people, no account numbers,
   * no secrets.
   */
  detail: Record<string, unknown>
  /** The machine's time. */
  at: Date
}

export type Incident = {
  id: Id
  livemode: boolean
  rail: string
  kind: IncidentKind
  subject: string
  business_id: Id | null
  detail: Record<string, unknown>
  /** How often it was found while open, and when last. */
  times: number
  opened_at: Date
  seen_at: Date
  closed_at: Date | null
  closed_by: string | null
}

const columns =
  'id, livemode, rail, kind, subject, business_id, detail, times, opened_at, seen_at, closed_at, closed_by'

/** Notifies the team of a new incident about a record of its business. */
const upsert = sqlOfMany<{ id: Id }>(
  'incidents.open',
  `with opened as (
   insert into provider_incidents as known (id, livemode, rail, kind, subject, business_id, detail, opened_at, seen_at)
   values ($1, $2, $3, $4, $5, $6, $7::jsonb, $8, $8)
   on conflict (livemode, rail, kind, subject) where closed_at is null
   do update set times = known.times + 1, detail = excluded.detail, seen_at = excluded.seen_at
   returning id, livemode, rail, kind, business_id, times, opened_at
   ), notified as (
     ${intoNotices}
     select business_id, livemode, 'incident', id, replace(kind, '_', ' ') || ', at ' || rail, opened_at
       from opened where business_id is not null and times = 1
   )
   select id from opened`,
)

/**
 * Opens an incident, or counts a repeat of an open one: idempotent by mode, rail, kind and subject.
 * @param on the transaction that it belongs to (`work.tx`), or the database
 */
export async function openIncident(on: Queryable, incident: NewIncident): Promise<Id> {
  const { livemode, rail, kind, subject = '', businessId = null, detail, at } = incident
  const params = [newId(at), livemode, rail, kind, subject, businessId, toJson(detail), at]
  return ((await on.row(upsert, params)) as { id: Id }).id
}

/**
 * Opens an incident about a record of the business and mode, in the transaction that found it.
 * @param incident.at defaults to the time there
 */
export function openOwnIncident(
  { tx, scope: { businessId, livemode, now } }: Work,
  incident: Omit<NewIncident, 'businessId' | 'livemode' | 'at'> & { at?: Date },
): Promise<Id> {
  return openIncident(tx, { businessId, livemode, at: now, ...incident })
}

const selectIncidents = sqlOfAll<Incident>(
  'incidents.select',
  `select ${columns} from provider_incidents
    where ($1::text is null or rail = $1) and (closed_at is null or $2)
    order by id desc limit $3`,
)

/** Returns open incidents, or closed ones too, the newest first. */
export function listIncidents(
  db: Database,
  {
    rail = null,
    closed = false,
    limit = 1_000,
  }: { rail?: string | null; closed?: boolean; limit?: number },
): Promise<Incident[]> {
  return db.rows(selectIncidents, [rail, closed, limit])
}

const selectOwn = sql<Incident>(
  'incidents.select_own',
  `select ${columns} from provider_incidents
    where business_id = $1 and livemode = $2 and closed_at is null order by id desc limit $3`,
)

/** Returns the newest open incidents about records of the business. */
export const ownIncidents = (view: View, limit: number): Promise<Incident[]> =>
  view.rows(selectOwn, [limit])

const selectAbout = sql<Incident>(
  'incidents.select_about',
  `select ${columns} from provider_incidents
    where business_id = $1 and livemode = $2 and subject = $3 order by id desc limit $4`,
)

/** Returns the newest incidents about a record of the business, closed ones too. */
export const incidentsAbout = (view: View, subject: Id, limit: number): Promise<Incident[]> =>
  view.rows(selectAbout, [subject, limit])

const selectOwnById = sql<Incident>(
  'incidents.select_own_by_id',
  `select ${columns} from provider_incidents where business_id = $1 and livemode = $2 and id = $3`,
)

/** Returns an incident about a record of the business. */
export const findOwnIncident = (view: View, id: Id): Promise<Incident | null> =>
  view.row(selectOwnById, [id])

const selectClosed = sqlOfAll<{ kind: IncidentKind; subject: string }>(
  'incidents.select_closed',
  `select distinct kind, subject from provider_incidents
    where livemode = $1 and rail = $2 and subject = any($3) and closed_at is not null`,
)

/** Returns which kinds of incidents about subjects a person has closed before, at an account. */
export function closedBefore(db: Database, livemode: boolean, rail: string, subjects: string[]) {
  return db.rows(selectClosed, [livemode, rail, subjects])
}

const close = sqlOfAll<Incident>(
  'incidents.close',
  `update provider_incidents
      set closed_at = $2, closed_by = $3, detail = case when $4::text is null then detail else detail || jsonb_build_object('note', $4::text) end
    where id = $1 and closed_at is null returning ${columns}`,
)

/**
 * Closes an incident for the person who has checked it. If its cause is found again, another one
 * opens.
 * @param note the finding or action, stored in its detail
 * @returns null if there is no open incident with this id
 */
export function closeIncident(
  { db, clock }: { db: Queryable; clock: App['clock'] },
  id: string,
  by: string,
  note: string | null = null,
): Promise<Incident | null> {
  return db.row(close, [id, clock.now(), by, note])
}

const selectIncident = sqlOfAll<Incident>(
  'incidents.select_one',
  `select ${columns} from provider_incidents where id = $1`,
)

/** Returns the incident, or null. */
export async function findIncident(on: Queryable, id: string): Promise<Incident | null> {
  return isId(id) ? on.row(selectIncident, [id]) : null
}

const closeOpen = sqlOfAll(
  'incidents.close_payment',
  `update provider_incidents set closed_at = $5, closed_by = $6
    where livemode = $1 and rail = $2 and closed_at is null
      and (kind = 'missing_here' and subject = 'payment ' || $3
           or kind = 'unknown_subject' and detail ->> 'about' in ('checkout', 'deposit')
              and (detail ->> 'provider_id' = $3 or detail ->> 'reference' = $4))`,
)

/**
 * Closes the open incidents about an unbooked payment, for the person who has resolved it: the
 * missing payment, and the webhook with an unknown subject.
 * @param on the transaction that it belongs to (`work.tx`), or the database
 */
export async function closePayment(
  on: Queryable,
  { livemode, rail, payment, reference, by, at }: Unbooked & { by: string },
): Promise<void> {
  await on.rows(closeOpen, [livemode, rail, payment, reference, at, by])
}
type Unbooked = Pick<NewIncident, 'livemode' | 'rail' | 'at'> & {
  payment: string
  reference: string | null
}

const countOpen = sqlOfAll<{ livemode: boolean; rail: string; kind: IncidentKind; open: bigint }>(
  'incidents.count_open',
  `select livemode, rail, kind, count(*) as open from provider_incidents where closed_at is null group by 1, 2, 3 order by 1, 2, 3`,
)

/** Counts open incidents by mode, account and kind. */
export function countOpenIncidents(db: Database) {
  return db.rows(countOpen)
}

/**
 * Notices for the people of a business. They are written in the transaction of their cause; the
 * team module mails them.
 */
import type { Scope } from '../../core/app.ts'
import type { Work } from '../../core/inside.ts'
import { rowsOf, sqlOfAll, sqlOfMany, type Tx } from '../../db/db.ts'
import { type Id, newId } from '../../lib/ids.ts'

export const noticeKinds = [
  'payout_failed',
  'payout_waiting',
  'endpoint_failing',
  'incident',
  'dispute',
] as const
export type NoticeKind = (typeof noticeKinds)[number]

/** A line about what happened, without names of people. */
export type NewNotice = { scope: Scope; kind: NoticeKind; line: string }

/** The start of another module's statement that writes its own notices with its changes. */
export const intoNotices =
  'insert into team_notices (business_id, livemode, kind, id, line, created_at)'

const insertNotices = sqlOfMany(
  'notices.insert',
  `insert into team_notices (business_id, livemode, kind, id, line, made_by, created_at)
   ${rowsOf('business_id text, livemode boolean, kind text, id text, line text, made_by text, created_at timestamptz')}`,
)

/** Notifies the teams of any businesses. A person who caused a notice does not get it. */
export async function addNotices(tx: Tx, notices: NewNotice[]): Promise<void> {
  if (notices.length === 0) return
  const column = <T>(of: (one: NewNotice) => T): T[] => notices.map(of)
  await tx.rows(insertNotices, [
    column(({ scope }) => scope.businessId),
    column(({ scope }) => scope.livemode),
    column(({ kind }) => kind),
    column(({ scope }) => newId(scope.now)),
    column(({ line }) => line.slice(0, 500)),
    column(({ scope: { actor } }) => (actor?.type === 'person' ? actor.id : null)),
    column(({ scope }) => scope.now),
  ])
}

/** A business and mode with pending notices of a kind. */
export type Waiting = { business_id: Id; livemode: boolean; kind: NoticeKind }

/** One index step per kind, so its cost does not depend on the number of pending rows. */
const selectWaiting = sqlOfAll<Waiting>(
  'notices.select_waiting',
  `with recursive kinds as (
     (select business_id, livemode, kind from team_notices order by business_id, livemode, kind limit 1)
     union all
     select next.*
       from kinds k
      cross join lateral (
        select business_id, livemode, kind from team_notices
         where (business_id, livemode, kind) > (k.business_id, k.livemode, k.kind)
         order by business_id, livemode, kind limit 1) next
   )
   select k.business_id, k.livemode, k.kind
     from kinds k
     left join team_notice_times t on t.business_id = k.business_id and t.livemode = k.livemode and t.kind = k.kind
    where t.mailed_at is null or t.mailed_at <= $1`,
)

/** Returns pending notices of kinds without a mail since a time. */
export const waitingNotices = (db: { rows: Tx['rows'] }, since: Date): Promise<Waiting[]> =>
  db.rows(selectWaiting, [since])

/** Of two concurrent claims, the second finds that the mail was sent. */
const claimTime = sqlOfMany<{ mailed_at: Date }>(
  'notices.claim_time',
  `insert into team_notice_times as known (business_id, livemode, kind, mailed_at) values ($1, $2, $3, $4)
   on conflict (business_id, livemode, kind) do update set mailed_at = excluded.mailed_at where known.mailed_at <= $5
   returning mailed_at`,
)

/** What happened, by actor, with counts and the first lines. */
export type WaitingNotices = { made_by: Id | null; count: bigint; lines: string[] }

const takeNotices = sqlOfMany<WaitingNotices>(
  'notices.take',
  `with taken as (
     delete from team_notices where business_id = $1 and livemode = $2 and kind = $3 returning id, line, made_by
   )
   select made_by, count(*) as count, (array_agg(line order by id))[1:10] as lines from taken group by made_by
    order by min(id)`,
)

/**
 * Takes the pending notices of a kind, in the transaction that writes the mails.
 * @param since returns null if a mail was sent after it
 */
export async function takeWaiting(
  work: Work,
  kind: NoticeKind,
  now: Date,
  since: Date,
): Promise<WaitingNotices[] | null> {
  const { businessId, livemode } = work.scope
  if (!(await work.tx.row(claimTime, [businessId, livemode, kind, now, since]))) return null
  return work.tx.rows(takeNotices, [businessId, livemode, kind])
}

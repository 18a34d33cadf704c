/**
 * What the people of a business are notified of by mail. It is written in the transaction of what
 * happened; the team's module mails it.
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

/** What has happened, in a line without names of people. */
export type NewNotice = { scope: Scope; kind: NoticeKind; line: string }

/**
 * What a statement of another module begins with that writes notices of its own, with what it
 * changes.
 */
export const intoNotices =
  'insert into team_notices (business_id, livemode, kind, id, line, created_at)'

const insertNotices = sqlOfMany(
  'notices.insert',
  `insert into team_notices (business_id, livemode, kind, id, line, made_by, created_at)
   ${rowsOf('business_id text, livemode boolean, kind text, id text, line text, made_by text, created_at timestamptz')}`,
)

/**
 * Has the team notified of what happened, of any number of businesses. A person who did it is not
 * notified.
 */
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

/** Of a business and mode, one kind of which there is something to tell. */
export type Waiting = { business_id: Id; livemode: boolean; kind: NoticeKind }

/** Found by a step in the index for each kind: how many rows wait does not matter. */
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

/** What there is to notify of, where nobody was notified since a time. */
export const waitingNotices = (db: { rows: Tx['rows'] }, since: Date): Promise<Waiting[]> =>
  db.rows(selectWaiting, [since])

/** Of two who come at once, the second finds that it was notified of. */
const claimTime = sqlOfMany<{ mailed_at: Date }>(
  'notices.claim_time',
  `insert into team_notice_times as known (business_id, livemode, kind, mailed_at) values ($1, $2, $3, $4)
   on conflict (business_id, livemode, kind) do update set mailed_at = excluded.mailed_at where known.mailed_at <= $5
   returning mailed_at`,
)

/** What happened, by who did it; of each, how often, and the first lines. */
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
 * Takes what there is to tell of a kind, in the transaction that writes the mails.
 * @param since null is answered where somebody was notified after it
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

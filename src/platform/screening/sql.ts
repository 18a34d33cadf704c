import type { ReviewReason } from '../../core/review.ts'
import { sql, sqlOfAll } from '../../db/db.ts'
import * as t from '../../db/table.ts'
import type { Id } from '../../lib/ids.ts'
import type { ScreenHit } from '../../rails/ports/screen.ts'
import type { ReviewKind, ReviewStatus } from './schema.ts'

export const reviews = t.table('screening_reviews', {
  id: t.text<Id>(),
  kind: t.text<ReviewKind>(),
  subject: t.text<Id>(),
  reason: t.text<ReviewReason>(),
  hits: t.json<ScreenHit[]>(),
  status: t.defaulted(t.text<ReviewStatus>()),
  created_at: t.time(),
  decided_at: t.defaulted(t.nullable(t.time())),
  decided_by: t.defaulted(t.nullable(t.text())),
  note: t.defaulted(t.nullable(t.text())),
})
export type ReviewRow = t.RowOf<typeof reviews>
type OwnedReview = ReviewRow & { business_id: Id }
const columns = `business_id, ${t.columnsOf(reviews)}`

/** The released hits of a subject. */
export const selectReleased = sql<{ hits: ScreenHit[] }>(
  'screening.select_released',
  `select hits from screening_reviews
    where business_id = $1 and livemode = $2 and subject = $3 and status = 'released'`,
)

/** Ends a subject's pending or refused review. */
export const endReview = sql<{ id: Id }>(
  'screening.end_review',
  `update screening_reviews set status = $4, decided_at = $5, decided_by = $6, note = $7
    where business_id = $1 and livemode = $2 and subject = $3 and status = $8 returning id`,
)

/** A review of any business, because the operator decides on all. */
export const selectReview = sqlOfAll<OwnedReview>(
  'screening.select_review',
  `select ${columns} from screening_reviews where id = $1`,
)
export const selectWaiting = sqlOfAll<OwnedReview>(
  'screening.select_waiting',
  `select ${columns} from screening_reviews where status = 'waiting' and livemode = $2 order by id limit $1`,
)
export const selectEnded = sqlOfAll<OwnedReview>(
  'screening.select_ended',
  `select ${columns} from screening_reviews
    where status <> 'waiting' and ($2::text is null or status = $2) order by decided_at desc, id desc limit $1`,
)

export type EntryRow = {
  id: Id
  kind: 'block' | 'allow'
  key: string
  value: string
  list: string | null
  note: string | null
  made_by: string
  created_at: Date
}
const entryColumns = 'id, kind, key, value, list, note, made_by, created_at'

export const selectMatching = sqlOfAll<Pick<EntryRow, 'kind' | 'key' | 'list' | 'note'>>(
  'screening.select_matching',
  'select kind, key, list, note from screening_entries where key = any ($1::text[])',
)
export const selectEntries = sqlOfAll<EntryRow>(
  'screening.select_entries',
  `select ${entryColumns} from screening_entries order by id desc limit $1`,
)
export const insertEntry = sqlOfAll<EntryRow>(
  'screening.insert_entry',
  `insert into screening_entries (${entryColumns}) values ($1, $2, $3, $4, $5, $6, $7, $8)
   on conflict do nothing returning ${entryColumns}`,
)
export const deleteEntry = sqlOfAll<EntryRow>(
  'screening.delete_entry',
  `delete from screening_entries where id = $1 returning ${entryColumns}`,
)

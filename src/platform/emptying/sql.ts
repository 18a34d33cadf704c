import type { Actor } from '../../core/app.ts'
import { sqlOfAll, sqlOfMany } from '../../db/db.ts'
import type { Id } from '../../lib/ids.ts'

export type Removal = {
  id: Id
  requested_at: Date
  ended_at: Date | null
  /** The number of deleted rows by table. */
  rows: Record<string, number> | null
}

const columns = 'id, requested_at, ended_at, rows'

export const insertRemoval = sqlOfMany(
  'emptying.insert',
  `insert into test_data_removals (business_id, id, requested_by, requested_at) values ($1, $2, $3, $4)
   on conflict (business_id) where ended_at is null do nothing`,
)

export const selectOpen = sqlOfMany<Removal>(
  'emptying.select_open',
  `select ${columns} from test_data_removals where business_id = $1 and ended_at is null`,
)

export const selectRemoval = sqlOfMany<Removal>(
  'emptying.select',
  `select ${columns} from test_data_removals where business_id = $1 and id = $2`,
)

export const selectLatest = sqlOfMany<Removal>(
  'emptying.select_latest',
  `select ${columns} from test_data_removals where business_id = $1 order by id desc limit 1`,
)

/** Whether any request is pending. */
export const selectWaiting = sqlOfAll<{ waits: boolean }>(
  'emptying.select_waiting',
  'select exists (select from test_data_removals where ended_at is null) as waits',
)

type Emptied = { business_id: Id; id: Id; by: Actor; rows: Record<string, number> }

/** The function itself chooses the business. */
export const emptyNext = sqlOfAll<{ emptied: Emptied | null }>(
  'emptying.empty_next',
  'select empty_test_data() as emptied',
)

export const endRemoval = sqlOfMany(
  'emptying.end',
  'update test_data_removals set rows = $3, ended_at = $4 where business_id = $1 and id = $2',
)

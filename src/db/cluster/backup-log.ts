/** The log of the embedded database's backups and restore drills. */
import { type Database, sqlOfAll } from '../db.ts'

// Of the installation, not of a business.
const insertBackup = sqlOfAll(
  'backups.insert',
  'insert into backups (data_of, dir, bytes, made_at) values ($1, $2, $3, $4) on conflict (data_of) do nothing',
)
const updateTried = sqlOfAll(
  'backups.update_tried',
  'update backups set tried_at = $2, clean = $3 where data_of = $1',
)
const selectLatest = sqlOfAll<LatestBackups>(
  'backups.select_latest',
  `select (select max(data_of) from backups) as made_of,
          (select dir from backups order by data_of desc limit 1) as dir,
          (select max(tried_at) from backups where clean) as tried_at,
          (select max(tried_at) from backups where not clean) as dirty_at`,
)

/**
 * `made_of`: the data time of the last backup. `tried_at`: the last successful restore drill;
 * `dirty_at`: the last one that found violations.
 */
export type LatestBackups = {
  made_of: Date | null
  dir: string | null
  tried_at: Date | null
  dirty_at: Date | null
}

export async function latestBackups(db: Database): Promise<LatestBackups> {
  return (await db.row(selectLatest)) as LatestBackups
}

/** Records a backup. Idempotent. */
export async function recordBackup(
  db: Database,
  { dataOf, dir, bytes, at }: { dataOf: Date; dir: string; bytes: number; at: Date },
): Promise<void> {
  await db.rows(insertBackup, [dataOf, dir, bytes, at])
}

/** Records a restore drill; does nothing for backups that this database has not made. */
export async function recordDrill(
  db: Database,
  dataOf: Date,
  at: Date,
  clean: boolean,
): Promise<void> {
  await db.rows(updateTried, [dataOf, at, clean])
}

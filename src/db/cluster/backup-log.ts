/**
 * Which backups of the embedded database were made, and which of them were tried.
 */
import { type Database, sqlOfAll } from '../db.ts'

// Of the installation.
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
 * `made_of`: until when the data of the last backup reach; `tried_at`: when one was last restored
 * with clean books, `dirty_at`: with others.
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

/**
 * Records that a backup was restored as a drill; nothing for one that this database has not made.
 */
export async function recordDrill(
  db: Database,
  dataOf: Date,
  at: Date,
  clean: boolean,
): Promise<void> {
  await db.rows(updateTried, [dataOf, at, clean])
}

/**
 * Keeps what the dashboard answered to a form, encrypted and for an hour, so that the browser can be
 * redirected to it.
 */
import type { App } from '../../core/app.ts'
import { sqlOfAll } from '../../db/db.ts'
import { sealedColumn } from '../../db/sealed.ts'
import { later } from '../../lib/clock.ts'
import type { Id } from '../../lib/ids.ts'
import { randomText, seal, unseal } from '../../lib/secrets.ts'

const keptMs = 3_600_000
const keptBySession = 50

export const sealedPages = sealedColumn({
  table: 'kept_pages',
  column: 'page',
  key: ['id'],
  ofServer: 'without a mode',
  purpose: 'kept page',
  ownerOf: ({ id }) => id,
})

const insertPage = sqlOfAll(
  'kept_pages.insert',
  'insert into kept_pages (id, session_id, path, status, page, created_at) values ($1, $2, $3, $4, $5, $6)',
)
const selectPage = sqlOfAll<{ status: number; page: Buffer }>(
  'kept_pages.select',
  'select status, page from kept_pages where id = $1 and session_id = $2 and path = $3 and created_at > $4',
)
/** The page `$2` is the newest, also of those of the same millisecond. */
const deleteMore = sqlOfAll(
  'kept_pages.delete_more',
  `delete from kept_pages where id in (
     select id from kept_pages where session_id = $1 order by id = $2 desc, created_at desc, id offset $3)`,
)
const deleteOld = sqlOfAll('kept_pages.delete_old', 'delete from kept_pages where created_at <= $1')

type Page = { html: string; status: number }
type Place = { session: Id; path: string }

/**
 * Keeps a page, and forgets all but the newest of its session.
 * @returns the id by which `findPage` finds it, for the same session and path
 */
export async function keepPage(
  { db, clock, secrets }: Pick<App, 'db' | 'clock' | 'secrets'>,
  { session, path }: Place,
  { html, status }: Page,
): Promise<string> {
  const id = randomText(24)
  const page = seal(secrets, sealedPages.purpose, html, id)
  await db.rows(insertPage, [id, session, path, status, page, clock.now()])
  await db.rows(deleteMore, [session, id, keptBySession])
  return id
}

/** Returns a kept page, however often; null once it is forgotten. */
export async function findPage(
  { db, clock, secrets }: Pick<App, 'db' | 'clock' | 'secrets'>,
  { session, path }: Place,
  id: string,
): Promise<Page | null> {
  const since = later(clock.now(), -keptMs)
  const row = await db.row(selectPage, [id, session, path, since])
  if (!row) return null
  return { status: row.status, html: unseal(secrets, sealedPages.purpose, row.page, id) }
}

export async function forgetOldPages({ db, clock }: Pick<App, 'db' | 'clock'>): Promise<void> {
  await db.rows(deleteOld, [later(clock.now(), -keptMs)])
}

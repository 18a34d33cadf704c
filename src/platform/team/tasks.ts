/** Periodic tasks of the team module. */
import type { App } from '../../core/app.ts'
import type { PeriodicTask } from '../../lib/periodic.ts'
import { forgetOldPages } from './kept-pages.ts'
import { mailLinks } from './mailing.ts'
import { mailNotices } from './notices.ts'
import { forgetOldSessions } from './sessions.ts'
import { deleteOldChallenges } from './sql.ts'
import { deleteOldResets } from './team-sql.ts'

/** Deletes expired sessions, kept pages, password links and passkey challenges. */
export async function forgetOldAccess(app: App): Promise<void> {
  await forgetOldSessions(app)
  await forgetOldPages(app)
  for (const statement of [deleteOldResets, deleteOldChallenges])
    await app.db.rows(statement, [app.clock.now()])
}

export const teamTasks = (app: App): PeriodicTask[] => [
  { name: 'mail links to people', everyMs: 1_000, run: () => mailLinks(app) },
  { name: 'mail notices to teams', everyMs: 5_000, run: () => mailNotices(app) },
  { name: 'forget old sessions', everyMs: 600_000, run: () => forgetOldAccess(app) },
]

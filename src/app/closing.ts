/**
 * Closing the books: all that came since the last closing is held against everything, and only then
 * closed. What differs stays in the open period, where each verification shows it.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { closeUpTo, latestClosing } from '../books/ledger/closing.ts'
import { type Difference, verify } from '../books/ledger/verify.ts'
import { foldPostingsOf } from '../books/statements/statements.ts'
import type { App } from '../core/app.ts'
import { assertClocksAgree } from '../db/same-time.ts'
import type { PeriodicTask } from '../lib/periodic.ts'

type Parts = Pick<App, 'db' | 'clock' | 'strategies'>
type Closed = {
  /** When they are none, the books are closed as they were then; otherwise nothing is. */
  differences: Difference[]
  closed_at: Date
  postings: bigint
}

/**
 * Verifies the open period and closes it, up to now.
 * @param stop is looked at between checks, and between steps
 * @returns null when another is at it, or test data are being emptied
 * @throws {Error} when this machine's clock is wrong: what is closed stays so
 */
export async function closeBooks(
  { db, clock, strategies }: Parts,
  stop?: AbortSignal,
): Promise<Closed | null> {
  // What is changed from here on is of the next period, by its time or by its position.
  const closed_at = clock.now()
  await assertClocksAgree(db, clock)
  const position = await foldSoon(db, stop)
  if (position === null) return null
  const { differences } = await verify(db, strategies.installation.checks, {
    before: async () => stop?.throwIfAborted(),
  })
  if (differences.length > 0) return { differences, closed_at, postings: 0n }
  const postings = await closeUpTo(db, { position, closed_at }, stop)
  return postings === null ? null : { differences, closed_at, postings }
}

const tries = 20
const pauseMs = 250

/**
 * As `foldPostingsOf`. Whoever else sums has done it in a moment, unless test data are being
 * emptied.
 */
async function foldSoon(db: App['db'], signal?: AbortSignal): Promise<bigint | null> {
  for (let tried = 0; tried < tries; tried++) {
    const position = await foldPostingsOf(db)
    if (position !== null) return position
    await sleep(pauseMs, undefined, { signal })
  }
  return null
}

const monthOf = (time: Date): string => time.toISOString().slice(0, 7)
/** Of what differs, so much is logged. */
const mostLogged = 10

/** The periodic task that closes the books when a month of UTC is over. */
export const closingTask = (app: App): PeriodicTask => ({
  name: 'close the books',
  everyMs: 3_600_000,
  async run(_worker, stop) {
    const latest = await latestClosing(app.db)
    if (latest && monthOf(latest.closed_at) >= monthOf(app.clock.now())) return
    const closed = await closeBooks(app, stop)
    if (closed && closed.differences.length > 0)
      app.log.error(
        { differences: closed.differences.slice(0, mostLogged), count: closed.differences.length },
        'the books are not closed, because they differ',
      )
  },
})

/**
 * Closes periods of the ledger: stores the opening balance of each account, from which later
 * verification starts. Closing blocks no movement, and each of its steps is atomic.
 */
import { type Database, replanned, sqlOfAll, transaction } from '../../db/db.ts'
import type { Closing } from '../../db/lists/reach.ts'

const selectLatest = sqlOfAll<Closing>(
  'ledger.select_latest_closing',
  'select position, closed_at from ledger_closings order by position desc limit 1',
)

/** Returns the latest closing, or null. */
export const latestClosing = (db: Database): Promise<Closing | null> => db.row(selectLatest)

/** One closing at a time, and none while test data are emptied (`wait_for_closing`). */
const claimClosing = sqlOfAll<{ claimed: boolean }>(
  'ledger.claim_closing',
  'select pg_try_advisory_xact_lock(1701671029, 0) as claimed',
)

/** The lowest existing position. */
const selectFirst = sqlOfAll<{ position: bigint }>(
  'ledger.select_first_position',
  'select coalesce(min(position), $1::bigint) as position from ledger_postings where position < $1',
)

/**
 * Sums the postings from position `$1` (null: from the start) and below `$2`, and adds the previous
 * opening balances. Writes the closing if there were postings or `$4` marks the last step. It reads
 * everything before it writes, so that readers of events and sums do not wait for this transaction.
 */
const close = replanned(
  sqlOfAll<{ postings: bigint }>(
    'ledger.close',
    `with moved as materialized (
       select business_id, livemode, account, sum(debit) as debits, sum(credit) as credits, count(*) as postings
         from (select business_id, livemode, credit_account as account, 0 as debit, amount as credit
                 from ledger_postings where position >= $1 and position < $2
               union all
               select business_id, livemode, debit_account, amount, 0
                 from ledger_postings where position >= $1 and position < $2
               union all
               select business_id, livemode, s.account, s.debit, s.credit
                 from ledger_postings
                cross join lateral (values (credit_account, 0, amount), (debit_account, amount, 0)) s (account, debit, credit)
                where $1::bigint is null and position < $2) sides
        group by business_id, livemode, account
     ), closed as (
       insert into ledger_closings (position, closed_at) select $2, $3 where $4 or exists (select from moved)
     ), opened as (
       insert into opening_balances (business_id, livemode, account, position, debits, credits, postings)
       select m.business_id, m.livemode, m.account, $2, m.debits + coalesce(o.debits, 0), m.credits + coalesce(o.credits, 0),
              m.postings + coalesce(o.postings, 0)
         from moved m
         left join lateral (select debits, credits, postings from opening_balances
                             where business_id = m.business_id and livemode = m.livemode and account = m.account
                             order by position desc limit 1) o on true
     )
     select coalesce(sum(postings), 0)::bigint / 2 as postings from moved`,
  ),
)

/** The most positions per step; a position is a transaction. */
const step = 10_000_000n

/**
 * Closes the ledger up to a position below which no posting can appear. The caller has verified the
 * books.
 * @param stop is checked between steps
 * @returns the number of closed postings; null if another closing runs or test data are being
 * emptied, in which case completed steps stand
 */
export async function closeUpTo(
  db: Database,
  end: Closing,
  stop?: AbortSignal,
): Promise<bigint | null> {
  let total = 0n
  let from = (await latestClosing(db))?.position ?? null
  let reached = from ?? (await db.row(selectFirst, [end.position]))?.position ?? end.position
  while (from === null || reached < end.position) {
    stop?.throwIfAborted()
    const to = reached + step < end.position ? reached + step : end.position
    const begins = from === null ? null : reached
    const closed = await transaction(db, async (tx) => {
      if (!(await tx.row(claimClosing))?.claimed) return null
      // Checked again under the lock: another process may have closed meanwhile.
      if (((await tx.row(selectLatest))?.position ?? null) !== from) return null
      return tx.row(close, [begins, to, end.closed_at, to === end.position])
    })
    if (closed === null) return null
    total += closed.postings
    if (closed.postings > 0n || to === end.position) from = to
    reached = to
    if (from === end.position) break
  }
  return total
}

/**
 * The chain of a business that moved to another cell: its leaves in the daily proofs that this cell
 * signed.
 */
import { type Database, transaction } from '../../db/db.ts'
import type { Id } from '../../lib/ids.ts'
import { hashesIn, leafOfDay } from './chains.ts'
import * as sql from './sql.ts'

/**
 * Stores these leaves of live mode before the seals of the business are deleted. Its postings are
 * gone by then, so nothing more is sealed. Idempotent: stored days stay.
 * @param db as the owner of the tables
 */
export function keepMovedChain(db: Database, business: Id, now: Date): Promise<void> {
  return transaction(db, async (tx) => {
    // A running sealing task may have read its last postings.
    await tx.rows(sql.waitForBookmark)
    const days = (await tx.rows(sql.selectChain, [business])).map(({ day, salt, hashes }) => ({
      day,
      leaf: leafOfDay(
        { business_id: business, livemode: true },
        salt,
        day,
        hashesIn(hashes),
      ).toString('hex'),
    }))
    await tx.rows(sql.insertMoved, [
      business,
      days.map(({ day }) => day),
      days.map(({ leaf }) => leaf),
    ])
    await tx.rows(sql.markKept, [business, now])
  })
}

/**
 * What stays of the chain of a business that is in another cell: what it has in the proofs of days
 * that this one has signed.
 */
import { type Database, transaction } from '../../db/db.ts'
import type { Id } from '../../lib/ids.ts'
import { hashesIn, leafOfDay } from './chains.ts'
import * as sql from './sql.ts'

/**
 * Keeps that, of live mode, before the seals of the business are deleted: its postings are gone by
 * then, and nothing of it is sealed any more. Idempotent: of a day that it has, what it has stays.
 * @param db as the owner of the tables
 */
export function keepMovedChain(db: Database, business: Id, now: Date): Promise<void> {
  return transaction(db, async (tx) => {
    // Whoever seals now may have read the last of its postings.
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

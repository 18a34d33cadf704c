/**
 * Test data can be emptied (`0012-removal.sql`) while others write: who writes holds them, and who
 * began before they were emptied writes nothing afterwards.
 */
import { isSqlError, sqlOfMany, type Tx } from '../db/db.ts'
import type { Id } from '../lib/ids.ts'
import type { Scope } from './app.ts'

const hold = sqlOfMany('core.hold_test_data', 'select hold_test_data($1::text[], $2::integer[])')

/** By the same locks, in one order. */
const wait = sqlOfMany(
  'core.wait_for_test_data',
  `select pg_advisory_xact_lock_shared(1701671028, hashtext(business))
     from (select business from unnest($1::text[]) as asked (business) order by business) sorted`,
)

/** What `hold_test_data` raises. */
const emptying = 'BU001'

/**
 * They are being emptied, or were since what was to write them began: nothing was written. No
 * refusal of a record's: who takes those for an answer about it must not take this.
 */
export class TestDataEmptied extends Error {
  constructor() {
    super('the test data are being emptied, or were since this began')
  }
}

/**
 * Keeps the test data of these scopes from being emptied until the transaction ends: the first
 * statement of what writes them. Nobody waits for it; where it fails, the transaction does, with
 * `TestDataEmptied`. Live data need none of it.
 */
export function holdTestData(
  tx: Tx,
  scopes: readonly Pick<Scope, 'businessId' | 'livemode' | 'emptied'>[],
): void {
  const began = new Map<string, number | null>()
  for (const { livemode, businessId, emptied = null } of scopes)
    if (!livemode) began.set(`${businessId} ${emptied}`, emptied)
  if (began.size === 0) return
  const ids = [...began.keys()].map((key) => key.split(' ', 1)[0])
  tx.require(hold, [ids, [...began.values()]], (error) => {
    throw isSqlError(error, emptying) ? new TestDataEmptied() : error
  })
}

/**
 * The same, for who has read nothing of them yet, holds nothing else that emptying needs, and must
 * not be turned away: waits until they are not being emptied.
 */
export async function awaitTestData(tx: Tx, businessIds: Iterable<Id>): Promise<void> {
  const ids = [...new Set(businessIds)]
  if (ids.length > 0) await tx.rows(wait, [ids])
}

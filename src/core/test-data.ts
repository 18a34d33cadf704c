/**
 * Guards test data against being emptied (`0012-removal.sql`) while a transaction writes them. Work
 * that started before they were emptied writes nothing afterwards.
 */
import { isSqlError, sqlOfMany, type Tx } from '../db/db.ts'
import type { Id } from '../lib/ids.ts'
import type { Scope } from './app.ts'

const hold = sqlOfMany('core.hold_test_data', 'select hold_test_data($1::text[], $2::integer[])')

/** Takes the locks of `hold_test_data`, waiting for each. Sorting them keeps one lock order. */
const wait = sqlOfMany(
  'core.wait_for_test_data',
  `select pg_advisory_xact_lock_shared(1701671028, hashtext(business))
     from (select business from unnest($1::text[]) as asked (business) order by business) sorted`,
)

/** The SQLSTATE that `hold_test_data` raises. */
const emptying = 'BU001'

/**
 * The test data are being emptied, or were since the work started. Nothing was written. It is not a
 * `Refusal`, so that no caller mistakes it for a decision about its record.
 */
export class TestDataEmptied extends Error {
  constructor() {
    super('the test data are being emptied, or were since this began')
  }
}

/**
 * Keeps the test data of these scopes from being emptied until the transaction ends. The statement
 * is sent first and not awaited. If it fails, the transaction fails with `TestDataEmptied`. Live
 * data need no lock.
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
 * Waits until the test data are not being emptied, then locks them. It is for transactions that
 * have read nothing yet, hold no lock that emptying needs, and must not fail.
 */
export async function awaitTestData(tx: Tx, businessIds: Iterable<Id>): Promise<void> {
  const ids = [...new Set(businessIds)]
  if (ids.length > 0) await tx.rows(wait, [ids])
}

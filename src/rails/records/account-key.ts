import type { Database } from '../../db/db.ts'
import type { Clock } from '../../lib/clock.ts'

/** The account at a provider that a record belongs to, and where records are kept. */
export type AccountKey = { db: Database; livemode: boolean; name: string; clock: Clock }

/** What the parts of this rail share: a wallet of the operator's at Monnify. */
import type { Database } from '../../db/db.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { ReportedKind } from '../ports/provider.ts'
import type { Client } from './client.ts'

export type Account = {
  name: string
  livemode: boolean
  client: Client
  db: Database
  clock: Clock
  log: Log
  /** The number of the wallet that payouts are paid from. */
  wallet: string
  /**
   * Something that a person must look at.
   * @param subject the id or reference that it is about
   */
  report(kind: ReportedKind, subject: string, sentence: string): void
}

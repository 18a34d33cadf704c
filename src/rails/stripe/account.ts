/** What the parts of this rail share: an account at Stripe. */
import type { Database } from '../../db/db.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { ReportedKind } from '../ports/provider.ts'
import type { Client } from './client.ts'

export type Account = {
  name: string
  livemode: boolean
  /** Of this server's own address. */
  host: string
  client: Client
  db: Database
  clock: Clock
  log: Log
  /**
   * Something that a person must look at.
   * @param subject the id or reference that it is about
   */
  report(kind: ReportedKind, subject: string, sentence: string): void
}

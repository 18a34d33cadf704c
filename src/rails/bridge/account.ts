/** What the parts of this rail share: a wallet of the operator's at Bridge. */
import type { Database } from '../../db/db.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { ReportedKind } from '../ports/provider.ts'
import type { Client } from './client.ts'

/** How Bridge sends dollars to a bank. */
export type PaymentRail = 'ach' | 'ach_same_day' | 'wire'

export type Account = {
  name: string
  livemode: boolean
  client: Client
  db: Database
  clock: Clock
  log: Log
  /** The operator as Bridge's customer, whose wallet it is. */
  customer: string
  wallet: string
  /** The token that the wallet holds: a unit of it is a dollar. */
  token: 'usdc' | 'usdb'
  paymentRail: PaymentRail
  /**
   * Something that a person must look at.
   * @param subject the id or reference that it is about
   */
  report(kind: ReportedKind, subject: string, sentence: string): void
}

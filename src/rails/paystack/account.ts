/** What the parts of this rail share: an account at Paystack. */
import type { Database } from '../../db/db.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { modeOf } from '../../lib/mode.ts'
import type { ReportedKind } from '../ports/provider.ts'
import type { Client } from './client.ts'

export type Account = {
  name: string
  livemode: boolean
  /**
   * Whether several businesses have it: what one's customers are called is not to meet another's.
   */
  shared: boolean
  /** Of this server's own address. */
  host: string
  client: Client
  db: Database
  clock: Clock
  log: Log
  /**
   * Something that a person must look at: what Paystack says cannot be so, or it waits for
   * somebody.
   * @param subject the id or reference that it is about
   */
  report(kind: ReportedKind, subject: string, sentence: string): void
}

/**
 * What is wrong with an answer: another reference, amount, currency or mode than was asked about.
 * Null: nothing is.
 */
export function differenceIn(
  { livemode }: Pick<Account, 'livemode'>,
  data: Record<string, unknown>,
  wanted: { reference?: string; amount?: bigint },
): string | null {
  const mode = modeOf(livemode)
  if (wanted.reference !== undefined && data.reference !== wanted.reference)
    return 'another reference'
  if (wanted.amount !== undefined && data.amount !== Number(wanted.amount)) return 'another amount'
  if (data.currency !== 'NGN') return 'another currency'
  if (data.domain !== mode) return 'another mode'
  return null
}

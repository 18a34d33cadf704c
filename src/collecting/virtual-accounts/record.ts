/** The API's record of an account, and the names of jobs, which are stored with pending jobs. */
import type { Static } from '../../lib/schema.ts'
import type { AccountRecord } from './schema.ts'
import type { AccountRow } from './sql.ts'

export type VirtualAccount = Static<typeof AccountRecord>

export const expireTask = 'virtual_accounts.expire'
/** Queries a pending account. */
export const queryTask = 'virtual_accounts.ask'
/** Closes an account at its provider. */
export const closeTask = 'virtual_accounts.close'
/** Queries whether a one-time account has received its payment. `deposits` runs this job. */
export const queryPaidTask = 'virtual_accounts.ask_paid'

/** Converts a row to the API's record. */
export function toAccount(row: AccountRow): VirtualAccount {
  const {
    customer_id,
    payment_id,
    rail: _rail,
    sent_back_at: _sentBack,
    opened_at: _opened,
    ...shown
  } = row
  return { ...shown, customer: customer_id, payment: payment_id }
}

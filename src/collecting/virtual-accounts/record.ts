/**
 * What the other files of this module share: the record as the API gives it, and the names of its
 * jobs.
 */
import type { Static } from '../../lib/schema.ts'
import type { AccountRecord } from './schema.ts'
import type { AccountRow } from './sql.ts'

export type VirtualAccount = Static<typeof AccountRecord>

export const expireTask = 'virtual_accounts.expire'
/** Asks how an account stands that is pending. */
export const askTask = 'virtual_accounts.ask'
/** Closes an account at its provider. */
export const closeTask = 'virtual_accounts.close'
/**
 * Asks whether a one-time account at a provider was paid to, which nobody may have notified of: the
 * job is of `deposits`.
 */
export const askPaidTask = 'virtual_accounts.ask_paid'

/** The record as the API gives it. */
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

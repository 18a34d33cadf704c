/**
 * Which refusals of Bridge's are certain, so that nothing was done, and what each means. All others
 * are no refusals: what was asked is asked about.
 *
 * `duplicate_record` and `not_truly_idempotent` are among these others: something was taken under
 * the key before.
 */
import type { CertainRefusal, Refusal } from '../http/refusals.ts'

const page =
  'https://apidocs.bridge.xyz/platform/orchestration/transfers/transfer-errors-and-recovery'
const other = '[U] a third-party client of Bridge, of 2026-06'
const unconfirmed = '[U] no page has it'

type Shared = 'account_not_enabled' | 'limit'

/**
 * Refusals of transfers and external accounts alike. `account_not_enabled` concerns the customer,
 * and so all payouts; `limit` concerns this one.
 */
const shared: readonly CertainRefusal<Shared>[] = [
  {
    code: /^(frozen|has_not_accepted_tos|requires_active_kyc_status)$/,
    means: 'account_not_enabled',
    source: page,
  },
  {
    code: /^(not_allowed|missing_required_endorsements)$/,
    means: 'account_not_enabled',
    source: page,
  },
  { code: /^endorsement_requirements_not_met$/, means: 'account_not_enabled', source: other },
  { code: /^developer_limits_exceeded$/, means: 'limit', source: page },
]

/**
 * `account_gone`: Bridge no longer has the external account, and may create a new one.
 * `no_address`: it has no valid address of the holder.
 */
export type PayoutRefusal =
  | Shared
  | 'balance_too_low'
  | 'account_gone'
  | 'no_address'
  | 'not_enabled_for_payee'
  | 'limit_exceeded'
  | 'rejected'

/** Refusals of a transfer (`POST /transfers`). The names of invalid fields follow the message. */
export const payoutRefusals: readonly CertainRefusal<PayoutRefusal>[] = [
  ...shared,
  { code: /^deactivated_external_account$/, means: 'account_gone', source: page },
  { status: [400], code: /^missing_address_data$/, means: 'no_address', source: page },
  // The page does not say whose address this is, so the payout waits and does not fail.
  {
    status: [400],
    code: /^invalid_geographic_location$/,
    means: 'not_enabled_for_payee',
    source: page,
  },
  {
    status: [400],
    code: /^insufficient_(funds|balance)$/,
    means: 'balance_too_low',
    source: other,
  },
  {
    status: [400],
    code: /^invalid_parameters$/,
    message: /insufficient|not enough/i,
    means: 'balance_too_low',
    source: unconfirmed,
  },
  {
    status: [400],
    code: /^(not_found|invalid_parameters)$/,
    message: /external_account_id/,
    means: 'account_gone',
    source: `${page}; [U] that it names the field`,
  },
  {
    status: [400],
    code: /^invalid_parameters$/,
    message: /\bamount\b|minimum|maximum/i,
    means: 'limit_exceeded',
    source: `${page}; [U] its words`,
  },
  { status: [400], code: /^invalid_parameters$/, means: 'rejected', source: page },
]

export type RecipientRefusal = Shared | 'no_address' | 'invalid_account'

/** Refusals of an external account (`POST /customers/{customer}/external_accounts`). */
export const recipientRefusals: readonly CertainRefusal<RecipientRefusal>[] = [
  ...shared,
  { status: [400], code: /^missing_address_data$/, means: 'no_address', source: page },
  {
    status: [400],
    code: /^invalid_parameters$/,
    message: /address/,
    means: 'no_address',
    source: `${page}; [U] that it names the field`,
  },
  { status: [400], code: /^invalid_parameters$/, means: 'invalid_account', source: page },
]

/**
 * Whether an idempotency key was used, so that something was accepted under it. 400 with another
 * body: the page on errors of transfers; 422 after a day:
 * https://apidocs.bridge.xyz/reference/idempotence-1. Settled on 2026-11-28.
 */
export const isSpentKey = ({ status, code, message }: Refusal): boolean =>
  status === 422 ||
  /^(duplicate_record|not_truly_idempotent)$/.test(code) ||
  /idempoten/i.test(`${code} ${message}`)

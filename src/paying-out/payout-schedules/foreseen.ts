/** Computes what a run would pay, or why it would pay nothing; used by runs and by previews. */
import { formatMoney } from '../../lib/money.ts'
import type { BeneficiaryRow } from '../beneficiaries/beneficiaries.ts'
import type { ScheduleRow } from './sql.ts'

/** Why a run pays nothing: a code and a sentence. */
export type Skip = { code: string; message: string }

/** Codes that pause the schedule until a person checks it. */
export const pausing: readonly string[] = [
  'beneficiary_not_found',
  'beneficiary_changed',
  'beneficiary_not_confirmed',
]

/**
 * @param payee its beneficiary; null: deleted @param available the wallet's available balance, in
 * minor units
 */
export function foreseen(
  row: ScheduleRow,
  payee: BeneficiaryRow | null,
  available: bigint,
  now: Date,
): { amount: bigint; payee: BeneficiaryRow } | Skip {
  if (payee === null)
    return { code: 'beneficiary_not_found', message: 'The beneficiary was deleted.' }
  if (payee.confirmed_at === null)
    return {
      code: 'beneficiary_not_confirmed',
      message:
        'The destination of the beneficiary was changed. Your team has not confirmed since that it is your own account.',
    }
  if (payee.revision !== row.beneficiary_revision)
    return {
      code: 'beneficiary_changed',
      message:
        'The destination of the beneficiary was changed: resume the schedule to pay there from now on.',
    }
  if (payee.usable_from > now)
    return {
      code: 'beneficiary_cooling_off',
      message: `The beneficiary cools off: it can be paid from ${payee.usable_from.toISOString()}.`,
    }
  const above = available - row.keep
  const amount = row.maximum !== null && above > row.maximum ? row.maximum : above
  if (amount >= row.minimum) return { amount, payee }
  const least = formatMoney(row.keep + row.minimum, row.currency)
  return {
    code: 'below_minimum',
    message: `The ${row.currency} wallet has ${formatMoney(available, row.currency)} available, and it takes ${least} to pay the least and keep the rest.`,
  }
}

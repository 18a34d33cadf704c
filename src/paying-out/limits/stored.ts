/** Limits in their stored form. */
import { type WalletCurrency, walletCurrencies } from '../../lib/money.ts'
import { type OperatorName, type OwnName, operatorNames, ownNames } from './names.ts'
import { defaultApprovalHours, defaultCoolingOffHours, type PayoutsByKey } from './schema.ts'
import type { LimitRow } from './sql.ts'

export const hourMs = 3_600_000

/** In minor units, or a number of payouts; null: no limit. */
export type Own = Record<OwnName, bigint | null>
type OfOperator = Record<OperatorName, bigint | null>
export type Settings = Record<WalletCurrency, Own> & {
  approval_hours: number
  payouts_by_key: PayoutsByKey
  beneficiary_cooling_off_hours: number
}

const limitsBy = <Name extends string, Column extends keyof LimitRow>(
  names: Record<Name, Column>,
  row: LimitRow | undefined,
): Record<Name, bigint | null> =>
  Object.fromEntries(
    Object.entries<Column>(names).map(([name, column]) => [
      name,
      row ? (row[column] as bigint | null) : null,
    ]),
  ) as Record<Name, bigint | null>

/** The operator's limits of a wallet. */
export const ceilingsOf = (row: LimitRow | undefined): OfOperator => limitsBy(operatorNames, row)

/** @param rows those of one business and mode */
export function settingsOf(rows: LimitRow[]): Settings {
  const of = (currency: WalletCurrency): Own =>
    limitsBy(
      ownNames,
      rows.find((one) => one.currency === currency),
    )
  const [first] = rows
  const hoursOf = (ms: bigint | undefined, usual: number): number =>
    ms === undefined ? usual : Number(ms) / hourMs
  return {
    ...(Object.fromEntries(walletCurrencies.map((currency) => [currency, of(currency)])) as Record<
      WalletCurrency,
      Own
    >),
    approval_hours: hoursOf(first?.approval_ms, defaultApprovalHours),
    payouts_by_key: first?.payouts_by_key ?? 'any',
    beneficiary_cooling_off_hours: hoursOf(first?.cooling_off_ms, defaultCoolingOffHours),
  }
}

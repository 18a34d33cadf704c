/**
 * Refuses payouts above limits of the operator or the business: per payout, per UTC day, and per
 * destination and day. All payouts count, approved ones too; days are counted with the wallets
 * locked.
 */
import type { View } from '../../core/inside.ts'
import { dayOf, startOfDay } from '../../lib/days.ts'
import { idBound } from '../../lib/ids.ts'
import { formatMoney, type WalletCurrency } from '../../lib/money.ts'
import type { StoredDestination } from '../../platform/destinations/destinations.ts'
import { type OperatorName, type OwnName, operatorNames, ownNames } from './names.ts'
import { refuse } from './refusals.ts'
import type { LimitRow } from './sql.ts'
import * as statements from './sql.ts'

type Reading = Pick<View, 'row' | 'scope'>
type Limits = statements.OwnLimits & statements.OperatorLimits

const dayMs = 86_400_000
/** When the UTC day that starts at `start` ends. */
export const endOf = (start: Date): Date => new Date(start.getTime() + dayMs)

/** Counts of a UTC day, or of a destination in it. */
export type Counted = { amount: bigint; count: bigint }

/** The UTC day that a payout counts in: the wallet's current counted day, or else today. */
export async function utcDayIn(
  view: Reading,
  currency: WalletCurrency,
  row: Pick<LimitRow, 'max_day_starts_at' | 'max_day_amount' | 'max_day_count'> & Limits,
): Promise<Counted & { starts_at: Date | null }> {
  const { max_day_starts_at: starts_at, max_day_amount: amount, max_day_count: count } = row
  if (!statements.countsDays(row) || (starts_at && view.scope.now < endOf(starts_at)))
    return { starts_at, amount, count }
  const start = startOfUtcDay(view.scope.now)
  const sum = await view.row(statements.sumAllSince, [currency, idBound(start)])
  return { starts_at: start, amount: sum?.amount ?? 0n, count: sum?.count ?? 0n }
}

export const startOfUtcDay = (at: Date): Date => startOfDay(dayOf(at, 'UTC'), 'UTC')

/**
 * Returns the key of a bank account, or of an address on any chain, for limits by destination. As
 * `destination_key` computes it.
 */
export function destinationName(to: StoredDestination): string {
  const { address, bank_code, routing_number, account_number } = to
  return (
    address ?? [bank_code ?? routing_number, account_number].filter(Boolean).join(' ')
  ).toLowerCase()
}

type Code = 'operator_limit_exceeded' | 'limit_exceeded'
type Names<Name> = { payout: Name; day: Name; count: Name; toDay: Name; toCount: Name }
type Owner = { code: Code; let: string; raise: string; names: Names<OwnName | OperatorName> }

/** The operator first, because the business cannot lift these limits. */
const owners: Owner[] = [
  {
    code: 'operator_limit_exceeded',
    let: 'The operator of this server lets',
    raise: 'ask the operator for a higher limit',
    names: {
      payout: 'max_payout',
      day: 'max_daily',
      count: 'max_daily_count',
      toDay: 'max_destination_daily',
      toCount: 'max_destination_daily_count',
    },
  },
  {
    code: 'limit_exceeded',
    let: 'The limits of your business let',
    raise: 'have the limit raised',
    names: {
      payout: 'refuse_above',
      day: 'refuse_above_daily',
      count: 'refuse_above_daily_count',
      toDay: 'destination_daily',
      toCount: 'destination_daily_count',
    },
  },
]

const columns = { ...ownNames, ...operatorNames }
const limitIn = (limits: Limits, name: OwnName | OperatorName): bigint | null =>
  limits[columns[name]]

/**
 * Refuses a payout above the limit of one payout. @throws {Refusal} `operator_limit_exceeded`,
 * `limit_exceeded`
 */
export function refuseLarge(limits: Limits, currency: WalletCurrency, amount: bigint): void {
  for (const { code, let: lets, raise, names } of owners) {
    const most = limitIn(limits, names.payout)
    if (most === null || amount <= most) continue
    const show = (of: bigint): string => formatMoney(of, currency)
    refuse(
      code,
      `${lets} no payout of more than ${show(most)} out; this one is ${show(amount)}. Pay out less at once, or ${raise}.`,
      { left: Number(most), rule: names.payout },
    )
  }
}

/**
 * Refuses a payout that would bring its day, or its destination on that day, above a limit.
 * @param day the day's payouts before it
 * @param to the destination's part of them
 * @throws {Refusal} `operator_limit_exceeded`, `limit_exceeded`
 */
export function refuseAbove(
  limits: Limits,
  currency: WalletCurrency,
  amount: bigint,
  day: Counted & { starts_at: Date | null },
  to: Counted,
): void {
  refuseLarge(limits, currency, amount)
  if (day.starts_at === null) return
  const ends_at = endOf(day.starts_at).toISOString()
  const show = (of: bigint): string => formatMoney(of, currency)
  for (const { code, let: lets, raise, names } of owners) {
    const refuseAmount = (rule: OwnName | OperatorName, had: bigint, where: string): void => {
      const most = limitIn(limits, rule)
      if (most === null || had + amount <= most) return
      const left = had < most ? most - had : 0n
      refuse(
        code,
        `${lets} ${show(most)} ${where} in a day of UTC, of which ${show(left)} is left; this payout is ${show(amount)}. Pay out less, try it again after ${ends_at}, or ${raise}.`,
        { left: Number(left), rule, day_ends_at: ends_at },
      )
    }
    const refuseCount = (rule: OwnName | OperatorName, had: bigint, where: string): void => {
      const most = limitIn(limits, rule)
      if (most === null || had < most) return
      const many = most === 1n ? '1 payout' : `${most} payouts`
      refuse(
        code,
        `${lets} ${many} ${where} in a day of UTC, of which none is left. Try it again after ${ends_at}, or ${raise}.`,
        { left: 0, rule, day_ends_at: ends_at },
      )
    }
    refuseAmount(names.day, day.amount, 'out')
    refuseCount(names.count, day.count, 'out')
    refuseAmount(names.toDay, to.amount, 'out to one destination')
    refuseCount(names.toCount, to.count, 'out to one destination')
  }
}

/**
 * Deposit limits by a customer's identity tier. A deposit above a limit is held for review, and
 * never rejected.
 */
import { recordOperatorChange } from '../../books/audit/audit.ts'
import { operator } from '../../books/ledger/ledger.ts'
import type { View, Work } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import { gatheredReads } from '../../db/batch.ts'
import type { Queryable } from '../../db/db.ts'
import { later } from '../../lib/clock.ts'
import { dayOf } from '../../lib/days.ts'
import type { Id } from '../../lib/ids.ts'
import { type WalletCurrency, walletCurrencies } from '../../lib/money.ts'
import type { Static } from '../../lib/schema.ts'
import { recordFired } from '../../paying-out/limits/limits.ts'
import type { Held } from '../../platform/screening/screening.ts'
import { verifiedTypes } from '../customers/customers.ts'
import type { TierLimitsIn, TierLimitsRecord } from './schema.ts'
import * as statements from './sql.ts'

const tiers = [0, 1, 2] as const
type Limits = Pick<statements.TierLimitRow, 'max_deposit' | 'max_daily' | 'max_daily_count'>
const unlimited: Limits = { max_deposit: null, max_daily: null, max_daily_count: null }

const identityNumbers = ['bvn', 'nin']
const identityDocuments = ['passport', 'drivers_license', 'voters_card']

/** Returns 0 when nothing is verified, 1 with an identity number, 2 with a document as well. */
async function tierOf(view: View, customer: Id): Promise<0 | 1 | 2> {
  const types = await verifiedTypes(view, customer)
  if (!types.some((type) => identityNumbers.includes(type))) return 0
  return types.some((type) => identityDocuments.includes(type)) ? 2 : 1
}

const limitedCurrencies = gatheredReads(async (db, asked: WalletCurrency[]) => {
  const rows = await db.rows(statements.selectLimitedCurrencies)
  return asked.map((currency) => rows.some((row) => row.currency === currency))
})

/** Whether a customer's deposits in a currency are limited: they are counted, and not batched. */
export const isLimited = (
  { db }: Pick<Ctx, 'db'>,
  customer: Id | null,
  currency: WalletCurrency,
): Promise<boolean> =>
  customer === null ? Promise.resolve(false) : limitedCurrencies(db, currency)

/**
 * A customer's deposit.
 * @property isBooked whether it was booked before; called while the customer's day is locked
 */
export type CustomerDeposit = {
  customer: Id | null
  currency: WalletCurrency
  amount: bigint
  isBooked?: () => Promise<boolean>
}

/**
 * Counts a customer's deposit toward limits. Locks the customer's day, before any lock of a
 * booking.
 * @returns the limit for which it is held; null when it is within the limits
 */
export async function countDeposit(
  work: Work,
  { customer, currency, amount, isBooked }: CustomerDeposit,
): Promise<Held | null> {
  if (customer === null) return null
  const limits = await work.reader.rows(statements.selectTierLimits, [currency])
  if (limits.length === 0) return null
  const day = dayOf(work.scope.now, 'UTC')
  const before = (await work.row(statements.lockCustomerDay, [customer, currency, day])) ?? {
    amount: 0n,
    count: 0n,
  }
  if (await isBooked?.()) return null
  await work.rows(statements.countCustomerDay, [customer, currency, day, amount])
  const tier = await tierOf(work, customer)
  const own = limits.find((one) => one.tier === tier) ?? unlimited
  const above = (limit: bigint | null, value: bigint): boolean => limit !== null && value > limit
  const rule = above(own.max_deposit, amount)
    ? 'tier_max_deposit'
    : above(own.max_daily, before.amount + amount)
      ? 'tier_max_daily'
      : above(own.max_daily_count, before.count + 1n)
        ? 'tier_max_daily_count'
        : null
  if (rule === null) return null
  await recordFired(work.tx, [{ scope: work.scope, rule }])
  const hit = {
    list: 'limits of customers',
    matched: 'limit',
    value: rule,
    reason: `identity tier ${tier}`,
  } as const
  return { reason: 'customer_limit', hits: [hit] }
}

/** Deletes days that are over. */
export async function forgetOldCustomerDays(db: Queryable, now: Date): Promise<void> {
  await db.rows(statements.deleteOldCustomerDays, [dayOf(later(now, -7 * 86_400_000), 'UTC')])
}

// For the operator
// -------------------------------------------------------------------------------------------------

export async function getTierLimits({
  reader,
}: Pick<View, 'reader'>): Promise<Static<typeof TierLimitsRecord>> {
  const rows = await reader.rows(statements.selectAllTierLimits)
  const limits = tiers.flatMap((tier) =>
    walletCurrencies.map((currency) => {
      const row = rows.find((one) => one.tier === tier && one.currency === currency) ?? unlimited
      const { max_deposit, max_daily, max_daily_count } = row
      return { tier, currency, max_deposit, max_daily, max_daily_count }
    }),
  )
  return { limits } as Static<typeof TierLimitsRecord>
}

/** Changes the limits for new deposits. Held deposits stay held. */
export async function changeTierLimits(
  work: Work,
  { limits: changes }: Static<typeof TierLimitsIn>,
): Promise<Static<typeof TierLimitsRecord>> {
  await work.tx.rows(statements.lockTierLimits)
  const named = ({ limits }: Static<typeof TierLimitsRecord>) =>
    Object.fromEntries(limits.map(({ tier, currency, ...limit }) => [`${currency} ${tier}`, limit]))
  const before = await getTierLimits(work)
  for (const { tier, currency, ...change } of changes) {
    const now = before.limits.find((one) => one.tier === tier && one.currency === currency)
    const next = { ...unlimited, ...(now as Limits | undefined), ...change }
    await work.tx.rows(statements.upsertTierLimit, [
      tier,
      currency,
      next.max_deposit,
      next.max_daily,
      next.max_daily_count,
    ])
  }
  const after = await getTierLimits(work)
  const change = { action: 'tier_limits.changed', subject: operator } as const
  await recordOperatorChange(work, { ...change, before: named(before), after: named(after) })
  return after
}

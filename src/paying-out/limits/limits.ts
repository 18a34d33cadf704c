/**
 * Above what payouts wait for a second person, and above what they are refused. What a day has sent
 * is counted with the wallet locked, in the transaction of the payout: so however many come at
 * once, none goes above it unseen.
 */
import { readingOf, type View, type Work } from '../../core/inside.ts'
import type { Tx } from '../../db/db.ts'
import { Refusal } from '../../lib/errors.ts'
import type { WalletCurrency } from '../../lib/money.ts'
import type { StoredDestination } from '../../platform/destinations/destinations.ts'
import type { LimitRule } from './names.ts'
import { type Counted, destinationName, refuseAbove, refuseLarge, utcDayIn } from './refusing.ts'
import { recordFired } from './rules.ts'
import type { approvalReasons } from './schema.ts'
import type { CountedDays, CountedDestination, LimitOf } from './sql.ts'
import * as statements from './sql.ts'
import { hourMs, settingsOf } from './stored.ts'
import { dayNow, type PayoutWallet } from './zone-days.ts'

export type { LimitRule } from './names.ts'
export { limitRefusals } from './refusals.ts'
export { firedOn, getFired, recordFired, recordRefusal } from './rules.ts'
export { approvalReasons } from './schema.ts'
export { getLimits, type Limits, updateLimits } from './settings.ts'
export { type LimitOf, limitsOf, noLimit } from './sql.ts'
export type { PayoutWallet } from './zone-days.ts'

/** Why a payout waits for a second person. */
export type ApprovalReason = (typeof approvalReasons)[number]

/**
 * What is held against limits: an amount in minor units, the wallet that it leaves, and where it
 * goes.
 */
export type Leaving = { wallet: PayoutWallet; amount: bigint; destination: StoredDestination }

/** The limits of the wallets that a transaction has locked. */
export type OpenLimits = {
  /**
   * Why a payout must wait for a second person, and for how long at most, in milliseconds; null: it
   * need not.
   */
  approvalFor(payout: Leaving): { reasons: ApprovalReason[]; waitMs: number } | null
  /**
   * @throws {Refusal} `operator_limit_exceeded`, `limit_exceeded` where such a payout is let out on
   * no day, or not any more today
   */
  refuseAbove(payout: Leaving): void
  /** Whether keys pay beneficiaries alone. */
  keysPayBeneficiaries(wallet: PayoutWallet): boolean
  /**
   * Counts a payout. @param reasons why it waits for a second person: nothing is sent of it yet
   * without one; none: it does not wait
   */
  count(payout: Leaving, reasons: ApprovalReason[]): void
  /**
   * Writes what was counted, in one statement, and one more where rules fired; in none where
   * nothing is limited.
   */
  write(): Promise<void>
}

/** Each wallet of some payouts once, in the order in which `limitsOf` numbers them. */
export function walletsOf(payouts: PayoutWallet[]): PayoutWallet[] {
  return [...new Map(payouts.map((wallet) => [nameOf(wallet), wallet])).values()]
}

/** The parameters of `limitsOf`. */
export function walletParameters(wallets: PayoutWallet[]): unknown[] {
  return [
    wallets.map(({ scope }) => scope.businessId),
    wallets.map(({ scope }) => scope.livemode),
    wallets.map(({ currency }) => currency),
  ]
}

const nameOf = ({ scope: { businessId, livemode }, currency }: PayoutWallet): string =>
  `${businessId} ${livemode} ${currency}`

/** What is counted of a wallet in a batch. */
type Open = {
  limit: LimitOf
  days: CountedDays
  to: Map<string, CountedDestination>
  changed: boolean
}

const ruleOf: Record<ApprovalReason, LimitRule> = {
  payout_limit: 'approve_above',
  daily_limit: 'approve_above_daily',
}
const nothing: Counted = { amount: 0n, count: 0n }

/**
 * Opens the limits of wallets that the transaction has locked. Asks once more where destinations
 * are limited.
 * @param wallets those of `walletsOf`; a day ends by the latest of their times
 * @param rows what `limitsOf` read of them, with the wallets locked
 * @param payouts what will be held against them
 */
export async function openLimits(
  tx: Tx,
  wallets: PayoutWallet[],
  rows: LimitOf[],
  payouts: Omit<Leaving, 'amount'>[],
): Promise<OpenLimits> {
  const open = new Map<string, Open>()
  for (const limit of rows) {
    const wallet = wallets[Number(limit.position) - 1] as PayoutWallet
    const view = { ...readingOf(tx, wallet.scope), scope: wallet.scope }
    const [day, utc] = [
      await dayIn(view, wallet, limit),
      await utcDayIn(view, wallet.currency, limit),
    ]
    const days = { ...ownerOf(wallet), ...day, ...maxOf(utc) }
    const changed =
      days.ends_at !== limit.day_ends_at || days.max_starts_at !== limit.max_day_starts_at
    open.set(nameOf(wallet), { limit, days, to: new Map(), changed })
  }
  await openDestinations(tx, open, payouts)
  const fired: { scope: PayoutWallet['scope']; rule: LimitRule }[] = []
  return {
    approvalFor({ wallet, amount }) {
      const found = open.get(nameOf(wallet))
      if (!found) return null
      const { limit, days } = found
      const reasons: ApprovalReason[] = []
      if (limit.above_payout !== null && amount > limit.above_payout) reasons.push('payout_limit')
      if (limit.above_day !== null && days.amount + amount > limit.above_day)
        reasons.push('daily_limit')
      return reasons.length > 0 ? { reasons, waitMs: Number(limit.approval_ms) } : null
    },
    refuseAbove({ wallet, amount, destination }) {
      const found = open.get(nameOf(wallet))
      if (!found) return
      const { limit, days, to } = found
      const day = { starts_at: days.max_starts_at, amount: days.max_amount, count: days.max_count }
      try {
        refuseAbove(
          limit,
          wallet.currency,
          amount,
          day,
          to.get(destinationName(destination)) ?? nothing,
        )
      } catch (refusal) {
        if (refusal instanceof Refusal)
          fired.push({ scope: wallet.scope, rule: refusal.details.rule as LimitRule })
        throw refusal
      }
    },
    keysPayBeneficiaries: (wallet) =>
      open.get(nameOf(wallet))?.limit.payouts_by_key === 'beneficiaries',
    count({ wallet, amount, destination }, reasons) {
      const found = open.get(nameOf(wallet))
      if (!found) return
      for (const reason of reasons) fired.push({ scope: wallet.scope, rule: ruleOf[reason] })
      const { limit, days, to } = found
      if (limit.above_day !== null && reasons.length === 0) {
        days.amount += amount
        found.changed = true
      }
      if (!statements.countsDays(limit)) return
      days.max_amount += amount
      days.max_count++
      found.changed = true
      if (!statements.countsDestinations(limit)) return
      const name = destinationName(destination)
      const { amount: had, count } = to.get(name) ?? nothing
      const starts_at = days.max_starts_at as Date
      to.set(name, {
        ...ownerOf(wallet),
        destination: name,
        starts_at,
        amount: had + amount,
        count: count + 1n,
      })
    },
    async write() {
      const changed = [...open.values()].filter((one) => one.changed)
      const days = statements.arraysOfDays(changed.map((one) => one.days))
      const sent = changed.flatMap(({ to }) => [...to.values()])
      await Promise.all([
        sent.length > 0
          ? tx.rows(statements.countDaysAndDestinations, [
              ...days,
              ...statements.arraysOfDestinations(sent),
            ])
          : changed.length > 0 && tx.rows(statements.countDays, days),
        recordFired(tx, fired),
      ])
    },
  }
}

/**
 * Reads what the destinations of payouts were sent in the days of UTC that are counted, where that
 * is limited.
 */
async function openDestinations(
  tx: Tx,
  open: Map<string, Open>,
  payouts: Omit<Leaving, 'amount'>[],
): Promise<void> {
  const asked = new Map<string, { found: Open; name: string }>()
  for (const { wallet, destination } of payouts) {
    const found = open.get(nameOf(wallet))
    if (!found || !statements.countsDestinations(found.limit)) continue
    const name = destinationName(destination)
    asked.set(`${nameOf(wallet)} ${name}`, { found, name })
  }
  const wanted = [...asked.values()]
  if (wanted.length === 0) return
  const rows = await tx.rows(statements.selectDestinations, [
    wanted.map(({ found }) => found.days.business_id),
    wanted.map(({ found }) => found.days.livemode),
    wanted.map(({ found }) => found.days.currency),
    wanted.map(({ name }) => name),
  ])
  for (const { position, ...row } of rows) {
    const { found, name } = wanted[Number(position) - 1] as (typeof wanted)[number]
    const { business_id, livemode, currency, max_starts_at } = found.days
    if (row.starts_at.getTime() === max_starts_at?.getTime())
      found.to.set(name, { business_id, livemode, currency, destination: name, ...row })
  }
}

const ownerOf = ({ scope, currency }: PayoutWallet) => ({
  business_id: scope.businessId,
  livemode: scope.livemode,
  currency,
})
const maxOf = ({ starts_at, amount, count }: Counted & { starts_at: Date | null }) => ({
  max_starts_at: starts_at,
  max_amount: amount,
  max_count: count,
})

/** The day that a payout of a wallet is counted in: the one that is counted, until it ends. */
async function dayIn(view: Pick<View, 'row' | 'scope'>, wallet: PayoutWallet, limit: LimitOf) {
  const { day_starts_at: starts_at, day_ends_at: ends_at, day_amount: amount } = limit
  const goesOn = limit.above_day === null || (starts_at && ends_at && wallet.scope.now < ends_at)
  return goesOn ? { starts_at, ends_at, amount } : dayNow(view, wallet.currency)
}

type Given = {
  currency: WalletCurrency
  amount: bigint
  created_at: Date
  destination: StoredDestination
}

/**
 * A payout has failed or was canceled: its day may send as much again. The wallet is locked
 * already.
 * @param waited it had waited for a second person, so its business had not counted it
 */
export async function giveBack(
  work: Work,
  { currency, amount, created_at, destination }: Given,
  waited: boolean,
): Promise<void> {
  await work.rows(statements.uncount, [
    currency,
    amount,
    created_at,
    !waited,
    destinationName(destination),
  ])
}

/**
 * Whom keys pay, how long a beneficiary cools off, and what refuses a payout that is let out on no
 * day.
 */
export async function payeeRulesOf(view: View) {
  const rows = await view.rows(statements.selectLimits)
  const { payouts_by_key, beneficiary_cooling_off_hours } = settingsOf(rows)
  return {
    payoutsByKey: payouts_by_key,
    coolingOffMs: beneficiary_cooling_off_hours * hourMs,
    /** @throws {Refusal} `operator_limit_exceeded`, `limit_exceeded` */
    refuseLarge(currency: WalletCurrency, amount: bigint): void {
      const row = rows.find((one) => one.currency === currency)
      if (row) refuseLarge(row, currency, amount)
    },
  }
}

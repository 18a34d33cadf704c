/**
 * Limits above which payouts wait for a second person, and limits above which they are refused. The
 * transaction of a payout counts it for its day with the wallet locked, so that concurrent payouts
 * cannot exceed a limit together.
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

/** A payout as limits see it: its amount in minor units, its wallet and its destination. */
export type Leaving = { wallet: PayoutWallet; amount: bigint; destination: StoredDestination }

/** The limits of the wallets that a transaction has locked. */
export type OpenLimits = {
  /**
   * Returns why a payout must wait for a second person, and for how many milliseconds at most; null
   * if it need not wait.
   */
  approvalFor(payout: Leaving): { reasons: ApprovalReason[]; waitMs: number } | null
  /**
   * Refuses a payout that is above a limit of one payout, or of the rest of today.
   * @throws {Refusal} `operator_limit_exceeded`, `limit_exceeded`
   */
  refuseAbove(payout: Leaving): void
  /** Whether keys can pay beneficiaries only. */
  keysPayBeneficiaries(wallet: PayoutWallet): boolean
  /**
   * Counts a payout. @param reasons why it waits for a second person, who then decides whether it is
   * sent; empty if it does not wait
   */
  count(payout: Leaving, reasons: ApprovalReason[]): void
  /** Writes the counts in one statement, if there are any, and fired rules in another one. */
  write(): Promise<void>
}

/** Returns each wallet of the payouts once, in the order in which `limitsOf` numbers them. */
export function walletsOf(payouts: PayoutWallet[]): PayoutWallet[] {
  return [...new Map(payouts.map((wallet) => [nameOf(wallet), wallet])).values()]
}

/** Returns the parameters of `limitsOf`. */
export function walletParameters(wallets: PayoutWallet[]): unknown[] {
  return [
    wallets.map(({ scope }) => scope.businessId),
    wallets.map(({ scope }) => scope.livemode),
    wallets.map(({ currency }) => currency),
  ]
}

const nameOf = ({ scope: { businessId, livemode }, currency }: PayoutWallet): string =>
  `${businessId} ${livemode} ${currency}`

/** The counts of a wallet in a batch. */
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
 * Opens the limits of wallets that the transaction has locked. Reads once more if destinations are
 * limited.
 * @param wallets those of `walletsOf`; a day ends by the latest of their times
 * @param rows the result of `limitsOf` for them, read with the wallets locked
 * @param payouts the payouts that will be compared with the limits
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
  return new LockedLimits(tx, open)
}

class LockedLimits implements OpenLimits {
  readonly #tx: Tx
  readonly #open: Map<string, Open>
  readonly #fired: { scope: PayoutWallet['scope']; rule: LimitRule }[] = []

  constructor(tx: Tx, open: Map<string, Open>) {
    this.#tx = tx
    this.#open = open
  }

  approvalFor({ wallet, amount }: Leaving): ReturnType<OpenLimits['approvalFor']> {
    const open = this.#open.get(nameOf(wallet))
    if (!open) return null
    const { limit, days } = open
    const reasons: ApprovalReason[] = []
    if (limit.above_payout !== null && amount > limit.above_payout) reasons.push('payout_limit')
    if (limit.above_day !== null && days.amount + amount > limit.above_day)
      reasons.push('daily_limit')
    return reasons.length > 0 ? { reasons, waitMs: Number(limit.approval_ms) } : null
  }

  refuseAbove({ wallet, amount, destination }: Leaving): void {
    const open = this.#open.get(nameOf(wallet))
    if (!open) return
    const { limit, days, to } = open
    const day = { starts_at: days.max_starts_at, amount: days.max_amount, count: days.max_count }
    const sentTo = to.get(destinationName(destination)) ?? nothing
    try {
      refuseAbove(limit, wallet.currency, amount, day, sentTo)
    } catch (refusal) {
      if (refusal instanceof Refusal)
        this.#fired.push({ scope: wallet.scope, rule: refusal.details.rule as LimitRule })
      throw refusal
    }
  }

  keysPayBeneficiaries(wallet: PayoutWallet): boolean {
    return this.#open.get(nameOf(wallet))?.limit.payouts_by_key === 'beneficiaries'
  }

  count({ wallet, amount, destination }: Leaving, reasons: ApprovalReason[]): void {
    const open = this.#open.get(nameOf(wallet))
    if (!open) return
    for (const reason of reasons) this.#fired.push({ scope: wallet.scope, rule: ruleOf[reason] })
    const { limit, days } = open
    if (limit.above_day !== null && reasons.length === 0) {
      days.amount += amount
      open.changed = true
    }
    if (!statements.countsDays(limit)) return
    days.max_amount += amount
    days.max_count++
    open.changed = true
    if (statements.countsDestinations(limit))
      countDestination(open, { wallet, amount, destination })
  }

  async write(): Promise<void> {
    const changed = [...this.#open.values()].filter((one) => one.changed)
    const days = statements.arraysOfDays(changed.map((one) => one.days))
    const sent = changed.flatMap(({ to }) => [...to.values()])
    await Promise.all([
      sent.length > 0
        ? this.#tx.rows(statements.countDaysAndDestinations, [
            ...days,
            ...statements.arraysOfDestinations(sent),
          ])
        : changed.length > 0 && this.#tx.rows(statements.countDays, days),
      recordFired(this.#tx, this.#fired),
    ])
  }
}

function countDestination({ days, to }: Open, { wallet, amount, destination }: Leaving): void {
  const name = destinationName(destination)
  const sent = to.get(name) ?? nothing
  to.set(name, {
    ...ownerOf(wallet),
    destination: name,
    starts_at: days.max_starts_at as Date,
    amount: sent.amount + amount,
    count: sent.count + 1n,
  })
}

/**
 * Reads what the payouts' destinations were sent on the counted UTC days, where that is limited.
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

/** The day that a payout counts in: the wallet's current counted day, or else today. */
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
 * A payout failed or was canceled: returns its amount to its day. The caller has locked the wallet.
 * @param waited it waited for a second person, so its business's day had not counted it
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
 * Returns whom keys may pay, the cooling-off time of beneficiaries, and a check that refuses
 * payouts above every day's limit.
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

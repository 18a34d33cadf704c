/**
 * Above what payouts wait for a second person, and above what the operator lets none go out. What a day has sent is counted with the wallet locked, in the transaction of the payout: so
 * however many come at once, none goes above it unseen.
 */
import { recordChange } from '../../books/audit/audit.ts'
import { lockAccounts } from '../../books/ledger/ledger.ts'
import { getBusiness, timeZoneOf } from '../../books/profiles/profiles.ts'
import { walletAccounts } from '../../books/wallets/wallets.ts'
import type { Scope } from '../../core/app.ts'
import { readingOf, type View, type Work } from '../../core/inside.ts'
import type { Tx } from '../../db/db.ts'
import { dayOf, startOfDay } from '../../lib/days.ts'
import { idBound } from '../../lib/ids.ts'
import { type WalletCurrency, walletCurrencies } from '../../lib/money.ts'
import type { Static } from '../../lib/schema.ts'
import { maxDayIn, refuseAboveCeilings, refuseLarge } from './ceilings.ts'
import { refuse } from './refusals.ts'
import {
  type approvalReasons,
  defaultApprovalHours,
  defaultCoolingOffHours,
  type LimitsIn,
  type LimitsRecord,
  type PayoutsByKey,
} from './schema.ts'
import type { CountedDays, LimitOf, LimitRow } from './sql.ts'
import * as statements from './sql.ts'

export { limitRefusals } from './refusals.ts'
export { approvalReasons } from './schema.ts'
export { type LimitOf, limitsOf, noLimit } from './sql.ts'

export type Limits = Static<typeof LimitsRecord>
/** Why a payout waits for a second person. */
export type ApprovalReason = (typeof approvalReasons)[number]

/** A wallet that payouts leave. */
export type PayoutWallet = { scope: Scope; currency: WalletCurrency }

/** The limits of the wallets that a transaction has locked. */
export type OpenLimits = {
  /** Why a payout must wait for a second person, and for how long at most, in milliseconds; null: it need not. */
  approvalFor(wallet: PayoutWallet, amount: bigint): { reasons: ApprovalReason[]; waitMs: number } | null
  /** @throws {Refusal} `operator_limit_exceeded` where the operator lets no such payout out, or no more today */
  refuseAbove(wallet: PayoutWallet, amount: bigint): void
  /** Whether keys pay beneficiaries alone. */
  keysPayBeneficiaries(wallet: PayoutWallet): boolean
  /** Counts a payout; of one that waits for a second person nothing is sent yet without one. */
  count(wallet: PayoutWallet, amount: bigint, waits: boolean): void
  /** Writes what was counted, in one statement; in none where no day is limited. */
  write(): Promise<void>
}

const hourMs = 3_600_000

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
type Counted = { limit: LimitOf; days: CountedDays; changed: boolean }

/**
 * Opens the limits of wallets that the transaction has locked.
 * @param wallets those of `walletsOf`; a day ends by the latest of their times
 * @param rows what `limitsOf` read of them, with the wallets locked
 */
export async function openLimits(tx: Tx, wallets: PayoutWallet[], rows: LimitOf[]): Promise<OpenLimits> {
  const open = new Map<string, Counted>()
  for (const limit of rows) {
    const wallet = wallets[Number(limit.position) - 1] as PayoutWallet
    const [day, maxDay] = [await dayIn(tx, wallet, limit), await maxDayIn(viewOf(tx, wallet), wallet.currency, limit)]
    const days = { ...ownerOf(wallet), ...day, max_starts_at: maxDay.starts_at, max_amount: maxDay.amount }
    const changed = days.ends_at !== limit.day_ends_at || days.max_starts_at !== limit.max_day_starts_at
    open.set(nameOf(wallet), { limit, days, changed })
  }
  return {
    approvalFor(wallet, amount) {
      const found = open.get(nameOf(wallet))
      if (!found) return null
      const { limit, days } = found
      const reasons: ApprovalReason[] = []
      if (limit.above_payout !== null && amount > limit.above_payout) reasons.push('payout_limit')
      if (limit.above_day !== null && days.amount + amount > limit.above_day) reasons.push('daily_limit')
      return reasons.length > 0 ? { reasons, waitMs: Number(limit.approval_ms) } : null
    },
    refuseAbove(wallet, amount) {
      const found = open.get(nameOf(wallet))
      if (found) refuseAboveCeilings({ ...found.limit, ...found.days }, amount)
    },
    keysPayBeneficiaries: (wallet) => open.get(nameOf(wallet))?.limit.payouts_by_key === 'beneficiaries',
    count(wallet, amount, waits) {
      const found = open.get(nameOf(wallet))
      if (!found) return
      const { limit, days } = found
      const [own, operators] = [limit.above_day !== null && !waits, limit.max_day !== null]
      if (own) days.amount += amount
      if (operators) days.max_amount += amount
      found.changed ||= own || operators
    },
    async write() {
      const days = [...open.values()].flatMap((one) => (one.changed ? [one.days] : []))
      if (days.length > 0) await tx.rows(statements.countDays, statements.arraysOfDays(days))
    },
  }
}

const ownerOf = ({ scope, currency }: PayoutWallet) => ({
  ...{ business_id: scope.businessId, livemode: scope.livemode, currency },
})

/** The day that a payout of a wallet is counted in: the one that is counted, until it ends. */
async function dayIn(tx: Tx, wallet: PayoutWallet, limit: LimitOf) {
  const { day_starts_at: starts_at, day_ends_at: ends_at, day_amount: amount } = limit
  const goesOn = limit.above_day === null || (starts_at && ends_at && wallet.scope.now < ends_at)
  return goesOn ? { starts_at, ends_at, amount } : dayNow(viewOf(tx, wallet), wallet.currency)
}

const viewOf = (tx: Tx, { scope }: PayoutWallet) => ({ ...readingOf(tx, scope), scope })

/** The day of the business's time zone that it is, and what was paid out in it without approval. */
async function dayNow(view: Pick<View, 'row' | 'scope'>, currency: WalletCurrency) {
  const timeZone = await timeZoneOf(view)
  const day = dayOf(view.scope.now, timeZone)
  const starts_at = startOfDay(day, timeZone)
  const sum = await view.row(statements.sumSince, [currency, idBound(starts_at)])
  return { starts_at, ends_at: startOfDay(day, timeZone, 1), amount: sum?.amount ?? 0n }
}

/**
 * A payout has failed or was canceled: its day may send as much again. The wallet is locked already.
 * @param waited it had waited for a second person, so its business had not counted it
 */
export async function giveBack(
  work: Work,
  { currency, amount, created_at }: { currency: WalletCurrency; amount: bigint; created_at: Date },
  waited: boolean,
): Promise<void> {
  await work.rows(statements.uncount, [currency, amount, created_at, !waited])
}

export async function getLimits(view: View): Promise<Limits> {
  return toLimits(view, await view.rows(statements.selectLimits))
}

/**
 * Whom keys pay, how long a beneficiary cools off, and what refuses a payout that the operator lets out on no day.
 */
export async function payeeRulesOf(view: View) {
  const rows = await view.rows(statements.selectLimits)
  const { payouts_by_key, beneficiary_cooling_off_hours } = settingsOf(rows)
  return {
    payoutsByKey: payouts_by_key,
    coolingOffMs: beneficiary_cooling_off_hours * hourMs,
    /** @throws {Refusal} `operator_limit_exceeded` */
    refuseLarge(currency: WalletCurrency, amount: bigint): void {
      const row = rows.find((one) => one.currency === currency)
      if (row) refuseLarge(row, currency, amount)
    },
  }
}

/**
 * Changes limits, from this moment on: payouts that are on their way stay so.
 * @throws {Refusal} `limits_not_loosened` for a key that can create payouts
 */
export async function updateLimits(work: Work, input: Static<typeof LimitsIn>): Promise<Limits> {
  await lockAccounts(work, walletCurrencies.flatMap(walletAccounts))
  const rows = await work.rows(statements.selectLimits)
  const before = settingsOf(rows)
  const after: Settings = {
    approval_hours: input.approval_hours ?? before.approval_hours,
    payouts_by_key: input.payouts_by_key ?? before.payouts_by_key,
    beneficiary_cooling_off_hours: input.beneficiary_cooling_off_hours ?? before.beneficiary_cooling_off_hours,
    ...(Object.fromEntries(
      walletCurrencies.map((currency) => {
        const change = input.currencies?.findLast((one) => one.currency === currency)
        return [currency, change ? changed(before[currency], change) : before[currency]]
      }),
    ) as Record<WalletCurrency, Above>),
  }
  const { actor } = work.scope
  if (actor?.type === 'key' && actor.scopes.includes('payout') && isLooser(before, after)) refuse('limits_not_loosened')
  await recordChange(work, { action: 'limits.changed', subject: work.scope.businessId, before, after })
  const days = await Promise.all(walletCurrencies.map((currency) => dayOfWallet(work, rows, currency, after[currency])))
  const written = await work.rows(statements.upsertLimits, [
    [...walletCurrencies],
    walletCurrencies.map((currency) => after[currency].approve_above),
    walletCurrencies.map((currency) => after[currency].approve_above_daily),
    BigInt(after.approval_hours * hourMs),
    days.map((day) => day?.starts_at ?? null),
    days.map((day) => day?.ends_at ?? null),
    days.map((day) => day?.amount ?? 0n),
    work.scope.now,
    after.payouts_by_key,
    BigInt(after.beneficiary_cooling_off_hours * hourMs),
  ])
  return toLimits(work, written)
}

/** In minor units; null: there is none. */
type Above = { approve_above: bigint | null; approve_above_daily: bigint | null }
type Settings = Record<WalletCurrency, Above> & {
  approval_hours: number
  payouts_by_key: PayoutsByKey
  beneficiary_cooling_off_hours: number
}

function settingsOf(rows: LimitRow[]): Settings {
  const of = (currency: WalletCurrency): Above => {
    const row = rows.find((one) => one.currency === currency)
    return { approve_above: row?.above_payout ?? null, approve_above_daily: row?.above_day ?? null }
  }
  const [first] = rows
  const hoursOf = (ms: bigint | undefined, usual: number): number => (ms === undefined ? usual : Number(ms) / hourMs)
  return {
    ...(Object.fromEntries(walletCurrencies.map((currency) => [currency, of(currency)])) as Record<
      WalletCurrency,
      Above
    >),
    approval_hours: hoursOf(first?.approval_ms, defaultApprovalHours),
    payouts_by_key: first?.payouts_by_key ?? 'any',
    beneficiary_cooling_off_hours: hoursOf(first?.cooling_off_ms, defaultCoolingOffHours),
  }
}

type Change = NonNullable<Static<typeof LimitsIn>['currencies']>[number]

function changed(before: Above, { approve_above, approve_above_daily }: Change): Above {
  const read = (given: number | null | undefined, kept: bigint | null): bigint | null =>
    given === undefined ? kept : given === null ? null : BigInt(given)
  return {
    approve_above: read(approve_above, before.approve_above),
    approve_above_daily: read(approve_above_daily, before.approve_above_daily),
  }
}

/** Whether anything may go out unseen that could not before. */
function isLooser(before: Settings, after: Settings): boolean {
  const rises = (from: bigint | null, to: bigint | null): boolean => from !== null && (to === null || to > from)
  return (
    (before.payouts_by_key === 'beneficiaries' && after.payouts_by_key === 'any') ||
    after.beneficiary_cooling_off_hours < before.beneficiary_cooling_off_hours ||
    walletCurrencies.some(
      (currency) =>
        rises(before[currency].approve_above, after[currency].approve_above) ||
        rises(before[currency].approve_above_daily, after[currency].approve_above_daily),
    )
  )
}

/** The day that is counted of a wallet: the one that is counted already, or from now on the one that it is. */
async function dayOfWallet(work: Work, rows: LimitRow[], currency: WalletCurrency, { approve_above_daily }: Above) {
  if (approve_above_daily === null) return null
  const row = rows.find((one) => one.currency === currency)
  if (row?.above_day == null || !row.day_starts_at || !row.day_ends_at || row.day_ends_at <= work.scope.now)
    return dayNow(work, currency)
  return { starts_at: row.day_starts_at, ends_at: row.day_ends_at, amount: row.day_amount }
}

async function toLimits(view: View, rows: LimitRow[]): Promise<Limits> {
  const { id, livemode, created_at } = await getBusiness(view)
  const { approval_hours, payouts_by_key, beneficiary_cooling_off_hours, ...above } = settingsOf(rows)
  const [first] = rows
  return {
    id,
    livemode,
    currencies: walletCurrencies.map((currency) => {
      const row = rows.find((one) => one.currency === currency)
      const counted = row?.above_day != null && row.day_ends_at !== null && view.scope.now < row.day_ends_at
      return {
        currency,
        ...above[currency],
        max_payout: row?.max_payout ?? null,
        max_daily: row?.max_day ?? null,
        sent_today: counted ? row.day_amount : 0n,
        day_ends_at: counted ? row.day_ends_at : null,
      }
    }),
    approval_hours,
    payouts_by_key,
    beneficiary_cooling_off_hours,
    metadata: {},
    created_at: first?.created_at ?? created_at,
    updated_at: first?.updated_at ?? created_at,
  }
}

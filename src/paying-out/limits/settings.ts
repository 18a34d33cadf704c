/**
 * A business's limits for its own wallets: reads them, and changes them with the wallets locked.
 */
import { recordChange } from '../../books/audit/audit.ts'
import { canPayAnybody } from '../../books/businesses/businesses.ts'
import { lockAccounts } from '../../books/ledger/ledger.ts'
import { getBusiness } from '../../books/profiles/profiles.ts'
import { walletAccounts } from '../../books/wallets/wallets.ts'
import type { View, Work } from '../../core/inside.ts'
import { idBound } from '../../lib/ids.ts'
import { type WalletCurrency, walletCurrencies } from '../../lib/money.ts'
import type { Static } from '../../lib/schema.ts'
import {
  cancelLoosening,
  confirmLoosening,
  requireRightNow,
  takeDueLoosening,
} from '../../platform/team/team.ts'
import { looserFields, pendingOf, putOffLooser, withChange } from './loosening.ts'
import { ownList, ownNames } from './names.ts'
import { refuse } from './refusals.ts'
import { endOf, startOfUtcDay, utcDayIn } from './refusing.ts'
import type { LimitsIn, LimitsRecord } from './schema.ts'
import type { LimitRow } from './sql.ts'
import * as statements from './sql.ts'
import { ceilingsOf, hourMs, type Own, type Settings, settingsOf } from './stored.ts'
import { dayNow } from './zone-days.ts'

export type Limits = Static<typeof LimitsRecord>

export async function getLimits(view: View): Promise<Limits> {
  return toLimits(view, await view.rows(statements.selectLimits))
}

/**
 * Changes limits from now on; payouts already created are not affected. In live mode, loosening
 * changes wait (`loosening.ts`).
 * @throws {Refusal} `limits_not_loosened` for a key that can create payouts
 */
export async function updateLimits(work: Work, input: Static<typeof LimitsIn>): Promise<Limits> {
  const rows = await lockLimits(work)
  const before = settingsOf(rows)
  const requested: Settings = {
    approval_hours: input.approval_hours ?? before.approval_hours,
    payouts_by_key: input.payouts_by_key ?? before.payouts_by_key,
    beneficiary_cooling_off_hours:
      input.beneficiary_cooling_off_hours ?? before.beneficiary_cooling_off_hours,
    ...(Object.fromEntries(
      walletCurrencies.map((currency) => {
        const change = input.currencies?.findLast((one) => one.currency === currency)
        return [currency, change ? changedBy(ownList, before[currency], change) : before[currency]]
      }),
    ) as Record<WalletCurrency, Own>),
  }
  const { actor } = work.scope
  if (
    actor?.type === 'key' &&
    canPayAnybody(actor.scopes) &&
    looserFields(before, requested).length > 0
  )
    refuse('limits_not_loosened')
  return writeLimits(work, rows, await putOffLooser(work, before, requested))
}

/**
 * Confirms a loosening change as a second person. @throws {Refusal} `scope_missing`; those of
 * `confirmLoosening`
 */
export async function confirmLooser(work: Work, id: string): Promise<Limits> {
  await requireRightNow(work, 'approve')
  const rows = await lockLimits(work)
  const { change } = await confirmLoosening(work, 'limits', id)
  return writeLimits(work, rows, withChange(settingsOf(rows), change))
}

/** Cancels a loosening change. @throws {Refusal} `not_found` */
export async function cancelLooser(work: Work, id: string): Promise<Limits> {
  const rows = await lockLimits(work)
  await cancelLoosening(work, 'limits', id)
  return toLimits(work, rows)
}

/** Applies a loosening change when its wait is over, for its job. Idempotent. */
export async function loosen(work: Work, id: unknown): Promise<void> {
  const rows = await lockLimits(work)
  const due = await takeDueLoosening(work, 'limits', id)
  if (due) await writeLimits(due.as, rows, withChange(settingsOf(rows), due.loosening.change))
}

async function lockLimits(work: Work): Promise<LimitRow[]> {
  await lockAccounts(work, walletCurrencies.flatMap(walletAccounts))
  return work.rows(statements.selectLimits)
}

/** @param rows the current rows, whose wallets are locked */
async function writeLimits(work: Work, rows: LimitRow[], after: Settings): Promise<Limits> {
  const before = settingsOf(rows)
  await recordChange(work, {
    action: 'limits.changed',
    subject: work.scope.businessId,
    before,
    after,
  })
  const changes: statements.OwnChange[] = []
  for (const currency of walletCurrencies) {
    const day = await dayOfWallet(work, rows, currency, after[currency])
    changes.push({ ...columnsBy(ownNames, after[currency]), currency, ...day })
  }
  const written = await work.rows(statements.upsertLimits, [
    BigInt(after.approval_hours * hourMs),
    after.payouts_by_key,
    BigInt(after.beneficiary_cooling_off_hours * hourMs),
    work.scope.now,
    ...statements.arraysOfOwn(changes),
  ])
  await beginDestinations(work, rows, written, work.scope.now)
  return toLimits(work, written)
}

/** Omitted fields stay unchanged. */
export function changedBy<Name extends string>(
  names: Name[],
  before: Record<Name, bigint | null>,
  change: Partial<Record<Name, number | null>>,
): Record<Name, bigint | null> {
  const read = (given: number | null | undefined, kept: bigint | null): bigint | null =>
    given === undefined ? kept : given === null ? null : BigInt(given)
  return Object.fromEntries(
    names.map((name) => [name, read(change[name], before[name])]),
  ) as Record<Name, bigint | null>
}

/** The same by column. */
export const columnsBy = <Name extends string, Column extends string>(
  names: Record<Name, Column>,
  limits: Record<Name, bigint | null>,
): Record<Column, bigint | null> =>
  Object.fromEntries(
    Object.entries<Column>(names).map(([name, column]) => [column, limits[name as Name]]),
  ) as Record<Column, bigint | null>

/**
 * Sums today's payouts by destination for wallets that start to count destinations. Their accounts
 * are locked.
 * @param now the time of the business and mode
 */
export async function beginDestinations(
  work: Work,
  before: LimitRow[],
  after: LimitRow[],
  now: Date,
): Promise<void> {
  const currencies = after.flatMap((row) => {
    const was = before.find(({ currency }) => currency === row.currency)
    return statements.countsDestinations(row) && !(was && statements.countsDestinations(was))
      ? [row.currency]
      : []
  })
  if (currencies.length === 0) return
  const start = startOfUtcDay(now)
  await work.rows(statements.deleteDestinations, [currencies])
  await work.rows(statements.sumDestinations, [currencies, idBound(start), start])
}

/** The counted day of a wallet: the current one, or else today. */
async function dayOfWallet(
  work: Work,
  rows: LimitRow[],
  currency: WalletCurrency,
  { approve_above_daily }: Own,
) {
  if (approve_above_daily === null) return { starts_at: null, ends_at: null, amount: 0n }
  const row = rows.find((one) => one.currency === currency)
  if (
    row?.above_day == null ||
    !row.day_starts_at ||
    !row.day_ends_at ||
    row.day_ends_at <= work.scope.now
  )
    return dayNow(work, currency)
  return { starts_at: row.day_starts_at, ends_at: row.day_ends_at, amount: row.day_amount }
}

async function toLimits(view: View, rows: LimitRow[]): Promise<Limits> {
  const { id, livemode, created_at } = await getBusiness(view)
  const { approval_hours, payouts_by_key, beneficiary_cooling_off_hours, ...own } = settingsOf(rows)
  const [first] = rows
  const currencies: Limits['currencies'] = []
  for (const currency of walletCurrencies) {
    const row = rows.find((one) => one.currency === currency)
    const counted =
      row?.above_day != null && row.day_ends_at !== null && view.scope.now < row.day_ends_at
    currencies.push({
      currency,
      ...own[currency],
      ...ceilingsOf(row),
      sent_today: counted ? row.day_amount : 0n,
      day_ends_at: counted ? row.day_ends_at : null,
      ...(await utcDayOf(view, currency, row)),
    })
  }
  return {
    id,
    livemode,
    currencies,
    approval_hours,
    payouts_by_key,
    beneficiary_cooling_off_hours,
    pending_change: await pendingOf(view, settingsOf(rows)),
    metadata: {},
    created_at: first?.created_at ?? created_at,
    updated_at: first?.updated_at ?? created_at,
  }
}

/** Returns a UTC day's payouts, if they are counted. */
export async function utcDayOf(view: View, currency: WalletCurrency, row: LimitRow | undefined) {
  const none = { paid_out_today: null, payouts_today: null, utc_day_ends_at: null }
  if (!row || !statements.countsDays(row)) return none
  const { starts_at, amount, count } = await utcDayIn(view, currency, row)
  return { paid_out_today: amount, payouts_today: count, utc_day_ends_at: endOf(starts_at as Date) }
}

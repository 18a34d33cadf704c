/** Days of a business's time zone, in which payouts without approval are counted. */
import { timeZoneOf } from '../../books/profiles/profiles.ts'
import type { Scope } from '../../core/app.ts'
import type { View } from '../../core/inside.ts'
import { dayOf, startOfDay } from '../../lib/days.ts'
import { idBound } from '../../lib/ids.ts'
import type { WalletCurrency } from '../../lib/money.ts'
import * as statements from './sql.ts'

/** The wallet of a payout. */
export type PayoutWallet = { scope: Scope; currency: WalletCurrency }

/** Returns today in the business's time zone, and its payouts without approval. */
export async function dayNow(view: Pick<View, 'row' | 'scope'>, currency: WalletCurrency) {
  const timeZone = await timeZoneOf(view)
  const day = dayOf(view.scope.now, timeZone)
  const starts_at = startOfDay(day, timeZone)
  const sum = await view.row(statements.sumSince, [currency, idBound(starts_at)])
  return { starts_at, ends_at: startOfDay(day, timeZone, 1), amount: sum?.amount ?? 0n }
}

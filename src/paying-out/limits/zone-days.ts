/**
 * Days of a business's time zone, in which what goes out without approval is counted.
 */
import { timeZoneOf } from '../../books/profiles/profiles.ts'
import type { Scope } from '../../core/app.ts'
import type { View } from '../../core/inside.ts'
import { dayOf, startOfDay } from '../../lib/days.ts'
import { idBound } from '../../lib/ids.ts'
import type { WalletCurrency } from '../../lib/money.ts'
import * as statements from './sql.ts'

/** A wallet that payouts leave. */
export type PayoutWallet = { scope: Scope; currency: WalletCurrency }

/** The day of the business's time zone that it is, and what was paid out in it without approval. */
export async function dayNow(view: Pick<View, 'row' | 'scope'>, currency: WalletCurrency) {
  const timeZone = await timeZoneOf(view)
  const day = dayOf(view.scope.now, timeZone)
  const starts_at = startOfDay(day, timeZone)
  const sum = await view.row(statements.sumSince, [currency, idBound(starts_at)])
  return { starts_at, ends_at: startOfDay(day, timeZone, 1), amount: sum?.amount ?? 0n }
}

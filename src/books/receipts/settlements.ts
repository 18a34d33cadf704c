/**
 * Provider settlements to the operator's bank, and top-ups by the operator: each booked once, in
 * the operator's books.
 */
import type { Work } from '../../core/inside.ts'
import { newId } from '../../lib/ids.ts'
import type { WalletCurrency } from '../../lib/money.ts'
import { type AccountKey, post } from '../ledger/ledger.ts'
import * as statements from './sql.ts'

export type NewSettlement = {
  rail: string
  kind: 'settlement' | 'top_up'
  /** The provider's own id. */
  providerId: string
  currency: WalletCurrency
  /** Minor units, above zero. */
  amount: bigint
  at: Date
}

/**
 * Books a settlement or top-up. Idempotent.
 * @param work of the operator's business
 * @returns false if it was booked before
 */
export async function bookSettlement(work: Work, of: NewSettlement): Promise<boolean> {
  const { livemode, now } = work.scope
  const { rail, kind, providerId, currency, amount, at } = of
  const id = newId(now)
  const names = [livemode, rail, kind, providerId, id, currency, amount, at, now]
  if ((await work.tx.row(statements.insertSettlement, names)) === null) return false
  const bank: AccountKey = { purpose: 'operator_bank', currency, subject: rail }
  const clearing: AccountKey = { purpose: 'rail_clearing', currency, subject: rail }
  const [debit, credit] = kind === 'settlement' ? [bank, clearing] : [clearing, bank]
  await post(work, [{ debit, credit, amount, kind, subject: id, transaction: id }])
  return true
}

/**
 * Marks payments as settled by a provider.
 * @returns the number that were not marked before
 */
export async function markSettled(
  { tx, scope }: Work,
  {
    rail,
    settlement,
    at,
    payments,
  }: { rail: string; settlement: string; at: Date; payments: string[] },
): Promise<number> {
  return (await tx.rows(statements.updateSettled, [scope.livemode, rail, settlement, at, payments]))
    .length
}

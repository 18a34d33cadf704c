/**
 * Receipts of provider movements, by which booking is idempotent: a movement is booked once,
 * whether a webhook, an answer or a sweep reports it first. With it goes the provider's fee, which
 * the operator pays.
 */
import type { Scope } from '../../core/app.ts'
import type { View, Work } from '../../core/inside.ts'
import type { Database, Tx } from '../../db/db.ts'
import type { Id } from '../../lib/ids.ts'
import type { Currency, WalletCurrency } from '../../lib/money.ts'
import { type AccountKey, isBuiltIn, lockAccounts, type Posting, post } from '../ledger/ledger.ts'
import * as statements from './sql.ts'

export { bookSettlement, markSettled, type NewSettlement } from './settlements.ts'
export type { KnownReceipt, ReceiptKind } from './sql.ts'

export type Receipt = {
  /** The account at the provider. For built-in rails nothing is recorded. */
  rail: string
  kind: statements.ReceiptKind
  /** The provider's own id of the movement, the same in all its reports. */
  providerId: string
  /** The record that it belongs to, such as the payout. */
  subject: Id
  /** The merchant's transaction that books it. */
  transaction: Id
  /** The moved amount in minor units. */
  amount: bigint
  /** The provider's fee; negative: a credit; null: unknown until `settleFee`. */
  fee: bigint | null
  currency: Currency
  /** When it can be paid out, if the provider says so. */
  availableAt: Date | null
}
export type OwnedReceipt = Receipt & { scope: Scope }

/**
 * Another record has booked this movement, so the provider's report of one of them must be wrong.
 */
export class BookedBefore extends Error {
  constructor({ rail, kind, providerId }: Pick<Receipt, 'rail' | 'kind' | 'providerId'>) {
    super(`the ${kind} ${providerId} of ${rail} is booked already`)
    this.name = 'BookedBefore'
  }
}

/**
 * Records a movement and books its fee. It runs in the transaction that books the movement, before
 * any posting.
 * @returns false if it was recorded before: the caller must not book it
 */
export async function recordReceipt(work: Work, receipt: Receipt): Promise<boolean> {
  const [isNew] = await recordReceipts(work.tx, [{ ...receipt, scope: work.scope }])
  if (isNew) await postFee(work, receipt)
  return isNew === true
}

/**
 * Records movements of many businesses in one statement. The caller posts their fees, by
 * `feePostings`.
 * @returns for each whether it is new
 */
export async function recordReceipts(tx: Tx, receipts: OwnedReceipt[]): Promise<boolean[]> {
  const atProviders = receipts.filter(({ rail }) => !isBuiltIn(rail))
  if (atProviders.length === 0) return receipts.map(() => true)
  const nameOf = (livemode: boolean, rail: string, kind: string, id: string) =>
    `${livemode} ${rail} ${kind} ${id}`
  const rows = await tx.rows(
    statements.insertReceipts,
    statements.newReceipts.arrays(
      atProviders.map(
        ({
          scope,
          rail,
          kind,
          providerId,
          subject,
          transaction,
          currency,
          amount,
          fee,
          availableAt,
        }) => ({
          business_id: scope.businessId,
          livemode: scope.livemode,
          rail,
          kind,
          provider_id: providerId,
          subject,
          transaction_id: transaction,
          currency,
          amount,
          fee,
          available_at: availableAt,
          created_at: scope.now,
        }),
      ),
    ),
  )
  const recorded = new Set(
    rows.map((row) => nameOf(row.livemode, row.rail, row.kind, row.provider_id)),
  )
  // Of two equal ones, the first is new.
  return receipts.map(
    ({ scope, rail, kind, providerId }) =>
      isBuiltIn(rail) || recorded.delete(nameOf(scope.livemode, rail, kind, providerId)),
  )
}

/**
 * Records a movement that no other record can have booked.
 * @throws {BookedBefore} if one has
 */
export async function requireReceipt(work: Work, receipt: Receipt): Promise<void> {
  if (!(await recordReceipt(work, receipt))) throw new BookedBefore(receipt)
}

/** Returns the providers' ids of incoming money, by its transactions. */
export async function moneyIn(
  view: View,
  transactions: Id[],
): Promise<Map<Id, { rail: string; providerId: string }>> {
  const rows = await view.rows(statements.selectMoneyIn, [transactions])
  return new Map(
    rows.map((row) => [row.transaction_id, { rail: row.rail, providerId: row.provider_id }]),
  )
}

/**
 * Returns the providers' ids of the movements of some transactions, without account names; `limit`
 * per transaction.
 */
export function receiptsOfTransactions(
  view: View,
  transactions: Id[],
  limit: number,
): Promise<statements.ReceiptShown[]> {
  return view.rows(statements.selectOfTransactions, [transactions, limit])
}

/** Returns the posting of a provider's fee or credit; none if it is unknown or zero. */
export function feePostings({ rail, fee, currency, subject, transaction }: FeeOf): Posting[] {
  if (fee === null || fee === 0n || isBuiltIn(rail)) return []
  const cost: AccountKey = { purpose: 'rail_fees', currency, subject: rail }
  const clearing: AccountKey = { purpose: 'rail_clearing', currency, subject: rail }
  return fee > 0n
    ? [{ debit: cost, credit: clearing, amount: fee, kind: 'rail_fee', subject, transaction }]
    : [
        {
          debit: clearing,
          credit: cost,
          amount: -fee,
          kind: 'rail_fee_return',
          subject,
          transaction,
        },
      ]
}
type FeeOf = Pick<Receipt, 'rail' | 'fee' | 'currency' | 'subject' | 'transaction'>

async function postFee(work: Work, receipt: FeeOf): Promise<void> {
  const postings = feePostings(receipt)
  if (postings.length === 0) return
  const { currency, rail } = receipt
  // Includes the caller's next accounts: all must be locked together in id order, to avoid
  // deadlocks.
  await lockAccounts(work, [
    { purpose: 'wallet_available', currency },
    { purpose: 'wallet_pending', currency },
    { purpose: 'fees', currency },
    { purpose: 'exchange', currency },
    { purpose: 'rail_clearing', currency, subject: rail },
    { purpose: 'rail_fees', currency, subject: rail },
  ])
  await post(work, postings)
}

/**
 * Books a fee that was unknown when its movement was recorded. Idempotent: a known fee stays.
 * @returns false if this business has no such receipt without a fee
 */
export async function settleFee(
  work: Work,
  { rail, kind, providerId, fee }: Pick<Receipt, 'rail' | 'kind' | 'providerId'> & { fee: bigint },
): Promise<boolean> {
  const row = await work.row(statements.updateFee, [rail, kind, providerId, fee])
  if (row === null) return false
  const { subject, transaction_id: transaction, currency } = row
  await postFee(work, { rail, fee, currency, subject, transaction })
  return true
}

type OfAccount = { livemode: boolean; rail: string }

/**
 * Returns receipts of an account over all businesses: those with these provider ids, and those from
 * a time on.
 */
export function receiptsOf(
  db: Database,
  { livemode, rail, ids, from }: OfAccount & { ids: string[]; from: Date | null },
): Promise<statements.KnownReceipt[]> {
  return db.rows(statements.selectReceipts, [livemode, rail, ids, from])
}

/** Whether anything was ever booked for an account. */
export async function isStarted(db: Database, { livemode, rail }: OfAccount): Promise<boolean> {
  return (await db.row(statements.selectAnyReceipt, [livemode, rail]))?.found === true
}

/**
 * Returns what a provider owes according to the books, over all businesses, in minor units; and the
 * part that belongs to no merchant.
 */
export async function owedBy(
  db: Database,
  { livemode, rail, currency }: OfAccount & { currency: WalletCurrency },
): Promise<{ owed: bigint; operators: bigint }> {
  return (await db.row(statements.selectOwed, [livemode, rail, currency])) as {
    owed: bigint
    operators: bigint
  }
}

/**
 * Receipts of money that moved at a provider: one for each movement, so that none is booked twice,
 * whether a webhook, an answer or a sweep notices it first. With it goes what the provider keeps as
 * its fee, which is the operator's cost and no merchant's.
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
  /**
   * The name of the account at the provider. Rails that are built in have no provider: of them
   * nothing is recorded.
   */
  rail: string
  kind: statements.ReceiptKind
  /** The provider's own id of the movement, as its lists have it, the same whoever notices it. */
  providerId: string
  /** The record that it is of, such as the payout. */
  subject: Id
  /** The merchant's transaction that books it. */
  transaction: Id
  /** What moved, in minor units. */
  amount: bigint
  /**
   * What the provider keeps for it; below zero: what it gives back; null where it does not say,
   * until `settleFee`.
   */
  fee: bigint | null
  currency: Currency
  /** From when on it can be paid out, where the provider says so. */
  availableAt: Date | null
}
export type OwnedReceipt = Receipt & { scope: Scope }

/**
 * A movement that another record has booked: what a provider says of one of the two cannot be so.
 */
export class BookedBefore extends Error {
  constructor({ rail, kind, providerId }: Pick<Receipt, 'rail' | 'kind' | 'providerId'>) {
    super(`the ${kind} ${providerId} of ${rail} is booked already`)
    this.name = 'BookedBefore'
  }
}

/**
 * Records a movement, and books its fee. Called in the transaction that books the movement, before
 * anything is posted.
 * @returns false when it was recorded before: then nothing may be booked
 */
export async function recordReceipt(work: Work, receipt: Receipt): Promise<boolean> {
  const [isNew] = await recordReceipts(work.tx, [{ ...receipt, scope: work.scope }])
  if (isNew) await postFee(work, receipt)
  return isNew === true
}

/**
 * Records movements of any number of businesses, in one statement. Their fees are the caller's to
 * book: with `feePostings`, among its own postings.
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
  // Of two that are the same, the first is the one.
  return receipts.map(
    ({ scope, rail, kind, providerId }) =>
      isBuiltIn(rail) || recorded.delete(nameOf(scope.livemode, rail, kind, providerId)),
  )
}

/**
 * The same where nothing else may have booked the movement.
 * @throws {BookedBefore} when something has
 */
export async function requireReceipt(work: Work, receipt: Receipt): Promise<void> {
  if (!(await recordReceipt(work, receipt))) throw new BookedBefore(receipt)
}

/** What providers know money by that came to them, by the transactions that book it. */
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
 * What providers know the movements of some transactions by, without the name of the account there;
 * `limit` of each transaction.
 */
export function receiptsOfTransactions(
  view: View,
  transactions: Id[],
  limit: number,
): Promise<statements.ReceiptShown[]> {
  return view.rows(statements.selectOfTransactions, [transactions, limit])
}

/**
 * The posting of what a provider keeps, or gives back: none while it has not said, nor where it
 * keeps nothing.
 */
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
  // With what the caller posts next: who moves the same accounts locks them in the order of their
  // ids, which begins with these.
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
 * Books the fee of a movement whose provider had not said it when it was recorded. Once: a fee that
 * is known stays.
 * @returns false when there is no such receipt of this business without a fee
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
 * Of an account, whoever's they are: the receipts with these ids of the provider, and those from a
 * time on.
 */
export function receiptsOf(
  db: Database,
  { livemode, rail, ids, from }: OfAccount & { ids: string[]; from: Date },
): Promise<statements.KnownReceipt[]> {
  return db.rows(statements.selectReceipts, [livemode, rail, ids, from])
}

/** Whether anything of an account was ever booked. */
export async function isStarted(db: Database, { livemode, rail }: OfAccount): Promise<boolean> {
  return (await db.row(statements.selectAnyReceipt, [livemode, rail]))?.found === true
}

/**
 * What the books say that a provider owes, of every business together, in minor units; and of it
 * what is no merchant's.
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

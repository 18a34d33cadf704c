/**
 * Holds deposits for review: books the money to pending, under a pending transaction. Only a
 * release credits it, emits its event and counts it toward a payment.
 */
import { holding, unholding } from '../../books/ledger/exchange.ts'
import { type AccountKey, lockAccounts } from '../../books/ledger/ledger.ts'
import { requireReceipt } from '../../books/receipts/receipts.ts'
import {
  holdTransaction,
  type NewTransaction,
  recordTransaction,
  type Source,
  type Transaction,
  transactionIn,
} from '../../books/transactions/transactions.ts'
import { credit } from '../../books/wallets/wallets.ts'
import { insert, type Work } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { type Held, openReview, screen } from '../../platform/screening/screening.ts'
import { findCryptoWallet } from '../crypto/crypto.ts'
import * as payments from '../payments/payments.ts'
import { type AccountRow, accountIn } from '../virtual-accounts/virtual-accounts.ts'
import { expectedTransaction, isClosed, providerReceipt } from './booking.ts'
import { bookOnce, type DepositNotification, type ExpectedTransaction } from './notifications.ts'
import { type HeldRow, heldDeposits } from './sql.ts'
import {
  type Owner,
  type TokenNotification,
  walletCurrency,
  walletTransaction,
  worthOf,
} from './tokens.ts'

/**
 * Screens the sender of money against all lists.
 * @throws {Error} when one does not answer: nothing is booked, and the caller retries
 */
export function screenSender(ctx: Ctx, source: Source | null | undefined): Promise<Held | null> {
  if (!source) return Promise.resolve(null)
  const { address, account_number: accountNumber, bank_code: bankCode, account_name: name } = source
  return screen(ctx, newId(ctx.scope.now), { address, accountNumber, bankCode, names: [name] })
}

/** Money to hold, and its owner. */
type HeldMoney = Pick<
  HeldRow,
  'kind' | 'subject' | 'rail' | 'token' | 'currency' | 'amount' | 'worth' | 'chain_deposit'
>

const moneyOf = (
  { rail, token, currency, amount, worth, subject }: HeldMoney,
  transaction: Id,
) => ({
  rail,
  subject,
  transaction,
  ledgerAmount: { amount: worth, currency },
  railAmount: { amount, currency: token ?? currency },
})

/**
 * Books money to pending, and opens a review.
 * @param shown the contents of its transaction; null when the transaction exists as pending
 */
export async function holdMoney(
  work: Work,
  transaction: Id,
  held: Held,
  of: HeldMoney,
  shown: Omit<NewTransaction, 'id' | 'status' | 'balanceAfter' | 'review'> | null,
): Promise<Transaction> {
  const { now } = work.scope
  const balanceAfter = await credit(work, of.currency, holding(moneyOf(of, transaction)))
  const review = { reason: held.reason, since: now }
  if (shown === null) await holdTransaction(work, transaction, review)
  else
    await recordTransaction(work, {
      ...shown,
      id: transaction,
      status: 'pending',
      balanceAfter,
      review,
    })
  await insert(work, heldDeposits, {
    ...of,
    id: transaction,
    status: 'held',
    created_at: now,
    updated_at: now,
  })
  await openReview(work, 'deposit', transaction, held)
  return transactionIn(work, transaction)
}

/**
 * Holds a deposit on a virtual account.
 * @returns its pending transaction, the same one for the same notification
 * @throws {Refusal} those of `bookDeposit`
 * @throws {BookedBefore} when another record has booked the movement at the provider
 */
export function holdBankDeposit(
  work: Work,
  account: Pick<AccountRow, 'id'>,
  notification: DepositNotification,
  held: Held,
): Promise<Transaction> {
  const expected = expectedTransaction({ account: account.id as Id, notification })
  return bookOnce(
    work,
    notification,
    async () => expected,
    async (id) => {
      const row = await accountIn(work, account.id)
      const payment =
        row.payment_id === null ? null : await payments.lockToReceive(work, row.payment_id)
      const { currency } = row
      const receipt = providerReceipt(notification, {
        scope: work.scope,
        subject: payment?.id ?? row.id,
        transaction: id,
        currency,
      })
      if (receipt) await requireReceipt(work, receipt)
      const { rail, amount, source } = notification
      const money = { rail, currency, amount, worth: amount, token: null, chain_deposit: null }
      const of: HeldMoney = { kind: 'account', subject: row.id, ...money }
      return holdMoney(work, id, held, of, {
        type: payment ? 'payment' : 'deposit',
        method: 'bank_transfer',
        direction: 'credit',
        currency,
        amount,
        fee: 0n,
        source,
        reference: (payment ?? row).reference,
        customer: (payment ?? row).customer_id,
        ...(payment ? {} : { late: isClosed(row, work.scope.now) }),
        related: { ...(payment ? { payment: payment.id } : {}), virtual_account: row.id },
        metadata: (payment ?? row).metadata,
      })
    },
  )
}

/** Holds simulated tokens at a crypto wallet. @returns the pending transaction */
export function holdTokens(
  work: Work,
  walletId: Id,
  notification: TokenNotification,
  held: Held,
): Promise<Transaction> {
  const { rail, currency: token, amount, source } = notification
  const owner: Owner = { kind: 'wallet', subject: walletId }
  const expected = async (): Promise<ExpectedTransaction> => ({
    method: 'crypto',
    related: { crypto_wallet: walletId },
    token,
    amount: await worthOf(work, owner, token, amount),
  })
  return bookOnce(work, notification, expected, async (id) => {
    const wallet = await findCryptoWallet(work, walletId)
    const worth = await worthOf(work, owner, token, amount)
    const fee = work.pricing.incomingFee('deposit', 'crypto', walletCurrency, worth)
    const money = { rail, token, currency: walletCurrency, amount, worth, chain_deposit: null }
    const of: HeldMoney = { kind: 'wallet', subject: walletId, ...money }
    return holdMoney(work, id, held, of, walletTransaction(wallet, id, { worth, fee, source }))
  })
}

/** Returns the ledger accounts of a held deposit, in the order in which bookings lock them. */
function holdAccounts({ rail, token, currency }: HeldRow): AccountKey[] {
  const own = (['wallet_available', 'wallet_pending', 'fees', 'exchange'] as const).map(
    (purpose): AccountKey => ({ purpose, currency }),
  )
  const clearing: AccountKey = {
    purpose: 'rail_clearing',
    currency: token ?? currency,
    subject: rail,
  }
  return [
    ...own,
    clearing,
    ...(token === null ? [] : [{ purpose: 'exchange', currency: token } as const]),
  ]
}

/**
 * Takes a held deposit out of pending. The caller credits it in the same transaction, and has
 * locked its payment.
 */
export async function releaseHold(work: Work, row: HeldRow): Promise<void> {
  await lockAccounts(work, holdAccounts(row))
  await credit(work, row.currency, unholding(moneyOf(row, row.id)))
}

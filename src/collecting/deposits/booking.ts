/** Books deposits on virtual accounts that do not belong to a payment, in batches. */

import { incoming } from '../../books/ledger/exchange.ts'
import { type Books, openBooks, type Posting } from '../../books/ledger/ledger.ts'
import {
  BookedBefore,
  feePostings,
  type OwnedReceipt,
  recordReceipts,
} from '../../books/receipts/receipts.ts'
import {
  getTransactions,
  type NewTransaction,
  recordTransactions,
  type Transaction,
  transactionOf,
} from '../../books/transactions/transactions.ts'
import { creditIn, walletAccounts } from '../../books/wallets/wallets.ts'
import type { Scope } from '../../core/app.ts'
import type { Tx } from '../../db/db.ts'
import type { Outcome } from '../../lib/errors.ts'
import { type Id, newId } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import type { WalletCurrency } from '../../lib/money.ts'
import type { Keyring } from '../../lib/secrets.ts'
import { emitMany, news } from '../../platform/events/events.ts'
import {
  type AccountRow,
  endAccounts,
  lockVirtualAccounts,
} from '../virtual-accounts/virtual-accounts.ts'
import { depositEvents } from './events.ts'
import {
  assertSameDeposit,
  claimNotifications,
  type DepositNotification,
  type ExpectedTransaction,
  type NotificationClaim,
  releaseNotifications,
} from './notifications.ts'

/** A deposit to book. `fee` in minor units. */
export type NewDeposit = {
  scope: Scope
  account: Id
  currency: WalletCurrency
  notification: DepositNotification
  fee: bigint
  log: Log
  /** Encrypts payer details in the event. */
  secrets: Keyring
}

type ClaimingDeposit = NewDeposit & { claim: NotificationClaim; postings: Posting[] }

type BookedDeposit = {
  secrets: Keyring
  entry: NewTransaction & { scope: Scope }
  record: Transaction
  closes: boolean
  receipt: OwnedReceipt | null
}

/**
 * Books deposits of any businesses in one transaction, each as if it had come alone, in order. Lock
 * order: notifications, accounts, the ledger.
 * @returns an outcome for each deposit: its transaction, new or booked before, or its refusal.
 * `amount_too_large`: the rail can repeat the notification. `notice_reused` (409): the notification
 * belongs to another deposit.
 * @throws {BookedBefore} when another record has booked a movement at the provider: nothing of the
 * batch is booked
 */
export async function bookMany(tx: Tx, deposits: NewDeposit[]): Promise<Outcome<Transaction>[]> {
  const claiming = deposits.map((deposit): ClaimingDeposit => {
    const { scope, notification } = deposit
    const { rail, notice } = notification
    const claim = { scope, rail, notice, transaction: newId(scope.now) }
    return { ...deposit, claim, postings: postingsOf(deposit, claim.transaction) }
  })
  const first = new Map<string, NotificationClaim>()
  for (const { claim } of claiming)
    if (!first.has(claimKey(claim))) first.set(claimKey(claim), claim)
  const claims = [...first.values()]
  const [known, accounts, books] = await Promise.all([
    claimNotifications(tx, claims),
    lockVirtualAccounts(
      tx,
      claiming.map(({ scope, account }) => ({ scope, id: account })),
    ),
    openBooks(tx, claiming.map(ledgerAccounts)),
  ])
  const answers = await readBooked(tx, known)
  const { outcomes, booked } = bookInOrder(claiming, { books, accounts, answers })
  await recordMovements(tx, [...booked.values()])
  await Promise.all([
    releaseNotifications(
      tx,
      claims.filter((claim) => !known.has(claim) && !booked.has(claim)),
    ),
    // Where the first of two equal notifications was refused, the repeat in this batch is booked:
    // under its own transaction id and time.
    claimNotifications(
      tx,
      [...booked.keys()].filter((claim) => first.get(claimKey(claim)) !== claim),
    ),
    books.write(),
    writeRecords(tx, [...booked.values()]),
  ])
  return outcomes
}

const ledgerAccounts = ({ scope, currency, postings }: ClaimingDeposit) => ({
  scope,
  keys: [...walletAccounts(currency), ...postings.flatMap(({ debit, credit }) => [debit, credit])],
})

/**
 * Books deposits one after the other in the open books.
 * @property answers the transactions of notifications that were booked before; grows
 */
function bookInOrder(
  deposits: ClaimingDeposit[],
  {
    books,
    accounts,
    answers,
  }: { books: Books; accounts: (AccountRow | null)[]; answers: Map<string, Transaction> },
): { outcomes: Outcome<Transaction>[]; booked: Map<NotificationClaim, BookedDeposit> } {
  const booked = new Map<NotificationClaim, BookedDeposit>()
  const closed = new Set<AccountRow>()
  const outcomes = deposits.map((deposit, i): Outcome<Transaction> => {
    const { claim, log } = deposit
    const known = answers.get(claimKey(claim))
    try {
      if (known)
        return { answer: assertSameDeposit(log, known, claim, expectedTransaction(deposit)) }
      const account = accounts[i] as AccountRow
      const isActive = account.status === 'active' && !closed.has(account)
      const entry = book(books, deposit, account, isActive)
      if (entry.closes) closed.add(account)
      booked.set(claim, entry)
      answers.set(claimKey(claim), entry.record)
      return { answer: entry.record }
    } catch (refusal) {
      return { refusal }
    }
  })
  return { outcomes, booked }
}

/** @throws {BookedBefore} when another record has booked one of the movements */
async function recordMovements(tx: Tx, booked: BookedDeposit[]): Promise<void> {
  const receipts = booked.flatMap(({ receipt }) => receipt ?? [])
  const isNew = receipts.length === 0 ? [] : await recordReceipts(tx, receipts)
  const known = receipts.find((_, i) => !isNew[i])
  if (known) throw new BookedBefore(known)
}

const claimKey = ({ scope, rail, notice }: NotificationClaim): string =>
  JSON.stringify([scope.businessId, scope.livemode, rail, notice])

/** Returns what the transaction of a deposit on an account must contain. */
export function expectedTransaction({
  account,
  notification,
}: Pick<NewDeposit, 'account' | 'notification'>): ExpectedTransaction {
  return {
    method: 'bank_transfer',
    amount: notification.amount,
    related: { virtual_account: account },
  }
}

/** Returns the transactions of notifications that were booked before, by the claims' keys. */
async function readBooked(
  tx: Tx,
  known: Map<NotificationClaim, Id>,
): Promise<Map<string, Transaction>> {
  const transactions = await getTransactions(
    tx,
    [...known].map(([{ scope }, id]) => ({ scope, id })),
  )
  return new Map(
    [...known.keys()].map((claim, i) => [claimKey(claim), transactions[i] as Transaction]),
  )
}

function postingsOf(
  {
    account,
    currency,
    notification,
    fee,
  }: Pick<NewDeposit, 'account' | 'currency' | 'notification' | 'fee'>,
  transaction: Id,
): Posting[] {
  const money = { amount: notification.amount, currency }
  const { rail, receipt } = notification
  const postings = incoming({
    rail,
    railAmount: money,
    ledgerAmount: money,
    account: { purpose: 'wallet_available', currency },
    fee,
    subject: account,
    transaction,
  })
  return receipt
    ? [...postings, ...feePostings({ ...receipt, rail, currency, subject: account, transaction })]
    : postings
}

/** Returns the movement at the provider to record; null for rails without such records. */
export function providerReceipt(
  notification: DepositNotification,
  of: Pick<OwnedReceipt, 'scope' | 'subject' | 'transaction' | 'currency'>,
): OwnedReceipt | null {
  const { rail, notice: providerId, amount, receipt } = notification
  return receipt ? { ...receipt, ...of, rail, providerId, amount } : null
}

type Entry = {
  scope: Scope
  id: Id
  account: AccountRow
  notification: DepositNotification
  fee: bigint
  /** The account's state, after earlier deposits of the batch. */
  active: boolean
  /** Decided when a held deposit arrived; otherwise by the account's state now. */
  late?: boolean
}

const hasExpired = ({ expires_at }: AccountRow, at: Date): boolean =>
  expires_at !== null && expires_at <= at

/** Whether an account has closed or expired at a time. */
export const isClosed = (account: AccountRow, at: Date): boolean =>
  account.status !== 'active' || hasExpired(account, at)

/** Returns the transaction and postings of a deposit, and whether its account closes with it. */
export function depositEntry({ scope, id, account, notification, fee, active, late }: Entry) {
  const { amount, source } = notification
  const { currency } = account
  const entry = {
    id,
    type: 'deposit' as const,
    method: 'bank_transfer' as const,
    direction: 'credit' as const,
    status: 'completed' as const,
    currency,
    amount,
    fee,
    reference: account.reference,
    source,
    customer: account.customer_id,
    late: late ?? (!active || hasExpired(account, scope.now)),
    related: { virtual_account: account.id },
    metadata: account.metadata,
  }
  const closes = active && account.amount !== null && amount >= account.amount
  return {
    entry,
    closes,
    postings: postingsOf({ account: account.id, currency, notification, fee }, id),
  }
}

/**
 * Books one deposit in the open books.
 * @throws {Refusal} `amount_too_large`; nothing is booked
 */
function book(
  books: Books,
  { scope, claim, notification, fee, postings, secrets }: ClaimingDeposit,
  account: AccountRow,
  active: boolean,
): BookedDeposit {
  const { currency } = account
  const { transaction } = claim
  const deposit = depositEntry({ scope, id: transaction, account, notification, fee, active })
  const balanceAfter = creditIn(books, scope, currency, postings)
  const entry = { scope, ...deposit.entry, balanceAfter }
  const receipt = providerReceipt(notification, {
    scope,
    subject: account.id,
    transaction,
    currency,
  })
  return { entry, record: transactionOf(entry), closes: deposit.closes, receipt, secrets }
}

/** Writes transactions, closed accounts and events of booked deposits. */
async function writeRecords(tx: Tx, booked: BookedDeposit[]): Promise<void> {
  const closing = booked.filter(({ closes }) => closes)
  await Promise.all([
    recordTransactions(
      tx,
      booked.map(({ entry }) => entry),
    ),
    endAccounts(
      tx,
      closing.map(({ entry }) => ({ scope: entry.scope, id: entry.related.virtual_account as Id })),
      'closed',
    ),
    emitMany(
      tx,
      booked.map(({ entry, record }) =>
        news(entry.scope, depositEvents, 'virtual_account.deposit', record),
      ),
      booked[0]?.secrets,
    ),
  ])
}

/**
 * The moment at which deposits on accounts that are no payment's are booked, any number of them at
 * once: notifications, postings, transactions, accounts that close and events are one commit,
 * decided as if each had come alone, in their order.
 */

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
  endMany,
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

/** A deposit that only its notification and the wallet can still stop. `fee` in minor units. */
export type NewDeposit = {
  scope: Scope
  account: Id
  currency: WalletCurrency
  notification: DepositNotification
  fee: bigint
  log: Log
  /** What is said of who paid is sealed in the event. */
  secrets: Keyring
}

/** With its claim on the notification, and what it moves. */
type ClaimingDeposit = NewDeposit & { own: NotificationClaim; postings: Posting[] }

type Booked = {
  secrets: Keyring
  entry: NewTransaction & { scope: Scope }
  record: Transaction
  closes: boolean
  receipt: OwnedReceipt | null
}

/**
 * Books deposits. It claims the notifications, then locks the accounts, then the ledger, in the
 * order of every way to a deposit, to avoid deadlocks.
 * @returns for each its transaction, the one that its notification has where it was booked before;
 * or its refusal, `amount_too_large`,
 * and then the rail can repeat its notification; `notice_reused` (409) where its notification is
 * another deposit's
 * @throws {BookedBefore} when another record has booked the movement at the provider: nothing of
 * the batch is booked
 */
export async function bookMany(tx: Tx, deposits: NewDeposit[]): Promise<Outcome<Transaction>[]> {
  const claiming = deposits.map((deposit): ClaimingDeposit => {
    const { scope, notification } = deposit
    const { rail, notice } = notification
    const own = { scope, rail, notice, transaction: newId(scope.now) }
    return { ...deposit, own, postings: postingsOf(deposit, own.transaction) }
  })
  const first = new Map<string, NotificationClaim>()
  for (const { own } of claiming) if (!first.has(nameOf(own))) first.set(nameOf(own), own)
  const [known, accounts, books] = await Promise.all([
    claimNotifications(tx, [...first.values()]),
    lockVirtualAccounts(
      tx,
      claiming.map(({ scope, account }) => ({ scope, id: account })),
    ),
    openBooks(
      tx,
      claiming.map(({ scope, currency, postings }) => ({
        scope,
        keys: [
          ...walletAccounts(currency),
          ...postings.flatMap(({ debit, credit }) => [debit, credit]),
        ],
      })),
    ),
  ])
  const answers = await readKnown(tx, known)
  const made = new Map<NotificationClaim, Booked>()
  const closed = new Set<AccountRow>()
  const outcomes = claiming.map((deposit, i): Outcome<Transaction> => {
    const name = nameOf(deposit.own)
    const known = answers.get(name)
    try {
      if (known)
        return { answer: assertSameDeposit(deposit.log, known, deposit.own, expectedOf(deposit)) }
      const account = accounts[i] as AccountRow
      const booked = book(
        books,
        deposit,
        account,
        account.status === 'active' && !closed.has(account),
      )
      if (booked.closes) closed.add(account)
      made.set(deposit.own, booked)
      answers.set(name, booked.record)
      return { answer: booked.record }
    } catch (refusal) {
      return { refusal }
    }
  })
  const receipts = [...made.values()].flatMap(({ receipt }) => receipt ?? [])
  const recorded = receipts.length === 0 ? [] : await recordReceipts(tx, receipts)
  const before = receipts.find((_, i) => !recorded[i])
  if (before) throw new BookedBefore(before)
  const claimed = [...first.values()].filter((one) => !known.has(one))
  await Promise.all([
    releaseNotifications(
      tx,
      claimed.filter((one) => !made.has(one)),
    ),
    // A notification that was refused where it came first is booked by its repeat in this batch:
    // with that one's id and time.
    claimNotifications(
      tx,
      [...made.keys()].filter((one) => first.get(nameOf(one)) !== one),
    ),
    books.write(),
    write(tx, [...made.values()]),
  ])
  return outcomes
}

const nameOf = ({ scope, rail, notice }: NotificationClaim): string =>
  JSON.stringify([scope.businessId, scope.livemode, rail, notice])

/** What the transaction of a deposit on an account must say. */
export function expectedOf({
  account,
  notification,
}: Pick<NewDeposit, 'account' | 'notification'>): ExpectedTransaction {
  return {
    method: 'bank_transfer',
    amount: notification.amount,
    related: { virtual_account: account },
  }
}

/** The transactions of notifications that were booked before, by the notifications' names. */
async function readKnown(
  tx: Tx,
  known: Map<NotificationClaim, Id>,
): Promise<Map<string, Transaction>> {
  const asked = [...known].map(([{ scope }, id]) => ({ scope, id }))
  const found = await getTransactions(tx, asked)
  return new Map([...known.keys()].map((one, i) => [nameOf(one), found[i] as Transaction]))
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
  const came = incoming({
    rail,
    railAmount: money,
    ledgerAmount: money,
    account: { purpose: 'wallet_available', currency },
    fee,
    subject: account,
    transaction,
  })
  return receipt
    ? [...came, ...feePostings({ ...receipt, rail, currency, subject: account, transaction })]
    : came
}

/** What is recorded of the movement at the provider, of a deposit that came to one. */
export function receiptOf(
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
  active: boolean
  /** Known from when it came, of one that was held. */
  late?: boolean
}

const hasExpired = ({ expires_at }: AccountRow, at: Date): boolean =>
  expires_at !== null && expires_at <= at

/** Whether an account takes nothing any more at a time. */
export const isOver = (account: AccountRow, at: Date): boolean =>
  account.status !== 'active' || hasExpired(account, at)

/**
 * What a deposit on an account says and moves. @property closes whether its account closes with it
 */
export function entryOf({ scope, id, account, notification, fee, active, late }: Entry) {
  const { amount, source } = notification
  const { currency } = account
  const entry = {
    ...({
      id,
      type: 'deposit',
      method: 'bank_transfer',
      direction: 'credit',
      status: 'completed',
    } as const),
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
 * Books one deposit in the open books. Its account closes when its amount has come.
 * @param active whether the account is, after the deposits before this one
 * @throws {Refusal} `amount_too_large`; nothing is booked
 */
function book(
  books: Books,
  { scope, own, notification, fee, postings, secrets }: ClaimingDeposit,
  account: AccountRow,
  active: boolean,
): Booked {
  const { currency } = account
  const of = entryOf({ scope, id: own.transaction, account, notification, fee, active })
  const entry = { scope, ...of.entry, balanceAfter: creditIn(books, scope, currency, postings) }
  const { closes } = of
  const receipt = receiptOf(notification, {
    scope,
    subject: account.id,
    transaction: own.transaction,
    currency,
  })
  return { entry, record: transactionOf(entry), closes, receipt, secrets }
}

/**
 * Everything of deposits but their notifications and what the ledger writes, without waiting in
 * between.
 */
async function write(tx: Tx, made: Booked[]): Promise<void> {
  const closed = made.filter(({ closes }) => closes)
  await Promise.all([
    recordTransactions(
      tx,
      made.map(({ entry }) => entry),
    ),
    endMany(
      tx,
      closed.map(({ entry }) => ({ scope: entry.scope, id: entry.related.virtual_account as Id })),
      'closed',
    ),
    emitMany(
      tx,
      made.map(({ entry, record }) =>
        news(entry.scope, depositEvents, 'virtual_account.deposit', record),
      ),
      made[0]?.secrets,
    ),
  ])
}

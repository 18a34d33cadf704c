/**
 * The moment at which deposits on accounts that are no payment's are booked, any number of them at once: notices, postings,
 * transactions, accounts that close and events are one commit, decided as if each had come alone, in their order.
 */

import { incoming } from '../../books/ledger/crossing.ts'
import { type Books, openBooks, type Posting } from '../../books/ledger/ledger.ts'
import {
  getTransactions,
  type NewTransaction,
  recordTransactions,
  type Transaction,
  transactionOf,
} from '../../books/transactions/transactions.ts'
import { creditIn, walletAccounts } from '../../books/wallets/wallets.ts'
import type { Scope } from '../../core/context.ts'
import type { Tx } from '../../db/db.ts'
import type { Outcome } from '../../lib/errors.ts'
import { type Id, newId } from '../../lib/ids.ts'
import type { WalletCurrency } from '../../lib/money.ts'
import { emitMany } from '../../platform/events/events.ts'
import { type AccountRow, endMany, lockVirtualAccounts } from '../virtual-accounts/virtual-accounts.ts'
import { assertTold, type Claim, claim, giveBack, type Notice, type Told } from './notices.ts'

/** A deposit that only its notice and the wallet can still stop. `fee` in minor units. */
export type NewDeposit = { scope: Scope; account: Id; currency: WalletCurrency; notice: Notice; fee: bigint }

/** With its claim on the notice, and what it moves. */
type Order = NewDeposit & { own: Claim; postings: Posting[] }

type Booked = { entry: NewTransaction & { scope: Scope }; record: Transaction; closes: boolean }

/**
 * Books deposits in the caller's transaction. It claims the notices, then locks the accounts, then the ledger, as every way to
 * a deposit does, so that two of them never wait for each other.
 * @returns for each its transaction, the one that its notice has where it was told before; or its refusal, `amount_too_large`,
 *   and then its notice can be told again; `notice_reused` (409) where its notice is another deposit's
 */
export async function bookMany(tx: Tx, deposits: NewDeposit[]): Promise<Outcome<Transaction>[]> {
  const orders = deposits.map((deposit): Order => {
    const { scope, notice } = deposit
    const own = { scope, rail: notice.rail, notice: notice.notice, transaction: newId(scope.now) }
    return { ...deposit, own, postings: postingsOf(deposit, own.transaction) }
  })
  const first = new Map<string, Claim>()
  for (const { own } of orders) if (!first.has(nameOf(own))) first.set(nameOf(own), own)
  const [known, accounts, books] = await Promise.all([
    claim(tx, [...first.values()]),
    lockVirtualAccounts(
      tx,
      orders.map(({ scope, account }) => ({ scope, id: account })),
    ),
    openBooks(
      tx,
      orders.map(({ scope, currency, postings }) => ({
        scope,
        keys: [...walletAccounts(currency), ...postings.flatMap(({ debit, credit }) => [debit, credit])],
      })),
    ),
  ])
  const answers = await readKnown(tx, known)
  const made = new Map<Claim, Booked>()
  const outcomes = orders.map((order, i): Outcome<Transaction> => {
    const name = nameOf(order.own)
    const known = answers.get(name)
    try {
      if (known) return { answer: assertTold(known, order.own.notice, toldOf(order)) }
      const booked = book(books, order, accounts[i] as AccountRow)
      made.set(order.own, booked)
      answers.set(name, booked.record)
      return { answer: booked.record }
    } catch (refusal) {
      return { refusal }
    }
  })
  const claimed = [...first.values()].filter((one) => !known.has(one))
  await Promise.all([
    giveBack(
      tx,
      claimed.filter((one) => !made.has(one)),
    ),
    // A notice whose first telling was refused is another's of this batch: with its id and its time.
    claim(
      tx,
      [...made.keys()].filter((one) => first.get(nameOf(one)) !== one),
    ),
    books.write(),
    write(tx, [...made.values()]),
  ])
  return outcomes
}

const nameOf = ({ scope, rail, notice }: Claim): string =>
  JSON.stringify([scope.businessId, scope.livemode, rail, notice])

/** What a deposit on an account tells of its transaction. */
export function toldOf({ account, notice }: Pick<NewDeposit, 'account' | 'notice'>): Told {
  return { method: 'bank_transfer', amount: notice.amount, related: { virtual_account: account } }
}

/** The transactions of notices that were booked before, by the notices' names. */
async function readKnown(tx: Tx, known: Map<Claim, Id>): Promise<Map<string, Transaction>> {
  const asked = [...known].map(([{ scope }, id]) => ({ scope, id }))
  const found = await getTransactions(tx, asked)
  return new Map([...known.keys()].map((one, i) => [nameOf(one), found[i] as Transaction]))
}

function postingsOf({ account, currency, notice, fee }: NewDeposit, transaction: Id): Posting[] {
  const money = { amount: notice.amount, currency }
  return incoming({
    rail: notice.rail,
    outside: money,
    inside: money,
    account: { purpose: 'wallet_available', currency },
    fee,
    subject: account,
    transaction,
  })
}

/**
 * Books one deposit in the open books, and in the account's row, which closes when its amount has come.
 * @throws {Refusal} `amount_too_large`; nothing is booked
 */
function book(books: Books, { scope, own, notice, fee, postings }: Order, account: AccountRow): Booked {
  const { currency } = account
  const { amount, source } = notice
  const balanceAfter = creditIn(books, scope, currency, postings)
  const active = account.status === 'active'
  const late = !active || (account.expires_at !== null && account.expires_at <= scope.now)
  const closes = active && account.amount !== null && amount >= account.amount
  if (closes) account.status = 'closed'
  const entry = {
    scope,
    id: own.transaction,
    type: 'deposit',
    method: 'bank_transfer',
    direction: 'credit',
    status: 'completed',
    currency,
    amount,
    fee,
    balanceAfter,
    reference: account.reference,
    source,
    customer: account.customer_id,
    late,
    related: { virtual_account: account.id },
    metadata: account.metadata,
  } as const
  return { entry, record: transactionOf(entry), closes }
}

/** Everything of deposits but their notices and what the ledger writes, without waiting in between. */
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
      made.map(({ entry, record }) => ({ scope: entry.scope, type: 'virtual_account.deposit', record })),
    ),
  ])
}

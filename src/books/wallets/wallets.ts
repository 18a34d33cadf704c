/**
 * Wallets of businesses. Their amounts are the balances of two ledger accounts, and stored nowhere
 * else.
 */
import type { Scope } from '../../core/app.ts'
import type { View, Work } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import { gatheredReads } from '../../db/batch.ts'
import type { Queryable } from '../../db/db.ts'
import { type Id, newId } from '../../lib/ids.ts'
import {
  decimals,
  formatMoney,
  maxAmount,
  type WalletCurrency,
  walletCurrencies,
} from '../../lib/money.ts'
import type { Static } from '../../lib/schema.ts'
import {
  type AccountKey,
  type Books,
  Overdraft,
  openBooks,
  type Posting,
  type PostingKind,
} from '../ledger/ledger.ts'
import { recordTransaction } from '../transactions/transactions.ts'
import { refuse } from './refusals.ts'
import type { WalletRecord } from './schema.ts'
import { insertWallets, selectWallets, type WalletRow } from './sql.ts'

export { walletRefusals } from './refusals.ts'
export type Wallet = Static<typeof WalletRecord>

/** Opens the wallets of a business; their ledger accounts must exist. */
export async function openWallets(work: Work): Promise<void> {
  const { now } = work.scope
  await work.rows(insertWallets, [
    walletCurrencies.map(() => newId(now)),
    [...walletCurrencies],
    now,
  ])
}

/** A requested wallet. */
type WalletKey = { scope: Scope; currency: WalletCurrency | null }

/** Returns the wallets, or the one of a currency. Concurrent requests share a statement. */
export function listWallets({ db, scope }: Ctx, currency?: WalletCurrency): Promise<Wallet[]> {
  return listGathered(db, { scope, currency: currency ?? null })
}

/** Returns a wallet as the view sees it. */
export async function walletIn({ reader, scope }: View, currency: WalletCurrency): Promise<Wallet> {
  return (await readWallets(reader, [{ scope, currency }]))[0]?.[0] as Wallet
}

/** Returns the available amounts as the view sees them. */
export async function availableIn({ reader, scope }: View): Promise<Map<WalletCurrency, bigint>> {
  const [wallets = []] = await readWallets(reader, [{ scope, currency: null }])
  return new Map(wallets.map(({ currency, available }) => [currency, available]))
}

async function readWallets(db: Queryable, keys: WalletKey[]): Promise<Wallet[][]> {
  const rows = await db.rows(selectWallets, [
    keys.map(({ scope }) => scope.businessId),
    keys.map(({ scope }) => scope.livemode),
    keys.map(({ currency }) => currency),
  ])
  const lists: Wallet[][] = keys.map(() => [])
  for (const row of rows)
    lists[row.asker - 1]?.push(toWallet((keys[row.asker - 1] as WalletKey).scope, row))
  return lists
}

const listGathered = gatheredReads(readWallets)

/**
 * Puts test money into a wallet.
 * @throws {Refusal} `amount_too_large` if the wallet would exceed what JSON can carry
 */
export async function simulateFund(
  work: Work,
  currency: WalletCurrency,
  amount: bigint,
): Promise<Wallet> {
  const transaction = newId(work.scope.now)
  const available = await credit(work, currency, [
    {
      debit: { purpose: 'rail_clearing', currency, subject: 'simulated' },
      credit: { purpose: 'wallet_available', currency },
      amount,
      kind: 'simulated_fund',
      subject: transaction,
      transaction,
    },
  ])
  await recordTransaction(work, {
    id: transaction,
    type: 'simulated_fund',
    method: 'wallet',
    direction: 'credit',
    status: 'completed',
    currency,
    amount,
    fee: 0n,
    balanceAfter: available,
    reference: null,
    related: {},
    metadata: {},
  })
  return walletIn(work, currency)
}

/**
 * Posts incoming money to a wallet.
 * @returns the available amount then, in minor units
 * @throws {Refusal} `amount_too_large` if available and pending money would exceed what JSON can
 * carry
 */
export async function credit(
  { tx, scope }: Work,
  currency: WalletCurrency,
  postings: Posting[],
): Promise<bigint> {
  const moved = postings.flatMap(({ debit, credit }) => [debit, credit])
  const books = await openBooks(tx, [{ scope, keys: [...walletAccounts(currency), ...moved] }])
  const balanceAfter = creditIn(books, scope, currency, postings)
  await books.write()
  return balanceAfter
}

const isOfWallet = ({ purpose }: AccountKey): boolean =>
  purpose === 'wallet_available' || purpose === 'wallet_pending'

/**
 * Posts incoming money in open books with the `walletAccounts`, which the caller writes. A refusal
 * leaves them unchanged.
 */
export function creditIn(
  books: Books,
  scope: Scope,
  currency: WalletCurrency,
  postings: Posting[],
): bigint {
  const available: AccountKey = { purpose: 'wallet_available', currency }
  let total = walletAccounts(currency).reduce((sum, key) => sum + books.balanceOf(scope, key), 0n)
  for (const { debit, credit, amount } of postings) {
    if (isOfWallet(credit)) total += amount
    if (isOfWallet(debit)) total -= amount
  }
  requireHolds(total, currency)
  books.post(scope, postings)
  return books.balanceOf(scope, available)
}

function requireHolds(total: bigint, currency: WalletCurrency): void {
  if (total > maxAmount)
    refuse(
      'amount_too_large',
      `A wallet can hold at most ${formatMoney(maxAmount, currency)}, what is pending included.`,
    )
}

/**
 * Checks that a wallet has room for an amount, before a provider is asked to send it.
 * @throws {Refusal} `amount_too_large`
 */
export async function requireRoom(
  { tx, scope }: Work,
  currency: WalletCurrency,
  amount: bigint,
): Promise<void> {
  const keys = walletAccounts(currency)
  const books = await openBooks(tx, [{ scope, keys }])
  requireHolds(
    keys.reduce((sum, key) => sum + books.balanceOf(scope, key), amount),
    currency,
  )
}

/** Money of a wallet on its way out. `kind` is the reason, `subject` the record that moves it. */
export type Held = {
  amount: bigint
  currency: WalletCurrency
  kind: PostingKind
  subject: Id
  transaction: Id
}

/** Returns the ledger accounts of a wallet, which `creditIn` and `holdIn` need open. */
export function walletAccounts(currency: WalletCurrency): AccountKey[] {
  return [
    { purpose: 'wallet_available', currency },
    { purpose: 'wallet_pending', currency },
  ]
}

/**
 * Moves an amount from available to pending. It locks the wallet, so it comes last in the
 * transaction.
 * @param what the record, for the refusal: `payout`
 * @returns the available amount then, in minor units
 * @throws {Refusal} `insufficient_funds`
 */
export async function hold({ tx, scope }: Work, what: string, held: Held): Promise<bigint> {
  const books = await openBooks(tx, [{ scope, keys: walletAccounts(held.currency) }])
  const balanceAfter = holdIn(books, scope, what, held)
  await books.write()
  return balanceAfter
}

/** Holds an amount in open books that the caller writes. A refusal leaves them unchanged. */
export function holdIn(books: Books, scope: Scope, what: string, held: Held): bigint {
  const { amount, currency } = held
  try {
    const { debit, credit, ...moved } = release(held)
    return books.post(scope, [{ ...moved, debit: credit, credit: debit }])(credit)
  } catch (error) {
    if (!(error instanceof Overdraft)) throw error
    return refuse(
      'insufficient_funds',
      `The ${currency} wallet has ${formatMoney(error.balance, currency)} available; the ${what} needs ${formatMoney(amount, currency)}.`,
      { available: Number(error.balance), needed: Number(amount) },
    )
  }
}

/** Returns the posting that releases held money. */
export function release({ currency, ...held }: Held): Posting {
  return {
    debit: { purpose: 'wallet_pending', currency },
    credit: { purpose: 'wallet_available', currency },
    amount: held.amount,
    kind: held.kind,
    subject: held.subject,
    transaction: held.transaction,
  }
}

function toWallet({ livemode }: Scope, row: WalletRow): Wallet {
  const { id, currency, available, pending, created_at, updated_at } = row
  const total = available + pending
  return {
    id,
    livemode,
    currency,
    available,
    pending,
    total,
    decimals,
    metadata: {},
    created_at,
    updated_at,
  }
}

/**
 * Books stablecoins for payments, in the payment's currency, and for crypto wallets, in dollars.
 * Remainders of less than a cent go to a ledger account of their own.
 */

import { incoming } from '../../books/ledger/exchange.ts'
import { type AccountKey, lockAccounts, openAccounts, post } from '../../books/ledger/ledger.ts'
import {
  type NewTransaction,
  recordTransaction,
  type Transaction,
} from '../../books/transactions/transactions.ts'
import { credit } from '../../books/wallets/wallets.ts'
import type { View, Work } from '../../core/inside.ts'
import type { Id } from '../../lib/ids.ts'
import {
  type CryptoCurrency,
  multiplyDown,
  parseDecimal,
  type TokenUnit,
  type WalletCurrency,
} from '../../lib/money.ts'
import { emit } from '../../platform/events/events.ts'
import { findCryptoWallet, type OwnerRow } from '../crypto/crypto.ts'
import * as payments from '../payments/payments.ts'
import { depositEvents } from './events.ts'
import { bookOnce, type DepositNotification, type ExpectedTransaction } from './notifications.ts'

/** The owner of an address: a payment or a crypto wallet. */
export type Owner = Pick<OwnerRow, 'kind' | 'subject'>

/** A notification of received tokens. `amount` is in cents of the token. */
export type TokenNotification = DepositNotification & {
  currency: CryptoCurrency
  /** Worth, time and pending transaction of their first sighting; null when they came confirmed. */
  pending: { worth: bigint; seenAt: Date; transaction: Id } | null
}

/** The currency that crypto wallets credit. */
export const walletCurrency: WalletCurrency = 'usd'

/**
 * Books tokens, once for each notification.
 * @returns the transaction, the same one for the same notification
 * @throws {Refusal} `amount_too_large`; `notice_reused` (409) when it was booked before, of other
 * tokens or of another owner
 */
export function bookTokensOnce(
  work: Work,
  owner: Owner,
  notification: TokenNotification,
): Promise<Transaction> {
  const { kind, subject } = owner
  const { currency: token, amount, pending } = notification
  const book = (id: Id): Promise<Transaction> => bookTokens(work, id, owner, notification)
  const expected = async (): Promise<ExpectedTransaction> => {
    const worth = pending?.worth ?? (await worthOf(work, owner, token, amount))
    const related = { [kind === 'payment' ? 'payment' : 'crypto_wallet']: subject }
    return { method: 'crypto', amount: worth, related, token }
  }
  return bookOnce(work, notification, expected, book, pending?.transaction)
}

/** Books tokens whose notification is claimed, and emits the event. */
export async function bookTokens(
  work: Work,
  id: Id,
  { kind, subject }: Owner,
  notification: TokenNotification,
): Promise<Transaction> {
  const transaction = await (kind === 'payment' ? bookPayment : bookWallet)(
    work,
    id,
    subject,
    notification,
  )
  await emit(work, depositEvents, 'crypto.deposit', transaction)
  return transaction
}

/**
 * Returns what tokens are worth to their owner, in minor units of the credited currency: at least
 * 1, so that everything is booked. While a payment's quote is valid, the quoted amount is worth
 * what was due, and any other amount its rate. Otherwise today's rate counts. Rounds down.
 * @param amount cents of the token, above zero
 */
export async function worthOf(
  view: View,
  owner: Owner,
  currency: CryptoCurrency,
  amount: bigint,
): Promise<bigint> {
  if (owner.kind === 'wallet') return exchange(view, currency, walletCurrency, amount)
  const payment = await payments.find(view, owner.subject)
  const quotes = await payments.cryptoQuotes(view, owner.subject)
  const quote = quotes.find((row) => row.currency === currency && payments.mayCount(view, row))
  return quote && amount === quote.amount
    ? quote.due
    : exchange(view, currency, payment.currency, amount, quote?.rate)
}

function exchange(
  { pricing }: View,
  from: CryptoCurrency,
  to: WalletCurrency,
  amount: bigint,
  quotedRate?: string,
): bigint {
  const rate = quotedRate === undefined ? pricing.rate(from, to) : parseDecimal(quotedRate)
  if (!rate) throw new Error(`there is no exchange rate from ${from} to ${to}`)
  const worth = multiplyDown(amount, rate)
  return worth > 0n ? worth : 1n
}

async function bookPayment(
  work: Work,
  id: Id,
  paymentId: Id,
  notification: TokenNotification,
): Promise<Transaction> {
  const { currency, amount, pending } = notification
  const payment = await payments.lock(work, paymentId)
  const worth =
    pending?.worth ??
    (await worthOf(work, { kind: 'payment', subject: paymentId }, currency, amount))
  return payments.receive(work, payment, {
    transaction: id,
    method: 'crypto',
    amount: worth,
    railAmount: { amount, currency },
    rail: notification.rail,
    source: notification.source,
    related: {},
    seen: pending !== null,
  })
}

async function bookWallet(
  work: Work,
  id: Id,
  walletId: Id,
  notification: TokenNotification,
): Promise<Transaction> {
  const { currency, amount, rail, pending } = notification
  const wallet = await findCryptoWallet(work, walletId)
  const worth = pending?.worth ?? exchange(work, currency, walletCurrency, amount)
  const pricing = pending ? work.prices.of(work.scope.businessId, pending.seenAt) : work.pricing
  const fee = pricing.incomingFee('deposit', 'crypto', walletCurrency, worth)
  const postings = incoming({
    rail,
    railAmount: { amount, currency },
    ledgerAmount: { amount: worth, currency: walletCurrency },
    account: { purpose: 'wallet_available', currency: walletCurrency },
    fee,
    subject: walletId,
    transaction: id,
  })
  const balanceAfter = await credit(work, walletCurrency, postings)
  return recordTransaction(work, {
    ...walletTransaction(wallet, id, { worth, fee, source: notification.source }),
    status: 'completed',
    balanceAfter,
    late: wallet.status !== 'active',
    seen: pending !== null,
  })
}

/** Returns the transaction of a deposit on a crypto wallet, pending or completed. */
export function walletTransaction(
  wallet: Awaited<ReturnType<typeof findCryptoWallet>>,
  id: Id,
  { worth, fee, source }: { worth: bigint; fee: bigint; source: DepositNotification['source'] },
): Omit<NewTransaction, 'status' | 'balanceAfter'> {
  return {
    id,
    type: 'deposit',
    method: 'crypto',
    direction: 'credit',
    currency: walletCurrency,
    amount: worth,
    fee,
    reference: wallet.reference,
    source,
    customer: wallet.customer_id,
    related: { crypto_wallet: wallet.id },
    metadata: wallet.metadata,
  }
}

/**
 * Splits a token's own units into cents and a remainder. @param decimals of the token, 2 or more
 */
export function centsOf(units: bigint, decimals: number): { cents: bigint; dust: bigint } {
  const cent = 10n ** BigInt(decimals - 2)
  return { cents: units / cent, dust: units % cent }
}

/** A remainder of less than a cent, in the token's own units. */
export type Dust = {
  currency: CryptoCurrency
  decimals: number
  units: bigint
  rail: string
  subject: Id
  transaction: Id
}

/** Opens the ledger accounts of a token's remainders, in a transaction before the booking. */
export function openTokenAccounts(work: Work, dust: Dust): Promise<void> {
  return openAccounts(work, dustAccounts(dust))
}

function dustAccounts({ currency, decimals, rail }: Dust): AccountKey[] {
  const unit: TokenUnit = `${currency}/${decimals}`
  return [
    { purpose: 'rail_clearing', currency: unit, subject: rail },
    { purpose: 'dust', currency: unit },
    { purpose: 'rail_clearing', currency, subject: rail },
    { purpose: 'dust', currency },
  ]
}

/**
 * Books a remainder. Whole cents among a business's remainders move to the account of dust in
 * cents, so the account of smallest units stays below one cent.
 */
export async function bookDust(work: Work, dust: Dust): Promise<void> {
  const { subject, transaction } = dust
  const [clearingUnits, units, clearing, cents] = dustAccounts(dust) as [
    AccountKey,
    AccountKey,
    AccountKey,
    AccountKey,
  ]
  const entry = { subject, transaction }
  const balanceOf = await post(work, [
    { debit: clearingUnits, credit: units, amount: dust.units, kind: 'dust', ...entry },
  ])
  const cent = 10n ** BigInt(dust.decimals - 2)
  const whole = balanceOf(units) / cent
  if (whole === 0n) return
  await post(work, [
    { debit: units, credit: clearingUnits, amount: whole * cent, kind: 'dust', ...entry },
    { debit: clearing, credit: cents, amount: whole, kind: 'dust_cents', ...entry },
  ])
}

/**
 * Locks all ledger accounts that a deposit with a remainder may post to. It posts more than once,
 * so it locks them together, in key order, to avoid deadlocks.
 */
export async function lockForDust(work: Work, dust: Dust, credited: WalletCurrency): Promise<void> {
  const purposes = ['wallet_available', 'wallet_pending', 'fees', 'exchange'] as const
  const credits = purposes.map((purpose): AccountKey => ({ purpose, currency: credited }))
  await lockAccounts(work, [
    ...dustAccounts(dust),
    ...credits,
    { purpose: 'exchange', currency: dust.currency },
  ])
}

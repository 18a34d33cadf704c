/**
 * Stablecoins that came to a payment's address or to a crypto wallet's. They are credited in the currency of the payment, or in
 * dollars; what is less than a cent is kept in a ledger account of its own.
 */

import { incoming } from '../../books/ledger/crossing.ts'
import { type AccountKey, lockAccounts, openAccounts, type Posting, post } from '../../books/ledger/ledger.ts'
import { type NewTransaction, recordTransaction, type Transaction } from '../../books/transactions/transactions.ts'
import { credit } from '../../books/wallets/wallets.ts'
import type { Ctx } from '../../core/context.ts'
import type { Tx } from '../../db/db.ts'
import type { Id } from '../../lib/ids.ts'
import {
  type CryptoCurrency,
  multiplyDown,
  parseDecimal,
  type TokenUnit,
  type WalletCurrency,
} from '../../lib/money.ts'
import { emit } from '../../platform/events/events.ts'
import { findWallet, type OwnerRow } from '../crypto/crypto.ts'
import { cryptoQuotes, find, lock, mayCount, receive } from '../payments/payments.ts'
import { type Notice, noteReuse, once, type Told } from './notices.ts'

/** Whose the money is: a payment or a crypto wallet. */
export type Owner = Pick<OwnerRow, 'kind' | 'subject'>

/** Tokens that came. `amount` is in cents of the token. */
export type TokenNotice = Notice & {
  currency: CryptoCurrency
  /** What they were worth when they were first seen, and the transaction that shows it; null when they came at once. */
  seen: { worth: bigint; transaction: Id } | null
}

/** What crypto wallets credit. */
export const walletCurrency: WalletCurrency = 'usd'

/**
 * Books tokens, once for each notice.
 * @returns the transaction, the same one for the same notice
 * @throws {Refusal} `amount_too_large`; `notice_reused` (409) when the notice was told before, of other tokens or of another owner
 */
export function cryptoDeposit(ctx: Ctx, owner: Owner, notice: TokenNotice): Promise<Transaction> {
  const { kind, subject } = owner
  const { currency: token, amount, seen } = notice
  const book = async (inside: Ctx, id: Id): Promise<Transaction> => {
    const transaction = await (kind === 'payment' ? bookPayment : bookWallet)(inside, id, subject, notice)
    await emit(inside.tx as Tx, inside, 'crypto.deposit', transaction)
    return transaction
  }
  const told = async (inside: Ctx): Promise<Told> => {
    const { worth } = seen ?? (await worthOf(inside, owner, token, amount))
    const related = { [kind === 'payment' ? 'payment' : 'crypto_wallet']: subject }
    return { method: 'crypto', amount: worth, related, token }
  }
  return noteReuse(ctx, notice, () => once(ctx, notice, told, book, seen?.transaction))
}

/**
 * What tokens are worth to their owner, in minor units of the currency that is credited. While a payment's quote counts, its amount is worth
 * what was due for it, and any other its rate; else today's rate counts, rounded down, but at least a minor unit: all is booked.
 * @param amount cents of the token, above zero
 */
export async function worthOf(
  ctx: Ctx,
  owner: Owner,
  currency: CryptoCurrency,
  amount: bigint,
): Promise<{ worth: bigint; currency: WalletCurrency }> {
  if (owner.kind === 'wallet')
    return { worth: inCurrency(ctx, currency, walletCurrency, amount), currency: walletCurrency }
  const payment = await find(ctx, owner.subject)
  const quotes = await cryptoQuotes(ctx, owner.subject)
  const quote = quotes.find((row) => row.currency === currency && mayCount(ctx, row))
  const worth =
    quote && amount === quote.amount ? quote.due : inCurrency(ctx, currency, payment.currency, amount, quote?.rate)
  return { worth, currency: payment.currency }
}

function inCurrency(ctx: Ctx, from: CryptoCurrency, to: WalletCurrency, amount: bigint, held?: string): bigint {
  const rate = held === undefined ? ctx.pricing.rate(from, to) : parseDecimal(held)
  if (!rate) throw new Error(`there is no exchange rate from ${from} to ${to}`)
  const worth = multiplyDown(amount, rate)
  return worth > 0n ? worth : 1n
}

async function bookPayment(ctx: Ctx, id: Id, paymentId: Id, notice: TokenNotice): Promise<Transaction> {
  const { currency, amount, seen } = notice
  const payment = await lock(ctx, paymentId)
  const { worth } = seen ?? (await worthOf(ctx, { kind: 'payment', subject: paymentId }, currency, amount))
  return receive(ctx, payment, {
    transaction: id,
    method: 'crypto',
    amount: worth,
    outside: { amount, currency },
    rail: notice.rail,
    source: notice.source,
    related: {},
    seen: seen !== null,
  })
}

async function bookWallet(ctx: Ctx, id: Id, walletId: Id, notice: TokenNotice): Promise<Transaction> {
  const { currency, amount, rail, seen } = notice
  const wallet = await findWallet(ctx, walletId)
  const { worth } = seen ?? (await worthOf(ctx, { kind: 'wallet', subject: walletId }, currency, amount))
  const fee = ctx.pricing.incomingFee('deposit', 'crypto', walletCurrency, worth)
  const postings = incoming({
    rail,
    outside: { amount, currency },
    inside: { amount: worth, currency: walletCurrency },
    account: { purpose: 'wallet_available', currency: walletCurrency },
    fee,
    subject: walletId,
    transaction: id,
  })
  const balanceAfter = await credit(ctx, walletCurrency, postings)
  return recordTransaction(ctx, {
    ...walletTransaction(wallet, id, { worth, fee, source: notice.source }),
    status: 'completed',
    balanceAfter,
    late: wallet.status !== 'active',
    seen: seen !== null,
  })
}

/** What a transaction of a crypto wallet says, from first sight on. */
export function walletTransaction(
  wallet: Awaited<ReturnType<typeof findWallet>>,
  id: Id,
  { worth, fee, source }: { worth: bigint; fee: bigint; source: Notice['source'] },
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

/** Splits a token's own units into cents and what is less than one. @param decimals of the token, 2 or more */
export function centsOf(units: bigint, decimals: number): { cents: bigint; dust: bigint } {
  const cent = 10n ** BigInt(decimals - 2)
  return { cents: units / cent, dust: units % cent }
}

/** A rest of less than a cent, in the token's own units. */
export type Dust = {
  currency: CryptoCurrency
  decimals: number
  units: bigint
  rail: string
  subject: Id
  transaction: Id
}

/** Opens the accounts of a token and of its rests, in a transaction before the one that books them. */
export async function openTokenAccounts(tx: Tx, scope: Ctx['scope'], dust: Dust): Promise<void> {
  await openAccounts(tx, scope, [...dustAccounts(dust)])
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
 * Books a rest in the caller's transaction. When the rests of a business make a cent, the cent moves to the account of dust in
 * cents: the account of smallest units stays below one, whatever the token's decimals.
 */
export async function bookDust(ctx: Ctx, dust: Dust): Promise<void> {
  const { subject, transaction } = dust
  const [clearingUnits, units, clearing, cents] = dustAccounts(dust) as [AccountKey, AccountKey, AccountKey, AccountKey]
  const entry = { subject, transaction }
  const tx = ctx.tx as Tx
  const balanceOf = await post(tx, ctx.scope, [
    { debit: clearingUnits, credit: units, amount: dust.units, kind: 'dust', ...entry },
  ])
  const cent = 10n ** BigInt(dust.decimals - 2)
  const whole = balanceOf(units) / cent
  if (whole === 0n) return
  const carried: Posting[] = [
    { debit: units, credit: clearingUnits, amount: whole * cent, kind: 'dust', ...entry },
    { debit: clearing, credit: cents, amount: whole, kind: 'dust_cents', ...entry },
  ]
  await post(tx, ctx.scope, carried)
}

/** Locks everything that a deposit with a rest can post to, in the one order: it posts more than once. */
export async function lockForDust(ctx: Ctx, dust: Dust, credited: WalletCurrency): Promise<void> {
  const account = (purpose: AccountKey['purpose'], currency: WalletCurrency | CryptoCurrency): AccountKey => ({
    purpose,
    currency,
  })
  await lockAccounts(ctx.tx as Tx, ctx.scope, [
    ...dustAccounts(dust),
    account('wallet_available', credited),
    account('wallet_pending', credited),
    account('fees', credited),
    account('exchange', credited),
    account('exchange', dust.currency),
  ])
}

/**
 * Payments by transfer: opens a bank account for the payment, or quotes a token amount at an
 * address. `deposits` books the money that arrives.
 */

import { insert, type View, type Work } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import { later } from '../../lib/clock.ts'
import {
  type CryptoCurrency,
  cryptoCurrencies,
  type Decimal,
  divideUp,
  formatDecimal,
  parseDecimal,
} from '../../lib/money.ts'
import { destinationRefusals } from '../../platform/destinations/destinations.ts'
import { accountFor, addressTerms } from '../../rails/accounts/choice.ts'
import { networksOf, tokenNames } from '../../rails/reference/networks.ts'
import { allotAddress, openNetworks, type TakenAddress, takeAddress } from '../crypto/crypto.ts'
import {
  type AccountRow,
  accountOfPayment,
  endAccountOfPayment,
  type OpenedAccount,
  requestAccount,
  storeAccount,
} from '../virtual-accounts/virtual-accounts.ts'
import { originOf } from './origins.ts'
import { amountToRequest } from './receive.ts'
import { find, isOpen, lock, markStarted, save } from './record.ts'
import { refuse } from './refusals.ts'
import type { PaymentMethod } from './schema.ts'
import {
  type CryptoQuoteRow,
  type PaymentRow,
  quotes,
  replaceQuote,
  selectCryptoQuotes,
} from './sql.ts'

/** Lifetime of a quoted rate. A longer one would let payers speculate at the merchant's cost. */
const rateLifeMs = 30 * 60_000

/** Returns when a quote's rate ends. */
export const rateEnd = ({ created_at }: CryptoQuoteRow): Date => later(created_at, rateLifeMs)

const hasValidRate = ({ scope }: View, quote: CryptoQuoteRow): boolean => rateEnd(quote) > scope.now

/** How long after its end a rate still counts: a transfer sent in time is mined later. */
const rateGraceMs = 15 * 60_000

/** Whether a transfer that arrives now may have been sent while a quote's rate was valid. */
export const mayCount = ({ scope }: View, quote: CryptoQuoteRow): boolean =>
  later(quote.created_at, rateLifeMs + rateGraceMs) > scope.now

/** Whether a new quote would be the same. */
export function isCurrent(view: View, quote: CryptoQuoteRow, due: bigint): boolean {
  return quote.due === due && hasValidRate(view, quote)
}

/**
 * Opens a payment's one-time account, or returns the one that it has.
 * @throws {Refusal} `payment_not_pending`, `method_not_available`, `rail_not_configured`, and the
 * codes of the payment's collection
 */
export async function openTransfer(ctx: Ctx, id: string): Promise<AccountRow> {
  const opened = await requestTransfer(ctx, id)
  return ctx.write((work) => openTransferIn(work, id, opened))
}

/**
 * Requests the account from the rail. @returns null when the payment has a usable one
 * @throws {Refusal} as `openTransfer`, and those of the rail
 */
export async function requestTransfer(ctx: Ctx, id: string): Promise<OpenedAccount | null> {
  const payment = startable(ctx, await find(ctx, id), 'bank_transfer')
  const known = await accountOfPayment(ctx, id)
  if (known && isUsable(ctx, payment, known)) return null
  const { currency, expires_at, email } = payment
  const amount = amountToRequest(ctx, payment, 'bank_transfer')
  const wanted = { currency, kind: 'dynamic', amount, expires_at } as const
  return requestAccount(ctx, 'bank_transfer', wanted, { customer: null, accountName: null, email })
}

/** Stores the account that the rail opened, unless the payment has a usable one. */
export async function openTransferIn(
  work: Work,
  id: string,
  opened: OpenedAccount | null,
): Promise<AccountRow> {
  const payment = startable(work, await lock(work, id), 'bank_transfer')
  const known = await accountOfPayment(work, payment.id)
  if (known && (opened === null || isUsable(work, payment, known))) return known
  // It has expired at its bank, or accepts another amount than is due now.
  if (known) await endAccountOfPayment(work, payment.id, 'expired')
  const started = await markStarted(work, payment)
  const mismatch_by = mismatchBy(work, payment)
  if (mismatch_by !== payment.mismatch_by) await save(work, started, { mismatch_by })
  const wanted = {
    customer_id: payment.customer_id,
    payment_id: payment.id,
    currency: payment.currency,
    kind: 'dynamic',
    amount: amountToRequest(work, payment, 'bank_transfer'),
    expires_at: payment.expires_at,
    reference: null,
    metadata: payment.metadata,
  } as const
  const row = opened && (await storeAccount(work, opened, wanted))
  if (!row)
    throw new Error('the rail returned an account number that is taken; a retry requests another')
  return row
}

/** Whether the account of a payment accepts what is due, or is still being opened. */
export function isUsable(view: View, payment: PaymentRow, account: AccountRow): boolean {
  const { status, expires_at: expiresAt, amount } = account
  if (status === 'pending') return true
  if (status !== 'active' || (expiresAt !== null && expiresAt <= view.scope.now)) return false
  return payment.mismatch_by === null || amount === amountToRequest(view, payment, 'bank_transfer')
}

/** Returns `rail` where the rail itself sends back a wrong amount; null where we decide. */
export function mismatchBy(
  view: View,
  { methods, currency }: Pick<PaymentRow, 'methods' | 'currency'>,
): PaymentRow['mismatch_by'] {
  if (!methods.includes('bank_transfer')) return null
  return accountFor(view, 'bank_transfer', currency).ports.bank_transfer?.exactAmounts
    ? 'rail'
    : null
}

/** A token on a network, and the payment's address there. */
export type TokenChoice = { currency: CryptoCurrency; network: string; taken: TakenAddress }

/**
 * Quotes the amount due in a token, at an address of the payment's own, for half an hour.
 * @throws {Refusal} as `openTransfer`; `unsupported_chain`, `unsupported_currency`
 */
export async function chooseToken(
  ctx: Ctx,
  id: string,
  currency: CryptoCurrency,
  network: string,
): Promise<CryptoQuoteRow> {
  const choice = await requestToken(ctx, id, currency, network)
  return ctx.write((work) => chooseTokenIn(work, id, choice))
}

/** Derives the payment's address at the rail. */
export async function requestToken(
  ctx: Ctx,
  id: string,
  currency: CryptoCurrency,
  network: string,
): Promise<TokenChoice> {
  const payment = startable(ctx, await find(ctx, id), 'crypto')
  addressTerms(ctx)
  if (!tokensOf(ctx).some((choice) => choice.currency === currency && choice.network === network))
    destinationRefusals.refuse('unsupported_chain', `${currency} is not accepted on '${network}'.`)
  rateOf(ctx, currency, payment)
  // Each address uses up an index of the key, so the origin is asked before.
  const origin = payment.begun ? null : originOf(ctx, payment)
  await origin?.strategy.assertOpen?.(ctx, origin.id)
  return { currency, network, taken: await takeAddress(ctx, payment.id) }
}

/** @throws {Refusal} `unsupported_currency` */
function rateOf(view: View, token: CryptoCurrency, { currency }: PaymentRow): Decimal {
  const rate = view.pricing.rate(token, currency)
  return (
    rate ?? refuse('unsupported_currency', `${currency} cannot be paid in ${token} on this server.`)
  )
}

/** Quotes the amount due in the chosen token, at the previous quote's rate while it is valid. */
export async function chooseTokenIn(
  work: Work,
  id: string,
  choice: TokenChoice,
): Promise<CryptoQuoteRow> {
  const { currency, network, taken } = choice
  const payment = startable(work, await lock(work, id), 'crypto')
  const rate = rateOf(work, currency, payment)
  await markStarted(work, payment)
  const due = amountToRequest(work, payment, 'crypto')
  const known = (await cryptoQuotes(work, id)).find((row) => row.currency === currency)
  const current = known && hasValidRate(work, known) ? known : null
  const quoted = current?.rate ?? formatDecimal(rate)
  const quote = {
    payment_id: payment.id,
    currency,
    network,
    address: await allotAddress(work, 'payment', payment.id, taken),
    amount: divideUp(due, parseDecimal(quoted)),
    due,
    rate: quoted,
    created_at: current?.created_at ?? work.scope.now,
  }
  return (await insert(work, quotes, quote, replaceQuote)) as CryptoQuoteRow
}

/** Returns the tokens that a payer can choose, on each of their networks. */
export function tokensOf(
  view: View,
): { currency: CryptoCurrency; token: string; network: string; name: string; testnet: boolean }[] {
  return cryptoCurrencies.flatMap((currency) =>
    networksOf(openNetworks(view), currency, view.scope.livemode).map(({ id, name, testnet }) => ({
      currency,
      token: tokenNames[currency],
      network: id,
      name,
      testnet,
    })),
  )
}

/** Returns a payment's quotes in tokens, the latest first. */
export function cryptoQuotes(view: View, payment: string): Promise<CryptoQuoteRow[]> {
  return view.rows(selectCryptoQuotes, [payment])
}

/** @throws {Refusal} `payment_not_pending`, `method_not_available` */
function startable(view: View, payment: PaymentRow, method: PaymentMethod): PaymentRow {
  if (!isOpen(view, payment)) refuse('payment_not_pending', 'The payment has ended.')
  if (!payment.methods.includes(method))
    refuse('method_not_available', `The payment cannot be paid by ${method}.`)
  return payment
}

/**
 * Paying by transfer: a bank account of the payment's own, or an address and an exact amount of a
 * token. Both are given before money moves; what arrives comes back by `deposits`.
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

/** How long a rate holds: longer would let payers wait for a better one at the merchant's cost. */
const rateLifeMs = 30 * 60_000

/** Until when its rate holds. */
export const rateEnd = ({ created_at }: CryptoQuoteRow): Date => later(created_at, rateLifeMs)

const rateHolds = ({ scope }: View, quote: CryptoQuoteRow): boolean => rateEnd(quote) > scope.now

/**
 * How long after its end a rate still counts for a transfer: what was sent in time is mined later.
 */
const rateGraceMs = 15 * 60_000

/** Whether what comes now may have been sent while a quote's rate held. */
export const mayCount = ({ scope }: View, quote: CryptoQuoteRow): boolean =>
  later(quote.created_at, rateLifeMs + rateGraceMs) > scope.now

/** Whether a quote is still what a payer would be given. */
export function isCurrent(view: View, quote: CryptoQuoteRow, due: bigint): boolean {
  return quote.due === due && rateHolds(view, quote)
}

/**
 * Gives a payment its one-time account; the same one every time.
 * @throws {Refusal} `payment_not_pending`, `method_not_available`, `rail_not_configured`, and what
 * the collection it
 *   belongs to refuses with
 */
export async function openTransfer(ctx: Ctx, id: string): Promise<AccountRow> {
  const opened = await requestTransfer(ctx, id)
  return ctx.write((work) => openTransferIn(work, id, opened))
}

/**
 * Asks the rail for the account. @returns null when the payment has one that can be paid to, or is
 * given one
 * @throws {Refusal} as `openTransfer`, and why the rail opens none
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

/** Gives the payment the account that was asked for, unless it has one. */
export async function openTransferIn(
  work: Work,
  id: string,
  opened: OpenedAccount | null,
): Promise<AccountRow> {
  const payment = startable(work, await lock(work, id), 'bank_transfer')
  const known = await accountOfPayment(work, payment.id)
  if (known && (opened === null || isUsable(work, payment, known))) return known
  // Its bank has ended it before the payment, or takes another amount than is due now.
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
    throw new Error('the rail gave an account number that is taken; to try again asks for another')
  return row
}

/** Whether the account of a payment can be paid to, or will be. */
export function isUsable(view: View, payment: PaymentRow, account: AccountRow): boolean {
  const { status, expires_at: expiresAt, amount } = account
  if (status === 'pending') return true
  if (status !== 'active' || (expiresAt !== null && expiresAt <= view.scope.now)) return false
  return payment.mismatch_by === null || amount === amountToRequest(view, payment, 'bank_transfer')
}

/** Who answers a transfer of a wrong amount: the rail itself, or null for us. */
export function mismatchBy(
  view: View,
  { methods, currency }: Pick<PaymentRow, 'methods' | 'currency'>,
): PaymentRow['mismatch_by'] {
  if (!methods.includes('bank_transfer')) return null
  return accountFor(view, 'bank_transfer', currency).ports.bank_transfer?.exactAmounts
    ? 'rail'
    : null
}

/** A token on a network, and the address that is kept for it. */
export type TokenChoice = { currency: CryptoCurrency; network: string; taken: TakenAddress }

/**
 * Quotes what is due in a token, at an address of the payment's own. The rate holds for half an
 * hour.
 * @throws {Refusal} as `openTransfer`; `unsupported_chain` for a token or network that is not
 * offered
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

/** Has the rail derive the payment's address. */
export async function requestToken(
  ctx: Ctx,
  id: string,
  currency: CryptoCurrency,
  network: string,
): Promise<TokenChoice> {
  const payment = startable(ctx, await find(ctx, id), 'crypto')
  addressTerms(ctx)
  if (!tokensOf(ctx).some((choice) => choice.currency === currency && choice.network === network))
    destinationRefusals.refuse('unsupported_chain', `${currency} is not taken on '${network}'.`)
  rateOf(ctx, currency, payment)
  // An index of the key is used up by asking: not for a payer whom the origin turns away.
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

/** Quotes what is due in the token that was chosen. */
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
  const holds = known && rateHolds(work, known)
  const held = holds ? known.rate : formatDecimal(rate)
  const quote = {
    payment_id: payment.id,
    currency,
    network,
    address: await allotAddress(work, 'payment', payment.id, taken),
    amount: divideUp(due, parseDecimal(held)),
    due,
    rate: held,
    created_at: holds ? known.created_at : work.scope.now,
  }
  return (await insert(work, quotes, quote, replaceQuote)) as CryptoQuoteRow
}

/** What a payer can choose: each token on each of its networks. */
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

/** What was quoted in tokens, the latest first. */
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

/**
 * Paying by transfer: a bank account of the payment's own, or an address and an exact amount of a token. Both are given before
 * money moves; what arrives comes back by `deposits`.
 */
import { type Ctx, inTransaction, railOf, reader } from '../../core/context.ts'
import { later } from '../../lib/clock.ts'
import { refuse } from '../../lib/errors.ts'
import { type CryptoCurrency, cryptoCurrencies, divideUp, formatDecimal, parseDecimal } from '../../lib/money.ts'
import { networksOf, tokenNames } from '../../rails/networks.ts'
import { allotAddress, openNetworks } from '../crypto/crypto.ts'
import {
  type AccountRow,
  accountOfPayment,
  type OpenedAccount,
  requestAccount,
  storeAccount,
} from '../virtual-accounts/virtual-accounts.ts'
import { askedOf } from './receive.ts'
import { begin, find, isOpen, lock } from './record.ts'
import type { PaymentMethod } from './schema.ts'
import { type CryptoQuoteRow, type PaymentRow, selectCryptoQuotes, upsertCryptoQuote } from './sql.ts'

/** How long a rate holds: longer would let payers wait for a better one at the merchant's cost. */
const rateLifeMs = 30 * 60_000

const rateHolds = (ctx: Ctx, quote: CryptoQuoteRow): boolean => later(quote.created_at, rateLifeMs) > ctx.scope.now

/** How long after its end a rate still counts for a transfer: what was sent in time is mined later. */
const rateGraceMs = 15 * 60_000

/** Whether what comes now may have been sent while a quote's rate held. */
export const mayCount = (ctx: Ctx, quote: CryptoQuoteRow): boolean =>
  later(quote.created_at, rateLifeMs + rateGraceMs) > ctx.scope.now

/** Whether a quote is still what a payer would be given. */
export function isCurrent(ctx: Ctx, quote: CryptoQuoteRow, due: bigint): boolean {
  return quote.due === due && rateHolds(ctx, quote)
}

/**
 * Gives a payment its one-time account; the same one every time.
 * @throws {Refusal} `payment_not_pending`, `method_not_available`, `rail_not_configured`, and what the collection it stems
 *   from refuses with
 */
export async function openTransfer(ctx: Ctx, id: string): Promise<AccountRow> {
  const { currency } = startable(ctx, await find(ctx, id), 'bank_transfer')
  const opened = (await accountOfPayment(ctx, id)) ? null : await requestAccount(ctx, currency, null)
  return inTransaction(ctx, async (tx) => {
    const inside: Ctx = { ...ctx, tx }
    const payment = startable(ctx, await lock(inside, id), 'bank_transfer')
    const known = await accountOfPayment(inside, payment.id)
    if (known) return known
    await begin(inside, payment)
    const row = await storeAccount(inside, opened as OpenedAccount, {
      customer: payment.customer_id,
      payment: payment.id,
      currency,
      kind: 'dynamic',
      amount: askedOf(ctx, payment, 'bank_transfer'),
      expiresAt: payment.expires_at,
      reference: null,
      metadata: payment.metadata,
    })
    if (!row) throw new Error('the rail gave an account number that is taken; to try again asks for another')
    return row
  })
}

/**
 * Quotes what is due in a token, at an address of the payment's own. The rate holds for half an hour.
 * @throws {Refusal} as `openTransfer`; `unsupported_chain` for a token or network that is not offered
 */
export async function chooseToken(
  ctx: Ctx,
  id: string,
  currency: CryptoCurrency,
  network: string,
): Promise<CryptoQuoteRow> {
  const { businessId, livemode, now } = ctx.scope
  startable(ctx, await find(ctx, id), 'crypto')
  railOf(ctx, 'addresses')
  return inTransaction(ctx, async (tx) => {
    const inside: Ctx = { ...ctx, tx }
    const payment = startable(ctx, await lock(inside, id), 'crypto')
    if (!tokensOf(ctx).some((choice) => choice.currency === currency && choice.network === network))
      refuse('unsupported_chain', `${currency} is not taken on '${network}'.`)
    const rate = ctx.pricing.rate(currency, payment.currency)
    if (!rate) refuse('unsupported_currency', `${payment.currency} cannot be paid in ${currency} on this server.`)
    await begin(inside, payment)
    const due = askedOf(ctx, payment, 'crypto')
    const known = (await cryptoQuotes(inside, id)).find((row) => row.currency === currency)
    const holds = known && rateHolds(ctx, known)
    const held = holds ? known.rate : formatDecimal(rate)
    const row = await tx.row(upsertCryptoQuote, [
      businessId,
      livemode,
      payment.id,
      currency,
      network,
      await allotAddress(inside, 'payment', payment.id),
      divideUp(due, parseDecimal(held)),
      due,
      held,
      holds ? known.created_at : now,
    ])
    return row as CryptoQuoteRow
  })
}

/** What a payer can choose: each token on each of its networks. */
export function tokensOf(
  ctx: Ctx,
): { currency: CryptoCurrency; token: string; network: string; name: string; testnet: boolean }[] {
  return cryptoCurrencies.flatMap((currency) =>
    networksOf(openNetworks(ctx), currency, ctx.scope.livemode).map(({ id, name, testnet }) => ({
      currency,
      token: tokenNames[currency],
      network: id,
      name,
      testnet,
    })),
  )
}

/** What was quoted in tokens, the latest first. */
export function cryptoQuotes(ctx: Ctx, payment: string): Promise<CryptoQuoteRow[]> {
  return reader(ctx).rows(selectCryptoQuotes, [ctx.scope.businessId, ctx.scope.livemode, payment])
}

/** @throws {Refusal} `payment_not_pending`, `method_not_available` */
function startable(ctx: Ctx, payment: PaymentRow, method: PaymentMethod): PaymentRow {
  if (!isOpen(ctx, payment)) refuse('payment_not_pending', 'The payment has ended.')
  if (!payment.methods.includes(method)) refuse('method_not_available', `The payment cannot be paid by ${method}.`)
  return payment
}

/**
 * Paying by transfer: a bank account of the payment's own, or an address and an exact amount of a token. Both are given before
 * money moves; what arrives comes back by `deposits`.
 */
import { type Ctx, inTransaction, railOf, reader } from '../context.ts'
import { networksOf, tokenNames } from '../crypto/tokens.ts'
import { refuse } from '../lib/errors.ts'
import { type CryptoCurrency, cryptoCurrencies, divideUp, formatDecimal, parseDecimal } from '../lib/money.ts'
import { type AccountRow, accountOfPayment, openAccount } from '../virtual-accounts/virtual-accounts.ts'
import { dueOf } from './receive.ts'
import { begin, isOpen, lock } from './record.ts'
import type { PaymentMethod } from './schema.ts'
import { type CryptoQuoteRow, type PaymentRow, selectCryptoQuotes, upsertCryptoQuote } from './sql.ts'

/**
 * Gives a payment its one-time account; the same one every time.
 * @throws {Refusal} `payment_not_pending`, `method_not_available`, `rail_not_configured`, and what the collection it stems
 *   from refuses with
 */
export function openTransfer(ctx: Ctx, id: string): Promise<AccountRow> {
  return inTransaction(ctx, async (tx) => {
    const inside: Ctx = { ...ctx, tx }
    const payment = await startable(inside, id, 'bank_transfer')
    const known = await accountOfPayment(inside, payment.id)
    if (known) return known
    await begin(inside, payment)
    return openAccount(inside, {
      customer: payment.customer_id,
      payment: payment.id,
      currency: payment.currency,
      kind: 'dynamic',
      amount: dueOf(ctx, payment, 'bank_transfer'),
      expiresAt: payment.expires_at,
      accountName: null,
      reference: null,
      metadata: payment.metadata,
    })
  })
}

/**
 * Quotes what is due in a token, at an address of the payment's own. The rate holds until the payment ends.
 * @throws {Refusal} as `openTransfer`; `unsupported_chain` for a token or network that is not offered
 */
export function chooseToken(ctx: Ctx, id: string, currency: CryptoCurrency, network: string): Promise<CryptoQuoteRow> {
  const { businessId, livemode, now } = ctx.scope
  return inTransaction(ctx, async (tx) => {
    const inside: Ctx = { ...ctx, tx }
    const payment = await startable(inside, id, 'crypto')
    if (!tokensOf(ctx).some((choice) => choice.currency === currency && choice.network === network))
      refuse('unsupported_chain', `${currency} is not taken on '${network}'.`)
    const rate = ctx.pricing.rate(currency, payment.currency)
    if (!rate) refuse('unsupported_currency', `${payment.currency} cannot be paid in ${currency} on this server.`)
    await begin(inside, payment)
    const due = dueOf(ctx, payment, 'crypto')
    const known = (await tx.rows(selectCryptoQuotes, [businessId, livemode, id])).find(
      (row) => row.currency === currency,
    )
    const held = known?.rate ?? formatDecimal(rate)
    const row = await tx.row(upsertCryptoQuote, [
      businessId,
      livemode,
      payment.id,
      currency,
      network,
      known?.address ?? (await railOf(ctx, 'addresses').address(payment.id)),
      divideUp(due, parseDecimal(held)),
      due,
      held,
      now,
    ])
    return row as CryptoQuoteRow
  })
}

/** What a payer can choose: each token on each of its networks. */
export function tokensOf(ctx: Ctx): { currency: CryptoCurrency; token: string; network: string; name: string }[] {
  return cryptoCurrencies.flatMap((currency) =>
    networksOf(currency, ctx.scope.livemode).map(({ id, name }) => ({
      currency,
      token: tokenNames[currency],
      network: id,
      name,
    })),
  )
}

/** What was quoted in tokens, the latest first. */
export function cryptoQuotes(ctx: Ctx, payment: string): Promise<CryptoQuoteRow[]> {
  return reader(ctx).rows(selectCryptoQuotes, [ctx.scope.businessId, ctx.scope.livemode, payment])
}

async function startable(ctx: Ctx, id: string, method: PaymentMethod): Promise<PaymentRow> {
  const payment = await lock(ctx, id)
  if (!isOpen(ctx, payment)) refuse('payment_not_pending', 'The payment has ended.')
  if (!payment.methods.includes(method)) refuse('method_not_available', `The payment cannot be paid by ${method}.`)
  return payment
}

/**
 * What the page says of paying in stablecoins: the networks of low fees first, what a coin is
 * worth, and what was chosen.
 */
import { renderSVG } from 'uqr'
import { isConnected } from '../../collecting/crypto/crypto.ts'
import type { CryptoQuoteRow, PaymentRow } from '../../collecting/payments/payments.ts'
import * as payments from '../../collecting/payments/payments.ts'
import type { View } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import { Refusal } from '../../lib/errors.ts'
import {
  type CryptoCurrency,
  cryptoCurrencies,
  formatDecimal,
  formatMoney,
  type WalletCurrency,
} from '../../lib/money.ts'
import { transferLink } from '../../rails/reference/eip681.ts'
import { findNetwork } from '../../rails/reference/networks.ts'
import { rateAmount } from './languages.ts'
import type { Crypto } from './view/model.ts'
import { type Strings, timeText } from './view/strings.ts'

/**
 * What a network costs, by the table of prices: what a payout to it is charged for it. What payers
 * pay for theirs is between them and their wallet, but the order is the same.
 */
function networkFee(
  { pricing }: View,
  currency: WalletCurrency,
  token: CryptoCurrency,
  chain: string,
): bigint {
  const price = pricing.price({
    amount: 0n,
    currency,
    method: 'crypto',
    destinationCurrency: token,
    chain,
  })
  return price?.breakdown.find(({ type }) => type === 'network')?.amount ?? 0n
}

/** What there is to choose from: only what has a rate, since nothing else can be quoted. */
export function choicesOf(
  view: View,
  t: Strings,
  currency: WalletCurrency,
): Omit<Crypto, 'chosen'> {
  const tokens = payments
    .tokensOf(view)
    .filter((one) => view.pricing.rate(one.currency, currency) !== null)
  const places = [...new Set(tokens.map(({ network }) => network))]
  const priced = tokens
    .map((one) => ({ ...one, fee: networkFee(view, currency, one.currency, one.network) }))
    // Of equal fees: the networks in their order, with all of their coins.
    .sort((a, b) =>
      a.fee === b.fee
        ? places.indexOf(a.network) - places.indexOf(b.network)
        : a.fee < b.fee
          ? -1
          : 1,
    )
  const rateOf = (token: CryptoCurrency): string | null => {
    const rate = tokens.some((one) => one.currency === token) && view.pricing.rate(token, currency)
    return rate
      ? t.crypto.rate(token.toUpperCase(), rateAmount(t, formatDecimal(rate), currency))
      : null
  }
  return {
    choices: priced.map(({ currency: token, network, name, testnet }) => ({
      id: `${token}.${network}`,
      token: token.toUpperCase(),
      network: name,
      testnet,
    })),
    lowestFirst: new Set(priced.filter(({ testnet }) => !testnet).map(({ fee }) => fee)).size > 1,
    rates: cryptoCurrencies.map(rateOf).filter((rate) => rate !== null),
  }
}

/** What the payer has chosen: quoted anew where a part was paid since, or the rate is old. */
export async function chosenToken(
  ctx: Ctx,
  t: Strings,
  payment: PaymentRow,
  timeZone: string,
): Promise<Crypto['chosen']> {
  let quote: CryptoQuoteRow | undefined = (await payments.cryptoQuotes(ctx, payment.id))[0]
  if (!quote) return null
  const due = payments.amountToRequest(ctx, payment, 'crypto')
  // If the payment ends just now, the page says so when it is next shown.
  if (!payments.isCurrent(ctx, quote, due) && payments.isOpen(ctx, payment))
    quote = await payments
      .chooseToken(ctx, payment.id, quote.currency, quote.network)
      .catch((error) => {
        if (error instanceof Refusal) return quote as CryptoQuoteRow
        throw error
      })
  const { currency, network, address, amount } = quote
  const token = currency.toUpperCase()
  const rate = t.crypto.rate(token, rateAmount(t, quote.rate, payment.currency))
  const found = findNetwork(ctx.networks, currency, network, payment.livemode)
  return {
    id: `${currency}.${network}`,
    token,
    network: found?.network.name ?? network,
    address,
    amount: formatMoney(amount, currency).split(' ')[0]?.replaceAll(',', '') ?? '',
    rate: t.crypto.until(rate, timeText(t, payments.rateEnd(quote), timeZone)),
    // Where the sandbox simulates the network, a wallet would send real coins to nobody.
    link:
      found && isConnected(payment.livemode, found.network)
        ? transferLink({
            token: found.token,
            chainId: found.network.chain_id,
            address,
            cents: amount,
          })
        : null,
    // Of the address alone: many wallets and exchanges read of a link only its first address, which
    // is that of the token.
    qr: renderSVG(address, { border: 2 }),
  }
}

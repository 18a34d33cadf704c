/**
 * Refund routes: where money that came for a payment can go back to. Each receipt came from a card, an account or an address: its
 * source of funds, to which no more goes back than came from there.
 */

import { type Transaction, transactionsOfPayment } from '../../books/transactions/transactions.ts'
import type { View } from '../../core/inside.ts'
import { Refusal } from '../../lib/errors.ts'
import type { Id } from '../../lib/ids.ts'
import type { Currency } from '../../lib/money.ts'
import {
  type DestinationInput,
  readDestination,
  type StoredDestination,
} from '../../paying-out/destinations/destinations.ts'
import { findBankByName } from '../../paying-out/lookups/lookups.ts'
import type { PaymentMethod } from '../payments/payments.ts'
import { type CardDestination, selectRefundedBySource } from './sql.ts'

/** Where money goes, by what means, and the key of the source of funds that it is of. */
export type RefundRoute = { key: string; method: PaymentMethod; destination: StoredDestination | CardDestination }

/** What came from one source and is still here. `route` is null when the rail did not tell who paid. */
export type SourceOfFunds = { route: RefundRoute | null; left: bigint; transactions: Id[] }

/** The key of all sources that the rail did not tell. */
export const unknownSource = 'unknown'

/** The sources of a payment's money, the latest first. */
export async function sourcesOf(view: View, payment: { id: Id; currency: Currency }): Promise<SourceOfFunds[]> {
  const refunded = await view.rows(selectRefundedBySource, [payment.id])
  const sources = new Map<string, SourceOfFunds>()
  for (const receipt of await transactionsOfPayment(view, payment.id)) {
    const route = routeBack(view, receipt)
    const key = route?.key ?? unknownSource
    const source = sources.get(key) ?? { route, left: 0n, transactions: [] }
    source.left += receipt.amount
    source.transactions.push(receipt.id)
    sources.set(key, source)
  }
  let elsewhere = 0n
  for (const { way: key, amount } of refunded) {
    const source = sources.get(key)
    const own = source && source.left < amount ? source.left : amount
    if (source) source.left -= own
    elsewhere += source ? amount - own : amount
  }
  deduct([...sources.values()], elsewhere)
  return [...sources.values()]
}

/** What went to a destination of the merchant's choice was not a card's. */
function deduct(sources: SourceOfFunds[], amount: bigint): void {
  let remainder = amount
  for (const source of sources.filter((one) => one.route?.method !== 'card')) {
    const part = source.left < remainder ? source.left : remainder
    source.left -= part
    remainder -= part
  }
}

/** Back to where a receipt came from, or null when that is not known well enough. */
export function routeBack(
  view: View,
  receipt: Pick<Transaction, 'method' | 'currency' | 'source' | 'related'>,
): RefundRoute | null {
  const source = receipt.source as Record<string, string> | undefined
  if (!source) return null
  const method = receipt.method as PaymentMethod
  if (method === 'card') {
    const { brand, last4 } = source
    const charge = receipt.related.card_try
    if (charge === undefined || brand === undefined || last4 === undefined) return null
    return { key: `card ${charge}`, method, destination: { charge, brand, last4 } }
  }
  const destination = payerDestination(view, receipt.currency, method, source)
  return destination && { key: keyOf(destination), method, destination }
}

/** What tells a source of funds from others. */
export function keyOf(to: StoredDestination): string {
  return to.chain === undefined
    ? `bank ${to.bank_code ?? to.routing_number} ${to.account_number}`
    : `crypto ${to.currency} ${to.chain} ${to.address}`
}

/**
 * Who paid, as a destination, or null when that is not known well enough.
 * @param currency the payment's: what a bank code means follows from it, and dollars come from a routing number
 */
export function payerDestination(
  view: View,
  currency: Currency,
  method: PaymentMethod,
  source: Record<string, string>,
): StoredDestination | null {
  const { account_name, account_number, account_type } = source
  const input =
    method === 'crypto'
      ? { currency: source.currency, chain: source.chain, address: source.address }
      : currency === 'ngn'
        ? {
            bank_code: source.bank_code ?? findBankByName(source.bank_name ?? '')?.code,
            account_number,
            ...(account_name === undefined ? {} : { account_name }),
          }
        : {
            country: 'us',
            routing_number: source.routing_number ?? source.bank_code,
            account_number,
            account_name,
            account_type: account_type ?? 'checking',
          }
  try {
    return readDestination(view, method === 'crypto' ? 'crypto' : 'bank_transfer', input as DestinationInput, true)
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}

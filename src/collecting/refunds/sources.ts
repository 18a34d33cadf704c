/**
 * Sources of a payment's funds (cards, accounts, addresses) and the refund routes back to them. No
 * more goes back to a source than came from it.
 */

import { moneyIn } from '../../books/receipts/receipts.ts'
import { type Transaction, transactionsOfPayment } from '../../books/transactions/transactions.ts'
import type { View } from '../../core/inside.ts'
import { Refusal } from '../../lib/errors.ts'
import type { Id } from '../../lib/ids.ts'
import type { Currency } from '../../lib/money.ts'
import {
  type DestinationInput,
  readDestination,
  type StoredDestination,
} from '../../platform/destinations/destinations.ts'
import { findBankByName } from '../../platform/lookups/lookups.ts'
import { canRefund } from '../../rails/accounts/choice.ts'
import type { Charge } from '../../rails/ports/rail.ts'
import type { PaymentMethod } from '../payments/payments.ts'
import * as payments from '../payments/payments.ts'
import { type ChargeDestination, selectRefundedBySource } from './sql.ts'

/**
 * Where a refund goes. `key` names the source of its funds. `rail` received the money and returns
 * it; null when the refund is paid like a payout.
 */
export type RefundRoute = {
  key: string
  method: PaymentMethod
  destination: StoredDestination | ChargeDestination
  rail: string | null
}

/**
 * A source of funds with the amount that is left. `route` is null when the payer is unknown.
 * `account` is the key of the account or address that paid, also where a rail returns the money
 * itself; null for a card.
 */
export type SourceOfFunds = {
  route: RefundRoute | null
  account: string | null
  left: bigint
  transactions: Id[]
}

/** The key of all funds whose payer is unknown. */
export const unknownSource = 'unknown'

/**
 * Returns the sources of a payment's funds, the latest first.
 * @param disputed disputed amounts in minor units, by the transactions that booked them
 */
export async function sourcesOf(
  view: View,
  payment: { id: Id; currency: Currency },
  disputed: ReadonlyMap<Id, bigint>,
): Promise<SourceOfFunds[]> {
  const refunded = await view.rows(selectRefundedBySource, [payment.id])
  const sources = new Map<string, SourceOfFunds>()
  const receipts = await transactionsOfPayment(view, payment.id)
  const charges = await chargesOf(view, receipts)
  for (const receipt of receipts) {
    const route = routeBack(view, receipt, charges.get(receipt.id) ?? null)
    const key = route?.key ?? unknownSource
    const source = sources.get(key) ?? {
      route,
      account: accountOf(view, receipt),
      left: 0n,
      transactions: [],
    }
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
  // An amount may be refunded first and disputed later, so a source never goes below zero.
  for (const source of sources.values()) {
    const taken = source.transactions.reduce((sum, id) => sum + (disputed.get(id) ?? 0n), 0n)
    source.left = source.left > taken ? source.left - taken : 0n
  }
  deduct([...sources.values()], elsewhere)
  return [...sources.values()]
}

/** Deducts what went to other destinations, which is never money from cards. */
function deduct(sources: SourceOfFunds[], amount: bigint): void {
  let remainder = amount
  for (const source of sources.filter((one) => one.route?.method !== 'card')) {
    const part = source.left < remainder ? source.left : remainder
    source.left -= part
    remainder -= part
  }
}

type Receipt = Pick<Transaction, 'id' | 'method' | 'currency' | 'source' | 'related'>

/** Money that a rail charged or received, with the rail's own name of it. */
export type Taken = Charge & { rail: string }

/**
 * Returns the charges of receipts, by their transactions' ids: card payments and transfers to
 * accounts at providers.
 */
export async function chargesOf(
  view: View,
  receipts: Pick<Receipt, 'id' | 'method' | 'related'>[],
) {
  const charges = new Map<Id, Taken>()
  const movements = await moneyIn(
    view,
    receipts.map(({ id }) => id),
  )
  for (const receipt of receipts) {
    const { id, related } = receipt
    const method = receipt.method as Charge['method']
    const moved = movements.get(id)
    const attempt =
      related.card_try === undefined ? null : await payments.attemptOf(view, related.card_try)
    const rail = moved?.rail ?? attempt?.rail
    const providerReference = moved?.providerId ?? attempt?.provider_reference ?? null
    if (rail !== undefined)
      charges.set(id, { id: attempt?.id ?? id, rail, providerReference, method })
  }
  return charges
}

/** Returns the charge that a refund of a payment returns. */
export async function chargeOf(
  view: View,
  payment: Id,
  destination: ChargeDestination,
): Promise<Taken> {
  const { charge: id } = destination
  const isOf = ({ id: transaction, related }: Receipt): boolean =>
    'sender' in destination ? transaction === id : related.card_try === id
  const receipts = (await transactionsOfPayment(view, payment)).filter(isOf)
  const [taken] = (await chargesOf(view, receipts)).values()
  if (!taken) throw new Error(`nothing is known of the charge ${id} of payment ${payment}`)
  return taken
}

/**
 * Returns the route back to a receipt's source; null when the source is not known well enough.
 * @param taken its charge, if any
 */
export function routeBack(view: View, receipt: Receipt, taken: Taken | null): RefundRoute | null {
  const source = (receipt.source ?? null) as Record<string, string> | null
  const method = receipt.method as PaymentMethod
  if (method === 'card') {
    if (taken === null) return null
    const destination = {
      charge: taken.id,
      brand: source?.brand ?? null,
      last4: source?.last4 ?? null,
    }
    return { key: `card ${taken.id}`, method, destination, rail: taken.rail }
  }
  // The rail knows the account that paid, so the bank is not asked about it.
  if (taken !== null && canRefund(view, taken.rail, 'bank_transfer'))
    return {
      key: `transfer ${receipt.id}`,
      method,
      destination: { charge: receipt.id, sender: source ?? {} },
      rail: taken.rail,
    }
  const destination = source && payerDestination(view, receipt.currency, method, source)
  return destination && { key: keyOf(destination), method, destination, rail: null }
}

/**
 * Returns the key of the account or address that a receipt came from; null for a card or an unknown
 * payer.
 */
function accountOf(view: View, { source, method, currency }: Receipt): string | null {
  if (!source || method === 'card') return null
  const payer = payerDestination(
    view,
    currency,
    method as PaymentMethod,
    source as Record<string, string>,
  )
  return payer && keyOf(payer)
}

/** Returns the key of a source of funds. */
export function keyOf(to: StoredDestination): string {
  return to.chain === undefined
    ? `bank ${to.bank_code ?? to.routing_number} ${to.account_number}`
    : `crypto ${to.currency} ${to.chain} ${to.address}`
}

/**
 * Returns the payer as a destination; null when too little is known.
 * @param currency the payment's, which decides how a bank is named
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
    return readDestination(
      view,
      method === 'crypto' ? 'crypto' : 'bank_transfer',
      input as DestinationInput,
      true,
    )
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}

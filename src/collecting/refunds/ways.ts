/**
 * The ways back: where money that came for a payment can go back to. Each receipt came from a card, an account or an address;
 * receipts of one origin are one way, and no more goes back by it than came from there.
 */

import { type Transaction, transactionsOfPayment } from '../../books/transactions/transactions.ts'
import { type Ctx, reader } from '../../core/context.ts'
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
import { type CardDestination, selectWaysUsed } from './sql.ts'

/** Where money goes, by what means, and the one text that tells origins apart. */
export type Way = { way: string; method: PaymentMethod; destination: StoredDestination | CardDestination }

/** What came from one origin and is still here. `back` is null when the rail did not tell who paid. */
export type Origin = { back: Way | null; left: bigint; transactions: Id[] }

/** The way of what came from nobody knows whom. */
export const unknownOrigin = 'unknown'

/** The origins of a payment's money, the latest first. */
export async function originsOf(ctx: Ctx, payment: { id: Id; currency: Currency }): Promise<Origin[]> {
  const used = await reader(ctx).rows(selectWaysUsed, [ctx.scope.businessId, ctx.scope.livemode, payment.id])
  const origins = new Map<string, Origin>()
  for (const receipt of await transactionsOfPayment(ctx, payment.id)) {
    const back = wayOf(ctx, receipt)
    const key = back?.way ?? unknownOrigin
    const origin = origins.get(key) ?? { back, left: 0n, transactions: [] }
    origin.left += receipt.amount
    origin.transactions.push(receipt.id)
    origins.set(key, origin)
  }
  let chosen = 0n
  for (const { way, amount } of used) {
    const origin = origins.get(way)
    const own = origin && origin.left < amount ? origin.left : amount
    if (origin) origin.left -= own
    chosen += origin ? amount - own : amount
  }
  takeFrom([...origins.values()], chosen)
  return [...origins.values()]
}

/** What went to a destination of the merchant's choice was not a card's. */
function takeFrom(origins: Origin[], amount: bigint): void {
  let open = amount
  for (const origin of origins.filter((one) => one.back?.method !== 'card')) {
    const part = origin.left < open ? origin.left : open
    origin.left -= part
    open -= part
  }
}

/** Back to where a receipt came from, or null when that is not known well enough. */
export function wayOf(ctx: Ctx, receipt: Pick<Transaction, 'method' | 'currency' | 'source' | 'related'>): Way | null {
  const source = receipt.source as Record<string, string> | undefined
  if (!source) return null
  const method = receipt.method as PaymentMethod
  if (method === 'card') {
    const { brand, last4 } = source
    const charge = receipt.related.card_try
    if (charge === undefined || brand === undefined || last4 === undefined) return null
    return { way: `card ${charge}`, method, destination: { charge, brand, last4 } }
  }
  const destination = readSource(ctx, receipt.currency, method, source)
  return destination && { way: textOf(destination), method, destination }
}

/** The one text of a destination. */
export function textOf(to: StoredDestination): string {
  return to.chain === undefined
    ? `bank ${to.bank_code ?? to.routing_number} ${to.account_number}`
    : `crypto ${to.currency} ${to.chain} ${to.address}`
}

/**
 * Who paid, as a destination, or null when that is not known well enough.
 * @param currency the payment's: what a bank code means follows from it, and dollars come from a routing number
 */
export function readSource(
  ctx: Ctx,
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
    return readDestination(ctx, method === 'crypto' ? 'crypto' : 'bank_transfer', input as DestinationInput, true)
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}

/**
 * Prices as everything asks for them; `books/pricing` makes them of a table.
 */
import type { Id } from '../lib/ids.ts'
import type { Currency, Decimal } from '../lib/money.ts'

export type FeeType = 'platform' | 'provider' | 'network' | 'fx'
export type Fee = { type: FeeType; amount: bigint }
export type PayoutMethod = 'bank_transfer' | 'crypto'
export type IncomingMethod = 'card' | 'bank_transfer' | 'crypto'

/** What a payout costs and what arrives. `fee` is the sum of `breakdown`; `rate` is destination per source. */
export type Price = {
  fee: bigint
  breakdown: Fee[]
  rate: string
  net: bigint
  destinationAmount: bigint
}

export type PriceRequest = {
  amount: bigint
  currency: Currency
  method: PayoutMethod
  destinationCurrency: Currency
  chain: string | null
}

export type Pricing = {
  /** The exchange rate of a pair, or null when the table has none. */
  rate(from: Currency, to: Currency): Decimal | null
  /** The price of a payout, or null when the table does not sell it. */
  price(request: PriceRequest): Price | null
  /** The fee on money that came in, at most the amount itself. */
  incomingFee(kind: 'payment' | 'deposit', method: IncomingMethod, currency: Currency, amount: bigint): bigint
  /** The least amount that leaves `net` after the fee of a payment. */
  grossOf(method: IncomingMethod, currency: Currency, net: bigint): bigint
}

/** The prices of every business at every time. A process knows them all, so that none has to be asked for. */
export type Prices = {
  /** What holds for a business at a time of its own. */
  of(businessId: Id, at: Date): Pricing
  /**
   * Makes sure that all is known that holds up to a moment of the machine's time: whoever makes a scope of that moment awaits it.
   * @returns null where it is known, which is nearly always
   */
  upTo(now: Date): Promise<void> | null
  /** Reads what was changed, for whoever changed it. */
  refresh(): Promise<void>
}

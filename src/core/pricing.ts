/** The interface of prices; `books/pricing` implements it from the pricing table. */
import type { Id } from '../lib/ids.ts'
import type { Currency, Decimal } from '../lib/money.ts'

export type FeeType = 'platform' | 'provider' | 'network' | 'fx'
export type Fee = { type: FeeType; amount: bigint }
export type PayoutMethod = 'bank_transfer' | 'crypto'
export type IncomingMethod = 'card' | 'bank_transfer' | 'crypto'

/**
 * The price of a payout. `fee` is the sum of `breakdown`; `rate` is destination units per source
 * unit.
 */
export type Price = {
  fee: bigint
  breakdown: Fee[]
  rate: string
  net: bigint
  destinationAmount: bigint
}

/**
 * The origin of a rate. `table`: the operator's pricing table. `official`: fetched from a central
 * bank.
 */
export type RateSource = 'table' | 'official'
/**
 * @property leftMs machine time until the rate expires, in milliseconds; null: until the table
 * changes
 */
export type RateOfMoment = {
  rate: Decimal
  source: RateSource
  fetchedAt: Date | null
  validUntil: Date | null
  leftMs: number | null
}

/** A price with the origin of its rate. */
export type PriceAtRate = Price & Omit<RateOfMoment, 'rate'>

export type PriceRequest = {
  amount: bigint
  currency: Currency
  method: PayoutMethod
  destinationCurrency: Currency
  chain: string | null
}

export type Pricing = {
  /** Returns the exchange rate of a pair, or null if there is none. */
  rate(from: Currency, to: Currency): Decimal | null
  /** Returns the price of a payout, or null if it is not offered or has no rate. */
  price(request: PriceRequest): PriceAtRate | null
  /**
   * Returns the price of a conversion between wallets, in minor units. The spread is the fee. Null
   * without a rate.
   */
  convert(amount: bigint, from: Currency, to: Currency): PriceAtRate | null
  /** Returns the fee on incoming money, in minor units; never more than the amount. */
  incomingFee(
    kind: 'payment' | 'deposit',
    method: IncomingMethod,
    currency: Currency,
    amount: bigint,
  ): bigint
  /** Returns the smallest amount that leaves `net` after the payment fee. */
  grossOf(method: IncomingMethod, currency: Currency, net: bigint): bigint
}

export type FeeRule = { flat: number; bps: number; min: number; max: number | null }

/**
 * The format of `PRICING_FILE`. Amounts in minor units, shares in basis points, rates as decimal
 * strings.
 */
export type PricingTable = {
  /**
   * `usd_ngn: "1550.00"`: one usd buys 1550.00 ngn. A missing pair is the inverse of its mirror.
   * `usd_ngn: "official"`: the fetched rate.
   */
  rates: Record<string, string>
  /** The `fx` fee on top of the rate: per pair, else `default`. */
  spread_bps: Record<string, number>
  /** By method and wallet currency: `bank_transfer.ngn`. */
  platform: Record<string, FeeRule>
  /** The rail's charge, by method and wallet currency. */
  provider: Record<string, number>
  /** The chain's cost, by network and wallet currency: `ethereum.usd`, else `default.usd`. */
  network: Record<string, number>
  /** The fee of a payment, by method and currency: `card.ngn`. A missing combination is free. */
  payment: Record<string, FeeRule>
  /** The fee of a deposit to a virtual account or crypto wallet, in the same form. */
  deposit: Record<string, FeeRule>
}

/** The prices of every business at every time, cached in the process. */
export type Prices = {
  /** The installation's table, read at the start. It applies to businesses without a plan. */
  standard: PricingTable
  /** Returns the prices of a business at its own time. */
  of(businessId: Id, at: Date): Pricing
  /**
   * Loads all prices that apply up to this machine time. Await it before creating a scope of that
   * time.
   * @returns null if they are cached, which is the usual case
   */
  upTo(now: Date): Promise<void> | null
  /** Reloads the prices after a change. */
  refresh(): Promise<void>
}

/**
 * Prices as everything asks for them; `books/pricing` makes them of a table.
 */
import type { Id } from '../lib/ids.ts'
import type { Currency, Decimal } from '../lib/money.ts'

export type FeeType = 'platform' | 'provider' | 'network' | 'fx'
export type Fee = { type: FeeType; amount: bigint }
export type PayoutMethod = 'bank_transfer' | 'crypto'
export type IncomingMethod = 'card' | 'bank_transfer' | 'crypto'

/**
 * What a payout costs and what arrives. `fee` is the sum of `breakdown`; `rate` is destination per
 * source.
 */
export type Price = {
  fee: bigint
  breakdown: Fee[]
  rate: string
  net: bigint
  destinationAmount: bigint
}

/**
 * Where a rate comes from; `table`: the operator's; `official`: a central bank's, fetched at a time
 * and used until another.
 */
export type RateSource = 'table' | 'official'
/**
 * @property leftMs how long it will still be used, by the machine's clock; null: until the table is
 * another
 */
export type RateOfMoment = {
  rate: Decimal
  source: RateSource
  fetchedAt: Date | null
  validUntil: Date | null
  leftMs: number | null
}

/** A price, and where its rate comes from. */
export type PriceAtRate = Price & Omit<RateOfMoment, 'rate'>

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
  /** The price of a payout, or null when the table does not sell it, or has no rate. */
  price(request: PriceRequest): PriceAtRate | null
  /**
   * The price of a conversion between two wallets, of which the spread is the fee; null when the
   * table has no rate. Minor units.
   */
  convert(amount: bigint, from: Currency, to: Currency): PriceAtRate | null
  /** The fee on money that came in, at most the amount itself. */
  incomingFee(
    kind: 'payment' | 'deposit',
    method: IncomingMethod,
    currency: Currency,
    amount: bigint,
  ): bigint
  /** The least amount that leaves `net` after the fee of a payment. */
  grossOf(method: IncomingMethod, currency: Currency, net: bigint): bigint
}

export type FeeRule = { flat: number; bps: number; min: number; max: number | null }

/**
 * The table, as `PRICING_FILE` holds it. Amounts in minor units, shares in basis points, rates as
 * decimal strings.
 */
export type PricingTable = {
  /**
   * `usd_ngn: "1550.00"`: one usd buys 1550.00 ngn. A pair that is missing is the inverse of its
   * mirror. `usd_ngn: "official"`: as it is fetched.
   */
  rates: Record<string, string>
  /** Taken on top of the rate as an `fx` fee: per pair, else `default`. */
  spread_bps: Record<string, number>
  /** Per method and wallet currency: `bank_transfer.ngn`. */
  platform: Record<string, FeeRule>
  /** What the rail charges: per method and wallet currency. */
  provider: Record<string, number>
  /** What a chain costs, per network and wallet currency: `ethereum.usd`, else `default.usd`. */
  network: Record<string, number>
  /**
   * What a payment costs: per method and currency, `card.ngn`. A combination that is missing is
   * free.
   */
  payment: Record<string, FeeRule>
  /** What a deposit on a virtual account or a crypto wallet costs, in the same form. */
  deposit: Record<string, FeeRule>
}

/**
 * The prices of every business at every time. A process knows them all, so that none has to be
 * asked for.
 */
export type Prices = {
  /** What the installation has, as it was read at the start: of a business without a plan. */
  standard: PricingTable
  /** What holds for a business at a time of its own. */
  of(businessId: Id, at: Date): Pricing
  /**
   * Makes sure that all is known that holds up to a moment of the machine's time: whoever makes a
   * scope of that moment awaits it.
   * @returns null where it is known, which is nearly always
   */
  upTo(now: Date): Promise<void> | null
  /** Reads what was changed, for whoever changed it. */
  refresh(): Promise<void>
}

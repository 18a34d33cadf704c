/**
 * What the pages of the checkout show. Everything is decided and formatted before it comes here.
 */

import type { CardFault } from './cards.ts'

export type Language = 'en' | 'fr' | 'ar'
export type Currency = 'ngn' | 'usd'

/** `formatted` is what the payer reads: '₦5,000.00', '$12.50'; in French '5 000,00 ₦'. */
export type Money = { amount: bigint; currency: Currency; formatted: string }

/** What a business looks like, and how it is reached. */
export type Brand = {
  /** `path` on this server, `url` for others. */
  logo: { path: string; url: string; width: number; height: number } | null
  /** '#rrggbb'. */
  color: string | null
  email: string | null
  phone: string | null
  /** https. */
  terms: string | null
  /** Where it is, and its numbers, a line each. */
  legal: string[]
}

export type Method = 'card' | 'bank_transfer' | 'crypto'
export type Status = 'pending' | 'completed' | 'failed' | 'expired' | 'canceled'
export type CardBrand = 'visa' | 'mastercard' | 'verve' | 'amex'

export type CardFailure =
  | 'declined'
  | 'insufficient_funds'
  | 'expired_card'
  | 'incorrect_cvc'
  | 'processing_error'
  | 'challenge_failed'
  | 'not_completed'
  | 'not_begun'
  | 'real_card'

export type Card = {
  /**
   * 'closed': it was tried so often that no card is taken any more. 'leave': it is typed on a
   * provider's page, which is being made ready ('starting'), where the payer is or was ('away'),
   * and of which a bank is still at work ('confirming').
   */
  state:
    | 'form'
    | 'processing'
    | 'challenge'
    | 'closed'
    | 'leave'
    | 'starting'
    | 'away'
    | 'confirming'
  /** Why the last try did not go through. A code that is not known is shown as a decline. */
  failure: CardFailure | (string & {}) | null
  /** What is wrong with its fields. */
  faults: readonly CardFault[]
  /** `MM/YY`, where the payer has typed one that stands although the card is wrong. */
  expiry: string
  /** The first month that has not expired, as a number `YYMM`. */
  earliest: number
  /** What the latest try is for. */
  amount: Money | null
  last4: string | null
  brand: string | null
  /** Those that are surely taken. */
  brands: readonly CardBrand[]
}

/** Who pays, where the selected method needs an address. */
export type Payer = {
  asked: boolean
  /** The address that a payer typed, of which others see no more than this. */
  email: string | null
  wrong: boolean
}

export type Transfer = {
  amount: Money
  accountNumber: string
  accountName: string
  bankName: string
  routingNumber: string | null
  /** A wrong amount came and was sent back. */
  returned: boolean
}

/**
 * What there is to say of paying by transfer. `opening`: its bank gives the account in a moment;
 * `unavailable`: it gives none; `sent_back`: it has sent a transfer of a wrong amount back.
 */
export type TransferNews = 'opening' | 'unavailable' | 'sent_back'

/** A coin on a network: 'usdc.base', USDC, Base. `testnet`: one whose coins are worth nothing. */
export type CryptoChoice = { id: string; token: string; network: string; testnet: boolean }

export type Crypto = {
  /** The lowest fees of networks first. */
  choices: CryptoChoice[]
  /** Whether the networks differ in their fees. */
  lowestFirst: boolean
  /** What a coin is in the payment's currency now: '1 USDC = ₦1,550.00'. */
  rates: string[]
  /**
   * `amount` is in the coin ('12.50'); `rate` says what a coin counts as, and until when; `link`
   * opens a wallet, and is null where no real coin can arrive; `qr`, of the address, is inline SVG of
   * our own making, which is not escaped.
   */
  chosen:
    | (Omit<CryptoChoice, 'testnet'> & {
        address: string
        amount: string
        rate: string
        link: string | null
        qr: string
      })
    | null
}

/**
 * What an invoice asks money for, line by line. `tax`: its rate, '7.5%', and whether the price has
 * it in it.
 */
export type Line = {
  name: string
  quantity: number
  unit: string
  total: string
  tax: { rate: string; inclusive: boolean } | null
}

/**
 * What of an invoice is tax: all of it without, and the tax of each rate on what it is of. Amounts
 * as the payer reads them.
 */
export type Taxes = { net: string; rates: { rate: string; net: string; tax: string }[] }

export type PaymentPage = {
  language: Language
  /** '/pay/<slug>'. Forms post below it. */
  path: string
  livemode: boolean
  /** Whether it is really served by https. */
  secure: boolean
  business: string
  brand: Brand
  description: string | null
  reference: string
  lines: Line[]
  /** Who an invoice is for. */
  billedTo: string | null
  /** Null: it has none. */
  taxes: Taxes | null
  /** The invoice that it is for, to be downloaded. */
  document: { href: string; number: string } | null
  price: Money
  /** The fee the payer bears with the selected method, if any. */
  fee: Money | null
  /** To be asked for, by the selected method: what has neither arrived nor is being confirmed. */
  due: Money
  /** What has arrived so far, when something has. */
  received: Money | null
  /** What came, does not count, and could not be sent back, while the payment is pending. */
  kept: Money | null
  /**
   * What was seen on a blockchain and is not confirmed yet; `covers`: nothing is left to pay then.
   */
  confirming: (Money & { covers: boolean }) | null
  /** What came beyond what was due. */
  surplus: Money | null
  status: Status
  /** Money came after the end. */
  late: boolean
  /** ISO 8601. */
  expiresAt: string
  secondsLeft: number
  /** ISO 8601. */
  paidAt: string | null
  /** IANA: that of the business. */
  timeZone: string
  methods: Method[]
  /** The selected one. Null: the payer has to choose. Never null when there is only one. */
  method: Method | null
  /** The hidden field of every form: against forgery, and for once only. */
  token: string
  /** Changes whenever anything the payer sees has changed. */
  version: string
  payer: Payer
  card: Card
  transfer: Transfer | null
  transferNews: TransferNews | null
  crypto: Crypto
  /** The shop, once the payment has ended. */
  returnUrl: string | null
  /** The shop, while the payment is pending. */
  cancelUrl: string | null
}

/** What leads a payer to a provider's page. */
export type LeavePage = {
  language: Language
  livemode: boolean
  business: string
  brand: Brand
  /** https, and of the provider. */
  url: string
  host: string
  /** Of the payment, for who does not want to go. */
  path: string
}

export type CollectionError =
  | 'amount_missing'
  | 'amount_too_small'
  | 'amount_too_large'
  | 'invalid_email'
  | 'full'

export type CollectionPage = {
  language: Language
  /** Its form posts below this. */
  path: string
  livemode: boolean
  business: string
  brand: Brand
  name: string
  description: string | null
  /** 'busy': others are paying for all that is left. */
  state: 'open' | 'busy' | 'full' | 'ended'
  /** Null: the payer chooses. */
  amount: Money | null
  currency: Currency
  min: Money | null
  max: Money | null
  error: CollectionError | (string & {}) | null
  /** What an amount that was typed can mean, where it can mean two. */
  readings: [string, string] | null
  /** What the payer typed. */
  values: { amount: string; email: string }
  token: string
}

export type MessageKind = 'not_found' | 'too_many_tries' | 'out_of_date' | 'error'

export type MessagePage = {
  language: Language
  kind: MessageKind
  /** Where to try again, if anywhere: an address of ours. */
  retry: string | null
}

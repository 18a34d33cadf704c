/** What the writers of statements get, and what each writes. */
import type { Day } from '../../lib/days.ts'
import type { WalletCurrency } from '../../lib/money.ts'

export const bankFormats = ['camt.053.001.08', 'camt.053.001.02', 'mt940'] as const
export type BankFormat = (typeof bankFormats)[number]

export type Direction = 'credit' | 'debit'

/** A sum in minor units, and how many entries it is of. */
export type Sum = { amount: bigint; count: bigint }

export type Head = {
  /** The id of the message, new for each file. */
  messageId: string
  /** The account, in at most 34 characters. */
  account: string
  owner: string
  currency: WalletCurrency
  from: Day
  to: Day
  /** The first and last second of the period with the offset of the time zone. */
  begins: string
  ends: string
  createdAt: Date
  isTest: boolean
  /** Booked balances in minor units; below zero: a debt. */
  opening: bigint
  closing: bigint
  credits: Sum
  debits: Sum
}

/**
 * Domain, family and subfamily of the external code set BankTransactionCode of ISO 20022
 * (https://www.iso20022.org/catalogue-messages/additional-content-messages/external-code-sets), and
 * the transaction type of field 61, subfield 6, of SWIFT MT940.
 */
export type BankCode = {
  domain: string
  family: string
  subfamily: string
  swift: string
}

/** A movement of a wallet. */
export type Entry = {
  /** The posting. */
  id: bigint
  transaction: string
  day: Day
  /** In minor units, above zero. */
  amount: bigint
  direction: Direction
  /** Whether it takes back an earlier movement, which had the other direction. */
  isReversal: boolean
  code: BankCode
  title: string
  /** The merchant's own reference. */
  reference: string | null
  party: Party | null
}

export type Party = { name: string | null; account: string | null }

/** Writes one statement: its beginning, each entry in order, and its end. */
export type Writer = { start(): string; entry(entry: Entry): string; end(): string }

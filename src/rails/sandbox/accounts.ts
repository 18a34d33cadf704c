/**
 * Accounts and addresses of the sandbox, derived from their id, so that the same id gives the same
 * one.
 */

import { sha256 } from '../../lib/secrets.ts'
import type {
  AccountRail,
  AccountRequest,
  AccountState,
  BankAccount,
} from '../ports/bank-accounts.ts'
import type { AddressRail } from '../ports/rail.ts'
import { luhnCheckDigit, nubanCheckDigit } from '../reference/bank-numbers.ts'
import { toChecksumAddress } from '../reference/eip55.ts'

/** The bank of naira test accounts: a real code, so that the NUBAN check can be tried. */
const nigerianBank = { bankName: 'Wema Bank', bankCode: '035', institution: '000035' }
/** The routing number that is commonly used in test modes. */
const americanBank = { bankName: 'Sandbox Bank', routingNumber: '110000000' }

/** Derives `length` decimal digits from a text. */
function digitsOf(text: string, length: number): string {
  const number = BigInt(`0x${sha256(text).toString('hex')}`) % 10n ** BigInt(length)
  return number.toString().padStart(length, '0')
}

function bankOf({ id, currency }: AccountRequest): BankAccount {
  if (currency === 'ngn') {
    const serial = digitsOf(`account ${id}`, 9)
    const { institution, ...bank } = nigerianBank
    const accountNumber = `${serial}${nubanCheckDigit(institution, serial)}`
    return { ...bank, accountNumber, routingNumber: null, accountName: null }
  }
  const body = digitsOf(`account ${id}`, 11)
  return {
    bankName: americanBank.bankName,
    bankCode: americanBank.routingNumber,
    accountNumber: `${body}${luhnCheckDigit(body)}`,
    routingNumber: americanBank.routingNumber,
    accountName: null,
  }
}

/**
 * Magic holders: the bank opens their account later, or refuses it. Every other account is opened
 * at once.
 */
export const magicHolders: Readonly<Record<string, { meaning: string; refused: boolean }>> = {
  'Pending Account': { meaning: 'is `pending`, then `active`', refused: false },
  'Refused Account': { meaning: 'is `pending`, then `failed`: `rejected`', refused: true },
}

const opened = (request: AccountRequest): AccountState => ({
  state: 'open',
  account: bankOf(request),
  providerReference: null,
  expiresAt: request.expiresAt,
})

/**
 * Opens NUBANs, and US accounts of eleven digits and a Luhn check digit (US banks choose their own
 * format), at once.
 */
export const sandboxAccounts: AccountRail = {
  name: 'sandbox',
  open: async (request) => opened(request),
  ask: async (request) => opened(request),
  close: async () => {},
}

/**
 * The same for magic holders. @param delayMs until the query that ends one, in the business's test
 * time
 */
export const sandboxHolderAccounts = (delayMs: number): AccountRail => ({
  ...sandboxAccounts,
  async open(request) {
    if (!Object.hasOwn(magicHolders, request.accountName)) return opened(request)
    return { state: 'pending', providerReference: null, askAgainInMs: delayMs }
  },
  async ask(request) {
    return magicHolders[request.accountName]?.refused
      ? { state: 'refused', reason: 'rejected' }
      : opened(request)
  },
})

/** Addresses without a private key: sandbox deposits are simulated. */
export const sandboxAddresses: AddressRail = {
  name: 'sandbox',
  key: 'sandbox',
  async address(owner) {
    return toChecksumAddress(`0x${sha256(`address ${owner}`).toString('hex').slice(0, 40)}`)
  },
}

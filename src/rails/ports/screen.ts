/**
 * The port of sanctions screening, called before money leaves and after it arrives. A source has
 * lists, and knows neither payouts nor deposits.
 */
import { spellingsOf, wordsOfName } from '../reference/person-names.ts'

/** A payer or recipient. Unknown fields are omitted. */
export type ScreenSubject = {
  /** An address on a blockchain. */
  address?: string | undefined
  accountNumber?: string | undefined
  /** The bank's code or routing number. */
  bankCode?: string | undefined
  names: (string | undefined)[]
}

/** A match. `list` names the list; `reason` says why it has the entry, if known. */
export type ScreenHit = {
  list: string
  matched: 'address' | 'account' | 'name' | 'limit'
  value: string
  reason: string | null
}

/** A source of lists. */
export type Screen = {
  name: string
  /**
   * Returns the matches; none: the payment may continue.
   * @throws {Error} when it has no answer: nothing is paid, and it is asked again
   */
  ask(subject: ScreenSubject): Promise<ScreenHit[]>
  /** Returns the state of a list that becomes stale. */
  state?(): ScreenState
}

/**
 * `updatedAt`: by the list itself, or when its file was written. `fault`: why a newer one is not
 * used.
 */
export type ScreenState = { source: string; entries: number; updatedAt: Date; fault: string | null }

/**
 * Normalises a value for comparison: addresses and account numbers in any case, names in any word
 * order, without accents.
 */
export const keyOf = {
  address: (address: string): string => `address:${address.trim().toLowerCase()}`,
  account: (number: string, bankCode?: string): string =>
    `account:${[bankCode, number].filter(Boolean).join(' ').toLowerCase()}`,
  name: (name: string): string => `name:${wordsOfName(name).sort().join(' ')}`,
}

/** Returns every key under which a list may have a subject, with its meaning. */
export function keysOf({
  address,
  accountNumber,
  bankCode,
  names,
}: ScreenSubject): Map<string, Omit<ScreenHit, 'list' | 'reason'>> {
  const keys = new Map<string, Omit<ScreenHit, 'list' | 'reason'>>()
  if (address) keys.set(keyOf.address(address), { matched: 'address', value: address })
  if (accountNumber) {
    const account = { matched: 'account', value: accountNumber } as const
    keys.set(keyOf.account(accountNumber), account)
    if (bankCode) keys.set(keyOf.account(accountNumber, bankCode), account)
  }
  for (const name of names)
    if (name !== undefined && wordsOfName(name).length > 0)
      for (const spelling of spellingsOf(name))
        keys.set(keyOf.name(spelling), { matched: 'name', value: name })
  return keys
}

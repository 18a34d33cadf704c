/**
 * The port of sanctions screening: asked before money leaves, and after it came.
 * A source knows lists, and nothing of payouts or deposits.
 */
import { spellingsOf, wordsOfName } from '../reference/person-names.ts'

/** Who is paid, or has paid. What is not known is left out. */
export type ScreenSubject = {
  /** On a blockchain. */
  address?: string | undefined
  accountNumber?: string | undefined
  /** Of the bank, or its routing number. */
  bankCode?: string | undefined
  names: (string | undefined)[]
}

/**
 * What a source has found. `list` names it; `reason` is why it is there, where the list says so.
 */
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
   * What it has found; nothing: it lets who is paid through.
   * @throws {Error} when it cannot say: nothing is paid then, and it is asked again
   */
  ask(subject: ScreenSubject): Promise<ScreenHit[]>
  /** Of a source that grows old: what it has. */
  state?(): ScreenState
}

/**
 * `updatedAt`: as the list itself says, or when its file was written. `fault`: why a newer one is
 * not used.
 */
export type ScreenState = { source: string; entries: number; updatedAt: Date; fault: string | null }

/**
 * A value in the one form in which it is compared: addresses and account numbers in any case, names
 * in any order of their words, without accents.
 */
export const keyOf = {
  address: (address: string): string => `address:${address.trim().toLowerCase()}`,
  account: (number: string, bankCode?: string): string =>
    `account:${[bankCode, number].filter(Boolean).join(' ').toLowerCase()}`,
  name: (name: string): string => `name:${wordsOfName(name).sort().join(' ')}`,
}

/** Each key that a list may have who is paid under, with what it is. */
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

/**
 * What a run needs of a double, whichever provider it is one of.
 */
import type { Chance } from '../../test/support/chance.ts'

/** How long a double takes where it is slow. */
export const slowMs = 500

/** A rule that a fault befalls one request, or what one request leads to. */
export type Befalling = { fault: string; applied: number }

/**
 * What a fault came over: a request with the answer that was due, as text, which has every name of
 * it.
 */
export type Befallen = { fault: string; of: string }

/** An order as its provider has it. */
export type PlacedOrder = {
  reference: string
  status: 'paid' | 'back' | 'open' | 'over'
  what: string
}

export type Placed = {
  /** The account, as `RAILS_FILE` has it, and the environment that it names. */
  account: Record<string, string>
  env: Record<string, string>
  /** What must be in no log. */
  secrets: string[]
  /** Whether it says how its balance came to be, so that the books are held against it. */
  reconciled: boolean
  faults: readonly string[]
  /** The operations that a fault can befall, each as often as it is to be. */
  fitting(fault: string): string[]
  befall(operation: string, fault: string): Promise<Befalling>
  befallen(): Befallen[]
  /** Those outside do what is theirs to do with a share of what they have. */
  endSome(by: Chance, share: number): void
  /** Tells a server what happened. @param again also what it did not take before */
  notify(url: string, again: boolean): Promise<void>
  /** What was lost on its way arrives. */
  arrive(): void
  /** Who refused connections takes them again. */
  connect(): Promise<void>
  clearFaults(): Promise<void>
  /**
   * Payouts that it was sent. Each takes its currency alone, and refuses or complains of all else.
   */
  orders(): PlacedOrder[]
  /** What it holds against what it was asked, and against its own books. */
  complaints(): string[]
  stop(): Promise<void>
}

/** The id that a reference of ours has, whichever submission it is of. */
export const idIn = (reference: string): string => /[0-9a-f]{24}/.exec(reference)?.[0] ?? reference

/** What its provider is to pay, and to whom. Minor units. */
export const orderOf = (amount: number, currency: string, bank: string, account: string): string =>
  `${amount} ${currency} to ${account} at ${bank}`

type Request = {
  fault: string | null
  method: string
  path: string
  query?: unknown
  body: unknown
  answer: unknown
}

/** Each answer that a fault came over. */
export const befallenOf = (requests: readonly Request[]): Befallen[] =>
  requests.flatMap(({ fault, method, path, query, body, answer }) => {
    // As it is reported, without the version and whose it is.
    const what = `${method} ${path.replace(/^\/v0/, '').replace(/^\/customers\/[^/]+/, '/customers')}`
    return fault === null
      ? []
      : [{ fault, of: `${what} ${JSON.stringify([path, query, body, answer])}` }]
  })

/**
 * A provider's pages for payers by card, and what its books have of what they did there. Minor
 * units.
 */
export type CardPages = {
  currency: 'ngn' | 'usd'
  /** The reference of the page that this is the address of; null: it is none of its pages. */
  referenceAt(address: URL): string | null
  /** Whether the page takes a card now. */
  isOpen(reference: string): boolean
  payer: {
    pay(reference: string): void
    decline(reference: string): void
    leave(reference: string): void
    /** It is on its way; that it came, `pay` says. */
    begin(reference: string): void
  }
  amountOf(reference: string): number
  isPaid(reference: string): boolean
  /** The payer's bank takes money back. */
  dispute(reference: string, amount: number): void
  charges(): { reference: string; amount: number }[]
  /** `of`: the reference of what was charged. */
  refunds(): { reference: string; of: string; amount: number; status: 'made' | 'failed' | 'open' }[]
  disputes(): { id: string; of: string; amount: number; outcome: 'won' | 'lost' | null }[]
}

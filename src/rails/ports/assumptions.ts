/** Assumptions about a provider, which `bursar rails check` tests with a test key. */

/**
 * `fits`: whether the observation matches the assumption; null: a test key cannot tell, and `saw`
 * says why.
 */
export type Seen = { saw: string; fits: boolean | null }

export type Assumption = {
  /** Unique per provider, in snake_case, because reports name it. */
  id: string
  /** The request, or what a person must do. */
  asked: string
  assumed: string
  /** Where the assumption is written or was recorded; `[U]` if unconfirmed. */
  source: string
  look(): Promise<Seen>
}

export const verdicts = ['confirmed', 'contradicted', 'not reachable'] as const
export type Finding = Omit<Assumption, 'look'> & { verdict: (typeof verdicts)[number]; saw: string }

/**
 * A payment for a person to make in the provider's test mode. `url`: the page; `to`: the account
 * number to send to on that page.
 */
export type PaymentAsked = { url: string; to: string | null; amount: bigint }

export type CheckParts = {
  /** Asks a person to pay; null: no person is present. */
  pay: ((payment: PaymentAsked) => Promise<void>) | null
  wait(ms: number): Promise<void>
}

/** Checks each assumption. Only for test accounts, because it moves money. */
export type AssumptionCheck = (parts: CheckParts) => AsyncIterable<Finding>

/** What is assumed of a provider, and what a test key finds out about it: `bursar rails check`. */

/**
 * `fits`: whether what was seen is what is assumed; null: a test key cannot find out, and `saw`
 * says why.
 */
export type Seen = { saw: string; fits: boolean | null }

export type Assumption = {
  /** Unique at its provider, in snake_case: reports name it. */
  id: string
  /** How it is asked: the request, or what a person does. */
  asked: string
  assumed: string
  /** Where that is written or was recorded; `[U]` where it is not confirmed. */
  source: string
  look(): Promise<Seen>
}

export const verdicts = ['confirmed', 'contradicted', 'not reachable'] as const
export type Finding = Omit<Assumption, 'look'> & { verdict: (typeof verdicts)[number]; saw: string }

/**
 * What a person is asked to pay, in the provider's test mode. `url`: of the page to pay on; `to`:
 * the account number to send to, by that page.
 */
export type PaymentAsked = { url: string; to: string | null; amount: bigint }

export type CheckParts = {
  /** Asks a person to pay; null: no person is there. */
  pay: ((payment: PaymentAsked) => Promise<void>) | null
  wait(ms: number): Promise<void>
}

/** Asks about each assumption. Only for an account of test mode, as it moves money there. */
export type AssumptionCheck = (parts: CheckParts) => AsyncIterable<Finding>

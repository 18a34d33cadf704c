/** A provider's test mode, tried by a person: what is asked there, and what came. */

export type Observation = {
  title: string
  expected: string
  saw: string
  /** Whether it is what was expected; null: it could not be tried. */
  fits: boolean | null
  /** What nobody had confirmed until now. */
  settles: string | null
}

export type TrialParts = {
  /** Has a person pay on a page; null: nobody does. @param amount in minor units */
  pay: ((url: string, amount: bigint) => Promise<void>) | null
}

/** Walks through all that the account is asked for. Only for an account of test mode: what it asks moves money. */
export type Trial = (parts: TrialParts) => AsyncIterable<Observation>

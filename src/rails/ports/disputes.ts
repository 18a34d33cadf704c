/**
 * The port by which disputes are answered at a provider: evidence is submitted, or the dispute is
 * accepted.
 */

/** What a person wrote about a disputed payment. Each text may be missing. */
export type EvidenceTexts = {
  customer_name: string | null
  customer_email: string | null
  customer_phone: string | null
  /** What was sold, and why the payment is rightful. */
  explanation: string | null
  delivery_address: string | null
  /** A day, such as 2026-11-21. */
  delivery_date: string | null
}

export type FileKind = 'receipt' | 'delivery' | 'communication' | 'other'
export type FileType = 'application/pdf' | 'image/png' | 'image/jpeg'
export type EvidenceFile = { kind: FileKind; type: FileType; content: Uint8Array }

/** An answer to a dispute. Amounts are in minor units. */
export type DisputeAnswer = {
  /** The provider's id of the dispute. */
  providerId: string
  /** Ours, the same for each try of one answer. */
  key: string
  accepts: boolean
  amount: bigint
  texts: EvidenceTexts
  files: readonly EvidenceFile[]
  /**
   * Draws the evidence bundle.
   * @param withFiles whether the files are in it, for a provider that takes one file
   */
  bundle(withFiles: boolean): Promise<Uint8Array>
}

/**
 * What came of an answer. `refused`: the provider has certainly not taken it. `unknown`: it may have
 * it, and must be asked before another try.
 */
export type AnswerOutcome =
  | { is: 'taken' }
  | { is: 'refused'; why: string }
  | { is: 'unknown'; why: string }

/** What is known of it without asking the provider: the texts that it requires of evidence. */
export type DisputeTerms = { needs: readonly (keyof EvidenceTexts)[] }

/**
 * How many answers to a dispute the provider has, however they reached it (0 where it does not
 * count them), and whether it waits for one.
 */
export type ProviderAnswers = { count: number; isWaiting: boolean }

export type DisputeRail = DisputeTerms & {
  /** Returns null when the provider did not say. */
  readAnswers(providerId: string): Promise<ProviderAnswers | null>
  answer(answer: DisputeAnswer): Promise<AnswerOutcome>
}

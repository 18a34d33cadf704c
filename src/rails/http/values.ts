/** Reads values from answers, whose shape is never trusted. */

/** Returns a value if it is of this kind; null otherwise. */
export const asObject = (value: unknown): Record<string, unknown> | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null
export const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null
export const wholeOf = (value: unknown): bigint | null =>
  typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : null

/** Parses a JSON object; null for any other text. */
export function objectInJson(text: string): Record<string, unknown> | null {
  try {
    return asObject(JSON.parse(text))
  } catch {
    return null
  }
}

/** Returns the first difference between an answer and the expectation; null if there is none. */
export const firstDifference = (differences: Record<string, boolean>): string | null =>
  Object.entries(differences).find(([, isThere]) => isThere)?.[0] ?? null

const units: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/**
 * Reads a duration such as `500ms`, `30s`, `15m`, `24h` or `3d`, in milliseconds.
 * @throws {RangeError} when the text is not a duration
 */
export function parseDuration(text: string): number {
  const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text.trim())
  if (!match) throw new RangeError(`'${text}' is not a duration such as 500ms, 30s, 15m, 24h or 3d`)
  return Number(match[1]) * (units[match[2] as string] as number)
}

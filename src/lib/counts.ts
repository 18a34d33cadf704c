/** Counters by key, such as streams per address. Keys at zero take no memory. */
export type Counts = {
  /** The sum of all counters. */
  readonly total: number
  of(key: string): number
  /** The counters above zero. */
  values(): Iterable<number>
  /** @param by may be negative; a counter never goes below zero */
  add(key: string, by: number): void
}

export function makeCounts(): Counts {
  const counts = new Map<string, number>()
  let total = 0
  const of = (key: string): number => counts.get(key) ?? 0
  return {
    get total() {
      return total
    },
    of,
    values: () => counts.values(),
    add(key, by) {
      const before = of(key)
      const left = Math.max(0, before + by)
      total += left - before
      if (left > 0) counts.set(key, left)
      else counts.delete(key)
    },
  }
}

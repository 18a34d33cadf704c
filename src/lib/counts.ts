/**
 * How many there are of each, such as streams of an address: what there is none of takes no memory.
 */
export type Counts = {
  /** All of them together. */
  readonly total: number
  of(key: string): number
  /** The counts above zero. */
  values(): Iterable<number>
  /** @param by below zero: as many less; no count goes below zero */
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

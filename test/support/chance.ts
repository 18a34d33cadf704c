/** Decisions that a seed fixes. */

/** Numbers that are the same for the same seed. */
export function chance(seed: number) {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    below: (bound: number): number => Math.floor(next() * bound),
    happens: (share: number): boolean => next() < share,
    one: <T>(all: readonly T[]): T => all[Math.floor(next() * all.length)] as T,
  }
}
export type Chance = ReturnType<typeof chance>

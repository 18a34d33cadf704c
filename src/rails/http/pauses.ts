/** Pauses that end on their own: of all orders of an account, or of those to one payee. */
import { type Clock, later } from '../../lib/clock.ts'
import type { Obstruction } from '../ports/rail.ts'

export type Pauses = {
  /**
   * Pauses orders, in this process only.
   * @param subject which orders; null for all
   */
  pause(subject: string | null, obstruction: Obstruction, forMs: number): void
  /** Returns why a subject's orders are paused now; null if they are not. */
  find(subject: string): Obstruction | null
}

export function openPauses(clock: Clock): Pauses {
  const paused = new Map<string | null, { obstruction: Obstruction; until: Date }>()
  const of = (subject: string | null): Obstruction | null => {
    const one = paused.get(subject)
    return one !== undefined && clock.now() < one.until ? one.obstruction : null
  }
  return {
    pause(subject, obstruction, forMs) {
      for (const [other, { until }] of paused) if (until <= clock.now()) paused.delete(other)
      paused.set(subject, { obstruction, until: later(clock.now(), forMs) })
    },
    find: (subject) => of(null) ?? of(subject),
  }
}

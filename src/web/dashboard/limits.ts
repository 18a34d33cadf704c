/**
 * How often pages may be asked for: by session, and by address where there is none. They do not
 * count against the API's limit. Each process counts for itself.
 */

const windowMs = 60_000
const most = 600
const mostKnown = 20_000

/** Makes a counter. @returns the seconds until the next may be asked for; 0: this one may */
export function makePageLimit(): (who: string, at: number) => number {
  const counts = new Map<string, { count: number; resetsAt: number }>()
  return (who, at) => {
    const known = counts.get(who)
    if (!known || known.resetsAt <= at) {
      if (counts.size >= mostKnown) counts.clear()
      counts.set(who, { count: 1, resetsAt: at + windowMs })
      return 0
    }
    known.count++
    return known.count <= most ? 0 : Math.ceil((known.resetsAt - at) / 1_000)
  }
}

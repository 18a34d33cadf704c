/**
 * The search of the documents: pages by heading, operations and records by their words. All words
 * that were given must occur.
 */

export type Entry = {
  title: string
  /** What it is: `Guide`, `POST /payouts`. */
  kind: string
  href: string
  text: string
}

const mostFound = 40

/**
 * What has all words, the best first: those whose title has them, then those that say them often.
 */
export function search(entries: readonly Entry[], query: string): Entry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, 8)
  if (words.length === 0) return []
  const scored = entries.flatMap((entry) => {
    const title = `${entry.title} ${entry.kind}`.toLowerCase()
    const text = entry.text.toLowerCase()
    const scores = words.map(
      (word) => (title.includes(word) ? 10 : 0) + Math.min(text.split(word).length - 1, 5),
    )
    return scores.every((score) => score > 0)
      ? [{ entry, score: scores.reduce((a, b) => a + b) }]
      : []
  })
  return scored
    .sort((a, b) => b.score - a.score)
    .slice(0, mostFound)
    .map(({ entry }) => entry)
}

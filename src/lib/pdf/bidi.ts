/**
 * The order in which the words of a line are set. Scripts such as Arabic run from right to left, and what stands between two of
 * their words runs with them; numbers and other scripts keep their own order within.
 */

type Direction = 'ltr' | 'rtl'

const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u
const number = /\p{N}/u
const letter = /\p{L}/u
const mirrored: Record<string, string> = {
  '(': ')',
  ')': '(',
  '[': ']',
  ']': '[',
  '{': '}',
  '}': '{',
  '<': '>',
  '>': '<',
}

/** A text with no letter from right to left in it is one piece, as it is. */
export function inVisualOrder(text: string): string[] {
  if (!rightToLeft.test(text)) return [text]
  const words = text
    .split(/(\s+)/)
    .filter((part) => part !== '')
    .flatMap(splitByDirection)
  const base = words.map(strongOf).find((one) => one !== null) ?? 'ltr'
  const runs: { direction: Direction; words: string[] }[] = []
  words.forEach((word, i) => {
    const direction = directionOf(words, i, base)
    const last = runs.at(-1)
    if (last?.direction === direction) last.words.push(word)
    else runs.push({ direction, words: [word] })
  })
  const ordered = base === 'rtl' ? runs.toReversed() : runs
  return ordered.flatMap(({ direction, words }) =>
    direction === 'ltr' ? [words.join('')] : words.toReversed().map(mirror),
  )
}

/** A word in pieces of one direction, so that each can be shaped by itself. */
function splitByDirection(word: string): string[] {
  const pieces: { text: string; strong: Direction | 'number' | null }[] = []
  for (const one of word) {
    const strong = number.test(one) ? 'number' : strongOf(one)
    const last = pieces.at(-1)
    if (last && (strong === null || last.strong === null || last.strong === strong)) {
      last.text += one
      last.strong ??= strong
    } else pieces.push({ text: one, strong })
  }
  return pieces.map((piece) => piece.text)
}

function strongOf(text: string): Direction | null {
  for (const one of text) {
    if (rightToLeft.test(one)) return 'rtl'
    if (letter.test(one)) return 'ltr'
  }
  return null
}

/** Numbers run by themselves; a space or a sign runs with its neighbours if they agree, else with the line. */
function directionOf(words: string[], at: number, base: Direction): Direction {
  const word = words[at] as string
  const own = strongOf(word)
  if (own !== null) return own
  if (number.test(word)) return 'ltr'
  const before = words.slice(0, at).findLast((one) => strongOf(one) !== null || number.test(one))
  const after = words.slice(at + 1).find((one) => strongOf(one) !== null || number.test(one))
  // Next to letters from right to left a number counts as one of them; among others it does not.
  const sideOf = (one: string | undefined, other: string | undefined): Direction =>
    one === undefined ? base : (strongOf(one) ?? (other === undefined ? base : (strongOf(other) ?? base)))
  const [left, right] = [sideOf(before, after), sideOf(after, before)]
  return left === right ? left : base
}

const mirror = (word: string): string =>
  strongOf(word) === 'ltr' ? word : [...word].map((one) => mirrored[one] ?? one).join('')

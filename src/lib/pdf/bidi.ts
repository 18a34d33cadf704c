/**
 * Orders a line for display by Unicode's bidirectional algorithm (UAX 9), for scripts such as
 * Arabic.
 */
import bidiFactory, { type Bidi } from 'bidi-js'

/** Text without these letters and marks is displayed in its own order. */
const turning =
  /[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u
/** Direction marks, which are removed after ordering. */
const controls = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u
/**
 * Scripts that the PDF library itself sets from right to left with joined letters: it takes their
 * words in reading order.
 */
const joined =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Samaritan}\p{Script=Mandaic}]/u
const letter = /\p{L}/u

/**
 * One character of a single code unit per class: the library examines code units, and would take
 * surrogates for Latin letters.
 */
const standIns: Record<string, string> = {
  R: 'א',
  AL: 'ا',
  EN: '0',
  AN: '\u0660',
  NSM: '\u0300',
  ON: '!',
}

// The types describe the library's other entry point.
const load = bidiFactory as unknown as () => Bidi
let loaded: Bidi | undefined

/**
 * Splits a line into pieces from left to right. A piece that `runsFromRight` is in reading order.
 * @param from where the line begins in its paragraph, which determines its direction; code units,
 * as `to`, its end
 */
export function inVisualOrder(paragraph: string, from = 0, to = paragraph.length): string[] {
  if (!turning.test(paragraph)) return [paragraph.slice(from, to)]
  loaded ??= load()
  const bidi = loaded
  const letters = [...paragraph]
  const plain = letters
    .map((one) => (one.length === 1 ? one : (standIns[bidi.getBidiCharTypeName(one)] ?? 'a')))
    .join('')
  const embedding = bidi.getEmbeddingLevels(plain)
  const [first, last] = [
    [...paragraph.slice(0, from)].length,
    [...paragraph.slice(0, to)].length - 1,
  ]
  const order = letters.map((_, i) => i).slice(first, last + 1)
  for (const [start = 0, end = 0] of bidi.getReorderSegments(plain, embedding, first, last)) {
    const flipped = order.slice(start - first, end - first + 1).reverse()
    order.splice(start - first, flipped.length, ...flipped)
  }
  const runs: { level: number; at: number[] }[] = []
  for (const at of order) {
    const level = embedding.levels[at] as number
    const run = runs.at(-1)
    if (run?.level === level && Math.abs((run.at.at(-1) as number) - at) === 1) run.at.push(at)
    else runs.push({ level, at: [at] })
  }
  return runs.flatMap(({ level, at }) => {
    const odd = level % 2 === 1
    const read = (odd ? at.toReversed() : at)
      .map((i) => letters[i] as string)
      .filter((one) => !controls.test(one))
    return odd
      ? fromRight(read.map((one) => bidi.getMirroredCharacter(one) ?? one))
      : fromLeft(read)
  })
}

/** Whether the PDF library sets a piece from right to left. */
export const runsFromRight = (piece: string): boolean =>
  joined.test([...piece].find((one) => letter.test(one)) ?? '')

/** Orders letters that run from right to left, word by word as the PDF library splits them. */
function fromRight(letters: string[]): string[] {
  const words = letters.join('').split(/(\s+)/)
  return words
    .filter((word) => word !== '')
    .flatMap(byScript)
    .reverse()
    .map((piece) => (runsFromRight(piece) ? piece : clusters(piece).reverse().join('')))
}

/** Orders letters that run from left to right by an explicit override. */
const fromLeft = (letters: string[]): string[] =>
  byScript(letters.join('')).flatMap((piece) => (runsFromRight(piece) ? clusters(piece) : [piece]))

/** Splits a text into pieces that the PDF library sets in one direction. */
function byScript(text: string): string[] {
  const pieces: { text: string; joins: boolean | null }[] = []
  for (const one of text) {
    const joins = letter.test(one) ? joined.test(one) : null
    const last = pieces.at(-1)
    if (last && (joins === null || last.joins === null || last.joins === joins)) {
      last.text += one
      last.joins ??= joins
    } else pieces.push({ text: one, joins })
  }
  return pieces.map((piece) => piece.text)
}

/** Splits a text into letters with their combining marks. */
const clusters = (text: string): string[] => text.match(/\P{M}\p{M}*|\p{M}+/gu) ?? []

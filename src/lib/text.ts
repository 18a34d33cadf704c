/** Characters that texts of people may contain. */

/**
 * Control characters except tabs and line breaks, and the two Unicode separators that some programs
 * treat as line breaks.
 */
const controls = /(?![\t\n\r])[\p{Cc}\u2028\u2029]/u
const notInLine = /[\p{Cc}\u2028\u2029\u202d\u202e]/u

/** Whether a text has control characters other than tabs and line breaks. */
export const hasControls = (text: string): boolean => controls.test(text)

/**
 * Whether a text is one line without direction overrides, which reorder shown letters. Embeddings
 * and isolates are allowed: programs put them around names.
 */
export const isLine = (text: string): boolean => !notInLine.test(text)

/**
 * Returns why a text is refused, as the end of a sentence (`must not contain …`), or null. Bodies
 * and files must not contain lost letters either.
 */
export function unshowable(text: string, { ofBody }: { ofBody: boolean }): string | null {
  if (hasControls(text)) return 'must not contain control characters, except tabs and line breaks'
  // A program that read bytes in the wrong encoding wrote U+FFFD for letters.
  return ofBody && text.includes('\uFFFD')
    ? 'must not contain U+FFFD, which stands for a lost letter: send the text as UTF-8'
    : null
}

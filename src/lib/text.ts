/** Which characters texts may have that people give, and how others are shown. */

/**
 * Control characters that do something where a text is shown, tabs and line breaks aside; and the
 * two separators that some take for line breaks.
 */
const controls = /(?![\t\n\r])[\p{Cc}\u2028\u2029]/u
const notInLine = /[\p{Cc}\u2028\u2029\u202d\u202e]/u

/** Whether a text has control characters other than tabs and line breaks. */
export const hasControls = (text: string): boolean => controls.test(text)

/**
 * Whether a text is one line, without characters that override the direction of writing, which show
 * letters in another order. Those that embed or isolate a direction may be there: programs put them
 * around names.
 */
export const isLine = (text: string): boolean => !notInLine.test(text)

/**
 * Returns why a text is refused wherever people give one: control characters and, in bodies and
 * files, letters that were lost. The rest of a sentence, `must not contain …`; null where it is
 * taken.
 */
export function unshowable(text: string, { ofBody }: { ofBody: boolean }): string | null {
  if (hasControls(text)) return 'must not contain control characters, except tabs and line breaks'
  // A program that reads bytes in another encoding than theirs puts U+FFFD in place of letters.
  return ofBody && text.includes('\uFFFD')
    ? 'must not contain U+FFFD, which stands for a lost letter: send the text as UTF-8'
    : null
}

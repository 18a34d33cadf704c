/** Which characters texts may have that people give, and how others are shown. */

/** Control characters that do something where a text is shown, tabs and line breaks aside; and the two separators that some take for line breaks. */
const controls = /(?![\t\n\r])[\p{Cc}\u2028\u2029]/u
const notInLine = /[\p{Cc}\u2028\u2029\u202d\u202e]/u

/** Whether a text has control characters other than tabs and line breaks. */
export const hasControls = (text: string): boolean => controls.test(text)

/**
 * Whether a text is one line, without characters that override the direction of writing, which show letters in another order. Those that embed or
 * isolate a direction may be there: programs put them around names.
 */
export const isLine = (text: string): boolean => !notInLine.test(text)

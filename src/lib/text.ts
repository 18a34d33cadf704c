/** Which characters texts may have that people give, and how others are shown. */

/** Control characters that do something where a text is shown, tabs and line breaks aside; and the two separators that some take for line breaks. */
const controls = /(?![\t\n\r])[\p{Cc}\u2028\u2029]/u
const inLine = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u

/** Whether a text has control characters other than tabs and line breaks. */
export const hasControls = (text: string): boolean => controls.test(text)

/** Whether a text is one line, without characters that embed, isolate or override a direction of writing. */
export const isLine = (text: string): boolean => !inLine.test(text)

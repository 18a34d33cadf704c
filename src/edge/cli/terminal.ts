/** Something the operator can mend: shown as one line. */
export class UserError extends Error {}

export function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Text of others without what a terminal would obey. */
export const printable = (text: string): string => text.replaceAll(/(?!\n)[\p{Cc}\p{Bidi_Control}]/gu, '\u{fffd}')

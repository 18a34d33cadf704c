/** Something the operator can mend: shown as one line. */
export class UserError extends Error {}

export function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

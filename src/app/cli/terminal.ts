/**
 * What commands print, and where to.
 */
import { styleText } from 'node:util'
import type { Command } from 'commander'
import { Refusal } from '../../lib/errors.ts'
import { toJson } from '../../lib/json.ts'

/** Something the operator can mend: shown as one line. */
export class UserError extends Error {
  /** What the process ends with. */
  readonly status: number
  constructor(message: string, status = 1) {
    super(message)
    this.status = status
  }
}

/** Reports the refusals of some work as errors of the user. @throws {UserError} */
export async function reportRefusals<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof Refusal ? new UserError(error.message) : error
  }
}

/** Prints a line on standard output, with the control characters of others' texts as escapes. */
export function print(line: string): void {
  process.stdout.write(`${escaped(line)}\n`)
}

/**
 * What is not asked for, such as what becomes of a connection: to standard error, so that the rest
 * can be piped.
 */
export function say(line: string): void {
  process.stderr.write(`${escaped(line)}\n`)
}

export type Paint = 'red' | 'green' | 'yellow' | 'dim'

/** A colour on a terminal without `NO_COLOR`; elsewhere the text as it is. */
export const colour = (name: Paint, text: string): string =>
  styleText(name, text, { stream: process.stdout })

/** Colours, which `colour` and `styleText` put around texts. */
const style = String.raw`\u001b\[\d{1,2}m`
const obeyed = new RegExp(`${style}|(?!\\r?\\n|\\t)[\\p{Cc}\\p{Bidi_Control}]`, 'gu')

/**
 * A line whose controls are written as in JSON, `\\u009b`, so that JSON stays what it is. Colours
 * stay.
 */
export const escaped = (line: string): string =>
  line.replaceAll(obeyed, (found) =>
    found.length > 1 ? found : `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** Text of others without what a terminal would obey. */
export const printable = (text: string): string =>
  text.replaceAll(/(?!\n)[\p{Cc}\p{Bidi_Control}]/gu, '\u{fffd}')

/**
 * The same for a text of many lines: the marks that say which way it is read stay, and what
 * overrides the order of letters does not.
 */
export const printableText = (text: string): string =>
  text.replaceAll(/(?!\n)[\p{Cc}\u{202a}-\u{202e}]/gu, '\u{fffd}')

/**
 * How records are printed: as a table, as JSON with an object in each line, or as their ids alone.
 */
export type Form = 'table' | 'json' | 'ids'
export type Shown = { json?: boolean; quiet?: boolean }

/** Adds the options by which records are printed. */
export const outputOptions = (command: Command): Command =>
  command
    .option('--json', 'print JSON: one object in each line')
    .option('--quiet', 'print ids alone')

export const formOf = ({ json, quiet }: Shown): Form => (json ? 'json' : quiet ? 'ids' : 'table')

/** Of a table: its head, what it shows of a record, and how wide it is at least. */
export type Column<T> = {
  head: string
  of(record: T): unknown
  width?: number
  paint?(record: T): Paint
}

const leave = (): never => process.exit(0)

/** @returns what prints a record; a table's head comes with its first */
export function lister<T extends { id: string }>(
  form: Form,
  columns: Column<T>[],
  out: (line: string) => void = print,
): (record: T) => void {
  // Whoever reads what is printed, such as `head`, has enough.
  process.stdout.off('error', leave).on('error', leave)
  const last = columns.length - 1
  const padded = ({ width = 0 }: Column<T>, i: number, text: string): string =>
    i === last ? text : `${text.padEnd(width)}  `
  let isFirst = true
  return (record) => {
    if (form === 'json') return out(toJson(record))
    if (form === 'ids') return out(printable(record.id))
    const head = columns.map((column, i) => padded(column, i, column.head)).join('')
    if (isFirst) out(colour('dim', head))
    isFirst = false
    const cells = columns.map((column, i) => {
      const text = padded(column, i, printable(String(column.of(record))).replaceAll('\n', ' '))
      return column.paint ? colour(column.paint(record), text) : text
    })
    out(cells.join('').trimEnd())
  }
}

/** What says how far something has come. `end`: it is over, however far it came. */
export type Progress = { (done: number, total: number | null): void; isShown: boolean; end(): void }

const saidEveryMs = 200
const mebibyte = 1024 * 1024
let isLineOpen = false

/**
 * Deletes the line of a progress that was not ended, so that what is printed next begins a line.
 */
export function clearProgress(): void {
  if (isLineOpen) process.stderr.write('\r\u001b[K')
  isLineOpen = false
}

/**
 * Says on a terminal how far something has come: done, left, rate. Elsewhere, and beside JSON, it
 * says nothing.
 * @param verb what is done, such as `copied`
 * @param counted what is counted, such as `checks`; `bytes` are shown in MiB. A total of null is
 * not known
 */
export function progress(verb: string, counted: string, json = false): Progress {
  const isShown = !json && process.stderr.isTTY === true
  const startedAt = performance.now()
  const [unit, size] = counted === 'bytes' ? ['MiB', mebibyte] : [counted, 1]
  const whole = (count: number): string => (count / size).toFixed(0)
  let saidAt = Number.NEGATIVE_INFINITY
  const report = (done: number, total: number | null): void => {
    const now = performance.now()
    if (!isShown || now - saidAt < saidEveryMs) return
    saidAt = now
    const rate = done / Math.max((now - startedAt) / 1000, 0.001)
    const left = total === null || rate === 0 ? '' : `, ${Math.ceil((total - done) / rate)} s left`
    const of = total === null ? '' : ` of ${whole(total)}`
    const pace = (rate / size).toFixed(rate / size < 10 ? 1 : 0)
    process.stderr.write(`\r\u001b[K${verb} ${whole(done)}${of} ${unit}, ${pace} ${unit}/s${left}`)
    isLineOpen = true
  }
  return Object.assign(
    (done: number, total: number | null): void => {
      if (total !== null && done >= total) clearProgress()
      else report(done, total)
    },
    { isShown, end: clearProgress },
  )
}

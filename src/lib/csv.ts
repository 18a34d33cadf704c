/** Reads and writes CSV (RFC 4180), for spreadsheets and programs. */
import { CsvError, parse } from 'csv-parse/sync'
import { localTime } from './days.ts'
import { decimalOf } from './money.ts'

/** `decimal`: an amount in minor units, written in major units. */
export type CsvValue = string | number | boolean | bigint | Date | { decimal: bigint } | null

/**
 * The reader of a file. Spreadsheets turn texts of digits into numbers unless they are written as
 * formulas.
 */
type Reader = 'programs' | 'spreadsheet'

/** Returns one line of a table. */
export const csvLine = (values: readonly CsvValue[], reader: Reader = 'programs'): string =>
  `${values.map((value) => csvField(value, reader)).join(',')}\r\n`

/** Excel recognises UTF-8 by it. */
const byteOrderMark = '\uFEFF'

/** Returns the reader of a file. */
export const readerOf = (spreadsheet = false): Reader => (spreadsheet ? 'spreadsheet' : 'programs')

/** Returns a file from lines, the first one with titles. */
export const csvFile = (
  rows: readonly (readonly CsvValue[])[],
  reader: Reader,
): AsyncGenerator<string> => chunks([startOf(reader), ...rows.map((row) => csvLine(row, reader))])

const startOf = (reader: Reader): string => (reader === 'spreadsheet' ? byteOrderMark : '')

/**
 * Texts that a spreadsheet would turn into numbers: `058`, `0123456789`, `+2348012345678`, `12e4`.
 */
const numberLike = /^\+?\d[\d .()-]*$|^\d+(?:\.\d+)?e\d+$/i

/** A phone number (E.164: 7 to 15 digits) is a harmless formula, so it stays unchanged. */
const phoneNumber = /^\+\d(?:[ .()-]?\d){6,14}$/

/** Yields the finished parts of a file. */
export async function* chunks<T>(parts: Iterable<T>): AsyncGenerator<T> {
  yield* parts
}

/**
 * The sign of a formula at the start of a field, or after a separator that some reader might use
 * despite quotes.
 */
const formulaSign = /(?=[=+\-@＝＋－＠])(?<=(?:^|[,;|\t\r\n])[\s"]*)|^(?=[\t\r])/g

/** Writes a field. A text that a spreadsheet could run as a formula gets a `'` before its sign. */
function csvField(value: CsvValue, reader: Reader): string {
  if (value === null) return ''
  if (typeof value === 'object' && 'decimal' in value) return decimalOf(value.decimal)
  if (typeof value !== 'string' && !(value instanceof Date)) return String(value)
  const text = value instanceof Date ? value.toISOString() : value
  if (reader === 'spreadsheet' && typeof value === 'string' && numberLike.test(text))
    return `"=""${text}"""`
  const safe = phoneNumber.test(text) ? text : text.replaceAll(formulaSign, "'")
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/**
 * The columns of a list, in order; `destination.country` is a nested field. Amounts are in major
 * units (`amount_decimal`). Additional columns repeat amounts in minor units (`amount_minor`) and
 * times in a time zone (`created_at_local`).
 */
export type CsvColumns = Readonly<Record<string, 'text' | 'amount' | 'time'>>

type Batch = { limit: number; after?: string }

const exportBatch = 1_000

export type CsvOptions = { reader?: Reader; rowsOf?: ((record: object) => object[]) | undefined }

/**
 * Streams a list as a table with constant memory. A refusal of its first batch refuses the export.
 * @param next returns the batch after a record, or the first
 * @param options `rowsOf`: the rows of a record, if it is not one row
 */
export async function csvOf(
  columns: CsvColumns,
  timeZone: string,
  next: (batch: Batch) => Promise<object[]>,
  { reader = 'programs', rowsOf = (record) => [record] }: CsvOptions = {},
): Promise<AsyncGenerator<string>> {
  const names = Object.keys(columns)
  const again = names.filter((name) => columns[name] !== 'text')
  const titles = [
    ...names.map((name) => (columns[name] === 'amount' ? `${name}_decimal` : name)),
    ...again.map((name) => `${name}_${columns[name] === 'amount' ? 'minor' : 'local'}`),
  ]
  const lineOf = (record: object): string =>
    csvLine(
      [
        ...names.map((name) => inMajor(valueAt(record, name), columns[name] === 'amount')),
        ...again.map((name) => localOf(valueAt(record, name), timeZone)),
      ],
      reader,
    )
  const first = await next({ limit: exportBatch })
  return (async function* () {
    yield startOf(reader) + csvLine(titles.map((title) => title.replaceAll('.', '_')))
    for (let records = first; records.length > 0; ) {
      yield records.flatMap(rowsOf).map(lineOf).join('')
      if (records.length < exportBatch) return
      records = await next({ limit: exportBatch, after: (records.at(-1) as { id: string }).id })
    }
  })()
}

function valueAt(record: object, path: string): CsvValue {
  let value: unknown = record
  for (const name of path.split('.'))
    value = (value as Record<string, unknown> | null | undefined)?.[name]
  return (value as CsvValue | undefined) ?? null
}

const inMajor = (value: CsvValue, isAmount: boolean): CsvValue =>
  isAmount && typeof value === 'bigint' ? { decimal: value } : value

const localOf = (value: CsvValue, timeZone: string): CsvValue =>
  value instanceof Date ? localTime(value, timeZone) : value

/**
 * A table that cannot be read completely: the error, its line from 1, and its column if it has one.
 */
export class CsvFault extends Error {
  readonly line: number
  readonly column: string | null

  constructor(line: number, column: string | null, said: string) {
    super(`Line ${line}${column === null ? '' : `, column ${column}`}: ${said}`)
    this.name = 'CsvFault'
    this.line = line
    this.column = column
  }
}

/**
 * A row: its line in the file, its number in a spreadsheet that opens the file, and its non-empty
 * cells by column. The numbers differ below cells that hold line breaks and below Excel's `sep=;`.
 */
export type CsvRow = { line: number; row: number; cells: Record<string, string> }

/**
 * Reads a table (RFC 4180) strictly: all of it or nothing. The first line names the columns, in any
 * case, with `_`, `-` or a blank between words. The delimiter is a comma, semicolon or tab, as in
 * the first line or in Excel's `sep=;` above it. Lines end with CR, LF or both; lines without text
 * are skipped.
 * @param columns the allowed columns
 * @param required the required columns
 * @throws {CsvFault} for an unknown, missing or repeated column, a wrong number of cells, and
 * invalid quotes
 */
export function readCsv(
  text: string,
  columns: readonly string[],
  required: readonly string[],
): CsvRow[] {
  const { delimiter, body, above } = partsOf(text)
  const texts = body.split(/\r\n|\n|\r/)
  let lastLine = 0
  /** How many lines so far go on with a cell of the line before. */
  let continued = 0
  /** Returns the line of the next record: the parser skips empty ones. */
  const begins = (): number => {
    while (texts[lastLine]?.trim() === '') lastLine++
    return lastLine + 1 + above
  }
  let head: string[] | null = null
  const rows: CsvRow[] = []
  const take = (cells: string[]): null => {
    const line = begins()
    const row = lastLine + 1 - continued
    const breaks = cells.join(' ').match(/\r\n|\n|\r/g)?.length ?? 0
    continued += breaks
    lastLine += breaks + 1
    if (head === null) head = namesOf(cells, line, columns, required)
    else if (cells.some((cell) => cell !== ''))
      rows.push({
        line,
        row,
        cells: Object.fromEntries(
          head.flatMap((name, at) => (cells[at] ? [[name, cells[at]]] : [])),
        ),
      })
    return null
  }
  try {
    parse(body, {
      delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      trim: true,
      skip_empty_lines: true,
      on_record: take,
    })
  } catch (error) {
    throw error instanceof CsvError ? faultOf(error, head, begins(), above) : error
  }
  if (head === null)
    throw new CsvFault(1, null, `there is no line that names the columns: ${columns.join(', ')}.`)
  return rows
}

/**
 * Returns the delimiter, and the table without Excel's line. `above`: the number of lines above the
 * table.
 */
function partsOf(text: string): { delimiter: string; body: string; above: number } {
  const all = text.replace(/^\uFEFF/, '')
  const said = /^"?sep=([,;\t|])"?(?:\r\n|\n|\r)/i.exec(all)
  if (said) return { delimiter: said[1] as string, body: all.slice(said[0].length), above: 1 }
  const [first = ''] = all.trimStart().split(/[\r\n]/, 1)
  const bare = first.replaceAll(/"[^"]*"/g, '')
  const delimiter = [',', ';', '\t'].toSorted(
    (a, b) => bare.split(b).length - bare.split(a).length,
  )[0] as string
  return { delimiter, body: all, above: 0 }
}

function namesOf(
  cells: string[],
  line: number,
  columns: readonly string[],
  required: readonly string[],
): string[] {
  const names = cells.map((name) => name.toLowerCase().replaceAll(/[\s-]+/g, '_'))
  for (const [at, name] of names.entries()) {
    const column = String(at + 1)
    if (!columns.includes(name))
      throw new CsvFault(
        line,
        column,
        `the column “${cells[at]?.slice(0, 60)}” is none of ${columns.join(', ')}.`,
      )
    if (names.indexOf(name) !== at)
      throw new CsvFault(line, column, `two columns are named ${name}. Keep one.`)
  }
  const missing = required.find((name) => !names.includes(name))
  if (missing !== undefined)
    throw new CsvFault(
      line,
      null,
      `the first line must name the columns, and ${missing} is none of them.`,
    )
  return names
}

/**
 * Returns the parser's error in plain words.
 * @param begins the line of the record with the error
 */
function faultOf(
  error: CsvError,
  head: readonly string[] | null,
  begins: number,
  above: number,
): CsvFault {
  const { code, column, lines, record } = error as CsvError & {
    column: number | string
    lines: number
    record?: string[]
  }
  const at = Number(column)
  const named = head?.[at] ?? String(at + 1)
  switch (code) {
    case 'CSV_RECORD_INCONSISTENT_FIELDS_LENGTH': {
      const [found, wanted] = [record?.length ?? 0, head?.length ?? 0]
      const more = 'A cell that holds the separator, as an amount may, stands in quotes.'
      return new CsvFault(
        begins,
        String(Math.min(found, wanted) + 1),
        `the line has ${found} ${found === 1 ? 'cell' : 'cells'}, and the first line names ${wanted}. ${found > wanted ? more : 'Fill in the missing cells, or leave them empty.'}`,
      )
    }
    case 'CSV_QUOTE_NOT_CLOSED':
      return new CsvFault(begins, named, 'the quote that opens here is never closed.')
    case 'CSV_INVALID_CLOSING_QUOTE':
      return new CsvFault(
        lines + above,
        named,
        `text follows a closing quote. The quoted cell begins in line ${begins}.`,
      )
    default:
      return new CsvFault(
        lines + above,
        named,
        'a quote stands inside a cell that does not begin with one. Write it twice, in a quoted cell.',
      )
  }
}

/**
 * Tables as text (RFC 4180), for spreadsheets and for programs.
 */
import { CsvError, parse } from 'csv-parse/sync'
import { localTime } from './days.ts'
import { decimalOf } from './money.ts'

/** `decimal`: an amount in minor units, which is written in major ones. */
export type CsvValue = string | number | boolean | bigint | Date | { decimal: bigint } | null

/**
 * Who reads a file. A spreadsheet takes texts of digits for numbers, unless they are written as
 * formulas.
 */
type Reader = 'programs' | 'spreadsheet'

/** One line of a table. */
export const csvLine = (values: readonly CsvValue[], reader: Reader = 'programs'): string =>
  `${values.map((value) => csvField(value, reader)).join(',')}\r\n`

/** By it Excel knows a file of UTF-8. */
const byteOrderMark = '\uFEFF'

/** Who reads a file that is for Excel, or is not. */
export const readerOf = (spreadsheet = false): Reader => (spreadsheet ? 'spreadsheet' : 'programs')

/** A file of a table that is there already: its lines, of which the first has the titles. */
export const csvFile = (
  rows: readonly (readonly CsvValue[])[],
  reader: Reader,
): AsyncGenerator<string> => chunks([startOf(reader), ...rows.map((row) => csvLine(row, reader))])

const startOf = (reader: Reader): string => (reader === 'spreadsheet' ? byteOrderMark : '')

/**
 * A text that a spreadsheet would change, since it takes it for a number: `058`, `0123456789`,
 * `+2348012345678`, `12e4`.
 */
const numberLike = /^\+?\d[\d .()-]*$|^\d+(?:\.\d+)?e\d+$/i

/** A phone number (E.164: 7 to 15 digits) is no formula that does anything: it stays as it is. */
const phoneNumber = /^\+\d(?:[ .()-]?\d){6,14}$/

/** Parts of a file that are there already, one after the other. */
export async function* chunks<T>(parts: Iterable<T>): AsyncGenerator<T> {
  yield* parts
}

/**
 * The sign of a formula at the start of a field, or at the start of what a reader that separates
 * fields by commas, semicolons, bars, tabs or lines, whatever the quotes, takes for one.
 */
const formulaSign = /(?=[=+\-@＝＋－＠])(?<=(?:^|[,;|\t\r\n])[\s"]*)|^(?=[\t\r])/g

/**
 * Writes a field. A text that a spreadsheet could read as a formula gets a `'` before its sign,
 * which keeps it text.
 */
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
 * The columns of a list, in their order; `destination.country` is a field of a field. An amount
 * stands there in major units (`amount_decimal`). After them stand once more its amounts in minor
 * units (`amount_minor`), and its times on the clocks of a time zone (`created_at_local`).
 */
export type CsvColumns = Readonly<Record<string, 'text' | 'amount' | 'time'>>

type Batch = { limit: number; after?: string }

const exportBatch = 1_000

export type CsvOptions = { reader?: Reader; rowsOf?: ((record: object) => object[]) | undefined }

/**
 * A list as a table, made while it is sent: memory does not grow with the list. What its first
 * batch is refused with, it is refused with.
 * @param next a batch of records that come after one, or the first
 * @param options `rowsOf`: the rows of a record, where it is not one row as it stands
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
 * A table that cannot be read whole: what is wrong, with its line, counted from 1, and its column
 * where it is of one.
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
 * A line of a table: its number in the file, and the cells that are not empty, by the name of their
 * column.
 */
export type CsvRow = { line: number; cells: Record<string, string> }

/**
 * Reads a table (RFC 4180) strictly: all of it, or nothing. Its first line names its columns, in
 * any case, with `_`, `-` or a blank between words. Cells stand between commas, semicolons or tabs,
 * whichever the first line has, or what Excel's `sep=;` above it says; lines end with CR, LF or
 * both. Lines without any text are left out.
 * @param columns the names that there may be
 * @param required those that there must be
 * @throws {CsvFault} for a column that is unknown, missing or there twice, for a line with more or
 * fewer cells, and for quotes that do not fit
 */
export function readCsv(
  text: string,
  columns: readonly string[],
  required: readonly string[],
): CsvRow[] {
  const { delimiter, body, above } = partsOf(text)
  const texts = body.split(/\r\n|\n|\r/)
  let lastLine = 0
  /** The line on which the next record begins: the parser leaves empty ones out. */
  const begins = (): number => {
    while (texts[lastLine]?.trim() === '') lastLine++
    return lastLine + 1 + above
  }
  let head: string[] | null = null
  const rows: CsvRow[] = []
  const take = (cells: string[], { lines }: { lines: number }): null => {
    const line = begins()
    lastLine = lines
    if (head === null) head = namesOf(cells, line, columns, required)
    else if (cells.some((cell) => cell !== ''))
      rows.push({
        line,
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
 * What separates cells, and the table below Excel's line about it. `above`: how many lines stand
 * above the table.
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
 * What the parser found, as people say it. @param begins the line on which the record begins that
 * it stopped in
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

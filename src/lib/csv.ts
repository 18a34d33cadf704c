/**
 * Tables as text (RFC 4180), for spreadsheets and for programs.
 */
import { localTime } from './days.ts'
import { decimalOf } from './money.ts'

/** `decimal`: an amount in minor units, which is written in major ones. */
export type CsvValue = string | number | boolean | bigint | Date | { decimal: bigint } | null

/** One line of a table. */
export const csvLine = (values: readonly CsvValue[]): string => `${values.map(csvField).join(',')}\r\n`

/** Parts of a file that are there already, one after the other. */
export async function* chunks<T>(parts: Iterable<T>): AsyncGenerator<T> {
  yield* parts
}

/**
 * The sign of a formula at the start of a field, or at the start of what a reader that separates fields by semicolons, tabs or lines, whatever
 * the quotes, takes for one.
 */
const formulaSign = /(?=[=+\-@＝＋－＠])(?<=(?:^|[;\t\r\n])[\s"]*)|^(?=[\t\r])/g

/** Writes a field. A text that a spreadsheet could read as a formula gets a `'` before its sign, which keeps it text. */
function csvField(value: CsvValue): string {
  if (value === null) return ''
  if (typeof value === 'object' && 'decimal' in value) return decimalOf(value.decimal)
  if (typeof value !== 'string' && !(value instanceof Date)) return String(value)
  const text = value instanceof Date ? value.toISOString() : value
  const safe = text.replaceAll(formulaSign, "'")
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/**
 * The columns of a list, in their order; `destination.country` is a field of a field. After them stand once more, for people, its amounts in
 * major units (`amount_decimal`) and its times on the clocks of a time zone (`created_at_local`).
 */
export type CsvColumns = Readonly<Record<string, 'text' | 'amount' | 'time'>>

type Batch = { limit: number; after?: string }

const exportBatch = 1_000

/**
 * A list as a table, made while it is sent: memory does not grow with the list. What its first batch is refused with, it is refused with.
 * @param next a batch of records that come after one, or the first
 */
export async function csvOf(
  columns: CsvColumns,
  timeZone: string,
  next: (batch: Batch) => Promise<object[]>,
): Promise<AsyncGenerator<string>> {
  const names = Object.keys(columns)
  const readable = names.filter((name) => columns[name] !== 'text')
  const titles = [...names, ...readable.map((name) => `${name}_${columns[name] === 'amount' ? 'decimal' : 'local'}`)]
  const lineOf = (record: object): string =>
    csvLine([
      ...names.map((name) => valueAt(record, name)),
      ...readable.map((name) => forPeople(valueAt(record, name), timeZone)),
    ])
  const first = await next({ limit: exportBatch })
  return (async function* () {
    yield csvLine(titles.map((title) => title.replaceAll('.', '_')))
    for (let records = first; records.length > 0; ) {
      yield records.map(lineOf).join('')
      if (records.length < exportBatch) return
      records = await next({ limit: exportBatch, after: (records.at(-1) as { id: string }).id })
    }
  })()
}

function valueAt(record: object, path: string): CsvValue {
  let value: unknown = record
  for (const name of path.split('.')) value = (value as Record<string, unknown> | null | undefined)?.[name]
  return (value as CsvValue | undefined) ?? null
}

function forPeople(value: CsvValue, timeZone: string): CsvValue {
  if (typeof value === 'bigint') return decimalOf(value)
  return value instanceof Date ? localTime(value, timeZone) : value
}

/**
 * Reads a table (RFC 4180), whose first line names its columns. What parts them is a comma, a semicolon or a tab, whichever the first line
 * has; empty lines at the end are left out.
 * @returns the fields of each line, without the blanks around them
 */
export function readCsv(text: string): string[][] {
  const all = text.replace(/^\uFEFF/, '')
  const [head = ''] = all.split(/\r?\n/, 1)
  const parts = [',', ';', '\t'].toSorted((a, b) => head.split(b).length - head.split(a).length)[0] as string
  const rows: string[][] = [[]]
  let field = ''
  let quoted = false
  const end = (): void => {
    rows.at(-1)?.push(field.trim())
    field = ''
  }
  for (let i = 0; i < all.length; i++) {
    const letter = all[i] as string
    if (quoted && letter === '"' && all[i + 1] === '"') field += all[++i]
    else if (letter === '"' && (quoted || field.trim() === '')) quoted = !quoted
    else if (quoted) field += letter
    else if (letter === parts) end()
    else if (letter === '\n') {
      end()
      rows.push([])
    } else field += letter
  }
  end()
  while (rows.at(-1)?.every((one) => one === '')) rows.pop()
  return rows
}

/**
 * Tables as text (RFC 4180), for spreadsheets and for programs.
 */
import { localTime } from './days.ts'
import { decimalOf } from './money.ts'

export type CsvValue = string | number | boolean | bigint | Date | null

/** One line of a table. */
export const csvLine = (values: readonly CsvValue[]): string => `${values.map(csvField).join(',')}\r\n`

/** A field that a spreadsheet could read as a formula is kept as text by a quote before it. */
function csvField(value: CsvValue): string {
  if (value === null) return ''
  if (typeof value !== 'string' && !(value instanceof Date)) return String(value)
  const text = value instanceof Date ? value.toISOString() : value
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/**
 * The columns of a list, in their order. After them stand once more, for people, its amounts in major units (`amount_decimal`) and its
 * times on the clocks of a time zone (`created_at_local`).
 */
export type CsvColumns = Readonly<Record<string, 'text' | 'amount' | 'time'>>

const exportBatch = 1_000

/**
 * A list as a table, made while it is sent: memory does not grow with the list.
 * @param next a batch of records that come after one, or the first
 */
export async function* csvOf(
  columns: CsvColumns,
  timeZone: string,
  next: (batch: { limit: number; after?: string }) => Promise<object[]>,
): AsyncGenerator<string> {
  const names = Object.keys(columns)
  const readable = names.filter((name) => columns[name] !== 'text')
  const suffix = (name: string): string => (columns[name] === 'amount' ? 'decimal' : 'local')
  let head = csvLine([...names, ...readable.map((name) => `${name}_${suffix(name)}`)])
  for (let after: string | undefined; ; ) {
    const records = await next({ limit: exportBatch, ...(after === undefined ? {} : { after }) })
    const lines = records.map((record) => {
      const values = record as Record<string, CsvValue | undefined>
      return csvLine([
        ...names.map((name) => values[name] ?? null),
        ...readable.map((name) => forPeople(values[name] ?? null, timeZone)),
      ])
    })
    yield head + lines.join('')
    head = ''
    after = (records.at(-1) as { id: string } | undefined)?.id
    if (records.length < exportBatch) return
  }
}

function forPeople(value: CsvValue, timeZone: string): CsvValue {
  if (typeof value === 'bigint') return decimalOf(value)
  return value instanceof Date ? localTime(value, timeZone) : value
}

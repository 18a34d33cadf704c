/**
 * Sanctions lists in a file that the operator refreshes: addresses, accounts and names, as JSON or
 * CSV. Read when the server starts and after each change; if it becomes unreadable, the last good
 * version stays in use.
 */
import { readFileSync, statSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { ConfigError } from '../../lib/config.ts'
import { CsvFault, readCsv } from '../../lib/csv.ts'
import { decodeText } from '../../lib/encoding.ts'
import type { Log } from '../../lib/log.ts'
import { keyOf, keysOf, type Screen, type ScreenHit } from '../ports/screen.ts'

const setting = 'SCREENING_FILE'
/** The shortest interval between checks for a changed file. */
const lookMs = 1_000
const columns = ['type', 'value', 'bank_code', 'list', 'reason']
const types = ['address', 'account', 'name'] as const
type EntryType = (typeof types)[number]

type Found = Pick<ScreenHit, 'list' | 'reason'>
type Lists = { entries: Map<string, Found[]>; count: number; updatedAt: Date }

/**
 * Opens the lists of a file.
 * @throws {ConfigError} one line with the error
 */
export function openScreenFile(file: string, log: Log): Screen {
  const versionOf = ({ mtimeMs, size, ino }: { mtimeMs: number; size: number; ino: number }) =>
    `${mtimeMs} ${size} ${ino}`
  let lists: Lists
  let version: string
  try {
    const stats = statSync(file)
    version = versionOf(stats)
    lists = readLists(decodeText(readFileSync(file)), stats.mtime)
  } catch (error) {
    throw new ConfigError(`${setting} '${file}': ${(error as Error).message}`)
  }
  let looked = performance.now()
  let reading: Promise<void> | null = null
  let fault: string | null = null
  const look = async (): Promise<void> => {
    try {
      const stats = await stat(file)
      if (versionOf(stats) === version) return
      const read = readLists(decodeText(await readFile(file)), stats.mtime)
      lists = read
      version = versionOf(stats)
      fault = null
      log.info({ file, entries: read.count }, 'the lists of screening were read again')
    } catch (error) {
      if (fault === null)
        log.error(
          { err: error, file },
          'the lists of screening cannot be read again: the last stay in use',
        )
      fault = (error as Error).message
    } finally {
      looked = performance.now()
      reading = null
    }
  }
  const lookAgain = (): void => {
    if (performance.now() - looked >= lookMs) reading ??= look()
  }
  return {
    name: 'file',
    async ask(subject) {
      lookAgain()
      await reading
      return [...keysOf(subject)].flatMap(([key, of]) =>
        (lists.entries.get(key) ?? []).map((one) => ({ ...of, ...one })),
      )
    },
    state() {
      lookAgain()
      return { source: file, entries: lists.count, updatedAt: lists.updatedAt, fault }
    },
  }
}

/**
 * Parses lists: as JSON `{updated_at?, entries: [{type, value, bank_code?, list?, reason?}]}`,
 * otherwise as CSV with these names in its first line.
 * @param writtenAt the date of lists without one
 * @throws {Error} naming the invalid entry
 */
export function readLists(text: string, writtenAt: Date): Lists {
  const { rows, updated_at } = text.trimStart().startsWith('{')
    ? fromJson(text)
    : { rows: fromCsv(text), updated_at: null }
  const updatedAt = updated_at === null ? writtenAt : new Date(updated_at)
  if (Number.isNaN(updatedAt.getTime())) throw new Error('updated_at is not a time')
  const entries = new Map<string, Found[]>()
  for (const [at, row] of rows.entries()) {
    const fault = (said: string): never => {
      throw new Error(`entry ${at + 1}: ${said}`)
    }
    const textOf = (name: string): string | undefined => {
      const value = row[name]
      if (value === undefined || value === null || value === '') return undefined
      return typeof value === 'string' ? value.trim() : fault(`${name} must be text`)
    }
    const type = textOf('type') as EntryType
    const value = textOf('value') ?? fault('value is missing')
    if (!types.includes(type)) fault(`type must be one of ${types.join(', ')}`)
    const key = type === 'account' ? keyOf.account(value, textOf('bank_code')) : keyOf[type](value)
    if (key.endsWith(':')) fault('value has no letter and no digit')
    const found = entries.get(key) ?? []
    found.push({ list: textOf('list') ?? 'sanctions', reason: textOf('reason') ?? null })
    entries.set(key, found)
  }
  return { entries, count: rows.length, updatedAt }
}

type Row = Record<string, unknown>

function fromJson(text: string): { rows: Row[]; updated_at: string | null } {
  let given: { entries?: unknown; updated_at?: unknown }
  try {
    given = JSON.parse(text)
  } catch {
    // The parser's message would quote the file.
    throw new Error('is not JSON')
  }
  const { entries, updated_at = null } = given
  if (!Array.isArray(entries) || entries.some((one) => typeof one !== 'object' || one === null))
    throw new Error('entries must be a list of objects')
  if (updated_at !== null && typeof updated_at !== 'string')
    throw new Error('updated_at must be text')
  return { rows: entries, updated_at }
}

function fromCsv(text: string): Row[] {
  try {
    return readCsv(text, columns, ['type', 'value']).map(({ cells }) => cells)
  } catch (error) {
    // The message about the first line would quote it, and the file may be a wrong one.
    if (error instanceof CsvFault && error.line === 1)
      throw new Error(
        `line 1 must name the columns type and value, and of bank_code, list and reason those that there are`,
      )
    throw error
  }
}

/** `CELLS_FILE`: the cells of an installation, and what each has for itself. */
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { cellLetter } from '../../lib/cells.ts'
import { ConfigError, textOf } from '../../lib/config.ts'

export type Cell = {
  letter: string
  /** Whether new businesses may go there. */
  accepts: boolean
  /** Settings of its processes, by their names in the environment: `DATABASE_URL` at least. */
  settings: Readonly<Record<string, string>>
  /** The names of its accounts at providers, in both modes: what providers send names one. */
  accounts: readonly string[]
}

type Env = Record<string, string | undefined>
type Json = Record<string, unknown>

const fieldsOf: Record<string, string> = {
  database_url: 'DATABASE_URL',
  migrate_database_url: 'MIGRATE_DATABASE_URL',
  direct_database_url: 'DIRECT_DATABASE_URL',
  read_url: 'READ_URL',
  rails_file: 'RAILS_FILE',
  evm_file: 'EVM_FILE',
}

/** What only one cell can be: two would spend from one account, or give one address to two. */
const apart = ['DATABASE_URL', 'READ_URL', 'RAILS_FILE', 'EVM_FILE']

/**
 * The cells that the environment names, the first one first; null without `CELLS_FILE`.
 * @throws {ConfigError} one line that says what is wrong with the file, without secrets
 */
export function readCells(env: Env): Cell[] | null {
  const file = textOf(env, 'CELLS_FILE')
  if (file === '') return null
  const fault = (what: string): never => {
    throw new ConfigError(`CELLS_FILE '${file}': ${what}`)
  }
  const given = readJson(file, fault)
  if (!isObject(given.cells) || Object.keys(given.cells).length === 0)
    return fault('cells must be an object with a cell for each letter')
  const cells = Object.entries(given.cells).map(([letter, of]) => readCell(letter, of, env, fault))
  for (const name of apart) {
    const known = new Map<string, string>()
    for (const { letter, settings } of cells) {
      const value = settings[name]
      if (value === undefined) continue
      const other = known.get(value)
      if (other !== undefined) fault(`cells ${other} and ${letter} have the same ${name}`)
      known.set(value, letter)
    }
  }
  const owners = new Map<string, string>()
  for (const { letter, accounts } of cells)
    for (const name of accounts) {
      const other = owners.get(name)
      if (other !== undefined)
        fault(`the account '${name}' is in the RAILS_FILE of cells ${other} and ${letter}`)
      owners.set(name, letter)
    }
  return cells
}

/** Which version of the file is there now: another text when it was changed. */
export function versionOf(env: Env): string {
  const file = textOf(env, 'CELLS_FILE')
  const stat = file !== '' ? statSync(file, { throwIfNoEntry: false }) : undefined
  return stat ? `${stat.ino} ${stat.mtimeMs} ${stat.size}` : 'missing'
}

/** A cell as the file has it: `env:NAME` stands for what the environment has. */
export type CellEntry = { accepts?: boolean } & Record<string, string | boolean>

/**
 * Changes the file: whoever reads it finds it as it was, or as it is afterwards.
 * @param change is given the cells by their letters, and changes them
 * @param how `only look`: whether it could be changed so
 * @throws {ConfigError} when it would be wrong afterwards, or cannot be written
 */
export function changeCells(
  env: Env,
  change: (cells: Record<string, CellEntry>) => void,
  how: 'now' | 'only look' = 'now',
): void {
  const file = textOf(env, 'CELLS_FILE')
  const fault = (what: string): never => {
    throw new ConfigError(`CELLS_FILE '${file}': ${what}`)
  }
  const given = readJson(file, fault) as { cells: Record<string, CellEntry> }
  change(given.cells)
  const text = `${JSON.stringify(given, null, 2)}\n`
  const draft = `${file}.${process.pid}.draft`
  try {
    writeFileSync(draft, text, { mode: statSync(file).mode & 0o777, flush: true })
    readCells({ ...env, CELLS_FILE: draft })
    if (how === 'now') renameSync(draft, file)
  } catch (error) {
    if (error instanceof ConfigError) throw new ConfigError(error.message.replaceAll(draft, file))
    fault(
      `cannot be written (${(error as NodeJS.ErrnoException).code}): write it by hand:\n${text}`,
    )
  } finally {
    rmSync(draft, { force: true })
  }
}

type Fault = (what: string) => never

function readJson(file: string, fault: Fault): Json {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    return fault(`cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
  try {
    const given = JSON.parse(text) as unknown
    return isObject(given) ? given : fault('must be an object')
  } catch (error) {
    if (error instanceof ConfigError) throw error
    // The message quotes the file, which may have secrets in it.
    return fault('is not JSON')
  }
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function readCell(letter: string, of: unknown, env: Env, fault: Fault): Cell {
  if (!cellLetter.test(letter)) fault(`'${letter}' is no name of a cell: one lower-case letter is`)
  if (!isObject(of)) return fault(`${letter} must be an object`)
  const settings: Record<string, string> = {}
  for (const [field, value] of Object.entries(of)) {
    if (field === 'accepts') continue
    const name = fieldsOf[field]
    if (name === undefined)
      fault(
        `${letter}: ${field} is no field; there are accepts, ${Object.keys(fieldsOf).join(', ')}`,
      )
    if (typeof value !== 'string' || value === '') fault(`${letter}: ${field} must be text`)
    settings[name as string] = readValue(`${letter}: ${field}`, value as string, env, fault)
  }
  if (settings.DATABASE_URL === undefined) fault(`${letter}: database_url is missing`)
  if (of.accepts !== undefined && typeof of.accepts !== 'boolean')
    fault(`${letter}: accepts must be true or false`)
  const rails = settings.RAILS_FILE
  return {
    letter,
    accepts: of.accepts !== false,
    settings,
    accounts: rails === undefined ? [] : accountsIn(rails, fault),
  }
}

/** `env:NAME` is the setting of that name; anything else is itself. */
function readValue(place: string, value: string, env: Env, fault: Fault): string {
  if (!value.startsWith('env:')) return value
  return (
    textOf(env, value.slice(4)) ||
    fault(`${place}: the environment has no ${value.slice(4)}, or it is empty`)
  )
}

/** The names alone: each cell's own server checks the file. */
function accountsIn(file: string, fault: Fault): string[] {
  const given = readJson(file, (what) => fault(`RAILS_FILE '${file}': ${what}`))
  const names = ['live', 'test'].flatMap((mode) => {
    const accounts = isObject(given[mode]) ? given[mode].accounts : null
    return isObject(accounts) ? Object.keys(accounts) : []
  })
  return [...new Set(names)]
}

/**
 * The environment of a command: that of the cell that `CELL` names, the first one where it names
 * none.
 * @param use for a new business it is the first that takes any
 * @throws {ConfigError}
 */
export function environmentOf(
  env: NodeJS.ProcessEnv,
  use: 'for what is there' | 'for a new business' = 'for what is there',
): NodeJS.ProcessEnv {
  const cells = readCells(env)
  if (cells === null) return env
  const taking = use === 'for a new business' ? cells.filter(({ accepts }) => accepts) : cells
  if (taking.length === 0) throw new ConfigError('CELLS_FILE: no cell takes new businesses')
  const letter = textOf(env, 'CELL') || (taking[0] as Cell).letter
  const cell = cells.find((one) => one.letter === letter)
  if (cell === undefined)
    throw new ConfigError(
      `CELL '${letter}': CELLS_FILE has ${cells.map((one) => one.letter).join(', ')}`,
    )
  if (!taking.includes(cell))
    throw new ConfigError(`CELL '${letter}' takes no new businesses: CELLS_FILE says so`)
  return { ...env, ...cell.settings, CELL: letter }
}

/**
 * Tables as values: column names, row types, and statements that are alike for all tables. Modules
 * write all other statements as SQL.
 */
import { toJson } from '../lib/json.ts'
import { arrayText } from './arrays.ts'
import { byAsker } from './batch.ts'
import {
  type OwnStatement,
  type Queryable,
  replanned,
  rowsOf,
  type Statement,
  sql,
  sqlOfMany,
  type Tx,
} from './db.ts'

/**
 * A column: its PostgreSQL type and the type of its values. A new row may omit a `defaulted`
 * column.
 */
type Column<T, D extends boolean = false> = { type: string; defaulted: D; of?: T }

const column = <T>(type: string): Column<T> => ({ type, defaulted: false })

export const text = <T extends string = string>() => column<T>('text')
export const texts = <T extends string = string>() => column<T[]>('text[]')
export const bigint = () => column<bigint>('bigint')
export const integer = () => column<number>('integer')
export const numeric = () => column<string>('numeric')
export const boolean = () => column<boolean>('boolean')
export const time = () => column<Date>('timestamptz')
export const date = () => column<string>('date')
export const bytes = () => column<Buffer>('bytea')
/** Given as a value, stored as JSON. */
export const json = <T>() => column<T>('jsonb')
export const nullable = <T, D extends boolean>(of: Column<T, D>): Column<T | null, D> =>
  of as Column<T | null, D>
/** A column that the database fills if a new row omits it. */
export const defaulted = <T>({ type }: Column<T>): Column<T, true> => ({ type, defaulted: true })

type Columns = Record<string, Column<unknown, boolean>>
type Values<C extends Columns> = {
  [K in keyof C]: C[K] extends Column<infer T, boolean> ? T : never
}
type Row<C extends Columns> = Values<C> & { livemode: boolean }
type DefaultedOf<C extends Columns> = {
  [K in keyof C]: C[K]['defaulted'] extends true ? K : never
}[keyof C]

/**
 * A table of businesses and modes. Every key begins with `business_id` and `livemode`, which are
 * not listed.
 */
export type Table<C extends Columns = Columns> = {
  name: string
  columns: C
  statements: Map<string, Statement<unknown>>
}

export type RowOf<T> = T extends Table<infer C> ? Row<C> : never

/** A row to insert. */
export type NewRowOf<T> =
  T extends Table<infer C>
    ? Omit<Values<C>, DefaultedOf<C>> & Partial<Pick<Values<C>, DefaultedOf<C>>>
    : never

/** Declares a table. */
export function table<const C extends Columns>(name: string, columns: C): Table<C> {
  return { name, columns, statements: new Map() }
}

/** Returns the column list of a select. */
export function columnsOf(of: Table): string {
  const [first, ...others] = Object.keys(of.columns)
  return [first, 'livemode', ...others].join(', ')
}

/**
 * Declares the statement that reads a row by id.
 * @param how a constant that follows: a condition or a lock
 */
export function byId<C extends Columns>(of: Table<C>, how = ''): OwnStatement<Row<C>> {
  const text = `select ${columnsOf(of)} from ${of.name} where business_id = $1 and livemode = $2 and id = $3 ${how}`
  return sql(`${of.name}.by_id ${how}`, text)
}

export const locked = 'for no key update'

/**
 * Declares the statement that locks rows of many businesses by id. It locks in key order, to avoid
 * deadlocks; `asker` is the position of the requested id, from 1.
 */
export function lockedByIds<C extends Columns>(
  of: Table<C>,
): Statement<Row<C> & { asker: number }> {
  const columns = columnsOf(of).split(', ')
  return replanned(
    sqlOfMany(
      `${of.name}.locked_by_ids`,
      `select asker::integer as asker, ${columns.map((name) => `found.${name}`).join(', ')}
       from unnest($1::text[], $2::boolean[], $3::text[]) with ordinality as asked (business_id, livemode, id, asker)
       join ${of.name} found using (business_id, livemode, id)
      order by business_id, livemode, id for no key update of found`,
    ),
  )
}

/** The business and mode of a row. */
export type Owner = { businessId: string; livemode: boolean }

/** A requested row. */
export type OwnedId = { scope: Owner; id: string }

/** Returns the requested keys as arrays: businesses, modes and ids. */
export const idArraysOf = (asked: OwnedId[]): unknown[][] => [
  asked.map(({ scope }) => scope.businessId),
  asked.map(({ scope }) => scope.livemode),
  asked.map(({ id }) => id),
]

/**
 * Returns a function that reads rows of many businesses by id, in the order of the request; null
 * for missing rows. The inner limit makes PostgreSQL look up each id by index. The inner selects
 * hide the lengths of the arrays, so that one generic plan serves all. A plan from before the first
 * analyze may scan a whole business; analyze replaces it.
 */
export function readByIds<C extends Columns>(
  of: Table<C>,
): (reader: Queryable, asked: OwnedId[]) => Promise<(Row<C> | null)[]> {
  const statement = sqlOfMany<Row<C> & { asker: number }>(
    `${of.name}.by_ids`,
    `select asked.asker::integer, found.*
       from unnest((select $1::text[]), (select $2::boolean[]), (select $3::text[]))
            with ordinality as asked (business_id, livemode, id, asker)
      cross join lateral (select ${columnsOf(of)} from ${of.name} one
                           where one.business_id = asked.business_id and one.livemode = asked.livemode and one.id = asked.id
                           limit 1) found`,
  )
  return async (reader, asked) =>
    byAsker(await reader.rows(statement, idArraysOf(asked)), asked.length) as (Row<C> | null)[]
}

/** A row to insert, with its business and mode. */
export type OwnedRow<T> = { scope: Owner; row: NewRowOf<T> }

/** Inserts rows of many businesses in one statement. All must omit the same columns. */
export async function insertMany<C extends Columns>(
  tx: Tx,
  into: Table<C>,
  rows: OwnedRow<Table<C>>[],
): Promise<void> {
  if (rows.length > 0) await insertRows(tx, into, rows, '')
}

/**
 * Inserts a row.
 * @param conflict the text after `on conflict`; a constant of the caller
 * @returns the stored row, or null if `conflict` skipped it
 */
export async function insertOne<C extends Columns>(
  tx: Tx,
  into: Table<C>,
  row: OwnedRow<Table<C>>,
  conflict?: string,
): Promise<Row<C> | null> {
  const end = `${conflict === undefined ? '' : `on conflict ${conflict} `}returning ${columnsOf(into)}`
  return (await insertRows(tx, into, [row], end))[0] ?? null
}

function insertRows<C extends Columns>(
  tx: Tx,
  into: Table<C>,
  rows: OwnedRow<Table<C>>[],
  end: string,
): Promise<Row<C>[]> {
  const values = rows.map(({ row }) => row as Record<string, unknown>)
  const columns = Object.entries(into.columns).filter(([name]) => values[0]?.[name] !== undefined)
  const names = columns.map(([name]) => name)
  const statement = statementOf(into, `insert ${names} ${end}`, (name) => {
    const typed = columns.map(([column, { type }]) => `${column} ${type}`)
    const text = `insert into ${into.name} (business_id, livemode, ${names.join(', ')})
     ${rowsOf(['business_id text', 'livemode boolean', ...typed].join(', '))} ${end}`
    return sqlOfMany(name, text)
  })
  return tx.rows(statement, [
    rows.map(({ scope }) => scope.businessId),
    rows.map(({ scope }) => scope.livemode),
    ...columns.map(([name, { type }]) => values.map((row) => arrayElement(type, row[name]))),
  ]) as Promise<Row<C>[]>
}

/**
 * Updates columns of the row with this id. Undefined values leave their columns as they are.
 * @returns the updated row, or null if it does not exist
 * @throws {Error} for a name that is no column, or if nothing changes
 */
export async function updateById<C extends Columns>(
  tx: Tx,
  of: Table<C>,
  scope: Owner,
  id: string,
  changes: Partial<Values<C>>,
): Promise<Row<C> | null> {
  const names = changedColumns(of, changes)
  const statement = statementOf(of, `update ${names}`, (name) => {
    const set = names.map((column, i) => `${column} = $${i + 4}`)
    const text = `update ${of.name} set ${set.join(', ')}
      where business_id = $1 and livemode = $2 and id = $3 returning ${columnsOf(of)}`
    return sqlOfMany(name, text)
  })
  const values = names.map((name) => {
    const value = (changes as Record<string, unknown>)[name]
    return of.columns[name]?.type === 'jsonb' ? arrayElement('jsonb', value) : value
  })
  return (await tx.row(statement, [
    scope.businessId,
    scope.livemode,
    id,
    ...values,
  ])) as Row<C> | null
}

/**
 * Returns the changed columns in the order of the table. Only the table's names reach the SQL,
 * never a request's, and few different statements exist.
 */
function changedColumns(of: Table, changes: Record<string, unknown>): string[] {
  const names = Object.keys(of.columns).filter((name) => changes[name] !== undefined)
  const unknown = Object.keys(changes).find((name) => !(name in of.columns))
  if (unknown !== undefined || names.length === 0)
    throw new Error(
      `an update of ${of.name} must change columns of it${unknown === undefined ? '' : `, not '${unknown}'`}`,
    )
  return names
}

/** A change of a row, with its business and mode. */
export type OwnedChange<T> = {
  scope: Owner
  id: string
  changes: T extends Table<infer C> ? Partial<Values<C>> : never
}

/**
 * Updates rows of many businesses by id, with one statement per set of columns. No row may occur
 * twice.
 * @returns the updated rows in the order of the changes; null for missing rows
 * @throws {Error} as `updateById`
 */
export async function updateMany<C extends Columns>(
  tx: Tx,
  of: Table<C>,
  changes: OwnedChange<Table<C>>[],
): Promise<(Row<C> | null)[]> {
  const found: (Row<C> | null)[] = changes.map(() => null)
  const alike = Map.groupBy(changes.keys(), (place) =>
    changedColumns(of, changes[place]?.changes ?? {}).join(', '),
  )
  for (const [key, places] of alike) {
    const names = key.split(', ')
    // A plan made while the table was small would scan a large table.
    const statement = statementOf(of, `update many ${key}`, (name) => {
      const given = names.map((column) => `new_${column} ${of.columns[column]?.type}`)
      const text = `update ${of.name} set ${names.map((column) => `${column} = given.new_${column}`).join(', ')}
        from ${rowsOf(['asker integer', 'of_business text', 'of_livemode boolean', 'of_id text', ...given].join(', '))} given
        where business_id = given.of_business and livemode = given.of_livemode and id = given.of_id
        returning given.asker, ${columnsOf(of)}`
      return replanned(sqlOfMany(name, text))
    })
    const own = places.map((place) => changes[place] as OwnedChange<Table<C>>)
    const values = own.map((one) => one.changes as Record<string, unknown>)
    const rows = await tx.rows(statement, [
      places,
      ...idArraysOf(own),
      ...names.map((name) =>
        values.map((one) => arrayElement(of.columns[name]?.type ?? '', one[name])),
      ),
    ])
    for (const { asker, ...row } of rows as (Row<C> & { asker: number })[])
      found[asker] = row as unknown as Row<C>
  }
  return found
}

/**
 * Returns the table's statement for this key, always the same object, because caches are keyed by
 * it.
 */
function statementOf(
  { name, statements }: Table,
  key: string,
  make: (name: string) => Statement<unknown>,
): Statement<unknown> {
  const known = statements.get(key)
  if (known) return known
  const made = make(`${name}: ${statements.size}`)
  statements.set(key, made)
  return made
}

/** Encodes a value as an element of an array of the column's type. */
function arrayElement(type: string, value: unknown): unknown {
  if (value === null) return null
  if (type === 'jsonb') return toJson(value)
  if (type === 'text[]') return arrayText(value as unknown[])
  return value
}

/** Encrypted columns and their keys: which keys are in use, and key rotation while servers run. */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Keyring,
  type MasterKey,
  type Purpose,
  seal,
  sealedPrefix,
  unseal,
} from '../lib/secrets.ts'
import {
  type Database,
  replanned,
  rowsOf,
  type Statement,
  sqlOfAll,
  sqlOfMany,
  transaction,
} from './db.ts'

/** The primary key of a row. */
type Keyed<Key extends string> = Record<Key | 'business_id', string> & { livemode: boolean }

/**
 * A value that is not encrypted under the current key; null if there is none, or the current key
 * was used.
 */
type FoundValue = { sealed: Buffer | null }

/** A column with encrypted values or nulls. */
export type SealedColumn = {
  name: string
  /** The table's primary key. */
  key: string[]
  purpose: Purpose
  ownerOf(row: Keyed<string>): string
  select: Statement<FoundValue>
  replace: Statement<object>
  count: Statement<{ key_id: string | null; rows: bigint }>
}

/**
 * Declares an encrypted column.
 * @param key the columns of the primary key after business and mode; all are texts
 * @param ofServer for a table that belongs to no business: whether its key begins with the mode
 * @param ownerOf the record that the value of a row is bound to
 */
export function sealedColumn<const Key extends string>(of: {
  table: string
  column: string
  key: Key[]
  ofServer?: 'with a mode' | 'without a mode'
  purpose: Purpose
  ownerOf(row: Keyed<Key>): string
}): SealedColumn {
  const { table, column, purpose, ownerOf } = of
  const name = `${table}.${column}`
  const key = [
    ...(of.ofServer ? [] : ['business_id']),
    ...(of.ofServer === 'without a mode' ? [] : ['livemode']),
    ...of.key,
  ]
  const typeOf = (one: string): string => (one === 'livemode' ? 'boolean' : 'text')
  const names = key.join(', ')
  const after = key.map((one, i) => `$${i + 1}::${typeOf(one)}`).join(', ')
  const prefix = `$${key.length + 1}::bytea`
  const values = key.map((one) => `${one} ${typeOf(one)}`).join(', ')
  return {
    name,
    key,
    purpose,
    ownerOf,
    select: replanned(
      sqlOfAll(
        `sealed.select ${name}`,
        `select ${names}, case when substring(${column} from 1 for octet_length(${prefix})) <> ${prefix} then ${column} end as sealed
           from ${table}
          where (${names}) > (${after})
          order by ${names} limit $${key.length + 2}`,
      ),
    ),
    // Skips rows that others are writing and keeps their new values: another pass checks these.
    replace: replanned(
      sqlOfMany(
        `sealed.replace ${name}`,
        `with free as (
           select ${names}, new.resealed
             from ${rowsOf(`${values}, sealed bytea, resealed bytea`)} as new
             join ${table} t using (${names})
            where t.${column} = new.sealed
              for no key update of t skip locked
         )
         update ${table} t set ${column} = free.resealed
           from free
          where ${key.map((one) => `t.${one} = free.${one}`).join(' and ')}
         returning true as done`,
      ),
    ),
    count: sqlOfAll(
      `sealed.count ${name}`,
      `select case get_byte(${column}, 0) when 2 then encode(substring(${column} from 2 for 8), 'hex') end as key_id, count(*) as rows
         from ${table} where ${column} is not null group by 1 order by 1`,
    ),
  }
}

/** The result of one pass. `left`: skipped because others were writing them. */
type Pass = { sealed: number; left: number; unreadable: number }

const pageRows = 500

/**
 * Goes through a column once, in key order, and re-encrypts values that are not under the current
 * key.
 */
async function resealColumn(
  db: Database,
  keys: Keyring,
  column: SealedColumn,
  onPage: (sealed: number) => void,
): Promise<Pass> {
  const prefix = sealedPrefix(keys[0])
  const pass: Pass = { sealed: 0, left: 0, unreadable: 0 }
  let place: unknown[] = column.key.map((one) => (one === 'livemode' ? false : ''))
  for (;;) {
    const rows = (await db.rows(column.select, [...place, prefix, pageRows])) as (FoundValue &
      Keyed<string>)[]
    const places = rows.map((row) =>
      column.key.map((name) => (row as Record<string, unknown>)[name]),
    )
    const changes = rows.flatMap((row, i) => {
      if (row.sealed === null) return []
      const resealed = reseal(keys, column, row, row.sealed)
      if (resealed === null) pass.unreadable++
      return resealed ? [[...(places[i] as unknown[]), row.sealed, resealed]] : []
    })
    if (changes.length > 0) {
      const arrays = (changes[0] as unknown[]).map((_, at) => changes.map((change) => change[at]))
      const done = await db.rows(column.replace, arrays)
      pass.sealed += done.length
      pass.left += changes.length - done.length
      onPage(pass.sealed)
    }
    if (rows.length < pageRows) return pass
    place = places.at(-1) as unknown[]
  }
}

/** @returns null if no key decrypts the value */
function reseal(
  keys: Keyring,
  column: SealedColumn,
  row: FoundValue & Keyed<string>,
  sealed: Buffer,
): Buffer | null {
  const owner = column.ownerOf(row)
  let text: string
  try {
    text = unseal(keys, column.purpose, sealed, owner)
  } catch {
    return null
  }
  return seal(keys, column.purpose, text, owner)
}

/**
 * Re-encrypts everything under the current key. It is idempotent and can be killed at any time.
 * Servers that write meanwhile must already use that key. It ends after a pass without changes.
 * @param report is called after each page with the number of re-encrypted values of the column
 * @returns the number of values per column that no key decrypts; they stay as they are
 */
export async function resealAll(
  db: Database,
  keys: Keyring,
  columns: SealedColumn[],
  report: (column: string, sealed: number) => void,
): Promise<Map<string, number>> {
  const sealed = new Map(columns.map(({ name }) => [name, 0]))
  for (;;) {
    const unreadable = new Map<string, number>()
    let changed = 0
    let left = 0
    for (const column of columns) {
      const before = sealed.get(column.name) as number
      const pass = await resealColumn(db, keys, column, (now) => report(column.name, before + now))
      sealed.set(column.name, before + pass.sealed)
      changed += pass.sealed
      left += pass.left
      if (pass.unreadable > 0) unreadable.set(column.name, pass.unreadable)
    }
    if (changed + left === 0) return unreadable
    if (left > 0) await sleep(100)
  }
}

/** Counts the values of a column by key; null stands for values from before keys had ids. */
export function countSealed(
  db: Database,
  column: SealedColumn,
): Promise<{ key_id: string | null; rows: bigint }[]> {
  return db.rows(column.count)
}

// Keys that something may be sealed under
// ----------------------------------------------------------------------------

// Of no business: the keys belong to the server.
const lockKeys = sqlOfAll(
  'sealing_keys.lock',
  `select pg_advisory_xact_lock(hashtext('bursar.sealing_keys'))`,
)
const selectKeys = sqlOfAll<{ key_id: string }>(
  'sealing_keys.select',
  'select key_id from sealing_keys order by used_at desc, key_id',
)
const insertKeys = sqlOfAll(
  'sealing_keys.insert',
  `insert into sealing_keys (key_id, used_at) select * from ${rowsOf('key_id text, used_at timestamptz')} as new
   on conflict (key_id) do update set used_at = excluded.used_at`,
)
const deleteKeys = sqlOfAll<{ key_id: string }>(
  'sealing_keys.delete',
  'delete from sealing_keys where key_id = any ($1::text[]) returning key_id',
)

/**
 * Returns the ids of the keys that may be in use, first the one with which a server last started.
 */
export async function keysInUse(db: Database): Promise<string[]> {
  return (await db.rows(selectKeys)).map(({ key_id }) => key_id)
}

/**
 * Records that a server encrypts under its first key from now on.
 * @returns the ids of keys in use that the server does not have; if there are any, nothing is
 * recorded
 */
export function useKeys(db: Database, keys: Keyring, now: Date): Promise<string[]> {
  return transaction(db, async (tx) => {
    await tx.rows(lockKeys)
    const known = (await tx.rows(selectKeys)).map(({ key_id }) => key_id)
    const ids = keys.map(({ id }: MasterKey) => id)
    const lacking = known.filter((id) => !ids.includes(id))
    if (lacking.length === 0) await tx.rows(insertKeys, [ids.slice(0, 1), [now]])
    return lacking
  })
}

/**
 * Records that these keys are no longer needed, or are lost.
 * @returns the ids that were recorded before
 */
export async function forgetKeys(db: Database, ids: string[]): Promise<string[]> {
  return (await db.rows(deleteKeys, [ids])).map(({ key_id }) => key_id)
}

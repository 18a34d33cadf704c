/**
 * What is sealed at rest, and the keys that it is sealed under: known to every server that starts,
 * and changed by sealing everything again while the servers run.
 */
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

/** A row by its key. */
type Keyed<Key extends string> = Record<Key | 'business_id', string> & { livemode: boolean }

/** A value that the key in use has not sealed; null where there is none, or that key has. */
type Found = { sealed: Buffer | null }

/** A column whose values are sealed, or null. */
export type SealedColumn = {
  name: string
  /** The table's primary key. */
  key: string[]
  purpose: Purpose
  ownerOf(row: Keyed<string>): string
  select: Statement<Found>
  replace: Statement<object>
  count: Statement<{ key_id: string | null; rows: bigint }>
}

/**
 * Declares a column whose values are sealed.
 * @param key the columns of the table's primary key after the business and the mode; texts
 * @param ofServer of a table that belongs to no business: its key begins with the mode, or has none
 * @param ownerOf what the value of a row is bound to
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
    // Who writes the row meanwhile is not waited for, and not undone: another pass sees what it has
    // made of the value.
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

/**
 * What became of the values of a column that the key in use had not sealed. `left`: others were
 * writing them.
 */
type Pass = { sealed: number; left: number; unreadable: number }

const pageRows = 500

/**
 * Goes once through a column, in the order of its key, and seals under the key in use what that has
 * not sealed.
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
    const rows = (await db.rows(column.select, [...place, prefix, pageRows])) as (Found &
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

/** @returns null when none of the keys opens it */
function reseal(
  keys: Keyring,
  column: SealedColumn,
  row: Found & Keyed<string>,
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
 * Seals everything under the key in use. It can be killed at any time and run again, beside servers
 * that write: they must seal under that key already. Ends after a pass that found nothing to do.
 * @param report called for each page, with how many values of the column are sealed again
 * @returns how many values of each column none of the keys opens; they stay as they are
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

/**
 * How many values of a column each key has sealed; null stands for what was sealed before keys had
 * ids.
 */
export function countSealed(
  db: Database,
  column: SealedColumn,
): Promise<{ key_id: string | null; rows: bigint }[]> {
  return db.rows(column.count)
}

// Keys that something may be sealed under
// ----------------------------------------------------------------------------

// Of no business: the keys are the server's.
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
 * The ids of the keys that something may be sealed under; first that which a server has last
 * started with.
 */
export async function keysInUse(db: Database): Promise<string[]> {
  return (await db.rows(selectKeys)).map(({ key_id }) => key_id)
}

/**
 * Notes that a server seals under the first of its keys from now on.
 * @returns the ids of keys that something may be sealed under and that it lacks; then nothing is
 * noted
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
 * Notes that nothing is sealed under these any more, or that they are lost. @returns those that
 * were noted
 */
export async function forgetKeys(db: Database, ids: string[]): Promise<string[]> {
  return (await db.rows(deleteKeys, [ids])).map(({ key_id }) => key_id)
}

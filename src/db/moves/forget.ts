/**
 * What a business leaves behind that was split off: deleted once the other database has it, but for
 * what says where it is.
 */
import { type Client, followedTables, MoveError } from './tables.ts'

/** By these a key, or a slug, is still led to the other cell. */
const kept = ['businesses', 'api_keys', 'pay_links']
/**
 * They go last, once what is proven by them is kept and no posting is left that could be sealed.
 */
const seals = ['posting_seals', 'seal_salts']
const atOnce = 2_000

/** The tables, what refers to a row before it. */
const selectReferences = `
select distinct c.conrelid::regclass::text as child, c.confrelid::regclass::text as parent
  from pg_constraint c
 where c.contype = 'f' and c.conrelid <> c.confrelid and c.connamespace = current_schema()::regnamespace`

/**
 * Deletes its rows, some thousands in a transaction. The triggers that refuse to let go of what is
 * append-only, and those that count, sleep in it; they are as they were for everybody else, who
 * waits for it where he writes the same table. Can be broken off anywhere, and done again.
 * @param from as the owner of the tables
 * @param keepChain keeps what its seals prove, before they go; runs again where it was broken off
 * @param onRows is told how many more are gone
 * @throws {MoveError} when the business is here still
 */
export async function forgetMoved(
  from: Client,
  business: string,
  keepChain: () => Promise<void>,
  onRows: (rows: number) => void,
): Promise<void> {
  const { rows: moved } = await from.query(
    'select from cell_moves where subject = $1 and moved_at is not null',
    [business],
  )
  if (moved.length === 0) throw new MoveError('The business was not moved to another database.')
  const tables = (await followedTables(from, { business })).filter(
    ({ name, owner }) => owner !== null && !kept.includes(name),
  )
  const names = await inOrder(from, [...tables.map(({ name }) => name), 'list_changes', 'requests'])
  for (const name of [...names.filter((one) => !seals.includes(one)), ...seals]) {
    if (name === seals[0]) await keepChain()
    let rows: number
    // By its places alone rows of others would go, too: each partition of a table has the same
    // ones.
    do {
      await from.query('begin')
      await from.query(`alter table ${name} disable trigger user`)
      const { rowCount } = await from.query(
        `delete from ${name} where business_id = $1 and ctid = any (array(select ctid from ${name} where business_id = $1 limit ${atOnce}))`,
        [business],
      )
      await from.query(`alter table ${name} enable trigger user`)
      await from.query('commit')
      rows = rowCount ?? 0
      if (rows > 0) onRows(rows)
    } while (rows > 0)
  }
}

async function inOrder(from: Client, names: readonly string[]): Promise<string[]> {
  const { rows } = await from.query<{ child: string; parent: string }>(selectReferences)
  const left = new Set(names)
  const ordered: string[] = []
  while (left.size > 0) {
    const free = [...left].filter(
      (name) => !rows.some(({ child, parent }) => parent === name && left.has(child)),
    )
    if (free.length === 0) throw new Error(`${[...left].join(', ')} refer to each other`)
    for (const name of free) left.delete(name)
    ordered.push(...free)
  }
  return ordered
}

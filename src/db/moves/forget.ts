/**
 * Deletes the data of a business that was split off into another database. What tells its new place
 * stays.
 */
import { type Client, MoveError, replicatedTables } from './tables.ts'

/** Keys and slugs in these tables still lead to the other cell. */
const keptTables = ['businesses', 'api_keys', 'pay_links']
/** Deleted last, after their proofs are stored and no posting is left to seal. */
const seals = ['posting_seals', 'seal_salts']
const atOnce = 2_000

/** The foreign keys that order the deletions. */
const selectReferences = `
select distinct c.conrelid::regclass::text as child, c.confrelid::regclass::text as parent
  from pg_constraint c
 where c.contype = 'f' and c.conrelid <> c.confrelid and c.connamespace = current_schema()::regnamespace`

/**
 * Deletes the rows of a business, some thousands per transaction. The triggers that protect
 * append-only tables and that count are disabled in that transaction; concurrent writers of the
 * table wait. Idempotent after an interruption.
 * @param from connected as the owner of the tables
 * @param keepChain stores the proofs of the seals before they are deleted; idempotent
 * @param onRows reports how many more rows are gone
 * @throws {MoveError} if the business has not moved
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
  const tables = (await replicatedTables(from, { business })).filter(
    ({ name, owner }) => owner !== null && !keptTables.includes(name),
  )
  const names = await inOrder(from, [...tables.map(({ name }) => name), 'list_changes', 'requests'])
  for (const name of [...names.filter((one) => !seals.includes(one)), ...seals]) {
    if (name === seals[0]) await keepChain()
    let rows: number
    // ctids alone are ambiguous: each partition of a table uses the same ones.
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

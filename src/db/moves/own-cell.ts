/** The cell of a database. */
import { ConfigError } from '../../lib/config.ts'
import { type Queryable, sqlOfAll } from '../db.ts'

const claim = sqlOfAll<{ letter: string }>(
  'own_cell.claim',
  `with made as (insert into own_cell (letter) values ($1) on conflict do nothing returning letter)
   select letter from made union all select letter from own_cell limit 1`,
)
const read = sqlOfAll<{ letter: string }>('own_cell.read', 'select letter from own_cell')

/**
 * Assigns this cell to the database if it has none.
 * @param claims false: only checks, as for commands, which would otherwise use keys of another cell
 * @throws {ConfigError} if the database belongs to another cell
 */
export async function claimCell(
  db: Queryable,
  letter: string,
  { claims }: { claims: boolean },
): Promise<void> {
  const row = claims
    ? ((await db.row(claim, [letter])) ?? (await db.row(read)))
    : await db.row(read)
  if (row !== null && row.letter !== letter)
    throw new ConfigError(
      `CELL '${letter}': the database of DATABASE_URL is cell '${row.letter}', whose keys say so`,
    )
}

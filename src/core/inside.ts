/**
 * Inside a transaction. `Work` has no rail, no socket and no clock of the machine: what asks the
 * world is done outside, before or after. Nobody is inside twice: a function that needs a
 * transaction takes a `Work`, and cannot open another.
 */
import type { OwnStatement, Queryable, Tx } from '../db/db.ts'
import * as tables from '../db/table.ts'
import type { Facts, Scope } from './app.ts'
import type { Pricing } from './pricing.ts'

/** A business and mode, to be read from: outside of any transaction, or in one. */
export type View = Facts & {
  scope: Scope
  /** The prices of the business at the time of the scope. */
  pricing: Pricing
  /**
   * Runs a statement of this business and mode, with its parameters from `$3` on, and gives its
   * rows.
   */
  rows<Row>(statement: OwnStatement<Row>, params?: unknown[]): Promise<Row[]>
  /** Its first row, or null. */
  row<Row>(statement: OwnStatement<Row>, params?: unknown[]): Promise<Row | null>
  /** Where statements run that name their businesses themselves: the pool, or the transaction. */
  reader: Queryable
}

/** A business and mode inside a transaction. */
export type Work = View & {
  /** The transaction, for what is written of any number of businesses at once. */
  tx: Tx
  reader: Tx
  /** Runs once the transaction has committed. Never runs when it rolls back. */
  afterCommit(task: () => void | Promise<void>): void
}

/** A business and mode inside a transaction that is open. */
export function inside(facts: Facts, tx: Tx, scope: Scope): Work {
  const { config, log, secrets, networks, prices, terms, origin, strategies } = facts
  return {
    config,
    log,
    secrets,
    networks,
    prices,
    terms,
    origin,
    strategies,
    ...readingOf(tx, scope),
    scope,
    pricing: prices.of(scope.businessId, scope.now),
    tx,
    reader: tx,
    afterCommit: (task) => tx.afterCommit(task),
  }
}

/** The two ways to run statements of a business and mode. */
export function readingOf(
  reader: Queryable,
  { businessId, livemode }: Scope,
): Pick<View, 'row' | 'rows'> {
  return {
    rows: ({ own }, params = []) => reader.rows(own, [businessId, livemode, ...params]),
    row: ({ own }, params = []) => reader.row(own, [businessId, livemode, ...params]),
  }
}

/**
 * Inserts a row of this business and mode.
 * @param conflict what follows `on conflict`, a constant of the caller's
 * @returns the row as it was stored, or null where `conflict` left it out
 */
export function insert<T extends tables.Table>(
  { tx, scope }: Work,
  into: T,
  row: tables.NewRowOf<T>,
  conflict?: string,
): Promise<tables.RowOf<T> | null> {
  return tables.insertOne(
    tx,
    into,
    { scope, row: row as never },
    conflict,
  ) as Promise<tables.RowOf<T> | null>
}

/**
 * Changes columns of the row of this business and mode that has an id.
 * @throws {Error} when there is no such row: the caller has locked it
 */
export async function update<T extends tables.Table>(
  { tx, scope }: Work,
  of: T,
  id: string,
  changes: Partial<tables.RowOf<T>>,
): Promise<tables.RowOf<T>> {
  const row = await tables.updateById(tx, of, scope, id, changes as never)
  if (!row) throw new Error(`${of.name} ${id} has vanished`)
  return row as tables.RowOf<T>
}

/**
 * Code inside a transaction. A `Work` has no rail, socket or machine clock, so slow calls cannot
 * hold locks. Transactions never nest: a function that needs one takes a `Work`.
 */
import type { OwnStatement, Queryable, Tx } from '../db/db.ts'
import * as tables from '../db/table.ts'
import type { Facts, Scope } from './app.ts'
import type { Pricing } from './pricing.ts'

/** Read access to one business and mode, inside or outside of a transaction. */
export type View = Facts & {
  scope: Scope
  /** The prices of the business at the time of the scope. */
  pricing: Pricing
  /** Runs a statement of this business and mode and returns its rows. `params` start at `$3`. */
  rows<Row>(statement: OwnStatement<Row>, params?: unknown[]): Promise<Row[]>
  /** Runs the statement and returns its first row, or null. */
  row<Row>(statement: OwnStatement<Row>, params?: unknown[]): Promise<Row | null>
  /** Runs statements that name their businesses themselves: the pool, or the open transaction. */
  reader: Queryable
}

/** One business and mode inside a transaction, which is atomic. */
export type Work = View & {
  /** The transaction, for statements that write rows of many businesses. */
  tx: Tx
  reader: Tx
  /** Runs the task once the transaction has committed. After a rollback it never runs. */
  afterCommit(task: () => void | Promise<void>): void
}

/** Creates the `Work` of a business and mode in an open transaction. */
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

/** Binds a reader to a business and mode. */
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
 * Inserts a row for this business and mode.
 * @param conflict the text after `on conflict`; a constant of the caller
 * @returns the stored row, or null if `conflict` skipped it
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
 * Updates columns of the row with this id. The caller must have locked the row.
 * @throws {Error} if the row does not exist
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

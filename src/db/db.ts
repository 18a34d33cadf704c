/**
 * The gateway to PostgreSQL: pool, prepared statements and transactions. No other module uses the
 * driver's pool.
 */
import type { Writable } from 'node:stream'
import pg from 'pg'
import { arrayParameter, arrayTypesOf } from './arrays.ts'
import { connectionOf } from './hosts.ts'

// Set per query and not on the pool: graphile-worker shares the pool and expects ids that are no
// bigint.
const types = new pg.TypeOverrides()
types.setTypeParser(20, (text: string) => BigInt(text)) // int8
types.setTypeParser(1700, (text: string) => text) // numeric
types.setTypeParser(1184, readTime) // timestamptz
types.setTypeParser(1082, (text: string) => text) // date: a day, of which the driver would make a moment

/** The driver's parser of times: it accepts any format, but is several times slower than `Date`. */
const readAnyTime = pg.types.getTypeParser(1184)

/**
 * Parses PostgreSQL's text of a time. For UTC with at most three fractional digits it only adapts
 * the text to ISO and lets `Date` parse it.
 * @throws {Error} if the text is not in ISO form, so that no invalid time is stored or returned
 */
function readTime(text: string): Date {
  const usual = text.length <= 26 && text[10] === ' ' && text.endsWith('+00')
  const time = usual ? new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`) : readAnyTime(text)
  if ((time instanceof Date && Number.isNaN(time.getTime())) || time === null)
    throw new Error(
      `PostgreSQL sent the time '${text}', which is not in ISO's form: its session has another DateStyle`,
    )
  return time
}

/**
 * A statement with its name and row type. It is prepared once per connection unless it is
 * `replanned`.
 */
export type Statement<Row> = { name: string; text: string; replanned?: true; row?: Row }

/**
 * A statement of one business and mode, which are `$1` and `$2`. A `View` or `Work` runs it and
 * passes these two.
 */
export type OwnStatement<Row> = { own: Statement<Row> }

/**
 * All declared statements by name, with the businesses whose rows they touch. Tests check each of
 * them.
 */
export const declaredStatements = new Map<string, { text: string; of: 'one' | 'many' | 'all' }>()

function declare<Row>(name: string, text: string, of: 'one' | 'many' | 'all'): Statement<Row> {
  if (declaredStatements.has(name)) throw new Error(`two statements are named '${name}'`)
  declaredStatements.set(name, { text, of })
  return { name, text }
}

/**
 * Declares a statement of one business and mode: `$1` is the business, `$2` the mode, parameters
 * follow from `$3`.
 * @param name unique
 * @throws {Error} if the text does not use both
 */
export function sql<Row = Record<string, unknown>>(name: string, text: string): OwnStatement<Row> {
  if (!/\$1\b/.test(text) || !/\$2\b/.test(text))
    throw new Error(`'${name}' does not name its business and mode`)
  return { own: declare(name, text, 'one') }
}

/**
 * Declares a statement whose parameters name the businesses of its rows.
 * @param name unique
 */
export function sqlOfMany<Row = Record<string, unknown>>(
  name: string,
  text: string,
): Statement<Row> {
  return declare(name, text, 'many')
}

/**
 * Declares a statement over all businesses, or over a table that belongs to none. A comment says
 * why.
 * @param name unique
 */
export function sqlOfAll<Row = Record<string, unknown>>(
  name: string,
  text: string,
): Statement<Row> {
  return declare(name, text, 'all')
}

/**
 * Makes the rest of a transaction plan with indexes. Statements that always run after it can then
 * keep one plan, which is good even if it was made while the table was small.
 */
export const planByIndex = sqlOfAll(
  'db.plan_by_index',
  // Before PostgreSQL 18, the cost of a disabled scan also triggered JIT compilation.
  "select set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true)",
)

/**
 * Makes a statement plan at each execution. A plan cached while a table was small would stay bad
 * until PostgreSQL analyzes the table.
 */
export function replanned<Row>(statement: Statement<Row>): Statement<Row>
export function replanned<Row>(statement: OwnStatement<Row>): OwnStatement<Row>
export function replanned<Row>(
  statement: Statement<Row> | OwnStatement<Row>,
): Statement<Row> | OwnStatement<Row> {
  return 'own' in statement
    ? { own: { ...statement.own, replanned: true } }
    : { ...statement, replanned: true }
}

/**
 * Returns SQL that turns arrays into rows, one array a column: `rowsOf('id text, at timestamptz')`
 * has the columns `id` of `$1::text[]` and `at` of `$2::timestamptz[]`. The arrays are unnested in
 * the select list, which PostgreSQL does in step; in FROM it would first store each in a table of
 * its own.
 * @param columns names and types, in the order of their parameters
 * @param first the number of the first parameter
 * @throws {Error} for a type of several words or with a comma; use its alias
 */
export function rowsOf(columns: string, first = 1): string {
  const list = columns.split(',').map((column, i) => {
    const [name, type, more] = column.trim().split(/\s+/)
    if (!type || more) throw new Error(`'${column}' is not a name and a type of one word`)
    // PostgreSQL has no type for arrays of arrays: each element travels as the text of its array.
    return type.endsWith('[]')
      ? `unnest($${first + i}::text[])::${type} as ${name}`
      : `unnest($${first + i}::${type}[]) as ${name}`
  })
  return `(select ${list.join(', ')})`
}

/** Returns a function that puts named values in the order of a statement's parameters. */
export function namesOf<const Name extends string>(
  ...names: Name[]
): (values: Record<Name, unknown>) => unknown[] {
  return (values) => names.map((name) => values[name])
}

/** A batch of rows as parameters: the SQL that reads them, and their arrays. */
export type Batch<Row> = { rows(first?: number): string; arrays(rows: Row[]): unknown[][] }

/**
 * Declares the columns of a batch.
 * @param columns names and types as for `rowsOf`; the names are those of `Row`
 */
export function batchOf<Row extends object>(columns: string): Batch<Row> {
  const names = columns.split(',').map((column) => column.trim().split(/\s+/)[0] as keyof Row)
  return {
    rows: (first) => rowsOf(columns, first),
    arrays: (rows) => names.map((name) => rows.map((row) => row[name])),
  }
}

/** Runs statements over any number of businesses: the pool or a transaction. */
export interface Queryable {
  /** Runs a prepared statement and returns its rows. */
  rows<Row>(statement: Statement<Row>, params?: unknown[]): Promise<Row[]>
  /** Runs a prepared statement and returns its first row, or null. */
  row<Row>(statement: Statement<Row>, params?: unknown[]): Promise<Row | null>
}

/** An open transaction. */
export interface Tx extends Queryable {
  /**
   * Runs `work` in a savepoint. If it throws, its changes and `afterCommit` tasks are rolled back
   * and the transaction stays usable. Savepoints may nest, but never run concurrently.
   */
  savepoint<T>(work: () => Promise<T>): Promise<T>
  /**
   * Runs the task after the commit, before `transaction` returns. After a rollback it never runs.
   */
  afterCommit(task: () => void | Promise<void>): void
  /**
   * Sends a statement with the next one, without waiting for its answer. If it fails, the
   * transaction fails with its error, or with what `failed` throws.
   */
  require(
    statement: Statement<unknown>,
    params: unknown[],
    failed?: (error: unknown) => never,
  ): void
}

export interface Database extends Queryable {
  readonly pool: pg.Pool
  /** Runs unprepared text, for migrations, reports and tests. */
  query<Row extends object = Record<string, unknown>>(
    text: string,
    params?: unknown[],
  ): Promise<Row[]>
  close(): Promise<void>
}

/** Array types by statement, so that each text is parsed once. */
const arrayTypes = new WeakMap<Statement<unknown>, (string | undefined)[]>()

function arrayTypesIn(statement: Statement<unknown>): (string | undefined)[] {
  const known = arrayTypes.get(statement)
  if (known) return known
  const found = arrayTypesOf(statement.text)
  arrayTypes.set(statement, found)
  return found
}

async function run<Row>(
  target: pg.Pool | pg.PoolClient,
  statement: Statement<Row>,
  params: unknown[],
): Promise<Row[]> {
  const { name, text } = statement
  const ofArrays = params.some(Array.isArray) ? arrayTypesIn(statement) : []
  const values = params.map((param, i) =>
    Array.isArray(param) ? arrayParameter(ofArrays[i], param) : param,
  )
  const query = statement.replanned ? { text, values, types } : { name, text, values, types }
  const result = await target.query(query).catch(rethrow)
  return result.rows as Row[]
}

/**
 * Detects a server that vanished without closing the connection, as in a failover: a client that
 * only waits for an answer would never notice.
 */
const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 }

/**
 * Creates a client outside of the pool for a long session. The caller ends it.
 * @throws {Error} if the hosts of the URL cannot be parsed
 */
export function newClient(url: string): pg.Client {
  const { url: connectionString, Client } = connectionOf(url)
  return new Client({ connectionString, types, ...keepAlive })
}

/**
 * How long a caller waits for a free connection. A longer wait means that the pool is exhausted,
 * perhaps by a deadlock on connections; the error releases what the caller holds.
 */
const acquireTimeoutMs = 20_000

/**
 * Connections whose commit returned before the standby confirmed it, because the wait was canceled.
 * PostgreSQL reports this by a warning only.
 */
const unreplicatedClients = new WeakSet<pg.PoolClient>()

/** Opens a pool, which connects on demand. */
export function openDatabase(
  url: string,
  options: { max: number; onError(error: Error): void },
): Database {
  const { url: connectionString, Client } = connectionOf(url)
  const pool = new pg.Pool({
    connectionString,
    Client,
    max: options.max,
    application_name: 'bursar',
    connectionTimeoutMillis: acquireTimeoutMs,
    ...keepAlive,
    // Statements that are sent without waiting share one round trip.
    pipeline: true,
  })
  // The embedded PostgreSQL may stop before the last connection is closed.
  let closing = false
  const onError = (error: Error): void => {
    if (!closing) options.onError(error)
  }
  pool.on('error', onError)
  pool.on('connect', (client) => {
    client.on('error', onError)
    client.on(
      'notice',
      ({ routine }) => routine === 'SyncRepWaitForLSN' && unreplicatedClients.add(client),
    )
  })
  return {
    pool,
    rows: (statement, params = []) => run(pool, statement, params),
    row: async (statement, params = []) => (await run(pool, statement, params))[0] ?? null,
    query: async <Row extends object>(text: string, params: unknown[] = []) =>
      (await pool.query<Row>({ text, values: params, types }).catch(rethrow)).rows,
    close: () => {
      closing = true
      return pool.end()
    },
  }
}

/**
 * Writes everything that is sent in one turn of the event loop to the socket at once: each write
 * wakes the server.
 */
function sendTogether(client: pg.PoolClient): void {
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection
  if (stream.writableCorked > 0) return
  stream.cork()
  process.nextTick(() => stream.uncork())
}

/**
 * Runs `work` in one atomic transaction: if it throws, everything is rolled back. The `afterCommit`
 * tasks run after the commit; if one throws, the caller gets the error although the commit stands.
 */
export async function transaction<T>(
  db: Database,
  work: (tx: Tx) => Promise<T>,
  begin = 'BEGIN',
): Promise<T> {
  const client = await db.pool.connect().catch(rethrow)
  const state: TxState = { tasks: [], requireErrors: [], cause: null, hasEnded: false }
  let broken: Error | undefined
  let result: T
  try {
    // Not awaited, so it travels with the first statement. If it fails, so does that statement.
    sendTogether(client)
    client.query(begin).catch(() => {})
    result = await work(openTx(client, state))
    state.hasEnded = true
    // After a failure inside a savepoint, the transaction could still commit.
    if (state.requireErrors.length > 0) throw state.requireErrors[0]
    // If a failed statement was ignored, PostgreSQL answers COMMIT with a successful ROLLBACK.
    const { command } = await client.query('COMMIT').catch(rethrow)
    if (command !== 'COMMIT') throw new Error('a statement of the transaction had failed')
    if (unreplicatedClients.has(client))
      rethrow(new Error('the standby may not have what was committed'))
  } catch (error) {
    state.hasEnded = true
    // Discards the connection if it cannot roll back, or if its server no longer accepts writes.
    // PostgreSQL then rolls back.
    if (isUnavailable(error)) broken = error as Error
    await client.query('ROLLBACK').catch((rollbackError: Error) => {
      broken = rollbackError
    })
    if (state.requireErrors.length > 0) throw state.requireErrors[0]
    throw isSqlError(error, inFailedTransaction) ? (state.cause ?? error) : error
  } finally {
    client.release(broken)
  }
  for (const task of state.tasks) await task()
  return result
}

type TxState = {
  /** Tasks for after the commit. */
  tasks: (() => void | Promise<void>)[]
  /** The errors of statements sent by `require`. */
  requireErrors: unknown[]
  /**
   * The error that broke the transaction. PostgreSQL rejects all later statements, and their errors
   * can arrive first.
   */
  cause: unknown
  /**
   * A statement that was not awaited must not run on the connection after the transaction: it then
   * serves others.
   */
  hasEnded: boolean
}

function openTx(client: pg.PoolClient, state: TxState): Tx {
  const rows = async <Row>(statement: Statement<Row>, params: unknown[] = []): Promise<Row[]> => {
    if (state.hasEnded) throw new Error(`'${statement.name}' came after the end of its transaction`)
    sendTogether(client)
    return run(client, statement, params).catch((error: unknown) => {
      state.cause ??= error
      throw error
    })
  }
  const tx: Tx = {
    rows,
    row: async (statement, params) => (await rows(statement, params))[0] ?? null,
    savepoint: (work) => savepoint(client, state, work),
    afterCommit: (task) => {
      state.tasks.push(task)
    },
    require: (statement, params, failed = rethrow) => {
      // Its answer arrives before those of later statements, so before that of the commit or
      // rollback.
      rows(statement, params)
        .catch(failed)
        .catch((error: unknown) => {
          state.requireErrors.push(error)
        })
    },
  }
  return tx
}

async function savepoint<T>(
  client: pg.PoolClient,
  state: TxState,
  work: () => Promise<T>,
): Promise<T> {
  const taskCount = state.tasks.length
  await client.query('SAVEPOINT inner_work').catch(rethrow)
  // Released in both cases: the name refers to the newest savepoint, which must be that of the
  // caller.
  const release = () => client.query('RELEASE SAVEPOINT inner_work').catch(rethrow)
  try {
    const result = await work()
    await release()
    return result
  } catch (error) {
    await client.query('ROLLBACK TO SAVEPOINT inner_work').catch(rethrow)
    state.cause = null
    await release()
    state.tasks.length = taskCount
    throw error
  }
}

/** Runs reads in one snapshot: all see the data as committed when the first read began. */
export function snapshot<T>(db: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  return transaction(db, work, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
}

/** The SQLSTATE of statements after a failed one. */
const inFailedTransaction = '25P02'

/**
 * Codes of socket errors: of the system, of the resolver, and Node's own for closed or
 * undecryptable streams.
 */
const socketError = /^(E[A-Z]+|EAI_[A-Z]+|ERR_(STREAM|SOCKET|SSL|TLS)_[A-Z0-9_]+)$/
/** How the driver's errors without a code begin. */
const driverError =
  /^(Connection terminated|timeout (expired|exceeded)|Client (was closed|has encountered)|Cannot use a pool)/

/**
 * Whether the error means that the connection was lost, so the outcome of the statement is unknown.
 * A read-only server (25006) is no longer the primary.
 */
export function isLost(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return /^(08|53|57|25006)/.test(error.code ?? '')
  if (!(error instanceof Error)) return false
  return 'code' in error ? socketError.test(String(error.code)) : driverError.test(error.message)
}

/**
 * The driver's errors after a lost connection. Errors of a rail's socket look the same, so these
 * are recorded.
 */
const lostConnectionErrors = new WeakSet<Error>()

/**
 * Rethrows the driver's error. Anything but PostgreSQL's answer or a programming error is a lost
 * connection.
 */
function rethrow(error: unknown): never {
  const mistake = error instanceof TypeError || error instanceof RangeError
  if (error instanceof Error && (error instanceof pg.DatabaseError ? isLost(error) : !mistake))
    lostConnectionErrors.add(error)
  throw error
}

/**
 * Whether the database was unreachable or was lost during the statement. A write may have been
 * committed.
 */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof Error && lostConnectionErrors.has(error)

/** Whether the error has this SQLSTATE and, if given, this constraint. */
export function isSqlError(error: unknown, state: string, constraint?: string): boolean {
  return (
    error instanceof pg.DatabaseError &&
    error.code === state &&
    (constraint === undefined || error.constraint === constraint)
  )
}

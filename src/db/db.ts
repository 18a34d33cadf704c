/**
 * The gateway to PostgreSQL: a pool, prepared statements, and transactions. The only module that
 * knows the driver.
 */
import type { Writable } from 'node:stream'
import pg from 'pg'
import { arrayParameter, arrayTypesOf } from './arrays.ts'
import { connecting } from './hosts.ts'

// Given with each query, not to the pool: graphile-worker shares the pool and cannot have a bigint
// for an id.
const types = new pg.TypeOverrides()
types.setTypeParser(20, (text: string) => BigInt(text)) // int8
types.setTypeParser(1700, (text: string) => text) // numeric
types.setTypeParser(1184, readTime) // timestamptz
types.setTypeParser(1082, (text: string) => text) // date: a day, of which the driver would make a moment

/**
 * What the driver reads times with. It takes any, and several times as long as the engine takes for
 * what it was made for.
 */
const readAnyTime = pg.types.getTypeParser(1184)

/**
 * Reads PostgreSQL's text of a time. In UTC, with one to three digits of a second or none, the
 * engine reads it but for two letters.
 * @throws {Error} for what is no time in ISO's form: to go on would store and answer no time at all
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
 * A statement with its name (it is prepared once a connection, unless it is `replanned`) and the
 * type of its row.
 */
export type Statement<Row> = { name: string; text: string; replanned?: true; row?: Row }

/**
 * A statement of one business and mode, which are `$1` and `$2`: it is run by whoever has a scope,
 * who gives these two.
 */
export type OwnStatement<Row> = { own: Statement<Row> }

/**
 * Every statement that was declared, by its name, and whose rows it touches: for the tests that
 * read them all.
 */
export const declared = new Map<string, { text: string; of: 'one' | 'many' | 'all' }>()

function declare<Row>(name: string, text: string, of: 'one' | 'many' | 'all'): Statement<Row> {
  if (declared.has(name)) throw new Error(`two statements are named '${name}'`)
  declared.set(name, { text, of })
  return { name, text }
}

/**
 * Declares a statement of one business and mode: `$1` is the business, `$2` the mode, and `$3…` are
 * its own parameters.
 * @param name unique
 * @throws {Error} when the text does not use both
 */
export function sql<Row = Record<string, unknown>>(name: string, text: string): OwnStatement<Row> {
  if (!/\$1\b/.test(text) || !/\$2\b/.test(text))
    throw new Error(`'${name}' does not name its business and mode`)
  return { own: declare(name, text, 'one') }
}

/**
 * Declares a statement whose own parameters name the businesses of its rows: many of them, or one
 * in any mode. @param name unique
 */
export function sqlOfMany<Row = Record<string, unknown>>(
  name: string,
  text: string,
): Statement<Row> {
  return declare(name, text, 'many')
}

/**
 * Declares a statement over every business, or over a table that belongs to none. What is declared
 * so says why. @param name unique
 */
export function sqlOfAll<Row = Record<string, unknown>>(
  name: string,
  text: string,
): Statement<Row> {
  return declare(name, text, 'all')
}

/**
 * Has what follows in a transaction planned by indexes: a statement that is always run after it
 * keeps one plan, that is good however few rows there were when it was made, and what plans it anew
 * each time is saved.
 */
export const planByIndex = sqlOfAll(
  'db.plan_by_index',
  // Before 18 a table that must be scanned is taken for so dear that PostgreSQL would compile the
  // statement.
  "select set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true)",
)

/**
 * Makes a statement one that is planned anew each time: one whose plan, made while a table was
 * small, would be a bad one for as long as it takes until PostgreSQL counts the table.
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
 * The rows that arrays make, an array a column, as a part of a statement: `rowsOf('id text, at
 * timestamptz')` has the columns `id` of `$1::text[]` and `at` of `$2::timestamptz[]`. In the list
 * of a select PostgreSQL goes through all arrays in step; `unnest` of several in a FROM first
 * stores each in a table of its own, which takes longer than to insert the rows.
 * @param columns names and types, in the order of their parameters
 * @param first the number of the first parameter
 * @throws {Error} for a type of several words, or with a comma: they have other names
 */
export function rowsOf(columns: string, first = 1): string {
  const list = columns.split(',').map((column, i) => {
    const [name, type, more] = column.trim().split(/\s+/)
    if (!type || more) throw new Error(`'${column}' is not a name and a type of one word`)
    // An array of arrays has no type of its own: each element travels as the text of its array.
    return type.endsWith('[]')
      ? `unnest($${first + i}::text[])::${type} as ${name}`
      : `unnest($${first + i}::${type}[]) as ${name}`
  })
  return `(select ${list.join(', ')})`
}

/**
 * Names the parameters of a statement that has many, in their order: what it makes takes their
 * values by name.
 */
export function namesOf<const Name extends string>(
  ...names: Name[]
): (values: Record<Name, unknown>) => unknown[] {
  return (values) => names.map((name) => values[name])
}

/** What travels by `rowsOf`, by name: the part of a statement, and the arrays that fill it. */
export type Batch<Row> = { rows(first?: number): string; arrays(rows: Row[]): unknown[][] }

/**
 * Declares the columns that rows travel in. @param columns names and types, as `rowsOf` takes them;
 * the names are those of `Row`
 */
export function batchOf<Row extends object>(columns: string): Batch<Row> {
  const names = columns.split(',').map((column) => column.trim().split(/\s+/)[0] as keyof Row)
  return {
    rows: (first) => rowsOf(columns, first),
    arrays: (rows) => names.map((name) => rows.map((row) => row[name])),
  }
}

/**
 * Anything that statements over any number of businesses can be run on: the pool, or a transaction.
 */
export interface Queryable {
  /** Runs a prepared statement and gives its rows. */
  rows<Row>(statement: Statement<Row>, params?: unknown[]): Promise<Row[]>
  /** Its first row, or null. */
  row<Row>(statement: Statement<Row>, params?: unknown[]): Promise<Row | null>
}

/** An open transaction. */
export interface Tx extends Queryable {
  /**
   * Runs `work` so that, when it throws, its changes and its `afterCommit` tasks are undone and the
   * transaction lives on. One may stand in another; two never run beside each other.
   */
  savepoint<T>(work: () => Promise<T>): Promise<T>
  /**
   * Runs once the transaction has committed, before `transaction` returns. Never runs when it rolls
   * back.
   */
  afterCommit(task: () => void | Promise<void>): void
  /**
   * Sends a statement that nobody waits for: it travels with the next one. Where it fails,
   * PostgreSQL runs none of those that follow, and the transaction fails with its error, or with
   * what `failed` throws instead.
   */
  require(
    statement: Statement<unknown>,
    params: unknown[],
    failed?: (error: unknown) => never,
  ): void
}

export interface Database extends Queryable {
  readonly pool: pg.Pool
  /** Runs text as it is, unprepared; for migrations, reports and tests. */
  query<Row extends object = Record<string, unknown>>(
    text: string,
    params?: unknown[],
  ): Promise<Row[]>
  close(): Promise<void>
}

/** The types of arrays, of statements that live. */
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
 * Who waits for an answer sends nothing: only so is it noticed that the other side is gone without
 * a word, as at a fail-over.
 */
const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 }

/**
 * A client on its own, outside the pool, for long sessions. The caller ends it. @throws {Error}
 * where the hosts of the URL cannot be read
 */
export function newClient(url: string): pg.Client {
  const { url: connectionString, Client } = connecting(url)
  return new Client({ connectionString, types, ...keepAlive })
}

/**
 * Connects once, to know what is wrong with the URL from what goes wrong later.
 * @throws {Error} whose message says in one line why it cannot
 */
export async function tryToConnect(url: string): Promise<void> {
  try {
    const client = newClient(url)
    await client.connect()
    await client.end()
  } catch (error) {
    // Of a name with several addresses the error has no text of its own.
    const { message, code } = error as NodeJS.ErrnoException
    throw new Error(message || code || 'no connection')
  }
}

/**
 * How long anything waits for a free connection: longer means that something holds them all, and an
 * error lets go of what waits.
 */
const acquireTimeoutMs = 20_000

/**
 * Connections whose commit was made known before the standby had it, which PostgreSQL tells by a
 * warning alone: somebody canceled the wait.
 */
const unreplicated = new WeakSet<pg.PoolClient>()

/** Opens a pool. Connections are made as they are needed. */
export function openDatabase(
  url: string,
  options: { max: number; onError(error: Error): void },
): Database {
  const { url: connectionString, Client } = connecting(url)
  const pool = new pg.Pool({
    connectionString,
    Client,
    max: options.max,
    application_name: 'bursar',
    connectionTimeoutMillis: acquireTimeoutMs,
    ...keepAlive,
    // What is asked without waiting for the answer before it travels in one round trip.
    pipeline: true,
  })
  // The embedded PostgreSQL may stop before the last connection has said goodbye.
  let closing = false
  const onError = (error: Error): void => {
    if (!closing) options.onError(error)
  }
  pool.on('error', onError)
  pool.on('connect', (client) => {
    client.on('error', onError)
    client.on(
      'notice',
      ({ routine }) => routine === 'SyncRepWaitForLSN' && unreplicated.add(client),
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
 * What is sent in one turn of the event loop is written to the socket at once: each write wakes the
 * other side.
 */
function sendTogether(client: pg.PoolClient): void {
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection
  if (stream.writableCorked > 0) return
  stream.cork()
  process.nextTick(() => stream.uncork())
}

/**
 * Runs `work` in one transaction: all of it is committed, or, when it throws, none of it. Tasks
 * given to `afterCommit` run after the commit; what they throw reaches the caller, with the commit
 * standing.
 */
export async function transaction<T>(
  db: Database,
  work: (tx: Tx) => Promise<T>,
  begin = 'BEGIN',
): Promise<T> {
  const client = await db.pool.connect().catch(rethrow)
  const tasks: (() => void | Promise<void>)[] = []
  /** What statements failed with that were required. */
  const unmet: unknown[] = []
  /**
   * The first statement's error after which PostgreSQL takes no other: what was sent beside it may
   * be heard of sooner.
   */
  let cause: unknown = null
  // Work that was not waited for must not go on outside of the transaction, on a connection that is
  // another's by then.
  let ended = false
  const rows = async <Row>(statement: Statement<Row>, params: unknown[] = []): Promise<Row[]> => {
    if (ended) throw new Error(`'${statement.name}' came after the end of its transaction`)
    sendTogether(client)
    return run(client, statement, params).catch((error: unknown) => {
      cause ??= error
      throw error
    })
  }
  const tx: Tx = {
    rows,
    row: async (statement, params) => (await rows(statement, params))[0] ?? null,
    async savepoint(work) {
      const before = tasks.length
      await client.query('SAVEPOINT inner_work').catch(rethrow)
      // Released however it ends: the name means the newest savepoint, which must be the one whose
      // work ends.
      const release = () => client.query('RELEASE SAVEPOINT inner_work').catch(rethrow)
      try {
        const result = await work()
        await release()
        return result
      } catch (error) {
        await client.query('ROLLBACK TO SAVEPOINT inner_work').catch(rethrow)
        cause = null
        await release()
        tasks.length = before
        throw error
      }
    },
    afterCommit: (task) => {
      tasks.push(task)
    },
    require: (statement, params, failed = rethrow) => {
      // Its answer is there before that of what is sent after it, the commit or the rollback.
      rows(statement, params)
        .catch(failed)
        .catch((error: unknown) => {
          unmet.push(error)
        })
    },
  }
  let broken: Error | undefined
  let result: T
  try {
    // Not waited for: it travels with the first statement. Where it fails, the connection does, and
    // so does that statement.
    sendTogether(client)
    client.query(begin).catch(() => {})
    result = await work(tx)
    ended = true
    // One that failed in a savepoint leaves the transaction able to commit.
    if (unmet.length > 0) throw unmet[0]
    // Where a statement failed and nobody caught it, PostgreSQL rolls back and calls that a
    // success.
    const { command } = await client.query('COMMIT').catch(rethrow)
    if (command !== 'COMMIT') throw new Error('a statement of the transaction had failed')
    if (unreplicated.has(client)) rethrow(new Error('the standby may not have what was committed'))
  } catch (error) {
    ended = true
    // A connection that cannot roll back is thrown away, PostgreSQL rolls back what its end leaves
    // open; and one to a server that takes no writes any more.
    if (isUnavailable(error)) broken = error as Error
    await client.query('ROLLBACK').catch((rollbackError: Error) => {
      broken = rollbackError
    })
    if (unmet.length > 0) throw unmet[0]
    throw isSqlError(error, inFailedTransaction) ? (cause ?? error) : error
  } finally {
    client.release(broken)
  }
  for (const task of tasks) await task()
  return result
}

/**
 * Runs reads that must agree with each other: all of them see what was committed when the first
 * began.
 */
export function snapshot<T>(db: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  return transaction(db, work, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
}

/** What PostgreSQL says to each statement after one that failed. */
const inFailedTransaction = '25P02'

/**
 * Codes of a socket's errors: the system's, the resolver's, and Node's own of what is closed or
 * cannot be decrypted.
 */
const socketError = /^(E[A-Z]+|EAI_[A-Z]+|ERR_(STREAM|SOCKET|SSL|TLS)_[A-Z0-9_]+)$/
/** How the texts begin of the driver's errors without a code. */
const driverError =
  /^(Connection terminated|timeout (expired|exceeded)|Client (was closed|has encountered)|Cannot use a pool)/

/**
 * Whether an error says that the database was lost, and so nothing of what became of the statement.
 * A server that only reads (25006) is no primary any more.
 */
export function isLost(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return /^(08|53|57|25006)/.test(error.code ?? '')
  if (!(error instanceof Error)) return false
  return 'code' in error ? socketError.test(String(error.code)) : driverError.test(error.message)
}

/**
 * What the driver threw when the database was lost. A rail's socket that breaks throws the like of
 * it.
 */
const losses = new WeakSet<Error>()

/**
 * Passes on what the driver threw. What is neither PostgreSQL's own answer nor a mistake of ours is
 * a connection that failed.
 */
function rethrow(error: unknown): never {
  const mistake = error instanceof TypeError || error instanceof RangeError
  if (error instanceof Error && (error instanceof pg.DatabaseError ? isLost(error) : !mistake))
    losses.add(error)
  throw error
}

/**
 * Whether an error says that the database could not be reached, or was lost on the way: what was to
 * be read is not known, and what was to be written may have been.
 */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof Error && losses.has(error)

/** Whether an error is PostgreSQL's of this SQLSTATE (and, if given, of this constraint). */
export function isSqlError(error: unknown, state: string, constraint?: string): boolean {
  return (
    error instanceof pg.DatabaseError &&
    error.code === state &&
    (constraint === undefined || error.constraint === constraint)
  )
}

/** Finds out what the connections of a URL share: poolers such as PgBouncer give sessions in turn. */
import { isSqlError, newClient } from './db.ts'

type Client = ReturnType<typeof newClient>

/**
 * Runs `work` on two open connections.
 * @throws {Error} with the reason in one line if one cannot be opened
 */
async function withTwo<T>(
  urls: readonly [string, string],
  work: (one: Client, other: Client) => Promise<T>,
): Promise<T> {
  const [one, other] = [newClient(urls[0]), newClient(urls[1])]
  try {
    await connect(one)
    await connect(other)
    return await work(one, other)
  } finally {
    await Promise.all([one.end(), other.end()].map((ended) => ended.catch(() => {})))
  }
}

async function connect(client: Client): Promise<void> {
  await client.connect().catch(({ message, code }: NodeJS.ErrnoException) => {
    // If a name has several addresses, the error has no message of its own.
    throw new Error(message || code || 'no connection')
  })
}

/** Returns which session runs a statement. Another server may have a process of the same number. */
async function sessionOf(client: Client): Promise<string> {
  const { rows } = await client.query<{ session: string }>(
    `select concat_ws(' ', pid, backend_start) as session
       from pg_stat_activity where pid = pg_backend_pid()`,
  )
  return rows[0]?.session as string
}

/** A busy pooler may give each connection the same session again by chance. */
const rounds = 4

/**
 * Returns whether a pooler lends the connections of a URL a session for one transaction only, as
 * PgBouncer does with `pool_mode = transaction`. Session locks then do not end with the connection
 * that took them.
 * @throws {Error} if nothing answers there
 */
export function sharesSessions(url: string): Promise<boolean> {
  return withTwo([url, url], async (one, other) => {
    const [first, second] = [await sessionOf(one), await sessionOf(other)]
    for (let round = 1; first !== second && round < rounds; round++)
      if ((await sessionOf(one)) !== first || (await sessionOf(other)) !== second) return true
    return first === second
  })
}

/**
 * Returns whether a pooler prepares a statement again in each session that it gives, as PgBouncer
 * does from 1.21 on with `max_prepared_statements`.
 * @throws {Error} if nothing answers there
 */
export function keepsPrepared(url: string): Promise<boolean> {
  return withTwo([url, url], async (one, other) => {
    const statement = { name: 'pooler.keeps_prepared', text: 'select 1' }
    try {
      for (const client of [one, other, one, other]) await client.query(statement)
      return true
    } catch (error) {
      // The session has the other's statement, or none.
      if (isSqlError(error, '42P05') || isSqlError(error, '26000')) return false
      throw error
    }
  })
}

/** Returns whether two URLs lead to one database. @throws {Error} if one does not answer */
export function isSameDatabase(url: string, other: string): Promise<boolean> {
  return withTwo([url, other], async (one, two) => {
    const lock = 'select pg_try_advisory_xact_lock($1) as got'
    const key = Math.floor(Math.random() * Number.MAX_SAFE_INTEGER)
    await one.query('begin')
    await one.query(lock, [key])
    const { rows } = await two.query<{ got: boolean }>(lock, [key])
    return rows[0]?.got === false
  })
}

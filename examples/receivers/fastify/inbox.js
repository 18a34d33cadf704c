/**
 * The inbox: what came is kept under its webhook-id before it is answered, so that a repeat changes nothing and a crash loses nothing.
 * SQLite, so that the example runs by itself: yours is a table of your database.
 */
import { DatabaseSync } from 'node:sqlite'

const db = new DatabaseSync(process.env.INBOX ?? 'inbox.db')
db.exec(
  'create table if not exists inbox (id text primary key, body text not null, done integer not null default 0)',
)
const insert = db.prepare('insert or ignore into inbox (id, body) values (?, ?)')
const next = db.prepare(
  'select rowid, id, body from inbox where done = 0 and rowid > ? order by rowid limit 1',
)
const finish = db.prepare('update inbox set done = 1 where id = ?')

/** Keeps an event. Of a repeat the id is there already. */
export function keep(id, body) {
  insert.run(id, body)
}

let working = false

/** Handles what is kept and not done. What fails stays, and is tried again the next time. */
export async function workOff(handle) {
  if (working) return
  working = true
  try {
    for (let row = next.get(0); row; row = next.get(row.rowid)) {
      try {
        await handle(JSON.parse(row.body))
        finish.run(row.id)
      } catch (error) {
        console.error(row.id, error)
      }
    }
  } catch (error) {
    console.error(error) // the database: the next time
  } finally {
    working = false
  }
}

/**
 * The inbox: what came is kept under its webhook-id before it is answered, so that a repeat changes nothing and a crash loses nothing.
 * SQLite, so that the example runs by itself: yours is a table of your database, and on a host without a disk it must be.
 */
import { DatabaseSync } from 'node:sqlite'
import type { BursarEvent } from './handle'

type Row = { rowid: number; id: string; body: string }

let opened: DatabaseSync | undefined

/** Opened by the first delivery: a build loads this file too. */
function db(): DatabaseSync {
  if (opened) return opened
  opened = new DatabaseSync(process.env.INBOX ?? 'inbox.db')
  opened.exec(
    'create table if not exists inbox (id text primary key, body text not null, done integer not null default 0)',
  )
  return opened
}

/** Keeps an event. Of a repeat the id is there already. */
export function keep(id: string, body: string): void {
  db().prepare('insert or ignore into inbox (id, body) values (?, ?)').run(id, body)
}

let working = false

/** Handles what is kept and not done. What fails stays, and is tried again the next time. */
export async function workOff(handle: (event: BursarEvent) => Promise<void>): Promise<void> {
  if (working) return
  working = true
  try {
    await workOffAll(handle)
  } finally {
    working = false
  }
}

async function workOffAll(handle: (event: BursarEvent) => Promise<void>): Promise<void> {
  const next = db().prepare(
    'select rowid, id, body from inbox where done = 0 and rowid > ? order by rowid limit 1',
  )
  const finish = db().prepare('update inbox set done = 1 where id = ?')
  const after = (rowid: number): Row | undefined => next.get(rowid) as Row | undefined
  for (let row = after(0); row; row = after(row.rowid)) {
    try {
      await handle(JSON.parse(row.body))
      finish.run(row.id)
    } catch (error) {
      console.error(row.id, error)
    }
  }
}

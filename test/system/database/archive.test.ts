/**
 * Goal: with archived WAL a backup comes to any later moment, and no segment of it can be missing
 * unseen. Method: a writer whose every row says when it was committed; PostgreSQL is killed; what
 * is restored is held against what was committed.
 */
import assert from 'node:assert/strict'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  archivedSince,
  archiveSettings,
  archiveState,
  useArchived,
} from '../../../src/db/cluster/archive.ts'
import { copyCluster } from '../../../src/db/cluster/backup.ts'
import { type Manifest, storeText } from '../../../src/db/cluster/backup-folder.ts'
import type { Embedded } from '../../../src/db/cluster/embedded.ts'
import { clearDraft, startCopy } from '../../../src/db/cluster/restore.ts'
import { newClient, openDatabase } from '../../../src/db/db.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import type { Config } from '../../../src/lib/config.ts'
import { until } from '../../support/harness.ts'

const nothing = () => {}
const inDatabase = (url: string): string => url.replace('/postgres?', '/bursar?')

describe('WAL that is archived', () => {
  const dir = mkdtempSync(join(tmpdir(), 'bursar-archive-'))
  const root = join(dir, 'archive')
  const backup = join(dir, 'backup')
  const config = {
    DATA_DIR: join(dir, 'data'),
    WAL_ARCHIVE_DIR: root,
    WAL_ARCHIVE_TIMEOUT: 1_000,
  } as Config
  let embedded: Embedded
  let folder: string
  let manifest: Manifest
  /** When each row was committed at the latest, by its number less one. */
  const committed: Date[] = []
  let backedUp: number
  let marked: number

  before(async () => {
    embedded = await useArchived(config, 'serve')
    folder = join(root, readdirSync(root)[0] as string)
  })
  after(() => rmSync(dir, { recursive: true, force: true }))

  const killed = async (): Promise<void> => {
    const pid = Number(
      readFileSync(join(embedded.cluster, 'postmaster.pid'), 'utf8').split('\n')[0],
    )
    // Nothing else starts it again.
    const ended = embedded.release().catch(nothing)
    process.kill(pid, 'SIGKILL')
    await ended
  }

  it('is archived while it is written, and a backup names its archive', async () => {
    const writer = newClient(inDatabase(embedded.superuserUrl))
    writer.on('error', nothing)
    await writer.connect()
    await writer.query('create table written (n bigint)')
    let stop = false
    const write = async (): Promise<void> => {
      while (!stop) {
        await writer.query('insert into written values ($1)', [committed.length + 1])
        committed.push(new Date())
        await sleep(10)
      }
    }
    const writing = write()
    mkdirSync(backup)
    const copied = await copyCluster(embedded, backup, systemClock, nothing)
    backedUp = committed.length
    const passwords = storeText(
      backup,
      'postgres.json',
      readFileSync(join(config.DATA_DIR, 'postgres.json')),
    )
    const files = [...copied.files, passwords]
    manifest = {
      ...copied,
      files,
      bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    } as Manifest
    assert.equal(join(root, manifest.archive as string), folder)

    await until(async () => committed.length > backedUp + 20)
    marked = committed.length
    const watch = newClient(embedded.superuserUrl)
    await watch.connect()
    const { rows } = await watch.query<{ name: string }>(
      'select pg_walfile_name(pg_current_wal_insert_lsn()) as name',
    )
    await watch.end()
    await until(async () => existsSync(join(folder, rows[0]?.name as string)), 60_000)
    const more = committed.length
    await until(async () => committed.length > more + 5)
    stop = true
    await writing
    await writer.end()
  })

  it('is said to fail while it cannot be written, and goes on by itself', {
    timeout: 120_000,
  }, async () => {
    const db = openDatabase(embedded.url, { max: 1, onError: nothing })
    const warning = async () => (await archiveState(db, config, systemClock))?.warning
    const writer = newClient(inDatabase(embedded.superuserUrl))
    await writer.connect()
    assert.equal(await warning(), null)
    renameSync(folder, `${folder}-away`)
    const failing = await until(async () => {
      await writer.query(
        'create table if not exists filler (n bigint); insert into filler values (1)',
      )
      return warning()
    }, 60_000)
    assert.match(
      failing,
      /^WAL is not archived since \d{4}-.*: [0-9A-F]{24} cannot be written to .*archive, and DATA_DIR grows/,
    )
    renameSync(`${folder}-away`, folder)
    await until(async () => {
      await writer.query('insert into filler values (1)')
      return (await warning()) === null
    }, 90_000)
    assert.equal(await archiveState(db, { ...config, WAL_ARCHIVE_DIR: null }, systemClock), null)
    await writer.end()
    await db.close()
    await killed()
  })

  /** The rows that a restore to a moment has. */
  const restored = async (
    to: Date | null,
  ): Promise<{ highest: number; count: number; reaches: Date }> => {
    const into = join(dir, `restored-${to?.getTime() ?? 'end'}`)
    const copy = await startCopy(backup, manifest, into, null, nothing, {
      wal: archivedSince(manifest, root),
      until: to,
    })
    try {
      const client = newClient(inDatabase(copy.superuserUrl))
      await client.connect()
      const { rows } = await client.query(
        'select max(n)::integer as highest, count(*)::integer as count from written',
      )
      await client.end()
      return { ...rows[0], reaches: copy.reaches }
    } finally {
      await copy.release()
      clearDraft(into)
    }
  }

  it('brings a backup to its end: nothing is lost that was committed before the last segment', async () => {
    const { highest, count, reaches } = await restored(null)
    assert.equal(count, highest, 'no row is missing in between')
    assert.ok(
      highest >= marked && marked > backedUp,
      `${highest} of ${committed.length}, ${marked} were archived`,
    )
    for (const [i, at] of committed.entries())
      if (at < reaches) assert.ok(i + 1 <= highest, `row ${i + 1} at ${at.toISOString()}`)
  })

  it('brings a backup to a moment, and no further', async () => {
    // Commits are told apart by microseconds, and what is noted here by milliseconds.
    const moment = new Date((committed[backedUp + 9] as Date).getTime() + 1)
    const { highest, count, reaches } = await restored(moment)
    assert.equal(count, highest)
    assert.ok(reaches <= moment)
    assert.ok(highest >= backedUp + 10 && highest < marked, `${highest}`)
    for (const [i, at] of committed.entries())
      if (at < moment) assert.ok(i + 1 <= highest, `row ${i + 1}`)
  })

  it('is refused where a segment is missing, or not whole, or another database’s', () => {
    const { segments } = archivedSince(manifest, root)
    const [hole, next] = [segments.at(-2), segments.at(-1)].map((name) =>
      join(folder, name as string),
    ) as [string, string]
    renameSync(hole, join(dir, 'hole'))
    assert.throws(
      () => archivedSince(manifest, root),
      new RegExp(`lacks what comes before ${segments.at(-1)}`),
    )
    renameSync(join(dir, 'hole'), hole)
    truncateSync(next, 4096)
    assert.throws(
      () => archivedSince(manifest, folder),
      new RegExp(`${segments.at(-1)} in .* is not whole`),
    )
    assert.throws(
      () => archivedSince({ ...manifest, archive: null }, root),
      /No WAL was archived when this backup was made/,
    )
    assert.throws(
      () => archivedSince({ ...manifest, archive: 'wal-other' }, root),
      /has no folder wal-other/,
    )
  })

  it('has a folder of its own for each data directory, and none below it', async () => {
    const other = await archiveSettings(join(dir, 'other'), root, 1_000)
    assert.ok(!Object.values(other).includes(folder))
    await assert.rejects(
      archiveSettings(dir, join(dir, 'in'), 1_000),
      /^ConfigError: WAL_ARCHIVE_DIR: is in the data directory|would be lost with it/,
    )
  })
})

/**
 * Goal: a copy of a cluster that is written to all the time, and recycles its WAL, is one moment of
 * it. Method: a writer keeps two tables equal in each transaction, and checkpoints; what recovers
 * from the copy has them equal, and all that was committed before its end.
 */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { copyCluster } from '../../../src/db/cluster/backup.ts'
import { BackupError, type Manifest, storeText } from '../../../src/db/cluster/backup-folder.ts'
import { type Embedded, useEmbedded } from '../../../src/db/cluster/embedded.ts'
import { clearDraft, type RestoredCluster, startCopy } from '../../../src/db/cluster/restore.ts'
import { newClient } from '../../../src/db/db.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { until } from '../../support/harness.ts'

const nothing = () => {}

describe('a copy of a cluster that runs', () => {
  const dir = mkdtempSync(join(tmpdir(), 'bursar-copy-'))
  let embedded: Embedded
  before(async () => {
    // Segments are recycled after two of them.
    const settings = { max_wal_size: '32MB', min_wal_size: '32MB' }
    embedded = await useEmbedded({ dir: join(dir, 'data'), settings }, 'serve')
  })
  after(async () => {
    await embedded.release()
    rmSync(dir, { recursive: true, force: true })
  })

  const copyTo = async (name: string): Promise<{ folder: string; manifest: Manifest }> => {
    const folder = join(dir, name)
    mkdirSync(folder)
    const copied = await copyCluster(embedded, folder, systemClock, nothing)
    const passwords = storeText(
      folder,
      'postgres.json',
      readFileSync(join(dir, 'data', 'postgres.json')),
    )
    const files = [...copied.files, passwords]
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
    return { folder, manifest: { ...copied, files, bytes } as Manifest }
  }
  const read = async (url: string): Promise<{ first: string; second: string; highest: string }> => {
    const client = newClient(url)
    await client.connect()
    const { rows } = await client.query(
      `select (select sum(n) from first)::text as first, (select sum(n) from second)::text as second,
              (select max(n) from first)::text as highest`,
    )
    await client.end()
    return rows[0]
  }

  it('is one moment, with all that was committed before its end', async () => {
    const writer = newClient(embedded.superuserUrl.replace('/postgres?', '/bursar?'))
    await writer.connect()
    await writer.query('create table first (n bigint, filler text); create table second (n bigint)')
    let [n, checkpoints, stop] = [0, 0, false]
    const committedAt: string[] = []
    const write = async (): Promise<void> => {
      while (!stop) {
        n++
        await writer.query(
          `with a as (insert into first select $1, repeat(md5(i::text), 8) from generate_series(1, 2000) i returning n)
           insert into second select n from a`,
          [n],
        )
        committedAt.push(new Date().toISOString())
        if (n % 40 === 0) {
          await writer.query('checkpoint')
          checkpoints++
        }
      }
    }
    const writing = write()
    const { folder, manifest } = await copyTo('copy')
    const after = n
    await until(async () => n >= after + 5)
    stop = true
    await writing
    await writer.query('drop table first, second')
    await writer.end()
    assert.ok(checkpoints >= 2, `${checkpoints} checkpoints`)

    const restored: RestoredCluster = await startCopy(
      folder,
      manifest,
      join(dir, 'restored'),
      null,
      nothing,
    )
    try {
      const { first, second, highest } = await read(
        restored.superuserUrl.replace('/postgres?', '/bursar?'),
      )
      assert.equal(first, second)
      const before = committedAt.filter((at) => at < manifest.data_of).length
      assert.ok(before > 20 && Number(highest) >= before, `${highest} of ${before}`)
      assert.ok(Number(highest) < n, 'what was committed after the copy is not in it')
    } finally {
      await restored.release()
      clearDraft(join(dir, 'restored'))
    }
  })

  it('does not recover without a segment of the WAL that was written meanwhile', async () => {
    const { folder, manifest } = await copyTo('torn')
    const last = manifest.files.filter(({ path }) => path.startsWith('postgres/pg_wal/')).at(-1)
    const files = manifest.files.filter((file) => file !== last)
    await assert.rejects(
      startCopy(folder, { ...manifest, files }, join(dir, 'torn-restored'), null, nothing),
      /could not recover the copy[\s\S]*(WAL ends before end of online backup|could not locate required checkpoint record)/,
    )
  })

  it('is made by a role that reads no table, and leaves no slot behind', async () => {
    const client = newClient(embedded.backupUrl.replace('/postgres?', '/bursar?'))
    await client.connect()
    for (const text of [
      'select from schema_migrations',
      'create table mine ()',
      "select pg_read_file('PG_VERSION')",
    ])
      await assert.rejects(client.query(text), /permission denied|does not exist/)
    const { rows } = await client.query(
      'select rolsuper, rolcreaterole from pg_roles where rolname = current_user',
    )
    assert.deepEqual(rows, [{ rolsuper: false, rolcreaterole: false }])
    assert.deepEqual((await client.query('select from pg_replication_slots')).rows, [])
    await client.end()
  })

  it('is refused where tables lie outside of the cluster', async () => {
    mkdirSync(join(embedded.cluster, 'pg_tblspc', '1'))
    await assert.rejects(copyTo('spaces'), BackupError)
    rmSync(join(embedded.cluster, 'pg_tblspc', '1'), { recursive: true })
  })
})

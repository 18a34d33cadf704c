/**
 * Goal: the PostgreSQL that a killed command left behind is stopped, also by a root that may
 * little, as in a container; and a data directory of before there were roles gets them. Method: a
 * process that may not look into those of other users stops one; the role is dropped.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { open } from '../../../src/app/main.ts'
import { useEmbedded } from '../../../src/db/cluster/embedded.ts'
import { newClient } from '../../../src/db/db.ts'
import { readConfig } from '../../../src/lib/config.ts'
import { makeDataDir } from '../../support/cluster.ts'

const isRoot =
  process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/usr/bin/setpriv')

describe('a PostgreSQL that was left behind', { skip: !isRoot && 'needs root and setpriv' }, () => {
  const dir = mkdtempSync(join(tmpdir(), 'bursar-embedded-'))
  after(() => rmSync(dir, { recursive: true, force: true }))

  it('is stopped by a root that may not look into processes of others', async () => {
    const data = join(dir, 'data')
    await makeDataDir(data)
    const { cluster, release } = await useEmbedded({ dir: data }, 'tool')
    const lock = join(cluster, 'postmaster.pid')
    assert.ok(existsSync(lock))
    const module = new URL('../../../src/db/cluster/embedded.ts', import.meta.url).href
    const stop = `const { stopCluster } = await import('${module}'); await stopCluster('${cluster}')`
    const node = [process.execPath, '--input-type=module', '--eval', stop]
    const { status, stderr } = spawnSync(
      '/usr/bin/setpriv',
      ['--bounding-set=-sys_ptrace', '--inh-caps=-sys_ptrace', ...node],
      { encoding: 'utf8' },
    )
    const isLeft = existsSync(lock)
    await release()
    assert.deepEqual([status, stderr, isLeft], [0, '', false])
  })
})

describe('a data directory of an earlier version', () => {
  const dir = mkdtempSync(join(tmpdir(), 'bursar-roles-'))
  after(() => rmSync(dir, { recursive: true, force: true }))

  it('is served by a role of its own from the next start on', async () => {
    const data = join(dir, 'data')
    await makeDataDir(data)
    const embedded = await useEmbedded({ dir: data }, 'tool')
    const admin = newClient(embedded.superuserUrl.replace(/\/postgres\?/, '/bursar?'))
    await admin.connect()
    await admin.query('drop owned by bursar_server')
    await admin.query('drop role bursar_server')
    await admin.end()
    await embedded.release()
    const again = await open(readConfig({ DATA_DIR: data, LOG_LEVEL: 'fatal' }), 'all')
    const [row] = await again.app.db.query('select current_user as role, session_user as login')
    assert.deepEqual(row, { role: 'bursar_server', login: 'bursar_server' })
    assert.equal(again.app.config.MIGRATE_DATABASE_URL, null)
    await again.close()
  })
})

/**
 * Goal: the PostgreSQL that a killed command left behind is stopped, also by a root that may little, as in a container. Method: a process
 * that may not look into those of other users stops one.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { useEmbedded } from '../../../src/db/embedded.ts'
import { makeDataDir } from '../../support/cluster.ts'

const isRoot = process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/usr/bin/setpriv')

describe('a PostgreSQL that was left behind', { skip: !isRoot && 'needs root and setpriv' }, () => {
  const dir = mkdtempSync(join(tmpdir(), 'bursar-embedded-'))
  after(() => rmSync(dir, { recursive: true, force: true }))

  it('is stopped by a root that may not look into processes of others', async () => {
    const data = join(dir, 'data')
    await makeDataDir(data)
    const { cluster, release } = await useEmbedded({ dir: data }, 'tool')
    const lock = join(cluster, 'postmaster.pid')
    assert.ok(existsSync(lock))
    const module = new URL('../../../src/db/embedded.ts', import.meta.url).href
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

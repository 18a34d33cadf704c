/**
 * Goal: an operator who runs the embedded database hears of a backup that is missing, too old to trust, or was never tried.
 * Method: a data directory of its own, with the commands that make and try a backup.
 */
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { makeDataDir } from '../../support/cluster.ts'
import { command, serve } from '../../support/commands.ts'

describe('the doctor, of an embedded database', () => {
  const dir = mkdtempSync(join(tmpdir(), 'bursar-doctor-'))
  const env = { DATA_DIR: join(dir, 'data'), PORT: '0', BACKUP_PASSPHRASE: 'a passphrase of the test' }
  after(() => rmSync(dir, { recursive: true, force: true }))
  /** What the command says now, of each thing that it looks at. */
  const look = async (): Promise<(check: string) => string> => {
    const { out, err } = await command(['doctor'], env)
    assert.equal(err, '')
    return (check) =>
      out
        .split('\n')
        .filter((line) => line.slice(6).startsWith(`${check} `))
        .join('\n')
  }

  it('tells when the last backup was made, and when one was tried; with a server and without', async () => {
    await makeDataDir(env.DATA_DIR)
    const served = await serve(env)
    const first = await look()
    assert.match(first('backups'), /^WARN {2}backups {4}none was ever made$/)
    assert.match(first('database'), /^ok {4}database {3}PostgreSQL 18\S+, embedded; the role bursar_server serves$/)
    const made = await command(['backup', join(dir, 'backup')], env)
    assert.equal(made.code, 0, made.err)
    assert.match(
      (await look())('backups'),
      /^ok {4}backups {4}the last, \S+backup, has the data of .*\nWARN .*none was ever tried$/,
    )
    served.child.kill('SIGTERM')
    assert.equal(await served.ended, 0)
    const tried = await command(['restore', join(dir, 'backup'), '--drill'], env)
    assert.equal(tried.code, 0, tried.err)
    const last = await look()
    assert.match(last('backups'), /^ok .*\nok {4}backups {4}one was tried on .*clean$/)
    assert.match(last('disk'), / MiB of [\d,]+ MiB are left at /)
  })

  it('finds that the key is gone, and makes no other', async () => {
    const key = join(env.DATA_DIR, 'secrets.key')
    renameSync(key, join(dir, 'kept'))
    const before = readdirSync(env.DATA_DIR)
    const { code, out } = await command(['doctor'], env)
    assert.equal(code, 1)
    assert.match(out, /^FAIL {2}secrets {4}\S+secrets\.key is missing/m)
    assert.ok(!existsSync(key))
    assert.deepEqual(readdirSync(env.DATA_DIR), before)
  })
})

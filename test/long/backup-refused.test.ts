/**
 * Goal: what is no whole backup, or cannot be restored here, is refused before anything is written,
 * with what to do. Method: the commands as an operator runs them, over one backup that is damaged
 * in every way.
 */
import assert from 'node:assert/strict'
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sha256 } from '../../src/lib/secrets.ts'
import { makeDataDir } from '../support/cluster.ts'
import { command, type Output, serve } from '../support/commands.ts'
import { bankPayout, makeCall, must } from '../support/harness.ts'

describe('a backup', () => {
  const dir = mkdtempSync(join(tmpdir(), 'bursar-refused-'))
  const data = join(dir, 'data')
  const backup = join(dir, 'backup')
  const passphrase = 'a passphrase of the test'
  const passphraseFile = join(dir, 'passphrase')
  const env = { DATA_DIR: data, RATE_LIMIT_MAX: '0', SANDBOX_DELAY: '0s' }
  const bursar = (args: string[], more: Record<string, string> = {}): Promise<Output> =>
    command(args, { ...env, ...more })
  let key: string
  before(async () => {
    writeFileSync(passphraseFile, `${passphrase}\n`)
    await makeDataDir(data)
    key = JSON.parse((await bursar(['business', 'create', '--name', 'Ada', '--json'])).out).test_key
    const served = await serve(env)
    const call = makeCall(served.url, key)
    await must(call('POST', '/wallets/simulate-fund', { currency: 'ngn', amount: 1_000_000 }))
    await must(call('POST', '/payouts', bankPayout('one', 100_000), { 'idempotency-key': 'one' }))
    await must(call('POST', '/webhooks', { url: 'https://8.8.8.8/hook' }))
    assert.equal((await bursar(['backup', backup, '--passphrase-file', passphraseFile])).code, 0)
    served.child.kill('SIGTERM')
    await served.ended
  })
  after(() => rmSync(dir, { recursive: true, force: true }))

  const into = join(dir, 'into')
  const opened = ['--passphrase-file', passphraseFile]
  /** Restores, and fails unless it is refused with this sentence and nothing is there. */
  const refused = async (
    from: string,
    sentence: RegExp,
    args: string[] = opened,
    target = into,
  ): Promise<void> => {
    const { code, out, err } = await bursar(['restore', from, '--into', target, ...args])
    assert.deepEqual([code, out], [1, ''])
    assert.match(err, sentence)
    assert.equal(err.split('\n').length, 2, err)
    if (target === into) assert.ok(!existsSync(into))
  }
  /**
   * A copy of the backup that is like it but for what `change` does. Its files are the backup's
   * own: one that is changed is put in place anew.
   */
  const altered = (name: string, change: (copy: string) => void): string => {
    const copy = join(dir, name)
    mkdirSync(copy)
    for (const entry of readdirSync(backup, { recursive: true, withFileTypes: true })) {
      const path = join(relative(backup, entry.parentPath), entry.name)
      if (entry.isDirectory()) mkdirSync(join(copy, path), { recursive: true })
      else {
        mkdirSync(dirname(join(copy, path)), { recursive: true })
        linkSync(join(backup, path), join(copy, path))
      }
    }
    change(copy)
    return copy
  }
  const replace = (file: string, contents: string | Uint8Array): void => {
    rmSync(file)
    writeFileSync(file, contents)
  }
  const withManifest = (
    name: string,
    change: (manifest: Record<string, unknown>) => void,
  ): string =>
    altered(name, (copy) => {
      const file = join(copy, 'manifest.json')
      const { manifest } = JSON.parse(readFileSync(file, 'utf8'))
      change(manifest)
      replace(
        file,
        JSON.stringify({ sha256: sha256(JSON.stringify(manifest)).toString('hex'), manifest }),
      )
    })

  it('holds no key that can be read, and is read by its owner alone', () => {
    const secret = readFileSync(join(data, 'secrets.key'), 'utf8').trim()
    for (const name of readdirSync(backup, { recursive: true, withFileTypes: true })) {
      if (!name.isFile()) continue
      assert.notEqual(name.name, 'secrets.key')
      assert.ok(!readFileSync(join(name.parentPath, name.name)).includes(secret), name.name)
    }
  })

  it('is refused with another passphrase, or with none', async () => {
    const wrong = join(dir, 'wrong')
    writeFileSync(wrong, 'another passphrase')
    await refused(backup, /passphrase is not the one that secrets\.key was encrypted with/, [
      '--passphrase-file',
      wrong,
    ])
    await refused(backup, /give its passphrase by --passphrase-file or BACKUP_PASSPHRASE/, [])
  })

  it('is refused when a file was changed, is missing, or the manifest was changed', async () => {
    const changed = altered('changed', (copy) => {
      const file = join(copy, 'postgres', 'global', 'pg_control')
      const bytes = readFileSync(file)
      bytes[100] = (bytes[100] as number) ^ 1
      replace(file, bytes)
    })
    await refused(
      changed,
      /postgres\/global\/pg_control of the backup was changed after it was made/,
    )
    rmSync(join(changed, 'postgres', 'global', 'pg_control'))
    await refused(changed, /The backup lacks postgres\/global\/pg_control \(ENOENT\)/)
    const rewritten = altered('rewritten', (copy) => {
      const file = join(copy, 'manifest.json')
      replace(file, readFileSync(file, 'utf8').replace('"format": 1', '"format": 2'))
    })
    await refused(rewritten, /manifest\.json was changed after it was written/)
    const outside = withManifest('outside', (manifest) => {
      manifest.files = [{ path: '../../etc/passwd', bytes: 1, sha256: '' }]
    })
    await refused(outside, /names '\.\.\/\.\.\/etc\/passwd', which is not in the backup/)
  })

  it('is refused when it was broken off', async () => {
    const broken = join(dir, 'broken')
    const { code } = await bursar(['backup', broken])
    assert.equal(code, 0)
    rmSync(join(broken, 'manifest.json'))
    await refused(broken, /has no manifest\.json: it is no backup, or one that was broken off/, [])
    // Killed in the middle of it.
    const killed = join(dir, 'killed')
    await command(['backup', killed], env, async (child) => {
      while (!existsSync(join(killed, 'postgres'))) await sleep(1)
      child.kill('SIGKILL')
    })
    await refused(killed, /has no manifest\.json/, [])
    // PostgreSQL outlived it; whoever leaves last stops it, and the slot of the backup is gone with
    // its session.
    assert.equal((await bursar(['ledger', 'verify'])).code, 0)
  })

  it('is refused where it is of another PostgreSQL, another machine, or a newer Bursar', async () => {
    const older = withManifest('older', (manifest) => {
      manifest.postgres = { major: 17, version: '17.6' }
    })
    await refused(
      older,
      /of PostgreSQL 17, and this Bursar brings 18, .* Restore it with Bursar 0\.1\.0, .*then run `bursar database upgrade` with this one, as docs\/backup\.md says/,
    )
    const elsewhere = withManifest('elsewhere', (manifest) => {
      manifest.platform = 'darwin-arm64'
    })
    await refused(elsewhere, /was made on darwin-arm64/)
    const newer = withManifest('newer', (manifest) => {
      manifest.migrations = [...(manifest.migrations as string[]), '9999-later.sql']
    })
    await refused(newer, /has migration 9999-later\.sql, which this Bursar does not know/)
  })

  it('is never written over anything, nor restored over it', async () => {
    const full = await bursar(['backup', backup])
    assert.deepEqual(
      [full.code, /is not empty, and nothing is ever overwritten/.test(full.err)],
      [1, true],
      full.err,
    )
    await refused(backup, /data is not empty, and nothing is ever overwritten/, opened, data)
    const inside = await bursar(['backup', join(data, 'backup')])
    assert.match(inside.err, /is in the data directory: a backup there would be lost with it/)
    const served = await serve(env)
    await refused(backup, /A server or a command is using .*data: stop it/, opened, data)
    served.child.kill('SIGTERM')
    await served.ended
  })

  it('is tried out by a drill that leaves nothing behind', async () => {
    const before = readdirSync(dir)
    const { code, out, err } = await bursar(['restore', backup, '--drill', ...opened])
    assert.deepEqual([code, err], [0, ''])
    assert.match(out, /^Restored, verified and deleted again: all that was committed before 20/)
    assert.match(out, /The books are clean: \d+ accounts, \d+ postings\.\n$/)
    assert.deepEqual(readdirSync(dir), before)
  })

  it('says what cannot be read without its key, and a server does not start without it', async () => {
    const target = join(dir, 'keyless')
    const { code, out } = await bursar(['restore', backup, '--into', target, '--without-secrets'])
    assert.equal(code, 0)
    assert.match(out, /LOOK {2}1 of webhooks\.secret cannot be read: their key is not at hand/)
    const started = await command(['serve'], { ...env, DATA_DIR: target, PORT: '0' })
    assert.match(started.err, /is not the key of this database/)
  })

  it('leaves the key out, and says so, when no passphrase is given', async () => {
    const plain = join(dir, 'plain')
    const { code, out } = await bursar(['backup', plain])
    assert.equal(code, 0)
    assert.match(out, /LOOK {2}secrets\.key is NOT in it, as no passphrase was given/)
    assert.ok(!existsSync(join(plain, 'secrets.key.sealed')))
  })

  it('is not used as long as it is not whole: a restore that was broken off starts no server', async () => {
    const target = join(dir, 'half')
    mkdirSync(join(target, 'restoring'), { recursive: true })
    const started = await command(['serve'], { ...env, DATA_DIR: target, PORT: '0' })
    assert.match(
      started.err,
      /A restore into .*half is going on, or was broken off: then delete it, and restore again/,
    )
    await refused(
      backup,
      /has what is left of a restore that was broken off: delete it/,
      opened,
      target,
    )
  })

  it('is for the embedded database: for one’s own, PostgreSQL’s commands are named', async () => {
    const own = { DATABASE_URL: 'postgres://127.0.0.1:1/bursar', SECRETS_KEY: 'ab'.repeat(32) }
    const made = await bursar(['backup', join(dir, 'own')], own)
    assert.match(
      made.err,
      /^bursar: DATABASE_URL is set: back up your own PostgreSQL with pg_basebackup .* or with pg_dump/,
    )
    const restored = await bursar(['restore', backup], own)
    assert.match(
      restored.err,
      /pg_restore, .*then run `bursar outgoing hold --restored` before a server starts/,
    )
    assert.deepEqual([made.code, restored.code], [1, 1])
  })
})

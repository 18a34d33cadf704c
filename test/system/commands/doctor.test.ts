/**
 * Goal: an operator who runs the embedded database hears of a backup that is missing, too old to
 * trust, or was never tried; and of a certificate that nobody trusts. Method: a data directory of
 * its own, with the commands that make and try a backup; a server with a certificate.
 */
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { generate } from 'selfsigned'
import { makeDataDir } from '../../support/cluster.ts'
import { runCommandWith } from '../../support/command-line.ts'
import { command, serve } from '../../support/commands.ts'
import { assertFound, examineWith } from '../../support/findings.ts'

describe('the doctor, of an embedded database', () => {
  const dir = mkdtempSync(join(tmpdir(), 'bursar-doctor-'))
  const env = {
    DATA_DIR: join(dir, 'data'),
    PORT: '0',
    BACKUP_PASSPHRASE: 'a passphrase of the test',
  }
  after(() => rmSync(dir, { recursive: true, force: true }))
  /** What the command says now, of each thing that it looks at. */
  const look = async (): Promise<(check: string) => string> => {
    const { out, err } = await runCommandWith(env, ['doctor'])
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
    assert.match(
      first('database'),
      /^ok {4}database {3}PostgreSQL 18\S+, embedded; the role bursar_server serves$/,
    )
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
    const { code, out } = await runCommandWith(env, ['doctor'])
    assert.equal(code, 1)
    assert.match(out, /^FAIL {2}secrets {4}\S+secrets\.key is missing/m)
    assert.ok(!existsSync(key))
    assert.deepEqual(readdirSync(env.DATA_DIR), before)
  })
})

describe('the doctor, of an address with a certificate', () => {
  const dir = mkdtempSync(join(tmpdir(), 'bursar-doctor-'))
  after(() => rmSync(dir, { recursive: true, force: true }))

  it('finds a certificate that is not trusted, one that ends soon, a server that is not ready, and a proxy that is not named', async (t) => {
    const made = await generate([{ name: 'commonName', value: 'localhost' }], {
      keySize: 2048,
      algorithm: 'sha256',
      notAfterDate: new Date(Date.now() + 5.5 * 86_400_000),
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
    })
    const front = createServer({ key: made.private, cert: made.cert }, (_request, response) =>
      response.end(
        JSON.stringify({
          data: { status: 'unavailable', database: true, migrations: true, workers: false },
        }),
      ),
    )
    await new Promise<void>((resolve) => front.listen(0, resolve))
    t.after(() => {
      front.closeAllConnections()
      front.close()
    })
    const BASE_URL = `https://localhost:${(front.address() as AddressInfo).port}`
    const found = await examineWith({ BASE_URL })
    assertFound(found, 'address', /^fail the certificate of \S+ is not trusted here/)
    assertFound(found, 'proxy', /^warn TRUST_PROXY is not set/)
    assertFound(await examineWith({ BASE_URL, TRUST_PROXY: '1' }), 'proxy', /^ok /)
    // Node.js reads NODE_EXTRA_CA_CERTS when a process starts.
    const file = join(dir, 'ca.pem')
    writeFileSync(file, made.cert)
    const trusting = await command(['doctor', '--json'], {
      BASE_URL,
      NODE_EXTRA_CA_CERTS: file,
      DATA_DIR: join(dir, 'none'),
    })
    const { findings } = JSON.parse(trusting.out)
    assertFound(findings, 'address', /^fail the server at \S+ is not ready: workers$/m)
    assertFound(findings, 'address', /^warn its certificate ends in 5 days/m)
  })
})

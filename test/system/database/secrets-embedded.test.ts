import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { makeDataDir } from '../../support/cluster.ts'
import { runCommandWith } from '../../support/command-line.ts'
import { command, serve } from '../../support/commands.ts'
import { makeCall, until } from '../../support/harness.ts'

describe('the key of an embedded database', () => {
  const dir = mkdtempSync(join(tmpdir(), 'bursar-secrets-'))
  const env = { DATA_DIR: join(dir, 'data'), RATE_LIMIT_MAX: '0', SANDBOX_DELAY: '0s' }
  const file = join(env.DATA_DIR, 'secrets.key')
  after(() => rmSync(dir, { recursive: true, force: true }))

  it('is changed by two commands and a restart', async () => {
    const fund = { currency: 'ngn', amount: 5_000 }
    const again = async (url: string) => {
      const answer = await makeCall(url, key)('POST', '/wallets/simulate-fund', fund, {
        'idempotency-key': 'x',
      })
      return [answer.status, answer.headers.get('idempotent-replayed')]
    }
    await makeDataDir(env.DATA_DIR)
    let served = await serve(env)
    const key = await until(async () => /test key (\S+)/.exec(served.output())?.[1])
    assert.deepEqual(await again(served.url), [200, null])
    const first = readFileSync(file, 'utf8').trim()
    assert.equal((await runCommandWith(env, ['secrets', 'new-key'])).code, 0)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    const [second, ...others] = readFileSync(file, 'utf8').trim().split('\n') as [
      string,
      ...string[],
    ]
    assert.deepEqual(others, [first])
    assert.match(
      (await runCommandWith(env, ['secrets', 'rotate'])).err,
      /^bursar: The servers do not seal under key /,
    )
    assert.deepEqual(await again(served.url), [200, 'true'])
    served.child.kill('SIGTERM')
    assert.equal(await served.ended, 0)

    served = await serve(env, ['--processes', '2'])
    assert.deepEqual(await again(served.url), [200, 'true'])
    const rotated = await runCommandWith(env, ['secrets', 'rotate'])
    assert.equal(rotated.code, 0, rotated.err)
    assert.match(
      rotated.out,
      /idempotency_keys\.body {2}1 sealed again\n.*\n.*secrets\.key holds this key alone now/s,
    )
    assert.equal(readFileSync(file, 'utf8'), `${second}\n`)
    assert.deepEqual(await again(served.url), [200, 'true'])
    served.child.kill('SIGTERM')
    assert.equal(await served.ended, 0)

    writeFileSync(file, `${first}\n`)
    const wrong = await command(['serve'], { ...env, PORT: '0' })
    assert.match(wrong.err, /^bursar: \S+secrets\.key: is not the key of this database, .*\n$/)
    assert.match(
      (await runCommandWith({ ...env, SECRETS_KEY: first }, ['secrets', 'new-key'])).err,
      /^bursar: Your key is a setting: /,
    )
  })
})

/**
 * Goal: a server starts with nothing that it was not given, lets nobody else into its data, and
 * ends with what started it. Method: `bursar serve` in folders, and by launchers, that are made for
 * it.
 */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { after, describe, it } from 'node:test'
import { newClient } from '../../../src/db/db.ts'
import { makeDataDir, newDatabase } from '../../support/cluster.ts'
import { openBeside, serve } from '../../support/commands.ts'
import { makeCall, until } from '../../support/harness.ts'
import { goodPassword } from '../../support/people.ts'

const dir = mkdtempSync(join(tmpdir(), 'bursar-start-'))
after(() => rmSync(dir, { recursive: true, force: true }))

const modes = process.platform !== 'win32'
/** Root's PostgreSQL is another user, who passes through by the group. */
const modeOf = (folder: string): number =>
  statSync(folder).mode & 0o777 & ~(process.getuid?.() === 0 ? 0o010 : 0)

describe('a server that starts', () => {
  it('reads no crontab of the folder it is started in, and logs where requests come from', async () => {
    const database = await newDatabase()
    const cwd = join(dir, 'elsewhere')
    mkdirSync(cwd)
    writeFileSync(join(cwd, 'crontab'), '* * * * * settle_payout ?id=planted\n')
    const env = {
      DATABASE_URL: database.url,
      SECRETS_KEY: 'cd'.repeat(32),
      LOG_LEVEL: 'debug',
      TRUST_PROXY: '1',
    }
    const served = await serve(env, [], cwd)
    const call = makeCall(served.url, null)
    await call('GET', '/wallets', undefined, { 'x-forwarded-for': '203.0.113.9:4711' })
    const line = await until(async () => served.output().match(/^.*"path":"\/wallets".*$/m)?.[0])
    assert.equal(JSON.parse(line).address, '203.0.113.9')
    const client = newClient(database.url)
    await client.connect()
    const { rows } = await client.query(
      'select identifier from graphile_worker._private_known_crontabs',
    )
    await client.end()
    assert.deepEqual(rows, [])
    assert.doesNotMatch(served.output(), /crontab file/)
    served.child.kill('SIGTERM')
    assert.equal(await served.ended, 0)
    await database.drop()
  })

  it('says what the README shows, and gives the link of the first owner while there is none', async () => {
    const env = { DATA_DIR: join(dir, 'owned'), RATE_LIMIT_MAX: '0' }
    const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8')
    const shown = /```\n(Bursar .* is listening on [\s\S]*?)```/.exec(readme)?.[1] ?? ''
    const plain = (text: string) =>
      text
        .replaceAll(/localhost:\d+/g, 'localhost:PORT')
        .replaceAll(/\([0-9a-f]{24}\)/g, '(ID)')
        .replaceAll(/(sk_test_|invite\/)\S+/g, '$1SECRET')
    const served = await serve(env)
    if (modes) assert.equal(modeOf(env.DATA_DIR), 0o700)
    const output = await until(async () => /Try it:/.test(served.output()) && served.output())
    assert.ok(plain(output).includes(plain(shown)), plain(output))
    const link = (text: string) =>
      /owner {4}http\S+(\/dashboard\/invite\/\S+)/.exec(text)?.[1] ?? ''
    assert.equal((await fetch(served.url + link(output))).status, 200)
    served.child.kill('SIGTERM')
    assert.equal(await served.ended, 0)

    const again = await serve(env)
    const newer = await until(async () => link(again.output()))
    assert.equal((await fetch(again.url + link(output))).status, 404, 'each start makes another')
    const body = new URLSearchParams({
      email: 'ada@shop.example',
      name: 'Ada',
      password: goodPassword,
    })
    const joined = await fetch(again.url + newer, { method: 'POST', body, redirect: 'manual' })
    assert.equal(joined.headers.get('location'), '/dashboard')
    again.child.kill('SIGTERM')
    assert.equal(await again.ended, 0)
    const owned = await serve(env)
    await until(async () => /sign in {2}http\S+\/dashboard\n/.test(owned.output()))
    assert.doesNotMatch(owned.output(), /owner/)
    owned.child.kill('SIGTERM')
    assert.equal(await owned.ended, 0)
  })

  it('ends with 1 where its stop takes longer than it may', async () => {
    const database = await newDatabase()
    const served = await serve({
      DATABASE_URL: database.url,
      SECRETS_KEY: 'cd'.repeat(32),
      STOP_TIMEOUT: '500ms',
    })
    const holder = newClient(database.url)
    await holder.connect()
    await holder.query('begin; lock table api_keys in access exclusive mode')
    const asked = assert.rejects(
      makeCall(served.url, `sk_test_${'a'.repeat(32)}`)('GET', '/wallets'),
    )
    const watcher = newClient(database.url)
    await watcher.connect()
    await until(
      async () => (await watcher.query('select from pg_locks where not granted')).rowCount !== 0,
    )
    await watcher.end()
    served.child.kill('SIGTERM')
    assert.equal(await served.ended, 1)
    assert.match(served.output(), /the stop took too long/)
    await asked
    await holder.end()
    await database.drop()
  })

  it('keeps others out of its data directory', {
    skip: !modes && 'Windows has no such modes',
  }, async () => {
    const empty = join(dir, 'empty')
    mkdirSync(empty)
    // It is empty at first, and then not: others can look into it both times.
    for (const _ of ['empty', 'filled']) {
      chmodSync(empty, 0o755)
      await (await openBeside({ DATA_DIR: empty })).close()
      assert.equal(modeOf(empty), 0o700)
    }
    // A folder with other things in it may be there for others.
    const shared = join(dir, 'shared')
    await makeDataDir(shared)
    mkdirSync(shared, { recursive: true })
    chmodSync(shared, 0o755)
    writeFileSync(join(shared, 'notes.txt'), 'ours')
    const served = await serve({ DATA_DIR: shared, RATE_LIMIT_MAX: '0' })
    assert.equal(statSync(shared).mode & 0o777, 0o755)
    assert.match(
      served.output(),
      /DATA_DIR can be read by other users of this machine: run `chmod 700` on it/,
    )
    served.child.kill('SIGTERM')
    assert.equal(await served.ended, 0)
  })
})

/** A Node.js that cannot run the server itself, and starts the pinned one. */
function olderNode(): string | null {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const node = join(folder, 'node')
    if (!existsSync(node)) continue
    const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' })
    if (Number(/^v(\d+)/.exec(stdout)?.[1]) < 24) return node
  }
  return null
}

describe('a server whose launcher is killed', () => {
  const node = olderNode()

  it('stops in order, with its database', {
    skip: node === null && 'there is no Node.js below 24 on the PATH to launch it with',
  }, async () => {
    const data = join(dir, 'launched')
    await makeDataDir(data)
    const bin = new URL('../../../bin/bursar.js', import.meta.url).pathname
    for (const args of [[], ['--processes', '2']]) {
      const child = spawn(node as string, [bin, 'serve', ...args], {
        env: {
          ...process.env,
          DATA_DIR: data,
          PORT: '0',
          LOG_LEVEL: 'info',
          RATE_LIMIT_MAX: '0',
          DATABASE_POOL: '5',
        },
      })
      let output = ''
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk) => {
          output += chunk
        })
      const url = await until(async () => {
        assert.equal(child.exitCode, null, output)
        return /listening on (http:\/\/[^\s/]+)/.exec(output)?.[1]
      }, 60_000)
      assert.ok(existsSync(join(data, 'postgres', 'postmaster.pid')))
      child.kill('SIGKILL')
      await until(async () => !existsSync(join(data, 'postgres', 'postmaster.pid')), 20_000)
      await assert.rejects(fetch(url))
      assert.match(output, /"signal":"SIGTERM".*"stopping"/)
    }
  })
})

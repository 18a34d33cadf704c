/**
 * Goal: `npm run dev` serves a changed source at once, with demo data and a fixed test key, and
 * refuses to run where that public key could do harm. Method: it runs over a copy of the sources,
 * and the test changes one of them; the other tests call its functions.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { testKey } from '../../../dev/demo-business.ts'
import { formatLogLine } from '../../../dev/log-lines.ts'
import { isLocal, readDevConfig } from '../../../dev/settings.ts'
import { tree } from '../../support/commands.ts'
import { until } from '../../support/harness.ts'

const copy = mkdtempSync(join(tmpdir(), 'bursar-dev-'))
let child: ChildProcess | null = null
after(() => {
  child?.kill('SIGKILL')
  rmSync(copy, { recursive: true, force: true })
})

describe('npm run dev', () => {
  it('serves demo data to a fixed key, and restarts when a source changes', async () => {
    for (const part of ['bin', 'dev', 'docs', 'package.json', 'src'])
      cpSync(join(tree, part), join(copy, part), { recursive: true })
    symlinkSync(join(tree, 'node_modules'), join(copy, 'node_modules'))
    const { NODE_ENV: _, ...env } = process.env
    child = spawn(process.execPath, [join(copy, 'dev/dev.ts')], { env: { ...env, PORT: '0' } })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => (output += chunk))
    const urls = (): string[] =>
      [...output.matchAll(/listening on (http:\S+)/g)].map(([, url]) => url as string)
    const ask = async (path: string) => {
      const answer = await fetch(`${urls().at(-1)}${path}`, {
        headers: { authorization: `Bearer ${testKey}` },
      })
      // biome-ignore lint/suspicious/noExplicitAny: records of every shape
      return (await answer.json()) as any
    }
    const started = (times: number) =>
      until(async () => output.split('  owner    http').length > times, 100_000)
    await started(1)
    assert.match(output, new RegExp(`test key ${testKey} `))
    for (const [path, count] of Object.entries({
      '/customers': 1,
      '/payments': 5,
      '/payouts': 1,
      '/invoices': 1,
    }))
      assert.equal((await ask(path)).data.totalDocs, count, path)

    const file = join(copy, 'src/api/meta/meta.ts')
    writeFileSync(file, readFileSync(file, 'utf8').replace(`'Ready'`, `'Ready again'`))
    await started(2)
    assert.equal((await ask('/health')).message, 'Ready again')
    assert.equal((await ask('/customers')).data.totalDocs, 1)

    child.kill('SIGTERM')
    await once(child, 'exit')
    assert.ok(
      !existsSync(join(copy, 'data-dev/postgres/postmaster.pid')),
      'PostgreSQL was left running',
    )
  })

  it('refuses to run in production and on a remote database', () => {
    assert.throws(() => readDevConfig({ NODE_ENV: 'production' }), /NODE_ENV is production/)
    assert.throws(() => readDevConfig({ CELLS_FILE: 'cells.json' }), /CELLS_FILE/)
    assert.throws(
      () => readDevConfig({ DATABASE_URL: 'postgres://db.example.com/bursar' }),
      /not on this machine/,
    )
    for (const url of [
      'postgres://localhost/b',
      'postgres://127.0.0.1:5433/b',
      'postgres://[::1]/b',
    ])
      assert.ok(isLocal(url), url)
    assert.ok(isLocal('postgres://me@/b?host=%2Fvar%2Frun%2Fpostgresql'))
    for (const url of [
      'postgres://localhost,db.example.com/b',
      'postgres://me@localhost/b?host=10.0.0.3',
    ])
      assert.ok(!isLocal(url), url)
  })

  it('formats log lines as text and leaves other lines alone', () => {
    const time = new Date(2026, 10, 22, 9, 5, 7).getTime()
    const shown = (entry: object) => stripVTControlCharacters(formatLogLine(JSON.stringify(entry)))
    assert.equal(
      shown({ level: 30, time, msg: 'request', ms: 2.5, path: '/a' }),
      '09:05:07 INFO  request ms=2.5 path=/a',
    )
    assert.equal(
      shown({ level: 50, time, msg: 'lost', err: { stack: 'Error: x\n    at y' } }),
      '09:05:07 ERROR lost\n    Error: x\n        at y',
    )
    for (const line of ['Bursar is listening', '{"level":"high"}', '7', ''])
      assert.equal(formatLogLine(line), line)
  })
})

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type Embedded, EmbeddedInUse, useEmbedded } from './embedded.ts'

const root = fs.mkdtempSync(join(tmpdir(), 'bursar-embedded-'))
const dir = join(root, 'data')
const children: ChildProcess[] = []
const dirs = new Set([dir])

const lockFile = (at = dir): string => join(at, 'postgres', 'postmaster.pid')
const pidOf = (at = dir): number => Number(fs.readFileSync(lockFile(at), 'utf8').split('\n')[0])

async function ask<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row | undefined> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows[0]
  } finally {
    await client.end()
  }
}

/** A user in a process of its own; leaves when its input ends. */
async function user(at: string, role: 'serve' | 'tool'): Promise<{ child: ChildProcess; embedded: Embedded }> {
  const code = `
    const { useEmbedded } = await import(${JSON.stringify(new URL('embedded.ts', import.meta.url).href)})
    const embedded = await useEmbedded({ dir: ${JSON.stringify(at)} }, '${role}')
    console.log(JSON.stringify(embedded))
    process.stdin.resume().on('end', () => embedded.release())`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['pipe', 'pipe', 'inherit'] })
  children.push(child)
  const told = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])
  return { child, embedded: JSON.parse(String(told[0])) as Embedded }
}

async function killed(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

async function powerCut(at = dir): Promise<void> {
  const pid = pidOf(at)
  process.kill(pid, 'SIGKILL')
  for (let alive = true; alive; await sleep(20))
    try {
      process.kill(pid, 0)
    } catch {
      alive = false
    }
}

after(async () => {
  for (const child of children) child.kill('SIGKILL')
  for (const at of dirs) if (fs.existsSync(lockFile(at))) await powerCut(at).catch(() => {})
  fs.rmSync(root, { recursive: true, force: true })
})

describe('the embedded database', () => {
  it('is made on first use, for a role that owns its database and nothing else', async () => {
    const server = await useEmbedded({ dir }, 'serve')
    assert.equal(server.adopted, false)
    const role = await ask(
      server.url,
      `select current_user as name, rolsuper or rolcreatedb or rolcreaterole as mighty,
         pg_get_userbyid(datdba) as owner, pg_encoding_to_char(encoding) as encoding
       from pg_roles, pg_database where rolname = current_user and datname = current_database()`,
    )
    assert.deepEqual(role, { name: 'bursar', mighty: false, owner: 'bursar', encoding: 'UTF8' })
    const settings = await ask(
      server.superuserUrl,
      `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
         current_setting('max_connections') as connections, current_setting('listen_addresses') as addresses`,
    )
    const addresses = process.platform === 'win32' ? '127.0.0.1' : ''
    assert.deepEqual(settings, { fsync: 'on', commit: 'on', connections: '200', addresses })
    if (process.platform !== 'win32') assert.equal(fs.statSync(join(dir, 'postgres.json')).mode & 0o777, 0o600)
    await assert.rejects(ask(server.url.replace(/:[0-9a-f]+@/, ':guess@'), 'select'), /password authentication failed/)
    await server.release()
  })

  it('has one server at a time, and tools beside it', async () => {
    const server = await useEmbedded({ dir }, 'serve')
    await assert.rejects(useEmbedded({ dir }, 'serve'), (error) => {
      assert.ok(error instanceof EmbeddedInUse)
      assert.equal(error.message, `Another Bursar server is already running on the data directory ${dir}.`)
      return true
    })
    const tool = await useEmbedded({ dir }, 'tool')
    assert.equal(tool.adopted, false)
    assert.equal(tool.url, server.url)
    await tool.release()
    assert.ok(await ask(server.url, 'select 1 as one'))
    await server.release()
  })

  it('is stopped at once by the last to leave, whichever that is', async () => {
    const server = await useEmbedded({ dir }, 'serve')
    const tool = await useEmbedded({ dir }, 'tool')
    await server.release()
    assert.ok(await ask(tool.url, 'select 1 as one'))
    const start = performance.now()
    await Promise.all([tool.release(), tool.release()])
    assert.ok(performance.now() - start < 2_000)
    assert.equal(fs.existsSync(lockFile()), false)
    await assert.rejects(ask(tool.url, 'select'))
  })

  it('serves whoever comes while another stops it', async () => {
    let last = await useEmbedded({ dir }, 'serve')
    for (let round = 0; round < 5; round++) {
      const [, next] = await Promise.all([last.release(), sleep(round * 10).then(() => useEmbedded({ dir }, 'serve'))])
      assert.ok(await ask(next.url, 'select 1 as one'))
      last = next
    }
    await last.release()
  })

  it('is taken over from a killed server', async () => {
    const { child, embedded } = await user(dir, 'serve')
    const pid = pidOf()
    await ask(embedded.url, 'create table kept as select 1 as one')
    await killed(child)
    assert.equal(pidOf(), pid)
    const server = await useEmbedded({ dir }, 'serve')
    assert.equal(server.adopted, true)
    assert.equal(pidOf(), pid)
    await server.release()
    assert.equal(fs.existsSync(lockFile()), false)
  })

  it('starts after a power cut, also when its process id is taken by another program', async () => {
    const { child } = await user(dir, 'serve')
    await killed(child)
    await powerCut()
    const again = await useEmbedded({ dir }, 'serve')
    assert.equal(again.adopted, false)
    assert.deepEqual(await ask(again.url, 'select one from kept'), { one: 1 })
    const lines = fs.readFileSync(lockFile(), 'utf8').split('\n')
    await again.release()

    if (process.platform === 'win32') return
    // PostgreSQL believes a lock file only where the process belongs to the same user.
    const { uid, gid } = fs.statSync(join(dir, 'postgres'))
    const as = process.getuid?.() === 0 ? { uid, gid } : {}
    const other = spawn('sleep', ['600'], { ...as, cwd: '/', stdio: 'ignore' })
    children.push(other)
    await once(other, 'spawn')
    fs.writeFileSync(lockFile(), [other.pid, ...lines.slice(1)].join('\n'), { mode: 0o600 })
    fs.chownSync(lockFile(), uid, gid)
    const third = await useEmbedded({ dir }, 'tool')
    assert.deepEqual(await ask(third.url, 'select one from kept'), { one: 1 })
    assert.notEqual(pidOf(), other.pid)
    await third.release()
    assert.equal(other.exitCode, null)
  })

  it('is made once when two start it at once, in a folder with a long name and leftovers', async () => {
    const deep = join(root, 'x'.repeat(90))
    dirs.add(deep)
    const leftover = join(deep, 'postgres.tmp-4194304')
    fs.mkdirSync(leftover, { recursive: true })
    const users = await Promise.all([user(deep, 'serve'), user(deep, 'tool'), user(deep, 'tool')])
    assert.deepEqual(fs.readdirSync(deep).sort(), ['postgres', 'postgres.json', 'postgres.log'])
    for (const { child, embedded } of users) {
      assert.equal(embedded.url, users[0].embedded.url)
      assert.ok(await ask(embedded.url, 'select 1 as one'))
      child.stdin?.end()
      await once(child, 'exit')
    }
    assert.equal(fs.existsSync(lockFile(deep)), false)
    const socketDir = new URL(users[0].embedded.url.replace('@/', '@x/')).searchParams.get('host')
    if (socketDir?.startsWith(join(tmpdir(), 'bursar-'))) fs.rmSync(socketDir, { recursive: true })
  })

  it('says why it does not start', async () => {
    const broken = join(root, 'broken')
    dirs.add(broken)
    await (await useEmbedded({ dir: broken }, 'tool')).release()
    await assert.rejects(useEmbedded({ dir: broken, settings: { max_connections: 'many' } }, 'tool'), /max_connections/)
    fs.rmSync(join(broken, 'postgres.json'))
    await assert.rejects(useEmbedded({ dir: broken }, 'tool'), /postgres\.json is missing/)
  })
})

/**
 * Goal: with a backup and archived WAL nothing that was answered is lost but what the archive had
 * not yet, and that is named. Method: a server under load that archives every second; a backup
 * while it works; server and PostgreSQL are killed, and the data directory is gone.
 */
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { command, type Output, type Served, serve } from '../support/commands.ts'
import { bankPayout, type Call, makeCall, must, until } from '../support/harness.ts'

const whole = { timeout: 300_000 }

describe('a drill: backup, archived WAL, the machine is lost', () => {
  const dir = mkdtempSync(join(tmpdir(), 'bursar-pitr-'))
  const [old, backupDir, archive] = ['old', 'backup', 'archive'].map((name) => join(dir, name)) as [
    string,
    string,
    string,
  ]
  const env = {
    RATE_LIMIT_MAX: '0',
    SANDBOX_DELAY: '0s',
    BACKUP_PASSPHRASE: 'a passphrase of the test',
    WAL_ARCHIVE_DIR: archive,
    WAL_ARCHIVE_TIMEOUT: '1s',
  }
  const bursar = (dataDir: string, ...args: string[]): Promise<Output> =>
    command(args, { ...env, DATA_DIR: dataDir })
  let served: Served
  let key: string
  let account: string
  let backup: { data_of: string; finished_at: string }
  /** Since when the archive has everything that was answered before. */
  let marked: string
  const call: Call = (...asked) => makeCall(served.url, key)(...asked)

  /** What clients were answered, and when; the first of what they were is the kind. */
  const answered = new Map<string, string>()
  const load = { stop: false }
  let clients: Promise<void>[] = []
  let next = 0
  const client = async (): Promise<void> => {
    while (!load.stop) {
      const n = next++
      const pays = n % 5 === 0
      const asked = pays
        ? call('POST', '/payouts', bankPayout(`load-${n}`, 1_000))
        : call('POST', `/virtual-accounts/${account}/simulate-deposit`, { amount: 1_000 + n })
      const answer = await asked.catch(() => null)
      if (answer !== null && answer.status < 300)
        answered.set(
          pays ? `/payouts/load-${n}` : `/transactions/${answer.data.id}/verify`,
          new Date().toISOString(),
        )
      await sleep(50)
    }
  }
  /** What of it a server does not know. */
  const lostIn = async (): Promise<string[]> => {
    const lost: string[] = []
    for (const path of answered.keys()) {
      const { status } = await call('GET', path)
      assert.ok(status === 200 || status === 404, `${path}: ${status}`)
      if (status === 404) lost.push(path)
    }
    return lost
  }
  const newest = (): string | undefined => {
    const [folder] = readdirSync(archive)
    return readdirSync(join(archive, folder as string))
      .sort()
      .at(-1)
  }

  before(async () => {
    key = JSON.parse(
      (await bursar(old, 'business', 'create', '--name', 'Drill', '--json')).out,
    ).test_key
    served = await serve({ ...env, DATA_DIR: old })
    await must(call('POST', '/wallets/simulate-fund', { currency: 'ngn', amount: 100_000_000 }))
    const customer = await must(
      call('POST', '/customers', { name: 'Ada Okafor', email: 'ada@example.com' }),
    )
    account = (
      await must(call('POST', '/virtual-accounts', { customer: customer.id, currency: 'ngn' }))
    ).id
  }, whole)
  after(async () => {
    load.stop = true
    await Promise.all(clients)
    rmSync(dir, { recursive: true, force: true })
  })

  it('answers while a backup is made and WAL is archived, and is killed', whole, async () => {
    clients = Array.from({ length: 4 }, client)
    await until(async () => answered.size >= 40, 90_000)
    const made = await bursar(old, 'backup', backupDir, '--json')
    assert.deepEqual([made.code, made.err], [0, ''])
    backup = JSON.parse(made.out)
    const during = answered.size
    await until(async () => answered.size >= during + 40, 90_000)
    // Two segments more: what was answered before the first of them began is in it, or in one
    // before.
    marked = new Date().toISOString()
    for (const _ of [1, 2]) {
      const before = newest()
      await until(async () => newest() !== before, 90_000)
    }
    assert.match(
      (await bursar(old, 'doctor')).out,
      /^ok {4}archive {4}WAL is archived, the last on /m,
    )
    assert.deepEqual((await call('GET', '/health')).data.warnings, [])
    const more = answered.size
    await until(async () => answered.size >= more + 10, 90_000)
    const postmaster = Number(
      readFileSync(join(old, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0],
    )
    served.child.kill('SIGKILL')
    process.kill(postmaster, 'SIGKILL')
    load.stop = true
    await Promise.all(clients)
    rmSync(old, { recursive: true, force: true })
  })

  it(
    'is restored to the end of the archive: what is lost was answered after it',
    whole,
    async (t) => {
      const data = join(dir, 'to-the-end')
      const { code, out, err } = await bursar(
        data,
        'restore',
        backupDir,
        '--wal',
        archive,
        '--json',
      )
      assert.deepEqual([code, err], [0, ''])
      const said = JSON.parse(out)
      assert.deepEqual([said.clean, said.differences, said.outgoing], [true, [], 'held'])
      assert.ok(said.data_of > marked && said.segments >= 2, out)
      served = await serve({ ...env, DATA_DIR: data })
      assert.match(
        (await call('GET', '/health')).data.warnings[0],
        /^outgoing money is held since .* that reach until/,
      )
      const lost = await lostIn()
      for (const path of lost)
        assert.ok(
          (answered.get(path) as string) > said.data_of,
          `${path} was answered at ${answered.get(path)}`,
        )
      t.diagnostic(`lost of ${answered.size}: ${lost.join(', ')}`)
      assert.ok(lost.length < answered.size / 4, `${lost.length} of ${answered.size} are lost`)
      // It archives into a folder of its own.
      await until(async () => readdirSync(archive).length === 2, 60_000)
      served.child.kill('SIGTERM')
      assert.equal(await served.ended, 0)
    },
  )

  it(
    'is restored to a moment: what was answered before is there, and nothing of after',
    whole,
    async () => {
      const times = [...answered.values()]
        .filter((at) => at > backup.finished_at && at < marked)
        .sort()
      const moment = times[Math.floor(times.length / 2)] as string
      const data = join(dir, 'to-a-moment')
      const { code, out, err } = await bursar(
        data,
        'restore',
        backupDir,
        '--wal',
        archive,
        '--until',
        moment,
        '--json',
      )
      assert.deepEqual([code, err], [0, ''])
      assert.ok(JSON.parse(out).data_of <= moment)
      served = await serve({ ...env, DATA_DIR: data })
      const lost = await lostIn()
      for (const [path, at] of answered)
        if (at <= moment) assert.ok(!lost.includes(path), `${path} was answered at ${at}`)
      // What was under way at the moment was answered soon after.
      const soon = new Date(new Date(moment).getTime() + 5_000).toISOString()
      for (const [path, at] of answered)
        if (at > soon) assert.ok(lost.includes(path), `${path} was answered at ${at}`)
      served.child.kill('SIGTERM')
      assert.equal(await served.ended, 0)
    },
  )

  it('without the archive loses, by name, what was answered after the backup', whole, async (t) => {
    const data = join(dir, 'without')
    const restored = await bursar(data, 'restore', backupDir, '--json')
    assert.deepEqual([restored.code, JSON.parse(restored.out).data_of], [0, backup.data_of])
    served = await serve({ ...env, DATA_DIR: data })
    const lost = await lostIn()
    for (const [path, at] of answered) {
      if (at <= backup.data_of) assert.ok(!lost.includes(path), `${path} was answered at ${at}`)
      if (at > backup.finished_at) assert.ok(lost.includes(path), `${path} was answered at ${at}`)
    }
    t.diagnostic(`lost of ${answered.size}: ${lost.join(', ')}`)
    assert.ok(lost.length >= 40)
    served.child.kill('SIGTERM')
    assert.equal(await served.ended, 0)
    assert.ok(existsSync(join(data, 'postgres', 'PG_VERSION')))
  })

  it('refuses what cannot be', whole, async () => {
    const into = join(dir, 'never')
    const refused = async (sentence: RegExp, ...args: string[]): Promise<void> => {
      const { code, err } = await bursar(into, 'restore', backupDir, ...args)
      assert.match(err, sentence)
      assert.deepEqual([code, existsSync(into)], [1, false])
    }
    await refused(/--until needs --wal/, '--until', '2026-11-22T10:00:00Z')
    await refused(/must be a time with its zone/, '--wal', archive, '--until', 'yesterday')
    await refused(
      /is not after .*, when the backup ended: take one of before/,
      '--wal',
      archive,
      '--until',
      '2020-01-01T00:00:00Z',
    )
    const later = new Date(Date.now() + 3_600_000).toISOString()
    await refused(
      /Nothing that was archived was committed after .*: leave --until away/,
      '--wal',
      archive,
      '--until',
      later,
    )
    await refused(/has no folder wal-/, '--wal', dir)
    const own = await command(['serve'], {
      ...env,
      DATABASE_URL: 'postgres://x@localhost/x',
      SECRETS_KEY: 'ab'.repeat(32),
    })
    assert.match(own.err, /WAL_ARCHIVE_DIR is for the embedded database/)
  })
})

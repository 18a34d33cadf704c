/**
 * Goal: when the PostgreSQL of some cells is killed under load, the others answer as fast as
 * before, and what was answered is there. Method: four cells on two PostgreSQL servers behind one
 * `bursar serve`; requests at a fixed pace to all; one server killed with -9 in the middle of each
 * round, and rounds without a kill to compare with. `CELLS_WINDOW` is the length of half a round in
 * seconds, `CELLS_ROUNDS` their number.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Embedded, useEmbedded } from '../../src/db/cluster/embedded.ts'
import { newClient } from '../../src/db/db.ts'
import { migrate } from '../../src/db/schema/migrate.ts'
import { command, type Served, serve } from '../support/commands.ts'
import { bankPayout, type Call, type Json, listAll, makeCall, until } from '../support/harness.ts'

const windowMs = Number(process.env.CELLS_WINDOW ?? 60) * 1_000
const rounds = Number(process.env.CELLS_ROUNDS ?? 5)
/** Requests to each cell in a second: half of them payouts, half reads. */
const pace = 20

const letters = ['a', 'b', 'c', 'd'] as const
type Letter = (typeof letters)[number]
const placeOf = { a: 'one', b: 'one', c: 'two', d: 'two' } as const

type Sample = { letter: Letter; at: number; ms: number; status: number }

const quantile = (all: number[], share: number): number =>
  all.sort((x, y) => x - y)[Math.min(all.length - 1, Math.floor(all.length * share))] as number
const median = (all: number[]): number => quantile([...all], 0.5)

describe('four cells on two PostgreSQL servers', () => {
  const dir = mkdtempSync(join(tmpdir(), 'bursar-four-'))
  const servers: Record<string, Embedded> = {}
  const keys = {} as Record<Letter, string>
  let env: Record<string, string>
  let served: Served
  const dirOf = (place: string): string => join(dir, place)
  const urlOf = (letter: Letter, kind: 'url' | 'ownerUrl' | 'superuserUrl'): string =>
    (servers[placeOf[letter]] as Embedded)[kind].replace(
      /\/(postgres|bursar)\?/,
      `/cell_${letter}?`,
    )
  const healthy = async (): Promise<boolean> =>
    ((await (await fetch(`${served.url}/health`)).json()) as Json).data.status === 'ok'

  before(async () => {
    for (const place of ['one', 'two'])
      servers[place] = await useEmbedded({ dir: dirOf(place) }, 'tool')
    for (const letter of letters) {
      const admin = newClient((servers[placeOf[letter]] as Embedded).superuserUrl)
      await admin.connect()
      await admin.query(`create database cell_${letter} template bursar owner bursar`)
      await admin.end()
      await migrate(urlOf(letter, 'ownerUrl'), 'bursar_server')
    }
    const file = join(dir, 'cells.json')
    const cells = Object.fromEntries(
      letters.map((letter) => [letter, { database_url: urlOf(letter, 'url') }]),
    )
    writeFileSync(file, JSON.stringify({ cells }))
    env = {
      CELLS_FILE: file,
      SECRETS_KEY: 'ab'.repeat(32),
      DATA_DIR: dir,
      DATABASE_URL: '',
      SANDBOX_DELAY: '0s',
      RATE_LIMIT_MAX: '0',
      DATABASE_POOL: '6',
      LOG_LEVEL: 'fatal',
    }
    served = await serve(env)
    await until(healthy, 60_000)
    for (const letter of letters) {
      const made = await command(['business', 'create', '--name', `In ${letter}`, '--json'], {
        ...env,
        CELL: letter,
      })
      keys[letter] = JSON.parse(made.out).test_key
      const call = makeCall(served.url, keys[letter])
      await call('POST', '/wallets/simulate-fund', { currency: 'ngn', amount: 9_000_000_000_000 })
    }
  })
  after(async () => {
    served?.child.kill('SIGTERM')
    await served?.ended
    for (const one of Object.values(servers)) await one.release().catch(() => {})
    rmSync(dir, { recursive: true, force: true })
  })

  function kill(place: string): void {
    const pid = readFileSync(join(dirOf(place), 'postgres', 'postmaster.pid'), 'utf8').split(
      '\n',
    )[0] as string
    const children = execFileSync('pgrep', ['-P', pid], { encoding: 'utf8' }).trim().split('\n')
    for (const one of [pid, ...children]) process.kill(Number(one), 'SIGKILL')
  }

  it('answer as fast as before while the other server is dead, and lose nothing', {
    timeout: rounds * windowMs * 8 + 300_000,
  }, async (test) => {
    const diagnostic = (line: string): void => test.diagnostic(line)
    const samples: Sample[] = []
    const answered = new Map<Letter, Set<string>>(letters.map((letter) => [letter, new Set()]))
    const under = new Set<Promise<void>>()
    let sent = 0
    let stop = false
    const ask = async (letter: Letter, call: Call): Promise<void> => {
      const reference = `r-${sent++}`
      const began = performance.now()
      const answer =
        sent % 2 === 0
          ? await call('POST', '/payouts', bankPayout(reference, 10_000), {
              'idempotency-key': reference,
            })
          : await call('GET', '/wallets')
      samples.push({ letter, at: began, ms: performance.now() - began, status: answer.status })
      if (answer.status === 201) answered.get(letter)?.add(reference)
    }
    const pacer = async (letter: Letter): Promise<void> => {
      const call = makeCall(served.url, keys[letter])
      for (let next = performance.now(); !stop; next += 1_000 / pace) {
        await sleep(Math.max(0, next - performance.now()))
        const one: Promise<void> = ask(letter, call).finally(() => under.delete(one))
        under.add(one)
      }
    }
    const pacers = letters.map(pacer)
    await sleep(5_000)

    const p99Of = (from: number, to: number): number =>
      quantile(
        samples
          .filter(({ letter, at }) => placeOf[letter] === 'one' && at >= from && at < to)
          .map(({ ms }) => ms),
        0.99,
      )
    const round = async (kills: boolean): Promise<{ before: number; after: number }> => {
      const began = performance.now()
      await sleep(windowMs)
      const middle = performance.now()
      if (kills) kill('two')
      await sleep(windowMs)
      const found = { before: p99Of(began, middle), after: p99Of(middle, performance.now()) }
      if (kills) {
        await servers.two?.release().catch(() => {})
        servers.two = await useEmbedded({ dir: dirOf('two') }, 'tool')
        await until(healthy, 60_000)
        await sleep(2_000)
      }
      return found
    }
    const [killed, quiet]: { before: number; after: number }[][] = [[], []]
    for (let n = 0; n < rounds; n++) {
      quiet?.push(await round(false))
      killed?.push(await round(true))
    }
    stop = true
    await Promise.all([...pacers, ...under])

    const say = (name: string, all: { before: number; after: number }[]): number => {
      const ratio = median(all.map(({ before, after }) => after / before))
      const of = (which: 'before' | 'after') => all.map((one) => one[which].toFixed(1)).join(' ')
      diagnostic(
        `${name}: p99 before ${of('before')} ms, after ${of('after')} ms; median ratio ${ratio.toFixed(2)}`,
      )
      return ratio
    }
    const without = say('without a kill', quiet ?? [])
    const ratio = say('with a kill', killed ?? [])
    const lost = samples.filter(({ letter, status }) => placeOf[letter] === 'two' && status >= 500)
    const slowest = Math.max(...lost.map(({ ms }) => ms))
    diagnostic(
      `${samples.length} requests; ${lost.length} of the dead cells refused, the slowest after ${slowest.toFixed(0)} ms`,
    )
    assert.deepEqual([...new Set(lost.map(({ status }) => status))], [503])
    assert.equal(
      samples.filter(({ letter, status }) => placeOf[letter] === 'one' && status >= 400).length,
      0,
    )
    for (const letter of letters) {
      const docs = await listAll(makeCall(served.url, keys[letter]), '/payouts')
      const there = new Set(docs.map(({ reference }) => reference))
      for (const reference of answered.get(letter) ?? [])
        assert.ok(there.has(reference), `${reference} of ${letter} was answered and is lost`)
      assert.equal((await command(['ledger', 'verify'], { ...env, CELL: letter })).code, 0)
    }
    assert.ok(slowest < 2_500, `${slowest} ms`)
    assert.ok(ratio <= 1.5 * Math.max(1, without), `${ratio} with a kill, ${without} without`)
  })
})

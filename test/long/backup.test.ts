/**
 * Goal: what was answered before a backup's end is in it, and nothing is paid twice by what is
 * restored from it. Method: a server under load, with an account at a double of Paystack; a backup
 * while it works; it is killed, and restored elsewhere. Some payouts wait at the moment of the
 * backup: one of them is paid after it, one never.
 */
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Double, startPaystack } from '../doubles/paystack.ts'
import { makeDataDir } from '../support/cluster.ts'
import { command, type Served, serve } from '../support/commands.ts'
import { bankPayout, type Call, makeCall, must, until } from '../support/harness.ts'
import { railsEnv } from '../support/provider.ts'

const passphrase = 'a passphrase of the test'
const small = 100_000
const funds = 50_000_000
/** More than the account at the provider holds until it is topped up. */
const large = 100_000_000

describe('a drill: backup under load, kill, restore', () => {
  const dir = mkdtempSync(join(tmpdir(), 'bursar-drill-'))
  const backupDir = join(dir, 'backup')
  let double: Double
  let served: Served
  let key: string
  let account: string
  let backup: { data_of: string; finished_at: string; secrets: string }
  let env: Record<string, string>
  const old = join(dir, 'old')
  const restored = join(dir, 'restored')
  const call: Call = (...asked) => makeCall(served.url, key)(...asked)
  const bursar = (dataDir: string, ...args: string[]) =>
    command(args, { ...env, DATA_DIR: dataDir })
  const statusOf = async (reference: string): Promise<string> =>
    (await call('GET', `/payouts/${reference}`)).data.status

  /** What clients were answered, and when. */
  const answered = new Map<string, { what: 'payout' | 'deposit'; at: string }>()
  const load = { stop: false }
  let clients: Promise<void>[] = []
  let next = 0
  const client = async (): Promise<void> => {
    while (!load.stop) {
      const n = next++
      const what = n % 20 === 0 ? 'payout' : 'deposit'
      const reference = `load-${n}`
      const headers = { 'idempotency-key': reference }
      const asked =
        what === 'payout'
          ? call('POST', '/payouts', bankPayout(reference, small), headers)
          : call(
              'POST',
              `/virtual-accounts/${account}/simulate-deposit`,
              { amount: 1_000 + n },
              headers,
            )
      const answer = await asked.catch(() => null)
      if (answer?.status === 201 || answer?.status === 200)
        answered.set(what === 'payout' ? reference : answer.data.id, {
          what,
          at: new Date().toISOString(),
        })
      // A test key may ask a hundred times a minute at Paystack.
      await sleep(250)
    }
  }
  const transfersOf = (id: string) =>
    double.test.books.transfers.filter(({ reference }) => reference.startsWith(`po-${id}`))
  const idOf = async (reference: string): Promise<string> =>
    (await must(call('GET', `/payouts/${reference}`))).id

  before(async () => {
    double = await startPaystack({ settings: { autopilot: true } })
    double.test.operator.topUp(funds)
    const accounts = {
      paystack: { provider: 'paystack', secret_key: 'env:PS_KEY', base_url: double.url },
    }
    env = {
      ...railsEnv({ test: { accounts, routes: { 'payout.ngn': ['paystack'] } } }),
      PS_KEY: double.keys.test,
      RATE_LIMIT_MAX: '0',
      SANDBOX_DELAY: '0s',
      BACKUP_PASSPHRASE: passphrase,
    }
    await makeDataDir(old)
    key = JSON.parse(
      (await bursar(old, 'business', 'create', '--name', 'Drill', '--json')).out,
    ).test_key
    served = await serve({ ...env, DATA_DIR: old })
    await must(call('POST', '/wallets/simulate-fund', { currency: 'ngn', amount: 10 * large }))
    const customer = await must(
      call('POST', '/customers', { name: 'Ada Okafor', email: 'ada@example.com' }),
    )
    account = (
      await must(call('POST', '/virtual-accounts', { customer: customer.id, currency: 'ngn' }))
    ).id
  })
  after(async () => {
    load.stop = true
    await Promise.all(clients)
    await double.stop()
    // Whoever leaves last stops PostgreSQL.
    for (const dataDir of [old, restored])
      if (existsSync(dataDir)) await bursar(dataDir, 'ledger', 'verify')
    rmSync(dir, { recursive: true, force: true })
  })

  it('makes a backup while clients are answered', { timeout: 240_000 }, async () => {
    for (const reference of ['waits-1', 'waits-2'])
      await must(call('POST', '/payouts', bankPayout(reference, large)))
    await must(call('POST', '/payouts', bankPayout('waits-3', 5 * large)))
    clients = Array.from({ length: 4 }, client)
    await until(async () => answered.size >= 40, 90_000)
    const { code, out, err } = await bursar(old, 'backup', backupDir, '--json')
    assert.deepEqual([code, err], [0, ''])
    backup = JSON.parse(out)
    assert.equal(backup.secrets, 'sealed')
    const before = answered.size
    await until(async () => answered.size >= before + 40, 90_000)
    load.stop = true
    await Promise.all(clients)
  })

  it('loses a server that has paid since', async () => {
    // Two of three go out now.
    double.test.operator.topUp(3 * large)
    await until(async () => (await statusOf('waits-2')) === 'completed', 60_000)
    assert.equal(await statusOf('waits-3'), 'pending')
    served.child.kill('SIGKILL')
    await served.ended
  })

  it('restores what was answered before the backup ended, with clean books', async () => {
    const { code, out, err } = await bursar(restored, 'restore', backupDir, '--json')
    assert.deepEqual([code, err], [0, ''])
    const said = JSON.parse(out)
    assert.deepEqual(
      [said.clean, said.differences, said.data_of, said.unreadable, said.outgoing],
      [true, [], backup.data_of, [], 'held'],
    )
    served = await serve({ ...env, DATA_DIR: restored })
    let lost = 0
    for (const [id, { what, at }] of answered) {
      const { status } = await call(
        'GET',
        what === 'payout' ? `/payouts/${id}` : `/transactions/${id}/verify`,
      )
      if (at <= backup.data_of)
        assert.equal(status, 200, `${what} ${id} was answered at ${at} and is not in the backup`)
      else if (status === 404) lost++
      if (at > backup.finished_at)
        assert.equal(status, 404, `${what} ${id} was answered at ${at}, after the backup`)
    }
    assert.ok(lost >= 10, `${lost} were answered after the backup, and are lost`)
  })

  it('takes over what a rail was paid for since, and sends nothing', async () => {
    for (const reference of ['waits-1', 'waits-2'])
      await until(async () => (await statusOf(reference)) === 'completed', 60_000)
    const verified = await bursar(restored, 'ledger', 'verify', '--json')
    assert.deepEqual([verified.code, JSON.parse(verified.out).differences], [0, []])
    assert.match(
      JSON.parse(verified.out).warnings[0],
      /^outgoing money is held since .*, as data were restored that reach/,
    )
    assert.match((await call('GET', '/health')).data.warnings[0], /^outgoing money is held since/)

    const anew = await must(call('POST', '/payouts', bankPayout('anew-1', small)))
    const canceled = await call('POST', '/payouts/waits-3/cancel')
    assert.deepEqual([canceled.status, canceled.code], [400, 'payout_not_cancelable'])
    double.test.operator.topUp(5 * large)
    await sleep(6_000)
    assert.deepEqual([await statusOf('waits-3'), await statusOf('anew-1')], ['pending', 'pending'])
    assert.deepEqual([transfersOf(await idOf('waits-3')), transfersOf(anew.id)], [[], []])
  })

  it('shows what waits, and pays it once it is let go', async () => {
    const { orders } = JSON.parse((await bursar(restored, 'outgoing', 'status', '--json')).out)
    const said = new Map(
      orders.map((one: { reference: string; rails_say: string }) => [one.reference, one.rails_say]),
    )
    assert.deepEqual([said.get('waits-3'), said.get('anew-1')], ['not_found', 'new'])
    const { code, out, err } = await bursar(restored, 'outgoing', 'release', '--by', 'Ada')
    assert.deepEqual([code, err], [0, ''])
    assert.match(out, /^Outgoing money goes again, by Ada\./)
    for (const reference of ['waits-3', 'anew-1'])
      await until(async () => (await statusOf(reference)) === 'completed', 90_000)
    assert.deepEqual((await call('GET', '/health')).data.warnings, [])
  })

  it('has paid nothing twice', async () => {
    const { docs } = await must(call('GET', '/payouts?limit=100'))
    for (const { id, reference, status } of docs) {
      const paid = transfersOf(id).length
      assert.ok(
        paid <= 1 && (paid === 1 || status !== 'completed'),
        `${reference}: ${status}, paid ${paid} times`,
      )
    }
    const sent = double.requests
      .filter(({ operation }) => operation === 'transfer')
      .map(({ body }) => body?.reference)
    assert.equal(new Set(sent).size, sent.length, 'each reference was sent once')
    assert.deepEqual([double.violations, double.audit()], [[], []])
    const verified = await bursar(restored, 'ledger', 'verify', '--json')
    assert.deepEqual([verified.code, JSON.parse(verified.out).differences], [0, []])
    served.child.kill('SIGTERM')
    assert.equal(await served.ended, 0)
  })
})

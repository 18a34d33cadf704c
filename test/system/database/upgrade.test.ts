/**
 * Goal: an upgrade loses nothing. Method: this version answers requests with no worker beside it,
 * and ends; a copy of it with one migration more, in two halves, starts on the same database.
 */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { newDatabase } from '../../support/cluster.ts'
import { command, type Served, serve, tree } from '../../support/commands.ts'
import { bankPayout, type Call, type Json, makeCall, must, until } from '../../support/harness.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'

const adds = `-- Understood by servers from 0012 on.
alter table payments add column asked_at timestamptz(3);
`
const takesAway =
  'update payments set asked_at = created_at; alter table payments alter column asked_at set not null;\n'
const lists = ['/wallets', '/payments?limit=100', '/customers?limit=100', '/transactions?limit=100']

describe('an upgrade from the baseline', () => {
  const next = mkdtempSync(join(tmpdir(), 'bursar-next-'))
  const payment = {
    amount: 750_000,
    currency: 'ngn',
    reference: 'under-way',
    email: 'ada@example.com',
  }
  const header = { 'idempotency-key': 'kept-by-the-version-before' }
  let database: Awaited<ReturnType<typeof newDatabase>>
  let receiver: Receiver
  let env: Record<string, string>
  let key: string
  let webhook: Json
  let answer: Json
  let answers: Json[]
  let upgraded: Served | undefined
  let call: Call

  const readAll = (): Promise<Json[]> => Promise.all(lists.map((path) => must(call('GET', path))))

  before(async () => {
    for (const part of ['src', 'bin', 'package.json'])
      cpSync(join(tree, part), join(next, part), { recursive: true })
    symlinkSync(join(tree, 'node_modules'), join(next, 'node_modules'))
    writeFileSync(join(next, 'src/db/schema/migrations/9000-asked.sql'), adds)
    writeFileSync(join(next, 'src/db/schema/migrations/9000-asked.finish.sql'), takesAway)
    database = await newDatabase()
    receiver = await startReceiver()
    env = {
      DATABASE_URL: database.url,
      MIGRATE_DATABASE_URL: database.ownerUrl,
      SECRETS_KEY: 'cd'.repeat(32),
      RATE_LIMIT_MAX: '0',
      SANDBOX_DELAY: '0s',
      BASE_URL: 'https://bursar.example',
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
      WEBHOOK_CA_FILE: receiver.caFile,
    }
    key = JSON.parse(
      (await command(['business', 'create', '--name', 'Up', '--json'], env)).out,
    ).test_key
    const former = await serve(env, ['--role', 'api'])
    call = makeCall(former.url, key)
    webhook = await must(call('POST', '/webhooks', { url: `${receiver.url}/hooks`, events: ['*'] }))
    await must(call('POST', '/wallets/simulate-fund', { currency: 'ngn', amount: 1_000_000 }))
    await must(call('POST', '/customers', { name: 'Ada Obi', email: 'ada@example.com' }))
    answer = await must(call('POST', '/payments', payment, header))
    await must(call('POST', '/payouts', bankPayout('under-way', 20_000)))
    answers = await readAll()
    former.child.kill('SIGTERM')
    assert.equal(await former.ended, 0, former.output())
    assert.equal(receiver.requests.length, 0)
    upgraded = await serve(env, ['--role', 'api'], '.', next)
    call = makeCall(upgraded.url, key)
  })
  after(async () => {
    upgraded?.child.kill('SIGTERM')
    await upgraded?.ended
    await receiver.stop()
    await database.drop()
    rmSync(next, { recursive: true, force: true })
  })

  it('answers its keys with the records as they were, and gives a kept answer again', async () => {
    assert.deepEqual(await readAll(), answers)
    const again = await call('POST', '/payments', payment, header)
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
    assert.deepEqual(again.data, answer)
    const other = await call('POST', '/payments', { ...payment, amount: 1 }, header)
    assert.equal(other.code, 'idempotency_key_reused')
  })

  it('finishes, and then ends what was in flight and sends what waited, signed by the secrets that there were', async () => {
    const { child, ended } = upgraded as Served
    child.kill('SIGTERM')
    await ended
    const finished = await command(['migrate', '--finish'], env, undefined, next)
    assert.equal(finished.code, 0, finished.err)
    upgraded = await serve(env, [], '.', next)
    call = makeCall(upgraded.url, key)
    await until(
      async () => (await must(call('GET', '/payouts/under-way'))).status === 'completed',
      60_000,
    )
    await until(
      async () => receiver.requests.some(({ body }) => body.includes('payout.completed')),
      60_000,
    )
    for (const { headers, body } of receiver.requests)
      assert.equal(
        headers['x-signature'],
        `sha256=${createHmac('sha256', webhook.secret).update(body).digest('hex')}`,
      )
    const types = new Set(receiver.requests.map(({ body }) => JSON.parse(body.toString()).type))
    for (const type of ['payout.initiated', 'payout.completed']) assert.ok(types.has(type), type)
  })

  it('goes on, with clean books', async () => {
    await must(call('POST', `/payments/${answer.id}/simulate`, { outcome: 'completed' }))
    await must(call('POST', '/refunds', { payment: answer.id }))
    const verified = await command(['ledger', 'verify', '--json'], env, undefined, next)
    assert.deepEqual([verified.code, JSON.parse(verified.out).differences], [0, []])
  })

  it('leaves a database on which the version before does not start', async () => {
    await assert.rejects(
      serve(env),
      /9000-asked\.finish\.sql, which this server does not know\. Upgrade the server\./,
    )
  })
})

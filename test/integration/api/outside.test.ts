/**
 * Goal: whoever is outside (a rail, a bank that tells names, DNS, an SMTP server) is never asked
 * from inside of a transaction. Method: each such call first looks, from inside of the call, for
 * transactions of the server that stay open and idle while it lasts; every write route is asked
 * with and without an Idempotency-Key, and every job runs.
 */
import assert from 'node:assert/strict'
import dns from 'node:dns/promises'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import type pg from 'pg'
import { SMTPServer } from 'smtp-server'
import { slowTasks, tasks } from '../../../src/app/modules.ts'
import { openAccounts, operator } from '../../../src/books/ledger/ledger.ts'
import { startReturn } from '../../../src/collecting/returns/returns.ts'
import { outside, scopeOf } from '../../../src/core/outside.ts'
import { newClient } from '../../../src/db/db.ts'
import type { Id } from '../../../src/lib/ids.ts'
import { randomText } from '../../../src/lib/secrets.ts'
import { enqueue, schedule } from '../../../src/platform/jobs/timers.ts'
import { mailOnce } from '../../../src/platform/mail/mail.ts'
import { looseningTask } from '../../../src/platform/team/team.ts'
import type { AccountRail, AccountState } from '../../../src/rails/ports/bank-accounts.ts'
import type { IdentityRail } from '../../../src/rails/ports/rail.ts'
import { keyWith, ownAccount } from '../../support/approvers.ts'
import {
  type Answer,
  bankPayout,
  type Call,
  settled,
  startServer,
  type TestServer,
  until,
} from '../../support/harness.ts'
import { notifierOf, outcomeOf, signedBy } from '../../support/notifier.ts'
import { documentsOf, everythingOfOperator, operatorOf } from '../../support/operators.ts'
import { signIn } from '../../support/people.ts'
import '../../support/own-process.ts'

/** A transaction that only passes is not idle in the same place for so long. */
const lastsMs = 1_000

let server: TestServer
let asOperator: Call
let client: pg.Client
let smtp: SMTPServer
/** What was asked of whom, and what was found open meanwhile. */
const asked = new Map<string, number>()
const found: string[] = []
const ran = new Set<string>()
const covered = new Set<string>()

type Idle = { pid: number; began: string; since: string; query: string }

async function idleTransactions(): Promise<Idle[]> {
  const { rows } = await client.query<Idle>(
    `select pid, xact_start::text as began, state_change::text as since, query from pg_stat_activity
      where datname = current_database() and state like 'idle in transaction%' and pid <> pg_backend_pid()`,
  )
  return rows
}

/**
 * Looks until each transaction that is open has had another statement: one that has none for a
 * while is held open.
 */
async function look(what: string): Promise<void> {
  asked.set(what, (asked.get(what) ?? 0) + 1)
  let open = await idleTransactions()
  if (open.length === 0) return
  const isEnded = async (): Promise<boolean> => {
    const now = await idleTransactions()
    open = open.filter(({ pid, began, since }) =>
      now.some((one) => one.pid === pid && one.began === began && one.since === since),
    )
    return open.length === 0
  }
  await until(isEnded, lastsMs).catch(() => {
    for (const { query } of open)
      found.push(`${what} was asked while a transaction was open, after: ${query}`)
  })
}

/**
 * Verifies a nin, which the sandbox leaves to no rail: the rail of an account at a provider, for
 * test keys.
 */
const identities: IdentityRail = {
  name: 'provider',
  idTypes: ['nin'],
  needsAccount: false,
  verify: async () => ({ state: 'pending' }),
  ask: async () => ({ state: 'verified' }),
  ownersOf: async () => [],
}

/**
 * Has accounts of the sandbox known by references, and those of this holder opened later, as at a
 * provider.
 */
const laterHolder = 'Later'
function openLater(accounts: AccountRail): void {
  const { open } = accounts
  Object.assign(accounts, {
    open: async (request) =>
      request.accountName === laterHolder
        ? { state: 'pending', providerReference: request.id, askAgainInMs: 60_000 }
        : { ...(await open(request)), expiresAt: new Date(request.at.getTime() + 3_600_000) },
    ask: async (request) =>
      ({ ...(await open(request)), providerReference: request.id }) as AccountState,
    referenceOf: async (id) => `va-${id}`,
    deposit: async ({ reference }) => ({ state: 'unpaid', reference: reference as string }),
  } satisfies Partial<AccountRail>)
}

/** What test keys ask. */
function testRails(): Record<string, Record<string, unknown>> {
  const { sandbox, addresses } = server.app.rails.test
  const { payout, lookup, account, bank_transfer } = sandbox.ports
  const accounts = { accounts: account, transfers: bank_transfer }
  const rails = {
    payouts: payout,
    lookups: lookup,
    ...accounts,
    cards: sandbox.cards,
    addresses,
    identities,
  }
  return rails as Record<string, object> as Record<string, Record<string, unknown>>
}

/** Has every function of an object look first. */
function watch(name: string, of: Record<string, unknown>): void {
  for (const [verb, ask] of Object.entries(of))
    if (typeof ask === 'function')
      of[verb] = async (...args: unknown[]) => {
        await look(`${name}.${verb}`)
        return ask.apply(of, args)
      }
}

const resolve4 = dns.Resolver.prototype.resolve4

before(async () => {
  smtp = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    authOptional: true,
    onConnect: (_session, callback) => void look('smtp').then(() => callback()),
    onData: (stream, _session, callback) => {
      stream.resume()
      stream.on('end', () => callback())
    },
  })
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve))
  const { port } = smtp.server.address() as AddressInfo
  for (const group of [tasks, slowTasks])
    for (const [name, task] of Object.entries(group))
      group[name] = async (...args) => {
        ran.add(name)
        await task(...args)
      }
  // Long enough that a payout can be canceled: jobs run when the test clock moves.
  server = await startServer({ SANDBOX_DELAY: '10m', SMTP_URL: `smtp://127.0.0.1:${port}` })
  // Nobody but the team is written to in test mode.
  await signIn(server, 'viewer', { email: 'ada@example.com' })
  // Money that nobody claims is posted here without its receipt.
  server.leaveBooksUnverified()
  asOperator = await operatorOf(server)
  client = newClient(server.databaseUrl)
  await client.connect()
  server.app.rails.test.sandbox.ports.payout.referenceOf = async ({ id }) => `po-${id}`
  const { sandbox } = server.app.rails.test
  openLater(sandbox.ports.account)
  const { rails, terms } = server.app
  rails.test.accounts.sandbox = { ...sandbox, inbound: signedBy('now') }
  rails.test.accounts.provider = { ...sandbox, name: 'provider', ports: { identity: identities } }
  Object.assign(terms.test.accounts, {
    provider: { ...sandbox, name: 'provider', ports: { identity: identities } },
  })
  for (const { test } of [rails, terms]) test.routes['identity.ng'] = ['provider']
  for (const [kind, rail] of Object.entries(testRails())) watch(kind, rail)
  dns.Resolver.prototype.resolve4 = (async () => {
    await look('dns')
    return ['93.184.216.34']
  }) as never
})

after(async () => {
  dns.Resolver.prototype.resolve4 = resolve4
  await client.end()
  await server.stop()
  await new Promise<void>((resolve) => smtp.close(() => resolve()))
})

/** Has every write route do something, and time go by. `ask` gives the data of what succeeds. */
async function everything(
  ask: (
    method: string,
    path: string,
    body?: object,
    may?: number[],
    call?: Call,
  ) => Promise<Answer['data']>,
) {
  const name = `run-${randomText(8)}`
  const bank = { bank_code: '058', account_number: '0123456789' }
  const pass = (advance: string) =>
    ask('POST', '/test/clock', { advance }).then(() => settled(server.app))

  for (const currency of ['ngn', 'usd'])
    await ask('POST', '/wallets/simulate-fund', { currency, amount: 100_000_000 })

  await ask('PUT', '/business', { name: 'Test Business' })
  const { reference: _none, ...quote } = bankPayout('', 50_000)
  await ask('POST', '/payouts/quote', quote)
  const payout = (await ask('POST', '/payouts', bankPayout(`${name}-paid`, 50_000))).id
  await ask('POST', '/payouts', bankPayout(`${name}-canceled`, 50_000))
  await ask('POST', `/payouts/${name}-canceled/cancel`)
  await ask('POST', '/payouts', bankPayout(`${name}-told`, 50_000))
  await ask('POST', `/payouts/${name}-told/simulate`, { outcome: 'failed' })

  const [manager, approver] = [
    await keyWith(server, ['manage']),
    await keyWith(server, ['approve']),
  ]
  const above = (approve_above: number | null) =>
    ask('PUT', '/limits', { currencies: [{ currency: 'ngn', approve_above }] }, [200], manager.call)
  await above(0)
  for (const verb of ['approve', 'refuse', 'many', 'late'])
    await ask('POST', '/payouts', bankPayout(`${name}-${verb}`, 50_000))
  for (const verb of ['approve', 'refuse'])
    await ask('POST', `/payouts/${name}-${verb}/${verb}`, undefined, [200], approver.call)
  await ask(
    'POST',
    '/payouts/decisions',
    { decision: 'approve', references: [`${name}-many`] },
    [200],
    approver.call,
  )
  await above(null)
  const nothing = `/limits/pending/${'0'.repeat(24)}`
  await ask('POST', `${nothing}/confirm`, undefined, [404], approver.call)
  await ask('POST', `${nothing}/cancel`, undefined, [404], manager.call)

  const saved = (
    await ask('POST', '/beneficiaries', {
      label: 'Ada',
      method: 'bank_transfer',
      destination: bank,
    })
  ).id
  await ask('PATCH', `/beneficiaries/${saved}`, { destination: bank })
  await ask('DELETE', `/beneficiaries/${saved}`)

  const batch = { currency: 'ngn', lines: [{ amount: 50_000, destination: bank }] }
  await ask('POST', '/payouts/batch', { ...batch, reference: `${name}-batch` })
  const draftOf = async (reference: string) =>
    (await ask('POST', '/payouts/batch', { ...batch, reference, dry_run: true })).id
  await ask('POST', `/payout-batches/${await draftOf(`${name}-confirmed`)}/confirm`)
  await ask('POST', `/payout-batches/${await draftOf(`${name}-dropped`)}/cancel`)
  const failing = (await ask('POST', '/payouts/batch', { ...batch, reference: `${name}-failing` }))
    .id
  await until(async () => (await ask('GET', `/payout-batches/${failing}`)).status === 'completed')
  await ask('POST', `/payouts/${name}-failing-1/simulate`, { outcome: 'failed' })
  await ask('POST', `/payout-batches/${failing}/retry`, { reference: `${name}-retried` })
  const { id: own } = await ownAccount(server)
  const daily = { currency: 'ngn', beneficiary: own, interval: 'daily', keep: 90_000_000 }
  const standing = (await ask('POST', '/payout-schedules', daily)).id
  await pass('2d')
  await ask('PATCH', `/payout-schedules/${standing}`, { status: 'paused' })
  await ask('DELETE', `/payout-schedules/${standing}`)

  const names = { first_name: 'Ada', last_name: 'Okafor' }
  const customer = (await ask('POST', '/customers', { ...names, email: 'ada@example.com' })).id
  await ask('PUT', `/customers/${customer}`, { phone: '+2348012345678' })
  await ask('POST', `/customers/${customer}/documents`, {
    id_type: 'bvn',
    id_number: '22222222222',
  })
  await ask('POST', `/customers/${customer}/documents`, {
    id_type: 'nin',
    id_number: '22222222222',
    ...bank,
  })
  const gone = (await ask('POST', '/customers', { name: 'Bola Eze', email: 'bola@example.com' })).id
  await ask('DELETE', `/customers/${gone}`)
  await ask('POST', `/customers/${gone}/erase`)

  const account = (
    await ask('POST', '/virtual-accounts', { kind: 'static', currency: 'ngn', customer })
  ).id
  await ask('POST', `/virtual-accounts/${account}/simulate-deposit`, { amount: 5_000 })
  await ask('PATCH', `/virtual-accounts/${account}/close`)
  await ask('POST', '/virtual-accounts', { kind: 'dynamic', currency: 'ngn', amount: 1_000 })
  const later = { kind: 'static', currency: 'ngn', customer, account_name: laterHolder }
  const pending = (await ask('POST', '/virtual-accounts', later)).id
  await pass('2m')
  await ask('PATCH', `/virtual-accounts/${pending}/close`)

  const wallet = (await ask('POST', '/crypto/wallets', { customer })).id
  await ask('POST', `/crypto/wallets/${wallet}/simulate-deposit`, { amount: 700, currency: 'usdc' })
  await ask('PATCH', `/crypto/wallets/${wallet}/close`)

  const payment = async (more: object = {}) =>
    (await ask('POST', '/payments', { amount: 10_000, currency: 'ngn', ...more })).id
  const paid = async (method: string, more: object = {}, outcome = 'completed') => {
    const id = await payment(more)
    await ask('POST', `/payments/${id}/simulate`, { outcome, method })
    return id
  }
  const [byCard, byBank, byToken] = [
    await paid('card'),
    await paid('bank_transfer'),
    await paid('crypto'),
  ]
  await paid('bank_transfer', { on_mismatch: 'reverse' }, 'overpaid')
  for (const outcome of ['failed', 'expired'])
    await ask('POST', `/payments/${await payment()}/simulate`, { outcome })
  await ask('POST', `/payments/${await payment()}/cancel`)
  await payment()

  const refund = (await ask('POST', '/refunds', { payment: byCard, amount: 1_000 })).id
  await ask('POST', `/refunds/${refund}/simulate`, { outcome: 'completed' })
  await ask('POST', '/refunds', { payment: byBank, destination: bank })
  await ask('POST', '/refunds', { payment: byToken })

  const swap = { amount: 155_000, currency: 'ngn', destination_currency: 'usd' }
  const { id: quoted } = await ask('POST', '/conversions/quote', swap)
  await ask('POST', '/conversions', { quote: quoted })

  const dispute = (await ask('POST', `/payments/${byCard}/simulate-dispute`, { amount: 1_000 })).id
  const decide = (act: string) =>
    ask('POST', `/operator/disputes/${dispute}/${act}`, undefined, [200], asOperator)
  for (const act of ['hold', 'release']) await decide(act)
  await ask('POST', `/disputes/${dispute}/simulate`, { outcome: 'lost' })
  await decide('take')

  const left = (await ask('POST', `/payments/${byCard}/simulate-dispute`, { amount: 1_000 })).id
  await ask('PUT', `/disputes/${left}/evidence`, { explanation: 'Handed over in the shop.' })
  await ask('POST', `/disputes/${left}/submit`)
  const third = (await ask('POST', `/payments/${byCard}/simulate-dispute`, { amount: 1_000 })).id
  await ask('POST', `/disputes/${third}/accept`)
  await askAboutDispute(left)

  const collection = (
    await ask('POST', '/collections', { name: 'School fees', currency: 'ngn', amount: 5_000 })
  ).id
  await ask('PUT', `/collections/${collection}`, { name: 'Fees' })
  await ask('POST', `/collections/${collection}/cancel`)

  const shares = [{ name: 'Ada', percentage_bps: 5_000, destination: bank }]
  const plan = (await ask('POST', '/distributions', { name: 'Half', currency: 'ngn', shares })).id
  await ask('PUT', `/distributions/${plan}`, { name: 'One half' })
  await ask('PATCH', `/distributions/${plan}/deactivate`)
  await ask('PATCH', `/distributions/${plan}/activate`)
  await ask('POST', `/distributions/${plan}/preview`, { amount: 1_000 })
  const product = (
    await ask('POST', '/products', {
      name: 'Shoes',
      amount: 500_000,
      currency: 'ngn',
      distribution: plan,
    })
  ).id
  await ask('PUT', `/products/${product}`, { description: 'Running shoes' })
  await ask('PATCH', `/products/${product}/archive`)
  await ask('PATCH', `/products/${product}/unarchive`)

  const lines = [{ product, quantity: 2 }]
  const draft = async (more: object = {}) =>
    (await ask('POST', '/invoices', { customer, lines, ...more })).id
  await ask('DELETE', `/invoices/${await draft()}`)
  const voided = await draft()
  await ask('POST', `/invoices/${voided}/finalize`)
  await ask('POST', `/invoices/${voided}/void`)
  const dueAt = new Date(server.app.clock.now().getTime() + 4_000 * 86_400_000).toISOString()
  await draft({ due_date: dueAt })
  const soon = (await ask('GET', '/test/clock')).now
  const invoice = await draft({
    due_date: new Date(Date.parse(soon) + 2 * 86_400_000).toISOString(),
    reminders: { days_before: [1] },
  })
  await ask('PUT', `/invoices/${invoice}`, { memo: 'Thank you' })
  const { payment: asksFor } = await ask('POST', `/invoices/${invoice}/finalize`)
  await ask('POST', `/invoices/${invoice}/send`)
  const open = await draft({
    due_date: new Date(Date.parse(soon) + 2 * 86_400_000).toISOString(),
    reminders: { days_before: [1] },
  })
  await ask('POST', `/invoices/${open}/finalize`)
  await ask('POST', `/payments/${asksFor}/simulate`, {
    outcome: 'completed',
    method: 'bank_transfer',
  })
  await ask('POST', '/invoices/preview', {
    currency: 'ngn',
    lines: [{ name: 'Repair', amount: 10_000, quantity: 1 }],
  })
  const back = (await ask('POST', '/refunds', { payment: asksFor, destination: bank })).id
  await ask('POST', `/refunds/${back}/simulate`, { outcome: 'completed' })
  const [note] = (await ask('GET', `/credit-notes?invoice=${invoice}`)).docs
  await ask('POST', `/credit-notes/${note.id}/send`)
  await ask('POST', `/distributions/${plan}/settle`)

  const url = 'https://hook.example.com/events'
  const webhook = (await ask('POST', '/webhooks', { url, active: false })).id
  await ask('PUT', `/webhooks/${webhook}`, { url: `${url}/2` })
  await ask('POST', `/webhooks/${webhook}/roll-secret`)
  await ask('POST', `/webhooks/${webhook}/test`, { event: 'payout.completed' }, [200, 400, 422])
  await ask('POST', `/webhooks/${webhook}/recover`, { since: '2020-01-01T00:00:00Z' }, [200, 400])
  const [event] = (await ask('GET', '/events')).docs
  await ask(
    'POST',
    '/webhooks/events/resend',
    { event_id: event.id, webhook_id: webhook },
    [200, 400],
  )
  await ask('DELETE', `/webhooks/${webhook}`)

  for (const step of ['30m', '1d', '1d', '40d']) await pass(step)

  await everythingOfOperator(server, name, (method, path, body) =>
    ask(method, path, body, [200, 201], asOperator),
  )

  const notify = notifierOf(server.url, 'sandbox', 'test')
  assert.equal(
    await notify({ event: name, id: payout, kind: 'payout', reference: `po-${payout}` }),
    200,
  )
  assert.equal(await outcomeOf(server, name), 'nothing_to_do')
}

/**
 * Sends back a payment that nobody claims: it is the operator's, for whom the test clock does not
 * move.
 */
async function returnUnclaimed(): Promise<void> {
  const ctx = outside(server.app, await scopeOf(server.app, operator, false))
  await ctx.write((work) =>
    openAccounts(work, [
      { purpose: 'rail_clearing', currency: 'ngn', subject: 'sandbox' },
      { purpose: 'unclaimed', currency: 'ngn', subject: 'sandbox' },
    ]),
  )
  const unclaimed = {
    rail: 'sandbox',
    providerId: 'stray',
    reference: null,
    currency: 'ngn',
    amount: 1_000n,
  } as const
  const started = await startReturn(ctx, { ...unclaimed, fee: null, givenBack: false, by: 'Ada' })
  assert.equal(typeof started, 'object')
  await client.query(`update timers set due_at = now() where task = 'returns.ask'`)
  await until(async () => ran.has('returns.ask'))
}

/** As of one that is at a provider. */
async function askAboutDispute(id: Id): Promise<void> {
  const ctx = outside(server.app, await scopeOf(server.app, server.businessId, false))
  const timer = { task: 'disputes.ask', subject: id, payload: { dispute_id: id } }
  await ctx.write((work) => schedule(work, { ...timer, dueAt: work.scope.now }))
  await until(async () => ran.has('disputes.ask'))
}

/** What nobody asked for is mailed about live money alone. */
async function mailReceipt(): Promise<void> {
  const ctx = outside(server.app, await scopeOf(server.app, server.businessId, true))
  const mail = {
    about: 'payment.completed 1',
    recipient: 'ada@example.com',
    subject: 'Your payment',
    body: 'Thank you.',
  }
  await ctx.write((work) => mailOnce(work, mail))
  // Until it has ended: the SMTP server looks for transactions while it is asked.
  await until(
    async () =>
      (
        await server.app.db.query(`select from mails where about is not null and status = 'sent'`)
      )[0],
  )
}

/** What loosens waits in live mode alone: here the jobs find nothing. */
async function loosenNothing(): Promise<void> {
  const ctx = outside(server.app, await scopeOf(server.app, server.businessId, true))
  for (const subject of ['limits', 'second_factor'] as const) {
    const task = looseningTask(subject)
    await ctx.write((work) =>
      enqueue(work, [{ task, subject: server.businessId, payload: { loosening_id: 'none' } }]),
    )
    await until(async () => ran.has(task))
  }
}

describe('who is outside', () => {
  for (const keyed of [false, true])
    it(`is never asked from inside of a transaction ${keyed ? 'with' : 'without'} an Idempotency-Key, or by a job`, async () => {
      const paths = Object.keys(await documentsOf(server)).map((path) => ({
        path,
        is: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
      }))
      let requests = 0
      await everything(async (method, path, body, may = [200, 201], call = server.call) => {
        const route = paths
          .filter(({ is }) => is.test(path))
          .sort((a, b) => Number(a.path.includes('{')) - Number(b.path.includes('{')))[0]
        covered.add(`${method} ${route?.path}`)
        const headers: Record<string, string> =
          keyed && method === 'POST' ? { 'idempotency-key': `key-${requests++}` } : {}
        const answer = await call(method, path, body, headers)
        assert.ok(
          may.includes(answer.status),
          `${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`,
        )
        // A clock that has moved by a day has left the keys of before behind.
        if (
          headers['idempotency-key'] !== undefined &&
          answer.status < 300 &&
          path !== '/test/clock'
        ) {
          const again = await call(method, path, body, headers)
          assert.equal(again.headers.get('idempotent-replayed'), 'true', `${method} ${path}`)
          assert.deepEqual(again.body, answer.body)
        }
        return answer.data
      })
      assert.deepEqual(found, [])
    })

  it('was asked by every way there is: every write route, every job, every rail, DNS and SMTP', async () => {
    const writes = Object.entries(await documentsOf(server)).flatMap(([path, operations]) =>
      Object.keys(operations)
        .filter((method) => method !== 'get')
        .map((method) => `${method.toUpperCase()} ${path}`),
    )
    assert.ok(writes.length > 40, `${writes.length} write routes`)
    assert.deepEqual(
      writes.filter((route) => !covered.has(route)),
      [],
      'routes that were not asked',
    )
    // The sandbox gives no receipts, so these books are not looked at.
    await returnUnclaimed()
    await mailReceipt()
    await loosenNothing()
    const jobs = [...Object.keys(tasks), ...Object.keys(slowTasks)]
    assert.deepEqual(
      jobs.filter((job) => !ran.has(job)),
      [],
      'jobs that did not run',
    )
    for (const kind of [...Object.keys(testRails()), 'dns', 'smtp'])
      assert.ok(
        [...asked.keys()].some((what) => what.startsWith(kind)),
        `${kind} was asked: ${[...asked.keys()]}`,
      )
  })

  it('would be seen: a transaction that is held open while a rail is asked', async () => {
    const holder = newClient(server.databaseUrl)
    await holder.connect()
    await holder.query('begin')
    await holder.query('select 1')
    await server.call('GET', '/misc/ng/resolve?bank_code=058&account_number=0123456789')
    await holder.query('rollback')
    await holder.end()
    // A job that asks at the same time sees it too.
    assert.match(
      found.splice(0).join('\n'),
      /^lookups\.lookup was asked while a transaction was open/m,
    )
  })
})

/**
 * What the hot operations cost with many rows in the tables, beside what they cost with few, in one
 * run.
 */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Opened, open } from '../src/app/main.ts'
import { transactionExport } from '../src/books/transactions/routes.ts'
import { getTransaction, listTransactions } from '../src/books/transactions/transactions.ts'
import { listWallets, simulateFund } from '../src/books/wallets/wallets.ts'
import * as customers from '../src/collecting/customers/customers.ts'
import { bookBankDeposit, prepareDeposit } from '../src/collecting/deposits/deposits.ts'
import * as payments from '../src/collecting/payments/payments.ts'
import * as refunds from '../src/collecting/refunds/refunds.ts'
import { type Ctx, outside } from '../src/core/outside.ts'
import { useEmbedded } from '../src/db/cluster/embedded.ts'
import { newClient } from '../src/db/db.ts'
import { foldCounts } from '../src/db/lists/counts.ts'
import { readConfig } from '../src/lib/config.ts'
import { type Id, newId } from '../src/lib/ids.ts'
import * as payouts from '../src/paying-out/payouts/payouts.ts'
import { emitMany } from '../src/platform/events/events.ts'
import { attemptDelivery, recordAttempts } from '../src/platform/webhooks/deliveries.ts'
import { getEvent, listDeliveries, listEvents } from '../src/platform/webhooks/log.ts'
import { claimDeliveries, selectReady } from '../src/platform/webhooks/queue.ts'
import { createWebhook } from '../src/platform/webhooks/webhooks.ts'
import * as invoices from '../src/selling/invoices/invoices.ts'
import { startReceiver } from '../test/support/receiver.ts'
import { fill } from './fill.ts'
import { dropOldest } from './partitions.ts'

const { values } = parseArgs({
  options: {
    transactions: { type: 'string', default: '1000000' },
    small: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '200' },
    /**
     * Of events: how many months have partitions of their own; 0: all stand in the first, as after
     * an upgrade.
     */
    months: { type: 'string', default: '13' },
    /** A directory to fill once and measure again; without it, a temporary one. */
    dir: { type: 'string' },
  },
})
const rounds = Number(values.rounds)
const dir = values.dir ?? mkdtempSync(join(tmpdir(), 'bursar-scale-'))
mkdirSync(dir, { recursive: true })

/** A database and the business that owns half of it. */
type Side = {
  name: string
  opened: Opened
  ctx: Ctx
  rows: number
  ids: Id[]
  recent: Id[]
  events: Id[]
  account: Id
}
type Operation = { name: string; run(side: Side, round: number): Promise<unknown> }

const at = (url: string, name: string): string => url.replace(/\/(postgres|bursar)\?/, `/${name}?`)
const now = (): Date => new Date()
const fresh = ({ ctx }: Side): Ctx => outside(ctx, { ...ctx.scope, now: now() })
const receiver = await startReceiver()

// The disk's waits are the same on both sides, and would only blur what is compared.
const embedded = await useEmbedded(
  { dir, settings: { fsync: 'off', synchronous_commit: 'off', max_wal_size: '16GB' } },
  'serve',
)
const sides: Side[] = []
let cleaned: Promise<void> | null = null
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => cleanUp().then(() => process.exit(1)))
try {
  for (const [name, size] of [
    ['small', values.small],
    ['large', values.transactions],
  ] as const)
    sides.push(await openSide(name, Number(size)))
  const [small, large] = sides as [Side, Side]
  console.log(
    `${small.rows * 2} and ${large.rows * 2} transactions, half of them of one business; ${rounds} rounds\n`,
  )
  await compare(small, large, operations())
  for (const side of sides) await streamAll(side)
  if (values.months !== '0')
    for (const side of sides) {
      const { rows, partitions, took, during, otherwise } = await dropOldest(side.opened, () =>
        pay(side, payout(`${newId(now())}-during`)),
      )
      console.log(
        `one of ${partitions} partitions dropped (${side.name}): ${rows} events in ${took.toFixed(0)} ms; the slowest payout took ${during.toFixed(0)} ms meanwhile, ${otherwise.toFixed(0)} ms afterwards`,
      )
    }
} finally {
  await cleanUp()
}

/** Once, also when a signal comes while it runs. */
function cleanUp(): Promise<void> {
  cleaned ??= (async () => {
    for (const { opened } of sides) await opened.close()
    await embedded.release()
    await receiver.stop()
    if (values.dir === undefined) rmSync(dir, { recursive: true, force: true })
  })()
  return cleaned
}

async function openSide(name: string, size: number): Promise<Side> {
  const known = join(dir, `${name}.json`)
  const isNew = !existsSync(known)
  if (isNew) {
    const admin = newClient(embedded.superuserUrl)
    await admin.connect()
    await admin.query(`create database ${name} owner bursar`)
    await admin.end()
  }
  const opened = await open(
    readConfig({
      DATABASE_URL: at(embedded.url, name),
      MIGRATE_DATABASE_URL: at(embedded.ownerUrl, name),
      SECRETS_KEY: '00'.repeat(32),
      LOG_LEVEL: 'fatal',
      SANDBOX_DELAY: '1h',
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
      WEBHOOK_CA_FILE: receiver.caFile,
    }),
    'all',
  )
  if (isNew)
    writeFileSync(
      known,
      JSON.stringify(
        await fill(opened, at(embedded.superuserUrl, name), size, Number(values.months)),
      ),
    )
  const [businessId] = JSON.parse(readFileSync(known, 'utf8')) as [Id]
  const ctx = outside(opened.app, { businessId, livemode: false, now: now() })
  await ctx.write((work) => simulateFund(work, 'ngn', 10n ** 13n))
  await ctx.db.query(
    'update webhooks set active = false, deleted_at = created_at where business_id = $1',
    [businessId],
  )
  await ctx.write((work) =>
    createWebhook(work, { input: { url: receiver.url, events: ['payout.failed'] }, warnings: [] }),
  )
  const account = newId(now())
  await ctx.db.query(
    `insert into virtual_accounts (business_id, livemode, id, customer_id, currency, kind, account_name, account_number,
                                   bank_name, bank_code, status, rail, created_at, updated_at)
     values ($1, false, $2, $2, 'ngn', 'static', 'Ada Obi', $3, 'Bank', '058', 'active', 'sandbox', $4, $4)`,
    [businessId, account, account.slice(-10), now()],
  )
  const [{ rows }] = (await ctx.db.query<{ rows: bigint }>(
    'select count(*) as rows from transactions where business_id = $1 and not livemode',
    [businessId],
  )) as [{ rows: bigint }]
  const ids = await ctx.db.query<{ id: Id }>(
    `select id from transactions tablesample bernoulli (${Math.min(100, (100 * 4_000) / size)})
      where business_id = $1 and not livemode order by created_at desc, id desc`,
    [businessId],
  )
  const recent = await ctx.db.query<{ id: Id }>(
    `select id from transactions where business_id = $1 and not livemode order by created_at desc, id desc limit 100`,
    [businessId],
  )
  const events = await ctx.db.query<{ id: Id }>(
    `select id from events tablesample bernoulli (${Math.min(100, (100 * 20_000) / size)}) where business_id = $1 and not livemode order by id`,
    [businessId],
  )
  const idOf = ({ id }: { id: Id }): Id => id
  return {
    name,
    opened,
    ctx,
    rows: Number(rows),
    ids: ids.map(idOf),
    recent: recent.map(idOf),
    events: events.map(idOf),
    account,
  }
}

function operations(): Operation[] {
  /** A transaction at a depth of the list: 0 the newest, 1 the oldest. */
  const idAt = ({ ids }: Side, depth: number): Id => ids[Math.floor(depth * (ids.length - 1))] as Id
  const recentAt = ({ recent }: Side, round: number): Id => recent[round % recent.length] as Id
  const list = (
    name: string,
    query: (side: Side) => Parameters<typeof listTransactions>[1],
  ): Operation => ({
    name: `list, ${name}`,
    run: (side) => listTransactions(side.ctx, query(side)),
  })
  const pageAt = ({ rows }: Side, depth: number): number =>
    Math.max(1, Math.floor((rows / 20) * depth))
  return [
    { name: 'create payout', run: (side, round) => pay(side, payout(`${newId(now())}-${round}`)) },
    { name: 'deposit to credited wallet', run: deposit },
    { name: 'read wallet', run: ({ ctx }) => listWallets(ctx, 'ngn') },
    {
      name: 'verify transaction, recent',
      run: (side, round) => getTransaction(side.ctx, recentAt(side, round)),
    },
    {
      name: 'verify transaction, any',
      run: (side, round) => getTransaction(side.ctx, idAt(side, (round * 0.618) % 1)),
    },
    { name: 'deliver webhook', run: deliver },
    { name: 'read event, any', run: readAny },
    { name: 'list events', run: ({ ctx }) => listEvents(ctx, {}) },
    { name: 'list deliveries', run: ({ ctx }) => listDeliveries(ctx, {}) },
    list('page=1', () => ({})),
    list('after, a tenth down', (side) => ({ after: idAt(side, 0.1) })),
    list('after, half way down', (side) => ({ after: idAt(side, 0.5) })),
    list('after, near the end', (side) => ({ after: idAt(side, 0.99) })),
    list('page, half way down', (side) => ({ page: pageAt(side, 0.5) })),
    list('last page', (side) => ({ page: pageAt(side, 1) })),
    list('status=reversed (rare)', () => ({ status: 'reversed' })),
    list('type=refund (rare)', () => ({ type: 'refund' })),
    list('currency=usd', () => ({ currency: 'usd' })),
    list('direction=debit, half way down', (side) => ({
      direction: 'debit',
      page: pageAt(side, 0.05),
    })),
    list('30 days and a half', () => ({
      from: '2026-03-01T00:00:00Z',
      to: '2026-03-31T12:00:00Z',
    })),
    list('customer', () => ({ customer: (42).toString(16).padStart(24, '0') })),
    ...searches(),
  ]
}

/** What is found by what is in it: rare and common, and what is refused for being too much. */
function searches(): Operation[] {
  /**
   * The number of a record in the middle of those that the first business has, of which each ten
   * have one that ends so.
   */
  const at = ({ rows }: Side, digit: number): number => Math.floor(rows / 10) * 10 + digit
  const search = <Query>(
    name: string,
    list: (ctx: Ctx, query: Query) => Promise<{ totalDocs: number }>,
    query: (side: Side) => Query,
    isTooBroad = false,
  ): Operation => ({
    name,
    run: (side) =>
      list(side.ctx, query(side)).then(
        ({ totalDocs }) => assert.ok(totalDocs > 0, name),
        (error) => assert.ok(isTooBroad && error.code === 'search_too_broad', error),
      ),
  })
  const amountAt = (side: Side, digit: number): number => 1_000 + (at(side, digit) % 9_973) * 100
  return [
    search('payouts, 30 days and a half', payouts.list, () => ({
      from: '2026-03-01T00:00:00Z',
      to: '2026-03-31T12:00:00Z',
    })),
    search('payouts, amount of all', payouts.list, () => ({ amount: 10_000 })),
    search(
      'payouts, amount of all, page 600',
      payouts.list,
      () => ({ amount: 10_000, page: 600 }),
      true,
    ),
    search('payouts, amount of all, status=failed', payouts.list, () => ({
      amount: 10_000,
      status: 'failed' as const,
    })),
    search('payouts, reference, one', payouts.list, (side) => ({
      reference: `ref-${at(side, 0) - (at(side, 0) % 20)}`,
    })),
    search('payouts, reference, too many', payouts.list, () => ({ reference: 'ref-' }), true),
    search('payouts, search, a reference', payouts.list, (side) => ({
      search: `ref-${at(side, 0) - (at(side, 0) % 20)}`,
    })),
    search('payouts, search, an account of all', payouts.list, () => ({ search: '0123456789' })),
    search('payouts, search, an amount of all', payouts.list, () => ({ search: '100.00' })),
    search('payments, 30 days and a half', payments.list, () => ({
      from: '2026-03-01T00:00:00Z',
      to: '2026-03-31T12:00:00Z',
    })),
    search('payments, amount', payments.list, (side) => ({ amount: amountAt(side, 2) })),
    search('payments, email', payments.list, (side) => ({
      email: `mail${at(side, 2) % 100_000}@example.com`,
    })),
    search('payments, reference, hundreds', payments.list, (side) => ({
      reference: `pay-${String(at(side, 2)).slice(0, -3)}`,
    })),
    search('payments, search, an email', payments.list, (side) => ({
      search: `mail${at(side, 2) % 100_000}@example.com`,
    })),
    search('payments, search, an amount', payments.list, (side) => ({
      search: (amountAt(side, 2) / 100).toFixed(2),
    })),
    search('payments, search, a reference', payments.list, (side) => ({
      search: `pay-${at(side, 2)}`,
    })),
    search(
      'refunds, amount',
      refunds.list,
      (side) => ({ amount: amountAt(side, 0) + 200 - (at(side, 0) % 50) * 100 }),
      true,
    ),
    search('refunds, search, a reference', refunds.list, (side) => ({
      search: `back-${at(side, 0) - (at(side, 0) % 50) + 2}`,
    })),
    search('invoices, number', invoices.list, (side) => ({
      number: at(side, 0) - (at(side, 0) % 50) + 4,
    })),
    search('invoices, search, a customer', invoices.list, (side) => ({
      search: `mail${at(side, 0) - (at(side, 0) % 50) + 4}@ex`,
    })),
    search('customers, email', customers.list, (side) => ({
      email: `mail${at(side, 6)}@example.com`,
    })),
    search('customers, search, a name', customers.list, (side) => ({
      search: `name${at(side, 6) % 4_999}`,
    })),
    search('customers, search, two names', customers.list, () => ({ search: 'ada name1' }), true),
    search('customers, search, too many', customers.list, () => ({ search: 'mail exam' }), true),
  ]
}

function payout(reference: string): Parameters<typeof payouts.prepare>[1] {
  const destination = { bank_code: '058', account_number: '0123456789' }
  return {
    reference,
    amount: 10_000,
    currency: 'ngn',
    method: 'bank_transfer',
    destination,
  } as never
}

async function pay(side: Side, input: Parameters<typeof payouts.prepare>[1]): Promise<void> {
  const ctx = fresh(side)
  const order = await payouts.prepare(ctx, input)
  await ctx.write((work) => payouts.create(work, order))
}

async function deposit(side: Side): Promise<void> {
  const ctx = fresh(side)
  const { account, notification } = await prepareDeposit(ctx, side.account, { amount: 500 })
  await bookBankDeposit(ctx, account, notification)
}

/** An event, the claim of its delivery, the request and its record, as the dispatcher does them. */
async function deliver(side: Side): Promise<void> {
  const ctx = fresh(side)
  await ctx.write((work) =>
    emitMany(work.tx, [{ scope: work.scope, type: 'payout.failed', record: { metadata: {} } }]),
  )
  const endpoints = await ctx.db.rows(selectReady, ['', false, '', 256])
  const claimed = await claimDeliveries(
    ctx.db,
    'bench',
    endpoints.map((one) => ({ ...one, places: 1 })),
  )
  const never = new AbortController().signal
  await Promise.all(
    claimed.map(async (one) =>
      recordAttempts(ctx.db, await attemptDelivery(ctx, 'bench', one, never)),
    ),
  )
}

/** An event of any age. */
async function readAny(side: Side, round: number): Promise<unknown> {
  const { ctx, events } = side
  return getEvent(ctx, events[Math.floor(((round * 0.618) % 1) * events.length)] as Id)
}

/** Every operation on both sides in turn: the medians, and how long the slowest of twenty takes. */
async function compare(small: Side, large: Side, all: Operation[]): Promise<void> {
  const times = new Map(
    all.map(({ name }) => [name, { small: [] as number[], large: [] as number[] }]),
  )
  for (let round = -5; round < rounds; round++) {
    for (const { name, run } of all)
      for (const side of round % 2 === 0 ? [small, large] : [large, small]) {
        const start = performance.now()
        await run(side, round + 5)
        if (round >= 0)
          times.get(name)?.[side.name as 'small' | 'large'].push(performance.now() - start)
      }
    // As the periodic task does every second.
    if (round % 20 === 0) for (const { opened } of sides) await foldCounts(opened.app.db)
  }
  console.log(
    `${'operation'.padEnd(40)}${['small ms', 'large ms', 'ratio', 'large p95'].map((title) => title.padStart(10)).join('')}`,
  )
  for (const [name, { small: few, large: many }] of times) {
    const [a, b] = [median(few), median(many)]
    console.log(
      `${name.padEnd(40)}${[a.toFixed(2), b.toFixed(2), (b / a).toFixed(2), quantile(many, 0.95).toFixed(2)].map((cell) => cell.padStart(10)).join('')}`,
    )
  }
}

function quantile(numbers: number[], part: number): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * part)] as number
}

function median(numbers: number[]): number {
  return quantile(numbers, 0.5)
}

/** The CSV export, up to a million rows, and the memory of this process meanwhile. */
async function streamAll(side: Side): Promise<void> {
  const megabytes = (): number => Math.round(process.memoryUsage().rss / 2 ** 20)
  const memory = [`${megabytes()} before`]
  const start = performance.now()
  let rows = 0
  for await (const part of await transactionExport.read(side.ctx, { query: {} })) {
    const reached = Math.floor(rows / 200_000)
    rows += part.split('\n').length - 1
    if (Math.floor(rows / 200_000) > reached)
      memory.push(`${megabytes()} at ${rows - (rows % 200_000)}`)
    if (rows >= 1_000_000) break
  }
  const seconds = (performance.now() - start) / 1000
  console.log(
    `CSV of ${rows} rows (${side.name}): ${(rows / seconds).toFixed(0)} rows/s; MB of memory: ${memory.join(', ')}`,
  )
}

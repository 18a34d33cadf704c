/**
 * A whole server on a database of its own, spoken to over HTTP as a client would.
 */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { open, serve, startWork, verifyBooks, workOf } from '../../src/app/main.ts'
import { createBusiness } from '../../src/books/businesses/businesses.ts'
import type { App } from '../../src/core/app.ts'
import { type Ctx, outside, scopeOf } from '../../src/core/outside.ts'
import type { Statement } from '../../src/db/db.ts'
import type { Clock } from '../../src/lib/clock.ts'
import { readConfig } from '../../src/lib/config.ts'
import type { Provider } from '../../src/rails/ports/provider.ts'
import { newDatabase, type TestDatabase } from './cluster.ts'
import { type DrivenWork, drivenServers, driveWork } from './driven-work.ts'
import { send } from './http.ts'
import { recordRefusal } from './provoked.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into records of every shape
export type Json = any
export type Answer = {
  status: number
  headers: Headers
  body: Json
  data: Json
  code: string | undefined
}
export type Call = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answer>

export type TestServer = {
  url: string
  app: App
  /** As the role that serves. */
  databaseUrl: string
  /** As the role that owns the tables. */
  ownerUrl: string
  superuserUrl: string
  /** Runs a statement as the owner of the tables: what the server's role may not do. */
  asOwner: TestDatabase['asOwner']
  businessId: string
  testKey: string
  liveKey: string
  /** Calls with the test key of the first business. */
  call: Call
  /** The same with another key, or with none. */
  callAs(key: string | null): Call
  /** Puts test money into a wallet. */
  fund(currency: 'ngn' | 'usd', amount: number): Promise<void>
  /**
   * Fails unless the books are clean now. They are verified at `stop` too, so that few tests have
   * to ask.
   */
  assertBooksClean(): Promise<void>
  /** Leaves the books unverified at `stop`: a test has made them wrong. */
  leaveBooksUnverified(): void
  /**
   * Runs what is due until nothing is due and nothing is under way: what has not happened by then
   * does not happen by itself.
   */
  idle(): Promise<void>
  /** Serves no more, and leaves the database to another. */
  leave(): Promise<void>
  stop(): Promise<void>
}

type Work = 'driven' | 'workers' | 'none'

/**
 * Starts a server of a test's own. `env` overrides settings that suit tests: no rate limit, no
 * sandbox delay.
 * @param clock moves by a test's hand, for live keys too
 * @param providers whose accounts `RAILS_FILE` may have, instead of those that there are
 * @param work `driven`: what is due runs when something asks, see `driven-work.ts`; `workers`: as
 * in production; `none`: only by a test's hand
 */
export async function startServer(
  env: Record<string, string> = {},
  providers?: readonly Provider[],
  clock?: Clock,
  work: Work = 'driven',
): Promise<TestServer> {
  return businessOn(await startInstallation({ env, providers, clock, work }))
}

/** A running server and its database. */
type Installation = {
  app: App
  url: string
  database: TestDatabase
  driven: DrivenWork | null
  countsRequests: boolean
  leave(): Promise<void>
  /** Whether the books are verified when it stops: not where a test has made them wrong. */
  verifies: boolean
  /** Throws the database away. A second call waits for the first. */
  stop(): Promise<void>
}

async function startInstallation({
  env,
  providers,
  clock,
  work,
}: {
  env: Record<string, string>
  providers?: readonly Provider[] | undefined
  clock?: Clock | undefined
  work: Work
}): Promise<Installation> {
  const role = work === 'none' ? 'api' : 'all'
  const database = await newDatabase()
  const config = readConfig({
    PORT: '0',
    DATABASE_URL: database.url,
    SECRETS_KEY: 'ab'.repeat(32),
    RATE_LIMIT_MAX: '0',
    CARD_TRIES_MAX: '0',
    CARD_DECLINES_MAX: '0',
    SANDBOX_DELAY: '0s',
    DATABASE_POOL: '8',
    LOG_LEVEL: 'fatal',
    ...env,
  })
  const opened = await open(config, role, { clock, providers })
  let driven: DrivenWork | null = null
  const served = await serve(opened, role, {
    async start(parts) {
      if (work === 'workers') return startWork(parts)
      driven = driveWork(parts.app, workOf(parts))
      return driven
    },
  })
  let leaving: Promise<void> | null = null
  const leave = (): Promise<void> => {
    leaving ??= served.stop()
    return leaving
  }
  const end = async (): Promise<void> => {
    running.delete(installation)
    try {
      await leave()
      if (installation.verifies) await assertClean(opened.app)
    } finally {
      await opened.close()
      await database.drop()
    }
  }
  let ending: Promise<void> | null = null
  const installation: Installation = {
    app: opened.app,
    url: served.url,
    database,
    driven,
    countsRequests: config.RATE_LIMIT_MAX !== 0,
    leave,
    verifies: true,
    stop() {
      ending ??= end()
      return ending
    },
  }
  running.add(installation)
  return installation
}

/** So many differences are shown: the first ones tell what is wrong. */
const mostDifferences = 5

async function assertClean(app: App): Promise<void> {
  const { differences } = await verifyBooks(app, { whole: true })
  assert.deepEqual(differences.slice(0, mostDifferences), [], `${differences.length} differences`)
}

/** A business of an installation, which the test that stops it has for itself. */
async function businessOn(
  installation: Installation,
  stop: () => Promise<void> = installation.stop,
): Promise<TestServer> {
  const { app, url, database } = installation
  const made = await createBusiness(app, 'Test Business')
  await allowRefundsElsewhere(app, made.business.id)
  // Asked for only where asking is not counted.
  const documented = installation.countsRequests ? null : await documentOf(url)
  const callAs = (key: string | null): Call => {
    const call = makeCall(url, key)
    return async (...asked) => {
      const answer = await call(...asked)
      documented?.(asked[0], asked[1], answer)
      return answer
    }
  }
  const call = callAs(made.test_key)
  return {
    url,
    app,
    databaseUrl: database.url,
    ownerUrl: database.ownerUrl,
    superuserUrl: database.superuserUrl,
    asOwner: database.asOwner,
    businessId: made.business.id,
    testKey: made.test_key,
    liveKey: made.live_key,
    call,
    callAs,
    async fund(currency, amount) {
      const { status, body } = await call('POST', '/wallets/simulate-fund', { currency, amount })
      assert.equal(status, 200, JSON.stringify(body))
    },
    assertBooksClean: () => assertClean(app),
    leaveBooksUnverified() {
      installation.verifies = false
    },
    async idle() {
      if (installation.driven === null)
        throw new Error('only a server whose work is driven can be idle')
      await installation.driven.idle()
    },
    leave: installation.leave,
    stop,
  }
}

/**
 * The installations that files of this process share, by their settings; one is free when the file
 * before has stopped it.
 */
const shared = new Map<string, { installation: Installation; isFree: boolean }>()

/** Every installation of this process that nobody has stopped. */
const running = new Set<Installation>()

/**
 * A file's own hooks, which run after the one below, have this long to stop what the file has
 * started.
 */
const leftAfterMs = 30_000

after(async () => {
  // One that a failed test has left would keep the process from ending.
  const stopLeft = () => Promise.allSettled([...running].map((one) => one.stop()))
  setTimeout(() => void stopLeft(), leftAfterMs).unref()
  // The books of shared ones are verified once, over everything that all files did.
  for (const { installation } of shared.values()) await installation.stop()
})

/**
 * A business of its own on a server that the files of this process share, one after the other,
 * where their settings are the same. A test that changes the installation, or looks at more than
 * its business, needs `startServer`.
 */
export async function shareServer(
  env: Record<string, string> = {},
  work: Work = 'driven',
): Promise<TestServer> {
  const key = JSON.stringify({ env, work })
  const known = shared.get(key)
  if (known !== undefined && !known.isFree)
    throw new Error('two tests share one server at the same time')
  const installation = known?.installation ?? (await startInstallation({ env, work }))
  const place = known ?? { installation, isFree: false }
  place.isFree = false
  shared.set(key, place)
  installation.driven?.resume()
  return businessOn(installation, async () => {
    await installation.driven?.idle()
    installation.driven?.pause()
    place.isFree = true
  })
}

/**
 * Reads the OpenAPI document. The function fails when an answer's status, or the code of a refusal,
 * is not in it, for a route that is. What operations are refused with is recorded: `provoked.ts`
 * holds it against what they declare.
 */
async function documentOf(url: string) {
  known ??= readDocuments(url).then(routesIn)
  return heldAgainst(await known)
}

/** Gives the keys of a business the scope that no key has by itself. */
export async function allowRefundsElsewhere(
  { db }: Pick<App, 'db'>,
  businessId: string,
): Promise<void> {
  await db.query(
    `update api_keys set scopes = array_append(scopes, 'refund_elsewhere') where business_id = $1`,
    [businessId],
  )
}

/** What the runner has found this machine to be slower by than one that does nothing else. */
export const patience = Number(process.env.TEST_PATIENCE ?? 4)

/** What is documented is the same for every server of a run. */
let known: Promise<ReturnType<typeof routesIn>> | null = null

/**
 * Read from the first server of a run of tests, and kept for the files that come after it: the
 * document takes longer than many a test.
 */
async function readDocuments(url: string): Promise<Json[]> {
  const file = process.env.TEST_DOCUMENTS
  if (file !== undefined && existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'))
  const call = makeCall(url, null)
  const read = await Promise.all(
    ['/openapi.json', '/operator/openapi.json'].map(async (path) => (await call('GET', path)).body),
  )
  if (file !== undefined) {
    writeFileSync(`${file}.${process.pid}`, JSON.stringify(read))
    renameSync(`${file}.${process.pid}`, file)
  }
  return read
}

function routesIn(documents: Json[]) {
  return (
    documents
      .flatMap((document) =>
        Object.entries(document.paths as Record<string, Record<string, Json>>).map(
          ([path, operations]) => ({
            path,
            operations,
            document,
          }),
        ),
      )
      // `/events/stream` before `/events/{id}`.
      .sort(({ path: a }, { path: b }) => Number(a.includes('{')) - Number(b.includes('{')))
      .map((route) => ({
        ...route,
        is: new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
      }))
  )
}

function heldAgainst(routes: ReturnType<typeof routesIn>) {
  return (method: string, path: string, { status, code, body: answered }: Answer): void => {
    const plain = path.split('?')[0] as string
    const route = routes.find(
      ({ is, operations }) => is.test(plain) && method.toLowerCase() in operations,
    )
    if (!route) return
    const operation = route.operations[method.toLowerCase()]
    const said = `${method} ${path}: ${status} ${JSON.stringify(answered)}`
    if (code !== undefined) recordRefusal(operation.operationId, code)
    if (code === undefined) assert.ok(operation.responses[status], said)
    else
      assert.ok(
        codesOf(route.document, operation, status).includes(code),
        `it does not declare ${said}`,
      )
  }
}

/**
 * The answer that an operation of the document has for a status, a refusal's also as its `default`.
 */
export function responseOf(document: Json, { responses }: Json, status: number): Json {
  const response = responses[status] ?? (status >= 400 ? responses.default : undefined)
  return response?.$ref ? document.components.responses[response.$ref.split('/').at(-1)] : response
}

/** The codes that an operation of the document is refused with at a status. */
export function codesOf(document: Json, operation: Json, status: number): string[] {
  const codes = responseOf(document, operation, status)?.['x-error-codes'] ?? []
  return Array.isArray(codes) ? codes : (codes[status] ?? [])
}

/** What a handler is given for a request with the test key of a business. */
export const ctxOf = async (server: TestServer, businessId = server.businessId): Promise<Ctx> =>
  outside(server.app, await scopeOf(server.app, businessId, false))

/** A client of a server. A string body is sent as it is. */
export function makeCall(url: string, key: string | null): Call {
  return async (method, path, body, headers = {}) => {
    const answer = await send(url + path, {
      method,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    })
    // biome-ignore lint/suspicious/noExplicitAny: answers come in every shape
    const parsed: any = /json/.test(answer.headers.get('content-type') ?? '')
      ? JSON.parse(answer.text)
      : answer.text
    return {
      status: answer.status,
      headers: answer.headers,
      body: parsed,
      data: parsed?.data,
      code: parsed?.errors?.code,
    }
  }
}

/** Asks, and fails unless it is done. @returns the answer's `data` */
export async function must(answer: Promise<Answer>): Promise<Json> {
  const { status, body } = await answer
  assert.ok(status < 300, JSON.stringify(body))
  return body.data
}

/** Every record of a list, in its order. */
export async function listAll(call: Call, path: string): Promise<Json[]> {
  const docs = []
  for (let page = 1; ; page++) {
    const data = await must(
      call('GET', `${path}${path.includes('?') ? '&' : '?'}limit=100&page=${page}`),
    )
    docs.push(...data.docs)
    if (!data.hasNextPage) return docs
  }
}

/** A bank payout that succeeds, with anything else put over it. */
export function bankPayout(reference: string, amount: number, more: Record<string, unknown> = {}) {
  return {
    reference,
    amount,
    currency: 'ngn',
    method: 'bank_transfer',
    destination: { bank_code: '058', account_number: '0123456789' },
    ...more,
  }
}

/** The columns of a table that a copy of its rows is given: not those that the database makes. */
export async function storedColumns(db: App['db'], table: string): Promise<string> {
  const rows = await db.query<{ name: string }>(
    `select column_name as name from information_schema.columns
      where table_schema = 'public' and table_name = $1 and is_generated = 'NEVER'`,
    [table],
  )
  return rows.map(({ name }) => name).join(', ')
}

/**
 * How long a test waits for work that is under way before it looks whether that has happened
 * already which it waits for.
 */
const quietWithinMs = 100

/**
 * Waits until `look` gives something: has driven servers do what is due, and looks. Where nothing
 * is left to do and `look` gives nothing, it is about something outside, which takes time: that is
 * looked for again and again.
 * @param withinMs how long that may take on a machine that does nothing else
 * @throws {Error} when it has not happened by then
 */
export async function until<T>(
  look: () => Promise<T | null | undefined | false>,
  withinMs = 30_000,
): Promise<T> {
  const deadline = performance.now() + withinMs * patience
  for (let pauseMs = 0; ; pauseMs = Math.min(250, pauseMs * 2 + 10)) {
    await sleep(pauseMs)
    const polls = [...drivenServers].map((one) => one.poll({ periodic: pauseMs > 0 }))
    await Promise.race([Promise.all(polls), sleep(quietWithinMs)])
    const found = await look()
    if (found) return found
    if (performance.now() > deadline) throw new Error('it did not happen in time')
  }
}

/**
 * Waits until nothing is left of the money's work that is due by the server's clock, nor of the
 * jobs that it became: one that failed is left until it is done.
 */
export async function workedOff({ app }: TestServer): Promise<void> {
  await until(async () => {
    const [left] = await app.db.query<{ is: boolean }>(
      `select exists (select from timers
                       where (due_at is null or due_at <= $1) and task ~ '^(payouts|payments|refunds|customers|inbound|virtual_accounts)\\.')
           or exists (select from graphile_worker._private_jobs) as is`,
      [app.clock.now()],
    )
    return left?.is === false
  }, 120_000)
}

/**
 * Waits until no job is left that could change anything by itself. @throws {Error} that says what
 * is left
 */
export async function settled(app: App): Promise<void> {
  let left: unknown[] = []
  const look = async (): Promise<boolean> => {
    left = await app.db.query(
      `select 'timer' as kind, to_jsonb(t) as row from timers t where due_at is null
       union all select 'delivery', to_jsonb(q) from webhook_queue q where due_at is null
       union all select 'job', to_jsonb(j) from graphile_worker._private_jobs j`,
    )
    return left.length === 0
  }
  await until(look).catch(() => {
    throw new Error(`not settled in time: ${JSON.stringify(left)}`)
  })
}

/** Tables of which it is enough to know how many rows there are. */
const countedTables = [
  'ledger_postings',
  'transactions',
  'payouts',
  'payout_quotes',
  'payout_schedules',
  'payout_schedule_runs',
  'events',
  'event_resends',
  'sample_events',
  'webhooks',
  'audit_log',
  'webhook_deliveries',
  'webhook_queue',
  'idempotency_keys',
  'crypto_wallets',
  'crypto_addresses',
  'chain_deposits',
  'products',
  'distributions',
  'distribution_shares',
  'distribution_entries',
  'distribution_settlements',
  'distribution_returns',
  'invoice_numbers',
  'invoices',
  'invoice_lines',
  'mails',
  'virtual_accounts',
  'deposit_notices',
  'pay_links',
  'payments',
  'payment_attempts',
  'payment_crypto_quotes',
  'collections',
  'refunds',
  'sandbox_charges',
  'customers',
  'customer_documents',
  'customer_words',
  'sandbox_orders',
  'test_clocks',
]
const countOf = (table: string): string => `(select count(*) from ${table}) as ${table}`
const textOf = (rows: string, order: string, name: string): string =>
  `(select array_agg(r::text order by ${order}) from ${rows} r) as ${name}`
/** One prepared statement: every test of a refusal runs it twice. */
const selectState: Statement<Record<string, unknown>> = {
  name: 'test.state',
  text: `select ${[
    ...countedTables.map(countOf),
    // A timer that becomes a job meanwhile is still one thing that waits.
    '(select count(*) from timers) + (select count(*) from graphile_worker._private_jobs) as waiting',
    textOf('(select id, balance from ledger_accounts where balance <> 0)', 'id', 'balances'),
    textOf('invoice_numbers', 'business_id, livemode', 'numbers'),
    textOf('invoices', 'business_id, id', 'invoices_as_they_are'),
    textOf('invoice_lines', 'invoice_id, position', 'lines_as_they_are'),
    textOf('collections', 'id', 'collections_as_they_are'),
    textOf(
      '(select business_id, id, status, updated_at from payments)',
      'business_id, id',
      'payments_as_they_are',
    ),
  ].join()}`,
}

/**
 * How many rows every table of the business holds, every balance, and what stands in invoices,
 * collections and payments: what must not change when a request is refused.
 */
export async function snapshot(app: App): Promise<Record<string, unknown>> {
  const [state] = await app.db.rows(selectState)
  return state as Record<string, unknown>
}

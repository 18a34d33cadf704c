/**
 * The composition: the parts are made here, once, and put together. Nothing else reads the environment.
 */

import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import pino from 'pino'
import { ledgerChecks, verify } from '../books/ledger/verify.ts'
import { type Pricing, readPricing } from '../books/pricing/pricing.ts'
import { transactionRoutes } from '../books/transactions/routes.ts'
import { TransactionRecord } from '../books/transactions/schema.ts'
import { transactionChecks } from '../books/transactions/verify.ts'
import { walletRoutes } from '../books/wallets/routes.ts'
import { walletChecks } from '../books/wallets/verify.ts'
import { collectionListener } from '../collecting/collections/collections.ts'
import { collectionRoutes } from '../collecting/collections/routes.ts'
import { CollectionRecord, CompletedCollection } from '../collecting/collections/schema.ts'
import { collectionChecks } from '../collecting/collections/verify.ts'
import { cryptoRoutes } from '../collecting/crypto/routes.ts'
import { customerRoutes } from '../collecting/customers/routes.ts'
import { chainDeposits, sweepable } from '../collecting/deposits/deposits.ts'
import { depositRoutes } from '../collecting/deposits/routes.ts'
import { depositChecks } from '../collecting/deposits/verify.ts'
import { paymentTasks } from '../collecting/payments/payments.ts'
import { paymentRoutes } from '../collecting/payments/routes.ts'
import { PaymentRecord } from '../collecting/payments/schema.ts'
import { paymentChecks } from '../collecting/payments/verify.ts'
import { reversals } from '../collecting/refunds/refunds.ts'
import { refundRoutes } from '../collecting/refunds/routes.ts'
import { RefundRecord } from '../collecting/refunds/schema.ts'
import { refundTasks } from '../collecting/refunds/settlement.ts'
import { refundChecks } from '../collecting/refunds/verify.ts'
import { accountRoutes } from '../collecting/virtual-accounts/routes.ts'
import { accountTasks } from '../collecting/virtual-accounts/virtual-accounts.ts'
import type { App, Ctx, Log, Role } from '../core/context.ts'
import type { Route } from '../core/route.ts'
import { countChecks, foldCounts } from '../db/counts.ts'
import { openDatabase, tryToConnect } from '../db/db.ts'
import { useEmbedded } from '../db/embedded.ts'
import { migrate, requireSchema } from '../db/migrate.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { type Config, ConfigError, readSecretsKey } from '../lib/config.ts'
import { makeOnce } from '../lib/files.ts'
import { newId } from '../lib/ids.ts'
import { cryptoCurrencies, walletCurrencies } from '../lib/money.ts'
import { version } from '../lib/version.ts'
import { lookupRoutes } from '../paying-out/lookups/routes.ts'
import { payoutRoutes } from '../paying-out/payouts/routes.ts'
import { PayoutRecord } from '../paying-out/payouts/schema.ts'
import { payoutTasks } from '../paying-out/payouts/settlement.ts'
import { payoutChecks } from '../paying-out/payouts/verify.ts'
import { clockRoutes } from '../platform/clock/routes.ts'
import { eventTypes } from '../platform/events/events.ts'
import { startWorkers, type Workers } from '../platform/jobs/jobs.ts'
import { timerChore } from '../platform/jobs/timers.ts'
import { deliveryChores } from '../platform/webhooks/pump.ts'
import { webhookRoutes } from '../platform/webhooks/routes.ts'
import { targetAgent } from '../platform/webhooks/targets.ts'
import { knownNetworks } from '../rails/networks.ts'
import { patient } from '../rails/patient.ts'
import { sandboxRail } from '../rails/sandbox.ts'
import { sandboxAccounts, sandboxAddresses } from '../rails/sandbox-accounts.ts'
import { sandboxCards } from '../rails/sandbox-cards.ts'
import { distributionRefundListener } from '../selling/distributions/distributions.ts'
import { distributionRoutes } from '../selling/distributions/routes.ts'
import { distributionPayoutListener } from '../selling/distributions/settlement.ts'
import { distributionChecks } from '../selling/distributions/verify.ts'
import { invoiceListener, invoiceTasks, mailTasks } from '../selling/invoices/invoices.ts'
import { invoiceRoutes } from '../selling/invoices/routes.ts'
import { InvoiceRecord } from '../selling/invoices/schema.ts'
import { invoiceChecks } from '../selling/invoices/verify.ts'
import { productRoutes } from '../selling/products/routes.ts'
import { checkoutPages } from './checkout/checkout.ts'
import { checkoutRoutes } from './checkout/routes.ts'
import { forgetOldKeys } from './http/idempotency.ts'
import { forgetOldLimits } from './http/limits.ts'
import { openApiDocument } from './http/openapi.ts'
import { makeServer } from './http/server.ts'
import { metaRoutes } from './meta/meta.ts'
import { makeMetrics } from './meta/metrics.ts'

/** Mails that a process sends at once. */
const mailWorkers = 4

/** What jobs get to finish when the server stops; the whole stop stays within five seconds. */
const graceMs = 2_000

const routes: Route<Ctx>[] = [
  ...walletRoutes,
  ...accountRoutes,
  ...depositRoutes,
  ...paymentRoutes,
  ...checkoutRoutes,
  ...collectionRoutes,
  ...refundRoutes,
  ...productRoutes,
  ...distributionRoutes,
  ...invoiceRoutes,
  ...payoutRoutes,
  ...customerRoutes,
  ...transactionRoutes,
  ...cryptoRoutes,
  ...lookupRoutes,
  ...webhookRoutes,
  ...clockRoutes,
]

/** What each event carries. */
const payloads: Record<string, object> = {
  ...named('payout', ['initiated', 'completed', 'failed', 'canceled'], PayoutRecord),
  ...named('payment', ['completed', 'failed', 'expired', 'canceled'], PaymentRecord),
  ...named('refund', ['initiated', 'completed', 'failed'], RefundRecord),
  'virtual_account.deposit': TransactionRecord,
  'crypto.deposit': TransactionRecord,
  'collection.completed': CompletedCollection,
  'collection.canceled': CollectionRecord,
  ...named('invoice', ['finalized', 'sent', 'paid', 'voided'], InvoiceRecord),
}

function named(record: string, states: string[], schema: object): Record<string, object> {
  return Object.fromEntries(states.map((state) => [`${record}.${state}`, schema]))
}

/** Its libraries take twenty megabytes, so only a server that speaks to EVM networks loads the rail. */
async function loadEvm({ EVM_FILE: file }: Config) {
  if (file === null) return null
  const rail = await import('../rails/evm/evm.ts')
  return { rail, ...rail.openEvm(rail.readEvmFile(file)) }
}

/** The parts, opened: for the server and for commands. */
export type Opened = {
  app: App
  url: string
  /** The rail for EVM networks with what it speaks to; null without EVM_FILE. */
  evm: Awaited<ReturnType<typeof loadEvm>>
  embedded: boolean
  /** Leaves the embedded database, which stops when nobody else uses it, without waiting for what is asked of it. */
  release(): Promise<void>
  /** Waits for what is asked of the database, and leaves it. */
  close(): Promise<void>
}

/**
 * Opens the database (the operator's, or the embedded one), brings its schema up to date and makes the parts.
 * @param role what the process does: a server of it is the one of its data directory, a `tool` runs beside it or alone
 * @param bringUp what is done about the schema: a tool leaves it to servers, and to the operator
 * @throws {ConfigError} when the configuration cannot work
 * @throws {MigrationError} when the schema does not fit
 */
export async function open(
  config: Config,
  role: App['role'],
  clock: Clock = systemClock,
  bringUp: (url: string) => Promise<unknown> = role === 'tool' ? requireSchema : migrate,
): Promise<Opened> {
  const log: Log = pino({ level: config.LOG_LEVEL, base: null }, pino.destination({ fd: 1, sync: true })) as never
  const pricing = readPricing(config.PRICING_FILE)
  const evm = await loadEvm(config)
  if (evm) assertCreditable(pricing)
  const dir = resolve(config.DATA_DIR)
  const secretsKey = config.SECRETS_KEY ?? (config.DATABASE_URL === null ? ownSecretsKey(dir) : null)
  if (secretsKey === null)
    throw new ConfigError(
      'SECRETS_KEY: is required with DATABASE_URL; make one with `openssl rand -hex 32` and keep it',
    )
  if (role === 'worker' && config.BASE_URL === null)
    throw new ConfigError('BASE_URL: is required with --role worker, whose jobs make links to where the API answers')

  if (config.DATABASE_URL !== null)
    await tryToConnect(config.DATABASE_URL).catch((error: Error) => {
      throw new ConfigError(`DATABASE_URL: ${error.message}`)
    })
  const use = role === 'tool' ? 'tool' : 'serve'
  const server = config.DATABASE_URL === null ? await useEmbedded({ dir }, use) : null
  let released: Promise<void> | undefined
  const release = async () => {
    released ??= server?.release()
    await released
  }
  const url = config.DATABASE_URL ?? (server as { url: string }).url
  try {
    await bringUp(url)
  } catch (error) {
    await release()
    throw error
  }
  const onError = (error: Error): void => log.error({ err: error }, 'an idle database connection failed')
  const db = openDatabase(url, { max: config.DATABASE_POOL, onError })
  // The sandbox stands for a company outside: it has its own connections, and never waits for ours.
  const sandboxDb = openDatabase(url, { max: 4, onError })
  const app: App = {
    role,
    db,
    clock,
    config: { ...config, SECRETS_KEY: secretsKey },
    log,
    pricing,
    rails: {
      test: {
        payouts: patient(sandboxRail(sandboxDb, config.SANDBOX_DELAY)),
        cards: patient(sandboxCards(sandboxDb, config.SANDBOX_DELAY)),
        accounts: patient(sandboxAccounts),
        addresses: evm?.settings.test ? evm.rail.evmAddresses(evm.settings.test) : sandboxAddresses,
      },
      live: {
        payouts: null,
        cards: null,
        accounts: null,
        addresses: evm?.settings.live ? evm.rail.evmAddresses(evm.settings.live) : null,
      },
      chains: evm ? evm.rail.evmRails(evm, { db, clock, log }) : { test: {}, live: {} },
    },
    networks: evm ? evm.rail.networksWith(evm.settings) : knownNetworks,
    listeners: {
      payments: [collectionListener, invoiceListener],
      refunds: [distributionRefundListener],
      payouts: [distributionPayoutListener],
      reversals,
    },
    origin: { url: config.BASE_URL ?? `http://localhost:${config.PORT}` },
  }
  const opened: Opened = {
    app,
    url,
    evm,
    embedded: server !== null,
    release,
    async close() {
      await Promise.all([db.close(), sandboxDb.close()])
      await release()
    },
  }
  try {
    // Reads WEBHOOK_CA_FILE: a file that cannot be read stops the start, not the first delivery.
    targetAgent(app.config)
  } catch (error) {
    await opened.close()
    throw new ConfigError(`WEBHOOK_CA_FILE: ${(error as Error).message}`)
  }
  for (const file of config.PDF_FONTS)
    if (!existsSync(file)) {
      await opened.close()
      throw new ConfigError(`PDF_FONTS: there is no file '${file}'`)
    }
  return opened
}

/** Money that comes on a chain must be credited: that needs a rate, whatever the token and the wallet. */
function assertCreditable(pricing: Pricing): void {
  for (const from of cryptoCurrencies)
    for (const to of walletCurrencies)
      if (!pricing.rate(from, to)) throw new ConfigError(`PRICING_FILE: rates.${from}_${to}: is needed with EVM_FILE`)
}

/** @throws {ConfigError} when the file does not hold a key: what was sealed needs the one that was there */
function ownSecretsKey(dir: string): Buffer {
  const file = join(dir, 'secrets.key')
  if (!existsSync(file)) {
    mkdirSync(dir, { recursive: true })
    makeOnce(file, `${randomBytes(32).toString('hex')}\n`)
  }
  chmodSync(file, 0o600)
  const key = readSecretsKey(readFileSync(file, 'utf8'))
  if (key === null)
    throw new ConfigError(
      `${file}: must hold 32 bytes, as 64 hex digits or as base64; restore it from your backup, or delete it if nothing was kept yet`,
    )
  return key
}

export type Running = { url: string; stop(): Promise<void> }

/** Starts the workers over opened parts. */
export async function startWork({ app, url, evm }: Pick<Opened, 'app' | 'url' | 'evm'>): Promise<Workers> {
  const { config } = app
  return startWorkers(
    app,
    url,
    [
      {
        concurrency: config.WORKER_CONCURRENCY,
        tasks: { ...payoutTasks, ...paymentTasks, ...refundTasks, ...accountTasks, ...invoiceTasks },
      },
      // An SMTP server that hangs holds up mail only.
      { concurrency: mailWorkers, tasks: mailTasks },
    ],
    [
      timerChore(app),
      ...(evm?.rail.evmChores(evm, {
        ...{ db: app.db, clock: app.clock, log: app.log },
        keys: evm.rail.readEvmKeys(config, evm.settings),
        book: chainDeposits(app),
        name: newId(app.clock.now()),
        sweep: {
          everyMs: config.EVM_SWEEP_EVERY,
          minimum: BigInt(config.EVM_SWEEP_MIN),
          candidates: (network, key) => sweepable(app, network, key),
        },
      }) ?? []),
      { name: 'fold counts', everyMs: 5_000, run: () => foldCounts(app.db) },
      ...deliveryChores(app),
      { name: 'forget old idempotency keys', everyMs: 600_000, run: () => forgetOldKeys(app.db, app.clock.now()) },
      { name: 'forget old rate limits', everyMs: 60_000, run: () => forgetOldLimits(app) },
    ],
    graceMs,
  )
}

/** What a process has from the one that started it: whether the workers there are healthy, and the port with its siblings. */
export type Parent = { workers(): boolean | null; sharesPort: boolean }

/**
 * Starts what the role says over opened parts: HTTP and workers, or one of them. A worker answers `/health` and `/metrics` only. `stop`
 * drains and leaves the parts open.
 */
export async function serve(
  { app, url, evm }: Pick<Opened, 'app' | 'url' | 'evm'>,
  role: Role = 'all',
  parent: Parent | null = null,
): Promise<Running> {
  const { config } = app
  let workers: Workers | null = null
  const baseUrl = (): string => app.origin.url
  const states = async () => evm && (await evm.rail.evmStates(evm, app.db, app.clock.now()))
  const publicRoutes = metaRoutes(version, baseUrl, {
    workers: () => (role === 'api' ? (parent?.workers() ?? null) : (workers?.healthy() ?? false)),
    warnings: async () => (await states())?.warnings.map(({ said }) => said) ?? [],
  })
  const server = await makeServer(app, {
    routes: role === 'worker' ? [] : routes,
    publicRoutes: role === 'worker' ? publicRoutes.filter((route) => route.path === '/health') : publicRoutes,
    pages: role === 'worker' ? null : checkoutPages(app),
    metrics: makeMetrics(async () => {
      const now = await states()
      return evm && now ? evm.rail.evmMeasures(now, evm) : []
    }),
    document:
      role === 'worker'
        ? null
        : () =>
            openApiDocument([...publicRoutes, ...routes] as unknown as Route<never>[], baseUrl(), eventTypes, payloads),
  })
  if (role !== 'api') workers = await startWork({ app, url, evm })
  try {
    await server.listen({ port: config.PORT, host: config.HOST, reusePort: parent?.sharesPort ?? false } as object)
  } catch (error) {
    await Promise.all([workers?.stop(), server.close()])
    throw error
  }
  const { port } = server.server.address() as AddressInfo
  const address = `http://localhost:${port}`
  app.origin.url = config.BASE_URL ?? address
  return {
    url: address,
    async stop() {
      // A client that never ends its request must not keep the jobs and the database from being left in order.
      const cut = setTimeout(() => server.server.closeAllConnections(), graceMs)
      await Promise.all([server.close(), workers?.stop()])
      clearTimeout(cut)
    },
  }
}

/** Recomputes the books and holds every record against them. */
export function verifyBooks(app: App) {
  return verify(app.db, [
    ...ledgerChecks,
    ...walletChecks,
    ...transactionChecks,
    ...payoutChecks,
    ...paymentChecks,
    ...refundChecks,
    ...collectionChecks,
    ...distributionChecks,
    ...invoiceChecks,
    ...depositChecks,
    ...countChecks,
  ])
}

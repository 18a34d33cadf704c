/**
 * The composition: a server and its workers, over parts that are open.
 */
import type { AddressInfo } from 'node:net'
import { forgetOldKeys } from '../api/http/idempotency.ts'
import { forgetOldLimits } from '../api/http/limits.ts'
import { openApiDocument, operatorDocument } from '../api/http/openapi.ts'
import { makeOperations } from '../api/http/operations.ts'
import { makeServer } from '../api/http/server.ts'
import { operatorConditions } from '../api/meta/conditions.ts'
import { installationMeasures } from '../api/meta/measures.ts'
import { metaRoutes } from '../api/meta/meta.ts'
import { type Measure, makeMetrics } from '../api/meta/metrics.ts'
import { providerMeasures, providerWarnings } from '../api/meta/providers.ts'
import type { Collects, Telemetry } from '../api/telemetry/telemetry.ts'
import { sealingTask } from '../books/proofs/proofs.ts'
import { foldPostingsOf } from '../books/statements/statements.ts'
import { forgetDeletedTask, forgetErasedTask } from '../collecting/customers/customers.ts'
import {
  chainDeposits,
  forgetOldCustomerDays,
  listSweepable,
} from '../collecting/deposits/deposits.ts'
import { forgetPayersTask } from '../collecting/payments/payments.ts'
import type { App, Role } from '../core/app.ts'
import type { PublicRoute } from '../core/route.ts'
import { archiveWarnings } from '../db/cluster/archive.ts'
import { foldCountsTask } from '../db/lists/counts.ts'
import { newId } from '../lib/ids.ts'
import { localUrl, serveAt } from '../lib/listening.ts'
import { version } from '../lib/version.ts'
import { officialTask } from '../paying-out/conversions/conversions.ts'
import { forgetOldDays } from '../paying-out/limits/limits.ts'
import { alertsTask } from '../platform/alerts/alerts.ts'
import { emptyingTask } from '../platform/emptying/emptying.ts'
import { deleteOldEvents, openProviderWebhooks } from '../platform/inbound/inbound.ts'
import { sweepTasks } from '../platform/inbound/sweeping.ts'
import { startWorkers, type Workers, type WorkPlan } from '../platform/jobs/jobs.ts'
import { movedWorkTask } from '../platform/jobs/moved-work.ts'
import { runnerTask } from '../platform/jobs/runner.ts'
import { timerTask } from '../platform/jobs/timers.ts'
import { forgetOldMails } from '../platform/mail/mail.ts'
import { reconciliationTask } from '../platform/reconciliation/reconciliation.ts'
import { forgetOldRequests, makeRecorder, type Recorder } from '../platform/requests/requests.ts'
import { faultsOf } from '../platform/screening/screening.ts'
import { teamTasks } from '../platform/team/team.ts'
import { deliveryTasks } from '../platform/webhooks/dispatcher.ts'
import { partitionsTask, watchOutages } from '../platform/webhooks/webhooks.ts'
import { checkoutPages } from '../web/checkout/checkout.ts'
import { dashboardPages } from '../web/dashboard/dashboard.ts'
import { docsPages } from '../web/docs/docs.ts'
import { closingTask } from './closing.ts'
import { modules, ofOperator, ofPeople, routes, slowTasks, tasks } from './modules.ts'
import type { Opened } from './open.ts'
import { heldWarnings } from './outgoing.ts'
import { unusedKeys } from './rails.ts'

export { type Opened, open, openLog, sealedColumns, verifyBooks } from './open.ts'

/** Mails that a process sends at once. */
const mailWorkers = 4

/** What jobs get to finish when the server stops; the whole stop stays within five seconds. */
const graceMs = 2_000

export type Running = { url: string; stop(): Promise<void> }

type Parts = Pick<Opened, 'app' | 'url' | 'evm'>

/** Lists the jobs and the periodic tasks of a server. */
export function workOf({ app, evm }: Parts): WorkPlan {
  const { config } = app
  return {
    groups: [
      { concurrency: config.WORKER_CONCURRENCY, tasks },
      // An SMTP server that hangs holds up mail only.
      { concurrency: mailWorkers, tasks: slowTasks },
    ],
    periodic: [
      runnerTask(app, tasks, config.WORKER_CONCURRENCY),
      timerTask(app, Object.keys(tasks)),
      ...(evm?.rail.evmTasks(evm, {
        db: app.db,
        clock: app.clock,
        log: app.log,
        keys: evm.rail.readEvmKeys(config, evm.settings, app.log),
        book: chainDeposits(app),
        name: newId(app.clock.now()),
        sweep: {
          everyMs: config.EVM_SWEEP_EVERY,
          minimum: BigInt(config.EVM_SWEEP_MIN),
          candidates: (network, key) => listSweepable(app, network, key),
        },
      }) ?? []),
      ...[app.rails.test, app.rails.live].flatMap(({ accounts }) =>
        Object.values(accounts).flatMap(({ tasks: own = [] }) => own),
      ),
      ...sweepTasks(app),
      foldCountsTask(app.db),
      {
        name: 'fold postings',
        everyMs: 5_000,
        run: async () => void (await foldPostingsOf(app.db)),
      },
      closingTask(app),
      sealingTask(app),
      ...deliveryTasks(app),
      partitionsTask(app),
      movedWorkTask(app),
      reconciliationTask(app),
      ...officialTask(app),
      alertsTask(
        app,
        operatorConditions(app, async () =>
          evm ? (await evm.rail.evmStates(evm, app.db, app.clock.now())).warnings : [],
        ),
      ),
      {
        name: 'forget old idempotency keys',
        everyMs: 600_000,
        run: () => forgetOldKeys(app.db, app.clock.now()),
      },
      { name: 'forget old requests', everyMs: 60_000, run: () => forgetOldRequests(app) },
      { name: 'forget old events of providers', everyMs: 600_000, run: () => deleteOldEvents(app) },
      { name: 'watch endpoints', everyMs: 60_000, run: () => watchOutages(app) },
      ...teamTasks(app),
      emptyingTask(app),
      forgetErasedTask(app),
      forgetDeletedTask(app),
      forgetPayersTask(app),
      { name: 'forget old mails', everyMs: 3_600_000, run: () => forgetOldMails(app) },
      {
        name: 'forget old days of limits',
        everyMs: 3_600_000,
        run: () => forgetOldDays(app.db, app.clock.now()),
      },
      {
        name: 'forget old days of customers',
        everyMs: 3_600_000,
        run: () => forgetOldCustomerDays(app.db, app.clock.now()),
      },
      { name: 'forget old rate limits', everyMs: 60_000, run: () => forgetOldLimits(app) },
    ],
  }
}

/** Starts the workers over opened parts. */
export async function startWork(parts: Parts): Promise<Workers> {
  const { app, url, evm } = parts
  for (const unused of unusedKeys(app.config, evm)) app.log.warn({}, unused)
  return startWorkers(app, url, workOf(parts), graceMs)
}

const unrecorded = (recorder: Recorder): Measure => ({
  name: 'requests_unrecorded',
  help: 'Requests that GET /requests lacks, since this process started',
  labels: {},
  value: recorder.dropped(),
})

/**
 * What a process has from the one that started it: whether the workers there are healthy. The
 * address is that one's own.
 */
export type Parent = { workers(): boolean | null }

/**
 * Starts what the role says over opened parts: HTTP and workers, or one of them. A worker answers
 * `/health` and `/metrics` only. `stop` drains and leaves the parts open.
 * @param start starts the workers: tests run jobs by their own hand
 */
export async function serve(
  parts: Parts,
  role: Role = 'all',
  parent: Parent | null = null,
  start: (parts: Parts) => Promise<Workers> = startWork,
): Promise<Running> {
  const { app, evm } = parts
  const { config } = app
  let workers: Workers | null = null
  const baseUrl = (): string => app.origin.url
  const states = async () => evm && (await evm.rail.evmStates(evm, app.db, app.clock.now()))
  const warnings = async () => [
    ...((await states())?.warnings.map(({ said }) => said) ?? []),
    ...(await providerWarnings(app)),
    ...(await heldWarnings(app)),
    ...(await archiveWarnings(app)),
    ...faultsOf(app.screens.live),
  ]
  const publicRoutes = metaRoutes(version, baseUrl, {
    workers: () => (role === 'api' ? (parent?.workers() ?? null) : (workers?.healthy() ?? false)),
    warnings,
  })
  const recorder = role !== 'worker' && config.REQUESTS_KEEP > 0 ? makeRecorder(app) : null
  const providerWebhooks = role === 'worker' ? null : openProviderWebhooks(app)
  const operations = operationsOf(app, role)
  const documents = {
    api: documentAt(publicRoutes, baseUrl),
    operator: () => operatorDocument(modules, baseUrl()),
  }
  const measured = config.METRICS_TOKEN !== null || config.OTEL_EXPORTER_OTLP_ENDPOINT !== null
  const metrics = measured
    ? makeMetrics(async () => {
        const now = await states()
        return [
          ...(await installationMeasures(app, warnings)),
          ...(evm && now ? evm.rail.evmMeasures(now, evm) : []),
          ...(await providerMeasures(app, providerWebhooks)),
          ...(recorder ? [unrecorded(recorder)] : []),
        ]
      })
    : null
  const telemetry = await telemetryOf(app, metrics)
  const server = await makeServer(app, {
    operations,
    publicRoutes:
      role === 'worker' ? publicRoutes.filter((route) => route.path === '/health') : publicRoutes,
    pages:
      role === 'worker'
        ? []
        : [checkoutPages(app), dashboardPages(operations), docsPages(documents)],
    metrics,
    recorder,
    providerWebhooks,
    documents:
      role === 'worker'
        ? {}
        : { '/openapi.json': documents.api, '/operator/openapi.json': documents.operator },
  })
  if (role !== 'api') workers = await start(parts)
  let closeMore: () => Promise<void>
  try {
    closeMore = await serveAt(
      server.server,
      { port: config.PORT, host: config.HOST },
      { claims: parent === null, begin: (options) => server.listen(options as object) },
    )
  } catch (error) {
    await Promise.all([workers?.stop(), server.close(), telemetry?.stop()])
    metrics?.close()
    throw error
  }
  const { port } = server.server.address() as AddressInfo
  const address = localUrl({ port, host: config.HOST })
  app.origin.url = config.BASE_URL ?? address
  return {
    url: address,
    async stop() {
      // A client that never ends its request must not keep the jobs and the database from being
      // left in order.
      const cut = setTimeout(() => server.server.closeAllConnections(), graceMs)
      await Promise.all([closeMore(), server.close(), workers?.stop()])
      await recorder?.flush()
      clearTimeout(cut)
      await telemetry?.stop()
      metrics?.close()
    },
  }
}

/**
 * Null where no collector is named: nothing of it is loaded. @param metrics null where they are not
 * this part's to send
 */
export async function telemetryOf(app: App, metrics: Collects | null): Promise<Telemetry | null> {
  const endpoint = app.config.OTEL_EXPORTER_OTLP_ENDPOINT
  return endpoint === null
    ? null
    : (await import('../api/telemetry/telemetry.ts')).startTelemetry(app, endpoint, metrics)
}

/**
 * Made when it is first asked for. Of the whole document the server's own address alone is not
 * known from the start.
 */
function documentAt(publicRoutes: PublicRoute[], baseUrl: () => string): () => object {
  let document: object | null = null
  return () => {
    document ??= openApiDocument(publicRoutes, modules, baseUrl())
    return { ...document, servers: [{ url: baseUrl() }] }
  }
}

/**
 * What the API can be asked: requests are, and pages and commands in process. A worker answers
 * nothing.
 */
export const operationsOf = (app: App, role: App['role'] = app.role) =>
  role === 'worker'
    ? makeOperations(app, [])
    : makeOperations(app, [...routes, ...ofOperator], ofPeople)

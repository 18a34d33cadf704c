/** The composition: a server and its workers, over open parts. */
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
import { chainDeposits, listSweepable } from '../collecting/deposits/deposits.ts'
import type { App, Role } from '../core/app.ts'
import type { PublicRoute } from '../core/route.ts'
import { archiveWarnings } from '../db/cluster/archive.ts'
import { foldCountsTask } from '../db/lists/counts.ts'
import { newId } from '../lib/ids.ts'
import { localUrl, serveAt } from '../lib/listening.ts'
import type { PeriodicTask } from '../lib/periodic.ts'
import { version } from '../lib/version.ts'
import { alertsTask } from '../platform/alerts/alerts.ts'
import { openProviderWebhooks } from '../platform/inbound/inbound.ts'
import { startWorkers, type Workers, type WorkPlan } from '../platform/jobs/jobs.ts'
import { movedWorkTask } from '../platform/jobs/moved-work.ts'
import { runnerTask } from '../platform/jobs/runner.ts'
import { timerTask } from '../platform/jobs/timers.ts'
import { reconciliationTask } from '../platform/reconciliation/reconciliation.ts'
import { makeRecorder, type Recorder } from '../platform/requests/requests.ts'
import { faultsOf } from '../platform/screening/screening.ts'
import { deliveryTasks } from '../platform/webhooks/dispatcher.ts'
import { partitionsTask, watchOutages } from '../platform/webhooks/webhooks.ts'
import { checkoutPages } from '../web/checkout/checkout.ts'
import { dashboardPages } from '../web/dashboard/dashboard.ts'
import { docsPages } from '../web/docs/docs.ts'
import { closingTask } from './closing.ts'
import {
  modules,
  ofOperator,
  ofPeople,
  periodicTasks,
  routes,
  slowTasks,
  tasks,
} from './modules.ts'
import type { Opened } from './open.ts'
import { heldWarnings } from './outgoing.ts'
import { type Evm, unusedKeys } from './rails.ts'

export { type Opened, open, openLog, sealedColumns, verifyBooks } from './open.ts'

/** Mails that a process sends at once. */
const mailWorkers = 4

/** How long jobs may go on after the server stops; the whole stop stays within five seconds. */
const graceMs = 2_000

export type Running = { url: string; stop(): Promise<void> }

type Parts = Pick<Opened, 'app' | 'url' | 'evm'>

/** Lists the jobs and the periodic tasks of a server. */
export function workOf({ app, evm }: Parts): WorkPlan {
  const { db, clock, config } = app
  return {
    groups: [
      { concurrency: config.WORKER_CONCURRENCY, tasks },
      // An SMTP server that hangs holds up mail only.
      { concurrency: mailWorkers, tasks: slowTasks },
    ],
    periodic: [
      runnerTask(app, tasks, config.WORKER_CONCURRENCY),
      timerTask(app, Object.keys(tasks)),
      ...evmTasksOf(app, evm),
      ...[app.rails.test, app.rails.live].flatMap(({ accounts }) =>
        Object.values(accounts).flatMap(({ tasks: own = [] }) => own),
      ),
      foldCountsTask(db),
      ...deliveryTasks(app),
      partitionsTask(app),
      { name: 'watch endpoints', everyMs: 60_000, run: () => watchOutages(app) },
      movedWorkTask(app),
      reconciliationTask(app),
      closingTask(app),
      alertsTask(
        app,
        operatorConditions(app, async () =>
          evm ? (await evm.rail.evmStates(evm, db, clock.now())).warnings : [],
        ),
      ),
      {
        name: 'forget old idempotency keys',
        everyMs: 600_000,
        run: () => forgetOldKeys(db, clock.now()),
      },
      { name: 'forget old rate limits', everyMs: 60_000, run: () => forgetOldLimits(app) },
      ...periodicTasks(app),
    ],
  }
}

function evmTasksOf(app: App, evm: Evm): PeriodicTask[] {
  if (!evm) return []
  const { db, clock, log, config } = app
  return evm.rail.evmTasks(evm, {
    db,
    clock,
    log,
    keys: evm.rail.readEvmKeys(config, evm.settings, log),
    book: chainDeposits(app),
    name: newId(clock.now()),
    sweep: {
      everyMs: config.EVM_SWEEP_EVERY,
      minimum: BigInt(config.EVM_SWEEP_MIN),
      candidates: (network, key) => listSweepable(app, network, key),
    },
  })
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

/** The process that started this one: whether its workers are healthy. It has the address. */
export type Parent = { workers(): boolean | null }

type ServeOptions = {
  parent?: Parent | undefined
  /** Starts the workers. Tests run jobs themselves. */
  start?(parts: Parts): Promise<Workers>
}

/**
 * Starts HTTP, the workers or both over open parts. A worker answers `/health` and `/metrics` only.
 * `stop` drains and leaves the parts open.
 */
export async function serve(
  parts: Parts,
  role: Role = 'all',
  { parent, start = startWork }: ServeOptions = {},
): Promise<Running> {
  const { app } = parts
  const { config } = app
  let workers: Workers | null = null
  const { server, recorder, metrics, telemetry } = await makeHttp(parts, role, () =>
    role === 'api' ? (parent?.workers() ?? null) : (workers?.healthy() ?? false),
  )
  if (role !== 'api') workers = await start(parts)
  let closeMore: () => Promise<void>
  try {
    closeMore = await serveAt(
      server.server,
      { port: config.PORT, host: config.HOST },
      { claims: parent === undefined, begin: (options) => server.listen(options as object) },
    )
  } catch (error) {
    await Promise.all([workers?.stop(), server.close(), telemetry?.stop()])
    metrics?.close()
    throw error
  }
  const { port } = server.server.address() as AddressInfo
  const url = localUrl({ port, host: config.HOST })
  app.origin.url = config.BASE_URL ?? url
  return {
    url,
    async stop() {
      // A client that never ends its request must not delay the end of jobs and of the database.
      const timer = setTimeout(() => server.server.closeAllConnections(), graceMs)
      await Promise.all([closeMore(), server.close(), workers?.stop()])
      await recorder?.flush()
      clearTimeout(timer)
      await telemetry?.stop()
      metrics?.close()
    },
  }
}

/** Makes the HTTP server of a role, which does not listen yet. */
async function makeHttp({ app, evm }: Parts, role: Role, workers: Parent['workers']) {
  const { config } = app
  const baseUrl = (): string => app.origin.url
  const networkStates: NetworkStates = async () =>
    evm && (await evm.rail.evmStates(evm, app.db, app.clock.now()))
  const warnings = () => warningsOf(app, networkStates)
  const publicRoutes = metaRoutes(version, baseUrl, { workers, warnings })
  const recorder = role !== 'worker' && config.REQUESTS_KEEP > 0 ? makeRecorder(app) : null
  const providerWebhooks = role === 'worker' ? null : openProviderWebhooks(app)
  const isMeasured = config.METRICS_TOKEN !== null || config.OTEL_EXPORTER_OTLP_ENDPOINT !== null
  const metrics = isMeasured
    ? makeMetrics(async () => {
        const states = await networkStates()
        return [
          ...(await installationMeasures(app, warnings)),
          ...(evm && states ? evm.rail.evmMeasures(states, evm) : []),
          ...(await providerMeasures(app, providerWebhooks)),
          ...(recorder ? [unrecorded(recorder)] : []),
        ]
      })
    : null
  const telemetry = await telemetryOf(app, metrics)
  const operations = operationsOf(app, role)
  const common = { operations, metrics, recorder, providerWebhooks }
  if (role === 'worker') {
    const health = publicRoutes.filter(({ path }) => path === '/health')
    const server = await makeServer(app, {
      ...common,
      publicRoutes: health,
      pages: [],
      documents: {},
    })
    return { server, recorder, metrics, telemetry }
  }
  const api = documentAt(publicRoutes, baseUrl)
  const operator = () => operatorDocument(modules, baseUrl())
  const server = await makeServer(app, {
    ...common,
    publicRoutes,
    pages: [checkoutPages(app), dashboardPages(operations), docsPages({ api, operator })],
    documents: { '/openapi.json': api, '/operator/openapi.json': operator },
  })
  return { server, recorder, metrics, telemetry }
}

type Networks = NonNullable<Evm>
type NetworkStates = () => Promise<Awaited<ReturnType<Networks['rail']['evmStates']>> | null>

/** Returns what a person should look into, of the whole installation. */
async function warningsOf(app: App, networkStates: NetworkStates): Promise<string[]> {
  const states = await networkStates()
  return [
    ...(states?.warnings.map(({ said }) => said) ?? []),
    ...(await providerWarnings(app)),
    ...(await heldWarnings(app)),
    ...(await archiveWarnings(app)),
    ...faultsOf(app.screens.live),
  ]
}

/**
 * Starts telemetry if the settings name a collector, else returns null and loads nothing.
 * @param metrics null if this process sends none
 */
export async function telemetryOf(app: App, metrics: Collects | null): Promise<Telemetry | null> {
  const endpoint = app.config.OTEL_EXPORTER_OTLP_ENDPOINT
  return endpoint === null
    ? null
    : (await import('../api/telemetry/telemetry.ts')).startTelemetry(app, endpoint, metrics)
}

/**
 * Returns the API document, which the first request makes. Only the server's address can change
 * after the start.
 */
function documentAt(publicRoutes: PublicRoute[], baseUrl: () => string): () => object {
  let document: object | null = null
  return () => {
    document ??= openApiDocument(publicRoutes, modules, baseUrl())
    return { ...document, servers: [{ url: baseUrl() }] }
  }
}

/**
 * Makes the operations of the API, which requests, pages and commands call. A worker has none.
 */
export const operationsOf = (app: App, role: App['role'] = app.role) =>
  role === 'worker'
    ? makeOperations(app, [])
    : makeOperations(app, [...routes, ...ofOperator], ofPeople)

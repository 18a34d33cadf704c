/**
 * The HTTP layer around the handlers: keys, limits, validation, the envelope, idempotency and
 * errors.
 */
import { Readable } from 'node:stream'
import rateLimit from '@fastify/rate-limit'
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { authenticate, scopeOfRemembered } from '../../books/businesses/businesses.ts'
import type { App, Scope } from '../../core/app.ts'
import { type Ctx, outside } from '../../core/outside.ts'
import type {
  Pages,
  PublicRoute,
  ReadRoute,
  Route,
  RouteInput,
  RouteSchemas,
  WriteRoute,
} from '../../core/route.ts'
import { generalRefusal, refuse } from '../../lib/errors.ts'
import { type Id, isId, newId } from '../../lib/ids.ts'
import { hasTwoHosts, requestTimes } from '../../lib/listening.ts'
import type { Log } from '../../lib/log.ts'
import type { ProviderWebhooks } from '../../platform/inbound/inbound.ts'
import { authenticateOperator } from '../../platform/operator/operator.ts'
import type { Recorder } from '../../platform/requests/requests.ts'
import { addressOf, isLoopback, networkOf, trustedProxies } from './addresses.ts'
import { Admission, type Place } from './admission.ts'
import {
  answerError,
  answerUnreadable,
  bodyLimit,
  namingHeaders,
  securityHeaders,
} from './answers.ts'
import { type HoldBody, makeBodies, mostOfBodies } from './bodies.ts'
import { closeInSteps } from './closing.ts'
import { deprecationHeaders } from './deprecation.ts'
import { type Keyed, markOf, readIdempotencyKey } from './idempotency.ts'
import { addInbound } from './inbound.ts'
import { limitStore, rateLimitMax } from './limits.ts'
import { addMetrics, type Metrics, measureRequests } from './metrics.ts'
import {
  type ApiOperations,
  checkParts,
  closedAndEmpty,
  readFor,
  requireAllowed,
  takesBody,
} from './operations.ts'
import { addPages } from './pages.ts'
import { collectPaths, decodable } from './paths.ts'
import { operationOf, refusedBody } from './refusals.ts'
import { followRequests, logRequests, recordRequests } from './request-log.ts'
import { isRefusedWhenStopped } from './scopes.ts'
import { compileLate } from './serializing.ts'
import { sendEvents, streamRequest } from './streams.ts'
import { compileValidator, lossyNumberIn, parsingRefusal } from './validation.ts'

const maxParamLength = 1_000

export type HttpOptions = {
  operations: ApiOperations
  publicRoutes: PublicRoute[]
  /** Empty in a process without pages. */
  pages: Pages<App>[]
  /** Null in a process without webhooks of providers. */
  providerWebhooks: ProviderWebhooks | null
  /** Null without measuring. */
  metrics: Metrics | null
  /** Null without a record of requests. */
  recorder: Recorder | null
  /** The OpenAPI documents by their paths. Each request makes one, with the server's address. */
  documents: Record<string, () => object>
}

declare module 'fastify' {
  interface FastifyRequest {
    ctx: Ctx | null
    /** The client's address. */
    address: string
    /** The place of the request in admission control while the server works on it. */
    place: Place | null
  }
}

/** Makes the HTTP server; the caller listens and closes. */
export async function makeServer(app: App, options: HttpOptions): Promise<FastifyInstance> {
  const server = makeFastify(app)
  server.setValidatorCompiler(({ schema, httpPart }) =>
    compileValidator(schema as object, httpPart),
  )
  compileLate(server)
  server.setErrorHandler((error, request, reply) =>
    answerError(error as FastifyError, request, reply),
  )
  addJsonParser(server)
  addRequestHooks(server, app)
  logRequests(server, app)
  if (options.metrics) measureRequests(server, options.metrics)
  if (options.recorder) recordRequests(server, options.recorder)
  if (rateLimitMax(app.config) > 0) await limitRates(server, app)
  answerUnknownPaths(server, app)
  addRoutes(server, app, options)
  return server
}

function makeFastify(app: App): FastifyInstance {
  return Fastify({
    loggerInstance: app.log as never,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: trustedProxies(app.config.TRUST_PROXY),
    bodyLimit,
    http: requestTimes,
    requestTimeout: requestTimes.requestTimeout,
    // A browser is shown a page, and a program its record.
    rewriteUrl: ({ url = '/', headers }) =>
      url === '/' && headers.accept?.includes('text/html') ? '/docs' : decodable(url),
    routerOptions: { maxParamLength, ignoreTrailingSlash: true },
    requestIdHeader: false,
    genReqId: () => newId(app.clock.now()),
    forceCloseConnections: 'idle',
    // Requests that arrive while the server stops are answered like any other.
    return503OnClosing: false,
    clientErrorHandler: (error, socket) => answerUnreadable(app, error, socket),
    frameworkErrors: (error, request, reply) => {
      reply.headers({ ...namingHeaders(request), ...securityHeaders(app) })
      answerError(
        error as FastifyError,
        request as FastifyRequest,
        reply as unknown as FastifyReply,
      )
    },
  }) as unknown as FastifyInstance
}

/** Accepts JSON in UTF-8, and refuses numbers that JavaScript cannot represent. */
function addJsonParser(server: FastifyInstance): void {
  server.removeAllContentTypeParsers()
  const parseJson = server.getDefaultJsonParser('error', 'error')
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (isOtherCharset(request.headers['content-type']))
      done(
        generalRefusal(
          'unsupported_content_type',
          'The body must be UTF-8: leave `charset` out, or say `charset=utf-8`.',
        ),
      )
    else if (body === '') done(null, undefined)
    else
      parseJson(request, body as string, (error, value) =>
        done(error ? parsingRefusal(body as string) : lossyNumberIn(body as string), value),
      )
  })
}

/** Sets the address and the headers of each request. */
function addRequestHooks(server: FastifyInstance, app: App): void {
  server.decorateRequest('ctx', null)
  server.decorateRequest('address', '')
  server.decorateRequest('place', null)
  followRequests(server)
  closeInSteps(server)
  server.addHook('onRequest', (request, reply, done) => {
    request.address = addressOf(request)
    reply.headers({ ...namingHeaders(request), ...securityHeaders(app) })
    if (hasTwoHosts(request.raw))
      done(generalRefusal('bad_request', 'The request has two Host headers: send one.'))
    else done()
  })
}

/** Answers requests for paths and methods that no route has, before their bodies are read. */
function answerUnknownPaths(server: FastifyInstance, app: App): void {
  const methodsOf = collectPaths(server)
  const limit =
    rateLimitMax(app.config) > 0
      ? (server.rateLimit() as (...hook: unknown[]) => Promise<void>)
      : null
  server.addHook('onRequest', async (request, reply) => {
    if (!request.is404) return
    await limit?.call(server, request, reply)
    return answerUnrouted(request, reply, methodsOf)
  })
  server.setNotFoundHandler((request, reply) => answerUnrouted(request, reply, methodsOf))
}

function addRoutes(server: FastifyInstance, app: App, options: HttpOptions): void {
  const { operations, publicRoutes, pages, providerWebhooks, metrics, documents } = options
  const { METRICS_TOKEN: metricsToken } = app.config
  const stop = new AbortController()
  server.addHook('preClose', async () => stop.abort())
  const admission = new Admission(() => app.elapsed())
  const hold = makeBodies(mostOfBodies)
  const stopping = stop.signal
  for (const route of publicRoutes) addPublicRoute(server, app, route)
  for (const route of operations.routes)
    addRoute(server, app, operations, route, { admission, hold, stopping })
  for (const family of pages) addPages(server, { app, pages: family, hold, stopping })
  if (providerWebhooks) addInbound(server, app, providerWebhooks)
  if (metricsToken !== null && metrics) addMetrics(server, metricsToken, metrics)
  for (const [path, document] of Object.entries(documents))
    server.get(path, async (_request, reply) => {
      reply.type('application/json')
      return JSON.stringify(document())
    })
}

/** @throws {Refusal} `method_not_allowed`, `route_not_found` */
function answerUnrouted(
  { method, originalUrl }: FastifyRequest,
  reply: FastifyReply,
  methodsOf: (path: string) => string[],
): FastifyReply {
  const [path = ''] = originalUrl.split('?')
  const methods = methodsOf(path)
  if (methods.length === 0)
    refuse('route_not_found', `There is no ${method} ${path}. See /docs for what there is.`)
  reply.header('allow', [...methods, 'OPTIONS'].join(', '))
  if (method === 'OPTIONS') return reply.code(204).send()
  refuse(
    'method_not_allowed',
    `${path} cannot be asked with ${method}; it takes ${methods.join(', ')}.`,
  )
}

/** Whether the character set of a body is not the one of JSON. */
function isOtherCharset(contentType = ''): boolean {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(contentType)?.[1]
  return charset !== undefined && !/^utf-?8$/i.test(charset)
}

async function limitRates(server: FastifyInstance, app: App): Promise<void> {
  await server.register(rateLimit, {
    max: rateLimitMax(app.config),
    timeWindow: app.config.RATE_LIMIT_WINDOW,
    enableDraftSpec: true,
    store: limitStore(app),
    keyGenerator: ({ address }) => networkOf(address),
    allowList: (request) =>
      request.routeOptions.url === '/health' ||
      (app.config.RATE_LIMIT_MAX === null && isLocalTrial(request)),
    errorResponseBuilder: (_request, { ttl }) => {
      const seconds = Math.ceil(ttl / 1000)
      return generalRefusal(
        'rate_limited',
        `Too many requests from this address. Try again in ${seconds} seconds.`,
      )
    },
  })
}

const proxyHeaders = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via']
const localNames = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i

/**
 * Returns whether a request comes from this machine with a valid test key, so that trying the
 * server does not exhaust the limit. A request through a proxy is from elsewhere: it has a header
 * of the proxy, or names another host.
 */
function isLocalTrial({ headers, socket, host, raw }: FastifyRequest): boolean {
  // nginx sends HTTP/1.0 by default.
  const isDirect = raw.httpVersion !== '1.0' && proxyHeaders.every((one) => !(one in headers))
  const isLocal = localNames.test(host) && isLoopback(socket.remoteAddress ?? '')
  const key = bearer.exec(headers.authorization ?? '')?.[1]
  return isDirect && isLocal && key !== undefined && scopeOfRemembered(key)?.livemode === false
}

const envelope = (data: object): object => ({
  type: 'object',
  required: ['message', 'data'],
  properties: { message: { type: 'string' }, data },
})

const toFastifyPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1')

function addPublicRoute(server: FastifyInstance, app: App, route: PublicRoute): void {
  server.route({
    method: route.method,
    url: toFastifyPath(route.path),
    config: { operation: operationOf(route) },
    ...saysOf(route),
    schema: { response: { '2xx': envelope(route.schema.data), 503: envelope(route.schema.data) } },
    handler: async ({ params }, reply) => {
      const { status, message, data } = await route.answer(app, params as never)
      return reply.code(status ?? 200).send({ message, data })
    },
  })
}

function addRoute(
  server: FastifyInstance,
  app: App,
  operations: ApiOperations,
  route: Route,
  { admission, hold, stopping }: { admission: Admission; hold: HoldBody; stopping: AbortSignal },
): void {
  const { schema } = route
  const raw = 'read' in route && (route.file !== undefined || route.stream === true)
  const identify = ['operator', 'review'].includes(route.scope)
    ? authenticateOperator
    : authenticate
  const speakerOf = (request: FastifyRequest) => identify(app, keyOf(request), request.address)
  const answer = 'read' in route ? answerRead(app, route, stopping) : answerWrite(operations, route)
  const leave = (request: FastifyRequest): void => {
    if (request.place !== null) admission.leave(request.place)
    request.place = null
  }
  server.route({
    method: route.method,
    url: toFastifyPath(route.path),
    config: { operation: operationOf(route) },
    ...('read' in route && route.stream ? { exposeHeadRoute: false } : {}),
    schema: {
      ...(schema.params ? { params: schema.params } : {}),
      querystring: schema.query ?? closedAndEmpty,
      ...(takesBody(route) ? { body: schema.body ?? closedAndEmpty } : {}),
      ...(raw ? {} : { response: { [route.status ?? 200]: envelope(schema.data) } }),
    },
    ...saysOf(route),
    // After `onRequest`, where the rate limit counts: a request with a bad key counts too.
    preParsing: async (request, reply, payload) => {
      request.place = admission.enter(senderOf(scopeOfRemembered(keyOf(request))))
      const scope = await speakerOf(request)
      request.ctx = outside(app, scope, request.log as unknown as Log)
      admission.assign(request.place, senderOf(scope))
      requireAllowed(scope, route, isKeyed(request))
      const held = hold(request, reply, payload, scope.businessId)
      // While the body is arriving, the request holds no place, because the client decides how long
      // that takes.
      if (!request.raw.complete) {
        admission.pause(request.place)
        request.place = null
      }
      return held
    },
    preValidation: async (request) => {
      request.place ??= admission.enter(senderOf((request.ctx as Ctx).scope))
      // The body may arrive long after the key: a business stopped meanwhile starts nothing.
      if (isRefusedWhenStopped(route))
        requireAllowed(await speakerOf(request), route, isKeyed(request))
      checkParts(request, route)
    },
    // The place ends before sending, because a slow client must not hold one, and a stream is sent
    // for hours.
    handler: (request, reply) => answer(request, reply).finally(() => leave(request)),
    // Releases the place of requests that were refused earlier.
    onResponse: (request, _reply, done) => {
      leave(request)
      done()
    },
  })
}

/** The sender of a request: a business in one mode. Keys not yet looked up share one sender. */
const senderOf = (scope: Pick<Scope, 'businessId' | 'livemode'> | null): string =>
  scope === null ? '' : `${scope.businessId} ${scope.livemode}`

/** Headers of every answer of an operation, refusals included. */
function saysOf({ deprecated }: Pick<Route, 'deprecated'>) {
  if (!deprecated) return {}
  const headers = deprecationHeaders(deprecated)
  const onRequest = (_request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    reply.headers(headers)
    done()
  }
  return { onRequest }
}

const bearer = /^Bearer (\S{1,200})$/i

/** @throws {Refusal} `missing_key`, `invalid_key` */
function keyOf(request: FastifyRequest): string {
  const header = request.headers.authorization
  if (header === undefined)
    refuse('missing_key', 'Send your API key as `Authorization: Bearer sk_test_…`.')
  return (
    bearer.exec(header)?.[1] ??
    refuse(
      'invalid_key',
      'The Authorization header must read `Bearer sk_test_…` or `Bearer sk_live_…`; below /operator `Bearer op_…`.',
    )
  )
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

const inputOf = ({ params, query, body }: FastifyRequest) =>
  ({ params, query, body }) as RouteInput<RouteSchemas>

function answerRead(app: App, route: ReadRoute, stopping: AbortSignal): Handler {
  const { message, file } = route
  return async (request, reply) => {
    const ctx = request.ctx as Ctx
    const input = inputOf(request)
    if (route.stream) {
      const data = await route.read(
        ctx,
        input,
        streamRequest(app, request, reply, keyOf(request), route.scope, stopping),
      )
      return sendEvents(reply, data as AsyncIterable<string>)
    }
    const data = await readFor(ctx, route, input)
    if (!file) return reply.code(route.status ?? 200).send({ message, data })
    reply.header('content-disposition', `attachment; filename="${file.name}"`)
    return reply
      .type(file.contentType)
      .send(Readable.from(data as AsyncIterable<string | Uint8Array>, { objectMode: false }))
  }
}

/** Whether it has an effective Idempotency-Key. */
const isKeyed = ({ method, headers }: FastifyRequest): boolean =>
  method === 'POST' && headers['idempotency-key'] !== undefined

function answerWrite(operations: ApiOperations, route: WriteRoute): Handler {
  const write = operations.writer(route)
  const status = route.status ?? 200
  const envelopeOf = (data: unknown) => ({
    message: typeof route.message === 'string' ? route.message : route.message(data as never),
    data,
  })
  return async (request, reply) => {
    const ctx = request.ctx as Ctx
    const key =
      route.method === 'POST' ? readIdempotencyKey(request.headers['idempotency-key']) : null
    const keyed: Keyed<unknown> | null =
      key === null
        ? null
        : keyedBy(
            key,
            request,
            (data) => reply.serializeInput(envelopeOf(data), String(status) as never) as string,
            status,
          )
    const answered = await write(ctx, inputOf(request), keyed)
    if ('data' in answered) {
      request.made = idOf(answered.data)
      return reply.code(status).send(envelopeOf(answered.data))
    }
    if (answered.status >= 400) request.code = JSON.parse(answered.body).errors?.code ?? null
    if (answered.replayed) {
      reply.header('idempotent-replayed', 'true')
      if (answered.status < 300) request.made = idOf(JSON.parse(answered.body).data)
    }
    return reply.code(answered.status).type('application/json; charset=utf-8').send(answered.body)
  }
}

/** A request's key, and the serializer of the answer to store. */
function keyedBy(
  key: string,
  request: FastifyRequest,
  serialize: (data: unknown) => string,
  status: number,
): Keyed<unknown> {
  return {
    key,
    ...markOf(request.method, request.url, request.body),
    write: (outcome) => {
      if ('refusal' in outcome)
        return { status: outcome.refusal.status, body: refusedBody(request, outcome.refusal) }
      request.made = idOf(outcome.answer)
      return { status, body: serialize(outcome.answer) }
    },
  }
}

/** The id of a created or changed record; null for an answer without one. */
function idOf(data: unknown): Id | null {
  const { id } = (data ?? {}) as { id?: unknown }
  return typeof id === 'string' && isId(id) ? id : null
}

/** Logs answered requests, and records them for a while for their business. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../core/app.ts'
import type { Id } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import { type Step, steps } from '../../lib/steps.ts'
import type { Recorder } from '../../platform/requests/requests.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The code of its refusal, if refused. */
    code: string | null
    /** The record that a write has created or changed. */
    made: Id | null
    /** Its trace step, and a function that runs within that; null without tracing. */
    followed: { step: Step; within(task: () => void): void } | null
  }
}

const pathOf = ({ originalUrl }: FastifyRequest): string => originalUrl.split('?', 1)[0] as string

/** Its `Idempotency-Key`, if valid. */
const keyOf = ({ headers }: FastifyRequest): string | null => {
  const key = headers['idempotency-key']
  return typeof key === 'string' && key.length <= 255 ? key : null
}

const msOf = (reply: FastifyReply): number => Math.round(reply.elapsedTime * 10) / 10

/**
 * Records each request with a key, except for those that read the record. The caller that stops the
 * server also flushes the recorder.
 */
export function recordRequests(server: FastifyInstance, recorder: Recorder): void {
  server.addHook('onResponse', (request, reply, done) => {
    const { ctx, id, method, code, made: subject } = request
    if (ctx && !request.routeOptions.url?.startsWith('/requests')) {
      const idempotency_key = method === 'POST' ? keyOf(request) : null
      const answered = {
        id,
        method,
        path: pathOf(request),
        status: reply.statusCode,
        code,
        ms: msOf(reply),
      }
      recorder.add(ctx.scope, { ...answered, subject, idempotency_key }, request.body)
    }
    done()
  })
}

/**
 * Whether a test key was refused because its test data are being emptied, at its own request: no
 * concern of the operator.
 */
const isOfTest = ({ ctx, code }: FastifyRequest): boolean =>
  ctx?.scope.livemode === false && code === 'test_data_emptying'

/** Logs a line per request: no headers, bodies or query, and the route instead of the path. */
export function logRequests(server: FastifyInstance, app: App): void {
  server.decorateRequest('code', null)
  server.decorateRequest('made', null)
  server.addHook('onResponse', (request, reply, done) => {
    const level = reply.statusCode < 500 ? 'info' : isOfTest(request) ? 'warn' : 'error'
    if (app.log.isLevelEnabled(level)) {
      const log = request.log as unknown as Log
      const { businessId, actor } = request.ctx?.scope ?? {}
      const fields = {
        method: request.method,
        // An unknown path may contain a mistyped token.
        path: request.routeOptions.url ?? 'no route',
        status: reply.statusCode,
        ms: msOf(reply),
        address: request.address,
        business: businessId,
        key:
          actor?.type === 'key' ? actor.id : actor?.type === 'operator' ? actor.key?.id : undefined,
      }
      log[level](fields, 'request')
    }
    done()
  })
}

/**
 * Makes a trace step of each request, the parent of all that follows in it. No headers, bodies or
 * query.
 */
export function followRequests(server: FastifyInstance): void {
  server.decorateRequest('followed', null)
  server.addHook('onRequest', (request, _reply, done) => {
    const { start, hasSubscribers } = steps.request
    if (!hasSubscribers) return done()
    const { method, id, headers } = request
    const route = request.routeOptions.url ?? ''
    const { traceparent } = headers
    const step: Step = {
      kind: 'request',
      name: `${method} ${route}`.trimEnd(),
      attributes: { 'http.request.method': method, 'http.route': route, 'bursar.request': id },
      parent: typeof traceparent === 'string' ? traceparent : undefined,
    }
    start.runStores(step, () => {
      request.followed = { step, within: AsyncLocalStorage.snapshot() }
      done()
    })
  })
  // Reading the body and sending the answer start at the socket.
  server.addHook('preValidation', (request, _reply, done) => {
    if (request.followed) request.followed.within(done)
    else done()
  })
  server.addHook('onResponse', (request, reply, done) => {
    const { followed, ctx, code } = request
    if (!followed) return done()
    const { step, within } = followed
    Object.assign(step.attributes, {
      'http.response.status_code': reply.statusCode,
      ...(ctx && {
        'bursar.business': ctx.scope.businessId,
        'bursar.livemode': ctx.scope.livemode,
      }),
      ...(code !== null && { 'bursar.code': code }),
    })
    if (reply.statusCode >= 500) step.failure = String(reply.statusCode)
    steps.request.asyncEnd.publish(step)
    within(done)
  })
}

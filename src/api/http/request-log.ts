/**
 * What stays of a request when it was answered: its line in the log, and, for a while, what its
 * business can look up.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../core/app.ts'
import type { Id } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import { type Step, steps } from '../../lib/steps.ts'
import type { Recorder } from '../../platform/requests/requests.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What it was refused with, once it was. */
    code: string | null
    /** The record that a write has made or changed. */
    made: Id | null
    /** What it is as a step, and how to go on within that; null where nobody follows. */
    followed: { step: Step; within(task: () => void): void } | null
  }
}

const pathOf = ({ originalUrl }: FastifyRequest): string => originalUrl.split('?', 1)[0] as string

/** Its `Idempotency-Key`, where it is one that is taken. */
const keyOf = ({ headers }: FastifyRequest): string | null => {
  const key = headers['idempotency-key']
  return typeof key === 'string' && key.length <= 255 ? key : null
}

const msOf = (reply: FastifyReply): number => Math.round(reply.elapsedTime * 10) / 10

/**
 * Records each request with a key, but those for what is recorded. Who stops the server has the
 * recorder write what is left.
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
 * Whether a test key was refused because its test data are being emptied, which it asked for: that
 * is nothing for an operator.
 */
const isOfTest = ({ ctx, code }: FastifyRequest): boolean =>
  ctx?.scope.livemode === false && code === 'test_data_emptying'

/** Writes a line for each request: no headers, no bodies, no query, and of its path the route. */
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
        // A path that no route has may hold a token that was mistyped.
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
 * Makes a step of each request: all that follows in it is below. No headers, no bodies, no query.
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
  // What reads the body, and what sends the answer, begins at the socket.
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

/**
 * `GET /metrics`: for the operator's Prometheus, behind a token of its own, since it shows what the
 * server holds.
 */
import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { refuse } from '../../lib/errors.ts'
import { sha256 } from '../../lib/secrets.ts'

/** What is measured, as text, and its content type. */
export type Metrics = {
  contentType: string
  read(): Promise<string>
  /**
   * Counts a request that was answered. @param route as it is declared: not the path, which anybody
   * can make up
   */
  observe(method: string, route: string, status: number, seconds: number): void
}

/** Measures how long requests take. */
export function measureRequests(server: FastifyInstance, metrics: Metrics): void {
  server.addHook('onResponse', (request, reply, done) => {
    metrics.observe(
      request.method,
      request.routeOptions.url ?? '',
      reply.statusCode,
      reply.elapsedTime / 1_000,
    )
    done()
  })
}

/** Adds the route. The rate limit counts it by itself: who scrapes takes nothing from who pays. */
export function addMetrics(server: FastifyInstance, token: string, metrics: Metrics): void {
  const expected = sha256(`Bearer ${token}`)
  server.get(
    '/metrics',
    { config: { rateLimit: {} } as object, schema: { hide: true } as object },
    async (request, reply) => {
      if (!timingSafeEqual(sha256(request.headers.authorization ?? ''), expected))
        refuse('invalid_key', 'Send METRICS_TOKEN as `Authorization: Bearer …`.')
      return reply.type(metrics.contentType).send(await metrics.read())
    },
  )
}

/**
 * `GET /metrics` for the operator's Prometheus, behind a token of its own, because it shows
 * business data.
 */
import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { refuse } from '../../lib/errors.ts'
import { sha256 } from '../../lib/secrets.ts'

/** The metrics as text, and their content type. */
export type Metrics = {
  contentType: string
  read(): Promise<string>
  /**
   * Counts an answered request. @param route as declared, not the path, which a client can invent
   */
  observe(method: string, route: string, status: number, seconds: number): void
}

/** Measures request durations. */
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

/**
 * Adds the route. The rate limit counts it separately, so that scraping does not use up the limit
 * of API clients.
 */
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

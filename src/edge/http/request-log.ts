/**
 * What stays of a request when it was answered: its line in the log.
 */
import type { FastifyInstance } from 'fastify'
import type { App } from '../../core/app.ts'
import type { Log } from '../../lib/log.ts'

/** Writes a line for each request: no headers, no bodies, no query. */
export function logRequests(server: FastifyInstance, app: App): void {
  server.addHook('onResponse', (request, reply, done) => {
    const level = reply.statusCode >= 500 ? 'error' : 'info'
    if (app.log.isLevelEnabled(level)) {
      const log = request.log as unknown as Log
      const { businessId, actor } = request.ctx?.scope ?? {}
      const fields = {
        method: request.method,
        path: request.routeOptions.url ?? request.url.split('?')[0],
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        address: request.address,
        business: businessId,
        key: actor?.type === 'key' ? actor.id : undefined,
      }
      log[level](fields, 'request')
    }
    done()
  })
}

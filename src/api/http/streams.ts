/**
 * Server-sent events: answers that go on until the client is gone, the server stops, or the key no
 * longer works.
 */
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { authenticate, requireScope } from '../../books/businesses/businesses.ts'
import type { App } from '../../core/app.ts'
import type { StreamRequest } from '../../core/route.ts'
import type { OperationScope } from '../../core/scopes.ts'
import { movedTo } from '../../db/moves/moved.ts'
import { Refusal } from '../../lib/errors.ts'
import { sha256 } from '../../lib/secrets.ts'

const checkKeyEveryMs = 1_000

/**
 * Answers with a stream. A chunk is asked for when the one before has gone out, so a slow client
 * costs no memory.
 */
export function sendEvents(reply: FastifyReply, events: AsyncIterable<string>): FastifyReply {
  return reply
    .type('text/event-stream')
    .headers({ 'cache-control': 'no-store', 'x-accel-buffering': 'no', connection: 'close' })
    .send(Readable.from(events))
}

/** Aborted when the client is gone, or has its whole answer. */
export function goneOf(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  return gone.signal
}

/** What a client that comes back had last. */
export function lastEventIdOf({ headers }: FastifyRequest): string | null {
  const last = headers['last-event-id']
  return typeof last === 'string' && last !== '' ? last : null
}

/**
 * What a stream's route is asked with. The key is checked again each second, as a revoke, or the
 * loss of a scope, must reach open streams too.
 */
export function streamRequest(
  app: App,
  request: FastifyRequest,
  reply: FastifyReply,
  key: string,
  needed: OperationScope,
  stopping: AbortSignal,
): StreamRequest {
  const gone = goneOf(reply)
  const refused = new AbortController()
  const timer = setInterval(() => {
    authenticate(app, key, request.address)
      .then((scope) => requireScope(scope, needed))
      .catch((error) => {
        if (error instanceof Refusal || movedTo(error) !== null) refused.abort()
      })
  }, checkKeyEveryMs)
  gone.addEventListener('abort', () => clearInterval(timer))
  return {
    lastEventId: lastEventIdOf(request),
    caller: sha256(key).toString('base64'),
    signal: AbortSignal.any([gone, refused.signal, stopping]),
  }
}

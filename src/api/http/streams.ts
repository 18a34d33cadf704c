/**
 * Server-sent events: answers that continue until the client is gone, the server stops, or the key
 * no longer works.
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
 * Answers with a stream. A chunk is requested after the previous one was sent, so a slow client
 * costs no memory.
 */
export function sendEvents(reply: FastifyReply, events: AsyncIterable<string>): FastifyReply {
  return reply
    .type('text/event-stream')
    .headers({ 'cache-control': 'no-store', 'x-accel-buffering': 'no', connection: 'close' })
    .send(Readable.from(events))
}

/** Aborts when the client is gone or has its whole answer. */
export function goneOf(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  return gone.signal
}

/** The last event id of a reconnecting client. */
export function lastEventIdOf({ headers }: FastifyRequest): string | null {
  const last = headers['last-event-id']
  return typeof last === 'string' && last !== '' ? last : null
}

/**
 * Builds the input of a stream's route. The key is checked again each second, so that revoking it
 * or removing a scope ends open streams.
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

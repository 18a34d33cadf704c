/** Answers errors: the error envelope, and which errors are refusals and which are bugs. */
import { maxHeaderSize, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../core/app.ts'
import { TestDataEmptied } from '../../core/test-data.ts'
import { isUnavailable } from '../../db/db.ts'
import { movedTo } from '../../db/moves/moved.ts'
import { cellHeader } from '../../lib/cells.ts'
import {
  type GeneralCode,
  general,
  generalRefusal,
  Refusal,
  type ValidationIssue,
} from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { requestTimes } from '../../lib/listening.ts'
import { errorEnvelope, refusedBody } from './refusals.ts'
import { invalid } from './validation.ts'

/** The largest request body. */
export const bodyLimit = 2 * 1024 * 1024

/**
 * The security headers of every answer: no caching, no type guessing, and TLS if the server has it.
 */
export function securityHeaders({ origin }: App): Record<string, string> {
  return {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(origin.url.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  }
}

/** Accepted request ids of callers: short, and safe in a header and in a log. */
const clientRequestId = /^[\w.-]{1,64}$/

/**
 * Returns the headers that identify the request: our own id, and the caller's if it is well-formed,
 * so that the caller can match the answer. Caller's ids are not logged.
 */
export function namingHeaders({
  id,
  headers,
}: Pick<FastifyRequest, 'id' | 'headers'>): Record<string, string> {
  const given = headers['x-client-request-id']
  return {
    'x-request-id': id,
    ...(typeof given === 'string' && clientRequestId.test(given)
      ? { 'x-client-request-id': given }
      : {}),
  }
}

/** Further headers of pages: they cannot be framed, and send no referrer to other sites. */
export const pageHeaders: Record<string, string> = {
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
}

const unreadable: Record<string, string> = {
  ERR_HTTP_REQUEST_TIMEOUT: `The request was not there within ${requestTimes.requestTimeout / 1_000} seconds.`,
  HPE_HEADER_OVERFLOW: `The headers are larger than ${maxHeaderSize / 1_024} KiB.`,
}

/** Answers an unreadable request on its connection, and closes that. */
export function answerUnreadable(app: App, error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const id = newId(app.clock.now())
  const refusal = generalRefusal(
    'bad_request',
    unreadable[error.code ?? ''] ?? 'This is no HTTP request.',
  )
  app.log.info({ reqId: id, status: refusal.status, code: error.code }, 'request')
  const body = JSON.stringify(errorEnvelope(refusal))
  const head = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    ...Object.entries(securityHeaders(app)).map(([name, value]) => `${name}: ${value}`),
    `x-request-id: ${id}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}

/** Fastify's own refusals, in our words. */
const fastifyRefusals: Record<string, [code: GeneralCode, sentence: string]> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'unsupported_content_type',
    'The body must be sent as application/json: add the header `Content-Type: application/json`.',
  ],
  FST_ERR_CTP_BODY_TOO_LARGE: [
    'body_too_large',
    `The body is larger than ${bodyLimit / 1_024 / 1_024} MiB.`,
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'bad_request',
    'The body is not as long as its Content-Length says.',
  ],
}

const locations: Record<string, ValidationIssue['location']> = {
  body: 'body',
  querystring: 'query',
  params: 'params',
  headers: 'headers',
}

/** Returns a thrown error as a refusal, or null if it is a bug. */
function refusalOf(error: FastifyError): Refusal | null {
  if (error instanceof Refusal) return error
  if (error instanceof TestDataEmptied)
    return generalRefusal('test_data_emptying', general.test_data_emptying[1])
  if (error.validation) {
    const location = locations[error.validationContext ?? 'body'] ?? 'body'
    return invalid(error.validation as never, location)
  }
  const known = fastifyRefusals[error.code]
  if (known) return generalRefusal(...known)
  const { statusCode = 500 } = error
  return statusCode >= 400 && statusCode < 500
    ? generalRefusal('bad_request', general.bad_request[1])
    : null
}

/**
 * Sets the header for the gateway if the error says that another database has the business.
 * @returns whether it does
 */
export function setMovedHeader(error: unknown, reply: FastifyReply): boolean {
  const cell = movedTo(error)
  if (cell !== null) reply.header(cellHeader, cell)
  return cell !== null
}

const movedSentence =
  'This business is being moved to another database. Ask again in a second; nothing was done.'

/** Returns the answer for an unexpected error. If the commit was lost, its outcome is unknown. */
function failureOf(error: FastifyError, request: FastifyRequest): Refusal {
  if (!isUnavailable(error)) {
    request.log.error({ err: error }, 'a request failed')
    return generalRefusal(
      'internal_error',
      `Something went wrong on our side. Quote request id ${request.id}.`,
    )
  }
  request.log.warn({ err: error }, 'a request lost the database')
  const reads = request.method === 'GET' || request.method === 'HEAD'
  const next = reads
    ? 'Try again in a second.'
    : 'What you asked for may have been done: look for it, or send it again with the same Idempotency-Key.'
  return generalRefusal('database_unavailable', `The database cannot be reached just now. ${next}`)
}

/**
 * Answers a thrown error: a refusal as it is, a lost database with a retry time, and a bug only
 * with the request's id.
 */
export function answerError(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const moved = setMovedHeader(error, reply)
  const shown = moved
    ? generalRefusal('database_unavailable', movedSentence)
    : (refusalOf(error) ?? failureOf(error, request))
  request.code = shown.code
  // The rate limit's refusal already has the header: until its window ends.
  if ((shown.status === 429 || shown.status === 503) && !reply.hasHeader('retry-after'))
    reply.header('retry-after', '1')
  return reply
    .code(shown.status)
    .type('application/json; charset=utf-8')
    .send(refusedBody(request, shown))
}

/** How an answer goes out: as it should, or as a fault has it. */
import { randomBytes, randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Answer } from './calls.ts'
import type { AnswerFault } from './faults.ts'

const endlessBytes = 64 * 1024 * 1024
const page =
  '<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body><h1>Bad gateway</h1></body></html>'

const otherText = (value: string): string =>
  `${value.slice(0, -1)}${value.endsWith('0') ? '1' : '0'}`

/** What each of these faults makes of a field; fields that it does not name stay. */
const changes: Partial<Record<AnswerFault, Record<string, (value: string & number) => unknown>>> = {
  other_reference: Object.fromEntries(
    ['reference', 'transaction_reference', 'account_number', 'customer_code', 'recipient_code'].map(
      (name) => [name, otherText],
    ),
  ),
  other_amount: Object.fromEntries(
    ['amount', 'requested_amount'].map((name) => [name, (value) => Number(value) + 100]),
  ),
  other_currency: { currency: () => 'GHS' },
  other_mode: { domain: (value) => (value === 'live' ? 'test' : 'live') },
}

/** The answer with a field changed wherever it stands, or as it is. */
export function falsified(answer: Answer, fault: AnswerFault | null): Answer {
  const change = fault === null ? undefined : changes[fault]
  if (change === undefined) return answer
  const through = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(through)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => [
        name,
        name in change && part !== null && typeof part !== 'object'
          ? change[name]?.(part as never)
          : through(part),
      ]),
    )
  }
  return { ...answer, body: through(answer.body) as Answer['body'] }
}

const failure = (message: string, type: string, code: string) => ({
  status: false,
  message,
  meta: { nextStep: 'Try again later' },
  type,
  code,
})
export const invalidKey = failure('Invalid key', 'validation_error', 'invalid_Key')
export const serverError = failure(
  'An error occurred. Please try again later',
  'api_error',
  'unknown',
)
export const tooMany = failure(
  'Rate limit exceeded. Please try again later',
  'api_error',
  'rate_limited',
)

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  // Recorded of every answer: by these Paystack's support finds a request, and by no
  // `x-request-id`.
  const traces = {
    'cf-ray': `${randomBytes(8).toString('hex')}-LOS`,
    'x-amzn-requestid': randomUUID(),
  }
  response
    .writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...traces, ...headers })
    .end(JSON.stringify(body))
}

/**
 * Sends an answer the way a fault wants it. A fault whose name ends in `_before` has no answer to
 * send.
 * @param limit the headers about the rate limit
 */
export function sendAnswer(
  response: ServerResponse,
  answer: Answer | null,
  fault: AnswerFault | null,
  limit: Record<string, string>,
  slowMs: number,
): void {
  const usual = (): void =>
    sendJson(response, answer?.status ?? 500, answer?.body ?? serverError, limit)
  switch (fault) {
    case 'reset_before':
    case 'reset_after':
    case 'arrives_late':
      response.destroy()
      break
    case 'timeout_before':
    case 'timeout_after':
      break
    case 'error_before':
    case 'error_after':
      sendJson(response, 500, serverError, limit)
      break
    case 'rate_limited':
      sendJson(response, 429, tooMany, {
        ...limit,
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': '30',
      })
      break
    case 'unauthorized':
      sendJson(response, 401, invalidKey)
      break
    case 'redirect':
      response.writeHead(302, { location: 'https://elsewhere.example/' }).end()
      break
    case 'status_false':
      sendJson(
        response,
        200,
        failure('The request could not be processed', 'processor_error', 'unprocessed'),
        limit,
      )
      break
    case 'html':
      response.writeHead(502, { 'content-type': 'text/html' }).end(page)
      break
    case 'empty':
      response.writeHead(200, { 'content-type': 'application/json' }).end()
      break
    case 'truncated': {
      const text = JSON.stringify(answer?.body)
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(text.slice(0, text.length / 2))
      break
    }
    case 'endless':
      sendEndless(response)
      break
    case 'slow':
      setTimeout(usual, slowMs).unref()
      break
    default:
      usual()
  }
}

/** Text without an end, until the other side has had enough. */
function sendEndless(response: ServerResponse): void {
  const piece = 'x'.repeat(64 * 1024)
  let sent = 0
  response.writeHead(200, { 'content-type': 'application/json' })
  response.write('{"status":true,"message":"')
  const more = (): void => {
    if (response.destroyed || sent > endlessBytes) return void response.destroy()
    sent += piece.length
    if (response.write(piece)) setImmediate(more)
    else response.once('drain', more)
  }
  more()
}

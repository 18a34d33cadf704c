/**
 * How doubles of providers that speak JSON send their answers, as they should or as a fault has it.
 */
import type { ServerResponse } from 'node:http'
import type { AnswerFault } from './paystack/faults.ts'

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
type Json = any
export type Sent = { status: number; body: Json }
export type Manner = {
  slowMs: number
  /** A refusal in the provider's form. */
  refusal(code: string, message: string): Json
  /** The answer with what a fault changes of it. */
  falsified(body: Json, fault: AnswerFault): Json
}

export const json = (response: ServerResponse, status: number, body: Json): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

/** Sends an answer the way a fault wants it. */
export function sendAnswer(
  response: ServerResponse,
  done: Sent | null,
  fault: AnswerFault | null,
  { slowMs, refusal, falsified }: Manner,
): unknown {
  const usual = (): void =>
    json(response, done?.status ?? 500, done?.body ?? refusal('error', 'Error'))
  switch (fault) {
    case 'reset_before':
    case 'reset_after':
    case 'arrives_late':
      return void response.destroy()
    case 'timeout_before':
    case 'timeout_after':
      return
    case 'error_before':
    case 'error_after':
      return json(response, 500, refusal('unexpected', 'An error occurred'))
    case 'rate_limited':
      return void response
        .writeHead(429, { 'retry-after': '30' })
        .end(JSON.stringify(refusal('rate_limited', 'Slow down')))
    case 'unauthorized':
      return json(response, 401, refusal('unauthorized', 'No key'))
    case 'redirect':
      return void response.writeHead(302, { location: 'https://elsewhere.example/' }).end()
    case 'status_false':
      return json(
        response,
        400,
        refusal('invalid_parameters', 'Please resubmit the following parameters'),
      )
    case 'unclear_after':
      return json(response, 400, refusal('unclear', 'An unexpected error occurred'))
    case 'html':
      return void response
        .writeHead(502, { 'content-type': 'text/html' })
        .end('<h1>Bad gateway</h1>')
    case 'empty':
      return void response.writeHead(200).end()
    case 'truncated': {
      const text = JSON.stringify(done?.body)
      return void response.writeHead(200).end(text.slice(0, text.length / 2))
    }
    case 'endless': {
      response.writeHead(200).write('{"id":"')
      const more = (): void => {
        if (!response.destroyed && response.write('x'.repeat(64 * 1024))) setImmediate(more)
        else if (!response.destroyed) response.once('drain', more)
      }
      return more()
    }
    case 'other_reference':
    case 'other_amount':
    case 'other_currency':
    case 'other_mode':
      return json(
        response,
        done?.status ?? 500,
        done && done.status < 300 ? falsified(done.body, fault) : done?.body,
      )
    case 'slow':
      return void setTimeout(usual, slowMs).unref()
    default:
      return usual()
  }
}

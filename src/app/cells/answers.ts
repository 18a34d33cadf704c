/** What the front answers itself, and the questions that it asks cells. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { systemClock } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import type { CellAnswer } from './proofs.ts'

/** Returns `X-Forwarded-For` with the address that a request came from as the last one. */
export function forwardedFor({ headers, socket }: IncomingMessage): string {
  const before = headers['x-forwarded-for']
  const from = socket.remoteAddress ?? ''
  return before === undefined ? from : `${before}, ${from}`
}

/** Gets an answer of a cell in JSON; null if there is none in time. */
export async function fetchAnswer(
  url: string,
  withinMs: number,
  headers: Record<string, string> = {},
): Promise<CellAnswer['answer']> {
  try {
    const answer = await fetch(url, { headers, signal: AbortSignal.timeout(withinMs) })
    return { status: answer.status, body: (await answer.json()) as { data?: unknown } }
  } catch {
    return null
  }
}

/** Answers that the cell of a request is down. The request can be retried. */
export function refuseDown(outgoing: ServerResponse, letter: string): void {
  outgoing.setHeader('retry-after', '1')
  refuse(outgoing, {
    status: 503,
    code: 'cell_unavailable',
    message: `The part of this installation that has what you ask for (cell ${letter}) does not answer now. Ask again; what you write, with the same Idempotency-Key.`,
  })
}

type Refusal = { status: number; code: string; message: string }

/** Answers with an error of the API's form. */
export function refuse(outgoing: ServerResponse, { status, code, message }: Refusal): void {
  sendJson(outgoing, status, { message, data: null, errors: { code } })
}

/** Sends an answer, unless one was sent or the client has gone. */
export function sendJson(outgoing: ServerResponse, status: number, body: object): void {
  if (outgoing.destroyed || outgoing.headersSent) return
  outgoing.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': newId(systemClock.now()),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
  outgoing.end(JSON.stringify(body))
}

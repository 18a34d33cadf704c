/** Sends JSON-RPC calls over HTTP, alone and in batches. */
import { STATUS_CODES } from 'node:http'
import { HttpFailure } from './rpc-errors.ts'

type RpcAnswer = { id?: number; error?: { code?: number; message?: string } }

/**
 * `fetch` for JSON-RPC. Turns other answers into an error with its reason, and gives every request
 * of a batch an answer with its id. viem matches answers by order, so it would misassign them after
 * a gap, and would lose one error for a whole batch.
 * @throws {HttpFailure}
 */
export const fetchWhole: typeof fetch = async (input, init) => {
  const response = await fetch(input, init)
  const requests: unknown = JSON.parse(String(init?.body))
  const text = await response.text()
  const answer = parsed(text)
  if (!response.ok || !isRpc(answer)) throw failureOf(response, text, answer)
  const { headers } = response
  if (!Array.isArray(requests)) return new Response(text, { headers })
  const ofAll = Array.isArray(answer) ? null : answer.error
  const given = new Map(Array.isArray(answer) ? answer.map((one) => [one?.id, one]) : [])
  if (given.size === requests.length && requests.every(({ id }) => given.has(id)))
    return new Response(text, { headers })
  const left = { code: -32_603, message: 'the batch was answered in part' }
  const whole = requests.map(
    ({ id }: { id: number }) => given.get(id) ?? { jsonrpc: '2.0', id, error: ofAll ?? left },
  )
  return new Response(JSON.stringify(whole), { headers: { 'content-type': 'application/json' } })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const isRpc = (answer: unknown): answer is RpcAnswer | RpcAnswer[] =>
  Array.isArray(answer) ||
  (typeof answer === 'object' &&
    answer !== null &&
    ('result' in answer || typeof (answer as RpcAnswer).error?.code === 'number'))

/**
 * The provider's own message if there is one: of JSON the message, of plain text the first line.
 */
function failureOf(response: Response, text: string, answer: unknown): HttpFailure {
  const [first] = Array.isArray(answer) ? answer : [answer]
  const { error, message } = (first ?? {}) as {
    error?: string | { message?: string }
    message?: string
  }
  const ownMessage = [typeof error === 'string' ? error : error?.message, message].find(
    (one) => typeof one === 'string' && one,
  )
  const isPlain = /^text\/plain/.test(response.headers.get('content-type') ?? '')
  const line = isPlain && answer === null ? text.trim().split('\n')[0] : ''
  const usual = response.ok
    ? 'The answer is not JSON-RPC'
    : (STATUS_CODES[response.status] ?? 'An unknown status')
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  return new HttpFailure(
    response.status,
    ownMessage || line || usual,
    Number.isNaN(seconds) ? null : seconds * 1_000,
  )
}

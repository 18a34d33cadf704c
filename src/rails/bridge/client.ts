/** The client of Bridge's API. */
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { Unanswered } from '../http/answers.ts'
import {
  openProviderClient,
  type ProviderCall,
  type ProviderClient,
  type Refused as ProviderRefused,
} from '../http/client.ts'
import type { Reach } from '../http/exchange.ts'
import { asObject, textOf } from '../http/values.ts'
import { perMinute } from './unconfirmed.ts'

/** Bridge requires an idempotency `key` with every POST, and allows it nowhere else. */
export type Call = Omit<ProviderCall, 'method'> &
  ({ method: 'GET' } | { method: 'POST'; key: string; body: object })

/** `message`: Bridge's sentence, and the names of invalid fields. */
export type Refused = ProviderRefused & { body: Record<string, unknown> }

/** The result of a call. */
export type Answer = { is: 'answered'; data: Record<string, unknown> } | Unanswered | Refused
/** The result of a failed call. */
export type Failure = Unanswered | Refused

/** Bridge's address in each mode: its sandbox has another host. */
export const bridgeReach = {
  live: { host: 'https://api.bridge.xyz', connectMs: 5_000, wholeMs: 15_000 },
  test: { host: 'https://api.sandbox.bridge.xyz', connectMs: 5_000, wholeMs: 15_000 },
} satisfies Record<'live' | 'test', Reach>

export type Client = ProviderClient<Call, Answer>

type ClientParts = { reach: Reach; apiKey: string; clock: Clock; log: Log }

/** @param parts.apiKey used only in a header */
export const openClient = ({ apiKey, ...parts }: ClientParts): Client =>
  openProviderClient<Call, Answer>(parts, {
    provider: 'Bridge',
    perMinute,
    basePath: '/v0',
    headersOf: (call) => ({
      'api-key': apiKey,
      ...(call.method === 'POST' ? { 'idempotency-key': call.key } : {}),
    }),
    bodyOf: (call) => (call.method === 'POST' ? JSON.stringify(call.body) : null),
    requestIdHeaders: ['x-request-id'],
    // 409: a request with the same key is in flight.
    unsureStatuses: [408, 409],
    isAboutKey,
    read: readAnswer,
  })

/**
 * Whether an error is about the key: in Bridge's OpenAPI document, the codes `required` and
 * `invalid` with the header's name. Other codes name a missing permission.
 */
function isAboutKey({ code, name }: Record<string, unknown>): boolean {
  const words = `${textOf(code) ?? ''} ${textOf(name) ?? ''}`
  return textOf(code) === null || /credential|auth|api.?key/i.test(words)
}

function readAnswer(body: Record<string, unknown>, status: number): Answer | null {
  if (status < 300) return { is: 'answered', data: body }
  const code = textOf(body.code)
  if (code === null) return null
  const words = [textOf(body.message), textOf(asObject(body.source)?.key)]
  const message = words.filter((word) => word !== null).join(' ')
  return { is: 'refused', status, code, message, body }
}
